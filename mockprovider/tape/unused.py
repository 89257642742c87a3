"""Blobs that no file of their folder refers to."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct

from mockprovider.errors import CassetteError
from mockprovider.tape.blobs import FOLDER, SUFFIX
from mockprovider.tape.lock import recording_in

DIGEST = re.compile(rb"(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])")
ASIDE = ".unused"


class UnusedBlobs(Struct):
    """The blobs of a folder by name: those that nothing refers to, and who refers to the others.

    ``busy`` says which recording goes on there: it may refer to any.
    """

    unused: list[str]
    used: dict[str, list[str]]
    busy: str = ""


def unused_blobs(folder: Path) -> UnusedBlobs:
    """Which blobs of the cassettes in ``folder`` are in use. Raises ``CassetteError`` for a file that cannot be read.

    Whatever names a blob uses it: cassettes of any version, whole or torn, and files of others.
    """
    names = {path.name.removesuffix(SUFFIX) for path in (folder / FOLDER).glob(f"*{SUFFIX}") if path.is_file()}
    used: dict[str, list[str]] = {name: [] for name in sorted(names)}
    for file in _files(folder) if names else ():
        try:
            named = {match.decode() for match in DIGEST.findall(file.read_bytes())}
        except OSError as error:
            raise CassetteError(f"{file} cannot be read ({error.strerror}), so nobody knows which blobs it uses.") from error
        for name in named & names:
            used[name].append(file.name)
    free = [name for name, users in used.items() if not users]
    return UnusedBlobs(free, {name: users for name, users in used.items() if users}, recording_in(folder))


def _files(folder: Path) -> list[Path]:
    return [Path(entry.path) for entry in sorted(os.scandir(folder), key=lambda entry: entry.name) if entry.is_file()]


def remove_blobs(folder: Path, names: Collection[str]) -> list[str]:
    """Remove those of these blobs that are not in use. Returns the removed ones.

    Raises ``CassetteError`` as ``unused_blobs`` does, and ``OSError``.
    """
    _restore(folder)
    going = [name for name in unused_blobs(folder).unused if name in names]
    if not going or recording_in(folder):
        return []
    with _set_aside(folder, going) as aside:
        # A recording that began in the meantime may have seen one where it was.
        again = unused_blobs(folder)
        mine = [name for name in going if not again.busy and not _is_used(folder, name)]
        for name in mine:
            aside.pop(name).unlink()
    return mine


def _restore(folder: Path) -> None:
    """Put back what a process that was killed had set aside."""
    for aside in (folder / FOLDER).glob(f".*{SUFFIX}{ASIDE}"):
        aside.rename(aside.with_name(aside.name[1:].removesuffix(ASIDE)))


def _is_used(folder: Path, name: str) -> bool:
    return any(name.encode() in file.read_bytes() for file in _files(folder))


@contextmanager
def _set_aside(folder: Path, names: Collection[str]) -> Iterator[dict[str, Path]]:
    """These blobs under other names; those that are still in the map afterwards come back."""
    aside: dict[str, Path] = {}
    try:
        for name in names:
            path = folder / FOLDER / f"{name}{SUFFIX}"
            aside[name] = path.rename(path.with_name(f".{path.name}{ASIDE}"))
        yield aside
    finally:
        for name, path in aside.items():
            path.rename(folder / FOLDER / f"{name}{SUFFIX}")
        shared = folder / FOLDER
        if shared.is_dir() and not any(shared.iterdir()):
            shared.rmdir()

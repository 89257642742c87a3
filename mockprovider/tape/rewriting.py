"""Finished cassettes that are written anew: under the lock of a recorder, in one step, as private as they were."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from mockprovider.cassette import Cassette
from mockprovider.errors import CassetteError
from mockprovider.tape import format as tape_format
from mockprovider.tape.blobs import FOLDER, SUFFIX, packed, replace_file
from mockprovider.tape.drafts import FAILED, is_there
from mockprovider.tape.files import fitted, read
from mockprovider.tape.lock import Lock


@contextmanager
def locked(path: Path) -> Iterator[Path]:
    """The file of a cassette, wherever a link leads, while nobody else records or rewrites it.

    Raises ``CassetteMissingError``, ``CassetteBusyError`` if somebody does, and ``CassetteError`` where nothing can be written.
    """
    if not is_there(path):
        read(path)  # which says that there is none, and what there is
    file = path.resolve()
    try:
        lock = Lock(file.with_name(file.name.removesuffix(FAILED)))
    except OSError as error:
        raise _unwritable(path, error) from error
    try:
        yield file
    finally:
        lock.release()


def rendered(cassette: Cassette, put: Callable[[str, bytes], None] = lambda *_: None) -> bytes:
    """The file of a cassette. ``put`` keeps its blobs."""
    return tape_format.render(cassette.header, [fitted(interaction, put)[0] for interaction in cassette.interactions])


def rewrite(path: Path, cassette: Cassette) -> None:
    """Put ``cassette`` in the place of the file, under its lock.

    Its large trees are blobs afterwards, and these are there before the file. Raises ``CassetteError`` where nothing can be
    written: the file is then as it was.
    """
    shared = path.parent / FOLDER

    def put(name: str, data: bytes) -> None:
        if not (shared / f"{name}{SUFFIX}").exists():
            shared.mkdir(exist_ok=True)
            replace_file(shared / f"{name}{SUFFIX}", packed(data))

    try:
        replace_file(path, rendered(cassette, put), path.stat().st_mode & 0o777)
    except OSError as error:
        raise _unwritable(path, error) from error


def _unwritable(path: Path, error: OSError) -> CassetteError:
    why = os.strerror(error.errno) if error.errno else str(error)
    return CassetteError(f"Cannot rewrite {path}: {why}. It is as it was.")

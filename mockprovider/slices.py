"""What reading a large schema came to, on disk: an index and a slice a type, so that only types in use are decoded.

A file is written beside its place and renamed into it, and has a checksum: processes that race write the same file, a process
that is killed leaves none, and a damaged file is as good as none. Where no file can be written there is no cache, and no error.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
import time
import weakref
import zlib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from msgspec import DecodeError, Struct, ValidationError, json

VARIABLE = "MOCKPROVIDER_CACHE"
"""The variable with the folder of the cache; empty means none."""

FORMAT = 2
"""Raised with every change of what is kept, so that no version reads another's."""

MAGIC = b"mockprovider slices\n"
LEAST = 250_000
"""Characters of a schema from which on keeping it pays: a smaller one is read as fast."""

MOST = 40
"""How many files are kept: those that were used last."""

STALE_SECONDS = 3600
"""The age of an unfinished file that no living process can be writing."""

CHUNK = 1 << 16
"""How much is read at once to be checked: what stays in a processor's cache."""


class Index(Struct):
    """The beginning of a file: what is always needed, and where each slice is (offset and length in bytes)."""

    root: Any
    sections: dict[str, dict[str, tuple[int, int]]]


class Slices:
    """One kept file, open for as long as this is in use."""

    def __init__(self, descriptor: int, index: Index, begin: int) -> None:
        self.root: Any = index.root
        self.sections = index.sections
        self._descriptor = descriptor
        self._begin = begin
        # A renamed or removed file stays readable for those who have opened it.
        weakref.finalize(self, os.close, descriptor)

    def read(self, section: str, key: str) -> bytes:
        """One slice."""
        offset, length = self.sections[section][key]
        return os.pread(self._descriptor, length, self._begin + offset)

    def decoded(self, section: str, key: str) -> Any:
        """One slice, which is JSON, as data."""
        return json.decode(self.read(section, key))


def key_of(kind: str, *content: str | bytes) -> str:
    """The name of what is kept of this content: of this version's, and of no other."""
    # Of the hashes that nobody can be tricked into mistaking, the one that processors help with.
    digest = hashlib.sha256()
    for part in (str(FORMAT), _installed(), kind, *content):
        data = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "big"))
        digest.update(data)
    return digest.hexdigest()


@cache
def _installed() -> str:
    """What is installed, as its metadata says it: with the version, which would take longer to read than a type."""
    distribution = metadata.distribution("mockprovider")
    return distribution.read_text("METADATA") or distribution.version


def find(key: str) -> Slices | None:
    """What is kept under ``key``; ``None`` if nothing is, or it is damaged."""
    folder = _folder()
    if folder is None:
        return None
    try:
        descriptor = os.open(folder / key, os.O_RDONLY)
    except (OSError, ValueError):
        return None
    try:
        index, begin = _checked(descriptor)
    except (OSError, DecodeError, ValidationError, ValueError):
        os.close(descriptor)
        return None
    with contextlib.suppress(OSError):
        os.utime(descriptor)
    return Slices(descriptor, index, begin)


def keep(key: str, root: Any, sections: Mapping[str, Mapping[str, Any]]) -> None:
    """Keep ``root`` and the parts of ``sections``, all of which are data, under ``key``. Failing that, keep nothing."""
    folder = _folder()
    if folder is None:
        return
    try:
        parts = list(_parts(root, sections))
    except (TypeError, ValueError, OverflowError, RecursionError):
        # What is no plain data, or has numbers and characters that travel in no JSON of ours.
        return
    checksum = 0
    for part in parts:
        checksum = zlib.crc32(part, checksum)
    head = MAGIC + checksum.to_bytes(4, "big") + sum(map(len, parts)).to_bytes(8, "big")
    with contextlib.suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor, draft = tempfile.mkstemp(prefix=".", suffix=".new", dir=folder)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.writelines([head, *parts])
            Path(draft).replace(folder / key)
        finally:
            Path(draft).unlink(missing_ok=True)
        _tidy(folder)


def _parts(root: Any, sections: Mapping[str, Mapping[str, Any]]) -> Iterator[bytes]:
    """The index's length, the index, and the slices."""
    places: dict[str, dict[str, tuple[int, int]]] = {}
    slices: list[bytes] = []
    offset = 0
    for section, members in sections.items():
        own = places[section] = {}
        for key, member in members.items():
            slices.append(json.encode(member))
            own[key] = (offset, len(slices[-1]))
            offset += len(slices[-1])
    index = json.encode(Index(root, places))
    return iter([len(index).to_bytes(8, "big"), index, *slices])


def _checked(descriptor: int) -> tuple[Index, int]:
    """The index, and where the slices begin. Raises ``ValueError`` for a damaged file."""
    start = len(MAGIC) + 12
    head = os.pread(descriptor, start + 8, 0)
    length, size = int.from_bytes(head[-8:], "big"), int.from_bytes(head[start - 8 : start], "big")
    if not head.startswith(MAGIC) or os.fstat(descriptor).st_size != start + size or length > size:
        raise ValueError("it has another length or beginning than a whole one")
    checksum, at = 0, start
    while chunk := os.pread(descriptor, CHUNK, at):
        checksum, at = zlib.crc32(chunk, checksum), at + len(chunk)
    if checksum != int.from_bytes(head[len(MAGIC) : len(MAGIC) + 4], "big"):
        raise ValueError("its bytes have another checksum")
    return json.decode(os.pread(descriptor, length, start + 8), type=Index), start + 8 + length


def _tidy(folder: Path) -> None:
    """Remove the files that were not used for longest, and unfinished ones of processes that are gone."""
    used = sorted(((file.stat().st_mtime, file) for file in folder.iterdir() if file.is_file()), reverse=True)
    drafts = [(age, file) for age, file in used if file.name.startswith(".")]
    for _, file in [entry for entry in used if entry not in drafts][MOST:]:
        file.unlink(missing_ok=True)
    for changed, file in drafts:
        if time.time() - changed > STALE_SECONDS:
            file.unlink(missing_ok=True)


def _folder() -> Path | None:
    named = os.environ.get(VARIABLE)
    if named is not None:
        return Path(named).absolute() if named else None
    cache = os.environ.get("XDG_CACHE_HOME")
    try:
        return (Path(cache) if cache else Path.home() / ".cache") / "mockprovider" / "slices"
    except RuntimeError:
        # Nobody's home.
        return None

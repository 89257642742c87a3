"""Large trees beside their cassettes: compressed, named by their content, shared by the cassettes of a folder."""

from __future__ import annotations

import os
import secrets
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
import zstandard

from mockprovider.errors import CassetteBrokenError
from mockprovider.matching import digest

FOLDER = "blobs"
SUFFIX = ".json.zst"
LARGE = 64 * 1024
"""A tree whose JSON has more bytes than this is a blob."""

LEVEL = 12
"""The compression level. It takes 0.2 s for a schema of 5 MB; the highest level takes 4 s and saves a tenth."""


LARGEST = 1 << 30
"""More bytes than this no blob has: who claims to hold them is damaged, or hostile."""

REMEDY = "Restore it, or record again."


def own_folder(file: Path) -> Path:
    """Where the blobs of a recording are until it is a cassette, so that it never touches those of its neighbours."""
    return file.with_name(f".{file.name}.blobs")


class Blobs(Mapping[str, Any]):
    """The blobs of a cassette or recording, by the digest of the tree that each holds; read when asked for.

    Args:
        file: where the cassette or recording is.
        cassette: the cassette's name, for messages.
    """

    def __init__(self, file: Path, cassette: str = "") -> None:
        self._own, self._shared = own_folder(file), file.parent / FOLDER
        self._cassette = cassette
        self._read: dict[str, Any] = {}

    def path(self, name: str) -> Path:
        """The file of this blob."""
        own = self._own / f"{name}{SUFFIX}"
        return own if own.exists() else self._shared / own.name

    def put(self, name: str, data: bytes) -> None:
        """Keep ``data`` (JSON, maps sorted) under its digest, unless it is there already."""
        if not self.path(name).exists():
            self._own.mkdir(parents=True, exist_ok=True)
            replace_file(self._own / f"{name}{SUFFIX}", packed(data))

    def only(self, used: Collection[str]) -> None:
        """Drop what the recording has put and does not use."""
        for path in self._own.glob(f"*{SUFFIX}"):
            if path.name.removesuffix(SUFFIX) not in used:
                path.unlink()

    def __getitem__(self, name: str) -> Any:
        """The tree. Raises ``CassetteBrokenError`` if the blob is not there or is not what its name says."""
        if name not in self._read:
            self._read[name] = self._load(name)
        return self._read[name]

    def _load(self, name: str) -> Any:
        path = self.path(name)
        try:
            if path.exists() and not (path.is_file() or path.is_dir()):
                raise CassetteBrokenError(f"{self._cassette}: its blob {path} is no file, but a pipe, a socket or a device.")
            data = path.read_bytes()
            size = zstandard.frame_content_size(data)
            if size > LARGEST:
                raise CassetteBrokenError(f"{self._cassette}: its blob {path} claims to hold {size} bytes. {REMEDY}")
            tree = msgspec.json.decode(zstandard.ZstdDecompressor().decompress(data))
        except FileNotFoundError as error:
            raise CassetteBrokenError(
                f"{self._cassette}: its blob {path} is missing. Large answers are kept beside the cassette: copy or commit "
                f"the folder {FOLDER!r} with it, or record it again."
            ) from error
        except (OSError, RecursionError, zstandard.ZstdError, msgspec.DecodeError, UnicodeDecodeError) as error:
            raise CassetteBrokenError(f"{self._cassette}: its blob {path} is damaged: {error}. {REMEDY}") from error
        if digest(tree) != name:
            raise CassetteBrokenError(f"{self._cassette}: its blob {path} is not what its name says. {REMEDY}")
        return tree

    def __iter__(self) -> Iterator[str]:
        files = {path.name for folder in (self._own, self._shared) for path in folder.glob(f"*{SUFFIX}")}
        return (name.removesuffix(SUFFIX) for name in sorted(files))

    def __len__(self) -> int:
        return sum(1 for _ in self)


def packed(data: bytes) -> bytes:
    """The content of the file of a blob."""
    return zstandard.ZstdCompressor(level=LEVEL).compress(data)


def replace_file(path: Path, data: bytes, mode: int | None = None) -> None:
    """Write ``data`` to ``path`` so that a reader sees all of it or what was there before, a crash included.

    The file has the permissions ``mode``, or those of any new one.
    """
    # Not a file of ``tempfile``, which is private: a cassette is as readable as any other file that its user makes.
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with draft.open("xb") as file:
            if mode is not None:
                os.fchmod(file.fileno(), mode)
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise

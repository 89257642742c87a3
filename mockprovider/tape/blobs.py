"""Large trees beside their cassettes: compressed, named by their content, shared by the cassettes of a folder."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping
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


REMEDY = "Restore it, or record again."


class Blobs(Mapping[str, Any]):
    """The blobs in a folder, by the digest of the tree that each holds; read when asked for.

    Args:
        folder: where they are; made when the first is put.
        cassette: the cassette's name, for messages.
    """

    def __init__(self, folder: Path, cassette: str = "") -> None:
        self.folder = folder
        self._cassette = cassette
        self._read: dict[str, Any] = {}

    def path(self, name: str) -> Path:
        """The file of this blob."""
        return self.folder / f"{name}{SUFFIX}"

    def put(self, name: str, data: bytes) -> bool:
        """Keep ``data`` (JSON, maps sorted) under its digest. Returns whether it is new here."""
        path = self.path(name)
        if path.exists():
            return False
        self.folder.mkdir(parents=True, exist_ok=True)
        replace_file(path, zstandard.ZstdCompressor(level=LEVEL).compress(data))
        return True

    def __getitem__(self, name: str) -> Any:
        """The tree. Raises ``CassetteBrokenError`` if the blob is not there or is not what its name says."""
        if name not in self._read:
            self._read[name] = self._load(name)
        return self._read[name]

    def _load(self, name: str) -> Any:
        path = self.path(name)
        try:
            tree = msgspec.json.decode(zstandard.ZstdDecompressor().decompress(path.read_bytes()))
        except FileNotFoundError as error:
            raise CassetteBrokenError(
                f"{self._cassette}: its blob {path} is missing. Large answers are kept beside the cassette: copy or commit "
                f"the folder {FOLDER!r} with it, or record it again."
            ) from error
        except (OSError, zstandard.ZstdError, msgspec.DecodeError) as error:
            raise CassetteBrokenError(f"{self._cassette}: its blob {path} is damaged: {error}. {REMEDY}") from error
        if digest(tree) != name:
            raise CassetteBrokenError(f"{self._cassette}: its blob {path} is not what its name says. {REMEDY}")
        return tree

    def __iter__(self) -> Iterator[str]:
        return (path.name.removesuffix(SUFFIX) for path in sorted(self.folder.glob(f"*{SUFFIX}")))

    def __len__(self) -> int:
        return sum(1 for _ in self)


def replace_file(path: Path, data: bytes) -> None:
    """Write ``data`` to ``path`` so that a reader sees all of it or what was there before, a crash included."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        # Temporary files are private; a cassette gets the mode of any other file of the checkout.
        Path(name).chmod(0o644)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise

"""Cassettes on disk: load one, record one, mend a torn one."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from mockprovider.cassette import Cassette, Header, Interaction
from mockprovider.cassette.order import canonical
from mockprovider.errors import CassetteBrokenError, CassetteError, CassetteMissingError
from mockprovider.hints import did_you_mean
from mockprovider.matching import digest, encode
from mockprovider.redaction import is_plain
from mockprovider.tape import format as tape_format
from mockprovider.tape.blobs import FOLDER, LARGE, Blobs, replace_file
from mockprovider.tape.format import Parsed
from mockprovider.tape.lock import Lock, holder

TORN = ".torn"
"""Where a torn cassette is moved when it is recorded anew: it may be the only trace of what exists in a cloud."""


def load(path: str | os.PathLike[str], *, recover: bool = False) -> Cassette:
    """The cassette in a file; its blobs are read when they are asked for.

    With ``recover``, the intact interactions of a torn file (the file stays as it is).

    Raises ``CassetteMissingError``, ``CassetteBrokenError`` (torn, or no cassette), ``CassetteVersionError`` (a newer format).
    """
    path = Path(path)
    try:
        return _parsed(path, tape_format.parse_torn if recover else tape_format.parse)
    except CassetteBrokenError as error:
        recording = holder(path)
        if recording:
            raise CassetteBrokenError(f"{recording} It can be replayed when that has ended.") from error
        raise


def _parsed(path: Path, parse: Callable[[bytes, str], Parsed]) -> Cassette:
    parsed = parse(_read(path), str(path))
    return canonical(Cassette(parsed.header, parsed.interactions, Blobs(path.parent / FOLDER, str(path)), str(path)))


def recover(path: str | os.PathLike[str]) -> Cassette:
    """Make a torn cassette whole again, with the interactions that are intact; a whole one is left as it is.

    Raises what ``load`` raises, and ``CassetteBusyError`` while it is being recorded.
    """
    path = Path(path)
    _read(path)
    try:
        lock = Lock(path)
    except OSError as error:
        raise CassetteError(f"Cannot mend {path} where it is: {error.strerror}. Copy it to a folder of yours.") from error
    try:
        cassette = _parsed(path, tape_format.parse_torn)
        if _is_torn(path.read_bytes(), str(path)):
            replace_file(path, tape_format.render(cassette.header, cassette.interactions))
    finally:
        lock.release()
    return cassette


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError as error:
        existing = sorted(file.name for file in path.parent.glob("*.json")) if path.parent.is_dir() else []
        hint = f" {did_you_mean(path.name, existing)}".rstrip()
        raise CassetteMissingError(
            f"There is no cassette {path}.{hint} To record it: --provider-record=all (pytest), or mockprovider record."
        ) from error
    except (OSError, ValueError) as error:
        raise CassetteError(f"Cannot read the cassette {path}: {getattr(error, 'strerror', None) or error}.") from error


def set_aside(path: Path) -> None:
    """Move a torn cassette aside before it is replaced. A complete one is not moved."""
    if path.exists() and _is_torn(path.read_bytes(), str(path)):
        path.replace(path.with_name(path.name + TORN))


def _is_torn(data: bytes, name: str) -> bool:
    try:
        tape_format.parse(data, name)
    except CassetteBrokenError:
        return True
    return False


class Tape:
    """A cassette file that is being recorded: a ``Sink``.

    What was in the file before is replaced (a torn recording is moved aside first); missing folders are made.

    Raises ``CassetteBusyError`` if another recorder has the file, ``CassetteError`` if it cannot be written.
    """

    def __init__(self, path: str | os.PathLike[str], header: Header) -> None:
        self.path = Path(path)
        self.name = str(path)
        self.blobs: Mapping[str, Any]
        self.blobs = self._blobs = Blobs(self.path.parent / FOLDER, self.name)
        self._made: set[str] = set()
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._lock = Lock(self.path)
        except (OSError, ValueError) as error:
            raise self._unwritable(error) from error
        try:
            self._file = self._open(header)
        except BaseException:
            self._lock.release()
            raise

    def _open(self, header: Header) -> int:
        try:
            set_aside(self.path)
            file = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND | os.O_CLOEXEC, 0o644)
            self._write(file, tape_format.opening(header))
        except OSError as error:
            raise self._unwritable(error) from error
        return file

    def append(self, interaction: Interaction) -> Interaction:
        """Write the interaction; when this returns the operating system has it, so only a crash of the machine can lose it."""
        kept, addition = self._fit(interaction)
        self._write(self._file, addition)
        return kept

    def _fit(self, interaction: Interaction) -> tuple[Interaction, bytes]:
        """The interaction as it is kept, and what it adds to the file."""
        addition = tape_format.addition(interaction)
        if len(addition) > LARGE:
            interaction = self._with_blobs(interaction)
            addition = tape_format.addition(interaction)
        return interaction, addition

    def _with_blobs(self, interaction: Interaction) -> Interaction:
        request, response = self._blob(interaction.request), self._blob(interaction.response)
        if request:
            interaction = replace(interaction, request=None, request_blob=request)
        if response:
            interaction = replace(interaction, response=None, response_blob=response)
        return interaction

    def _blob(self, tree: Any) -> str:
        """The name of the blob that this tree has become; empty if it stays in the file."""
        data = encode(tree)
        # Placeholders are renumbered at the end, which would change the blob's content, and so its name.
        if len(data) <= LARGE or not is_plain(data):
            return ""
        name = digest(tree)
        try:
            if self._blobs.put(name, data):
                self._made.add(name)
        except OSError as error:
            raise self._unwritable(error) from error
        return name

    def _write(self, file: int, data: bytes) -> None:
        try:
            while data:
                data = data[os.write(file, data) :]
        except OSError as error:
            raise self._unwritable(error) from error

    def _unwritable(self, error: OSError | ValueError) -> CassetteError:
        return CassetteError(f"Cannot write the cassette {self.name}: {getattr(error, 'strerror', None) or error}.")

    def finish(self, cassette: Cassette) -> None:
        """Put the finished cassette in the place of the recording, in one step, and let others record."""
        interactions = [self._fit(interaction)[0] for interaction in cassette.interactions]
        try:
            replace_file(self.path, tape_format.render(cassette.header, interactions))
        except OSError as error:
            raise self._unwritable(error) from error
        self._drop_blobs(interactions)
        self.abandon()

    def _drop_blobs(self, interactions: Iterable[Interaction]) -> None:
        used = {blob for interaction in interactions for blob in (interaction.request_blob, interaction.response_blob)}
        for name in self._made - used:
            # This recording made the blob, and replaced it because a secret in it became known later.
            self._blobs.path(name).unlink(missing_ok=True)

    def abandon(self) -> None:
        """Close without finishing: the file stays torn, as after a crash."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
            self._lock.release()

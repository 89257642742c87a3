"""Cassettes on disk: load one, record one, mend a torn one."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from mockprovider.cassette import Cassette, Header, Interaction, Sent
from mockprovider.cassette.model import blob_names
from mockprovider.cassette.order import canonical
from mockprovider.errors import CassetteBrokenError, CassetteError, CassetteMissingError
from mockprovider.hints import did_you_mean
from mockprovider.matching import digest, encode
from mockprovider.redaction import is_plain
from mockprovider.tape import format as tape_format
from mockprovider.tape.blobs import LARGE, Blobs, replace_file
from mockprovider.tape.drafts import NEW, Draft, draft_of, is_there, settle, unwritable
from mockprovider.tape.format import Parsed
from mockprovider.tape.lock import Lock, holder
from mockprovider.tape.sent import SentFile, unanswered
from mockprovider.tape.uncollected import uncollected


def load(path: str | os.PathLike[str], *, recover: bool = False, lean: bool = False) -> Cassette:
    """The cassette in a file; its blobs are read when they are asked for.

    With ``recover``, the intact interactions of a torn file (the file stays as it is). ``lean`` is for replays: what cannot be
    read is refused all the same, but its interactions keep no trees until they are asked for (``LeanInteraction``).

    Raises ``CassetteMissingError``, ``CassetteBrokenError`` (torn, or no cassette), ``CassetteVersionError`` (a newer format).
    """
    path = Path(path)
    try:
        return load_held(path, recover=recover, lean=lean)
    except CassetteBrokenError as error:
        recording = holder(path)
        if recording:
            raise CassetteBrokenError(f"{recording} It can be replayed when that has ended.") from error
        raise


def load_held(path: Path, *, recover: bool = False, lean: bool = False) -> Cassette:
    """As ``load``, of a file that nobody else records, because its lock is held here."""
    with uncollected():
        return _parsed(path, tape_format.parse_torn if recover else partial(tape_format.parse, lean=lean))


def _parsed(path: Path, parse: Callable[[bytes, str], Parsed]) -> Cassette:
    parsed = parse(read(path), str(path))
    return canonical(Cassette(parsed.header, parsed.interactions, Blobs(path, str(path)), str(path)))


def sizes(path: str | os.PathLike[str], cassette: Cassette) -> tuple[int, int]:
    """How many bytes the file of a cassette and the blobs that it uses have on disk."""
    path = Path(path)
    blobs = (Blobs(path).path(name) for name in blob_names(cassette.interactions))
    return path.stat().st_size, sum(blob.stat().st_size for blob in blobs if blob.is_file())


def recover(path: str | os.PathLike[str]) -> Cassette:
    """Make a torn cassette whole again, with the interactions that are intact; a whole one is left as it is.

    Where there is none yet, the draft of a recording that broke off becomes the cassette. Ask ``unanswered`` first which calls
    it was waiting for.

    Raises what ``load`` raises, and ``CassetteBusyError`` while it is being recorded.
    """
    path = Path(path)
    file = _broken_off(path)
    read(file)
    try:
        lock = Lock(path.with_name(path.name.removesuffix(NEW)))
    except OSError as error:
        raise CassetteError(f"Cannot mend {path} where it is: {error.strerror}. Copy it to a folder of yours.") from error
    try:
        cassette = _parsed(file, tape_format.parse_torn)
        if tape_format.is_torn(file.read_bytes(), str(file)):
            replace_file(file, tape_format.render(cassette.header, cassette.interactions))
        if file != path:
            settle(file, path)
    finally:
        lock.release()
    return cassette


def _broken_off(path: Path) -> Path:
    """The file that holds the recording of a cassette: the draft, where one broke off and there is no cassette."""
    draft = draft_of(path)
    return draft if is_there(draft) and not is_there(path) else path


def read(path: Path) -> bytes:
    """The bytes of a cassette. Raises ``CassetteMissingError``, and ``CassetteError`` for what cannot be read."""
    try:
        if is_there(path) and not path.is_dir() and not path.is_file():
            raise CassetteError(f"Cannot read the cassette {path}: it is no file, but a pipe, a socket or a device.")
        return path.read_bytes()
    except FileNotFoundError as error:
        existing = sorted(file.name for file in path.parent.glob("*.json")) if path.parent.is_dir() else []
        hint = f" {did_you_mean(path.name, existing)}".rstrip()
        if is_there(draft_of(path)):
            hint = f" {holder(path) or f'A recording of it broke off: mockprovider cassette recover {path} keeps what it has.'}"
        raise CassetteMissingError(
            f"There is no cassette {path}.{hint} To record it: --provider-record=all (pytest), or mockprovider record."
        ) from error
    except (OSError, ValueError) as error:
        raise CassetteError(f"Cannot read the cassette {path}: {getattr(error, 'strerror', None) or error}.") from error


def fitted(interaction: Interaction, put: Callable[[str, bytes], None]) -> tuple[Interaction, bytes]:
    """The interaction as it is kept, and what it adds to a file that is being recorded. ``put`` keeps a blob."""
    addition = tape_format.addition(interaction)
    if len(addition) <= LARGE:
        return interaction, addition
    request, response = (_blob(tree, put) for tree in (interaction.request, interaction.response))
    if request:
        interaction = replace(interaction, request=None, request_blob=request)
    if response:
        interaction = replace(interaction, response=None, response_blob=response)
    return interaction, tape_format.addition(interaction)


def _blob(tree: Any, put: Callable[[str, bytes], None]) -> str:
    """The name of the blob that this tree has become; empty if it stays in the file."""
    data = encode(tree)
    # Placeholders are renumbered at the end, which would change the blob's content, and so its name.
    if len(data) <= LARGE or not is_plain(data):
        return ""
    name = digest(tree)
    put(name, data)
    return name


class Tape:
    """A draft that is being recorded: a ``Sink``. With ``keep``, what is finished takes the cassette's place at once.

    Raises ``CassetteError`` if it cannot be written.
    """

    def __init__(self, draft: Draft, header: Header, *, keep: bool = True) -> None:
        self.name = str(draft.path)
        self._draft = draft
        self._keep = keep
        self.blobs: Mapping[str, Any]
        self.blobs = self._blobs = Blobs(draft.file, self.name)
        self._sent = SentFile(draft.file)
        self._notes = count(1)
        self._size = 0
        self._broken: CassetteError | None = None
        self._lock = threading.Lock()
        self._file = -1
        try:
            self._file = os.open(draft.file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND | os.O_CLOEXEC, 0o666)
            self._write(tape_format.opening(header))
        except OSError as error:
            self.abandon()
            raise unwritable(draft.path, error) from error

    def ready(self) -> None:
        """Raise ``CassetteError`` once something could not be written: then no call is made whose answer would be lost."""
        if self._broken is not None:
            raise self._broken

    def sending(self, sent: Sent) -> int:
        """Note a call that is about to go out. Raises ``CassetteError`` where it cannot be noted."""
        number = next(self._notes)
        self._guarded(self._sent.write, b"+%d %s" % (number, encode(sent)))
        return number

    def append(self, interaction: Interaction, note: int = 0) -> Interaction:
        """Write the interaction; when this returns the operating system has it, so only a crash of the machine can lose it."""
        kept, addition = self._fit(interaction)
        self._guarded(self._write, addition, note)
        return kept

    def _fit(self, interaction: Interaction) -> tuple[Interaction, bytes]:
        return fitted(interaction, lambda name, data: self._guarded(self._blobs.put, name, data))

    def _write(self, data: bytes, note: int = 0) -> None:
        try:
            rest = data
            while rest:
                rest = rest[os.write(self._file, rest) :]
        except OSError:
            # Half a line would hide what follows it, were there ever more room again.
            os.ftruncate(self._file, self._size)
            raise
        self._size += len(data)
        if note:
            self._sent.write(b"-%d" % note)

    def _guarded(self, write: Callable[..., None], *arguments: Any) -> None:
        """Write something. What cannot be written ends the recording: it stays as it was until then."""
        with self._lock:
            if self._broken is not None:
                raise self._broken
            try:
                write(*arguments)
            except OSError as error:
                self._broken = unwritable(self._draft.path, error)
                self._broken.add_note(f"The recording ends here. What was answered before is in {self._draft.file}.")
                raise self._broken from error

    def finish(self, cassette: Cassette, *, failed: bool = False) -> None:
        """Put the finished cassette in the place of the recording, in one step, and let others record.

        What a run recorded that ``failed`` replaces nothing: it is left beside a cassette that is there.

        Raises ``CassetteError`` where that cannot be done: then what was recorded stays in the draft, as after a crash.
        """
        try:
            self.ready()
            interactions = [self._fit(interaction)[0] for interaction in cassette.interactions]
            self._guarded(self._replace, cassette.header, interactions, failed)
        except CassetteError:
            self.abandon()
            raise
        self._close()

    def _replace(self, header: Header, interactions: Sequence[Interaction], failed: bool) -> None:
        self._blobs.only(blob_names(interactions))
        replace_file(self._draft.file, tape_format.render(header, interactions))
        if self._keep and failed:
            self._draft.put_by() if interactions or unanswered(self._draft.file) else self._draft.drop()
        elif self._keep:
            self._draft.keep()

    def forget(self) -> None:
        """Leave the cassette that is there, and let others record. A ``Draft`` that was given is for its owner to drop."""
        self._close()
        if self._keep:
            self._draft.drop()

    def abandon(self) -> None:
        """Let go without finishing: the draft stays torn, as after a crash."""
        self._close()
        self._draft.release()

    def _close(self) -> None:
        self._sent.close()
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

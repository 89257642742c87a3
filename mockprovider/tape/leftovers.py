"""What recordings have left in a folder and no cassette needs: drafts that broke off, notes, locks, half-written files."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from mockprovider.cassette import FORMAT
from mockprovider.errors import CassetteBusyError, CassetteError
from mockprovider.tape.blobs import FOLDER, own_folder
from mockprovider.tape.drafts import NEW, is_there
from mockprovider.tape.files import load_held
from mockprovider.tape.lock import Lock, locks_in
from mockprovider.tape.sent import sent_file, unanswered

RECORDING = re.compile(r"(?P<cassette>.+)\.(?:new|failed|torn[0-9]*)")
COMPANION = re.compile(r"\.(?P<recording>(?P<cassette>.+)\.(?:new|failed|torn[0-9]*))\.(?:sent|blobs)")
HALF = re.compile(r"\.(?P<cassette>.+?)(?:\.new)?\.[0-9a-f]{8}")
HALF_BLOB = re.compile(r"\.[0-9a-f]{64}\.json\.zst\.[0-9a-f]{8}")
BEGINNING = 4096
"""So many bytes of a file tell whether it is a recording: its header comes first."""

TRACE = "it lists calls without an answer, and what they made may exist in the cloud: mockprovider cassette recover {}"
ONLY = "it is the only recording of {0}: mockprovider cassette recover {0} makes it a cassette"


class Leftover(Struct, frozen=True):
    """Something that a recording of ``cassette`` has left, and with what else it goes. ``keep`` says why it stays."""

    path: Path
    what: str
    cassette: Path
    keep: str = ""
    companions: tuple[Path, ...] = ()

    @property
    def size(self) -> int:
        """So many bytes it takes."""
        return sum(map(_size, (self.path, *self.companions)))


def leftovers(folder: Path, *, force: bool = False) -> list[Leftover]:
    """What lies in a folder and no cassette needs. With ``force`` also what may be the only trace of something."""
    busy = {file.name[1:].removesuffix(".lock"): process for file, process in locks_in(folder).items() if process}
    kept = [
        Leftover(one.path, one.what, one.cassette, f"it is being recorded by {busy[one.cassette.name]}")
        if one.cassette.name in busy
        else one
        for one in _all(folder, force=force)
    ]
    half = [Leftover(path, "half a blob", path) for path in _entries(folder / FOLDER) if HALF_BLOB.fullmatch(path.name)]
    return kept if busy else [*kept, *half]


def _all(folder: Path, *, force: bool) -> Iterator[Leftover]:
    for path in _entries(folder):
        if recording := RECORDING.fullmatch(path.name):
            if path.is_file() and _is_recording(path):
                yield _recording(path, folder / recording["cassette"], force=force)
        elif companion := COMPANION.fullmatch(path.name):
            if not is_there(folder / companion["recording"]):
                yield _companion(path, folder / companion["recording"], folder / companion["cassette"], force=force)
        elif (half := HALF.fullmatch(path.name)) and path.is_file() and _is_recording(path):
            yield Leftover(path, "a half-written file", folder / half["cassette"])
    for lock, process in locks_in(folder).items():
        if not process:
            yield Leftover(lock, "a lock that nobody holds", folder / lock.name[1:].removesuffix(".lock"))


def _recording(path: Path, cassette: Path, *, force: bool) -> Leftover:
    keep = TRACE.format(cassette) if unanswered(path) else ONLY.format(cassette) if _is_only(path, cassette) else ""
    what = "a recording that failed" if path.suffix == ".failed" else "a recording that broke off"
    companions = tuple(companion for companion in (own_folder(path), sent_file(path)) if is_there(companion))
    return Leftover(path, what, cassette, "" if force else keep, companions)


def _is_only(path: Path, cassette: Path) -> bool:
    """Whether this is a draft with calls in it that could become the cassette that there is not."""
    if path.name != cassette.name + NEW or is_there(cassette):
        return False
    try:
        return bool(load_held(path, recover=True).interactions)
    except CassetteError:
        # Nobody can read it now, and somebody may by hand.
        return True


def _companion(path: Path, recording: Path, cassette: Path, *, force: bool) -> Leftover:
    keep = TRACE.format(cassette) if path == sent_file(recording) and unanswered(recording) else ""
    return Leftover(path, "of a recording that is gone", cassette, "" if force else keep)


def remove(leftover: Leftover) -> str:
    """Remove it, unless somebody has begun to record its cassette: then why not. Raises ``OSError``."""
    if leftover.path.name.endswith(".lock"):
        return _tried(leftover)
    try:
        lock = Lock(leftover.cassette)
    except CassetteBusyError as error:
        return str(error)
    try:
        for path in (*leftover.companions, leftover.path):
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)
    finally:
        lock.release()
    return ""


def _tried(leftover: Leftover) -> str:
    """Take the lock and let go of it, which removes its file."""
    try:
        Lock(leftover.cassette).release()
    except CassetteBusyError as error:
        return str(error)
    return ""


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(Path(entry.path) for entry in os.scandir(folder))
    except FileNotFoundError:
        return []


def _is_recording(path: Path) -> bool:
    """Whether a file is ours: it begins as a cassette does, or is empty."""
    try:
        with path.open("rb") as file:
            data = file.read(BEGINNING)
    except OSError:
        return False
    return not data or FORMAT.encode() in data


def _size(path: Path) -> int:
    if path.is_dir() and not path.is_symlink():
        return sum(map(_size, path.iterdir()))
    return path.lstat().st_size if path.exists() else 0

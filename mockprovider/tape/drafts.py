"""A recording on its way to becoming a cassette.

A cassette may be the only trace of what a provider once answered, so it stays as it is until a whole recording takes its place
in one step. Until then the recording, its blobs and the calls that it waits for lie beside it, under a lock.
"""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterator
from glob import escape
from itertools import count
from pathlib import Path

from mockprovider.errors import CassetteError
from mockprovider.tape.blobs import FOLDER, own_folder
from mockprovider.tape.format import is_torn
from mockprovider.tape.lock import Lock
from mockprovider.tape.sent import sent_file, unanswered

NEW = ".new"
"""While it is recorded, and after a crash."""
FAILED = ".failed"
"""Recorded by a test that failed, beside the cassette that stays."""
TORN = ".torn"
"""What broke off, moved out of the way of the next recording: it may be the only trace of what exists in a cloud."""


def draft_of(cassette: Path) -> Path:
    """The file in which a cassette is recorded."""
    return cassette.with_name(cassette.name + NEW)


def beside(cassette: Path) -> list[Path]:
    """The recordings of a cassette that lie beside it: the draft, those that failed, those that broke off."""
    others = (cassette.with_name(f"{cassette.name}{FAILED}"), *sorted(cassette.parent.glob(f"{escape(cassette.name)}{TORN}*")))
    return [recording for recording in (draft_of(cassette), *others) if recording.is_file()]


class Draft:
    """The recording that may become the cassette ``path``: record into it, then say what became of it.

    Missing folders are made. With ``whole``, nothing but a whole recording becomes the cassette, also where there is none.

    Raises ``CassetteBusyError`` while another recording of the cassette goes on, ``CassetteError`` where none can be written.
    """

    def __init__(self, path: str | os.PathLike[str], *, whole: bool = False) -> None:
        self.path = Path(path)
        self._whole = whole
        self.file = draft_of(self.path)
        """In the same folder, so that it can take the cassette's place in one step."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            if self.path.is_dir():
                raise IsADirectoryError(errno.EISDIR, "it is a folder")
            self._lock = Lock(self.path)
        except (OSError, ValueError) as error:
            raise unwritable(self.path, error) from error
        self.replaces = self.path.exists()
        """Whether there is a cassette already."""
        try:
            if self.file.exists():
                move(self.file, next(_free(self.path, TORN)))
        except OSError as error:
            self._lock.release()
            raise unwritable(self.path, error) from error

    @property
    def refuge(self) -> Path:
        """Where ``put_by`` leaves the recording: beside a cassette that is there, or if it ended in the middle of a call."""
        beside = self.replaces or self._whole or bool(unanswered(self.file))
        return self.path.with_name(self.path.name + FAILED) if beside else self.path

    def keep(self) -> None:
        """Let it take the cassette's place, in one step, and let others record; a torn one there is moved aside.

        What an earlier recording that failed has left goes, unless it is a trace of what may exist in the cloud.
        """
        if self.path.exists() and is_torn(self.path.read_bytes(), str(self.path)):
            move(self.path, next(_free(self.path, TORN)))
        settle(self.file, self.path)
        failed = self.path.with_name(self.path.name + FAILED)
        if not self.left:
            failed.unlink(missing_ok=True)
            sent_file(failed).unlink(missing_ok=True)
        self.release()

    @property
    def left(self) -> Path | None:
        """A recording that failed and is the trace of what may exist in the cloud, if there is one."""
        failed = self.path.with_name(self.path.name + FAILED)
        return failed if unanswered(failed) else None

    def put_by(self) -> Path:
        """Leave the cassette that is there, and keep this beside it. Returns where it is.

        Where there is none, this is it, unless only a whole one may be.
        """
        place = self.refuge
        if unanswered(self.file):
            # ``settle`` would take the list of them away.
            sent_file(self.file).replace(sent_file(place))
        settle(self.file, place)
        self.release()
        return place

    def drop(self) -> None:
        """Forget it."""
        self.file.unlink(missing_ok=True)
        _tidy(self.file)
        self.release()

    def release(self) -> None:
        """Let others record, and leave what has been recorded until now where it is."""
        self._lock.release()


def settle(recording: Path, place: Path) -> None:
    """Put a whole recording at ``place``: its blobs first, so that no cassette is ever without them."""
    own = own_folder(recording)
    if own.is_dir():
        shared = place.parent / FOLDER
        shared.mkdir(exist_ok=True)
        for blob in own.iterdir():
            # Equal names are equal contents, and the blob that is there may be in use.
            if not (shared / blob.name).exists():
                blob.replace(shared / blob.name)
    recording.replace(place)
    _tidy(recording)


def move(recording: Path, to: Path) -> None:
    """Move a recording that broke off, with all that belongs to it."""
    if not unanswered(recording):
        sent_file(recording).unlink(missing_ok=True)
    for companion in (own_folder, sent_file):
        if companion(recording).exists():
            companion(recording).replace(companion(to))
    recording.replace(to)


def _tidy(recording: Path) -> None:
    shutil.rmtree(own_folder(recording), ignore_errors=True)
    sent_file(recording).unlink(missing_ok=True)


def _free(path: Path, suffix: str) -> Iterator[Path]:
    names = (path.with_name(f"{path.name}{suffix}{number if number > 1 else ''}") for number in count(1))
    return (name for name in names if not name.exists())


def is_there(path: Path) -> bool:
    """Whether there is such a file; no name that cannot be one is."""
    try:
        return path.exists()
    except OSError:
        return False


def unwritable(path: Path, error: OSError | ValueError) -> CassetteError:
    """The error of a cassette that cannot be written."""
    return CassetteError(f"Cannot write the cassette {path}: {getattr(error, 'strerror', None) or error}.")

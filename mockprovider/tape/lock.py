"""One recorder at a time on a cassette, also across processes."""

from __future__ import annotations

import fcntl
import os
import re
from pathlib import Path

from mockprovider.errors import CassetteBusyError

LONGEST = 32
OURS = re.compile(rb"[0-9]*\n?")
"""What a lock file holds: the number of a process, or nothing yet."""


class Lock:
    """A lock on ``path``, held from the making of this object until ``release``.

    It is a file ``.<name>.lock`` beside the cassette, which names the holder's process. The kernel releases it when
    the process ends in whatever way, so the file of a dead process has no effect.

    Raises ``CassetteBusyError`` if someone else holds it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path.with_name(f".{path.name}.lock")
        self._file = self._take(path)

    def _take(self, path: Path) -> int:
        while True:
            file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                holder = os.pread(file, 32, 0).decode(errors="replace").strip() or "unknown"
                os.close(file)
                raise CassetteBusyError(
                    f"{path} is being recorded by {_described(holder)}. "
                    "Wait until that has ended, or give this recording another file."
                ) from error
            if self._is_current(file):
                os.ftruncate(file, 0)
                os.pwrite(file, f"{os.getpid()}\n".encode(), 0)
                return file
            # Its holder removed the file after we opened it, so nobody else can find the file that we locked.
            os.close(file)

    def _is_current(self, file: int) -> bool:
        try:
            current = self.path.stat()
        except FileNotFoundError:
            return False
        return os.path.samestat(current, os.fstat(file))

    def release(self) -> None:
        """Release the lock."""
        if self._file >= 0:
            self.path.unlink(missing_ok=True)
            os.close(self._file)
            self._file = -1


def _described(holder: str) -> str:
    return "another recorder of this process" if holder == str(os.getpid()) else f"process {holder}"


def holder(path: Path) -> str:
    """The process that is recording ``path``, in words; empty if there is none."""
    lock = path.with_name(f".{path.name}.lock")
    if not lock.exists():
        return ""
    try:
        Lock(path).release()
    except CassetteBusyError as error:
        return str(error)
    except PermissionError:
        # A process without the right to lock may still read, and is not recording itself.
        return ""
    return ""


def locks_in(folder: Path) -> dict[Path, str]:
    """The lock files in a folder, and the process that holds each, as it is told; empty where nobody does any more."""
    return {file: _held(file) for file in sorted(folder.glob(".*.lock")) if file.is_file() and _is_ours(file)}


def recording_in(folder: Path) -> str:
    """Which cassette of a folder is being recorded, in words; empty if none is."""
    for file, process in locks_in(folder).items():
        if process:
            return f"{file.name[1:].removesuffix('.lock')} is being recorded by {process}"
    return ""


def _is_ours(file: Path) -> bool:
    try:
        return file.stat().st_size <= LONGEST and OURS.fullmatch(file.read_bytes()) is not None
    except OSError:
        return False


def _held(file: Path) -> str:
    """Who holds a lock file. It is not touched."""
    try:
        number = os.open(file, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return "another user"
    try:
        fcntl.flock(number, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return _described(os.pread(number, LONGEST, 0).decode(errors="replace").strip() or "unknown")
    finally:
        os.close(number)
    return ""

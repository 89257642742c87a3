"""One recorder at a time on a cassette, also across processes."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from mockprovider.errors import CassetteBusyError


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

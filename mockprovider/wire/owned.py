"""Processes that end with us, whatever ends us: every process that this package starts is started here.

What a command leaves behind in its session ends with it, such as an engine's plugins in groups of their own.
"""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from mockprovider.wire.supervisor import OVER, kill_session, word

PROGRAM = (sys.executable, "-I", "-S", str(Path(__file__).with_name("supervisor.py")))
PIPED: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
LONGEST_NUMBER = 16


class Supervisor:
    """The process that ends what we started, should we end before it. It starts with the first that it is asked for."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        os.register_at_fork(after_in_child=self._forget)
        atexit.register(self.stop)

    def input(self) -> int:
        """The descriptor at which sessions are named. Raises ``OSError`` if it cannot be started."""
        with self._lock:
            if self._process is None or self._process.poll() is not None:
                _close_input(self._process)
                # In a session of its own, because what ends us may be meant for all of our session.
                self._process = subprocess.Popen(PROGRAM, cwd="/", start_new_session=True, **PIPED)
            return self._process.stdin.fileno()  # type: ignore[union-attr]

    def over(self, session: int) -> None:
        """Forget a session, whose number may soon be somebody else's."""
        with self._lock:
            if self._process is not None:
                with suppress(BrokenPipeError):
                    os.write(self._process.stdin.fileno(), word(OVER, session))  # type: ignore[union-attr]

    def stop(self) -> None:
        """End it, and what it still supervises. Safe to call again."""
        with self._lock:
            process, self._process = self._process, None
        if process is not None:
            process.communicate()

    def _forget(self) -> None:
        # A forked copy of the owner would otherwise keep the input open for as long as it lives itself.
        self._lock = threading.Lock()
        process, self._process = self._process, None
        _close_input(process)
        if process is not None:
            # It is no child of ours, so nobody here may wait for it.
            process.returncode = 0


def _close_input(process: subprocess.Popen[bytes] | None) -> None:
    if process is not None and process.stdin is not None:
        process.stdin.close()


SUPERVISOR = Supervisor()


class OwnedProcess(subprocess.Popen[Any]):
    """``subprocess.Popen`` of a command in a session of its own, which ends with us, with ``end`` or with a ``with`` block.

    It is the command's own process id, exit code and pipes; ``options`` are those of ``Popen``. When the command has ended,
    what it left in its session is killed. Raises ``OSError`` if the command cannot be executed.
    """

    def __init__(self, command: Sequence[str], **options: Any) -> None:
        self._swept = threading.Lock()
        """Taken once, by whoever sweeps the session."""
        owner = SUPERVISOR.input()
        failing, failed = os.pipe()
        try:
            try:
                become = (*PROGRAM, str(owner), str(failed), *command)
                passed = (owner, failed, *options.pop("pass_fds", ()))
                super().__init__(become, pass_fds=passed, start_new_session=True, **options)
            finally:
                os.close(failed)
            if number := os.read(failing, LONGEST_NUMBER):
                self._refuse(int(number), command[0])
        except BaseException:
            if getattr(self, "pid", None):
                self.end()
            raise
        finally:
            os.close(failing)

    def _refuse(self, number: int, program: str) -> None:
        for stream in (self.stdin, self.stdout, self.stderr):
            if stream is not None:
                stream.close()
        raise OSError(number, os.strerror(number), program)

    def poll(self) -> int | None:
        """The exit code, or ``None`` while the command runs."""
        return self._after(super().poll())

    def wait(self, timeout: float | None = None) -> int:
        """The exit code, once the command has ended. Raises ``subprocess.TimeoutExpired``."""
        code = super().wait(timeout)
        self._after(code)
        return code

    def _after(self, code: int | None) -> int | None:
        # At once: a session's number is free for others when its leader is gone and nobody else is in it.
        if code is not None and self._swept.acquire(blocking=False):
            self._sweep()
        return code

    def _sweep(self) -> None:
        kill_session(self.pid)
        SUPERVISOR.over(self.pid)

    def signal_group(self, number: int) -> None:
        """Send a signal to the command's process group, if the command still runs."""
        if self.poll() is None:
            with suppress(ProcessLookupError):
                os.killpg(self.pid, number)

    def end(self) -> int:
        """Kill the whole session, and wait for the command: its exit code. Safe to call again, and from any thread."""
        if self._swept.acquire(blocking=False):
            self._sweep()
        return self.wait()

    def __exit__(self, *error: object) -> None:
        self.end()
        super().__exit__(None, None, None)

"""What ends the processes of an owner that has ended, whatever ended it: a program of its own, which ``owned`` starts.

    python -I -S supervisor.py                              supervise the sessions that standard input names
    python -I -S supervisor.py INPUT FAILED COMMAND ...     name the own session there, and become the command

The owner holds the other end of the supervisor's standard input, and the kernel closes it with the owner. A command names its
session itself before it is executed: between its start and a word of the owner's, the owner could end. Sessions and not groups,
because some engines give each plugin a group. Little is imported, because this runs before every command.
"""

from __future__ import annotations

import os
import sys

KILL = 9
CHUNK = 4096
NEW = "+"
OVER = "-"
REFUSED = 127
"""The exit code of a command that could not be executed, as shells have it."""


def word(sign: str, session: int) -> bytes:
    """What the supervisor is told of a session: that it is ``NEW`` or ``OVER``. A pipe takes it whole."""
    return f"{sign}{session}\n".encode()


def supervise(source: int) -> None:
    """Read of sessions until the owner has ended, and kill those that are not over."""
    text = b""
    while chunk := os.read(source, CHUNK):
        text += chunk
    sessions: set[int] = set()
    for line in text.decode().split():
        (sessions.add if line.startswith(NEW) else sessions.discard)(int(line[1:]))
    for session in sessions:
        kill_session(session)


def become(owner: int, failed: int, command: list[str]) -> None:
    """Name the own session to the supervisor and execute ``command``; if that fails, its number goes to ``failed``."""
    _name(owner)
    os.close(owner)
    os.set_inheritable(failed, False)
    _restore_signals()
    try:
        os.execvp(command[0], command)  # noqa: S606
    except OSError as error:
        os.write(failed, str(error.errno).encode())
        os._exit(REFUSED)


def _name(owner: int) -> None:
    try:
        os.write(owner, word(NEW, os.getpid()))
    except BrokenPipeError:
        # Somebody has killed the supervisor. The owner still ends what it started.
        return


def _restore_signals() -> None:
    # Python ignores these, and what is ignored stays so in the command. The module ``signal`` takes as long as all else here.
    module = __import__("_signal")
    for name in ("SIGPIPE", "SIGXFSZ"):
        if hasattr(module, name):
            module.signal(getattr(module, name), module.SIG_DFL)


def kill_session(session: int) -> None:
    """Kill every process of a session but this one, until a look finds nobody new."""
    killed = {os.getpid()}
    while members := {pid for pid in _processes() if _session(pid) == session} - killed:
        for pid in members:
            _kill(pid)
        killed |= members


def _kill(pid: int) -> None:
    try:
        os.kill(pid, KILL)
    except (ProcessLookupError, PermissionError):
        # It has ended, or belongs to somebody else by now.
        return


def _session(pid: int) -> int:
    try:
        return os.getsid(pid)
    except (ProcessLookupError, PermissionError):
        return 0


def _processes() -> list[int]:
    try:
        # ``pathlib`` takes longer to import than all else here.
        return [int(name) for name in os.listdir("/proc") if name.isdecimal()]  # noqa: PTH208
    except FileNotFoundError:
        import subprocess  # noqa: PLC0415 - slow to import, and needed only where there is no such folder

        printed = subprocess.run(["ps", "-axo", "pid="], check=True, capture_output=True, text=True).stdout
        return list(map(int, printed.split()))


if __name__ == "__main__":
    if sys.argv[1:]:
        become(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])
    else:
        supervise(0)

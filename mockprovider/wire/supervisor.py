"""What ends the processes of an owner that has ended, whatever ended it: a program of its own, which ``owned`` starts.

    python -I -S supervisor.py                              supervise the sessions that standard input names
    python -I -S supervisor.py INPUT FAILED COMMAND ...     name the own session there, and become the command

The owner holds the other end of the supervisor's standard input, and the kernel closes it with the owner. A command names its
session itself before it is executed: between its start and a word of the owner's, the owner could end. Sessions and not groups,
because some engines give each plugin a group. Little is imported, because this runs before every command.

A command is asked to end before it is killed: an engine then writes its state, and takes its lock off the stack.
"""

from __future__ import annotations

import os
import sys
import time

KILL = 9
TERMINATE = 15
GRACE = 20.0
"""Seconds that commands have to end in when they are asked to."""
LOOK = 0.02
CHUNK = 4096
NEW = "+"
OVER = "-"
REFUSED = 127
"""The exit code of a command that could not be executed, as shells have it."""


def word(sign: str, session: int) -> bytes:
    """What the supervisor is told of a session: that it is ``NEW`` or ``OVER``. A pipe takes it whole."""
    return f"{sign}{session}\n".encode()


def supervise(source: int) -> None:
    """Read of sessions until the owner has ended, have those end that are not over, and kill what is left of them."""
    text = b""
    while chunk := os.read(source, CHUNK):
        text += chunk
    sessions: set[int] = set()
    for line in text.decode().split():
        (sessions.add if line.startswith(NEW) else sessions.discard)(int(line[1:]))
    _ask(sessions)
    for session in sessions:
        kill_session(session)


def _ask(sessions: set[int]) -> None:
    for session in sessions:
        if _session(session) == session:
            _send(session, TERMINATE)
    until = time.monotonic() + GRACE
    while any(_lives(session) for session in sessions) and time.monotonic() < until:
        time.sleep(LOOK)


def _lives(leader: int) -> bool:
    """Whether a session's first process is still there, and no zombie, which nobody may be left to bury."""
    if _session(leader) != leader:
        return False
    try:
        with open(f"/proc/{leader}/stat") as file:  # noqa: PTH123 - ``pathlib`` takes longer to import than all else here
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return "Z" not in (_printed("-o", "stat=", "-p", str(leader)) or "Z")


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
            _send(pid, KILL)
        killed |= members


def _send(pid: int, number: int) -> None:
    try:
        os.kill(pid, number)
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
        return list(map(int, _printed("-axo", "pid=").split()))


def _printed(*arguments: str) -> str:
    """What ``ps`` says, where there is no ``/proc``."""
    import subprocess  # noqa: PLC0415 - slow to import

    return subprocess.run(["ps", *arguments], check=False, capture_output=True, text=True).stdout


if __name__ == "__main__":
    if sys.argv[1:]:
        become(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])
    else:
        supervise(0)

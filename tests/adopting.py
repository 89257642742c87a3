"""Runs a command, and names the processes that it has left behind, children's children among them; then ends them.

    python adopting.py LOG SECONDS COMMAND ...

Prints ``{"code": ..., "left": [...]}``: what still lives ``SECONDS`` after the command has ended. On Linux alone, which gives
this process the orphans of all that comes from it.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

SET_CHILD_SUBREAPER = 36


def children() -> dict[int, str]:
    """The processes below this one that still live, with their commands."""
    parents = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            state, parent = status.read_text().rpartition(")")[2].split()[:2]
            if state != "Z":
                parents[int(status.parent.name)] = int(parent)
    below, new = set(), {os.getpid()}
    while new:
        new = {pid for pid, parent in parents.items() if parent in new}
        below |= new
    return {pid: _command(pid) for pid in below}


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ").strip()
    except OSError:
        return ""


def reap() -> None:
    """Take note of what has ended, so that it is gone."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            continue


def main() -> None:
    """Run the command."""
    log, seconds, *command = sys.argv[1:]
    ctypes.CDLL(None).prctl(SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    # A shell has what it starts in the background ignore Ctrl-C, and what is ignored stays so in the command.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with Path(log).open("wb") as file:
        # In a group of its own, as a shell has it, because Ctrl-C is for that and not for us.
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT, process_group=0)
        code = process.wait()
    until = time.monotonic() + float(seconds)
    while (left := children()) and time.monotonic() < until:
        reap()
        time.sleep(0.02)
    print(json.dumps({"code": code, "left": sorted(left.values())}))
    for pid in left:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


if __name__ == "__main__":
    main()

"""A program in a process of its own: what it is told, how it is waited for, and how it ended."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import IO, TypeAlias

from msgspec import Struct

from mockprovider.errors import PluginError
from mockprovider.wire.machine import steady
from mockprovider.wire.owned import OwnedProcess

SLICE = 0.05
"""Seconds between two looks at a program, so that its thread can be stopped from outside, which one long wait would not let."""
STOPPING = 5.0
"""Seconds that a program is given to end after it was asked to."""
LEAVING = 5.0
"""Seconds that a program is given to end by itself once the operation is over, before it is asked to."""
LOGGED = 32
"""The exit code by which programs say: what went wrong was told already, to the engine or by it."""
SHOWN = 4000
"""How many characters of a dead program's output its error carries, from the end."""


class Launch(Struct, frozen=True, kw_only=True):
    """What a program is started with.

    Attributes:
        monitor, engine: their addresses.
        preview: whether nothing may be changed.
        parallel: how many registrations the program may have under way.
        config: full keys to values, compound ones as JSON; ``secret_keys`` are those that are secret.
        providers: gives, while its block runs, the variables by which whoever needs a package's schema finds a provider of it.
        over: whether the operation has ended, so that a program that goes on is ended, too.
    """

    monitor: str
    engine: str
    project: str
    stack: str
    organization: str
    preview: bool
    parallel: int
    config: Mapping[str, str]
    secret_keys: Sequence[str]
    providers: Callable[[], AbstractContextManager[Mapping[str, str]]] = lambda: nullcontext({})
    over: Callable[[], bool] = bool

    def variables(self, root: Path, folder: Path) -> dict[str, str]:
        """The environment in which Pulumi's language hosts run programs, which the SDKs for Go, .NET and Java read."""
        return {
            **os.environ,
            "PULUMI_MONITOR": self.monitor,
            "PULUMI_ENGINE": self.engine,
            "PULUMI_PROJECT": self.project,
            "PULUMI_STACK": self.stack,
            "PULUMI_ORGANIZATION": self.organization,
            "PULUMI_DRY_RUN": json.dumps(self.preview),
            "PULUMI_PARALLEL": str(self.parallel),
            # Older SDKs for Java and .NET read it.
            "PULUMI_QUERY_MODE": "false",
            "PULUMI_CONFIG": json.dumps(dict(self.config)),
            "PULUMI_CONFIG_SECRET_KEYS": json.dumps(sorted(self.secret_keys)),
            "PULUMI_ROOT_DIRECTORY": str(root),
            "PULUMI_PWD": str(folder),
        }


class Finish(Struct, frozen=True):
    """How a program ended. ``error`` is empty for a good end; ``logged``: the program has told the engine why it failed."""

    output: str = ""
    error: str = ""
    logged: bool = False


Run: TypeAlias = Callable[[Launch], Finish]
"""A program that is ready: it runs to its end, and may be run again."""


def run_command(command: Sequence[str], folder: Path, variables: Mapping[str, str], over: Callable[[], bool]) -> Finish:
    """Run a program to its end. It and all that it started are ended whatever happens to this thread.

    Raises ``PluginError`` if it cannot be started.
    """
    with tempfile.TemporaryFile() as output, _started(command, folder, variables, output) as process:
        try:
            await_end(lambda: process.poll() is not None, lambda: _wait(process, SLICE), over)
        finally:
            process.signal_group(signal.SIGTERM)
            _wait(process, STOPPING)
            process.end()
        return _finish(process.returncode, output)


def await_end(ended: Callable[[], bool], wait: Callable[[], object], over: Callable[[], bool]) -> bool:
    """Wait until a program has ended; once the operation is over, a little longer. Returns whether it has."""
    left = None
    while not ended():
        if left is None and over():
            left = steady() + LEAVING
        if left is not None and steady() >= left:
            return False
        wait()
    return True


def after(seconds: float) -> Callable[[], bool]:
    """Says whether so many seconds are over."""
    end = steady() + seconds
    return lambda: steady() >= end


def _started(command: Sequence[str], folder: Path, variables: Mapping[str, str], output: IO[bytes]) -> OwnedProcess:
    try:
        return OwnedProcess(
            command, cwd=folder, env=dict(variables), stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT
        )
    except OSError as error:
        raise PluginError(f"Cannot start {command[0]!r} in {folder}: {error.strerror}. Is it there, and executable?") from error


def _wait(process: OwnedProcess, seconds: float) -> None:
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        return


def _finish(code: int, output: IO[bytes]) -> Finish:
    output.seek(0)
    printed = output.read().decode("utf-8", "replace").strip()
    if code == 0:
        return Finish(printed)
    return Finish(printed, f"The program ended with exit code {code}.\n{printed[-SHOWN:]}".strip(), logged=code == LOGGED)

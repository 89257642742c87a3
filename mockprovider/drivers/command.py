"""One run of a command-line engine: its output unchanged, its process group ended whatever happens."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, BinaryIO, Protocol, TypeAlias

from msgspec import Struct

from mockprovider.drivers.diagnostics import readable
from mockprovider.errors import ProgramError
from mockprovider.faults import EnginesAtWork

OUTPUT = "output.txt"
"""The file in an engine's folder that keeps what its operations printed."""

SHOWN = 6000
"""How many characters of an engine's output an error message carries, from the end, where engines say what went wrong."""

COLOURS = re.compile(r"\x1b\[[0-9;]*m")
"""Terminal colours, which engines use in some messages even where they are told not to."""

Environment: TypeAlias = Mapping[str, str] | Callable[[], Mapping[str, str]]
"""Environment variables, or a function that is asked for them at each run: a double may have declared more by then."""


def resolved(environment: Environment) -> Mapping[str, str]:
    """The variables as they are now."""
    return environment() if callable(environment) else environment


class Finished(Struct, frozen=True):
    """A finished run of a command line."""

    command: tuple[str, ...]
    exit_code: int
    stdout: str
    stderr: str


class RunningCommand:
    """A command line at work, as faults know it: they interrupt and kill it."""

    def __init__(self, process: subprocess.Popen[Any]) -> None:
        self._process = process

    def interrupt(self, signal_: str) -> None:
        """Send it what Ctrl-C sends, or a service manager (``terminate``)."""
        self._process.send_signal(signal.SIGTERM if signal_ == "terminate" else signal.SIGINT)

    def kill(self) -> None:
        """End it at once, alone: its plugins find that out by themselves."""
        self._process.kill()


class Breakable(Protocol):
    """What an engine is led to: a ``Double``. Its faults can end the engine."""

    engines: EnginesAtWork


@contextmanager
def at_work(doubles: Sequence[Breakable], running: RunningCommand) -> Iterator[None]:
    """While the block runs, the command is known to these doubles as the engine that works with them."""
    with ExitStack() as ending:
        for double in doubles:
            ending.enter_context(double.engines.entered(running))
        yield


def run(
    command: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    seconds: float,
    expect_failure: bool = False,
    accept: Sequence[int] = (0,),
    keep: bool = False,
    following: Callable[[BinaryIO], AbstractContextManager[Any]] = nullcontext,
    entering: Callable[[RunningCommand], AbstractContextManager[Any]] = nullcontext,
) -> Finished:
    """Run ``command`` to its end.

    Raises ``ProgramError``, with the engine's output, if the exit code is not in ``accept`` (or is, where a failure was
    expected), or if it has not ended after ``seconds``; its process group is killed then, and also when we are interrupted.
    With ``keep``, what it printed is added to the folder's ``output.txt``: for commands that print no secrets.
    ``following`` is entered while it runs, with the file that its standard output goes to, to read along; so is ``entering``,
    with the running command.
    """
    with (
        TemporaryFile() as printed,
        following(printed),
        subprocess.Popen(
            command,
            cwd=cwd,
            env=dict(env),
            stdin=subprocess.DEVNULL,
            stdout=printed,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            start_new_session=True,
        ) as process,
        entering(RunningCommand(process)),
    ):
        try:
            _, stderr = process.communicate(timeout=seconds)
        except BaseException as error:
            os.killpg(process.pid, signal.SIGKILL)
            _, stderr = process.communicate()
            if isinstance(error, subprocess.TimeoutExpired):
                shown = _end(_whole(printed), stderr)
                raise ProgramError(f"{_shown(command)} had not ended after {seconds:g} s.\n{shown}") from error
            raise
        stdout = _whole(printed)
    finished = Finished(tuple(command), process.returncode, stdout, stderr)
    if keep:
        with (cwd / OUTPUT).open("a", encoding="utf-8") as file:
            file.write(f"$ {_shown(command)}\n{_read(stdout, stderr)}\n\n")
    if expect_failure == (process.returncode in accept):
        surprise = (
            "succeeded, where a failure was expected" if expect_failure else f"failed with exit code {process.returncode}"
        )
        raise ProgramError(f"{_shown(command)} {surprise}.\n{_end(stdout, stderr)}")
    return finished


def _whole(printed: BinaryIO) -> str:
    printed.seek(0)
    return printed.read().decode(errors="replace").replace("\r\n", "\n")


def _shown(command: Sequence[str]) -> str:
    return " ".join([Path(command[0]).name, *command[1:]])


def _read(stdout: str, stderr: str) -> str:
    return COLOURS.sub("", "\n".join(part for part in (readable(stdout).strip(), stderr.strip()) if part))


def _end(stdout: str, stderr: str) -> str:
    text = _read(stdout, stderr)
    return text if len(text) <= SHOWN else f"...\n{text[-SHOWN:]}"

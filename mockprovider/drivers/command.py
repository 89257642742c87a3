"""One run of a command-line engine: its output unchanged, it and all that it started ended whatever happens."""

from __future__ import annotations

import re
import resource
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from msgspec import Struct

from mockprovider.drivers.diagnostics import readable
from mockprovider.drivers.output import Printed, ends
from mockprovider.errors import DefinitionError, ProgramError
from mockprovider.faults import EnginesAtWork
from mockprovider.wire.owned import OwnedProcess

OUTPUT = "output.txt"
"""The file in an engine's folder that keeps what its operations printed."""

SHOWN = 6000
"""How many characters of an engine's output an error message carries: from the end, where engines say what went wrong."""
FIRST = 4000
"""How many of them are for the first error, where that is further up: what follows is often its consequence."""
ERROR = re.compile(r"^\W*error: ", re.IGNORECASE | re.MULTILINE)
"""How engines begin an error."""

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


class UnexpectedEndError(ProgramError):
    """A command line that has ``finished`` failed, or succeeded where a failure was expected."""

    def __init__(self, message: str, finished: Finished) -> None:
        super().__init__(message)
        self.finished = finished


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

    def lose_state(self) -> None:
        """Let it write no file any more. Raises ``DefinitionError`` where the system cannot do that to a process."""
        if not hasattr(resource, "prlimit"):
            raise DefinitionError("lose_state() needs Linux: no other system can forbid a running process to write files.")
        with suppress(ProcessLookupError):
            _, hard = resource.prlimit(self._process.pid, resource.RLIMIT_FSIZE)
            resource.prlimit(self._process.pid, resource.RLIMIT_FSIZE, (0, hard))


class Breakable(Protocol):
    """What an engine is led to: a ``Double``. Its faults can end the engine."""

    engines: EnginesAtWork


class RunningCommands:
    """The command lines that a driver runs at the moment. Any thread may end them."""

    def __init__(self, doubles: Sequence[Breakable] = ()) -> None:
        self._doubles = doubles
        self._processes: set[OwnedProcess] = set()
        self._closed = False
        self._lock = threading.Lock()

    @contextmanager
    def holding(self, process: OwnedProcess) -> Iterator[None]:
        """While the block runs, ``close`` ends this process, and so do faults of the doubles that it is led to."""
        with self._lock:
            self._processes.add(process)
            closed = self._closed
        try:
            if closed:
                process.end()
            with ExitStack() as known:
                for double in self._doubles:
                    known.enter_context(double.engines.entered(RunningCommand(process)))
                known.callback(self._note_end, process)
                yield
        finally:
            with self._lock:
                self._processes.discard(process)

    def _note_end(self, process: OwnedProcess) -> None:
        # What still runs here is killed now.
        if process.poll() is None or process.returncode < 0:
            for double in self._doubles:
                double.engines.forget()

    @property
    def hanging(self) -> str:
        """Which calls of the doubles hang, and why, as the end of a message."""
        return "".join(double.engines.hanging for double in self._doubles)

    @property
    def closed(self) -> bool:
        """Whether ``close`` was called."""
        return self._closed

    def close(self) -> None:
        """End what runs, with all that it started, and what is yet to come. Safe to call again."""
        with self._lock:
            self._closed = True
            processes = list(self._processes)
        for process in processes:
            process.end()


def run(
    command: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    seconds: float,
    expect_failure: bool = False,
    accept: Sequence[int] = (0,),
    keep: bool = False,
    following: Callable[[Printed], AbstractContextManager[Any]] = nullcontext,
    running: RunningCommands | None = None,
    tidy: Callable[[int], None] = lambda _: None,
) -> Finished:
    """Run ``command`` to its end.

    Raises ``ProgramError``, with the engine's output, if the exit code is not in ``accept`` (or is, where a failure was
    expected), if it has not ended after ``seconds``, or if ``running`` was closed; it and all that it started are killed then,
    and also when we are interrupted. With ``keep``, what it printed is added to the folder's ``output.txt``: for commands that
    print no secrets. ``following`` is entered while it runs, with its standard output, to read along. ``tidy`` is called with
    the id of a process that was killed here, to take away what it could not take away itself.
    """
    running = running or RunningCommands()
    with Printed() as printed, Printed() as complained:
        streams: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": printed.entrance, "stderr": complained.entrance}
        # The command holds both ends: should we end before it, printing does not kill it before its state is written.
        streams["pass_fds"] = (printed.fileno(), complained.fileno())
        with (
            following(printed),
            OwnedProcess(command, cwd=cwd, env=dict(env), **streams) as process,
            _tidied(process, running, tidy),
            running.holding(process),
        ):
            late = not ends(process, (printed, complained), seconds)
            # Before it is ended, since that ends what hangs.
            hanging = running.hanging
        stdout, stderr = printed.text, complained.text
    if late or running.closed:
        how = "was ended, because its driver was closed" if running.closed else f"had not ended after {seconds:g} s"
        raise ProgramError(f"{_shown(command)} {how}.{hanging}\n{_end(stdout, stderr)}")
    finished = Finished(tuple(command), process.returncode, stdout, stderr)
    if keep:
        with (cwd / OUTPUT).open("a", encoding="utf-8") as file:
            file.write(f"$ {_shown(command)}\n{_read(stdout, stderr)}\n\n")
    if expect_failure == (process.returncode in accept):
        surprise = (
            "succeeded, where a failure was expected" if expect_failure else f"failed with exit code {process.returncode}"
        )
        raise UnexpectedEndError(f"{_shown(command)} {surprise}.\n{_end(stdout, stderr)}", finished)
    return finished


@contextmanager
def _tidied(process: OwnedProcess, running: RunningCommands, tidy: Callable[[int], None]) -> Iterator[None]:
    try:
        yield
    finally:
        if process.poll() is None or running.closed:
            process.end()
            tidy(process.pid)


def _shown(command: Sequence[str]) -> str:
    return " ".join([Path(command[0]).name, *command[1:]])


def _read(stdout: str, stderr: str) -> str:
    return COLOURS.sub("", "\n".join(part for part in (readable(stdout).strip(), stderr.strip()) if part))


def _end(stdout: str, stderr: str) -> str:
    text = _read(stdout, stderr)
    if len(text) <= SHOWN:
        return text
    first = ERROR.search(text)
    if first is None or first.start() >= len(text) - SHOWN:
        return f"...\n{text[-SHOWN:]}"
    cut = "...\n" if first.start() else ""
    return f"{cut}{text[first.start() :][:FIRST]}\n...\n{text[FIRST - SHOWN :]}"

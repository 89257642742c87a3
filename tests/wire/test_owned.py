"""Processes that we start end with us, whatever ends us, and so does all that they started."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from mockprovider.drivers.command import RunningCommands, run
from mockprovider.errors import ProgramError
from mockprovider.wire.owned import SUPERVISOR, OwnedProcess

SECONDS = 60
"""How long anything may take before the test fails instead of hanging."""

BUSY = """
import os, signal, subprocess, sys
for ignored in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(ignored, signal.SIG_IGN)
held = os.open(sys.argv[1], os.O_WRONLY)

def end(*_):
    os.write(held, os.environ.get("LAST_WORD", "").encode())
    sys.exit()

if len(sys.argv) == 2:
    if "DEAF" not in os.environ:
        signal.signal(signal.SIGTERM, end)
    # As engines start their plugins: in a group of its own.
    subprocess.Popen([sys.executable, "-I", "-S", *sys.argv, "plugin"], process_group=0)
os.write(held, b".")
while True:
    signal.pause()
"""
"""A command that ends when asked, with a child that only a kill ends; both say that they are there, and hold the pipe."""

OWNERS = {
    "a provider": "from mockprovider.wire.process import Process; process = Process(COMMAND)",
    "an engine": """
from pathlib import Path
from mockprovider.drivers.command import run
run(COMMAND, cwd=Path("."), env=os.environ, seconds=300)
""",
    "an engine in a thread": """
import threading
from pathlib import Path
from mockprovider.drivers.command import run
options = {"cwd": Path("."), "env": os.environ, "seconds": 300}
threading.Thread(target=run, args=[COMMAND], kwargs=options, daemon=True).start()
""",
    "a program in a folder": """
from pathlib import Path
from mockprovider import Double
from mockprovider.engine import Stack
Path("Pulumi.yaml").write_text("{name: project, runtime: python}")
Path("__main__.py").write_text(f"import sys; sys.argv = {COMMAND[-2:]!r}; exec(open(sys.argv[0]).read())")
Stack(Double(name="cloud")).up(Path("."), timeout=300)
""",
    "one that it has only begun to start": """
from mockprovider.wire import owned
owned.os = type("Slow", (), {"__getattr__": lambda _, name: stuck if name == "read" else getattr(os, name)})()
def stuck(*_):
    while True: signal.pause()
owned.OwnedProcess(COMMAND)
""",
    "one of which a copy of the owner knows": """
from mockprovider.wire.owned import OwnedProcess
process = OwnedProcess(COMMAND)
if os.fork() == 0:
    os.setsid()
    signal.alarm(60)
    signal.pause()
""",
}
"""What has started the command, as a program."""

ENDINGS = {
    "a kill": [signal.SIGKILL],
    "a terminal that is gone": [signal.SIGHUP],
    "Ctrl-\\": [signal.SIGQUIT],
    "a kind word": [signal.SIGTERM],
    "Ctrl-C twice": [signal.SIGINT, signal.SIGINT],
}
"""What ends the owner."""


def command(folder: Path) -> list[str]:
    return [sys.executable, "-I", "-S", str(folder / "busy.py"), str(folder / "pipe")]


@contextmanager
def held(folder: Path) -> Iterator[Callable[[], bytes]]:
    """A pipe that commands hold: what they said next, which is nothing once all have ended."""
    os.mkfifo(folder / "pipe")
    reader = os.open(folder / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    (folder / "busy.py").write_text(BUSY)

    def say() -> bytes:
        assert select.select([reader], [], [], SECONDS)[0] == [reader], "nobody said anything, nor ended"
        return os.read(reader, 1)

    try:
        yield say
    finally:
        os.close(reader)


@contextmanager
def owner(folder: Path, program: str) -> Iterator[subprocess.Popen[bytes]]:
    """A process that starts the busy command, and is killed at the end."""
    code = f"import os, signal\nCOMMAND = {command(folder)!r}\n{program}\nwhile True: signal.pause()"
    with subprocess.Popen(
        [sys.executable, "-c", code], cwd=folder, stderr=subprocess.DEVNULL, start_new_session=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def ended(process: subprocess.Popen[bytes], say: Callable[[], bytes], numbers: list[signal.Signals]) -> None:
    """Assert that command and child are there, and are gone once the signals have ended the process."""
    assert say() + say() == b".."
    for number in numbers:
        process.send_signal(number)
    assert say() == b""


@pytest.mark.parametrize("ending", ENDINGS)
def test_they_end_with_their_owner(tmp_path: Path, ending: str) -> None:
    """A provider, and what it has started in a group of its own, end with whoever started it, whatever ends that."""
    with held(tmp_path) as say, owner(tmp_path, OWNERS["a provider"]) as process:
        ended(process, say, ENDINGS[ending])


@pytest.mark.parametrize("program", OWNERS)
def test_whatever_was_started(tmp_path: Path, program: str) -> None:
    """So do engines and programs, also where the owner is killed before it knows of them or has forked."""
    with held(tmp_path) as say, owner(tmp_path, OWNERS[program]) as process:
        ended(process, say, [signal.SIGKILL])


def test_they_are_asked_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A command whose owner was killed may still do what it has to, such as to write its state, before it is killed itself."""
    monkeypatch.setenv("LAST_WORD", "!")
    with held(tmp_path) as say, owner(tmp_path, OWNERS["an engine"]) as process:
        assert say() + say() == b".."
        process.kill()
        assert say() + say() == b"!"


def test_one_that_does_not_listen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A command that does not end although it was asked to is killed with its owner."""
    monkeypatch.setenv("DEAF", "1")
    with held(tmp_path) as say, owner(tmp_path, OWNERS["an engine"]) as process:
        ended(process, say, [signal.SIGKILL])


def test_an_owner_that_exits(tmp_path: Path) -> None:
    """An owner that ends by itself, and has forgotten what it started, leaves nobody behind."""
    program = f"holding = os.open(COMMAND[-1], os.O_WRONLY)\n{OWNERS['a provider']}\nraise SystemExit"
    with held(tmp_path) as say, owner(tmp_path, program) as process:
        assert process.wait(SECONDS) == 0
        while said := say():
            assert said == b"."


def test_what_it_leaves_behind_ends_with_it(tmp_path: Path) -> None:
    """A command that dies takes with it what it has started, as soon as its death is noticed."""
    with held(tmp_path) as say:
        process = OwnedProcess(command(tmp_path))
        assert say() + say() == b".."
        os.kill(process.pid, signal.SIGKILL)

        assert process.wait(SECONDS) == -signal.SIGKILL
        assert say() == b""


def test_ending_it(tmp_path: Path) -> None:
    """Ending a command kills all of its session; doing so again is harmless."""
    with held(tmp_path) as say:
        process = OwnedProcess(command(tmp_path))
        assert say() + say() == b".."
        assert [process.end(), process.end(), process.poll()] == [-signal.SIGKILL] * 3
        process.signal_group(signal.SIGKILL)

        assert say() == b""


def test_a_supervisor_that_was_killed(tmp_path: Path) -> None:
    """Without its supervisor a command still ends with its block, and the next one has a supervisor again."""
    with held(tmp_path) as say, OwnedProcess(command(tmp_path)) as process:
        assert say() + say() == b".."
        supervisor = SUPERVISOR._process
        assert supervisor is not None
        supervisor.kill()
        supervisor.wait(SECONDS)
    assert process.poll() == -signal.SIGKILL
    with OwnedProcess([sys.executable, "-c", "print('there')"], stdout=subprocess.PIPE) as process:
        assert process.communicate() == (b"there\n", None)
        assert SUPERVISOR._process is not supervisor


def test_it_is_the_command_itself() -> None:
    """Exit code and process id are the command's own, and signals that Python ignores are not ignored there."""
    with OwnedProcess(["sh", "-c", "kill -s PIPE $$"]) as process:
        assert process.wait(SECONDS) == -signal.SIGPIPE
    with OwnedProcess(["sh", "-c", "echo $$; exit 7"], stdout=subprocess.PIPE) as process:
        assert process.communicate()[0] == b"%d\n" % process.pid
        assert process.returncode == 7


# What drivers run ------------------------------------------------------------------------------------------------------


def test_closing_a_driver_ends_its_engine(tmp_path: Path) -> None:
    """An engine that another thread runs ends, with its plugins, when its driver is closed; none is started after that."""
    failures: list[BaseException] = []
    running = RunningCommands()

    def operate() -> None:
        try:
            run(command(tmp_path), cwd=tmp_path, env=os.environ, seconds=300, running=running)
        except ProgramError as error:
            failures.append(error)

    with held(tmp_path) as say:
        thread = threading.Thread(target=operate)
        thread.start()
        assert say() + say() == b".."
        running.close()
        running.close()
        thread.join(SECONDS)
        assert say() == b""
    operate()

    assert [f"{error}".splitlines()[0].partition(" was ")[2] for error in failures] == [
        "ended, because its driver was closed."
    ] * 2

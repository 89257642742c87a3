"""Scenarios of the catalogue in which an engine is interrupted or killed, or is told more than it takes, or waits.

F6, F9 and I12, which make an engine crash, are never sent, and have no tests.
"""

from __future__ import annotations

import re
import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from terraform_stage import Stage

from mockprovider.calls import Call, Failure, Handler, Op, Reply

SECONDS = 60
"""How long anything here may take at most."""


class Hanging:
    """An op that stays unanswered: ``there`` once the call is, ``go`` lets it go on, or else the session's stop does."""

    def __init__(self, stage: Stage, op: Op, *, until_stopped: bool = False, ends: bool = False) -> None:
        self.there, self.go = threading.Event(), threading.Event()
        self.session: Any = None
        self._until_stopped, self._ends = until_stopped, ends
        stage.on(op, self._hang)

    def _hang(self, call: Call, proceed: Handler) -> Reply:
        self.session = call.session
        self.there.set()
        assert (call.session.cancelled if self._until_stopped else self.go).wait(timeout=SECONDS)
        return Reply(failures=(Failure("interrupted"),)) if self._ends else proceed(call)


class Engine:
    """A running command: what it has said, and how it ends."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.said = ""

    def interrupt(self) -> None:
        """What Ctrl-C sends."""
        self.process.send_signal(signal.SIGINT)

    def until(self, text: str) -> None:
        """Read on until it says this."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.said += line
            if text in line:
                return
        raise AssertionError(f"It ended without saying {text!r}: {self.said}")

    def end(self) -> int:
        """Its exit code, and the rest of its words."""
        rest, _ = self.process.communicate(timeout=SECONDS)
        self.said += rest
        return self.process.returncode


@contextmanager
def running(stage: Stage, *arguments: str) -> Iterator[Engine]:
    """An engine at work on the stage's module."""
    with subprocess.Popen(
        [stage.cli.binary, *arguments, "-no-color"],
        cwd=stage.cli.folder,
        env=stage.cli.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        yield Engine(process)


APPLY = ("apply", "-auto-approve")


def test_f10_a_schema_that_is_too_large(stage: Stage) -> None:
    """F10: engines take a schema of 64 MiB at most, and say how large it was."""

    def grow(message: Any) -> None:
        if "provider" in message.DESCRIPTOR.fields_by_name:
            message.provider.block.description = "x" * (65 << 20)

    stage.native(Op.GET_SCHEMA, grow)
    stage.write('name = "one"')
    finished = stage.cli.command("plan", "-no-color", expect_failure=True)
    said = " ".join((finished.stdout + finished.stderr).replace("│", " ").split())
    assert "received message larger than max" in said
    assert "67108864" in said


@pytest.mark.parametrize("major", [6])
def test_a15_a_create_that_takes_its_time(stage: Stage) -> None:
    """A15: every ten seconds of its own clock the engine says what it still waits for."""
    hanging = Hanging(stage, Op.CREATE)
    stage.write('name = "one"')
    with running(stage, *APPLY) as engine:
        try:
            engine.until("cloud_thing.a: Still creating...")
        finally:
            hanging.go.set()
        assert engine.end() == 0
    assert re.search(r"Still creating\.\.\. \[(00m)?10s elapsed\]", engine.said)
    assert stage.attributes()["name"] == "one"


def test_i1_a_create_that_does_not_listen_to_stop(stage: Stage) -> None:
    """I1: an interrupted engine waits for a create that goes on, saves it, and ends without doing anything else."""
    hanging = Hanging(stage, Op.CREATE, until_stopped=True)
    stage.write('name = "one"')
    with running(stage, *APPLY) as engine:
        assert hanging.there.wait(SECONDS)
        engine.interrupt()
        assert engine.end() == 1
    assert "execution halted" in engine.said
    assert stage.attributes()["name"] == "one"
    assert len(stage.things()) == 1


def test_i3_a_stop_that_hangs(stage: Stage) -> None:
    """I3: the engine does not end before its question to stop is answered."""
    create = Hanging(stage, Op.CREATE, until_stopped=True, ends=True)
    stop = Hanging(stage, Op.CANCEL)
    stage.write('name = "one"')
    with running(stage, *APPLY) as engine:
        assert create.there.wait(SECONDS)
        engine.interrupt()
        assert stop.there.wait(SECONDS)
        assert engine.process.poll() is None
        stop.go.set()
        assert engine.end() == 1
    assert stage.instances() == []


def test_i4_a_second_interrupt(stage: Stage) -> None:
    """I4: interrupted twice the engine ends at once; what was being made exists, and no state knows of it."""
    hanging = Hanging(stage, Op.CREATE)
    stage.write('name = "one"')
    with running(stage, *APPLY) as engine:
        assert hanging.there.wait(SECONDS)
        engine.interrupt()
        assert hanging.session.cancelled.wait(SECONDS)
        engine.interrupt()
        assert engine.end() == 1
    assert stage.instances() == []
    hanging.go.set()


def test_i5_an_interrupted_plan(stage: Stage) -> None:
    """I5: in a plan the provider is asked to stop; in the plan of an apply nobody is, and the engine halts after it."""
    hanging = Hanging(stage, Op.PLAN, until_stopped=True)
    stage.write('name = "one"')
    with running(stage, "plan") as engine:
        assert hanging.there.wait(SECONDS)
        engine.interrupt()
        assert engine.end() == 1
    stage.calm()
    hanging = Hanging(stage, Op.PLAN)
    with running(stage, *APPLY) as engine:
        assert hanging.there.wait(SECONDS)
        engine.interrupt()
        engine.until("Interrupt received")
        hanging.go.set()
        assert engine.end() == 1
    assert not hanging.session.cancelled.is_set()
    assert stage.things() == []


def test_i6_a_killed_engine(stage: Stage) -> None:
    """I6: a killed engine saves nothing of what was being made, and its lock does not hinder the next run."""
    hanging = Hanging(stage, Op.CREATE)
    stage.write('name = "one"')
    with running(stage, *APPLY) as engine:
        assert hanging.there.wait(SECONDS)
        engine.process.kill()
        assert engine.end() == -signal.SIGKILL
    assert stage.instances() == []
    hanging.go.set()
    stage.calm()
    assert stage.cli.apply().summary == {"add": 1}

"""Faults from a marker and from the command line, and what a server makes of them on the wire."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress

import pytest
from cli_toolbox import serving

from mockprovider import Double, ResourceType, Stack
from mockprovider.calls import STATUS_NAMES, Call, Op
from mockprovider.cli import executing
from mockprovider.errors import MalformedError

TYPE = "cloud:index:Bucket"
UNAVAILABLE = STATUS_NAMES.index("unavailable")
PLAN = '[[faults]]\nwhen = { op = "create", name = "logs" }\nfault = { kind = "error", reason = "over quota" }\n'


def test_a_mark_breaks_the_provider(run, pytester):
    """A plan beside the test, and one of data, are in force in the test that is marked with them."""
    (pytester.path / "plan.toml").write_text(PLAN, encoding="utf-8")
    result = run(
        """
        import pytest
        from cloud import program

        @pytest.mark.faults("plan.toml")
        def test_file(provider, pulumi_stack):
            assert "over quota" in str(pulumi_stack.up(program, expect_failure=True).diagnostics)

        @pytest.mark.faults({"faults": [{"when": {"op": "create"}, "fault": {"kind": "lose_reply"}}]})
        def test_data(provider, pulumi_stack):
            pulumi_stack.up(program, expect_failure=True)
            assert provider.cloud.objects()
        """
    )
    result.assert_outcomes(passed=2)


def test_equal_marks_are_one(run, pytester):
    """A class and its test that bear the same mark mean one fault by it, whether it is data or a file."""
    (pytester.path / "plan.toml").write_text(PLAN, encoding="utf-8")
    result = run(
        """
        import pytest

        LOST = {"faults": [{"when": {"op": "create"}, "fault": {"kind": "lose_reply"}}]}

        @pytest.mark.faults("plan.toml", LOST)
        class TestIt:
            @pytest.mark.faults(LOST, "plan.toml")
            def test_one(self, provider):
                assert [rule.fault.__struct_config__.tag for rule in provider.faults.rules] == ["error", "lose_reply"]
                provider.faults.clear()
        """
    )
    result.assert_outcomes(passed=1)


@pytest.mark.parametrize(
    ("mark", "said"),
    [
        ('"other.toml"', "*The fault plan *other.toml cannot be read*"),
        ("", "*takes fault plans, and provider=NAME*"),
        ('{"faults": []}, provider="aws"', "*this test has no such provider. There are: mock*"),
        (
            '{"faults": [{"when": {"op": "create"}, "fault": {"kind": "crahs"}}]}',
            "*'crahs' is no kind of fault. Did you mean 'crash'*",
        ),
    ],
)
def test_a_mark_that_cannot_be(run, mark, said):
    """A marker that says no plan, or one that cannot be, fails the test's set-up with the reason."""
    result = run(f"import pytest\n\n@pytest.mark.faults({mark})\ndef test(provider):\n    pass\n")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([said])


def test_serve_says_what_never_fired(tmp_path):
    """A plan of the command line that fits nothing is told at the end, with the reason."""
    (tmp_path / "plan.toml").write_text(PLAN, encoding="utf-8")
    with serving(tmp_path, "serve", "pulumi", "--faults", "plan.toml") as process:
        assert process.stdout.readline().startswith("Serving")
        process.terminate()
        _, said = process.communicate(timeout=300)
    assert "Rule(create any type logs, fired 0 of 1) never fired: no create was asked for." in said


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["--protocol", "pulumi", "--", "sh", "-c", "echo $PULUMI_DEBUG_PROVIDERS; exit 7"], 7, "mock:"),
        (["--protocol", "pulumi", "--", "sh", "-c", "kill -9 $$"], 137, ""),
        (["--", "sh", "-c", "true"], 2, "sh is none of pulumi, terraform, tofu: say what it speaks"),
        (["--protocol", "pulumi", "--", "no-such-command"], 1, "'no-such-command' cannot be run: No such file or directory."),
        (["--cassette", "a.json", "--strict", "--", "pulumi", "up"], 2, "--types and --strict are for the fake"),
    ],
)
def test_a_command_with_a_double(arguments, code, said, tmp_path):
    """`exec` leads a command to a double, and ends as it does; what cannot be run is told."""
    command = [sys.executable, "-m", "mockprovider", "exec", *arguments]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=300)
    assert ended.returncode == code
    assert said in ended.stdout + ended.stderr


@pytest.mark.parametrize(
    ("plan", "script", "code"),
    [(PLAN, "true", 1), (PLAN, "exit 7", 7), (PLAN.replace('"logs"', '"logs", optional = true'), "true", 0)],
)
def test_a_command_whose_fault_never_fired(plan, script, code, tmp_path):
    """`exec` ends with 1 where the command succeeds without its fault, so that a typing error in a plan is no green job."""
    (tmp_path / "plan.toml").write_text(plan, encoding="utf-8")
    command = [sys.executable, "-m", "mockprovider", "exec", "--protocol", "pulumi", "--faults", "plan.toml", "--", "sh", "-c"]
    ended = subprocess.run([*command, script], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=300)
    assert ended.returncode == code
    assert ("never fired: no create was asked for." in ended.stderr) is bool(code)


@pytest.mark.parametrize("how", ["unavailable", "reset", "half", "malformed"])
def test_what_a_wire_makes_of_an_answer(how):
    """A lost or garbled answer is no answer to a client over gRPC, the effect is done, and later calls are answered."""
    with Double(ResourceType(TYPE, {"acl": str})) as double, double.serve("pulumi").client() as client:
        rule = double.faults.on.create()
        rule.malformed() if how == "malformed" else rule.lose_reply(how)
        session = client.open("pulumi", package="cloud")
        asked = {"type": TYPE, "urn": f"urn:pulumi:dev::p::{TYPE}::a", "inputs": {"acl": "x"}}

        def create():
            return client(Call(op=Op.CREATE, session=session, method="Create", **asked))

        if how in ("half", "malformed"):
            with pytest.raises(MalformedError):
                create()
        else:
            assert create().status.code == UNAVAILABLE
        assert len(double.cloud.objects()) == 1
        # A client that finds the port closed for a moment waits a second before it tries again.
        assert any(create().ok or time.sleep(0.1) for _ in range(600))


def test_a_stack_that_is_cancelled_from_another_thread():
    """Cancelling an operation ends what hangs in it; the state has what was made, and the rest was never begun."""
    hanging = threading.Event()

    def note(call, proceed):
        reply = proceed(call)
        if call.op is Op.CREATE:
            hanging.set()
        return reply

    def program():
        import pulumi  # noqa: PLC0415 - slow to import

        for name in ("a", "b"):
            type(name, (pulumi.CustomResource,), {})(TYPE, name, {"acl": "x"})

    with Double(ResourceType(TYPE, {"acl": str})) as double:
        double.use(note)
        double.faults.on.create().hang()
        stack = Stack(double)
        ended = []
        thread = threading.Thread(target=lambda: ended.append(stack.up(program, expect_failure=True)))
        thread.start()
        assert hanging.wait(60)
        stack.cancel()
        thread.join(60)
        stack.cancel()
    assert "cancelled" in str(ended[0].error)
    assert [name for name in ("a", "b") if name in stack.state] == ["a"]
    assert stack.state["a"].init_errors


def test_a_provider_of_ones_own():
    """Another handler answers from then on, and the journal and the faults are still in front of it."""
    from builders import answer  # noqa: PLC0415 - beside the one use

    with Double() as double:
        double.use(provider=answer(id="mine", value={}))
        double.faults.on.create().error().after(1)
        session = double.open()
        asked = [double(Call(op=Op.CREATE, session=session, type=TYPE, inputs={})) for _ in range(2)]
    assert asked[0].id == "mine"
    assert not asked[1].ok
    assert len(double.journal.entries(side="provider")) == 1


def test_a_command_that_is_quicker_than_exec_is_interrupted(monkeypatch, tmp_path):
    """An interrupt that comes as soon as the command is there, and before `exec` knows of it, reaches the command."""
    ready, start = tmp_path / "ready", executing.OwnedProcess
    program = (
        "import pathlib, signal, sys\n"
        "signal.signal(signal.SIGINT, lambda *_: sys.exit(41))\n"
        f"pathlib.Path({str(ready)!r}).touch()\n"
        "signal.pause()"
    )

    def starting(command, **options):
        process = start(command, **options)
        while not ready.exists():
            assert process.poll() is None
        os.kill(os.getpid(), signal.SIGINT)
        return process

    monkeypatch.setattr(executing, "_has_terminal", lambda: False)
    monkeypatch.setattr(executing, "OwnedProcess", starting)
    assert executing._run([sys.executable, "-c", program], dict(os.environ), []) == 41


@pytest.mark.parametrize("whom", [os.kill, os.killpg])
def test_a_command_without_a_terminal_gets_what_exec_is_sent(whom, tmp_path):
    """Without a terminal an interrupt of `exec`, alone or with its group, reaches the command once."""
    program = (
        "import signal, sys, time\n"
        "seen = []\n"
        "signal.signal(signal.SIGINT, lambda *_: seen.append(1))\n"
        "print('ready', flush=True)\n"
        "while not seen: time.sleep(0.01)\n"
        "time.sleep(0.3)\n"
        "sys.exit(40 + len(seen))"
    )
    command = [sys.executable, "-m", "mockprovider", "exec", "--protocol", "pulumi", "--", sys.executable, "-c", program]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True, start_new_session=True) as running:
        try:
            assert any("ready" in line for line in running.stdout)
            whom(running.pid, signal.SIGINT)
            assert running.wait(60) == 41
        finally:
            with suppress(ProcessLookupError):
                os.killpg(running.pid, signal.SIGKILL)

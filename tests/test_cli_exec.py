"""`exec` with a cassette: what each mode does with a command's calls, and what becomes of the cassette."""

from __future__ import annotations

import itertools
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from mode_stage import LIVE, assert_kept, behind, holders, prepared

from mockprovider.cassette import RULES, CassetteAction, LookResult, Mode
from mockprovider.cli import main
from mockprovider.double import Double

Executing = Callable[..., tuple[Result, str]]

PROVIDER = f"""
import signal
from mode_stage import behind
from mockprovider.double import Double
with Double(provider=behind({LIVE!r})) as double:
    print(double.serve("pulumi").address.rpartition(":")[2], flush=True)
    signal.pause()
"""
ENGINE = """
import os, signal, sys
from mode_stage import action, asked
from mockprovider.double import Double, attached
# A signal ends it as it ends most commands: Python may lose an interrupt, in a finalizer or before a wait.
signal.signal(signal.SIGINT, signal.SIG_DFL)
name, _, port = os.environ["PULUMI_DEBUG_PROVIDERS"].partition(":")
with Double(provider=attached("127.0.0.1:" + port, name=name)) as double:
    for outcome in sys.argv[2:]:
        print(action(double(asked(double, outcome))), flush=True)
if sys.argv[1] == "interrupted":
    sys.stdin.readline()
sys.exit(int(sys.argv[1]))
"""


def line(provider: str, *options: str, code: str = "0", outcomes: tuple[str, ...] = ("found",)) -> list[str]:
    """What `exec` is told to run an engine that asks for these calls and ends with this code."""
    live = ["--cassette", "it.json", "--provider", f"cloud={provider}", "--protocol", "pulumi", "--unplayed", "allow"]
    return ["exec", *live, *options, "--", sys.executable, "-c", ENGINE, code, *outcomes]


def environment() -> dict[str, str]:
    """Where the provider and the engine find what the tests share."""
    here = Path(__file__).parent
    path = [str(here), str(here.parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path)}


@pytest.fixture
def execute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Executing:
    """`exec` in this process, whose command is a process all the same: what came of it, and what the command printed."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", environment()["PYTHONPATH"])

    def executing(*arguments: str) -> tuple[Result, str]:
        result = CliRunner().invoke(main, arguments)
        return result, capfd.readouterr().out

    return executing


@pytest.fixture
def live() -> Iterator[str]:
    """The command of a live provider: it says where this process serves one, which takes it no time."""
    with Double(provider=behind(LIVE)) as double:
        port = double.serve("pulumi").address.rpartition(":")[2]
        yield f"sh -c 'echo {port}; exec sleep 300'"


CELLS = [
    *itertools.product([Mode.NONE, Mode.ONCE, Mode.NEW, Mode.ALL, Mode.VERIFY], [True, False], ["found", "missing"]),
    # `record` has these of the other modes (tests/test_cassette_doors.py).
    *itertools.product([Mode.NONE, Mode.ALL], [True, False], ["ambiguous"]),
]


@pytest.mark.parametrize("cell", CELLS, ids=lambda cell: "-".join(map(str, cell)))
def test_every_cell_from_exec(tmp_path: Path, execute: Executing, live: str, cell: tuple[Mode, bool, str]) -> None:
    """From `exec`, each mode does with each call what the table says, and fails where it refuses."""
    mode, existed, outcome = cell
    before = prepared(tmp_path / "it.json", existed=existed)
    expected = RULES[mode].action(LookResult(outcome), existed=existed)
    ended, said = execute(*line(live, "--mode", mode, outcomes=(outcome,)))
    if mode in (Mode.NONE, Mode.VERIFY) and not existed:
        assert "There is no cassette it.json" in ended.stderr
    else:
        done = "record" if expected is CassetteAction.COMPARE else expected
        assert said.split()[-1:] == [done], ended.stderr
    assert ended.exit_code == (expected is CassetteAction.REFUSE), ended.stderr
    assert_kept(tmp_path / "it.json", before, expected, mode)


@pytest.mark.parametrize("mode", [Mode.NONE, Mode.ONCE])
@pytest.mark.parametrize("outcomes", [("found",), ("found", "missing"), ("missing", "ambiguous")], ids=" ".join)
def test_a_fake_past_the_end(tmp_path: Path, execute: Executing, live: str, mode: Mode, outcomes: tuple[str, ...]) -> None:
    """With a fake past the end, what is missing is made up, marked and counted; what is ambiguous stays refused."""
    before = prepared(tmp_path / "it.json", existed=True)
    ended, _ = execute(*line(live, "--mode", mode, "--beyond", "fake", outcomes=outcomes))
    assert ended.exit_code == ("ambiguous" in outcomes), ended.stderr
    assert ended.stderr.count("made up past the end of the cassette") == ("missing" in outcomes)
    said = "1 call was answered by a fake, past the end of the cassette." in ended.stderr
    assert said == (outcomes == ("found", "missing"))
    assert (tmp_path / "it.json").read_bytes() == before


def test_what_a_recording_says(tmp_path: Path) -> None:
    """A command's output stays its own; what was recorded is told beside it, and the cassette says how it was made."""
    (tmp_path / "provider.py").write_text(PROVIDER, encoding="utf-8")
    provider = f"{sys.executable} provider.py"
    words = [sys.executable, "-m", "mockprovider", *line(provider, "--mode", "once", "--mask", "a")]
    ended = subprocess.run(words, cwd=tmp_path, env=environment(), capture_output=True, text=True, check=False, timeout=300)
    assert ended.stdout == "record\n"
    assert "Recorded it.json: " in ended.stderr
    header = json.loads((tmp_path / "it.json").read_text(encoding="utf-8"))[0]
    python = Path(sys.executable).name
    assert header["created_by"].startswith(
        f"mockprovider exec --cassette it.json --mode once --mask a --provider 'cloud={python} provider.py' -- {python} -c "
    )
    assert header["providers"] == {"cloud": "pulumi"}


FAILING = pytest.mark.parametrize(("mode", "existed"), [("all", True), ("all", False), ("rewrite", True), ("once", False)])


def assert_beside(path: Path, before: bytes, said: str, mode: str) -> None:
    """The cassette is as it was, and what was recorded lies beside it, or is the first one, and that is told."""
    first = not before and mode != "once"
    assert (path.read_bytes() if before else path.exists()) == (before or first)
    kept = path if first else path.with_name("it.json.failed")
    assert f"What was recorded until then is {kept.name}." in said
    assert holders(kept) == {LIVE}
    assert [*path.parent.glob("it.json*.new")] == []


@FAILING
def test_a_command_that_fails_replaces_nothing(tmp_path: Path, execute: Executing, live: str, mode: str, existed: bool) -> None:
    """Where the command fails, the cassette stays, the recording is beside it, and the code is the command's own."""
    before = prepared(tmp_path / "it.json", existed=existed)
    ended, said = execute(*line(live, "--mode", mode, code="7"))
    assert (said, ended.exit_code) == ("record\n", 7), ended.stderr
    assert_beside(tmp_path / "it.json", before, ended.stderr, mode)


@FAILING
def test_a_command_that_is_interrupted_replaces_nothing(tmp_path: Path, live: str, mode: str, existed: bool) -> None:
    """Where the command is interrupted, the cassette stays, the recording is beside it, and the code says so."""
    before = prepared(tmp_path / "it.json", existed=existed)
    words = [sys.executable, "-m", "mockprovider", *line(live, "--mode", mode, code="interrupted")]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(words, cwd=tmp_path, env=environment(), text=True, start_new_session=True, **pipes) as running:
        try:
            assert running.stdout
            assert running.stdout.readline() == "record\n"
            running.send_signal(signal.SIGINT)
            # The command reads its input until the signal reaches it, and ``communicate`` would end that first.
            running.wait(timeout=300)
            _, error = running.communicate(timeout=300)
        finally:
            running.kill()
    assert running.returncode == 130, error
    assert_beside(tmp_path / "it.json", before, error, mode)


REFUSED = [
    (["--cassette", "it.json", "--mode", "once"], 2, "--mode once asks real providers: name what it.json is of, --provider"),
    (["--mode", "all"], 2, "go with --cassette FILE."),
    (["--provider", "a=b"], 2, "go with --cassette FILE."),
    (["--beyond", "fake"], 2, "go with --cassette FILE."),
    (["--cassette", "it.json", "--beyond", "fakes"], 1, "beyond='fakes' is no policy"),
    (
        ["--cassette", "it.json", "--beyond", "fake", "--mode", "new", "--provider", "a=b"],
        1,
        "with the modes 'none' and 'once'",
    ),
    (["--cassette", "it.json", "--mode", "onse"], 1, "'onse' is no cassette mode"),
    (["--cassette", "it.json", "--mode", "all", "--provider", "a"], 2, "write NAME=COMMAND"),
    (["--cassette", "it.json", "--mode", "all", "--provider", "a=no-such-thing"], 1, "There is no executable 'no-such-thing'"),
    (["--cassette", "it.json", "--mode", "all", "--provider", "a=true"], 1, "so nothing was recorded into it.json."),
]


@pytest.mark.parametrize(("options", "code", "said"), REFUSED)
def test_what_cannot_be_recorded(tmp_path: Path, execute: Executing, options: list[str], code: int, said: str) -> None:
    """Options that do not go together, no provider, and a command that calls nobody are told, and leave nothing."""
    ended, _ = execute("exec", *options, "--protocol", "pulumi", "--", "true")
    assert (ended.exit_code, said in ended.stderr) == (code, True), ended.stderr
    assert [*tmp_path.iterdir()] == []


@pytest.mark.parametrize(("command", "hinted"), [("false", True), ("true", False)])
def test_an_engine_that_asks_for_nothing_before_it_fails(execute: Executing, command: str, hinted: bool) -> None:
    """It is said which providers Terraform was led to, and what takes the place of the init that it asks for."""
    ended, _ = execute("exec", "--protocol", "terraform", "--", command)
    hint = "led to mock (as example.com/mock/NAME or hashicorp/NAME), and to no other provider: --types FILE declares others."
    assert (hint in ended.stderr, "It needs no init; its command get installs modules." in ended.stderr) == (hinted, hinted)

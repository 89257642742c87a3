"""`exec` with a cassette: what each mode does with a command's calls, and what becomes of the cassette."""

from __future__ import annotations

import itertools
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from mode_stage import LIVE, assert_kept, holders, prepared

from mockprovider.cassette import RULES, CassetteAction, LookResult, Mode

PROVIDER = f"""
import signal
from mode_stage import behind
from mockprovider.double import Double
with Double(provider=behind({LIVE!r})) as double:
    print(double.serve("pulumi").address.rpartition(":")[2], flush=True)
    signal.pause()
"""
ENGINE = """
import os, sys
from mode_stage import action, asked
from mockprovider.double import Double, attached
name, _, port = os.environ["PULUMI_DEBUG_PROVIDERS"].partition(":")
with Double(provider=attached("127.0.0.1:" + port, name=name)) as double:
    for outcome in sys.argv[2:]:
        print(action(double(asked(double, outcome))), flush=True)
if sys.argv[1] == "interrupted":
    sys.stdin.readline()
sys.exit(int(sys.argv[1]))
"""


def command(folder: Path, *options: str, code: str = "0", outcomes: tuple[str, ...] = ("found",)) -> list[str]:
    """`exec` of an engine that asks for these calls and ends with this code."""
    (folder / "provider.py").write_text(PROVIDER, encoding="utf-8")
    live = f"cloud={sys.executable} provider.py"
    line = ["exec", "--cassette", "it.json", "--provider", live, "--protocol", "pulumi", "--unplayed", "allow", *options]
    return [sys.executable, "-m", "mockprovider", *line, "--", sys.executable, "-c", ENGINE, code, *outcomes]


def environment() -> dict[str, str]:
    """Where the provider and the engine find what the tests share."""
    here = Path(__file__).parent
    path = [str(here), str(here.parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path)}


def executed(folder: Path, line: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(line, cwd=folder, env=environment(), capture_output=True, text=True, check=False, timeout=300)


CELLS = [
    *itertools.product([Mode.NONE, Mode.ONCE, Mode.NEW, Mode.ALL, Mode.VERIFY], [True, False], ["found", "missing"]),
    # `record` has these of the other modes (tests/test_cassette_doors.py).
    *itertools.product([Mode.NONE, Mode.ALL], [True, False], ["ambiguous"]),
]


@pytest.mark.parametrize(("mode", "existed", "outcome"), CELLS)
def test_every_cell_from_exec(tmp_path: Path, mode: Mode, existed: bool, outcome: str) -> None:
    """From `exec`, each mode does with each call what the table says, and fails where it refuses."""
    before = prepared(tmp_path / "it.json", existed=existed)
    expected = RULES[mode].action(LookResult(outcome), existed=existed)
    ended = executed(tmp_path, command(tmp_path, "--mode", mode, outcomes=(outcome,)))
    if mode in (Mode.NONE, Mode.VERIFY) and not existed:
        assert "There is no cassette it.json" in ended.stderr
    else:
        done = "record" if expected is CassetteAction.COMPARE else expected
        assert ended.stdout.split()[-1:] == [done], ended.stderr
    assert ended.returncode == (expected is CassetteAction.REFUSE), ended.stderr
    (tmp_path / "provider.py").unlink()
    assert_kept(tmp_path / "it.json", before, expected, mode)


@pytest.mark.parametrize("mode", [Mode.NONE, Mode.ONCE])
@pytest.mark.parametrize("outcomes", [("found",), ("found", "missing"), ("missing", "ambiguous")], ids=" ".join)
def test_a_fake_past_the_end(tmp_path: Path, mode: Mode, outcomes: tuple[str, ...]) -> None:
    """With a fake past the end, what is missing is made up, marked and counted; what is ambiguous stays refused."""
    before = prepared(tmp_path / "it.json", existed=True)
    ended = executed(tmp_path, command(tmp_path, "--mode", mode, "--beyond", "fake", outcomes=outcomes))
    assert ended.returncode == ("ambiguous" in outcomes), ended.stderr
    assert ended.stderr.count("made up past the end of the cassette") == ("missing" in outcomes)
    said = "1 call was answered by a fake, past the end of the cassette." in ended.stderr
    assert said == (outcomes == ("found", "missing"))
    assert (tmp_path / "it.json").read_bytes() == before


def test_what_a_recording_says(tmp_path: Path) -> None:
    """A command's output stays its own; what was recorded is told beside it, and the cassette says how it was made."""
    ended = executed(tmp_path, command(tmp_path, "--mode", "once", "--mask", "a"))
    assert ended.stdout == "record\n"
    assert "Recorded it.json: " in ended.stderr
    header = json.loads((tmp_path / "it.json").read_text(encoding="utf-8"))[0]
    python = Path(sys.executable).name
    assert header["created_by"].startswith(
        f"mockprovider exec --cassette it.json --mode once --mask a --provider 'cloud={python} provider.py' -- {python} -c "
    )
    assert header["providers"] == {"cloud": "pulumi"}


@pytest.mark.parametrize(("mode", "existed"), [("all", True), ("all", False), ("rewrite", True), ("once", False)])
@pytest.mark.parametrize("code", ["7", "interrupted"])
def test_a_command_that_fails_replaces_nothing(tmp_path: Path, mode: str, existed: bool, code: str) -> None:
    """Where the command fails or is interrupted, the cassette stays, the recording is beside it, and the code is its own."""
    path = tmp_path / "it.json"
    before = prepared(path, existed=existed)
    line = command(tmp_path, "--mode", mode, code=code)
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(line, cwd=tmp_path, env=environment(), text=True, start_new_session=True, **pipes) as running:
        try:
            assert running.stdout
            assert running.stdout.readline() == "record\n"
            if code == "interrupted":
                running.send_signal(signal.SIGINT)
            # The command reads its input until the signal reaches it, and ``communicate`` would end that first.
            running.wait(timeout=300)
            _, error = running.communicate(timeout=300)
        finally:
            running.kill()
    assert running.returncode == (7 if code == "7" else 130), error
    first = not existed and mode != "once"
    assert (path.read_bytes() if existed else path.exists()) == (before if existed else first)
    kept = path if first else tmp_path / "it.json.failed"
    assert f"What was recorded until then is {kept.name}." in error
    assert holders(kept) == {LIVE}
    assert [file.name for file in tmp_path.glob("it.json*.new")] == []


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
def test_what_cannot_be_recorded(tmp_path: Path, options: list[str], code: int, said: str) -> None:
    """Options that do not go together, no provider, and a command that calls nobody are told, and leave nothing."""
    ended = executed(tmp_path, [sys.executable, "-m", "mockprovider", "exec", *options, "--protocol", "pulumi", "--", "true"])
    assert (ended.returncode, said in ended.stderr) == (code, True), ended.stderr
    assert [*tmp_path.iterdir()] == []

"""All providers of a configuration in one cassette: equal objects of one of them, and what the others made of these."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from terraform_stage import ENGINES

from mockprovider.cli.commands import main
from mockprovider.double import Double, Wiring, joint_environment, real, recording_all, replaying_all
from mockprovider.drivers.terraform import Terraform

NAMES = ("random", "local", "null")
MODULE = """
resource "random_id" "i" {
  count       = 5
  byte_length = 4
}
resource "local_file" "f" {
  count    = 5
  filename = "${random_id.i[count.index].hex}.${count.index}"
  content  = "x"
}
resource "null_resource" "n" {
  count    = 5
  triggers = { of = random_id.i[count.index].hex }
}
"""
MASKED = """
resource "random_password" "p" {{
  length = 20
}}
resource "null_resource" "n" {{
  triggers = {{ note = "${{random_password.p.result}} of {day}" }}
}}
"""
MARKED = """
    import pytest

    @pytest.mark.cassette(providers={{name: f"terraform-provider-{{name}}" for name in ("random", "local", "null")}})
    @pytest.mark.parametrize("mockprovider_terraform", ["{binary}"], indirect=True)
    def test_it(providers, terraform):
        terraform.parallelism = {parallelism}
        terraform.write({module!r})
        state = terraform.apply().state
        files, triggers, ids = (
            [one["attributes"][name] for one in resource["instances"]]
            for resource, name in zip(state["resources"], ("filename", "triggers", "hex"))
        )
        assert files == [f"{{hex}}.{{n}}" for n, hex in enumerate(ids)]
        assert triggers == [{{"of": hex}} for hex in ids]
        assert terraform.plan().exit_code == 0
        terraform.destroy()
        creates = {{name: double.journal.ops().count("create") for name, double in providers.items()}}
        assert creates == {{"random": 5, "local": 5, "null": 5}}
    """
Attributes = Mapping[str, dict[str, Any]]


@pytest.fixture(autouse=True)
def _in_its_own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The providers of a test, whose processes are not the engine's, make their files in the test's own folder."""
    monkeypatch.chdir(tmp_path)


def live() -> dict[str, Wiring]:
    """The real providers."""
    return {name: real([f"terraform-provider-{name}"]) for name in NAMES}


def lived(wirings: Mapping[str, Wiring], folder: Path, binary: str, parallelism: int | None = None) -> Attributes:
    """Apply, look again, destroy, in an empty folder: the attributes of each resource, by its address."""
    shutil.rmtree(folder, ignore_errors=True)
    with ExitStack() as ending:
        cli = engine(wirings, folder, binary, ending, parallelism)
        state = cli.apply().state
        assert cli.plan().exit_code == 0
        assert cli.destroy().summary == {"remove": 15}
    return state_of(state)


def engine(
    wirings: Mapping[str, Wiring], folder: Path, binary: str, ending: ExitStack, parallelism: int | None = None
) -> Terraform:
    """The engine in its module, led to these providers; their errors are raised in the end."""
    doubles = [ending.enter_context(Double(provider=wiring)) for wiring in wirings.values()]
    for double in doubles:
        ending.callback(double.raise_errors)
    servings = [double.serve("terraform") for double in doubles]
    cli = Terraform(folder, lambda: joint_environment(*servings), binary=binary, doubles=doubles, parallelism=parallelism)
    cli.write(MODULE)
    return cli


def state_of(state: Mapping[str, Any]) -> Attributes:
    """The attributes of each resource, by its address."""
    return {
        f"{resource['type']}[{instance['index_key']}]": instance["attributes"]
        for resource in state["resources"]
        for instance in resource["instances"]
    }


def in_order(attributes: Attributes) -> Attributes:
    """The same with the random values in ascending order: which object has which does not count."""
    ids = sorted((attributes[f"random_id[{n}]"] for n in range(5)), key=lambda one: str(one["hex"]))
    triggers = sorted((attributes[f"null_resource[{n}]"] for n in range(5)), key=lambda one: str(one["triggers"]["of"]))
    ordered = {**attributes}
    for n in range(5):
        file = attributes[f"local_file[{n}]"]
        assert file["filename"] == f"{attributes[f'random_id[{n}]']['hex']}.{n}"
        assert attributes[f"null_resource[{n}]"]["triggers"]["of"] == attributes[f"random_id[{n}]"]["hex"]
        ordered[f"local_file[{n}]"] = {**file, "filename": ""}
        ordered[f"random_id[{n}]"], ordered[f"null_resource[{n}]"] = ids[n], triggers[n]
    return ordered


def only(binary: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on, nothing but the engine is on ``PATH``."""
    engine = shutil.which(binary)
    assert engine is not None
    folder.mkdir()
    (folder / binary).symlink_to(engine)
    monkeypatch.setenv("PATH", str(folder))
    assert not any(shutil.which(f"terraform-provider-{name}") for name in NAMES)


@pytest.mark.trial("equal-objects-under-engines", pinned=5, cases=25)
@pytest.mark.parametrize("binary", ENGINES, indirect=True)
def test_dependents_of_other_providers_by_index(
    binary: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seeds: Iterator[int]
) -> None:
    """Five equal objects with dependents of two other providers: serially each has what it had, and in parallel each of the
    dependents belongs to its own object, with no provider present.
    """
    cassette = tmp_path / "all.json"
    folder = tmp_path / "module"
    recorded = lived(recording_all(cassette, live()), folder, binary)
    only(binary, tmp_path / "bin", monkeypatch)

    for _ in seeds:
        assert lived(replaying_all(cassette), folder, binary) == recorded
        assert in_order(lived(replaying_all(cassette), folder, binary, parallelism=10)) == in_order(recorded)


@pytest.mark.parametrize("binary", ENGINES, indirect=True)
def test_recorded_in_parallel(binary: str, tmp_path: Path) -> None:
    """What was recorded without addresses, in parallel and compact, replays as well, serially and in parallel."""
    cassette = tmp_path / "all.json"
    folder = tmp_path / "module"
    recorded = lived(recording_all(cassette, live(), compact=True), folder, binary, parallelism=10)
    for parallelism in (None, 10, 10):
        assert in_order(lived(replaying_all(cassette), folder, binary, parallelism)) == in_order(recorded)


@pytest.mark.parametrize("binary", ENGINES, indirect=True)
def test_a_marked_test(binary: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pytester: pytest.Pytester) -> None:
    """A test that is marked with three providers records them all, and replays with none of them present."""

    def outcome(parallelism: int | None, *options: str) -> pytest.RunResult:
        pytester.makepyfile(test_it=MARKED.format(binary=binary, parallelism=parallelism, module=MODULE))
        return pytester.runpytest_inprocess("-p", "no:randomly", "-p", "no:cacheprovider", *options)

    outcome(None, "--provider-record=all").assert_outcomes(passed=1)
    only(binary, tmp_path / "bin", monkeypatch)
    for parallelism in (None, 10, 10):
        outcome(parallelism).assert_outcomes(passed=1)


RECORDER = """
    import os, signal, sys
    sys.path[:0] = {paths!r}
    from pathlib import Path
    from mockprovider.calls import Op
    from mockprovider.double import Wiring, recording_all
    from test_terraform_together import live, lived

    def killing(call, proceed):
        if call.op is Op.DELETE:
            os.kill(os.getpid(), signal.SIGKILL)
        return proceed(call)

    wirings = recording_all(sys.argv[1], live())
    wirings["null"].layers = (*wirings["null"].layers, killing)
    lived(wirings, Path(sys.argv[2]), sys.argv[3])
"""
"""Records the life of all three providers, and is killed before the null provider gets its first delete."""


ORPHAN = "MOCKPROVIDER_TEST_ORPHAN"


def processes_of(mark: str) -> list[int]:
    """Ids of the processes with this mark in their environment."""
    marked = []
    for environment in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):
            if f"{ORPHAN}={mark}\0".encode() in environment.read_bytes():
                marked.append(int(environment.parent.name))
    return marked


@contextmanager
def ends_alone(mark: str) -> Iterator[None]:
    """Wait until every process with this mark has ended by itself: a killed recorder takes its engine and providers along,
    and the engine is still writing its state when the recorder is gone.
    """
    try:
        yield
        deadline = time.monotonic() + 30
        while (left := processes_of(mark)) and time.monotonic() < deadline:
            time.sleep(0.02)
        assert not left, f"left behind: {left}"
    finally:
        for process in processes_of(mark):
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)


@pytest.mark.parametrize("binary", ENGINES, indirect=True)
def test_a_killed_recording(binary: str, tmp_path: Path) -> None:
    """Of a recorder that was killed, what all three providers had answered is recovered and replays; what had been sent to
    one of them without an answer is listed.
    """
    cassette, folder = tmp_path / "all.json", tmp_path / "module"
    here = Path(__file__).parent
    program = textwrap.dedent(RECORDER.format(paths=[str(here), str(here.parent), str(here.parents[1])]))
    command = [sys.executable, "-c", program, str(cassette), str(folder), binary]
    with ends_alone(mark := str(tmp_path)):
        killed = subprocess.run(command, timeout=120, check=False, env={**os.environ, ORPHAN: mark})
    assert killed.returncode == -signal.SIGKILL
    before = state_of(json.loads((folder / "terraform.tfstate").read_text()))
    told = CliRunner().invoke(main, ["cassette", "recover", str(cassette)])
    assert "were not answered" in told.output
    assert "delete null_resource null_resource.n[" in told.output

    shutil.rmtree(folder)
    with ExitStack() as ending:
        cli = engine(replaying_all(cassette), folder, binary, ending)
        after = state_of(cli.apply().state)
    # The engine may have destroyed files before it came to the null provider.
    assert after == {**after, **before}
    assert len(before) >= 10


@pytest.mark.parametrize("binary", ENGINES, indirect=True)
def test_a_mask_over_another_provider_s_secret(binary: str, tmp_path: Path) -> None:
    """A masked text with another provider's secret is not compared: what is sent today comes back, and a plan is empty."""

    def noted(wirings: Mapping[str, Wiring], day: str) -> tuple[str, str]:
        with ExitStack() as ending:
            cli = engine(wirings, tmp_path / day, binary, ending)
            cli.write(MASKED.format(day=day))
            result = cli.apply()
            assert cli.plan().exit_code == 0
            cli.destroy()
        note = result.resource("null_resource.n")["attributes"]["triggers"]["note"]
        return note, result.resource("random_password.p")["attributes"]["result"]

    cassette = tmp_path / "all.json"
    note, password = noted(recording_all(cassette, live(), masks=["triggers.note"]), "monday")
    assert note == f"{password} of monday"
    assert password not in cassette.read_text(encoding="utf-8")
    note, password = noted(replaying_all(cassette), "friday")
    assert (note, password[:19]) == (f"{password} of friday", "mockprovider-secret")

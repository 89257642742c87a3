"""The suite of faults again and again, in random order, by two workers: what it did is the same, and nothing is left of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from suite_runs import ENDINGS, ROOT, broken_off, differing, play, same_however_often

SUITE = (
    *("tests/test_fault_outcomes.py", "tests/test_fault_plans.py", "tests/test_faults.py", "tests/test_engine_interrupts.py"),
    *("tests/plugin/test_fault_doors.py", "tests/wire/test_shutdown.py", "tests/wire/test_checklist_crashes.py"),
)
SMALL = ("tests/test_fault_outcomes.py", "-k", "update or read or delete")


@pytest.fixture
def suite(request: pytest.FixtureRequest) -> Sequence[str]:
    """The whole suite in a campaign, and a part of it otherwise."""
    return SUITE if request.config.getoption("trials") else SMALL


@pytest.mark.trial("fault-suite", pinned=2, cases=20, few=0)
def test_every_order_comes_to_the_same(seeds: Iterator[int], suite: Sequence[str], tmp_path: Path) -> None:
    """Whatever the order, each resource's journal is the same, and no process, thread, socket, folder or lock is left."""
    same_however_often(seeds, suite, tmp_path)


@pytest.mark.trial("fault-suite", pinned=1, cases=20, few=0)
@pytest.mark.parametrize("how", ENDINGS)
def test_a_run_that_is_broken_off(how: str, seeds: Iterator[int], suite: Sequence[str], tmp_path: Path) -> None:
    """Where a run is ended in the midst of a call, or a test of it fails there, nothing is left either."""
    broken_off(how, seeds, suite, tmp_path, calls=60)


LEAVING = """
import random, socket, subprocess, tempfile, threading
import pulumi
from mockprovider import Double, ResourceType, Stack

def test_it(tmp_path):
    subprocess.Popen(["sh", "-c", "sleep 1000 & wait"], env={}, start_new_session=True)
    threading.Thread(target=threading.Event().wait, name="waiting for ever", daemon=True).start()
    threading.listener = socket.create_server(("127.0.0.1", 0))
    tempfile.mkdtemp(prefix="forgotten")
    (tmp_path / ".pulumi" / "locks").mkdir(parents=True)
    (tmp_path / ".pulumi" / "locks" / "it.json").touch()
    with Double(ResourceType("cloud:index:Bucket", {"label": str})) as double:
        def program():
            type("Bucket", (pulumi.CustomResource,), {})("cloud:index:Bucket", "logs", {"label": str(random.random())})
        Stack(double).up(program)
"""
LEFT = {
    "processes": "sh -c sleep 1000",
    "threads": "waiting for ever",
    "sockets": "of ",
    "folders": "forgotten",
    "locks": ".pulumi/locks/it.json",
}
"""What it leaves, by a word of each thing's name."""


def test_what_is_left_is_named(tmp_path: Path) -> None:
    """A test that leaves everything behind, and does another thing each time, is caught at all of it."""
    (tmp_path / "test_it.py").write_text(LEAVING, encoding="utf-8")
    (tmp_path / "conftest.py").write_text('pytest_plugins = ["suite_journals"]\n', encoding="utf-8")
    tests = [str(tmp_path / "test_it.py"), f"--config-file={ROOT / 'pyproject.toml'}", "-W", "ignore"]
    options = {"workers": 0, "patience": 0.1}
    one, other = (play(tmp_path / seed, tests, f"--randomly-seed={seed}", **options) for seed in "12")
    assert one.code == 0, one.output
    # On a busy machine something else may take longer to end than this run has patience.
    assert LEFT.keys() == one.left.keys()
    assert {kind: word for kind, word in LEFT.items() if not any(word in thing for thing in one.left[kind])} == {}
    assert {line.split(", ")[2].partition(" ")[0] for line in differing(one.journals, other.journals)} == {"engine", "provider"}

"""The suite of faults under the real engines, again and again in random order: what it did is the same, and nothing is left."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from suite_runs import ENDINGS, broken_off, same_however_often

pytestmark = [pytest.mark.pulumi_cli, pytest.mark.terraform_cli, pytest.mark.tofu_cli]

HERE = "tests/engines"
SUITE = tuple(
    f"{HERE}/{name}.py"
    for name in (
        "test_fault_outcomes",
        "test_fault_processes",
        "test_checklist_faults",
        "test_shutdown",
        "test_interrupted_pytest",
    )
)
SMALL = (f"{HERE}/test_fault_outcomes.py", "-k", "partial and update and not applied")
"""One fault under each of the engines."""


@pytest.fixture
def suite(request: pytest.FixtureRequest) -> Sequence[str]:
    """The whole suite in a campaign, and a part of it otherwise."""
    return SUITE if request.config.getoption("trials") else SMALL


@pytest.mark.trial("fault-suite-under-engines", pinned=2, cases=20, few=0)
def test_every_order_comes_to_the_same(seeds: Iterator[int], suite: Sequence[str], tmp_path: Path) -> None:
    """Whatever the order, each resource's journal is the same, and no process, thread, socket, folder or lock is left."""
    same_however_often(seeds, suite, tmp_path)


@pytest.mark.trial("fault-suite-under-engines", pinned=1, cases=5, few=0)
@pytest.mark.parametrize("how", ENDINGS)
def test_a_run_that_is_broken_off(how: str, seeds: Iterator[int], suite: Sequence[str], tmp_path: Path) -> None:
    """Where a run is ended in the midst of a call, or a test of it fails there, nothing is left either."""
    broken_off(how, seeds, suite, tmp_path, calls=20)

"""Every fault under every engine: what a run that is broken leaves behind is what docs/fault-outcomes.json says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from fault_stage import OUTCOMES, ROWS, outcome

SEEN = json.loads(OUTCOMES.read_text(encoding="utf-8"))


def differs(row: str, engine: str, folder: Path) -> None:
    assert outcome(row, engine, folder / "engine") == SEEN[row][engine]


@pytest.mark.pulumi_cli
@pytest.mark.parametrize("row", ROWS)
def test_under_pulumi(row: str, tmp_path: Path) -> None:
    """The real pulumi ends, remembers and recovers as the table says."""
    differs(row, "pulumi", tmp_path)


@pytest.mark.terraform_cli
@pytest.mark.parametrize("row", ROWS)
def test_under_terraform(row: str, tmp_path: Path) -> None:
    """So does terraform, over protocol 6."""
    differs(row, "terraform", tmp_path)


@pytest.mark.terraform_cli
@pytest.mark.parametrize("row", ROWS)
def test_under_terraform_over_protocol_5(row: str, tmp_path: Path) -> None:
    """So does terraform, over protocol 5."""
    differs(row, "terraform5", tmp_path)


@pytest.mark.tofu_cli
@pytest.mark.parametrize("row", ROWS)
def test_under_tofu(row: str, tmp_path: Path) -> None:
    """So does tofu."""
    differs(row, "tofu", tmp_path)

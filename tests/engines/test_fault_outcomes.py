"""Every fault under every engine: what a run that is broken leaves behind is what docs/fault-outcomes.json says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from fault_stage import OUTCOMES, ROWS, outcome

SEEN = json.loads(OUTCOMES.read_text(encoding="utf-8"))
ENGINES = [
    pytest.param("pulumi", marks=pytest.mark.pulumi_cli),
    pytest.param("terraform", marks=pytest.mark.terraform_cli),
    pytest.param("terraform5", marks=pytest.mark.terraform_cli),
    pytest.param("tofu", marks=pytest.mark.tofu_cli),
]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("row", ROWS)
def test_a_broken_run(row: str, engine: str, tmp_path: Path) -> None:
    """The engine ends, remembers and recovers as the table says."""
    assert outcome(row, engine, tmp_path / "engine") == SEEN[row][engine]

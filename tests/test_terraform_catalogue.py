"""The scenario catalogue of Terraform's protocol: each scenario has an engine test, but for those that make an engine crash."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

HERE = Path(__file__).parent
GROUPS: Mapping[str, int] = {"f": 13, "p": 15, "r": 10, "a": 17, "i": 12}
"""The catalogue's groups and how many scenarios each has: start and schema, plan, refresh, apply, everything else."""

NEVER = {"f6", "f9", "i12"}
"""Scenarios without a test: they make an engine crash, so they are never to be sent."""


def test_every_scenario_has_a_test() -> None:
    """No scenario is missing but those that no provider is to provoke, and none of these has a test."""
    files = sorted((HERE / "engines").glob("test_terraform_catalogue_*.py"))
    found = {name for file in files for name in re.findall(r"^def test_([a-z]\d+)_", file.read_text(encoding="utf-8"), re.M)}
    numbers = {f"{group}{number}" for group, most in GROUPS.items() for number in range(1, most + 1)}
    assert found | NEVER == numbers
    assert sorted(found & NEVER) == []

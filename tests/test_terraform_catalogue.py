"""The scenario catalogue of Terraform's protocol: each scenario has an engine test, or a reason why it has none yet."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

HERE = Path(__file__).parent
GROUPS: Mapping[str, int] = {"f": 13, "p": 15, "r": 10, "a": 17, "i": 12}
"""The catalogue's groups and how many scenarios each has: start and schema, plan, refresh, apply, everything else."""

WAIT = "the engine says something after ten seconds of its own clock: nothing but waiting shows it"
NEVER = "it makes an engine crash, so it is never to be sent"

WAITING: Mapping[str, str] = {
    "f6": NEVER,
    "f9": NEVER,
    "a15": WAIT,
    "i12": NEVER,
}
"""Scenarios without an engine test of their own name."""


def test_every_scenario_has_a_test_or_a_reason() -> None:
    """No scenario is silently missing, and no reason is kept once there is a test."""
    files = sorted((HERE / "engines").glob("test_terraform_catalogue_*.py"))
    found = {name for file in files for name in re.findall(r"^def test_([a-z]\d+)_", file.read_text(encoding="utf-8"), re.M)}
    numbers = {f"{group}{number}" for group, most in GROUPS.items() for number in range(1, most + 1)}
    assert found | WAITING.keys() == numbers
    assert sorted(found & WAITING.keys()) == []

"""The scenario catalogue of Terraform's protocol: each scenario has an engine test, or a reason why it has none yet."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

HERE = Path(__file__).parent
GROUPS: Mapping[str, int] = {"f": 13, "p": 15, "r": 10, "a": 17, "i": 12}
"""The catalogue's groups and how many scenarios each has: start and schema, plan, refresh, apply, everything else."""

FAULTS = "it needs a fault, or a wait, that the fault layer is to bring"
STARTED = "it is about how a plugin starts: the tests of plugins that engines start"
NEVER = "it makes an engine crash, so it is never to be sent"

WAITING: Mapping[str, str] = {
    "f1": STARTED,
    "f2": STARTED,
    "f3": STARTED,
    "f4": STARTED,
    "f5": STARTED,
    "f6": NEVER,
    "f9": NEVER,
    "f10": FAULTS,
    "f11": STARTED,
    "f13": NEVER,
    "a15": FAULTS,
    "i1": FAULTS,
    "i3": FAULTS,
    "i4": FAULTS,
    "i5": FAULTS,
    "i6": FAULTS,
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

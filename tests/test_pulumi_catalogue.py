"""The scenarios of Pulumi's reference in which something fails: each has a test under the real engine."""

from __future__ import annotations

import re
from pathlib import Path

ENGINES = Path(__file__).parent / "engines"
FAILING = {1, 2, *range(15, 27), 31, 36, 38, 41, 43, 44, 45, 46, 48, 51, 52, 61, 63}
"""The scenarios of section 13 in which something fails; the others are about engines that work."""

NUMBERED = re.compile(r"^def test_s(\d+)_", re.M)
ELSEWHERE = re.compile(r"^    s(\d+)  (test_\w+\.py) +(test_\w+) ", re.M)


def test_every_scenario_has_a_test() -> None:
    """No scenario is missing, and each test that is named in the place of one exists."""
    texts = [file.read_text(encoding="utf-8") for file in ENGINES.glob("test_pulumi_catalogue_*.py")]
    named = [row for text in texts for row in ELSEWHERE.findall(text)]
    numbers = {int(number) for text in texts for number in NUMBERED.findall(text)} | {int(number) for number, *_ in named}
    assert sorted(numbers) == sorted(FAILING)
    for _, file, test in named:
        assert f"def {test}(" in (ENGINES / file).read_text(encoding="utf-8")

"""The kept cassettes under the real engines: what one engine recorded leads each of its kind to the same states."""

from __future__ import annotations

from pathlib import Path

import pytest
from kept_cassettes import ENGINES, Kept, recorded

MARKS = {"pulumi": pytest.mark.pulumi_cli, "terraform": pytest.mark.terraform_cli, "tofu": pytest.mark.tofu_cli}
REPLAYS = [
    pytest.param(kept, by, engine, marks=MARKS[engine], id=f"{kept.name}-of-{by}-under-{engine}")
    for kept, by in recorded()
    for engine in ENGINES[kept.protocol]
    if engine in MARKS
]


@pytest.mark.parametrize(("kept", "by", "engine"), REPLAYS)
def test_a_kept_life_is_lived_again(kept: Kept, by: str, engine: str, tmp_path: Path) -> None:
    """With nothing but the cassette behind it, the engine has after each step the state of the recorded run."""
    assert kept.replay(engine, kept.path(by), tmp_path) == kept.states(by)

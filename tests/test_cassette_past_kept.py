"""Past the end of the kept cassettes: recordings of real providers replay as before, and their objects are there."""

from __future__ import annotations

from pathlib import Path

import pytest
from asking import Asker
from kept_cassettes import Kept, recorded

from mockprovider.calls import Op
from mockprovider.double import Double, replaying_all

KEPT = [pytest.param(kept, by, id=f"{kept.name}-of-{by}") for kept, by in recorded()]


class Past(Asker):
    """Asks a replay with a fake past its end."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.doubles = {name: Double(provider=wiring) for name, wiring in replaying_all(path, beyond="fake").items()}
        self._handlers = dict(zip(self._spoken, self.doubles.values(), strict=True))


@pytest.mark.parametrize(("kept", "by"), KEPT)
def test_a_kept_cassette_is_replayed_as_it_is(kept: Kept, by: str) -> None:
    """Each recorded call gets its recorded answer, nothing is made up, and what was created and not deleted is in the cloud."""
    past = Past(kept.path(by))
    for expected, answer in past.pairs():
        assert answer == expected
    assert [double.made_up for double in past.doubles.values()] == [[] for _ in past.doubles]
    events = {event.effect for double in past.doubles.values() for event in double.cloud.events}
    made = any(interaction.op == Op.CREATE and not interaction.preview for interaction in past.cassette.interactions)
    assert ("created" in events) == made

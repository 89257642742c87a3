"""The strict order of a replay: as its calls were recorded, one after the other."""

from __future__ import annotations

from collections.abc import Sequence

from mockprovider.calls import Op
from mockprovider.cassette.recorded import RecordedCall


class RecordedSequence:
    """How far a replay has come in the order in which its calls were recorded. Reads may be left out, changes may not."""

    def __init__(self, calls: Sequence[RecordedCall]) -> None:
        self._changes = sorted((call for call in calls if call.once), key=lambda call: call.interaction.at)
        self._changed = 0
        self._last: RecordedCall | None = None

    def before(self, call: RecordedCall) -> RecordedCall | None:
        """The call for which this one is too early, or too late; ``None`` if it may come now."""
        if call.interaction.op == Op.CANCEL:
            # Engines send it whenever they end: after a miss it would be the next one, and hide the first.
            return None
        if self._last is not None and self._last.interaction.at > call.interaction.at:
            return self._last
        following = self._changes[self._changed] if self._changed < len(self._changes) else None
        return following if following is not None and following.interaction.at < call.interaction.at else None

    def take(self, call: RecordedCall) -> None:
        """This call was answered."""
        self._last = call if call.interaction.op != Op.CANCEL else self._last
        self._changed += call.once

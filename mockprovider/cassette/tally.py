"""How many recorded calls a run has played, and how many calls it has recorded."""

from __future__ import annotations

from msgspec import Struct


class Tally(Struct, frozen=True):
    """Counts of calls, over as many cassettes as there are: the sum of two is one over both.

    Args:
        played: how many were answered from a cassette.
        repeated: how many of these were answered again with an answer that had been given.
        unplayed: how many recorded answers nobody asked for.
        recorded: how many were recorded.
        made_up: how many a fake answered, past the end of a cassette.
    """

    played: int = 0
    repeated: int = 0
    unplayed: int = 0
    recorded: int = 0
    made_up: int = 0

    def __add__(self, other: Tally) -> Tally:
        return Tally(*(getattr(self, name) + getattr(other, name) for name in self.__struct_fields__))

    def __bool__(self) -> bool:
        return self != Tally()

    def __str__(self) -> str:
        played = f"{self.played} calls played{f' ({self.repeated} of them again)' if self.repeated else ''}"
        parts = {played: self.played or self.unplayed, f"{self.unplayed} never played": self.unplayed}
        rest = {f"{self.made_up} made up": self.made_up, f"{self.recorded} recorded": self.recorded}
        return ", ".join([*filter(parts.get, parts), *filter(rest.get, rest)])

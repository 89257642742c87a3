"""What came of asking a provider a recording's calls: data, and in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from enum import StrEnum
from typing import Any

import msgspec
from msgspec import Struct, field

from mockprovider.cassette.model import Interaction


class AnswerOutcome(StrEnum):
    """What came of one call."""

    EQUAL = "equal"
    DIFFERS = "differs"
    FAILED = "fails"
    """It was answered then, and is an error today."""
    NOT_ASKED = "not asked"


class AnswerDifference(Struct, frozen=True):
    """One place at which an answer differs, without secrets: what was ``recorded``, and what it is ``now``, as JSON."""

    path: str
    recorded: str
    now: str

    def __str__(self) -> str:
        return f"{self.path or '(all of it)'}: recorded {self.recorded}, now {self.now}"


class VerifiedCall(Struct, frozen=True):
    """What came of one call: ``n`` is the interaction's number, ``about`` what it is about; ``reason`` why it was not asked."""

    n: int
    op: str
    method: str
    about: str
    outcome: AnswerOutcome
    provider: str = ""
    differences: tuple[AnswerDifference, ...] = ()
    reason: str = ""

    def __str__(self) -> str:
        about = f" of {self.about}" if self.about else ""
        whose = f"{self.provider}: " if self.provider else ""
        why = f": {self.reason}" if self.reason else ""
        return f"interaction {self.n}, {whose}{self.op} ({self.method}){about} {_IN_WORDS[self.outcome]}{why}"


_IN_WORDS = {
    AnswerOutcome.EQUAL: "is answered as recorded",
    AnswerOutcome.DIFFERS: "is answered differently",
    AnswerOutcome.FAILED: "fails today",
    AnswerOutcome.NOT_ASKED: "was not asked",
}


class LeftObject(Struct, frozen=True):
    """An object that the provider made today and did not delete, with today's ``id``."""

    type: str
    id: str
    about: str = ""
    provider: str = ""

    def __str__(self) -> str:
        about = f" ({self.about})" if self.about and self.about != self.type else ""
        return f"{self.provider and self.provider + ': '}{self.type} {self.id}{about}"


class Verified(Struct):
    """What came of a whole recording. ``made_up`` counts the values that were other ones today, consistently."""

    name: str
    calls: list[VerifiedCall] = field(default_factory=list)
    left: list[LeftObject] = field(default_factory=list)
    made_up: int = 0

    @property
    def same(self) -> bool:
        """Whether every call was asked and answered as recorded."""
        return all(asked.outcome is AnswerOutcome.EQUAL for asked in self.calls)

    @property
    def differing(self) -> list[VerifiedCall]:
        """The calls that were not answered as recorded."""
        return [asked for asked in self.calls if asked.outcome is not AnswerOutcome.EQUAL]

    def to_json(self) -> dict[str, Any]:
        """The whole as JSON data; ``calls`` has all of them, also the equal ones."""
        tree: dict[str, Any] = msgspec.to_builtins(self)
        return {**tree, "same": self.same}


def lines(verified: Verified) -> list[str]:
    """What to say of it: a line in sum, then each call that was not answered as recorded, then what is left in the cloud."""
    return [_summary(verified), *_calls(verified), *left_lines(verified)]


def _summary(verified: Verified) -> str:
    count = Counter(asked.outcome for asked in verified.calls)
    counts = [f"{count[outcome]} {words}" for outcome, words in _COUNTED.items() if count[outcome]]
    made_up = f" {verified.made_up} made-up values were other ones, consistently." if verified.made_up else ""
    return f"{verified.name}: of {len(verified.calls)} recorded calls {', '.join(counts) or 'none was asked'}.{made_up}"


_COUNTED = {
    AnswerOutcome.EQUAL: "answered as recorded",
    AnswerOutcome.DIFFERS: "answered differently",
    AnswerOutcome.FAILED: "failed",
    AnswerOutcome.NOT_ASKED: "not asked",
}


def _calls(verified: Verified) -> Iterator[str]:
    for asked in verified.differing:
        yield str(asked)
        yield from (f"  {difference}" for difference in asked.differences)


def left_lines(verified: Verified) -> list[str]:
    """What to say of the objects that are left."""
    if not verified.left:
        return []
    return [
        "These were made and not deleted. Delete by hand what is not meant to be:",
        *(f"  {left}" for left in verified.left),
    ]


def about(interaction: Interaction) -> str:
    """What a call is about, in one word."""
    return interaction.urn or interaction.address or interaction.type

"""What a cassette is used for, and what becomes of a call: one table."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct

from mockprovider.errors import DefinitionError


class Mode(StrEnum):
    """What a cassette is used for; the same names on every command line, marker and option."""

    NONE = "none"
    ONCE = "once"
    NEW = "new"
    ALL = "all"
    REWRITE = "rewrite"
    VERIFY = "verify"


class LookResult(StrEnum):
    """What looking for a call in the cassette came to."""

    FOUND = "found"
    MISSING = "missing"
    AMBIGUOUS = "ambiguous"


class CassetteAction(StrEnum):
    """What to do with one call."""

    REPLAY = "replay"
    RECORD = "record"
    REFUSE = "refuse"
    COMPARE = "compare"


class ModeRule(Struct, frozen=True):
    """What a mode does with a call: in a cassette that ``existed``, by what looking for it came to, and in a new one."""

    if_found: CassetteAction
    if_missing: CassetteAction
    if_ambiguous: CassetteAction
    if_new: CassetteAction

    def action(self, outcome: LookResult, *, existed: bool) -> CassetteAction:
        """What to do with a call that the cassette, if it existed, has or has not."""
        cells = {
            LookResult.FOUND: self.if_found,
            LookResult.MISSING: self.if_missing,
            LookResult.AMBIGUOUS: self.if_ambiguous,
        }
        return cells[outcome] if existed else self.if_new

    def actions(self, *, existed: bool) -> frozenset[CassetteAction]:
        """Everything that it may do with a call."""
        return frozenset(self.action(outcome, existed=existed) for outcome in LookResult)

    def asks(self, *, existed: bool) -> bool:
        """Whether it asks a provider: all other modes need none."""
        return not self.actions(existed=existed).isdisjoint({CassetteAction.RECORD, CassetteAction.COMPARE})

    @property
    def adds(self) -> bool:
        """Whether it adds to what the cassette holds, instead of recording another one."""
        return self.if_found is CassetteAction.REPLAY and self.if_missing is CassetteAction.RECORD

    @property
    def replaces(self) -> bool:
        """Whether it records also where there is a cassette, whose place the recording takes."""
        return CassetteAction.RECORD in self.actions(existed=True)


REPLAY, RECORD, REFUSE, COMPARE = CassetteAction
DEFAULT = Mode.NONE
"""The default everywhere, also on a developer's machine, so that no test run calls a cloud by surprise."""

RULES: Mapping[Mode, ModeRule] = {
    #                       the cassette existed, and the call was ...   it did not exist
    #                       found     missing   ambiguous
    Mode.NONE: ModeRule(REPLAY, REFUSE, REFUSE, REFUSE),
    Mode.ONCE: ModeRule(REPLAY, REFUSE, REFUSE, RECORD),
    Mode.NEW: ModeRule(REPLAY, RECORD, REFUSE, RECORD),
    Mode.ALL: ModeRule(RECORD, RECORD, RECORD, RECORD),
    # A recording is a whole cassette, so what was not asked for again goes with ``all``, too.
    Mode.REWRITE: ModeRule(RECORD, RECORD, RECORD, RECORD),
    Mode.VERIFY: ModeRule(COMPARE, REFUSE, REFUSE, REFUSE),
}
"""What each mode does. The layer in ``deciding`` reads it, and nothing else does."""


def mode(name: str) -> Mode:
    """The mode of this name. Raises ``DefinitionError`` for a name that is none."""
    if name not in list(Mode):
        *first, last = (repr(member.value) for member in Mode)
        raise DefinitionError(f"{name!r} is no cassette mode. There are {', '.join(first)} and {last}.")
    return Mode(name)

"""The names of the modes, and what each of those that are built does with a call."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct

from mockprovider.errors import DefinitionError, UnsupportedError


class Mode(StrEnum):
    """What a cassette is used for; the same names on every command line, marker and option."""

    NONE = "none"
    ONCE = "once"
    NEW = "new"
    ALL = "all"
    REWRITE = "rewrite"
    VERIFY = "verify"


class CassetteAction(StrEnum):
    """What to do with one call."""

    REPLAY = "replay"
    RECORD = "record"
    REFUSE = "refuse"


class ModeRule(Struct, frozen=True):
    """A mode's decisions: ``known`` for a call that the cassette holds, ``unknown`` for one that it does not."""

    known: CassetteAction
    unknown: CassetteAction


DEFAULT = Mode.NONE
"""The default everywhere, also on a developer's machine, so that no test run calls a cloud by surprise."""

DECISIONS: Mapping[Mode, ModeRule] = {
    Mode.NONE: ModeRule(known=CassetteAction.REPLAY, unknown=CassetteAction.REFUSE),
    Mode.ALL: ModeRule(known=CassetteAction.RECORD, unknown=CassetteAction.RECORD),
}
"""The modes that this version has. The cells describe what a recorder and a replay do; only the keys are read."""


def mode(name: str) -> Mode:
    """The mode of this name.

    Raises ``DefinitionError`` for a name that is no mode, ``UnsupportedError`` for a mode that this version does not have yet.
    """
    built = " and ".join(repr(member.value) for member in DECISIONS)
    if name not in list(Mode):
        raise DefinitionError(f"{name!r} is no cassette mode. This version has {built}.")
    chosen = Mode(name)
    if chosen not in DECISIONS:
        raise UnsupportedError(f"Cassette mode {chosen.value!r} is not built yet. This version has {built}.")
    return chosen

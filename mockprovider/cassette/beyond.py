"""What answers a call that a replayed cassette does not hold: nobody, or a fake."""

from __future__ import annotations

from enum import StrEnum

from mockprovider.cassette.modes import RULES, Mode
from mockprovider.errors import DefinitionError


class Beyond(StrEnum):
    """What becomes of such a call; the same words on markers, in Python and on command lines."""

    MISS = "miss"
    FAKE = "fake"


def beyond_policy(name: str, mode: Mode) -> Beyond:
    """The policy of this name. Raises ``DefinitionError`` for a name that is none, and where ``mode`` asks a provider."""
    if name not in list(Beyond):
        known = " and ".join(repr(member.value) for member in Beyond)
        raise DefinitionError(f"beyond={name!r} is no policy for calls that the cassette does not hold. There are {known}.")
    if name == Beyond.FAKE and RULES[mode].asks(existed=True):
        fitting = " and ".join(repr(one.value) for one, rule in RULES.items() if not rule.asks(existed=True))
        raise DefinitionError(
            f"beyond='fake' lets a fake answer what the cassette does not hold, and in the mode {mode.value!r} a provider is "
            f"asked. Use it with the modes {fitting}, or leave it out."
        )
    return Beyond(name)

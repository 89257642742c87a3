"""What a replay must have played when it ends: each recorded change, unless its policy allows less."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum

from mockprovider.calls import EFFECTS
from mockprovider.cassette.model import Interaction
from mockprovider.errors import DefinitionError, MalformedError
from mockprovider.urn import Urn

MOST_LISTED = 30
REQUIRED = EFFECTS
"""Ops that have to be played. Reads, functions and configuration are asked for as engines please."""


class Unplayed(StrEnum):
    """What follows where recorded changes were never asked for; the same words on markers, in Python and on command lines."""

    FAIL = "fail"
    ALLOW = "allow"


def unplayed_policy(name: str) -> Unplayed:
    """The policy of this name. Raises ``DefinitionError`` for a name that is none."""
    if name not in list(Unplayed):
        known = " and ".join(repr(member.value) for member in Unplayed)
        raise DefinitionError(f"unplayed={name!r} is no policy for recorded changes that nobody asked for. There are {known}.")
    return Unplayed(name)


def listed(interactions: Sequence[Interaction]) -> Iterator[str]:
    """A line for each: its op, its type, and what it is called."""
    for interaction in interactions[:MOST_LISTED]:
        about = " ".join(filter(None, (interaction.op, interaction.type, _name(interaction))))
        yield f"{about} (interaction {interaction.n})"
    if len(interactions) > MOST_LISTED:
        yield f"and {len(interactions) - MOST_LISTED} more"


def _name(interaction: Interaction) -> str:
    try:
        return Urn.parse(interaction.urn).name
    except MalformedError:
        return interaction.urn or interaction.address or interaction.id

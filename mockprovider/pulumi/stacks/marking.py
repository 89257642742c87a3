"""Resources of a state that somebody names, to mark them."""

from __future__ import annotations

from collections.abc import Sequence

from mockprovider.errors import DefinitionError
from mockprovider.hints import did_you_mean
from mockprovider.pulumi.stacks.state import ResourceStates
from mockprovider.urn import PREFIX


def named_urns(names: Sequence[str], state: ResourceStates) -> list[str]:
    """The URNs of the resources ``names``, each a name or a URN, of ``state``.

    Raises ``DefinitionError`` where there are none, for one that is not there, and for a name of several.
    """
    if not names:
        raise DefinitionError("No resource is named: give names or URNs.")
    return [_urn(name, state) for name in names]


def _urn(name: str, state: ResourceStates) -> str:
    try:
        return state[name].urn
    except KeyError as error:
        known = set(state) if name.startswith(PREFIX) else state.names()
        raise DefinitionError(f"{error.args[0]}. {did_you_mean(name, known)}".rstrip()) from None

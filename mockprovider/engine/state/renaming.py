"""What was found under an alias has its new name as soon as it is in a state, and what refers to it follows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from mockprovider.pulumi.stacks.resource_options import with_urns
from mockprovider.pulumi.stacks.state import ResourceState, copied
from mockprovider.urn import STACK_TYPE, Urn


def renamed(resources: Sequence[ResourceState]) -> tuple[ResourceState, ...]:
    """Copies of ``resources``, in the order of a state, that refer to each other by new names and have no aliases any more.

    As in the real engine, the remembered children of a renamed resource are renamed with it, whether they were registered or
    not.
    """
    now = _new_names(resources)
    if not now:
        return tuple(map(copied, resources))
    return tuple(_following(resource, now) for resource in resources)


def _new_names(resources: Sequence[ResourceState]) -> dict[str, str]:
    """The new URN of each old one: of what ``aliases`` say, and of what stands below it, in the order of a state."""
    now: dict[str, str] = {}
    for resource in resources:
        now |= dict.fromkeys(resource.aliases, resource.urn)
        parent = now.get(resource.parent)
        if parent and (above := Urn.parse(parent)).qualified_type != STACK_TYPE:
            urn = Urn.parse(resource.urn)
            now[resource.urn] = str(Urn(urn.stack, urn.project, f"{above.qualified_type}${urn.type}", urn.name))
    return now


def _following(state: ResourceState, names: Mapping[str, str]) -> ResourceState:
    def now(urn: str) -> str:
        return names.get(urn, urn)

    following = with_urns(state, now)
    by_property = following["property_dependencies"]
    if by_property != state.property_dependencies:
        # As in the real engine, properties without dependencies are left out of what is written anew.
        following["property_dependencies"] = {key: urns for key, urns in by_property.items() if urns}
    return replace(state, urn=now(state.urn), aliases=(), view_of=now(state.view_of), **following)

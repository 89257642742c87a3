"""Orders over a state: who depends on whom, and in which batches deletions may run."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Sequence

from msgspec.structs import replace

from mockprovider.pulumi.stacks.resource_options import with_urns
from mockprovider.pulumi.stacks.state import ResourceState


def dependents(
    resources: Sequence[ResourceState],
    root: ResourceState,
    passed_over: Callable[[str], bool],
) -> list[ResourceState]:
    """What depends on ``root``, directly or not, in the state's order; parents alone do not count.

    ``passed_over`` tells the URNs that cannot depend on it any more, because this run has registered them already.
    """
    depending: list[ResourceState] = []
    urns = {root.urn}
    position = next((index for index, resource in enumerate(resources) if resource is root), len(resources))
    for candidate in resources[position + 1 :]:
        if not passed_over(candidate.urn) and any(urn in urns for urn in candidate.dependency_urns(parent=False)):
            depending.append(candidate)
            urns.add(candidate.urn)
    return depending


def deletion_batches(resources: Sequence[ResourceState], condemned: Collection[ResourceState]) -> list[list[ResourceState]]:
    """``condemned`` in batches: whatever depends on something is in an earlier batch than that.

    ``resources`` is the whole state, in its order, which is also that of a batch, as most often in the real engine: it goes
    through a map of Go's. What depends on a component depends on what is inside of it so far. Linear in the number of
    dependencies.
    """
    inside = _Insides()
    chosen = {id(resource) for resource in condemned}
    instances: dict[str, list[int]] = defaultdict(list)
    levels: list[int] = []
    batches: dict[int, list[ResourceState]] = defaultdict(list)
    for index, resource in enumerate(resources):
        if id(resource) in chosen:
            below = [levels[at] for urn in resource.dependency_urns() for at in instances.get(urn, ())]
            below += [inside.level(urn) for urn in resource.dependency_urns(parent=False)]
            level = 1 + max(below, default=-1)
            inside.note(resource, level)
            instances[resource.urn].append(index)
            batches[level].append(resource)
        else:
            level = -1
        levels.append(level)
    return [batches[level] for level in sorted(batches, reverse=True)]


class _Insides:
    """How deep what stands inside of each component lies, at every depth below it, as far as a state was read."""

    def __init__(self) -> None:
        self._levels: dict[str, int] = {}
        self._parents: dict[str, str] = {}
        self._components: set[str] = set()

    def note(self, resource: ResourceState, level: int) -> None:
        """Note the next ``resource`` of the state."""
        self._parents[resource.urn] = resource.parent
        if not resource.custom:
            self._components.add(resource.urn)
        above = resource.parent
        while above and self._levels.get(above, -1) < level:
            self._levels[above] = level
            above = self._parents.get(above, "")

    def level(self, urn: str) -> int:
        """The deepest level inside of ``urn``; -1 if that is no component."""
        return self._levels.get(urn, -1) if urn in self._components else -1


def transitive_dependencies(resources: Sequence[ResourceState], of: ResourceState) -> set[int]:
    """The identities (``id()``) of everything that ``of`` needs, directly or not.

    Of several instances of a resource, what was replaced itself needs the last that was replaced, anything else the last that
    was not.
    """
    replaced = {resource.urn: resource for resource in resources if resource.delete}
    current = {resource.urn: resource for resource in resources if not resource.delete}
    identities: set[int] = set()
    waiting = [(of, of.urn)]
    while waiting:
        origin, urn = waiting.pop()
        first, second = (replaced, current) if origin.delete else (current, replaced)
        needed = first.get(urn) or second.get(urn)
        if needed is not None and id(needed) not in identities:
            identities.add(id(needed))
            waiting += [(needed, dependency) for dependency in needed.dependency_urns()]
    return identities - {id(of)}


def staying(resources: Sequence[ResourceState], excluded: Callable[[str], bool], *, dependents: bool) -> set[str]:
    """The URNs of what is ``excluded`` from a deletion and of its dependencies; a component counts with all its children.

    With ``dependents``, whatever depends on these stays as well, with its own dependencies.
    """
    components = {resource.urn for resource in resources if not resource.custom}
    urns = {resource.urn for resource in resources if excluded(resource.urn)}
    before = 0
    while len(urns) != before:
        before = len(urns)
        for index, resource in reversed(list(enumerate(resources))):
            if resource.urn in urns:
                urns.update(resource.dependency_urns())
                urns |= _inside(resources[:index], components.intersection(resource.dependency_urns(parent=False)))
            elif dependents and not urns.isdisjoint(resource.dependency_urns()):
                urns.add(resource.urn)
    return urns


def _inside(resources: Sequence[ResourceState], components: Collection[str]) -> set[str]:
    """The URNs of ``components`` and of their children, at every depth."""
    urns = set(components)
    for resource in resources if urns else ():
        if resource.parent in urns:
            urns.add(resource.urn)
    return urns


def repaired(resources: Sequence[ResourceState], whole: Collection[int] = ()) -> list[ResourceState]:
    """``resources`` without references to what does not precede them; without parents, too, as in the real engine.

    Those whose identities (``id()``) are in ``whole`` are changed only if they have such references.
    """
    present: set[str] = set()
    mended = []
    for resource in resources:
        spared = id(resource) in whole and present.issuperset(resource.dependency_urns(provider=False))
        mended.append(resource if spared else _repair(resource, present))
        present.add(resource.urn)
    return mended


def _repair(state: ResourceState, present: set[str]) -> ResourceState:
    return replace(state, **with_urns(state, lambda urn: urn if urn in present else "", repairing=True))

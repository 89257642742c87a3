"""The neutral plan: the planned object and its changes.

Pulumi's Diff and previews and Terraform's plan are projections of it, so that the rules for replacements and for unknown values
are written once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mockprovider.calls import Change, ChangeKind, Plan
from mockprovider.fake.catalogue import MARKER
from mockprovider.fake.checks import with_defaults
from mockprovider.fake.choosing import Choices
from mockprovider.fake.computing import computed, planned_inside, planned_value
from mockprovider.fake.inventing.stated import Invent, Stated, agrees
from mockprovider.paths import parse, show
from mockprovider.schema import Kind, Property, ResourceType
from mockprovider.values import UNKNOWN, Bag, Value, has_unknown, is_unknown, reveal, same

Segments = tuple[str | int, ...]


def plan_create(declared: ResourceType, inputs: Bag) -> Plan:
    """The plan of a new object. A computed property is known only if it has a template over known values."""
    filled = with_defaults(declared.properties, plain_inputs(inputs), Choices(left_open=True))
    wanted = {name: value for name, value in filled.items() if value is not None}
    planned = planned_inside(declared, wanted, {})
    for name, item in computed(declared, wanted):
        planned[name] = planned_value(item, planned)
    changes = tuple(Change(show((name,)), ChangeKind.ADD) for name in sorted(planned))
    return Plan(planned, changes, declared.delete_before_replace)


def plan_update(
    declared: ResourceType, prior: Bag, prior_inputs: Bag | None, inputs: Bag, id_: str, *, invent: Invent | None = None
) -> Plan:
    """The plan of an existing object.

    If ``prior_inputs`` is ``None`` (Terraform, and engines that do not send them), the inputs in ``prior`` take their place.
    """
    filled = with_defaults(declared.properties, plain_inputs(inputs), Choices(prior=prior, left_open=True))
    # A value that is still to be chosen is no change by itself.
    to_come = [name for name, value in filled.items() if is_unknown(value) and inputs.get(name) is None]
    wanted = {name: value for name, value in filled.items() if value is not None and name not in to_come}
    settled = dict(computed(declared, wanted))
    before = _before(declared, prior if prior_inputs is None else plain_inputs(prior_inputs), wanted)
    changes = tuple(_changes(declared, before, wanted))
    planned = planned_inside(declared, wanted, prior, id_, invent)
    if any(change.replaces for change in changes):
        first = _deletes_first(declared, changes, before, wanted, inputs)
        return Plan({**planned, **plan_create(declared, inputs).planned}, changes, first)
    for name in wanted if not changes else ():
        # Computed properties inside of it stay as they are, too.
        if name in prior and not same(planned[name], wanted[name]):
            planned[name] = prior[name]
    for name, item in settled.items():
        planned[name] = planned_value(item, planned, prior.get(name, UNKNOWN), id_) if changes else prior.get(name)
    if changes:
        planned |= {name: filled[name] for name in to_come}
    stable = tuple(sorted(name for name in settled if same(planned[name], prior.get(name))))
    return Plan(planned, changes, declared.delete_before_replace, stable)


def plain_inputs(inputs: Bag) -> Bag:
    """``inputs`` without the list of defaults."""
    return {name: value for name, value in inputs.items() if name != MARKER} if MARKER in inputs else inputs


def auto_named(inputs: Bag) -> frozenset[str]:
    """The properties that Check named, by the list in ``inputs``."""
    names = reveal(inputs.get(MARKER))
    return frozenset(map(str, names)) if isinstance(names, (list, tuple)) else frozenset()


def _before(declared: ResourceType, known: Bag, wanted: Bag) -> dict[str, Value]:
    """The inputs in ``known``, at every depth; a computed property is one if it is ``wanted``."""
    inputs = {}
    for name, value in known.items():
        item = declared.properties.get(name)
        if name in wanted or (item is not None and not item.computed):
            inputs[name] = without_computed(item.kind, value, wanted.get(name)) if item else value
    return inputs


def without_computed(kind: Kind, value: Value, wanted: Value) -> Value:
    """``value`` without the computed properties inside that are not ``wanted``."""
    value, wanted = reveal(value), reveal(wanted)
    if (kind.name == "object" or kind.properties) and isinstance(value, Mapping):
        like = wanted if isinstance(wanted, Mapping) else {}
        known = kind.properties
        return {
            name: _as_wanted(known[name], part, like.get(name)) if name in known else part
            for name, part in value.items()
            if name not in known or not known[name].computed or like.get(name) is not None
        }
    if kind.items is None or not (kind.items.items or kind.items.properties):
        return value
    if isinstance(value, Mapping):
        like = wanted if isinstance(wanted, Mapping) else {}
        return {key: without_computed(kind.items, element, like.get(key)) for key, element in value.items()}
    if not isinstance(value, (list, tuple)):
        return value
    others = [*(wanted if isinstance(wanted, (list, tuple)) else ()), *[None] * len(value)]
    if kind.name == "set":
        # Elements of sets cannot be told apart, so what any of them sets counts for all.
        named = {name: part for other in others if isinstance(other, Mapping) for name, part in other.items()}
        return [without_computed(kind.items, element, named) for element in value]
    return [without_computed(kind.items, element, other) for element, other in zip(value, others, strict=False)]


def _as_wanted(item: Property, value: Value, wanted: Value) -> Value:
    stated = item.computed
    if isinstance(stated, Stated) and stated.wins and agrees(stated.value, value):
        # The program's own value did not count.
        return wanted
    return without_computed(item.kind, value, wanted)


def _deletes_first(declared: ResourceType, changes: tuple[Change, ...], before: Bag, wanted: Bag, inputs: Bag) -> bool:
    """Whether the old object must be deleted first: as declared, or because both would have the program's name."""
    if declared.delete_before_replace:
        return True
    if any(item.delete_before_replace for change in changes if change.replaces for item in _along(declared, change.path)):
        return True
    named = [name for name, item in declared.properties.items() if item.auto_name and name not in auto_named(inputs)]
    return any(inputs.get(name) is not None and same(before.get(name), wanted[name]) for name in named)


def _along(declared: ResourceType, path: str) -> Iterator[Property]:
    """The declarations of the properties along a path."""
    kind: Kind | None = Kind("object", properties=declared.properties)
    for segment in parse(path):
        item = kind.properties.get(str(segment)) if kind else None
        if item is not None:
            yield item
        kind = item.kind if item else kind.items if kind else None


def _changes(declared: ResourceType, before: Bag, after: Bag) -> Iterator[Change]:
    for name in sorted(before.keys() | after.keys()):
        item = declared.properties.get(name)
        kind, replaces = (item.kind, item.forces_new) if item else (Kind("any"), False)
        yield from _compare(kind, before.get(name), after.get(name), (name,), replaces=replaces)


def _compare(kind: Kind, before: Value, after: Value, path: Segments, *, replaces: bool) -> Iterator[Change]:
    before, after = reveal(before), reveal(after)
    if before is None and after is None:
        return
    if before is None:
        yield Change(show(path), ChangeKind.ADD, replaces)
    elif after is None:
        yield Change(show(path), ChangeKind.DELETE, replaces)
    elif isinstance(before, Mapping) and isinstance(after, Mapping):
        for key in sorted(before.keys() | after.keys()):
            inner, inner_replaces = _inside(kind, key)
            yield from _compare(inner, before.get(key), after.get(key), (*path, key), replaces=replaces or inner_replaces)
    elif kind.name != "set" and isinstance(before, (list, tuple)) and isinstance(after, (list, tuple)):
        for index in range(max(len(before), len(after))):
            old, new = (side[index] if index < len(side) else None for side in (before, after))
            yield from _compare(kind.items or Kind("any"), old, new, (*path, index), replaces=replaces)
    elif not (_same_set(before, after) if kind.name == "set" else same(before, after)):
        yield Change(show(path), ChangeKind.UPDATE, replaces)


def _inside(kind: Kind, key: str) -> tuple[Kind, bool]:
    item: Property | None = kind.properties.get(key)
    return (item.kind, item.forces_new) if item else (kind.items or Kind("any"), False)


def _same_set(before: Value, after: Value) -> bool:
    left = list(after)
    for element in before:
        position = next((index for index, other in enumerate(left) if same(element, other)), None)
        if position is None:
            return False
        left.pop(position)
    return not left and not has_unknown(after)


def as_planned(properties: Mapping[str, Property], inputs: Bag, planned: Bag) -> dict[str, Value]:
    """The inputs as they were planned, where the plan knows them.

    An engine works a configuration out anew before it applies: ``uuid()`` is another one then, what is ignored is in it again,
    and the plan is what counts.
    """
    agreed: dict[str, Value] = {}
    for name in (*inputs, *(name for name in planned if name not in inputs)):
        item = properties.get(name)
        value = inputs.get(name)
        if item is None or item.write_only:
            # What is only written is in no plan.
            agreed[name] = value
        elif item.is_input:
            agreed[name] = _agreed(item.kind, value, planned.get(name))
    return {name: value for name, value in agreed.items() if value is not None}


def _agreed(kind: Kind, value: Value, planned: Value) -> Value:
    if kind.name == "object" and isinstance(value, Mapping) and isinstance(planned, Mapping):
        return as_planned(kind.properties, value, planned)
    return value if has_unknown(planned) else planned

"""The neutral plan: what an object will be, and what changes on the way.

Pulumi's Diff and previews and Terraform's plan are projections of it, so that the rules of what forces a replacement and
of what can be known beforehand are written once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mockprovider.calls import Change, ChangeKind, Plan
from mockprovider.fake.checks import with_defaults
from mockprovider.fake.computing import computed, planned_value
from mockprovider.paths import show
from mockprovider.schema import Kind, Property, ResourceType
from mockprovider.values import UNKNOWN, Bag, Value, has_unknown, reveal, same

Segments = tuple[str | int, ...]


def plan_create(declared: ResourceType, inputs: Bag) -> Plan:
    """The plan of a new object: what a computed property will be is known only where its template needs nothing unknown."""
    wanted = {name: value for name, value in with_defaults(declared.properties, inputs).items() if value is not None}
    planned = dict(wanted)
    for name, item in computed(declared, wanted):
        planned[name] = planned_value(item, planned)
    changes = tuple(Change(show((name,)), ChangeKind.ADD) for name in sorted(planned))
    return Plan(planned, changes, declared.delete_before_replace)


def plan_update(declared: ResourceType, prior: Bag, prior_inputs: Bag | None, inputs: Bag, id_: str) -> Plan:
    """The plan of an existing object.

    Where ``prior_inputs`` is ``None`` (Terraform, and engines that do not send them) they are what ``prior`` holds of inputs.
    """
    wanted = {name: value for name, value in with_defaults(declared.properties, inputs).items() if value is not None}
    settled = dict(computed(declared, wanted))
    before = prior if prior_inputs is None else prior_inputs
    before = {
        name: value
        for name, value in before.items()
        if value is not None and name not in settled and (name in wanted or _is_input(declared, name))
    }
    changes = tuple(_changes(declared, before, wanted))
    planned = dict(wanted)
    if any(change.replaces for change in changes):
        return Plan({**planned, **plan_create(declared, inputs).planned}, changes, declared.delete_before_replace)
    for name, item in settled.items():
        planned[name] = planned_value(item, planned, prior.get(name, UNKNOWN), id_) if changes else prior.get(name)
    stable = tuple(sorted(name for name in settled if same(planned[name], prior.get(name))))
    return Plan(planned, changes, declared.delete_before_replace, stable)


def _is_input(declared: ResourceType, name: str) -> bool:
    item = declared.properties.get(name)
    return item is not None and item.is_input


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
            old, new = (each[index] if index < len(each) else None for each in (before, after))
            yield from _compare(kind.items or Kind("any"), old, new, (*path, index), replaces=replaces)
    elif not (_same_set(before, after) if kind.name == "set" else same(before, after)):
        yield Change(show(path), ChangeKind.UPDATE, replaces)


def _inside(kind: Kind, key: str) -> tuple[Kind, bool]:
    item: Property | None = kind.properties.get(key)
    return (item.kind, item.forces_new) if item else (kind.items or Kind("any"), False)


def _same_set(before: Value, after: Value) -> bool:
    if has_unknown(before) or has_unknown(after) or len(before) != len(after):
        return False
    left = list(after)
    for each in before:
        found = next((index for index, other in enumerate(left) if same(each, other)), None)
        if found is None:
            return False
        left.pop(found)
    return True

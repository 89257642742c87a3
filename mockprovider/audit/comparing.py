"""Compares what exists with what engines remember."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict

from mockprovider.audit.findings import Audit, Stale, Twin
from mockprovider.audit.objects import EngineMemory, Evidence, ExistingObject, RememberedObject
from mockprovider.matching import Difference, differences, encode
from mockprovider.properties import Kind, Property, secret_paths
from mockprovider.values import Bag, Unknown, Value, map_value, reveal, same

HIDDEN = "[secret]"
UNREADABLE = {"\x00": "unreadable"}
"""Stands for a remembered value that cannot be read, such as an encrypted one: it is not compared."""

Declared = Callable[[str], Mapping[str, Property]]
"""The declared properties of a type; none of one that nobody declared."""


def compare(
    evidence: Evidence,
    memories: Sequence[EngineMemory],
    declared: Declared = lambda _: {},
    scrub: Callable[[Any], Any] = lambda content: content,
) -> Audit:
    """What exists against what all of ``memories`` remember together.

    Args:
        evidence: what exists.
        memories: the engines' states.
        declared: tells which values are secret, and which are sets.
        scrub: takes secrets out of a value that is to be shown.
    """
    left, matches, phantoms, stale = list(evidence.objects), [], [], []
    for remembered in (remembered for memory in memories for remembered in memory.objects):
        existing = _match(remembered, left, evidence.objects, declared)
        if existing is not None:
            matches.append((remembered, existing))
            differing = list(_shown(remembered, existing, declared, scrub))
            stale += [Stale(remembered, existing, differing)] if differing else []
        elif evidence.is_whole or (remembered.type, remembered.id) in evidence.gone:
            phantoms.append(remembered)
    orphans = [existing for existing in left if existing.is_ours]
    return Audit(
        orphans=orphans,
        phantoms=phantoms,
        doubles=[twin for orphan in orphans for twin in _twin(orphan, matches)],
        stale=stale,
        pending=[*(operation for memory in memories for operation in memory.cut_off), *evidence.cut_off],
        existing=len(evidence.objects),
        remembered=sum(len(memory.objects) for memory in memories),
        left_out={package: count for memory in memories for package, count in memory.left_out.items()},
        remedies=tuple(memory.remedies for memory in memories),
        forgotten=evidence.forgotten,
    )


def _match(
    remembered: RememberedObject, left: list[ExistingObject], objects: Sequence[ExistingObject], declared: Declared
) -> ExistingObject | None:
    """The object that is remembered, which ``left`` loses; one that several resources are about is each one's match."""
    for candidates in (left, objects):
        fitting = [
            existing for existing in candidates if existing.id == remembered.id and remembered.type in ("", existing.type)
        ]
        if fitting:
            # Some types give several objects one id.
            best = min(fitting, key=lambda existing: len(list(_differences(remembered, existing, declared))))
            left[:] = [existing for existing in left if existing is not best]
            return best
    return None


def _twin(orphan: ExistingObject, matches: Sequence[tuple[RememberedObject, ExistingObject]]) -> Iterator[Twin]:
    for remembered, existing in matches:
        if existing.type == orphan.type and not remembered.waits and _of_one_resource(orphan, remembered, existing):
            yield Twin(orphan, remembered)
            return


def _of_one_resource(orphan: ExistingObject, remembered: RememberedObject, existing: ExistingObject) -> bool:
    if orphan.resource and remembered.resource:
        return orphan.resource == remembered.resource
    if orphan.inputs is not None and existing.inputs is not None:
        return same(orphan.inputs, existing.inputs)
    return same(_without_id(orphan), _without_id(existing))


def _without_id(existing: ExistingObject) -> Value:
    """The properties, without what was made of the object's own id."""
    id_ = existing.id
    return map_value(
        dict(existing.properties), lambda value: value.replace(id_, "") if id_ and isinstance(value, str) else value
    )


# Values ----------------------------------------------------------------------------------------------------------------


def _shown(
    remembered: RememberedObject, existing: ExistingObject, declared: Declared, scrub: Callable[[Any], Any]
) -> Iterator[Difference]:
    """The differences, without the values of secrets."""
    properties = declared(existing.type)
    for name, difference in _differences(remembered, existing, declared):
        item = properties.get(name)
        if name in remembered.secrets or (item is not None and any(secret_paths({name: item}))):
            yield Difference(difference.path, HIDDEN, HIDDEN)
        else:
            yield Difference(difference.path, *(_scrubbed(side, scrub) for side in (difference.recorded, difference.actual)))


def _scrubbed(value: Any, scrub: Callable[[Any], Any]) -> Any:
    return scrub(value) if isinstance(value, (str, dict, list)) else value


def _differences(
    remembered: RememberedObject, existing: ExistingObject, declared: Declared
) -> Iterator[tuple[str, Difference]]:
    """Where the remembered values differ from those that are, each with the name of its property."""
    if remembered.properties is None or remembered.waits:
        return
    actual = _present(remembered.visible(existing.properties))
    wanted = {name: value for name, value in (remembered.inputs or {}).items() if name in actual}
    known = _present({**wanted, **remembered.properties})
    properties = declared(existing.type)
    for name in sorted(known.keys() | (actual.keys() if remembered.is_whole else ())):
        if name in known and name in actual and same(known[name], actual[name]):
            continue
        item = properties.get(name)
        kind = item.kind if item is not None else None
        one, other = (
            {name: _tree(bag[name], kind, unordered=remembered.is_unordered and kind is None)} if name in bag else {}
            for bag in (known, actual)
        )
        yield from ((name, differing) for differing in differences(one, other) if differing.recorded != UNREADABLE)


def _present(bag: Bag) -> dict[str, Value]:
    return {name: value for name, value in reveal(bag).items() if value is not None}


def _tree(value: Value, kind: Kind | None, *, unordered: bool) -> Any:
    """A value as plain JSON, sets in one order."""
    if isinstance(value, Unknown):
        return UNREADABLE
    if isinstance(value, Mapping):
        inside = kind.properties if kind is not None else {}
        return {
            str(key): _tree(item, inside[key].kind if key in inside else kind and kind.items, unordered=unordered)
            for key, item in value.items()
        }
    if isinstance(value, (list, tuple)):
        items = [_tree(item, kind and kind.items, unordered=unordered) for item in value]
        return sorted(items, key=encode) if unordered or (kind is not None and kind.name == "set") else items
    return _leaf(value)


def _leaf(value: Value) -> Any:
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, (float, Decimal)) and value == value // 1:
        return int(value)
    if isinstance(value, Decimal):
        return float(value)
    if value is None or isinstance(value, (str, int, float)):
        return value
    return {name: str(part) for name, part in asdict(value).items() if part} if isinstance(value, Struct) else str(value)

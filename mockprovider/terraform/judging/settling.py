"""An object as it was planned, with what is unknown in it filled in: what a cloud adds to a real provider's plan.

What is known stays as it is. A value that the program could have set is zero, since nothing is what most clouds fill in; one
that only the provider computes is invented (``fake.computing``). Times are times in either case, the id included.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from mockprovider.cloud import digest
from mockprovider.errors import MalformedError
from mockprovider.fake.computing import generated
from mockprovider.schema import Kind, Property, snake_case
from mockprovider.terraform.schema.properties import kind_of_place
from mockprovider.terraform.schema.tree import Place, place_of
from mockprovider.terraform.values.refinements import refinements
from mockprovider.values import Bag, Secret, Unknown, Value

Invent = Callable[[Property, str], Value]
"""Makes up the value of a property at a path."""

ZEROS: Mapping[str, Value] = {"string": "", "number": 0, "bool": False, "list": [], "set": [], "map": {}, "dynamic": ""}
TIME_NAMES = re.compile(r"rfc3339|(?:^|_)(?:time|timestamp|datetime)$|_at$", re.IGNORECASE)
EPOCH = datetime(2050, 1, 1, tzinfo=UTC)
"""All times are after it: real providers replace what has expired, and plans would depend on the day."""


def settled(
    tree: Place, planned: Bag, id_: str, invent: Invent | None = None, *, new: bool = True
) -> tuple[str, dict[str, Value]]:
    """The object's id, and all of it: ``planned``, in property names, with its unknown values filled in.

    ``id_`` is its id, or a ``new`` one that may have to take another form. ``invent`` makes up what nobody can know.
    """
    own = tree.members.get("id")
    if new and own is not None and _is_time("id", own):
        id_ = _time("id", id_)
    settling = _Settling(id_, invent or (lambda item, at: generated(item.kind, at, id_)))
    return id_, {name: settling.filled(value, _member(tree, name), name) for name, value in planned.items()}


def _member(place: Place, name: str) -> Place:
    return place.members[place.attributes[name]]


def _is_time(name: str, place: Place) -> bool:
    return place.type.name == "string" and (bool(TIME_NAMES.search(name)) or "RFC3339" in place.description.replace(" ", ""))


def _time(at: str, id_: str) -> str:
    return (EPOCH + timedelta(seconds=int(digest(id_, at), 16) % 10**9)).strftime("%Y-%m-%dT%H:%M:%SZ")


class _Settling:
    """Fills in one object."""

    def __init__(self, id_: str, invent: Invent) -> None:
        self._id, self._invent = id_, invent

    def filled(self, value: Value, place: Place, at: str, *, zero: bool = False) -> Value:
        """``value`` without anything unknown; ``zero`` says that a program could have set what is around it."""
        zero = zero or (place.optional and place.computed)
        if isinstance(value, Unknown):
            return _refined(self._made(place, at, zero=zero), value)
        if isinstance(value, Secret):
            return Secret(self.filled(value.value, place, at, zero=zero))
        if place.members and isinstance(value, Mapping):
            return {name: self.filled(part, _member(place, name), f"{at}.{name}", zero=zero) for name, part in value.items()}
        inside = place.element or place
        if isinstance(value, Mapping):
            return {key: self.filled(part, inside, f"{at}.{key}", zero=zero) for key, part in value.items()}
        if isinstance(value, (list, tuple)):
            elements = enumerate(zip(value, _elements(place, len(value)), strict=True))
            return [self.filled(part, element, f"{at}.{index}", zero=zero) for index, (part, element) in elements]
        return value

    def _made(self, place: Place, at: str, *, zero: bool) -> Value:
        """A value where nothing is known."""
        if at == "id" and place.type.name == "string":
            return self._id
        if _is_time(snake_case(at.rpartition(".")[2]), place):
            return _time(at, self._id)
        if place.members:
            members = ((member.property_name, member) for member in place.members.values())
            return {name: self._made(member, f"{at}.{name}", zero=zero or member.optional) for name, member in members}
        if place.type.name == "tuple":
            elements = enumerate(map(place_of, place.type.elements))
            return [self._made(element, f"{at}.{index}", zero=zero) for index, element in elements]
        if zero or place.type.name == "bool":
            return ZEROS.get(place.type.name, "")
        # SDKs are panicked by fractions where whole numbers are meant.
        kind = Kind("integer") if place.type.name == "number" else kind_of_place(place)
        return self._invent(Property(kind, computed=True, description=place.description), at)


def _elements(place: Place, count: int) -> list[Place]:
    types = place.type.elements
    return [place_of(kind) for kind in types] if types and len(types) == count else [place.element or place] * count


def _refined(value: Value, unknown: Unknown) -> Value:
    """``value``, bent to what the plan has promised of it."""
    said = _said(unknown)
    if said.get("null"):
        return None
    if isinstance(value, str) and not value.startswith(said.get("prefix", "")):
        return said["prefix"] + value
    if isinstance(value, int) and not isinstance(value, bool):
        return _bounded(value, said)
    if isinstance(value, list) and len(value) < said.get("min_length", 0):
        return [*value, *(f"{index}" for index in range(said["min_length"]))][: said["min_length"]]
    return value


def _bounded(value: int, said: Mapping[str, Any]) -> Value:
    least = said.get("min", said["above"] + 1 if "above" in said else None)
    most = said.get("max", said["below"] - 1 if "below" in said else None)
    value = value if least is None else max(value, least)
    return value if most is None else min(value, most)


def _said(unknown: Unknown) -> Mapping[str, Any]:
    try:
        return refinements(unknown.refinement) if unknown.refinement else {}
    except MalformedError:
        return {}

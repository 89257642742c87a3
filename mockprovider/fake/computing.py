"""The values of computed properties: generated, from a template, or from the user's function."""

from __future__ import annotations

import string
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache, partial
from typing import Any

from mockprovider.cloud import digest
from mockprovider.errors import DefinitionError
from mockprovider.fake.inventing.arns import ends_with_id
from mockprovider.fake.inventing.inventor import Inventor, nothing_said
from mockprovider.fake.inventing.makers import title
from mockprovider.fake.inventing.stated import Invent, Stated, agrees
from mockprovider.schema import Kind, Property, ResourceType
from mockprovider.values import UNKNOWN, Bag, Secret, Value, has_secret, has_unknown, map_value, reveal

NESTING = frozenset({"array", "set", "map", "object"})
"""Kinds that may contain declared properties."""

Maker = Callable[[Property, str, dict[str, Any], Value], Value]
"""Computes a property from its declaration, its path, its siblings with ``id``, and its old value."""


def compute(
    declared: ResourceType, wanted: Bag, id_: str, prior: Bag | None = None, invent: Invent | None = None
) -> dict[str, Value]:
    """The whole object: ``wanted`` with every computed property that it does not set, at every depth.

    With ``prior`` (an update) generated values stay. Templates and functions are computed from their sibling properties and
    ``id``. ``invent`` makes generated values, where not the type alone says how.
    """
    known: dict[str, Value] = {name: reveal(value) for name, value in wanted.items() if value is not None}
    walk = _Walk(id_, partial(_final, invent or inventing(declared, id_)))
    return walk.bag(declared.properties, known, "", reveal(dict(prior)) if prior else {})


def inventing(
    declared: ResourceType,
    id_: str,
    counts: Callable[[str], int | None] = nothing_said,
    config: Bag | None = None,
    inputs: Bag | None = None,
) -> Invent:
    """What makes the generated values of an object of this type, for which a program says these ``inputs``."""
    if declared.elements is None:
        return lambda item, at: generated(item.kind, at, id_)
    said = reveal(dict(inputs or {}))
    nameless = "name" in declared.properties and not ends_with_id(declared.token)
    called = title(declared.token, said, "" if nameless else id_)
    # What is elsewhere than its provider says so itself.
    where = {**(config or {}), **({"region": said["region"]} if isinstance(said.get("region"), str) else {})}
    return Inventor(declared.token, id_, declared.elements, counts, where, called).value


def planned_inside(
    declared: ResourceType, wanted: Bag, prior: Bag, id_: str = "", invent: Invent | None = None
) -> dict[str, Value]:
    """``wanted`` with the planned values of computed properties inside its objects."""
    planned, walk = dict(wanted), _Walk(id_, partial(_planned, invent or inventing(declared, id_)))
    for name, value in wanted.items():
        item = declared.properties.get(name)
        if item is not None and (item.kind.items or item.kind.properties):
            planned[name] = walk.value(item.kind, value, name, reveal(prior.get(name)))
    return planned


class _Walk:
    """A walk through an object that fills in computed properties at every depth."""

    __slots__ = ("_id", "_make")

    def __init__(self, id_: str, make: Maker) -> None:
        self._id = id_
        self._make = make

    def bag(self, properties: Mapping[str, Property], known: Mapping[str, Value], at: str, prior: Value) -> dict[str, Value]:
        """``known`` with its computed properties. ``at`` is its path, ``prior`` its old value."""
        before = prior if isinstance(prior, Mapping) else {}
        whole = dict(known)
        for name, value in known.items():
            if name in properties and properties[name].kind.name in NESTING:
                whole[name] = self.value(properties[name].kind, value, _at(at, name), before.get(name))
        for name, item in pending(properties, known):
            whole[name] = self._make(item, _at(at, name), {**whole, "id": self._id}, before.get(name))
        return whole

    def value(self, kind: Kind, value: Value, at: str, prior: Value) -> Value:
        """One value with its computed properties."""
        if isinstance(value, Secret):
            return Secret(self.value(kind, value.value, at, prior))
        if (kind.name == "object" or kind.properties) and isinstance(value, Mapping):
            return self.bag(kind.properties, {key: part for key, part in value.items() if part is not None}, at, prior)
        items = kind.items
        if items is not None and (items.items or items.properties) and isinstance(value, (Mapping, list, tuple)):
            return self._elements(kind.name, items, value, at, prior)
        return value

    def _elements(self, collection: str, items: Kind, value: Value, at: str, prior: Value) -> Value:
        """Elements of lists match old ones by index, those of maps by key, and those of sets by content."""
        if isinstance(value, Mapping):
            before = prior if isinstance(prior, Mapping) else {}
            return {key: self.value(items, element, _at(at, key), before.get(key)) for key, element in value.items()}
        if collection == "set":
            return [self._element(items, element, at) for element in value]
        old = [*(prior if isinstance(prior, (list, tuple)) else ()), *[None] * len(value)]
        return [self.value(items, element, _at(at, str(index)), old[index]) for index, element in enumerate(value)]

    def _element(self, items: Kind, value: Value, at: str) -> Value:
        walk = _Walk("", self._make) if has_unknown(value) else self
        return walk.value(items, value, _at(at, digest(value)), None)


def _at(at: str, name: str) -> str:
    return f"{at}.{name}" if at else name


def computed(declared: ResourceType, wanted: Bag) -> Iterator[tuple[str, Property]]:
    """The computed properties that ``wanted`` does not set, each template after those that it uses.

    Templates in a circle come in declared order: filling in the first then fails and names what is missing.
    """
    yield from pending(declared.properties, wanted)


def pending(properties: Mapping[str, Property], wanted: Mapping[str, Value]) -> Iterator[tuple[str, Property]]:
    """The same for the properties of any object."""
    left = {name: item for name, item in properties.items() if item.computed and (wanted.get(name) is None or _wins(item))}
    while left:
        ready = next((name for name, item in left.items() if not _waits(item, left)), next(iter(left)))
        yield ready, left.pop(ready)


def _wins(item: Property) -> bool:
    return isinstance(item.computed, Stated) and item.computed.wins


def _waits(item: Property, pending: Mapping[str, Property]) -> bool:
    return isinstance(item.computed, str) and not pending.keys().isdisjoint(fields(item.computed))


def _final(invent: Invent, item: Property, at: str, context: dict[str, Any], prior: Value) -> Value:
    if isinstance(item.computed, Stated):
        return item.computed.final(item.kind, at, prior, invent)
    if callable(item.computed):
        return item.computed(dict(context))
    if isinstance(item.computed, str):
        return fill(item.computed, context)
    return prior if prior is not None else invent(item, at)


def _planned(invent: Invent, item: Property, at: str, context: dict[str, Any], prior: Value) -> Value:
    id_ = context.pop("id")
    if item.computed is True and prior is None and id_:
        prior = invent(item, at)
    return planned_value(item, context, UNKNOWN if prior is None else prior, id_)


def planned_value(item: Property, wanted: Bag, prior: Value = UNKNOWN, id_: str = "") -> Value:
    """A computed property's planned value; ``prior`` and ``id_`` are those of an update. A function's result is unknown."""
    if isinstance(item.computed, str):
        known = {name: value for name, value in reveal(wanted).items() if not has_unknown(value)}
        context = {**known, "id": id_} if id_ else known
        names = fields(item.computed)
        value = fill(item.computed, context) if all(name in context for name in names) else UNKNOWN
    elif isinstance(item.computed, Stated):
        value = prior if agrees(item.computed.value, prior) else UNKNOWN
    else:
        value = UNKNOWN if callable(item.computed) else prior
    return Secret(value) if item.secret and not isinstance(value, Secret) else value


def generated(kind: Kind, name: str, id_: str) -> Value:
    """A value of ``kind``, determined by the object's id and the property's name."""
    text = digest(id_, name)
    makers: Mapping[str, Value] = {
        "string": text,
        "any": text,
        "integer": int(text[:4], 16),
        "number": int(text[:4], 16) / 16,
        "boolean": int(text[:1], 16) % 2 == 0,
        "array": [],
        "set": [],
        "map": {},
    }
    if kind.name == "object":
        return {key: generated(item.kind, f"{name}.{key}", id_) for key, item in kind.properties.items()}
    if kind.name not in makers:
        raise DefinitionError(f"Property {name!r} is computed=True, but nobody can invent an {kind.name}: give it a function.")
    return makers[kind.name]


@lru_cache(maxsize=1024)
def fields(template: str) -> tuple[str, ...]:
    """The names in a template. Raises ``DefinitionError`` if it is malformed."""
    try:
        return tuple(field for _, field, _, _ in string.Formatter().parse(template) if field is not None)
    except ValueError as error:
        raise DefinitionError(
            f"{template!r} is not a template: {error}. Write names in braces: 'arn:cloud:::{{id}}'."
        ) from error


def literally(value: Any) -> Any:
    """``value`` as a template that gives it, whatever braces it has."""
    return map_value(value, lambda part: part.replace("{", "{{").replace("}", "}}") if isinstance(part, str) else part)


def fill_all(value: Any, context: Mapping[str, Any]) -> Any:
    """``value`` with every template in it filled in from ``context``: unknown or secret if a value that it uses is."""
    return map_value(value, lambda part: _filled(part, context))


def _filled(value: Value, context: Mapping[str, Any]) -> Value:
    if not isinstance(value, str):
        return value
    asked = [context.get(name) for name in fields(value)]
    if any(map(has_unknown, asked)):
        return UNKNOWN
    filled = fill(value, reveal(dict(context)))
    return Secret(filled) if any(map(has_secret, asked)) else filled


def fill(template: str, context: Mapping[str, Any]) -> str:
    """``template`` with its names replaced from ``context``. Raises ``DefinitionError`` for an unknown name."""
    for name in fields(template):
        if context.get(name) is None:
            have = ", ".join(sorted(name for name, value in context.items() if value is not None))
            raise DefinitionError(f"Template {template!r} needs {name!r}, which this object does not have. It has: {have}.")
    return template.format_map(context)

"""What a computed property is: a generated value, a template, or what the user's function says."""

from __future__ import annotations

import string
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from mockprovider.cloud import digest
from mockprovider.errors import DefinitionError
from mockprovider.schema import Kind, Property, ResourceType
from mockprovider.values import UNKNOWN, Bag, Secret, Value, has_unknown, reveal


def compute(declared: ResourceType, wanted: Bag, id_: str, prior: Bag | None = None) -> dict[str, Value]:
    """The whole object: ``wanted`` with every computed property that it does not set.

    A generated value is made once and kept: with ``prior`` (an update) it stays. Templates and functions follow the inputs.
    """
    known: dict[str, Value] = {name: reveal(value) for name, value in wanted.items() if value is not None}
    made = dict(known)
    for name, item in computed(declared, known):
        made[name] = _value(item, name, {**made, "id": id_}, prior)
    return made


def computed(declared: ResourceType, wanted: Bag) -> Iterator[tuple[str, Property]]:
    """The computed properties that ``wanted`` does not set, each template after those that it asks for.

    Templates in a circle come as declared: filling in the first then says what it lacks.
    """
    pending = {name: item for name, item in declared.properties.items() if item.computed and name not in wanted}
    while pending:
        ready = next((name for name, item in pending.items() if not _waits(item, pending)), next(iter(pending)))
        yield ready, pending.pop(ready)


def _waits(item: Property, pending: Mapping[str, Property]) -> bool:
    return isinstance(item.computed, str) and any(name in pending for name in fields(item.computed))


def _value(item: Property, name: str, context: dict[str, Any], prior: Bag | None) -> Value:
    if callable(item.computed):
        return item.computed(dict(context))
    if isinstance(item.computed, str):
        return fill(item.computed, context)
    if prior is not None and prior.get(name) is not None:
        return reveal(prior[name])
    return generated(item.kind, name, context["id"])


def planned_value(item: Property, wanted: Bag, prior: Value = UNKNOWN, id_: str = "") -> Value:
    """What can be said beforehand; ``prior`` and ``id_`` are those of an update. What a function will say is unknown."""
    if isinstance(item.computed, str):
        known = {name: value for name, value in reveal(wanted).items() if not has_unknown(value)}
        context = {**known, "id": id_} if id_ else known
        names = fields(item.computed)
        value = fill(item.computed, context) if all(name in context for name in names) else UNKNOWN
    else:
        value = UNKNOWN if callable(item.computed) else prior
    return Secret(value) if item.secret and not isinstance(value, Secret) else value


def generated(kind: Kind, name: str, id_: str) -> Value:
    """A value of ``kind`` that depends on the object's id and the property's name alone."""
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
        return {each: generated(item.kind, f"{name}.{each}", id_) for each, item in kind.properties.items()}
    if kind.name not in makers:
        raise DefinitionError(f"Property {name!r} is computed=True, but nobody can invent an {kind.name}: give it a function.")
    return makers[kind.name]


@lru_cache(maxsize=1024)
def fields(template: str) -> tuple[str, ...]:
    """The names that a template asks for. Raises ``DefinitionError`` if it is malformed."""
    try:
        return tuple(field for _, field, _, _ in string.Formatter().parse(template) if field is not None)
    except ValueError as error:
        raise DefinitionError(
            f"{template!r} is not a template: {error}. Write names in braces: 'arn:cloud:::{{id}}'."
        ) from error


def fill(template: str, context: Mapping[str, Any]) -> str:
    """``template`` with its names replaced from ``context``. Raises ``DefinitionError`` for a name that is not there."""
    missing = [name for name in fields(template) if context.get(name) is None]
    if missing:
        have = ", ".join(sorted(name for name, value in context.items() if value is not None))
        raise DefinitionError(f"Template {template!r} needs {missing[0]!r}, which this object does not have. It has: {have}.")
    return template.format_map(context)

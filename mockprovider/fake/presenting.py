"""What a provider answers of a value that it keeps in another form: a document as text, a list of names as a map of objects."""

from __future__ import annotations

import json
from collections.abc import Mapping

from mockprovider.fake.checks import fits
from mockprovider.fake.inventing.stated import Invent
from mockprovider.properties import Kind, Property
from mockprovider.values import UNKNOWN, Archive, Asset, Output, Secret, Value, has_secret, has_unknown, is_unknown, reveal

ANY = Kind("any")
"""Of what nobody declared."""


def presented(kind: Kind, value: Value, at: str, invent: Invent | None) -> Value:
    """``value``, which a program set, as the provider answers it.

    Args:
        kind: its kind, whose ``answer`` says of which kind that is.
        value: it.
        at: its path.
        invent: makes up what the answer has besides; without it that is unknown, as in the preview of a new object.
    """
    answer = kind.answer
    if answer is None or value is None or is_unknown(value):
        return value
    if isinstance(value, Secret):
        return Secret(presented(kind, value.value, at, invent))
    if isinstance(value, Output):
        return Output(presented(kind, value.value, at, invent), value.secret, value.dependencies)
    if kind.name == answer.name:
        return _inside(kind, value, at, invent)
    return value if fits(answer, value) else _converted(answer, value, at, invent)


def _inside(kind: Kind, value: Value, at: str, invent: Invent | None) -> Value:
    members = {name: item.kind for name, item in kind.properties.items()}
    items = kind.items or ANY
    if isinstance(value, Mapping):
        return {name: presented(members.get(name, items), part, f"{at}.{name}", invent) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [presented(items, part, f"{at}.{index}", invent) for index, part in enumerate(value)]
    return value


def _converted(answer: Kind, value: Value, at: str, invent: Invent | None) -> Value:
    if has_unknown(value):
        return UNKNOWN
    plain = reveal(value)
    if answer.name == "map" and answer.items is not None and isinstance(plain, (list, tuple)):
        # Azure takes the ids of identities, and tells of each what it is.
        return {str(key): _made_up(answer.items, f"{at}.{key}", invent) for key in plain}
    written = _written(answer, plain)
    if written is None:
        return _made_up(answer, at, invent)
    return Secret(written) if has_secret(value) else written


def _written(answer: Kind, plain: Value) -> Value:
    """A value as JSON where the answer is a text; where it is none, what a text says as JSON. ``None`` if neither fits."""
    if answer.name == "string":
        return None if isinstance(plain, (Asset, Archive)) else json.dumps(plain, default=str)
    try:
        read = json.loads(plain) if isinstance(plain, str) else None
    except ValueError:
        return None
    return read if fits(answer, read) else None


def _made_up(kind: Kind, at: str, invent: Invent | None) -> Value:
    return UNKNOWN if invent is None else invent(Property(kind, computed=True), at)

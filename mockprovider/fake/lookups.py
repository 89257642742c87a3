"""Functions that look up an object of a type: ``getVpc`` tells of the one ``Vpc`` that its arguments describe."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mockprovider.cloud import Cloud, CloudObject
from mockprovider.fake.fitting import Fitting
from mockprovider.properties import Kind, Property
from mockprovider.schema import Function, ResourceType
from mockprovider.values import Bag, Value, reveal, same

NOT_OF_OBJECTS = frozenset({"timeouts"})
"""Arguments that say how to ask, and not for what."""


def type_of(token: str) -> str:
    """The token of the type that a function is called after: of ``aws:ec2/getVpc:getVpc`` it is ``aws:ec2/vpc:Vpc``."""
    package, module, member = token.split(":", 2)
    thing = member.removeprefix("get")
    file = f"/{thing[:1].lower()}{thing[1:]}" if "/" in module else ""
    return f"{package}:{module.partition('/')[0]}{file}:{thing}"


def looked_up(
    function: Function, arguments: Bag, types: Mapping[str, ResourceType], cloud: Cloud, places: Mapping[str, Any]
) -> tuple[dict[str, Value], str] | None:
    """What the only object that has all these arguments has of a function's outputs, and where that is from.

    Nobody makes up what the object lacks and its type, one of ``types``, may have. ``places`` are where the provider looks: an
    object that says that it is in another region is not there.
    """
    given = {name: value for name, value in reveal(dict(arguments)).items() if value is not None and name not in NOT_OF_OBJECTS}
    objects = cloud.listed(type_of(function.token)) if given else []
    here = [stored for stored in objects if stored.get("region") in (None, given.get("region", places.get("region")))]
    asked = {name: value for name, value in given.items() if name != "region"}
    fitting = [stored for stored in here if asked and all(_has(stored, name, value) for name, value in asked.items())]
    if len(fitting) != 1:
        return None
    [stored] = fitting
    known = {name: value for name, value in stored.items() if value is not None}
    known["id"] = int(stored.id) if _is_whole(function.outputs.get("id")) and stored.id.isdigit() else stored.id
    answer = Fitting(function.token, lenient=True).bag(function.outputs, known)
    declared = types.get(stored.type)
    may_have = declared.properties if declared is not None else {}
    absent = {name: None for name in function.outputs if name in may_have and name not in known}
    closed = {name: _closed(function.outputs[name].kind, value) for name, value in answer.items()}
    return {**absent, **closed}, f"what the cloud has of {stored.type} {stored.id!r}"


def _is_whole(item: Property | None) -> bool:
    return item is not None and item.kind.name in ("integer", "number")


def _closed(kind: Kind, value: Value) -> Value:
    """``value``, whose objects have what they have: nothing is made up inside of them."""
    if isinstance(value, Mapping) and kind.name == "object":
        return {name: _closed(item.kind, value.get(name)) for name, item in kind.properties.items()}
    if kind.items is None or isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        return {name: _closed(kind.items, part) for name, part in value.items()}
    return [_closed(kind.items, part) for part in value] if isinstance(value, (list, tuple)) else value


def _has(stored: CloudObject, name: str, value: Value) -> bool:
    own = stored.get(name)
    # An id goes by several names (instanceId, keyId), and may be a number where it is asked for.
    return stored.id in (value, _plain(value)) if own is None else _describes(value, own)


def _plain(value: Value) -> Value:
    return f"{value:.0f}" if isinstance(value, (int, float)) and not isinstance(value, bool) else value


def _describes(value: Value, own: Value) -> bool:
    """Whether an object that has ``own`` is meant by ``value``: by some of a map's keys, and of a block's arguments."""
    if value is None:
        return True
    if isinstance(value, Mapping) and isinstance(own, Mapping):
        return all(key in own and _describes(part, own[key]) for key, part in value.items() if part is not None)
    if isinstance(value, (list, tuple)) and isinstance(own, (list, tuple)):
        return len(value) == len(own) and all(map(_describes, value, own))
    return same(own, value)

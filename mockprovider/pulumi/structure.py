"""Property bags from the JSON of their Structs: a replay has that at hand, and the message would be slower to read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mockprovider.pulumi.signatures import SENTINEL_LENGTH, SIGNATURE, UNKNOWNS, BrokenValueError, recognize
from mockprovider.pulumi.values import read_number
from mockprovider.values import Value


def decode_tree(tree: Mapping[str, Any]) -> dict[str, Value]:
    """What ``decode`` gives for the Struct that has this JSON, without the message. Raises as that does."""
    try:
        return _bag(tree)
    except BrokenValueError as error:
        raise error.error() from None


def _bag(tree: Mapping[str, Any]) -> dict[str, Value]:
    bag: dict[str, Value] = {}
    key = ""
    try:
        for key, item in tree.items():
            if type(item) is str:
                bag[key] = item if len(item) != SENTINEL_LENGTH else UNKNOWNS.get(item, item)
            else:
                bag[key] = _value(item)
    except BrokenValueError as error:
        raise error.inside(key) from None
    return bag


def _value(item: Any) -> Value:
    kind = type(item)
    if kind is str:
        return UNKNOWNS.get(item, item)
    if kind is dict:
        bag = _bag(item)
        return recognize(bag) if SIGNATURE in bag else bag
    if kind is list:
        return _list(item)
    # On the wire all numbers are doubles.
    return item if item is None or kind is bool else read_number(float(item))


def _list(items: list[Any]) -> list[Value]:
    values: list[Value] = []
    try:
        for item in items:
            values.append(_value(item))  # noqa: PERF401 - the length tells where a bad one stands
    except BrokenValueError as error:
        raise error.inside(len(values)) from None
    return values

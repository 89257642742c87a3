"""What is known of an unknown value: the refinements in its msgpack, as data.

``{"null": False, "prefix": "TEP"}`` is a text that is not null and begins with ``TEP``. A number has ``min`` or ``above``, and
``max`` or ``below``, which leave the bound itself out; a collection has ``min_length`` and ``max_length``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

import msgpack  # type: ignore[import-untyped]

from mockprovider.errors import MalformedError
from mockprovider.terraform.values.packing import shortest
from mockprovider.values import Unknown

PLAIN: Mapping[str, tuple[int, type]] = {
    "null": (1, bool),
    "prefix": (2, str),
    "min_length": (5, int),
    "max_length": (6, int),
}
"""Refinements with their number on the wire and the type of their value."""

BOUNDS: Mapping[str, tuple[int, bool]] = {"above": (3, False), "min": (3, True), "below": (4, False), "max": (4, True)}
"""Refinements that travel as ``[bound, whether the bound is within]``; a bound that no float holds is a decimal string."""


def refinements(payload: bytes) -> dict[str, Any]:
    """What the payload of an unknown value says.

    Raises ``MalformedError`` where it says something that is not known here, which would be lost.
    """
    try:
        pairs = msgpack.unpackb(payload, strict_map_key=False, object_pairs_hook=list)
    except (ValueError, msgpack.UnpackException, RecursionError) as error:
        raise MalformedError(f"The refinements of an unknown value are not msgpack: {error}.") from error
    if not isinstance(pairs, list) or not all(isinstance(pair, tuple) for pair in pairs):
        raise MalformedError("The refinements of an unknown value are no map.")
    said = dict(_named(*pair) for pair in pairs)
    if not said or len({number for number, _ in pairs}) != len(pairs):
        raise MalformedError("The refinements of an unknown value say nothing, or one thing twice.")
    return said


def _named(number: Any, value: Any) -> tuple[str, Any]:
    if type(number) is int:
        for name, (code, kind) in PLAIN.items():
            if code == number and type(value) is kind:
                return name, value
        for name, (code, within) in BOUNDS.items():
            if code == number and isinstance(value, list) and value[1:] == [within] and type(value[1]) is bool:
                return name, _bound(value[0])
    raise MalformedError(f"Nothing is known of the refinement {number!r}: {value!r}.")


def _bound(value: Any) -> Any:
    if type(value) not in (int, float, str) or (isinstance(value, float) and not math.isfinite(value)):
        raise MalformedError(f"{value!r} is no bound of a number.")
    return shortest(value)


def payload_of(said: Mapping[str, Any]) -> bytes:
    """The payload that says this. Raises ``MalformedError`` for what ``refinements`` would not read."""
    numbered = {PLAIN[name][0]: value for name, value in said.items() if name in PLAIN}
    numbered |= {BOUNDS[name][0]: [value, BOUNDS[name][1]] for name, value in said.items() if name in BOUNDS}
    payload = bytes(msgpack.packb(dict(sorted(numbered.items()))))
    if refinements(payload) != said:
        raise MalformedError(f"{said!r} says nothing of an unknown value.")
    return payload


def refused(payload: bytes, value: Any) -> str:
    """What a value is against what was known of it while it was unknown, in words; empty where it fits.

    Another unknown value fits: the engine compares what is known.
    """
    try:
        said = refinements(payload)
    except MalformedError:
        return ""
    if isinstance(value, Unknown):
        return ""
    if value is None:
        return "and not as null, which it is" if said.get("null") is False else ""
    if said.get("null"):
        return "and as null, which it is not"
    return next((words for name, (breaks, words) in REFUSED.items() if name in said and breaks(value, said[name])), "")


def _number(value: Any) -> bool:
    return isinstance(value, (int, float, Decimal)) and not isinstance(value, bool)


REFUSED: Mapping[str, tuple[Callable[[Any, Any], bool], str]] = {
    "prefix": (lambda value, prefix: isinstance(value, str) and not value.startswith(prefix), "and begins with another text"),
    "min_length": (lambda value, least: isinstance(value, (list, dict)) and len(value) < least, "and has too few elements"),
    "max_length": (lambda value, most: isinstance(value, (list, dict)) and len(value) > most, "and has too many elements"),
    "above": (lambda value, bound: _number(value) and value <= bound, "and is below the bound that was planned"),
    "min": (lambda value, bound: _number(value) and value < bound, "and is below the bound that was planned"),
    "below": (lambda value, bound: _number(value) and value >= bound, "and is above the bound that was planned"),
    "max": (lambda value, bound: _number(value) and value > bound, "and is above the bound that was planned"),
}
"""When a known value breaks what was said of it, by the refinement."""

"""Whether two states, or two values in them, are the same, however an engine or a provider spells them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from decimal import Decimal

from mockprovider.terraform.rules.places import unknowns
from mockprovider.terraform.schema.tree import Place
from mockprovider.values import Bag, Unknown, Value

AS_THEY_ARE = frozenset({str, int, bytes})
"""The types of values that are compared as they are, which most have."""


def differing(before: Bag | None, now: Bag | None) -> list[str]:
    """The properties that differ in what was known before."""
    if before is now:
        return []
    one, other = before or {}, now or {}
    return [name for name in sorted(one.keys() | other.keys()) if not _agree(one.get(name), other.get(name))]


def _agree(before: Value, now: Value) -> bool:
    if isinstance(before, dict) and isinstance(now, dict):
        return not differing(before, now)
    return next(unknowns(before), None) is not None or frozen(before) == frozen(now)


def altered(before: Bag | None, now: Bag | None, prior: Bag | None, planned: Bag | None) -> list[str]:
    """The properties of two configurations that differ where something was planned to change."""
    bags = [bag or {} for bag in (before, now, prior, planned)]
    return [name for name in differing(before, now) if _is_altered(*(bag.get(name) for bag in bags))]


def _is_altered(before: Value, now: Value, prior: Value, planned: Value) -> bool:
    if _agree(before, now) or frozen(prior) == frozen(planned):
        return False
    if isinstance(before, dict) and isinstance(now, dict) and isinstance(prior, dict) and isinstance(planned, dict):
        return bool(altered(before, now, prior, planned))
    return True


def frozen(value: Value, place: Place | None = None) -> Hashable:
    """A value in a form that can be compared, by its place in the schema.

    Sets come in any order, and so do lists of which no schema says that they are none.
    """
    if isinstance(value, dict):
        return frozenset(
            (key, item if type(item) in AS_THEY_ARE else frozen(item, _inside(place, key)))
            for key, item in value.items()
            if item is not None
        )
    if isinstance(value, (list, tuple)):
        items = [frozen(item, place.element if place else None) for item in value]
        if place and (place.nesting == "list" or place.type.name == "tuple"):
            return tuple(items)
        # What stands in a set twice stands there once for an engine.
        return frozenset(items if place and place.nesting == "set" else Counter(items).items())
    if isinstance(value, bool):
        # For Python, true is 1.
        return ("bool", value)
    if isinstance(value, float):
        # Engines send a number that is no binary fraction as decimal text.
        return Decimal(repr(value))
    return ("unknown",) if isinstance(value, Unknown) else value


def _inside(place: Place | None, key: str) -> Place | None:
    if place is None or not place.members:
        return place.element if place else None
    return place.members.get(place.attributes.get(key, ""))

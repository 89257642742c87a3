"""Limits of a property: numbers, lengths, patterns; and the failures of values beyond them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from operator import attrgetter

from mockprovider.calls import Failure
from mockprovider.paths import Path, show
from mockprovider.properties import LIMITS, Property
from mockprovider.values import Value, is_unknown, reveal

LIMITED = attrgetter(*LIMITS)
UNLIMITED = LIMITED(Property())
"""The limits of a property without limits, which most are."""


def beyond(item: Property, value: Value, path: Path, *, hidden: bool) -> Iterator[Failure]:
    """The failures of ``value`` under the limits of ``item``. Unknown values fit; ``hidden`` ones are not shown."""
    if LIMITED(item) == UNLIMITED or is_unknown(value):
        return
    plain = reveal(value)
    for expected, got in _broken(item, plain):
        yield Failure(f"expected {expected}, got {'a secret that is not' if hidden else got}", show(path))


def _broken(item: Property, plain: Value) -> Iterator[tuple[str, str]]:
    if isinstance(plain, (int, float, Decimal)) and not isinstance(plain, bool):
        yield from _outside(plain, item.minimum, item.maximum, "", str(plain))
    elif isinstance(plain, str):
        yield from _outside(len(plain), item.min_length, item.max_length, " characters", f"{len(plain)} in {plain!r}")
        if item.pattern and not re.fullmatch(item.pattern, plain):
            yield f"text that matches {item.pattern!r} as a whole", repr(plain)
    elif isinstance(plain, (list, tuple, dict)):
        yield from _outside(len(plain), item.min_items, item.max_items, " elements", str(len(plain)))


def _outside(size: float | Decimal, least: float | None, most: float | None, unit: str, got: str) -> Iterator[tuple[str, str]]:
    # NaN is neither below nor above a limit, but within none.
    if least is not None and not size >= least:
        yield f"at least {least}{unit}", got
    if most is not None and not size <= most:
        yield f"at most {most}{unit}", got

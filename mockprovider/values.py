"""The values that providers and engines exchange, in one form for both protocols.

A value is ``None``, ``bool``, ``int``, ``float``, ``decimal.Decimal`` (Terraform numbers that no float holds), ``str``,
``bytes`` (Pulumi's byte string), ``list``, ``dict`` with string keys, or one of the classes below. How each travels on a
wire is the business of ``pulumi.values`` and ``terraform.values``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

from msgspec import Struct

Value: TypeAlias = Any
"""Any of the kinds in the module's docstring; recursive, which the type checker is not asked to follow."""

Bag: TypeAlias = Mapping[str, Value]
"""A resource's properties: names to values."""


class Unknown(Struct, frozen=True):
    """A value that will be known after apply ("computed" in Pulumi, "unknown" in Terraform).

    ``kind`` is the kind of the missing element: one of Pulumi's seven (``bool``, ``number``, ``string``, ``array``,
    ``asset``, ``archive``, ``object``). ``refinement`` is Terraform's refinement payload, verbatim, so that an echoed
    unknown promises neither more nor less than the one that came.
    """

    kind: str = "string"
    refinement: bytes | None = None


UNKNOWN = Unknown()


class Secret(Struct, frozen=True):
    """A value that its owner asked to be kept out of sight."""

    value: Value


class Output(Struct, frozen=True):
    """Pulumi's output value: a value (or ``UNKNOWN``), whether it is secret, and the URNs that it depends on."""

    value: Value = UNKNOWN
    secret: bool = False
    dependencies: tuple[str, ...] = ()


class Asset(Struct, frozen=True):
    """A file's contents: by ``text``, ``path`` or ``uri``; ``hash`` alone is the elided form, sent for old values."""

    text: str | None = None
    path: str | None = None
    uri: str | None = None
    hash: str = ""


class Archive(Struct, frozen=True):
    """A set of files: by ``assets`` (name to asset or archive), ``path`` or ``uri``; ``hash`` alone is the elided form."""

    assets: Mapping[str, Asset | Archive] | None = None
    path: str | None = None
    uri: str | None = None
    hash: str = ""


class ResourceReference(Struct, frozen=True):
    """A reference to another resource. ``id`` is ``None`` for components, ``UNKNOWN`` where it is not known yet."""

    urn: str
    id: str | Unknown | None = None
    name: str | None = None
    type: str | None = None
    package_version: str | None = None

    @property
    def flat(self) -> str | Unknown:
        """What stands for it where references are not known: its id, or the URN of a component."""
        return self.urn if self.id is None else self.id or UNKNOWN


LEAVES = frozenset({str, int, float, bool, bytes, type(None)})
"""Types without inner values. Walks check these first: most values are leaves, and the check for ``Mapping`` is slow."""


def is_plain(value: Value) -> bool:
    """Whether a value holds nothing but texts, numbers, lists and maps: what most values are."""
    kind = type(value)
    if kind in LEAVES:
        return True
    if kind is not dict and kind is not list:
        return False
    items = value.values() if kind is dict else value
    # In C, where nothing is nested; and then a loop, because a generator would take twice as long.
    if LEAVES.issuperset(map(type, items)):
        return True
    for item in items:  # noqa: SIM110
        if type(item) not in LEAVES and not is_plain(item):
            return False
    return True


def children(value: Value) -> Iterator[Value]:
    """The values directly inside ``value``, through every wrapper."""
    if type(value) in LEAVES:
        return
    if isinstance(value, Mapping):
        yield from value.values()
    elif isinstance(value, (list, tuple)):
        yield from value
    elif isinstance(value, (Secret, Output)):
        yield value.value
    elif isinstance(value, Archive) and value.assets:
        yield from value.assets.values()
    elif isinstance(value, ResourceReference) and isinstance(value.id, Unknown):
        yield value.id


def contains(value: Value, test: Callable[[Value], bool]) -> bool:
    """Whether ``test`` holds for ``value`` or anything inside it."""
    if type(value) in LEAVES:
        return test(value)
    return test(value) or any(contains(child, test) for child in children(value))


def is_unknown(value: Value) -> bool:
    """Whether ``value`` itself is unknown, also behind ``Secret`` or ``Output``."""
    while isinstance(value, (Secret, Output)):
        value = value.value
    return isinstance(value, Unknown)


def has_unknown(value: Value) -> bool:
    """Whether ``value`` is unknown or holds an unknown anywhere."""
    return type(value) not in LEAVES and contains(value, lambda part: isinstance(part, Unknown))


def has_secret(value: Value) -> bool:
    """Whether ``value`` is secret or holds a secret anywhere."""
    if type(value) in LEAVES:
        return False
    return contains(value, lambda part: isinstance(part, Secret) or (isinstance(part, Output) and part.secret))


def texts(value: Value) -> Iterator[str]:
    """The texts in ``value``, at every depth and through every wrapper."""
    if isinstance(value, str):
        yield value
    for inner in children(value):
        yield from texts(inner)


def map_value(value: Value, change: Callable[[Value], Value]) -> Value:
    """``value`` rebuilt from the leaves up, with ``change`` applied to each part after its children."""
    if type(value) in LEAVES:
        return change(value)
    if isinstance(value, Mapping):
        value = {key: map_value(item, change) for key, item in value.items()}
    elif isinstance(value, (list, tuple)):
        value = [map_value(item, change) for item in value]
    elif isinstance(value, Secret):
        value = Secret(map_value(value.value, change))
    elif isinstance(value, Output):
        value = Output(map_value(value.value, change), value.secret, value.dependencies)
    return change(value)


def reveal(value: Value) -> Value:
    """``value`` without ``Secret`` and ``Output`` wrappers, at every depth."""
    if type(value) in LEAVES:
        return value
    # To ask an abstract class takes longer than the rest of it, and bags are dictionaries.
    if type(value) is dict or isinstance(value, Mapping):
        return {key: item if type(item) in LEAVES else reveal(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [item if type(item) in LEAVES else reveal(item) for item in value]
    return reveal(value.value) if isinstance(value, (Secret, Output)) else value


def same(one: Value, other: Value, *, as_secret: bool = False) -> bool:
    """Whether two values mean the same: wrappers do not count, assets and archives are equal by hash, ``1 == 1.0``.

    ``True`` and ``1`` differ (they differ on the wire), and an unknown is never the same as anything known. With ``as_secret``
    a secret differs from the same value in the open.
    """
    if type(one) is type(other) and type(one) in LEAVES:
        return bool(one == other)
    if as_secret and isinstance(one, Secret) != isinstance(other, Secret):
        return False
    while isinstance(one, (Secret, Output)):
        one = one.value
    while isinstance(other, (Secret, Output)):
        other = other.value
    if isinstance(one, (Asset, Archive)) and type(one) is type(other):
        return bool(one.hash == other.hash) if one.hash and other.hash else bool(one == other)
    if isinstance(one, Mapping):
        alike = isinstance(other, Mapping) and one.keys() == other.keys()
        return alike and all(same(one[k], other[k], as_secret=as_secret) for k in one)
    if isinstance(one, (list, tuple)):
        alike = isinstance(other, (list, tuple)) and len(one) == len(other)
        return alike and all(same(a, b, as_secret=as_secret) for a, b in zip(one, other, strict=True))
    return one is other if isinstance(one, bool) or isinstance(other, bool) else bool(one == other)

"""What an engine was told, in forms that its rules compare: objects in messages, planned changes, and provider instances."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from msgspec import Struct, field

from mockprovider.terraform.contract.comparing import frozen
from mockprovider.terraform.contract.lives import SESSION
from mockprovider.terraform.rpcs.requests import Codec
from mockprovider.terraform.schema.objects import ObjectSchema
from mockprovider.values import Bag

State: TypeAlias = tuple[str, Hashable]
"""A type, and an object of it in a form that can be compared."""


class ObjectSeen(Struct, frozen=True):
    """An object in a message: its properties (``None`` is a null), what it is recognized by, and its id if it has one."""

    bag: Bag | None
    state: State
    id: str = ""


class DynamicBytes(NamedTuple):
    """What a DynamicValue holds: one of the two, or nothing, which is a null."""

    msgpack: bytes
    json: bytes


class PlannedChange(Struct):
    """A change that a provider planned: the planned state, and what it was planned from."""

    state: State
    private: bytes
    prior: State
    config: Bag | None
    applied: bool = False


class InstanceSeen(Struct):
    """What a provider instance has been through.

    Args:
        states: all states that it answered, and the private bytes that came with each; ``None`` with one that says nothing of
            them, as an upgraded one does not.
        bags: the latest of these states by type, for people to read.
        plans: what it planned, by the planned state.
        planned: the latest of the planned states by type, for people to read.
        put_off: what it planned and put off.
        read: the states that a Read answered.
        stays: the states that a Read answered as it was asked with them.
        outdated: the states that a Read was asked with, and answered otherwise.
        loaded: the upgraded, read and imported states by type, since the last plan of a new object.
        coders: what reads the objects of types that nobody has declared.
        validated: the types of which a configuration was validated that was wholly known.
        ephemerals: how many ephemeral resources are open, by type and private bytes, which need not differ.
    """

    state: str = SESSION.begins
    states: dict[State, set[bytes | None]] = field(default_factory=lambda: defaultdict(set))
    bags: dict[str, Bag] = field(default_factory=dict)
    plans: dict[State, list[PlannedChange]] = field(default_factory=lambda: defaultdict(list))
    planned: dict[str, Bag] = field(default_factory=dict)
    put_off: set[State] = field(default_factory=set)
    read: set[State] = field(default_factory=set)
    stays: set[State] = field(default_factory=set)
    outdated: set[State] = field(default_factory=set)
    loaded: dict[str, set[State]] = field(default_factory=lambda: defaultdict(set))
    coders: dict[str, Codec] = field(default_factory=dict)
    validated: set[str] = field(default_factory=set)
    ephemerals: dict[tuple[str, bytes], int] = field(default_factory=dict)


@lru_cache(maxsize=2048)
def read_object(coder: Codec, type_: str, packed: bytes, text: bytes) -> ObjectSeen:
    """The object in these bytes. One state travels in many messages, at both sides."""
    schema = coder if isinstance(coder, ObjectSchema) else None
    bag, id_ = schema.recalled(packed) if schema and packed else coder.decode(DynamicBytes(packed, text))
    tree = schema.tree if schema else None
    own = (bag or {}).get("id")
    return ObjectSeen(bag, (type_, (frozen(bag, tree), id_)), id_ or (own if isinstance(own, str) else ""))

"""Hypothesis strategies for Terraform's types, their values, and protocol messages; each in the form that decoding gives."""

from __future__ import annotations

import json
import unicodedata
from decimal import Decimal
from functools import cache
from typing import Any

from hypothesis import strategies as st

from mockprovider.schema import Kind, Property
from mockprovider.terraform.proto import protocol
from mockprovider.terraform.values.packing import KINDS, number
from mockprovider.terraform.values.types import BOOL, DYNAMIC, NUMBER, STRING, Type, type_json
from mockprovider.values import Unknown

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=6).map(lambda text: unicodedata.normalize("NFC", text))
attribute_names = st.text("abcdefghijklmnopqrstuvwxyz_0123456789", min_size=1, max_size=6)
decimals = st.decimals(allow_nan=False, allow_infinity=False, places=25)
numbers = st.one_of(
    st.integers(-(2**70), 2**70),
    st.floats(allow_nan=False, allow_infinity=False).map(lambda each: number(format(Decimal(repr(each)), "f"))),
    decimals.map(lambda each: number(format(each, "f"))),
)
refinements = st.none() | st.binary(min_size=2, max_size=8)


def nest(inner: st.SearchStrategy[Type]) -> st.SearchStrategy[Type]:
    """Types with types of ``inner`` inside."""
    collections = st.builds(lambda name, items: Type(name, items=items), st.sampled_from(["list", "set", "map"]), inner)
    tuples = st.lists(inner, max_size=3).map(lambda each: Type("tuple", elements=tuple(each)))
    objects = st.dictionaries(attribute_names, inner, max_size=3).map(lambda each: Type("object", attributes=each))
    return collections | tuples | objects


static_types = st.recursive(st.sampled_from([STRING, NUMBER, BOOL]), nest, max_leaves=6)
types = st.recursive(st.sampled_from([STRING, NUMBER, BOOL, DYNAMIC]), nest, max_leaves=6)


def known(declared: Type) -> st.SearchStrategy[Any]:
    """Wholly known values of a type without ``dynamic``, nulls among them."""
    simple = {"string": texts, "number": numbers, "bool": st.booleans()}
    if declared.name in simple:
        values: st.SearchStrategy[Any] = simple[declared.name]
    elif declared.name == "map":
        values = st.dictionaries(texts, known(declared.element), max_size=3)
    elif declared.name == "object":
        values = st.fixed_dictionaries({name: known(each) for name, each in declared.attributes.items()})
    elif declared.name == "tuple":
        values = st.tuples(*(known(each) for each in declared.elements)).map(list)
    else:
        values = st.lists(known(declared.element), max_size=3)
    return st.none() | values


def unknown(declared: Type) -> st.SearchStrategy[Any]:
    """Values of a type that may be unknown as a whole."""
    kind = KINDS.get(declared.name, "string")
    return known(declared) | refinements.map(lambda each: Unknown(kind, each))


typed_values = static_types.flatmap(lambda declared: st.tuples(st.just(declared), unknown(declared)))
known_values = static_types.flatmap(lambda declared: st.tuples(st.just(declared), known(declared)))

literals: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | texts | numbers,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)
"""Values that an HCL literal can write, for places of any type."""

packed = st.recursive(
    st.none() | st.booleans() | texts | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | st.binary(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)
"""What msgpack may hold, without a type."""


@cache
def messages(name: str, major: int = 6) -> st.SearchStrategy[Any]:
    """Messages of the protocol with any of their fields set, and fields among them that no version has."""
    cls = protocol(major).message(name)
    return st.builds(_with_unknown_field, _message(cls.DESCRIPTOR, 2), st.none() | st.binary(max_size=3))


def _with_unknown_field(message: Any, data: bytes | None) -> Any:
    if data is not None:
        message.MergeFromString(b"\xba\x3e" + bytes([len(data)]) + data)  # field 999, length-delimited
    return message


@cache
def _message(descriptor: Any, depth: int) -> st.SearchStrategy[Any]:
    cls = protocol(6).classes(descriptor)
    groups: dict[str, list[Any]] = {}
    for field in descriptor.fields:
        oneof = field.containing_oneof
        groups.setdefault(oneof.name if oneof else field.name, []).append(field)
    chosen = [_one_field(fields, depth) for fields in groups.values()]
    return st.tuples(*chosen).map(lambda pairs: _fill(cls(), dict(pair for pair in pairs if pair)))


def _one_field(fields: list[Any], depth: int) -> st.SearchStrategy[Any]:
    options = [st.tuples(st.just(field), _values(field, depth)) for field in fields if depth or field.message_type is None]
    return st.one_of(st.none(), *options)


def _values(field: Any, depth: int) -> st.SearchStrategy[Any]:
    if field.message_type is not None and field.message_type.GetOptions().map_entry:
        inner = field.message_type.fields_by_name["value"]
        return st.dictionaries(texts, _values(inner, depth), max_size=2)
    if field.message_type is not None:
        one: st.SearchStrategy[Any] = _message(field.message_type, depth - 1)
    elif field.enum_type is not None:
        one = st.integers(0, 9)
    elif field.name in ("msgpack", "json"):
        one = st.sampled_from(
            [b"", b"\xc0", b"\x81\xa1a\xd4\x00\x00", b"\x92\x01\xc4\x01a", b'{"a":[1,2.5]}', b"\xff", b'{"$bytes":1}']
        )
    else:
        kinds: dict[int, st.SearchStrategy[Any]] = {
            field.TYPE_STRING: texts,
            field.TYPE_BYTES: st.binary(max_size=4),
            field.TYPE_BOOL: st.booleans(),
        }
        one = kinds.get(field.type, st.integers(0, 2**31))
    repeated = field.is_repeated if hasattr(field, "is_repeated") else field.label == field.LABEL_REPEATED
    return st.lists(one, max_size=2) if repeated else one


def _fill(message: Any, chosen: dict[Any, Any]) -> Any:
    for field, value in chosen.items():
        target = getattr(message, field.name)
        if isinstance(value, dict):
            for key, each in value.items():
                if hasattr(each, "DESCRIPTOR"):
                    target[key].CopyFrom(each)
                else:
                    target[key] = each
        elif isinstance(value, list):
            target.extend(value)
        elif hasattr(value, "DESCRIPTOR"):
            target.SetInParent()
            target.CopyFrom(value)
        else:
            setattr(message, field.name, value)
    return message


# Schemas ---------------------------------------------------------------------------------------------------------------

modes = st.sampled_from(["single", "list", "set", "map"])
limits = st.fixed_dictionaries({}, optional={"min_items": st.integers(1, 3), "max_items": st.integers(3, 9)})
setters = st.sampled_from([("required",), ("optional",), ("computed",), ("optional", "computed"), ("optional", "write_only")])
described = st.fixed_dictionaries(
    {"description_kind": st.sampled_from(["plain", "markdown"])},
    optional={
        "description": st.just("plain"),
        "deprecated": st.just(True),
        "deprecation_message": st.just("Use another."),
    },
)


@st.composite
def published_attributes(draw: st.DrawFn, major: int, depth: int = 2) -> dict[str, Any]:
    """Attributes as ``terraform providers schema -json`` shows them; in major 6 some are nested."""
    found: dict[str, Any] = {}
    for name in draw(st.sets(attribute_names, max_size=3)):
        flags = (*draw(setters), *draw(st.sampled_from([(), ("sensitive",)])))
        found[name] = {**draw(described), **dict.fromkeys(flags, True)}
        if major == 6 and depth and draw(st.booleans()):
            inside = {"nesting_mode": draw(modes), "attributes": draw(published_attributes(major, depth - 1)), **draw(limits)}
            found[name]["nested_type"] = inside
        else:
            found[name]["type"] = json.loads(type_json(draw(static_types)))
    return found


@st.composite
def published_blocks(draw: st.DrawFn, major: int, depth: int = 2) -> dict[str, Any]:
    """Blocks in the same form, with attributes and nested blocks of every nesting mode."""
    attributes = draw(published_attributes(major, depth))
    names = draw(st.sets(attribute_names, max_size=2)) - attributes.keys() if depth else set()
    blocks = {
        name: {
            "nesting_mode": draw(modes | st.just("group")),
            "block": draw(published_blocks(major, depth - 1)),
            **draw(limits),
        }
        for name in names
    }
    parts = {"attributes": attributes, "block_types": blocks}
    return {**draw(described), **{name: part for name, part in parts.items() if part}}


def declared_as(inner: st.SearchStrategy[Kind]) -> st.SearchStrategy[Property]:
    """Properties of these kinds, with any of the flags that say who sets them, and whether they are secret."""
    flags = st.sampled_from([{}, {"required": True}, {"computed": True}, {"computed": True, "optional": True}])
    return st.builds(lambda kind, setters, secret: Property(kind, secret=secret, **setters), inner, flags, st.booleans())


kinds: st.SearchStrategy[Kind] = st.recursive(
    st.sampled_from([Kind(name) for name in ("string", "integer", "number", "boolean", "any")]),
    lambda inner: (
        st.builds(lambda name, items: Kind(name, items=items), st.sampled_from(["array", "set", "map"]), inner)
        | st.dictionaries(st.sampled_from("abc"), declared_as(inner), max_size=3).map(
            lambda properties: Kind("object", properties=properties)
        )
    ),
    max_leaves=5,
)
"""Kinds of properties, objects of properties among them."""

declarations = st.dictionaries(st.sampled_from("abcd"), declared_as(kinds), max_size=4)

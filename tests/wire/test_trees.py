"""Messages as trees: what a tree would not give back has its bytes beside it, and nothing else has."""

from __future__ import annotations

import math

import pytest
from google.protobuf import descriptor_pb2, struct_pb2
from hypothesis import given
from hypothesis import strategies as st
from pulumi.runtime.proto import provider_pb2

from mockprovider.wire.trees import PLAIN, RAW, build, encode, tree

NUMBERS = st.sampled_from([0.0, -0.0, 1.5, 2.0**53, 2.0**60, math.nan, math.inf, -math.inf, -7.0])
STRANGE = b"\xfa\x7f\x03abc"
"""A field of the number 2047, which no message here has."""


def value(draw: st.DrawFn, depth: int) -> struct_pb2.Value:
    """Some value, also one that no JSON has."""
    kind = draw(st.sampled_from(["string", "number", "bool", "null", "none", "strange", "list", "struct"][: 8 if depth else 6]))
    made = struct_pb2.Value()
    if kind == "string":
        made.string_value = draw(st.sampled_from(["", "a", "0"]))
    elif kind == "number":
        made.number_value = draw(NUMBERS)
    elif kind == "bool":
        made.bool_value = draw(st.booleans())
    elif kind == "null":
        made.null_value = struct_pb2.NULL_VALUE
    elif kind == "strange":
        made.MergeFromString(STRANGE)
    elif kind == "list":
        made.list_value.values.extend(value(draw, depth - 1) for _ in range(draw(st.integers(0, 2))))
    elif kind == "struct":
        made.struct_value.SetInParent()
        for key in draw(st.sets(st.sampled_from("ab"))):
            made.struct_value.fields[key].CopyFrom(value(draw, depth - 1))
    return made


@st.composite
def messages(draw: st.DrawFn) -> provider_pb2.ReadResponse:
    """An answer with some properties, and perhaps a field that nobody knows."""
    message = provider_pb2.ReadResponse(id=draw(st.sampled_from(["", "i-1"])))
    for key in draw(st.sets(st.sampled_from("xyz"))):
        message.properties.fields[key].CopyFrom(value(draw, 2))
    if draw(st.booleans()):
        message.inputs.SetInParent()
    if draw(st.integers(0, 4)) == 0:
        message.MergeFromString(STRANGE)
    return message


@given(messages())
def test_a_tree_gives_its_message_back(message: provider_pb2.ReadResponse) -> None:
    """Every message comes back from its tree, and only one that its fields alone would not give back has its bytes there."""
    shown, fields = tree(message), PLAIN.tree(message)
    assert encode(build(type(message), shown)) == encode(message)
    assert (RAW in shown) == (encode(PLAIN.build(type(message), fields)) != encode(message))
    assert {name: item for name, item in shown.items() if name != RAW} == fields


@pytest.mark.parametrize(
    "values", [{"number_value": math.nan}, {"number_value": -0.0}, {}], ids=["no number", "negative zero", "nothing"]
)
def test_what_json_has_not(values: dict[str, float]) -> None:
    """What JSON has no word for is found at any depth."""
    inner = struct_pb2.Value(list_value=struct_pb2.ListValue(values=[struct_pb2.Value(**values)]))
    message = provider_pb2.ReadResponse()
    message.properties.fields["a"].struct_value.fields["b"].CopyFrom(inner)
    assert RAW in tree(message)


def test_a_message_without_structs() -> None:
    """A message of another kind has no bytes beside its tree either."""
    assert tree(descriptor_pb2.FileDescriptorProto(name="a", dependency=["b"])) == {"name": "a", "dependency": ["b"]}

"""Pulumi's property bags there and back: whatever the values, and with the SDK on the other side."""

from __future__ import annotations

import asyncio
import json
import math

import pytest
from builders import URN
from google.protobuf import json_format, struct_pb2
from hypothesis import given, settings
from pulumi.runtime.proto import provider_pb2
from strategies import archives, assets, bags, exact, plain_values, values

from mockprovider.pulumi.structure import decode_tree
from mockprovider.pulumi.values import (
    FLOAT,
    decode,
    decode_value,
    elide,
    encode,
    encode_value,
    from_plain,
    to_plain,
)
from mockprovider.values import (
    UNKNOWN,
    Archive,
    Asset,
    Output,
    ResourceReference,
    Secret,
    Unknown,
    children,
    contains,
    has_secret,
    has_unknown,
    map_value,
    reveal,
)
from mockprovider.wire.trees import RAW, tree


def is_endless(value):
    """Whether it is a number that JSON has none for."""
    return isinstance(value, float) and not math.isfinite(value)


@given(bags)
def test_struct_round_trips(bag):
    """Every kind of value comes back as it was from a Struct, exact type and sign included, when everything is accepted."""
    assert exact(decode(encode(bag))) == exact(bag)


@given(bags)
def test_the_json_of_a_struct_is_read_as_the_struct(bag):
    """Where its tree says all of a message, the properties are read from the tree as from the message."""
    message = provider_pb2.ReadResponse(properties=encode(bag))
    shown = tree(message)
    if RAW not in shown:
        assert exact(decode_tree(shown["properties"])) == exact(decode(message.properties))


@given(bags)
def test_struct_round_trips_through_bytes(bag):
    """What is encoded survives the wire: the bytes of the Struct hold the same properties."""
    assert exact(decode(struct_pb2.Struct.FromString(encode(bag).SerializeToString()))) == exact(bag)


@given(values)
def test_plain_round_trips_through_json(value):
    """Every kind of value comes back as it was from the plain form, written and read as strict JSON."""
    assert exact(from_plain(json.loads(json.dumps(to_plain(value), allow_nan=False)))) == exact(value)


@given(bags)
def test_plain_form_is_the_structs_json(bag):
    """But for numbers that JSON cannot hold, the plain form is what protobuf makes of the Struct."""
    plain = to_plain(bag)
    if FLOAT not in json.dumps(plain):
        assert json_format.ParseDict(plain, struct_pb2.Struct()) == encode(bag)


@given(plain_values)
def test_plain_values_need_no_disguise(value):
    """JSON's own kinds are sent as they are, whatever is accepted."""
    assert to_plain(value, frozenset()) == value or contains(value, is_endless)
    assert exact(decode_value(encode_value(value, frozenset()))) == exact(value)


@given(values)
def test_state_form_keeps_everything_but_output_values(value):
    """A state file with shown secrets gives back what went in, with output values flattened to secrets and unknowns."""

    def flat(each):
        if isinstance(each, Output):
            return Secret(each.value) if each.secret else each.value
        return each

    plain = to_plain(value, plaintext_secrets=True)
    assert exact(from_plain(json.loads(json.dumps(plain, allow_nan=False)))) == exact(map_value(value, flat))


@given(bags)
def test_fallback_of_everything(bag):
    """To a side that accepts nothing but byte strings go bare values: no wrapper, no reference, nothing else changed."""
    seen = decode(encode(bag, frozenset({"byte_strings"})))
    assert not has_secret(seen)
    assert not contains(seen, lambda each: isinstance(each, Output | ResourceReference))

    def bare(each):
        return (each.id or each.urn) if isinstance(each, ResourceReference) else each

    assert exact(seen) == exact(map_value(reveal(bag), bare))


@given(bags)
def test_unknowns_are_removed(bag):
    """A call that keeps no unknowns carries none outside of references, and what holds none is carried whole."""
    without_references = map_value(bag, lambda each: None if isinstance(each, ResourceReference) else each)
    seen = decode(encode(without_references, keep_unknowns=False))
    assert not has_unknown(seen)
    if not has_unknown(without_references):
        assert exact(seen) == exact(without_references)


@given(assets | archives)
def test_elided_is_the_hash_alone(value):
    """An elided asset or archive has its hash and nothing else, wherever it stands."""
    elided = type(value)(hash=value.hash)
    assert elide({"a": [Secret(value)], "b": 1}) == {"a": [Secret(elided)], "b": 1}


def test_every_kind_is_generated():
    """The strategy for values reaches every class of value, so the round trips above prove something."""
    seen = set()

    @settings(max_examples=150)
    @given(values)
    def collect(value):
        contains(value, lambda each: bool(seen.add(type(each))))

    collect()
    assert seen >= {
        type(None),
        bool,
        int,
        float,
        str,
        bytes,
        list,
        dict,
        Unknown,
        Secret,
        Output,
        Asset,
        Archive,
        ResourceReference,
    }
    assert list(children(Secret(1))) == [1]


class TestPythonSdk:
    """The ``pulumi`` package is the other side of this wire."""

    def test_reads_what_we_write(self):
        """The SDK finds the secret, the unknown, the assets and the reference that were put in."""
        pulumi = pytest.importorskip("pulumi")
        rpc = pytest.importorskip("pulumi.runtime.rpc")

        async def read():
            # The SDK's outputs want an event loop, and there is none where another test has run and closed one.
            return rpc.deserialize_properties(
                encode(
                    {
                        "secret": Secret("x"),
                        "unknown": UNKNOWN,
                        "text": Asset(text="t", hash="ab" * 32),
                        "empty": Asset(text=""),
                        "file": Asset(path="f"),
                        "archive": Archive(assets={"a": Asset(uri="u")}),
                        "nothing": Archive(assets={}),
                        "bucket": ResourceReference(URN, "id-1"),
                        "component": ResourceReference(URN),
                        "output": Output(1),
                    }
                ),
                keep_unknowns=True,
            )

        found = asyncio.run(read())
        assert rpc.is_rpc_secret(found["secret"])
        assert rpc.unwrap_rpc_secret(found["secret"]) == "x"
        assert isinstance(found["unknown"], pulumi.output.Unknown)
        assert (found["text"].text, found["empty"].text, found["file"].path) == ("t", "", "f")
        assert found["archive"].assets["a"].uri == "u"
        assert found["nothing"].assets == {}
        assert (found["bucket"], found["component"]) == ("id-1", URN)
        assert isinstance(found["output"], pulumi.Output)

    def test_writes_what_we_read(self):
        """What the SDK serializes is read as the kinds that the program meant."""
        pulumi = pytest.importorskip("pulumi")
        rpc = pytest.importorskip("pulumi.runtime.rpc")
        inputs = {
            "text": pulumi.StringAsset("t"),
            "archive": pulumi.AssetArchive({"a": pulumi.FileAsset("f"), "b": pulumi.FileArchive("d")}),
            "numbers": [1, 2.5, True],
            "id": rpc.UNKNOWN,
            "password": rpc.wrap_rpc_secret("x"),
        }
        assert decode(asyncio.run(rpc.serialize_properties(inputs, {}))) == {
            "text": Asset(text="t"),
            "archive": Archive(assets={"a": Asset(path="f"), "b": Archive(path="d")}),
            "numbers": [1, 2.5, True],
            "id": UNKNOWN,
            "password": Secret("x"),
        }

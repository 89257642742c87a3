"""Pulumi's property bags: the Struct codec, the plain form, and what is sent to a side that does not accept a kind."""

from __future__ import annotations

import base64
import math
from decimal import Decimal
from enum import StrEnum
from types import MappingProxyType

import pytest
from builders import URN
from google.protobuf import json_format, struct_pb2
from strategies import exact

from mockprovider.errors import MalformedError, UnsupportedError
from mockprovider.pulumi.signatures import (
    ARCHIVE,
    ASSET,
    BYTE_STRING,
    EMPTY_ARCHIVE_HASH,
    EMPTY_TEXT_HASH,
    OUTPUT,
    RESOURCE,
    SECRET,
    SENTINELS,
    SIGNATURE,
)
from mockprovider.pulumi.structure import decode_tree
from mockprovider.pulumi.values import (
    EVERYTHING,
    FLOAT,
    decode,
    decode_value,
    encode,
    encode_into,
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
)

NOTHING: frozenset[str] = frozenset()
HASH = "ab" * 32


def struct(plain):
    """A Struct straight from JSON-like objects, by protobuf's own means."""
    return json_format.ParseDict(plain, struct_pb2.Struct())


def special(signature, **parts):
    """An object with a signature."""
    return {SIGNATURE: signature, **parts}


def test_the_wire_form_of_each_kind():
    """Each kind is spelled with its signature and keys; absent parts are left out."""
    reference = ResourceReference(URN, "id-1", "logs", "cloud:index:Bucket", "1.2.3")
    spelled = to_plain(
        {
            "secret": Secret("x"),
            "asset": Asset(text="t", hash=HASH),
            "archive": Archive(assets={"a": Asset(path="f")}),
            "resource": reference,
            "component": ResourceReference(URN),
            "output": Output(1, secret=True, dependencies=(URN,)),
            "unknown output": Output(),
            "bytes": b"\xff",
        }
    )
    assert spelled == {
        "secret": special(SECRET, value="x"),
        "asset": special(ASSET, hash=HASH, text="t"),
        "archive": special(ARCHIVE, assets={"a": special(ASSET, path="f")}),
        "resource": special(RESOURCE, urn=URN, id="id-1", name="logs", type="cloud:index:Bucket", packageVersion="1.2.3"),
        "component": special(RESOURCE, urn=URN),
        "output": special(OUTPUT, value=1, secret=True, dependencies=[URN]),
        "unknown output": special(OUTPUT),
        "bytes": special(BYTE_STRING, value="/w=="),
    }


@pytest.mark.parametrize(("kind", "sentinel"), SENTINELS.items())
def test_sentinels(kind, sentinel):
    """Each reserved string is an unknown of its kind, wherever a value may stand, and goes back as the same string."""
    message = struct({"a": sentinel, "b": [sentinel], "c": special(SECRET, value=sentinel)})
    unknown = Unknown(kind)
    assert decode(message) == {"a": unknown, "b": [unknown], "c": Secret(unknown)}
    assert encode(decode(message)) == message


def test_unknown_is_the_string_sentinel():
    """An unknown of no particular kind, or of a kind that this wire has not, is sent as an unknown string."""
    assert to_plain([UNKNOWN, Unknown("dynamic")]) == [SENTINELS["string"]] * 2


@pytest.mark.parametrize("nearly", [SENTINELS["string"].upper(), SENTINELS["string"] + " ", "0" * 36])
def test_nearly_a_sentinel_is_text(nearly):
    """Only the whole reserved string is an unknown."""
    assert decode(struct({"a": nearly})) == {"a": nearly}


@pytest.mark.parametrize(
    ("double", "value"),
    [
        (3.0, 3),
        (-0.0, -0.0),
        (0.0, 0),
        (2.0**53, 2**53),
        (-(2.0**53), -(2**53)),
        (2.0**53 + 2, 2.0**53 + 2),
        (1e300, 1e300),
        (0.5, 0.5),
        (math.inf, math.inf),
        (-math.inf, -math.inf),
    ],
)
def test_numbers(double, value):
    """A whole double up to 2**53 is an ``int``, any other number a ``float`` that keeps its bits, in both forms."""
    message = struct_pb2.Value(number_value=double)
    assert exact(decode_value(message)) == exact(value)
    assert math.copysign(1, encode_value(value).number_value) == math.copysign(1, double)
    assert exact(from_plain(to_plain(double))) == exact(value)


@pytest.mark.parametrize("number", [0, -0.0, 1.5, 2**53, 2**53 + 1, -(2**70), 1e300])
def test_numbers_of_a_tree(number):
    """A number in the JSON of a Struct is what the wire would make of it, a double."""
    assert exact(decode_tree({"a": [number]})) == exact(decode(struct({"a": [number]})))


def test_nan_survives():
    """NaN is kept on the wire and in the plain form."""
    assert math.isnan(decode_value(encode_value(math.nan)))
    assert math.isnan(from_plain(to_plain(math.nan)))


def test_odd_numbers_in_plain_form():
    """A number that JSON cannot hold is an object with the hexadecimal of its bits, as in a state file."""
    assert to_plain(math.inf) == special(FLOAT, value="7ff0000000000000")
    assert from_plain(special(FLOAT, value="fff0000000000000")) == -math.inf


def test_other_kinds_of_python_values():
    """Decimals, enums, tuples and read-only mappings are sent as what they stand for."""
    colour = StrEnum("Colour", {"RED": "red"})
    value = {"d": Decimal("1.5"), "e": colour.RED, "t": (1, 2), "m": MappingProxyType({"a": colour.RED})}
    expected = {"d": 1.5, "e": "red", "t": [1, 2], "m": {"a": "red"}}
    assert exact(decode(encode(value))) == exact(expected)
    assert exact(to_plain(value)) == exact(expected)


@pytest.mark.parametrize(
    ("value", "accepts", "sent"),
    [
        (Secret(1), NOTHING, 1),
        (Secret(Secret([Secret(1)])), NOTHING, [1]),
        (Secret(UNKNOWN), NOTHING, SENTINELS["string"]),
        (ResourceReference(URN, "id-1"), NOTHING, "id-1"),
        (ResourceReference(URN, UNKNOWN), NOTHING, SENTINELS["string"]),
        (ResourceReference(URN), NOTHING, URN),
        (Output(1, dependencies=(URN,)), NOTHING, 1),
        (Output(1, secret=True), NOTHING, 1),
        (Output(1, secret=True), frozenset({"secrets"}), special(SECRET, value=1)),
        (Output(), frozenset({"secrets"}), SENTINELS["string"]),
        (Output(secret=True), frozenset({"secrets"}), special(SECRET, value=SENTINELS["string"])),
        (b"text", NOTHING, "text"),
        (b"text", EVERYTHING, special(BYTE_STRING, value="dGV4dA==")),
        (Secret(ResourceReference(URN, "id-1")), frozenset({"secrets"}), special(SECRET, value="id-1")),
    ],
)
def test_fallbacks(value, accepts, sent):
    """What the other side does not accept is sent by its fallback, on the wire and in plain form alike."""
    assert to_plain({"a": value}, accepts) == {"a": sent}
    assert encode({"a": value}, accepts) == struct({"a": sent})


@pytest.mark.parametrize(
    ("value", "sent"),
    [
        ({"a": UNKNOWN, "b": 1}, {"b": 1}),
        ([1, UNKNOWN, 2], [1, 2]),
        ({"a": {"b": UNKNOWN}}, {"a": {}}),
        ({"a": Secret(UNKNOWN), "b": Output(), "c": [Output(secret=True)]}, {"c": []}),
        ({"a": Secret({"b": UNKNOWN})}, {"a": special(SECRET, value={})}),
        ({"a": ResourceReference(URN, UNKNOWN)}, {"a": special(RESOURCE, urn=URN, id="")}),
    ],
)
def test_unknowns_that_are_not_kept(value, sent):
    """Unknowns are removed from objects and lists, with the wrappers that hold nothing else; lists get shorter."""
    assert to_plain(value, keep_unknowns=False) == sent
    assert decode_value(encode_value(value, keep_unknowns=False)) == from_plain(sent)


def test_a_reference_whose_id_is_not_known_goes_like_an_unknown():
    """Where references are sent as their ids, one without a known id is removed with its wrappers."""
    value = [Secret(ResourceReference(URN, UNKNOWN)), Output(Secret(ResourceReference(URN, UNKNOWN))), 1]
    assert to_plain(value, EVERYTHING - {"resources"}, keep_unknowns=False) == [1]
    assert decode(encode({"a": value}, EVERYTHING - {"resources"}, keep_unknowns=False)) == {"a": [1]}


def test_a_lone_unknown_that_is_not_kept_is_null():
    """Where there is nothing to remove it from, an unknown that is not kept becomes null."""
    assert to_plain(UNKNOWN, keep_unknowns=False) is None
    assert encode_value(UNKNOWN, keep_unknowns=False).HasField("null_value")


@pytest.mark.parametrize(
    ("found", "value"),
    [
        (special(ASSET), Asset(text="")),
        (special(ASSET, hash=EMPTY_TEXT_HASH), Asset(text="", hash=EMPTY_TEXT_HASH)),
        (special(ASSET, hash=HASH), Asset(hash=HASH)),
        (special(ASSET, hash=HASH, text=""), Asset(hash=HASH)),
        (special(ASSET, path="p", uri="u", text="t"), Asset(path="p")),
        (special(ASSET, path="", uri="u", text="t"), Asset(uri="u")),
        (special(ARCHIVE), Archive(assets={})),
        (special(ARCHIVE, hash=EMPTY_ARCHIVE_HASH), Archive(assets={}, hash=EMPTY_ARCHIVE_HASH)),
        (special(ARCHIVE, hash=HASH), Archive(hash=HASH)),
        (special(ARCHIVE, hash=HASH, assets={}), Archive(hash=HASH)),
        (special(ARCHIVE, path="p", uri="u"), Archive(path="p")),
        (special(ARCHIVE, assets={"a": special(ARCHIVE, path="p")}), Archive(assets={"a": Archive(path="p")})),
    ],
)
def test_assets_and_archives_are_read_as_the_engine_reads_them(found, value):
    """The path comes before the URI, the URI before the contents; without any, the hash tells the empty from the elided."""
    assert from_plain(found) == value
    assert decode(struct({"a": found})) == {"a": value}


@pytest.mark.parametrize(
    ("found", "id_"),
    [
        (special(RESOURCE, urn=URN), None),
        (special(RESOURCE, urn=URN, id=""), UNKNOWN),
        (special(RESOURCE, urn=URN, id=SENTINELS["string"]), UNKNOWN),
        (special(RESOURCE, urn=URN, id=special(OUTPUT)), UNKNOWN),
        (special(RESOURCE, urn=URN, id=special(OUTPUT, value="x")), "x"),
        (special(RESOURCE, urn=URN, id="x"), "x"),
    ],
)
def test_ids_of_references(found, id_):
    """An absent id is a component's, an empty or unknown one is not known yet."""
    assert from_plain(found) == ResourceReference(URN, id_)


BAD = [
    (special("feed"), "unrecognized signature 'feed'"),
    (special(7), "unrecognized signature 7"),
    (special(None), "unrecognized signature None"),
    (special(SECRET), "a secret without 'value'"),
    (special(RESOURCE), "a resource reference without 'urn'"),
    (special(RESOURCE, urn=1), "a resource reference whose 'urn' is a int"),
    (special(RESOURCE, urn=URN, id=1), "a resource reference whose 'id' is a int"),
    (special(RESOURCE, urn=URN, name=[]), "a resource reference whose 'name' is a list"),
    (special(ASSET, text=True), "an asset whose 'text' is a bool"),
    (special(ARCHIVE, assets=[]), ""),
    (special(ARCHIVE, assets="x"), "an archive whose 'assets' is a str"),
    (special(ARCHIVE, assets={"m": 1}), "a member of an archive is an asset or an archive"),
    (special(OUTPUT, secret="yes"), "an output value whose 'secret' is a str"),
    (special(OUTPUT, dependencies="x"), "an output value whose 'dependencies' are no list of URNs"),
    (special(OUTPUT, dependencies=[1]), "an output value whose 'dependencies' are no list of URNs"),
    (special(BYTE_STRING), "a byte string without 'value'"),
    (special(BYTE_STRING, value=1), "a byte string whose 'value' is a int"),
    (special(BYTE_STRING, value="%%"), "a byte string whose 'value' is no base64"),
    (special(BYTE_STRING, value="é"), "a byte string whose 'value' is no base64"),
]


@pytest.mark.parametrize(("found", "why"), [case for case in BAD if case[1]])
def test_malformed(found, why):
    """An object that does not fit its signature is refused, with the path at which it stands."""
    bag = {"ok": 1, "spec": {"rules": [0, {"a.b": found}]}}
    for reading in (lambda: decode(struct(bag)), lambda: decode_tree(bag), lambda: from_plain(bag)):
        with pytest.raises(MalformedError) as caught:
            reading()
        assert str(caught.value).startswith('At spec.rules[1]["a.b"]')
        assert why in str(caught.value)


def test_malformed_member_of_an_archive_is_named():
    """The path leads into the archive, to the member that is none."""
    with pytest.raises(MalformedError, match=r'^At code\.assets\["m\.py"\]: a member'):
        from_plain({"code": special(ARCHIVE, assets={"m.py": "text"})})


@pytest.mark.parametrize(
    ("value", "why"),
    [
        (object(), "At a[1]: a object is no value that Pulumi can carry."),
        ({1: 2}, "At a[1]: the key 1 is a int"),
        (b"\xff", "At a[1]: these bytes are not UTF-8 text, and the other side does not accept byte strings."),
    ],
)
def test_what_cannot_be_sent(value, why):
    """What the wire cannot carry is refused, with the path at which it stands."""
    for writing in (encode, to_plain):
        with pytest.raises(MalformedError) as caught:
            writing({"a": [0, value]}, NOTHING)
        assert why in str(caught.value)


@pytest.mark.parametrize(("value", "why"), [("\ud800", "lone surrogate"), (10**400, "larger than any double")])
def test_what_a_struct_cannot_hold(value, why):
    """Text that is no UTF-8 and integers beyond all doubles are refused, with the path."""
    with pytest.raises(MalformedError, match=rf"^At a: .*{why}"):
        encode({"a": value})
    with pytest.raises(MalformedError, match=rf"^At a\[0\]: .*{why}"):
        encode({"a": [value]})
    with pytest.raises(MalformedError, match=why):
        encode_value(value)


def test_keys_that_are_no_text():
    """A key that is no UTF-8 is refused."""
    with pytest.raises(MalformedError, match="lone surrogate"):
        encode({"\ud800": 1})


def test_state_secrets_are_read_and_written():
    """A state file's secret with its value shown is JSON text in a string, both ways."""
    found = special(SECRET, plaintext='{"b":[1,"x"],"é":null}')
    value = Secret({"é": None, "b": [1, "x"]})
    assert from_plain(found) == value
    assert to_plain(value, plaintext_secrets=True) == found


def test_state_secret_that_is_encrypted_is_refused():
    """A secret whose value is encrypted cannot be read, and the message says how to get one that can."""
    with pytest.raises(UnsupportedError, match=r"^At outputs\.password: .*--show-secrets"):
        from_plain({"outputs": {"password": special(SECRET, ciphertext="v1:abc")}})


@pytest.mark.parametrize("plaintext", ["not json", 1, None])
def test_state_secret_that_is_broken(plaintext):
    """A secret whose plaintext is no JSON text is refused."""
    with pytest.raises(MalformedError, match="no JSON text"):
        from_plain(special(SECRET, plaintext=plaintext))


@pytest.mark.parametrize("value", ["xyz", "7ff0", 1, None])
def test_state_number_that_is_broken(value):
    """A number that is not 16 hexadecimal digits is refused."""
    with pytest.raises(MalformedError, match="16 hexadecimal digits"):
        from_plain(special(FLOAT, value=value))


def test_state_spellings_are_not_the_wires():
    """The wire has no signature for numbers, and its secrets have values: an engine would refuse the state file's forms."""
    with pytest.raises(MalformedError, match="without 'value'"):
        decode(struct({"a": special(SECRET, plaintext="1")}))
    with pytest.raises(MalformedError, match="unrecognized signature"):
        decode(struct({"a": special(FLOAT, value="7ff0000000000000")}))


def test_plain_form_refuses_what_json_has_not():
    """An object that ``json.loads`` never makes is refused with its path."""
    with pytest.raises(MalformedError, match=r"^At a\[0\]: a tuple is nothing that JSON can hold"):
        from_plain({"a": [()]})


def test_the_bag_itself_is_never_special():
    """A signature among a resource's own properties is a property, as for the engine."""
    assert decode(struct(special(SECRET, value=1))) == special(SECRET, value=1)


def test_absent_and_empty():
    """Null, empty text, list and object are distinct, and an empty bag makes its field present."""
    bag = {"null": None, "text": "", "list": [], "object": {}}
    assert exact(decode(encode(bag))) == exact(bag)
    outer = struct_pb2.Value()
    encode_into(outer.struct_value, {})
    assert outer.HasField("struct_value")


def test_base64_is_the_standard_one():
    """Byte strings use the standard alphabet with padding."""
    assert to_plain(b"\xfb\xff")["value"] == base64.b64encode(b"\xfb\xff").decode() == "+/8="

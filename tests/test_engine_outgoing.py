"""Bags on their way to a provider and back."""

import pytest
from msgspec.structs import replace

from mockprovider.engine.providers.outgoing import (
    flattened,
    outgoing,
    restored,
    unnamed,
    variables,
    with_contents,
    with_secrets,
)
from mockprovider.errors import MalformedError
from mockprovider.values import UNKNOWN, Archive, Asset, Output, ResourceReference, Secret

EVERYTHING = frozenset({"secrets", "resources", "byte_strings"})
URN = "urn:pulumi:dev::shop::cloud:index:Bucket::b"
REFERENCE = ResourceReference(URN, id="b-1", name="b", type="cloud:index:Bucket")


@pytest.mark.parametrize(
    ("value", "accepted", "refused"),
    [
        (Secret({"a": Secret(1)}), Secret({"a": Secret(1)}), {"a": 1}),
        (Output(1), 1, 1),
        (Output(1, secret=True), Secret(1), 1),
        (Output(), UNKNOWN, UNKNOWN),
        (ResourceReference(URN, id="b-1"), REFERENCE, "b-1"),
        (ResourceReference(URN), replace(REFERENCE, id=None), URN),
        (ResourceReference(URN, id=UNKNOWN), replace(REFERENCE, id=UNKNOWN), UNKNOWN),
        (b"text", b"text", "text"),
    ],
)
def test_what_is_not_accepted_is_sent_by_its_fallback(value, accepted, refused):
    """Each kind goes as it is to a provider that accepts it, and by its fallback to one that does not."""
    assert outgoing({"v": [value]}, EVERYTHING) == {"v": [accepted]}
    assert outgoing({"v": [value]}, frozenset()) == flattened({"v": [value]}) == {"v": [refused]}


def test_bytes_that_are_no_text_cannot_be_flattened():
    """A byte string without a fallback is an error, not something else."""
    with pytest.raises(MalformedError, match="UTF-8"):
        flattened({"v": b"\xff"})


def test_old_assets_are_elided():
    """Remembered assets and archives travel by hash alone, at any depth."""
    bag = {"a": [Asset(text="x", hash="1")], "b": Secret(Archive(assets={}, hash="2"))}
    assert outgoing(bag, EVERYTHING, elide=True) == {"a": [Asset(hash="1")], "b": Secret(Archive(hash="2"))}


def test_echoed_assets_get_their_contents_back():
    """An asset that an answer holds by hash is filled from what was sent at the same place, if the hash is the same."""
    sent = {"a": [Asset(text="x", hash="1")], "b": Secret(Asset(text="y", hash="2")), "c": Asset(text="z", hash="3")}
    answer = {"a": [Asset(hash="1")], "b": Secret(Asset(hash="2")), "c": Asset(hash="4"), "d": 1}
    assert with_contents(answer, sent) == {**sent, "c": Asset(hash="4"), "d": 1}


def test_secretness_is_restored_by_key():
    """What was or held a secret is secret in the answer, objects key by key."""
    sent = {"a": Secret(1), "b": {"c": Secret(2), "d": 3}, "e": [Secret(4)]}
    answer = {"a": 1, "b": {"c": 2, "d": 3}, "e": [4], "f": 5}
    assert restored(answer, sent) == {"a": Secret(1), "b": {"c": Secret(2), "d": 3}, "e": Secret([4]), "f": 5}


def test_outputs_become_secret_after_a_step():
    """Named outputs and those with a secret input of the same name are secret; the id cannot be."""
    found = with_secrets({"a": 1, "b": 2, "id": 3, "c": Secret(4)}, {"b": Secret(2)}, ("a", "id", "none"))
    assert found == {"a": Secret(1), "b": Secret(2), "id": 3, "c": Secret(4)}


def test_configure_s_variables():
    """Strings as they are, everything else as JSON, under the package's keys, secrets in the clear."""
    found = variables("cloud", {"region": "eu", "key": Secret("k"), "tags": {"b": 1, "a": True}})
    assert found == {"cloud:config:region": "eu", "cloud:config:key": "k", "cloud:config:tags": '{"a":true,"b":1}'}


def test_a_reference_is_kept_by_its_urn() -> None:
    """What a provider says of a referenced resource's name and type is not kept: its URN tells."""
    assert unnamed({"of": [Secret(REFERENCE)], "x": 1}) == {"of": [Secret(ResourceReference(URN, id="b-1"))], "x": 1}

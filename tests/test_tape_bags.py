"""Bags as JSON text: what is written is what is read, for every kind of value."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest
from hypothesis import given
from strategies import bags, exact

from mockprovider.errors import MalformedError
from mockprovider.tape.bags import dump, load
from mockprovider.values import UNKNOWN, Archive, Asset, Output, ResourceReference, Secret, Unknown


@pytest.mark.parametrize(
    "value",
    [
        {"$": "Secret", "value": "no secret"},
        {"$": {"$": "dict", "items": []}},
        Decimal("12345678901234567890.12345678901234567890"),
        b"\x00\xff",
        2**80,
        float("inf"),
        UNKNOWN,
        Unknown("number", b"\x81"),
        Secret({"deep": [Secret(None)]}),
        Output(1, True, ("urn:a", "urn:b")),
        Archive({"a": Asset(text="x"), "b": Archive(path="p", hash="h")}),
        ResourceReference("urn:a", UNKNOWN),
        [[], {}, "", 0, False, None],
    ],
)
def test_every_kind_comes_back(value):
    """A value of each kind is read as it was written, and one that looks like our own notation too."""
    text = dump({"here": value})

    assert load(text) == {"here": value}
    assert type(load(text)["here"]) is type(value)


@given(bags)
def test_all_bags_come_back(bag):
    """Whatever engines and providers exchange comes back, with its types."""
    assert exact(load(dump(bag))) == exact(bag)


def test_it_is_json():
    """The text is JSON, and plain values are plain in it."""
    assert json.loads(dump({"a": [1, "x", None]})) == {"a": [1, "x", None]}


def test_what_is_no_value_is_refused():
    """Something that is no value cannot be kept, and the error says what it is."""
    with pytest.raises(MalformedError, match="A set is no value"):
        dump({"a": {1, 2}})


@pytest.mark.parametrize(
    "text", ["", "[]", "{", '{"$":"Nothing"}', '{"$":"Secret"}', '{"$":"dict"}', '{"$":"Secret","value":1}']
)
def test_other_text_is_refused(text):
    """Text that we have not written is an error that shows it."""
    with pytest.raises(MalformedError, match="no bag that mockprovider wrote"):
        load(text)

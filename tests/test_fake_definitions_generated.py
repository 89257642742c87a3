"""Types files with whatever may stand in one: what is accepted, what is written again, and what is refused."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from strategies_types_files import places, spoiled, types_files
from types_files import BUCKET, VALIDATOR, file

from mockprovider.errors import DefinitionError
from mockprovider.fake.definitions import dump, load
from mockprovider.fake.definitions.shapes import (
    ChildShape,
    ComponentShape,
    FunctionShape,
    MethodShape,
    PackageShape,
    PropertyShape,
    ResourceShape,
)

SAID = {"forcesNew": True, "secret": True, "conflictsWith": ["other"], "description": "a", "terraform": "b"}
EVERY_KEY = file(
    version="2.0.0",
    address="mock/cloud",
    config={"region": {"type": "string", "default": "north", **SAID}},
    terraformSchema={"provider": {"version": 1, "block": {}}},
    resources={
        BUCKET: {
            "description": "a bucket",
            "id": "bucket-{hash}",
            "terraform": "cloud_pail",
            "version": 3,
            "deleteBeforeReplace": True,
            "timeouts": {"delete": 2, "create": 1.5},
            "behaviours": [
                {"kind": "quota", "most": 3, "everywhere": True},
                {"kind": "pending", "name": "state", "seconds": 5, "refuses": ["update"]},
                {"kind": "slow", "create": 2, "read": 2.5},
            ],
            "diffNeedsKnown": True,
            "identity": ["id"],
            "movedFrom": ["cloud_old"],
            "importable": "They are unknown.",
            "legacyTypeSystem": True,
            "elements": 2,
            "schema": {"version": 3, "block": {}},
            "properties": {
                "name": {"type": "string", "autoName": True, "deleteBeforeReplace": True, "unreadable": True, **SAID},
                "made": {"type": "string", "defaultRandom": {"length": 4, "prefix": "", "alphabet": "ab"}, "minLength": 0},
                "from": {"type": "string", "defaultTemplate": "{made}", "minLength": 0, "maxLength": 9, "pattern": "[a-z]*"},
                "size": {"type": "number", "required": True, "minimum": 0, "maximum": 1.5},
                "zones": {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}, "minItems": 0, "maxItems": 2},
                "rule": {"type": "object", "properties": {"port": {"type": "integer", "writeOnly": True, "enum": [1, 2]}}},
                "state": {"type": "string", "computed": "{id}", "optional": True},
            },
        }
    },
    functions={
        "cloud:index:f": {
            "inputs": {"a": {"type": "string"}},
            "returns": {"b": ["{a}", None]},
            "outputs": {"b": {"type": "string"}},
            "terraform": "cloud_eff",
            "terraformSchema": {"version": 0, "block": {}},
        }
    },
    components={
        "cloud:index:Site": {
            "description": "a site",
            "inputs": {"a": {"type": "string"}},
            "outputs": {"b": {"type": "string", "computed": "{logs.id}"}},
            "children": {"logs": {"type": BUCKET, "name": "{name}-logs", "properties": {"name": "{a}"}}},
        }
    },
    methods={"cloud:index:Site/m": {"inputs": {"a": {"type": "string"}}, "returns": {"b": "{self.b}"}}},
    answers=[{"function": "cloud:index:f", "when": {"a": "x"}, "answer": [{"b": "y"}]}],
    outputs=[{"type": ["cloud_pail", "cloud_old"], "name": "logs", "when": {"size": 1}, "outputs": {"state": "{name}"}}],
    elements={"*": 2},
    lenient=True,
)


@given(types_files)
def test_what_is_accepted_comes_back(accepted):
    """The reader and the published schema accept the same files, and what is written of one is read to equal declarations."""
    packages = load(accepted)
    written = dump(packages)

    VALIDATOR.validate(accepted)
    VALIDATOR.validate(written)
    assert load(written) == packages
    assert json.dumps(dump(load(written))) == json.dumps(written)


def refusal(source):
    """The message with which ``source`` is refused; none for a file that is read."""
    try:
        load(source, "types.json")
    except DefinitionError as error:
        return str(error)
    return None


@given(spoiled(types_files))
def test_what_is_spoiled_is_read_or_refused_with_its_place(wrong):
    """A file in which one thing is out of place is read, by the schema too, or refused in one line that names the file."""
    said = refusal(wrong)

    assert (said.startswith("types.json") and "\n" not in said) if said else VALIDATOR.is_valid(wrong)


def test_files_are_written_in_one_order():
    """A file that says everything, in the order in which files are written, is written as the same text."""
    assert json.dumps(dump(load(EVERY_KEY))) == json.dumps(EVERY_KEY)


@pytest.mark.parametrize(
    "shape", [PackageShape, ResourceShape, PropertyShape, FunctionShape, MethodShape, ComponentShape, ChildShape]
)
def test_the_order_is_of_every_key(shape):
    """The file of the test above has each key of each shape."""
    assert {key for _, key in places(EVERY_KEY)} >= set(shape.__struct_encode_fields__)

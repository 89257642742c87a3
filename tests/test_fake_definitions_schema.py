"""The published schema of types files: it agrees with the reader, and with the page about resource types."""

from __future__ import annotations

import copy
import json
from typing import get_args

import jsonschema
import pytest
from types_files import (
    BEYOND_A_SCHEMA,
    BUCKET,
    HOUSE,
    PUBLISHED,
    REFUSED,
    VALIDATOR,
    file,
    ids,
    prop,
    resource,
)

from mockprovider.double.presets import FILES
from mockprovider.fake.answers import is_lenient
from mockprovider.fake.behaviours import Behaving
from mockprovider.fake.definitions import dump, load
from mockprovider.fake.definitions.publishing import published
from mockprovider.fake.definitions.shapes import PropertyShape, ResourceShape

CATALOG = sorted((HOUSE / "plugins/catalog").glob("*.json"))
PRESETS = sorted((HOUSE / "plugins/catalog/presets").glob("*.json"))
EVERY_BEHAVIOUR = resource(
    properties={
        "deletionProtection": "boolean",
        "status": {"computed": True},
        "version": {"type": "integer", "computed": True},
        "lastModified": {"computed": True},
        "owner": "string",
    },
    behaviours=[
        {"kind": "quota", "most": 3, "everywhere": True, "status": "permission_denied"},
        {"kind": "pending", "reads": 2, "refuses": ["delete"]},
        {"kind": "normalised", "name": "owner", "form": "lower"},
        {"kind": "revision", "reads": True},
        {"kind": "modified", "$comment": "by the clock"},
        {"kind": "protected"},
        {"kind": "holds", "type": "cloud:index:Object", "by": "bucket", "of": "owner"},
        {"kind": "references", "name": "owner", "type": "cloud:index:User", "to": "name"},
        {"kind": "eventual", "reads": 2},
        {"kind": "slow", "create": 1.5},
    ],
)
"""A type with one behaviour of each kind."""


@pytest.mark.parametrize("kind", get_args(Behaving), ids=lambda kind: kind.__name__)
def test_every_behaviour_is_shown(kind):
    """A behaviour that types files may name is in the sample above, in the page's table, and among the public names."""
    shown = [behaviour["kind"] for behaviour in EVERY_BEHAVIOUR["packages"]["cloud"]["resources"][BUCKET]["behaviours"]]
    tag = kind.__struct_config__.tag

    assert tag in shown
    assert f"| `{tag}` | `{kind.__name__}(" in (HOUSE / "docs/resource-types.md").read_text(encoding="utf-8")
    assert f"fake.behaviours.{kind.__name__}`:" in (HOUSE / "docs/api.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", CATALOG, ids=lambda path: path.name)
def test_the_catalog_is_served(path):
    """Every ready-made file is accepted by the published schema and by the reader, and survives the way there and back."""
    text = path.read_text(encoding="utf-8")
    packages = load(text, path.name)

    VALIDATOR.validate(json.loads(text))
    assert dump(load(dump(packages))) == dump(packages)
    assert all(package.resources for package in packages)


@pytest.mark.parametrize("path", PRESETS, ids=lambda path: path.name)
def test_presets_are_types_files(path):
    """Each preset is accepted by the published schema and by the reader, survives the way there and back, and is lenient."""
    text = path.read_text(encoding="utf-8")
    packages = load(text, path.name)

    VALIDATOR.validate(json.loads(text))
    assert dump(load(dump(packages))) == dump(packages)
    assert all(map(is_lenient, packages))
    assert {path.stem for path in PRESETS} == set(FILES.values())


def test_there_is_a_catalog():
    """The catalog holds at least two ready-made files, so that the test above proves something."""
    assert len(CATALOG) >= 2


@pytest.mark.parametrize("source", [source for source, _ in REFUSED], ids=ids(REFUSED))
def test_the_schema_refuses_what_the_reader_refuses(source):
    """The published schema refuses the bad samples, but for those of which no schema can tell."""
    assert not VALIDATOR.is_valid(source)


@pytest.mark.parametrize("source", [source for source, _ in BEYOND_A_SCHEMA], ids=ids(BEYOND_A_SCHEMA))
def test_the_schema_leaves_the_rest_to_the_reader(source):
    """What is listed as beyond a schema is accepted by it: once it can tell, the sample belongs to the others."""
    assert VALIDATOR.is_valid(source)


@pytest.mark.parametrize(
    "source",
    [
        file(),
        file(version="1.0.0"),
        resource(),
        prop("any"),
        prop({}),
        prop({"type": "integer", "default": 3.0}),
        prop({"required": False, "default": "x"}),
        prop({"computed": False, "default": "x"}),
        prop({"optional": False}),
        prop({"type": "object", "properties": {"arn": {"computed": "{id}-{n}"}, "n": {"type": "integer", "default": 1}}}),
        prop({"type": "set", "items": {"type": "object", "properties": {"arn": {"computed": True, "optional": True}}}}),
        prop({"type": "array", "items": {"type": "integer", "enum": [1, 2]}, "minItems": 1, "maxItems": 2}),
        prop({"autoName": "{name}_{random:3}", "maxLength": 20, "pattern": "[a-z].*"}),
        prop({"autoName": False}),
        prop({"type": "number", "minimum": -1.5, "maximum": 2}),
        prop({"defaultRandom": {"length": 4, "prefix": "x", "alphabet": "01"}, "unreadable": True}),
        prop({"forcesNew": True, "deleteBeforeReplace": True}),
        resource(properties={"a": "string", "b": {"defaultTemplate": "{a}-b"}}),
        resource(timeouts={"create": 30, "delete": 0.5}, diffNeedsKnown=True),
        EVERY_BEHAVIOUR,
        prop({"type": "any", "default": {"a": [1, None]}}),
        prop({"type": "object", "properties": {}}),
        prop({"type": "array", "items": {"type": "object", "properties": {"a": {"type": "set", "items": "asset"}}}}),
        prop({"type": "number", "enum": [1, 2.5], "default": 2.5}),
        prop({"computed": "{id}", "optional": True, "enum": ["a"]}),
        file(functions={"cloud:index:f": {"returns": {"a": None, "b": [True]}}}),
        file(resources={"cloud::Bucket": {}, "cloud:storage/bucket:Bucket": {}}),
    ],
)
def test_the_schema_accepts_what_the_reader_accepts(source):
    """The published schema accepts every good sample, as the reader does."""
    before = copy.deepcopy(source)
    load(source)

    VALIDATOR.validate(source)
    assert source == before


def test_the_published_schema_is_made_of_the_shapes():
    """The committed file is a valid schema, and the one that the shapes of today make."""
    jsonschema.Draft202012Validator.check_schema(PUBLISHED)

    assert (HOUSE / "mockprovider/definitions.schema.json").read_text(encoding="utf-8") == published(), (
        "Write it anew: python -m mockprovider.fake.definitions.publishing > mockprovider/definitions.schema.json"
    )


def test_every_key_is_documented():
    """The page about resource types has a row for each key of a resource and of a property."""
    page = (HOUSE / "docs/resource-types.md").read_text(encoding="utf-8")

    keys = [*ResourceShape.__struct_encode_fields__, *PropertyShape.__struct_encode_fields__]
    assert [key for key in keys if f"\n| `{key}` |" not in page] == []


def test_the_sample_in_the_page_is_read():
    """The file shown on the page about resource types is one that the reader takes."""
    page = (HOUSE / "docs/resource-types.md").read_text(encoding="utf-8")
    sample = page.split("```json\n")[1].split("```")[0]

    assert list(load(sample)[0].resources) == [BUCKET]

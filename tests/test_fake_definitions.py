"""Types files: what they declare, and what is refused and how."""

from __future__ import annotations

import json

import pytest
from builders import URN, call
from types_files import BEYOND_A_SCHEMA, BUCKET, REFUSED, file, ids, prop, resource

from mockprovider import schema as words
from mockprovider.calls import Op
from mockprovider.cloud import Cloud
from mockprovider.errors import DefinitionError
from mockprovider.fake import Fake
from mockprovider.fake.definitions import load
from mockprovider.terraform import ResourceTraits


def loaded(declared):
    """The property that ``declared`` declares."""
    return load(prop(declared))[0].resources[BUCKET].properties["acl"]


def refusal(source, origin="types.json"):
    """The message with which ``source`` is refused."""
    with pytest.raises(DefinitionError) as refused:
        load(source, origin)
    return str(refused.value)


# What is read ----------------------------------------------------------------------------------------------------------


def test_a_whole_file():
    """Every key of every level reaches the declaration that it is for."""
    source = resource(
        id="bucket-{hash}",
        deleteBeforeReplace=True,
        description="a bucket",
        terraform="cloud_pail",
        version=2,
        properties={"acl": "string"},
    )
    source["packages"]["cloud"] |= {
        "version": "2.3.4-beta.1+x",
        "config": {"region": {"type": "string", "default": "north"}},
        "functions": {"cloud:index:getZone": {"inputs": {"region": "string"}, "returns": {"zone": "zone-{region}"}}},
    }
    [found] = load(json.dumps(source))
    bucket = found.resources[BUCKET]

    assert (found.name, found.version) == ("cloud", "2.3.4-beta.1+x")
    assert found.config["region"].default == "north"
    assert (bucket.id, bucket.delete_before_replace, bucket.description) == ("bucket-{hash}", True, "a bucket")
    assert (bucket.terraform, bucket.traits) == ("cloud_pail", (ResourceTraits(version=2),))
    assert found.functions["cloud:index:getZone"].returns == {"zone": "zone-{region}"}


def test_every_key_of_a_property():
    """Each key of a property is the argument of the same name in Python."""
    found = loaded(
        {
            "type": "integer",
            "computed": True,
            "optional": True,
            "forcesNew": True,
            "secret": True,
            "enum": [1, 2],
            "description": "how many",
            "terraform": "how_many",
        }
    )

    assert (found.kind.name, found.computed, found.optional, found.forces_new, found.secret) == (
        "integer",
        True,
        True,
        True,
        True,
    )
    assert (found.enum, found.description, found.terraform) == ((1, 2), "how many", "how_many")
    assert loaded({"required": True}).required


@pytest.mark.parametrize(
    ("declared", "kind"),
    [
        ("string", words.kind_of(str)),
        ({}, words.kind_of(str)),
        ("map", words.kind_of(dict)),
        ({"type": "array"}, words.kind_of(list)),
        ({"type": "set", "items": "integer"}, words.kind_of(set[int])),
        ({"type": "array", "items": {"type": "map", "items": "boolean"}}, words.kind_of(list[dict[str, bool]])),
        ("asset", words.kind_of("asset")),
    ],
)
def test_kinds(declared, kind):
    """A kind is spelled by name, or as an object with type and items, to any depth."""
    assert loaded(declared).kind == kind


def test_nested_objects():
    """An object's properties are declared as those of a type are, also as the items of a list."""
    rule = {"type": "object", "properties": {"port": {"type": "integer", "required": True}, "open": "boolean"}}

    assert loaded(rule).kind.properties["port"].required
    assert loaded({"type": "array", "items": rule}).kind.items.properties["open"].kind.name == "boolean"


def test_comments_are_allowed_everywhere():
    """``$comment`` may stand in every object of the format and means nothing."""
    source = resource(properties={"acl": {"$comment": "c", "type": "array", "items": {"$comment": "c", "type": "string"}}})
    source["$comment"] = source["packages"]["cloud"]["$comment"] = "c"
    source["packages"]["cloud"]["resources"][BUCKET]["$comment"] = "c"

    assert list(load(source)[0].resources[BUCKET].properties) == ["acl"]


def test_behaviours_work_from_data_alone():
    """What a file declares is served as if it had been declared in Python: defaults, templates, generated values, functions."""
    source = resource(
        id="bucket-{name}",
        properties={
            "url": {"computed": "https://{arn}"},
            "arn": {"computed": "arn:{id}"},
            "acl": {"type": "string", "default": "private"},
        },
    )
    source["packages"]["cloud"]["functions"] = {
        "cloud:index:getZone": {"inputs": {"region": "string"}, "returns": {"zones": ["{region}-a", 1], "brace": "{{}}"}}
    }
    [package] = load(source)
    fake = Fake({"cloud": package}, Cloud())

    made = fake(call(Op.CREATE, BUCKET, inputs={}, name="logs", urn=URN))
    assert made.value == {"acl": "private", "arn": "arn:bucket-logs", "url": "https://arn:bucket-logs"}
    asked = fake(call(Op.INVOKE, "cloud:index:getZone", inputs={"region": "north"}))
    assert asked.value == {"zones": ["north-a", 1], "brace": "{}"}


# What is refused -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("source", "message"), REFUSED + BEYOND_A_SCHEMA, ids=ids(REFUSED + BEYOND_A_SCHEMA))
def test_bad_files_are_refused(source, message):
    """Each wrong thing is refused in one line that names the file, the place, what stands there and what should."""
    said = refusal(source)

    assert message in said
    assert said.startswith("types.json")
    assert "\n" not in said


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{\n  "mockprovider": 1,,\n}', "types.json, line 2, column 21: this is no JSON"),
        ("", "types.json, line 1, column 1: this is no JSON"),
        ('{"mockprovider": 1, "mockprovider": 1}', "types.json: one object has the key 'mockprovider' twice"),
        ('{"mockprovider": NaN}', "types.json: NaN is no JSON"),
        ('{"mockprovider": 1e999}', "types.json: 1e999 is too large"),
        ('{"mockprovider": ' + "9" * 5000 + "}", "is too large"),
        ("[" * 200_000, "types.json: nested too deeply"),
    ],
)
def test_text_that_is_no_json(text, message):
    """Broken JSON is refused with line and column; so is what JSON readers usually let pass in silence."""
    said = refusal(text)

    assert message in said
    assert len(said) < 300


@pytest.mark.parametrize(
    "source",
    [
        prop({"computed": lambda bag: bag}),
        prop({"default": len}),
        prop({"type": str}),
        file(functions={"cloud:index:f": {"returns": len}}),
        file(functions={"cloud:index:f": {"returns": {"a": len}}}),
    ],
)
def test_a_python_callable_is_refused(source):
    """Data handed over from Python cannot smuggle in a function."""
    assert "a Python function stands here, and data cannot hold Python" in refusal(source)


def test_templates_in_a_circle_are_refused():
    """Two computed properties that need each other are named, with their circle."""
    said = refusal(resource(properties={"a": {"computed": "{b}"}, "b": {"computed": "{a}"}}))

    assert "these templates need each other" in said
    assert "a -> b -> a" in said or "b -> a -> b" in said


def test_keys_are_text():
    """A mapping from Python with a key that JSON does not have is refused."""
    assert "the key 1 is no text" in refusal({"mockprovider": 1, "packages": {1: {}}})

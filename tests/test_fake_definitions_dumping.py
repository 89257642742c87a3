"""Types files made of what was declared in Python, and the way back."""

from __future__ import annotations

import json

import pytest
from types_files import BUCKET, VALIDATOR

from mockprovider import pulumi, terraform
from mockprovider import schema as words
from mockprovider.errors import DefinitionError
from mockprovider.fake.behaviours import Normalised, Pending, Quota
from mockprovider.fake.definitions import dump, load
from mockprovider.offers import Ephemeral, ProviderFunction
from mockprovider.schema import Component, Function, Kind, Method, Property, Random, ResourceType, Template


def declared_in_python():
    """A package that uses everything that data can hold."""
    package = words.Package("cloud", "2.0.0", {"region": Property(str, default="north", secret=True)})
    package.add(
        ResourceType(
            BUCKET,
            {
                "acl": Property(str, default="private", enum=("private", "public"), description="who may read"),
                "name": Property(str, required=True, forces_new=True, terraform="label"),
                "arn": Property(str, computed="arn:{id}", optional=True),
                "rules": Property(list[dict[str, int]]),
                "rule": Property({"port": Property(int, required=True)}),
                "off": Property(bool, default=False),
                "title": Property(str, auto_name="{name}-{random:3}", max_length=20, pattern="[a-z].*"),
                "alias": Property(str, default=Template("{title}-too"), unreadable=True),
                "key": Property(str, default=Random(4, prefix="k"), min_length=1, delete_before_replace=True),
                "share": Property(float, minimum=0, maximum=1.5),
                "zones": Property(Kind("array", items=Kind("string", enum=("a", "b"))), min_items=0, max_items=2),
                "disk": Property({"size": int, "serial": Property(str, computed=True)}),
                "status": Property(str, computed=True),
            },
            id="bucket-{hash}",
            timeouts={"create": 30},
            behaviours=(Quota(3), Pending(seconds=5.0, refuses=("update",)), Normalised("name", "lower")),
            traits=[
                pulumi.ResourceTraits(diff_needs_known=True),
                terraform.ResourceTraits(version=3, identity=("id", "name"), legacy_type_system=True),
            ],
            delete_before_replace=True,
            terraform="cloud_pail",
            description="a bucket",
        ),
        Function("cloud:index:getZone", {"region": Property(str)}, {"zone": "zone-{region}", "n": 1}),
    )
    return package


def test_dump_and_load_are_inverse():
    """What is declared in Python comes back the same from the data that it is dumped to, and the data is the published kind."""
    package = declared_in_python()
    data = json.loads(json.dumps(dump([package])))
    [again] = load(data)
    old, new = package.resources[BUCKET], again.resources[BUCKET]

    VALIDATOR.validate(data)
    assert dump([again]) == data
    assert (old.timeouts, old.behaviours, [*old.traits]) == (new.timeouts, new.behaviours, [*new.traits])
    assert (old.id, old.terraform, old.attributes) == (new.id, new.terraform, new.attributes)
    for name, item in old.properties.items():
        for word in Property.__struct_fields__:
            if word not in ("type", "kind"):
                assert getattr(item, word) == getattr(new.properties[name], word), (name, word)
        assert str(item.kind) == str(new.properties[name].kind)


@pytest.mark.parametrize(
    ("definition", "message"),
    [
        (
            ResourceType(BUCKET, {"acl": Property(default=lambda _: "x")}),
            "cloud:index:Bucket: property 'acl': default is a Python function",
        ),
        (ResourceType(BUCKET, {"acl": Property(computed=lambda _: "x")}), "property 'acl': computed is a Python function"),
        (
            ResourceType(BUCKET, {"rule": Property({"a": Property(default=len)})}),
            "property 'rule': property 'a': default is a Python",
        ),
        (Function("cloud:index:f", {}, lambda _: {}), "cloud:index:f: what it returns is a Python function"),
        (
            ResourceType(BUCKET, traits=[terraform.ResourceTraits(version=1, upgrades={0: dict})]),
            "what upgrades a state is a Python function",
        ),
        (ResourceType(BUCKET, moved_from={"cloud_old": lambda old: old}), "what converts a moved object is a Python function"),
        (
            ResourceType(BUCKET, behaviours=(lambda call, proceed, _: proceed(call),)),
            "is written in Python, which a types",
        ),
        (ResourceType(BUCKET, {"acl": str}, behaviours=(Normalised("acl", str.lower),)), "is written in Python, which a types"),
        (ResourceType(BUCKET, {"acl": Property("any", default=object())}), "default: "),
    ],
)
def test_dump_refuses_python(definition, message):
    """A declaration that only Python can hold is refused, naming the property and what to use instead."""
    package = words.Package("cloud")
    package.add(definition)
    with pytest.raises(DefinitionError, match=r"cloud") as refused:
        dump([package])

    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("item", "written"),
    [
        (Property(), {"type": "string"}),
        (Property(int, required=True), {"type": "integer", "required": True}),
        (Property(Kind("string", enum=("a",))), {"type": "string", "enum": ["a"]}),
        (Property(Kind("string", enum=("a",)), enum=("b",)), {"type": "string", "enum": ["b"]}),
        (Property(list), {"type": "array", "items": {"type": "any"}}),
        (Property(Kind("array")), {"type": "array"}),
        (Property(list[int]), {"type": "array", "items": {"type": "integer"}}),
        (
            Property(Kind("set", items=Kind("string", enum=("a",)))),
            {"type": "set", "items": {"type": "string", "enum": ["a"]}},
        ),
        (
            Property(dict[str, list[bool]]),
            {"type": "map", "items": {"type": "array", "items": {"type": "boolean"}}},
        ),
        (Property({}), {"type": "object", "properties": {}}),
        (
            Property({"a": Property(int, default=1)}),
            {"type": "object", "properties": {"a": {"type": "integer", "default": 1}}},
        ),
        (
            Property(Kind("array", items=words.kind_of({"a": str}))),
            {"type": "array", "items": {"type": "object", "properties": {"a": {"type": "string"}}}},
        ),
        (Property(default="x", secret=True), {"type": "string", "default": "x", "secret": True}),
        (Property(default=Template("x")), {"type": "string", "defaultTemplate": "x"}),
        (
            Property(default=Random(4)),
            {"type": "string", "defaultRandom": {"length": 4, "prefix": "", "alphabet": "0123456789abcdef"}},
        ),
        (Property(write_only=True), {"type": "string", "writeOnly": True}),
        (Property(secret=True, terraform="other"), {"type": "string", "secret": True, "terraform": "other"}),
        (Property(computed="{id}", optional=True), {"type": "string", "computed": "{id}", "optional": True}),
    ],
)
def test_how_a_property_is_written(item, written):
    """A property is written with its kind and what is not as it would be anyway, at every depth."""
    package = words.Package("cloud")
    package.add(ResourceType(BUCKET, {"p": item}))

    assert dump([package])["packages"]["cloud"]["resources"][BUCKET]["properties"] == {"p": written}


@pytest.mark.parametrize(
    ("declared", "written"),
    [
        (ResourceType(BUCKET), {}),
        (ResourceType(BUCKET, terraform="cloud_bucket"), {}),
        (ResourceType(BUCKET, terraform="cloud_pail"), {"terraform": "cloud_pail"}),
        (ResourceType(BUCKET, moved_from=("cloud_old",)), {"movedFrom": ["cloud_old"]}),
        (ResourceType(BUCKET, moved_from={}), {}),
        (ResourceType(BUCKET, importable="no id"), {"importable": "no id"}),
        (ResourceType(BUCKET, behaviours=(Quota(3),)), {"behaviours": [{"kind": "quota", "most": 3}]}),
        (ResourceType(BUCKET, traits=[terraform.ResourceTraits(version=3)]), {"version": 3}),
    ],
)
def test_how_a_type_is_written(declared, written):
    """A type is written with what is not as it would be anyway, its traits of both ecosystems among it."""
    package = words.Package("cloud")
    package.add(declared)

    assert dump([package]) == {
        "mockprovider": 1,
        "packages": {"cloud": {"version": "1.0.0", "resources": {BUCKET: written}}},
    }


def test_what_only_python_can_offer():
    """A package with provider functions or ephemeral resources cannot be written, and the error names them."""
    package = words.Package("cloud")
    package.add(ProviderFunction("cloud:index:join"), Ephemeral("cloud:index:Token"))
    with pytest.raises(DefinitionError, match=r"and cloud has cloud:index:join, cloud:index:Token\. Keep them in Python"):
        dump([package])


@pytest.mark.parametrize(
    ("definition", "place"),
    [
        (words.Package("cloud", config={"a": Property(default=len)}), "the configuration of cloud: property 'a': default is"),
        (ResourceType(BUCKET, {"a": Property(default=len)}), f"{BUCKET}: property 'a': default is"),
        (
            ResourceType(BUCKET, {"a": Property(Kind("array", items=words.kind_of({"b": Property(default=len)})))}),
            "property 'a': property 'b': default",
        ),
        (Function("cloud:index:f", {"a": Property(default=len)}), "cloud:index:f: property 'a': default is"),
        (Component("cloud:index:Site", {"a": Property(default=len)}), "cloud:index:Site: property 'a': default is"),
        (Component("cloud:index:Site", {}, {"a": Property(computed=len)}), "cloud:index:Site: property 'a': computed is"),
        (Method("cloud:index:Site/m", {"a": Property(default=len)}), "cloud:index:Site/m: property 'a': default is"),
    ],
)
def test_whose_python_it_is(definition, place):
    """What only Python can hold is told with its owner."""
    package = definition if isinstance(definition, words.Package) else words.Package("cloud")
    if package is not definition:
        package.add(definition)
    with pytest.raises(DefinitionError) as refused:
        dump([package])

    assert place in str(refused.value)

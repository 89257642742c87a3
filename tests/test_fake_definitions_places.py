"""Where a types file is wrong: each part is told with the whole path that leads to it; and what the parts may name."""

from __future__ import annotations

import pytest
from types_files import BUCKET, file, prop, resource

from mockprovider.errors import DefinitionError
from mockprovider.fake.definitions import load
from mockprovider.schema import Kind, Property, ResourceType, Template

AT = f'.resources["{BUCKET}"]'
WRONG = {"type": "integer", "default": "x"}
ODD = "{odd}"
SITE, FUNCTION = "cloud:index:Site", "cloud:index:f"


def component(**keys):
    """A types file of one component."""
    return file(components={SITE: keys})


def inside(declared):
    """The property that ``declared`` declares, inside of an object, and of the objects of a list and of a set of maps."""
    part = {"type": "object", "properties": {"p": declared}}
    return [
        (f"properties.acl.{way}", prop(shape))
        for way, shape in (
            ("properties.p", part),
            ("items.properties.p", {"type": "array", "items": part}),
            ("items.items.properties.p", {"type": "set", "items": {"type": "map", "items": part}}),
        )
    ]


@pytest.mark.parametrize(
    ("place", "source"),
    [
        (".config.a.default", file(config={"a": WRONG})),
        (".config", file(config={"version": "string"})),
        ('.resources["x:y:Z"]', file(resources={"x:y:Z": {}})),
        ('.functions["x:y:z"]', file(functions={"x:y:z": {}})),
        ('.components["x:y:Z"]', file(components={"x:y:Z": {}})),
        ('.methods["x:y:Z/m"]', file(methods={"x:y:Z/m": {}})),
        (f'.functions["{FUNCTION}"].inputs.a.default', file(functions={FUNCTION: {"inputs": {"a": WRONG}}})),
        (f'.functions["{FUNCTION}"].returns.b', file(functions={FUNCTION: {"returns": {"b": ODD}}})),
        (f'.functions["{FUNCTION}"].returns.b[1].c', file(functions={FUNCTION: {"returns": {"b": [1, {"c": ODD}]}}})),
        (f'.components["{SITE}"].inputs.a.default', component(inputs={"a": WRONG})),
        (f'.components["{SITE}"].outputs.a.default', component(outputs={"a": WRONG})),
        (f'.components["{SITE}"].outputs.a.computed', component(outputs={"a": {"computed": ODD}})),
        (
            f'.components["{SITE}"].children.c.properties.a',
            component(children={"c": {"type": BUCKET, "properties": {"a": ODD}}}),
        ),
        (f'.components["{SITE}"].children.c.name', component(children={"c": {"type": BUCKET, "name": ODD}})),
        (f'.methods["{SITE}/m"].inputs.a.default', file(methods={f"{SITE}/m": {"inputs": {"a": WRONG}}})),
        (f'.methods["{SITE}/m"].returns.b', file(methods={f"{SITE}/m": {"returns": {"b": ODD}}})),
        (f"{AT}.id", resource(id=ODD)),
        (f"{AT}.properties.acl.default", prop(WRONG)),
        (f"{AT}.properties.acl.enum[1]", prop({"enum": ["a", 1]})),
        (
            f"{AT}.properties.acl.items.enum[1]",
            prop({"type": "set", "items": {"type": "string", "enum": ["a", 1]}}),
        ),
        (f"{AT}.properties.acl.items", prop({"type": "string", "items": "string"})),
        (f"{AT}.properties.acl.items", prop({"type": "array", "items": "object"})),
        (
            f"{AT}.properties.acl.items.items",
            prop({"type": "array", "items": {"type": "string", "items": "any"}}),
        ),
        (f"{AT}.properties.acl.properties", prop({"properties": {}})),
        (
            f"{AT}.properties.acl.items.properties",
            prop({"type": "map", "items": {"type": "any", "properties": {}}}),
        ),
        (f"{AT}.properties.acl.computed", prop({"computed": ODD})),
        (f"{AT}.properties.acl.defaultTemplate", prop({"defaultTemplate": ODD})),
        (f"{AT}.properties.acl", prop({"minimum": 1})),
        (f"{AT}.properties.acl", prop({"type": "object"})),
        (f"{AT}.properties.acl", prop("object")),
        (AT, resource(properties={"a": {"computed": "{b}"}, "b": {"computed": "{a}"}})),
        (AT, resource(properties={"a": {"defaultTemplate": "{b}"}, "b": {"defaultTemplate": "{a}"}})),
        (AT, resource(timeouts={"create": 0})),
        ("", file(resources={"cloud:index:Big": {}, "cloud:index:big": {}})),
        *((f"{AT}.{place}.computed", source) for place, source in inside({"computed": ODD})),
        *((f"{AT}.{place}.defaultTemplate", source) for place, source in inside({"defaultTemplate": ODD})),
        *((f"{AT}.{place}.enum[0]", source) for place, source in inside({"enum": [1]})),
        *((f"{AT}.{place.removesuffix('.properties.p')}", source) for place, source in inside({"computed": "{p}"})),
    ],
)
def test_the_place_is_told_whole(place, source):
    """What is wrong is told with the path from the file's root to it."""
    with pytest.raises(DefinitionError) as refused:
        load(source, "types.json")

    assert str(refused.value).startswith(f"types.json: packages.cloud{place}: ")


@pytest.mark.parametrize(
    ("source", "named"),
    [
        (resource(id="{hash}-{name}-{acl}", properties={"acl": "string"}), True),
        (resource(id="{zone}", properties={"zone": {"computed": True, "optional": True}}), True),
        (resource(id="{arn}", properties={"arn": {"computed": True}}), False),
        (resource(id="{id}"), False),
        (resource(properties={"a": {"computed": "{id}-{b}-{c}"}, "b": {"computed": True}, "c": "string"}), True),
        (resource(properties={"a": {"computed": "{hash}"}}), False),
        (resource(properties={"a": {"defaultTemplate": "{b}"}, "b": "string"}), True),
        (resource(properties={"a": {"defaultTemplate": "{id}"}}), False),
        (prop({"type": "object", "properties": {"a": {"computed": "{id}{b}"}, "b": "string"}}), True),
        (prop({"type": "object", "properties": {"a": {"computed": "{acl}"}}}), False),
        (file(functions={FUNCTION: {"inputs": {"a": "string"}, "returns": {"b": "{a}"}}}), True),
        (file(functions={FUNCTION: {"returns": {"b": "{id}"}}}), False),
        (file(functions={FUNCTION: {"returns": {"b": "{self.id}"}}}), False),
        (file(methods={f"{SITE}/m": {"inputs": {"a": "string"}, "returns": {"b": "{a}{self.id}"}}}), True),
        (file(methods={f"{SITE}/m": {"returns": {"b": "{name}"}}}), False),
        (component(inputs={"a": "string"}, children={"c": {"type": BUCKET, "name": "{name}-{a}"}}), True),
        (component(inputs={"a": "string"}, children={"c": {"type": BUCKET, "properties": {"x": ["{name}-{a}"]}}}), True),
        (
            component(
                children={"c": {"type": BUCKET}, "d": {"type": BUCKET, "name": "{c.id}", "properties": {"x": "{c.arn}"}}}
            ),
            True,
        ),
        (component(children={"c": {"type": BUCKET, "properties": {"x": "{c.arn}"}}}), False),
        (component(children={"c": {"type": BUCKET, "name": "{id}"}}), False),
        (
            component(inputs={"a": "string"}, children={"c": {"type": BUCKET}}, outputs={"x": {"computed": "{a}{name}{c.id}"}}),
            True,
        ),
        (component(outputs={"x": {"computed": "{id}"}}), False),
    ],
)
def test_what_a_template_may_name(source, named):
    """A template may ask for what is there when it is filled in: inputs, siblings, ids, earlier children, ``self``."""
    if named:
        assert load(source)
    else:
        with pytest.raises(DefinitionError, match="which is not there"):
            load(source)


@pytest.mark.parametrize(
    ("keys", "refused"),
    [
        ({"default": "x"}, None),
        ({"default": "x", "defaultTemplate": "x"}, "default and defaultTemplate both say"),
        ({"defaultTemplate": "x", "defaultRandom": {}}, "defaultTemplate and defaultRandom both say"),
        (
            {"default": "x", "defaultTemplate": "x", "defaultRandom": {}},
            "default and defaultTemplate and defaultRandom both say",
        ),
        ({"autoName": True, "default": "x"}, "autoName and default both say"),
        ({"autoName": True, "defaultTemplate": "x"}, "drop required, default or computed"),
        ({"computed": True, "default": "x"}, "drop default, or computed"),
        ({"computed": True, "defaultTemplate": "x"}, "drop default, or computed"),
        ({"computed": True, "defaultRandom": {}}, "drop default, or computed"),
        ({"computed": False, "default": "x"}, None),
    ],
)
def test_one_source_of_a_value(keys, refused):
    """A property's value has one source: a default of one sort, a name, or the provider."""
    if refused is None:
        assert load(prop(keys))
    else:
        with pytest.raises(DefinitionError, match=refused):
            load(prop(keys))


@pytest.mark.parametrize(
    ("declared", "expected"),
    [
        ("integer", Property(int)),
        ({}, Property(str)),
        ({"type": "any"}, Property("any")),
        ({"type": "array"}, Property(list)),
        ({"type": "array", "items": "integer"}, Property(list[int])),
        ({"type": "map", "items": {"type": "set", "items": "boolean"}}, Property(dict[str, set[bool]])),
        (
            {"type": "array", "items": {"type": "string", "enum": ["a"]}},
            Property(Kind("array", items=Kind("string", enum=("a",)))),
        ),
        ({"type": "object", "properties": {"a": "integer"}}, Property({"a": Property(Kind("integer"))})),
        (
            {"type": "set", "items": {"type": "object", "properties": {"a": {"default": "x"}}}},
            Property(Kind("set", items=Kind("object", properties={"a": Property(Kind("string"), default="x")}))),
        ),
        ({"defaultTemplate": "x"}, Property(default=Template("x"))),
        ({"default": "x", "secret": True}, Property(default="x", secret=True)),
    ],
)
def test_what_a_property_becomes(declared, expected):
    """A property in a file declares what the same words declare in Python."""
    [found] = load(prop(declared))[0].resources[BUCKET].properties.values()

    assert (found.kind, found.default, found.secret) == (expected.kind, expected.default, expected.secret)


def test_what_is_left_out_is_as_it_would_be_anyway():
    """A type of a file that says nothing is the type that Python declares with nothing but its token."""
    [package] = load(resource())

    assert (package.name, package.version) == ("cloud", "1.0.0")
    assert package.resources == {BUCKET: ResourceType(BUCKET)}

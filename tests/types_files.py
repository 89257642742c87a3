"""Types files that the tests of their reader, of the way back and of the published schema share: good ones and bad ones."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import jsonschema

HOUSE = Path(__file__).resolve().parent.parent
PUBLISHED = json.loads((HOUSE / "mockprovider/definitions.schema.json").read_text(encoding="utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(PUBLISHED)
BUCKET = "cloud:index:Bucket"


def file(**package: Any) -> dict[str, Any]:
    """A types file of one package."""
    return {"mockprovider": 1, "packages": {"cloud": package}}


def resource(**keys: Any) -> dict[str, Any]:
    """A types file of one resource type."""
    return file(resources={BUCKET: keys})


def prop(declared: Any, name: str = "acl") -> dict[str, Any]:
    """A types file of one property."""
    return resource(properties={name: declared})


AT = f'types.json: packages.cloud.resources["{BUCKET}"]'
REFUSED = [
    ({"packages": {}}, "types.json: the key 'mockprovider' is missing"),
    ({"mockprovider": 1}, "types.json: the key 'packages' is missing"),
    ({"mockprovider": 1, "packages": {}}, "types.json: packages: there are no packages"),
    ({"mockprovider": 2, "packages": {}}, "types.json: mockprovider: this file is of format 2, and this version reads 1"),
    ({"mockprovider": "1", "packages": {}}, 'types.json: mockprovider: "1" stands here. Write a whole number'),
    ({"mockprovider": True, "packages": {}}, "types.json: mockprovider: true stands here"),
    ({"mockprovider": 1, "packages": {"cloud": {}}, "package": 1}, "no key 'package' here. Did you mean 'packages'?"),
    ({"mockprovider": 1, "packages": []}, "types.json: packages: [] stands here. Write an object in braces"),
    ({"mockprovider": 1, "packages": {"1st": {}}}, "types.json: packages.1st: '1st' cannot be a name here"),
    ({"mockprovider": 1, "$schema": 1, "packages": {"cloud": {}}}, "schema"),
    ([], "types.json: [] stands here. Write an object in braces"),
    (file(version="1.0"), "types.json: packages.cloud.version: '1.0' is no semantic version. Write three numbers"),
    (file(resource={}), "types.json: packages.cloud: there is no key 'resource' here. Did you mean 'resources'?"),
    (file(resources={"Bucket": {}}), "'Bucket' is no token. Write it as 'package:module:Member'"),
    (file(functions={"zone": {}}), "'zone' is no token"),
    (file(resources={"cloud:index:provider": {}}), "'cloud:index:provider' is Pulumi's name for the provider itself"),
    (
        file(config={"version": "string"}),
        "types.json: packages.cloud.config: Pulumi keeps 'version' for the version of the plugin",
    ),
    (resource(properties={"pulumi": "string"}), "Pulumi keeps the name 'pulumi' for itself. Choose another."),
    (resource(propertys={}), f"{AT}: there is no key 'propertys' here. Did you mean 'properties'?"),
    (resource(id=""), f"{AT}.id: this string is empty"),
    (resource(version=-1), f"{AT}.version: -1 is below 0"),
    (resource(version=1.5), f"{AT}.version: 1.5 stands here. Write a whole number"),
    (resource(deleteBeforeReplace="yes"), f'{AT}.deleteBeforeReplace: "yes" stands here. Write true or false, without quotes'),
    (resource(terraform="Cloud-Bucket"), f"{AT}.terraform: 'Cloud-Bucket' cannot be a name here: Terraform's names are"),
    (resource(properties={"a b": "string"}), "'a b' cannot be a name here"),
    (prop("strng"), f"{AT}.properties.acl: 'strng' is no kind of value. Did you mean 'string'?"),
    (prop({"type": "strng"}), f"{AT}.properties.acl.type: 'strng' is no kind of value. Did you mean 'string'?"),
    (prop({"type": 1}), f"{AT}.properties.acl.type: 1 stands here. Write a string in quotes"),
    (prop(7), f"{AT}.properties.acl: 7 stands here. Write an object in braces"),
    (prop({"forceNew": True}), f"{AT}.properties.acl: there is no key 'forceNew' here. Did you mean 'forcesNew'?"),
    (prop("object"), "an object needs its properties"),
    (prop({"type": "object"}), "an object needs its properties"),
    (prop({"type": "string", "items": "string"}), f"{AT}.properties.acl.items: a string has no items"),
    (prop({"type": "map", "properties": {}}), f"{AT}.properties.acl.properties: a map has no properties"),
    (prop({"type": "array", "items": {}}), f"{AT}.properties.acl.items: the key 'type' is missing"),
    (prop({"type": "array", "items": {"type": "string", "default": "x"}}), "there is no key 'default' here"),
    (prop({"type": "array", "items": "strin"}), "'strin' is no kind of value. Did you mean 'string'?"),
    (
        file(config={"tls": {"type": "object", "properties": {"key": {"computed": True}}}}),
        "packages.cloud.config.tls.properties.key: there is no key 'computed' here",
    ),
    (prop({"minimum": 1}), f"{AT}.properties.acl: minimum limits integer and number alone, and this is string"),
    (prop({"type": "integer", "minimum": "1"}), f'{AT}.properties.acl.minimum: "1" stands here. Write a number'),
    (prop({"type": "integer", "maxLength": 1}), "max_length limits string alone, and this is integer"),
    (prop({"minItems": 1}), "min_items limits array and set and map alone, and this is string"),
    (prop({"autoName": 7}), f"{AT}.properties.acl.autoName: 7 stands here. Write true, or a template"),
    (prop({"autoName": True, "required": True}), "cannot be required and have a default"),
    (prop({"autoName": True, "default": "x"}), "autoName and default both say what the default is"),
    (prop({"type": "integer", "autoName": True}), "auto_name makes text, and this is integer"),
    (prop({"default": "x", "defaultRandom": {}}), "default and defaultRandom both say what the default is"),
    (prop({"defaultRandom": {"length": 0}}), f"{AT}.properties.acl.defaultRandom: Random(length=0, alphabet="),
    (prop({"computed": True, "defaultTemplate": "x"}), "a computed property has its value from the provider"),
    (prop({"type": "array", "items": {"type": "string", "enum": ["a", 1]}}), "items.enum[1]: this does not fit"),
    (resource(timeouts={"create": 0}), f"{AT}: cloud:index:Bucket: timeouts has 'create': 0"),
    (resource(timeouts={"creat": 5}), f"{AT}.timeouts: there is no key 'creat' here. Did you mean 'create'?"),
    (resource(behaviours={}), f"{AT}.behaviours: {{}} stands here. Write a list in brackets"),
    (resource(behaviours=[{}]), f"{AT}.behaviours[0]: the key 'kind' is missing"),
    (resource(behaviours=[{"kind": "qouta"}]), "'qouta' is no kind of behaviour. Did you mean 'quota'?"),
    (resource(behaviours=[{"kind": "quota"}]), f"{AT}.behaviours[0]: the key 'most' is missing"),
    (resource(behaviours=[{"kind": "quota", "most": 1, "least": 0}]), f"{AT}.behaviours[0]: there is no key 'least' here"),
    (resource(behaviours=[{"kind": "quota", "most": "1"}]), f'{AT}.behaviours[0].most: "1" stands here. Write a whole number'),
    (resource(behaviours=[{"kind": "quota", "most": 1, "status": "full"}]), "'full' is no status of a failure"),
    (resource(behaviours=[{"kind": "eventual", "reads": 0}]), f"{AT}.behaviours[0]: Eventual(reads=0) hides nothing"),
    (prop({"required": True, "default": "x"}), "cannot be required and have a default"),
    (prop({"required": True, "computed": True}), "cannot be required and have a default or a computed value"),
    (prop({"optional": True}), "optional=True says that a *computed* property may also be set"),
    (
        prop({"computed": True, "default": "x"}),
        "a computed property has its value from the provider: drop default, or computed",
    ),
    (prop({"computed": 5}), f"{AT}.properties.acl.computed: 5 stands here. Write true for a generated value, or a template"),
    (prop({"computed": ""}), f"{AT}.properties.acl.computed: this string is empty"),
    (prop({"default": None}), f"{AT}.properties.acl.default: null is what a property without a default is anyway"),
    (
        prop({"default": 5}),
        f"{AT}.properties.acl.default: this does not fit the property's own type: expected string, got number 5",
    ),
    (prop({"type": "integer", "default": 1.5}), "expected integer, got number 1.5"),
    (prop({"type": "boolean", "default": 1}), "expected boolean, got number 1"),
    (prop({"type": "asset", "default": "text"}), "expected asset, got string"),
    (prop({"enum": []}), "no value at all would be accepted"),
    (prop({"enum": "private"}), '"private" stands here. Write a list in brackets'),
    (prop({"enum": ["a", 1]}), f"{AT}.properties.acl.enum[1]: this does not fit the property's own type"),
    (prop({"enum": [None]}), f"{AT}.properties.acl.enum[0]: null is what"),
    (prop({"description": 1}), f"{AT}.properties.acl.description: 1 stands here"),
    (prop({"$comment": 1}), "1 stands here. Write a string in quotes"),
    (file(config={"region": {"autoName": True}}), "packages.cloud.config.region: there is no key 'autoName' here"),
    (file(config={"region": {"computed": True}}), "packages.cloud.config.region: there is no key 'computed' here"),
    (file(functions={"cloud:index:f": {"returns": []}}), "[] stands here. Write an object in braces"),
]
"""Wrong files and what is said about them, where the published schema can tell, too."""
BEYOND_A_SCHEMA = [
    (file(resources={"aws:s3:Bucket": {}}), "'aws:s3:Bucket' does not belong to the package 'cloud'. Start it with 'cloud:'"),
    (
        file(resources={"cloud:index:Big": {}, "cloud:index:big": {}}),
        "'cloud:index:Big' and 'cloud:index:big' would both be Terraform's 'cloud_big'",
    ),
    (resource(id="{"), f"{AT}.id: '{{' is not a template"),
    (resource(id="{acl}"), f"{AT}.id: the template '{{acl}}' asks for 'acl', which is not there. It may ask for: hash, name."),
    (resource(id="{arn}", properties={"arn": {"computed": True}}), "asks for 'arn', which is not there"),
    (
        resource(properties={"fooBar": "string", "foo_bar": "string"}),
        "'fooBar' and 'foo_bar' would both be Terraform's 'foo_bar'",
    ),
    (prop({"computed": "{nam}", "type": "string"}), "the template '{nam}' asks for 'nam', which is not there"),
    (prop({"computed": "{acl}"}), "these templates need each other, so none can be first: acl -> acl"),
    (prop({"type": "array", "items": "string", "default": ["a", 1]}), "expected string, got number 1"),
    (prop({"enum": ["a"], "default": "b"}), "expected one of 'a', got 'b'"),
    (
        file(functions={"cloud:index:f": {"returns": {"a": [{"b": "{region}"}]}}}),
        ".returns.a[0].b: the template '{region}' asks for",
    ),
    (file(functions={"cloud:index:f": {"returns": {"a": "{}"}}}), "A plain brace is written twice"),
    (prop({"pattern": "("}), "The pattern '(' is no regular expression"),
    (prop({"minLength": 3, "maxLength": 2}), "min_length=3 is above max_length=2"),
    (prop({"maxLength": 2, "default": "xyz"}), "expected at most 2 characters, got 3 in 'xyz'"),
    (prop({"autoName": "{nam}"}), "'{nam}' asks for 'nam'. A name is made of {name} and of {random:7}"),
    (prop({"autoName": "{random:x}"}), "asks for 'random':x"),
    (prop({"autoName": "{"}), "'{' is not a template"),
    (prop({"defaultTemplate": "{nam}"}), "the template '{nam}' asks for 'nam', which is not there"),
    (
        prop({"type": "object", "properties": {"arn": {"computed": "{name}"}}}),
        f"{AT}.properties.acl.properties.arn.computed: the template '{{name}}' asks for 'name'",
    ),
    (resource(behaviours=[{"kind": "protected"}]), "is about 'deletionProtection', which is no property. There are none."),
    (
        resource(properties={"status": "string"}, behaviours=[{"kind": "pending", "reads": 2}]),
        "says what 'status' is: declare it with computed=True",
    ),
    (resource(behaviours=[{"kind": "pending"}]), "after so many reads or so many seconds: give one of the two"),
]
"""The same, where only the reader can tell: comparisons of one place with another, and templates."""


def ids(samples: Iterable[tuple[Any, str]]) -> list[str]:
    """Short names for parametrized samples."""
    return [message.removeprefix(AT).removeprefix("types.json: ")[:50] for _, message in samples]

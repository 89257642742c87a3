"""Types files: what they declare, what is refused and how, and the published schema's agreement with the reader."""

from __future__ import annotations

import copy
import json
from pathlib import Path

import jsonschema
import pytest
from builders import URN, call
from msgspec.structs import fields

from mockprovider import schema as words
from mockprovider.calls import Op
from mockprovider.cloud import Cloud
from mockprovider.errors import DefinitionError
from mockprovider.fake import Fake
from mockprovider.fake.behaviours import Normalised, Pending, Quota
from mockprovider.fake.definitions import dump, load
from mockprovider.fake.definitions.behaviours import KINDS
from mockprovider.fake.definitions.properties import PROPERTY_KEYS, PROPERTY_NAME, TERRAFORM_NAME
from mockprovider.fake.definitions.reading import PACKAGE_NAME, RESOURCE, VERSION
from mockprovider.schema import Function, Kind, Property, Random, ResourceType, Template

HOUSE = Path(__file__).resolve().parent.parent
PUBLISHED = json.loads((HOUSE / "mockprovider/definitions.schema.json").read_text(encoding="utf-8"))
CATALOG = sorted((HOUSE / "plugins/catalog").glob("*.json"))
VALIDATOR = jsonschema.Draft202012Validator(PUBLISHED)

BUCKET = "cloud:index:Bucket"


def file(**package):
    """A types file of one package."""
    return {"mockprovider": 1, "packages": {"cloud": package}}


def resource(**keys):
    """A types file of one resource type."""
    return file(resources={BUCKET: keys})


def prop(declared, name="acl"):
    """A types file of one property."""
    return resource(properties={name: declared})


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
    assert (bucket.terraform, bucket.version) == ("cloud_pail", 2)
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


def ids(samples):
    """Short names for parametrized samples."""
    return [message.removeprefix(AT).removeprefix("types.json: ")[:50] for _, message in samples]


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


# The way back ----------------------------------------------------------------------------------------------------------


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
            diff_needs_known=True,
            delete_before_replace=True,
            terraform="cloud_pail",
            version=3,
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
    assert (old.timeouts, old.behaviours, old.diff_needs_known) == (new.timeouts, new.behaviours, new.diff_needs_known)
    assert (old.id, old.terraform, old.version, old.attributes) == (new.id, new.terraform, new.version, new.attributes)
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
        (ResourceType(BUCKET, moved_from={"cloud_old": lambda old: old}), "what converts a moved object is a Python function"),
        (ResourceType(BUCKET, behaviours=(lambda call, proceed, _: proceed(call),)), "is a Python function, and a types file"),
        (ResourceType(BUCKET, {"acl": str}, behaviours=(Normalised("acl", str.lower),)), "is a Python function, and a types"),
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


# The published schema --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", CATALOG, ids=lambda path: path.name)
def test_the_catalog_is_served(path):
    """Every ready-made file is accepted by the published schema and by the reader, and survives the way there and back."""
    text = path.read_text(encoding="utf-8")
    packages = load(text, path.name)

    VALIDATOR.validate(json.loads(text))
    assert dump(load(dump(packages))) == dump(packages)
    assert all(package.resources for package in packages)


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


def test_the_schema_is_a_schema_of_the_same_words():
    """The published schema is valid, and its patterns, kinds and keys are those of the reader."""
    defs = PUBLISHED["$defs"]
    jsonschema.Draft202012Validator.check_schema(PUBLISHED)

    assert defs["token"]["pattern"] == f"^{words.TOKEN.pattern}$"
    assert defs["propertyName"]["pattern"] == f"^{PROPERTY_NAME.pattern}$"
    assert defs["terraformName"]["pattern"] == f"^{TERRAFORM_NAME.pattern}$"
    assert defs["package"]["properties"]["version"]["pattern"] == f"^{VERSION.pattern}$"
    assert PUBLISHED["properties"]["packages"]["propertyNames"]["pattern"] == f"^{PACKAGE_NAME.pattern}$"
    assert set(defs["kind"]["enum"]) == words.NAMES == set(defs["plainKind"]["enum"]) | {"object"}
    stated = set(defs["stated"]["properties"]) | set(defs["property"]["oneOf"][1]["properties"])
    assert stated == {*PROPERTY_KEYS, "$comment"}
    assert set(defs["resource"]["properties"]) == {*RESOURCE, "$comment"}
    for each in defs["behaviour"]["oneOf"]:
        made = KINDS[each["properties"]["kind"]["const"]]
        assert set(each["properties"]) == {*made.__struct_fields__, "kind", "$comment"}
        assert set(each["required"]) == {"kind", *(one.name for one in fields(made) if one.required)}
    assert len(defs["behaviour"]["oneOf"]) == len(KINDS)


def test_every_key_is_documented():
    """The page about resource types has a row for each key of a resource and of a property."""
    page = (HOUSE / "docs/resource-types.md").read_text(encoding="utf-8")

    assert [key for key in (*RESOURCE, *PROPERTY_KEYS) if f"\n| `{key}` |" not in page] == []


def test_the_sample_in_the_page_is_read():
    """The file shown on the page about resource types is one that the reader takes."""
    page = (HOUSE / "docs/resource-types.md").read_text(encoding="utf-8")
    sample = page.split("```json\n")[1].split("```")[0]

    assert list(load(sample)[0].resources) == [BUCKET]

"""Pulumi's package schemas as packages of ours."""

from __future__ import annotations

import copy
import json
from pathlib import Path

import pulumi
import pytest
import yaml
from builders import BUCKET, package
from engine_toolbox import Thing
from schema_excerpt import GET_MAILBOX, MAILBOX, OFFICE, SCHEMA, TEXT
from test_pulumi_schema import RICH, catalogued

import mockprovider
from mockprovider.calls import Call, Op
from mockprovider.cli.types import read_types
from mockprovider.double import Double
from mockprovider.engine import Stack
from mockprovider.errors import DefinitionError, MockProviderWarning
from mockprovider.fake.checks import failures
from mockprovider.fake.computing import compute
from mockprovider.fake.definitions import load
from mockprovider.pulumi.methods import PROVIDER
from mockprovider.pulumi.package.reading import from_schema, is_schema
from mockprovider.pulumi.schema import dump
from mockprovider.schema import Kind, Package, Property, kind_of
from mockprovider.values import Archive, Asset, Secret

CATALOG = sorted((Path(__file__).resolve().parents[1] / "plugins/catalog").glob("*.json"))


def mailbox():
    """The properties of the excerpt's mailbox."""
    return from_schema(TEXT).resources[MAILBOX].properties


def thing(spec, *, output=None, types=None, **more):
    """The property ``p`` of a resource whose input is ``spec`` (and whose output is ``output``)."""
    resource = {"inputProperties": {"p": spec} if spec else {}, "properties": {"p": output} if output else {}, **more}
    schema = {"name": "pkg", "resources": {"pkg:index:Thing": resource}, "types": types or {}}
    return from_schema(schema).resources["pkg:index:Thing"].properties["p"]


def changed(path, value):
    """The excerpt with ``value`` at ``path``."""
    schema = copy.deepcopy(SCHEMA)
    inner = schema
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return schema


def test_name_version_and_config():
    """The package has the schema's name and version; settings are variables and provider inputs, required where both say so."""
    found = mockprovider.from_schema(TEXT)

    assert (found.name, found.version) == ("post", "4.2.1")
    assert found.config["region"].required
    assert found.config["token"].secret
    assert not found.config["token"].required, "SDK or provider find it in the environment"
    assert found.config["retries"].default == 3


def test_a_variable_is_a_setting_without_a_provider():
    """Old schemas have variables alone."""
    found = from_schema({"name": "old", "config": {"variables": {"a": {"type": "string"}}, "defaults": ["a"]}})

    assert found.config == {"a": Property(kind_of(str), required=True)}
    assert found.version == "1.0.0"


def test_what_a_program_must_and_may_set():
    """Required inputs are required, other inputs are not, and inputs that always come out are the provider's to fill in."""
    found = mailbox()

    assert found["address"].required
    assert not found["labels"].required
    assert (found["domain"].computed, found["domain"].optional) == (True, True)
    assert found["quota"].default == 10
    assert not found["quota"].computed


def test_what_the_provider_says():
    """Outputs that are no inputs are computed."""
    found = mailbox()

    assert found["number"] == Property(kind_of(int), computed=True)
    assert not found["state"].is_input
    assert found["state"].description == "What it is now."


def test_replacement_and_secrets():
    """Both ways to say that a change replaces are one; what is secret on one side is secret."""
    found = mailbox()

    assert {name for name, item in found.items() if item.forces_new} == {"address", "tier"}
    assert {name for name, item in found.items() if item.secret} == {"password"}


def test_enums_in_collections():
    """Elements that are enums are checked one by one, in lists and in maps."""
    types = {"pkg:index:E": {"type": "string", "enum": [{"value": "e"}]}}
    many = {"type": "array", "items": {"$ref": "#/types/pkg:index:E"}}
    item = thing({"type": "object", "additionalProperties": many}, types=types)

    found = [each.reason for each in failures({"p": item}, {"p": {"a": ["e", "f"]}})]
    assert found == ["expected one of 'e', got 'f'"]
    assert list(failures({"p": item}, {"p": {"a": ["e", Secret("e")]}})) == []


def test_types_of_other_packages():
    """References into another package are its types where its schema is given, and anything where not."""
    ref = "/post/v4.2.1/schema.json#/types/post:index%2Ftier:Tier"
    schema = {"name": "pkg", "resources": {"pkg:index:Thing": {"inputProperties": {"p": {"$ref": ref}}}}}

    def read(**packages):
        return from_schema(schema, packages=packages).resources["pkg:index:Thing"].properties["p"]

    assert read().kind == Kind("any")
    assert read(post=TEXT).enum == read(post=SCHEMA).enum == ("s{1}", "large")
    with pytest.raises(DefinitionError, match=r"there is no type 'post:index/tier:Tier' in this schema"):
        read(post={"name": "post"})


def test_yaml():
    """A schema in YAML is the same package; GetSchema serves it in JSON."""
    found = from_schema(yaml.safe_dump(SCHEMA))

    assert json.loads(found.schema) == SCHEMA
    assert found.resources[MAILBOX].properties["tier"] == mailbox()["tier"]


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("name: [", r"post\.yaml, line 1, column 8: this is no YAML"),
        ("name: post\nversion: 1.0.0\nname: pest\n", r"post\.yaml, line 1: one object has the key 'name' twice"),
        ("name: post\nversion: 1.0\n", r"post\.yaml: version: 1\.0 stands here\. Write a string in quotes"),
        ("just words", r'post\.yaml: "just words" stands here\. Write an object'),
    ],
)
def test_yaml_that_is_wrong_is_told(source, told):
    """Broken YAML is one error with its place, as broken JSON is."""
    with pytest.raises(DefinitionError, match=told):
        from_schema(source, "post.yaml")


def test_one_type_of_a_schema():
    """``ResourceType.from_schema`` reads one type, and says which one was probably meant."""
    assert mockprovider.ResourceType.from_schema(TEXT, MAILBOX).token == MAILBOX
    with pytest.raises(DefinitionError, match=f"The schema of 'post' has no resource type .*Did you mean '{MAILBOX}'"):
        mockprovider.ResourceType.from_schema(TEXT, MAILBOX[:-1])


def test_constants():
    """A constant is the default and the only value of an input, and the value of an output."""
    found = mailbox()

    assert (found["apiVersion"].default, found["apiVersion"].enum, found["apiVersion"].required) == ("v1", ("v1",), False)
    assert (found["kind"].computed, found["kind"].is_input, found["kind"].enum) == ("mailbox", True, ("mailbox",))


def test_enums():
    """An enum is its kind and the only values; as an output it is the first of them."""
    found = mailbox()

    assert (found["tier"].kind, found["tier"].enum) == (Kind("string"), ("s{1}", "large"))
    assert found["state"].computed == "s{{1}}"


def test_a_type_that_holds_itself_holds_anything_there():
    """Kinds are trees, so a recursive type is open where it comes round."""
    rule = mailbox()["rules"].kind.items

    assert rule.name == "object"
    assert rule.properties["to"].required
    assert rule.properties["keep"].default is True
    assert rule.properties["otherwise"].kind == Kind("any")


def test_a_type_that_would_never_end_holds_anything():
    """Types that hold others twice, level upon level, are open where the tree of them would be too large."""
    types = {f"pkg:i:T{n}": {"properties": {key: {"$ref": f"#/types/pkg:i:T{n + 1}"} for key in "ab"}} for n in range(60)}
    found = thing(
        {"$ref": "#/types/pkg:i:T0"}, output={"$ref": "#/types/pkg:i:T50"}, types=types | {"pkg:i:T60": {}}, required=["p"]
    )

    assert found.kind.name == "object"
    assert found.computed is True


@pytest.mark.parametrize(
    ("spec", "kind"),
    [
        ({"type": "boolean"}, bool),
        ({"type": "number", "plain": True}, float),
        ({"type": "array", "items": {"type": "array", "items": {"type": "integer"}}}, list[list[int]]),
        ({"type": "object"}, dict[str, str]),
        ({"type": "object", "additionalProperties": {"$ref": "pulumi.json#/Any"}}, dict[str, object]),
        ({"$ref": "pulumi.json#/Asset"}, "asset"),
        ({"$ref": "pulumi.json#/Archive"}, "archive"),
        ({"$ref": "pulumi.json#/Json"}, str),
        ({"$ref": "#/provider"}, "any"),
        ({"$ref": "#/resources/pkg:index:Thing"}, "any"),
        ({"$ref": "#/types/pkg:index:Thing"}, "any"),
        ({"$ref": "/aws/v6.0.0/schema.json#/types/aws:iam%2Frole:Role"}, "any"),
        ({"$ref": "/aws/v6.0.0/schema.json#/types/aws:iam%2Frole:Role", "type": "string"}, str),
        ({"type": "boolean", "$ref": "#/types/pkg:index:Gone"}, bool),
        ({"oneOf": [{"type": "string"}, {"type": "string"}]}, str),
        ({"oneOf": [{"type": "string"}, {"type": "boolean"}]}, "any"),
        ({"oneOf": [{"type": "integer"}, {"type": "number"}]}, float),
    ],
)
def test_kinds(spec, kind):
    """Each form of a type has its kind."""
    assert thing(spec) == Property(kind_of(kind))


def test_a_union_with_an_enum():
    """An enum beside its open kind lists examples; beside another enum, both list all that there is."""
    types = {
        "pkg:index:E": {"type": "string", "enum": [{"value": "a"}]},
        "pkg:index:F": {"type": "string", "enum": [{"value": "b"}]},
    }
    first, second = {"$ref": "#/types/pkg:index:E"}, {"$ref": "#/types/pkg:index:F"}

    assert thing({"oneOf": [{"type": "string"}, first]}, types=types).enum == ()
    assert thing({"oneOf": [first, second]}, types=types).enum == ("a", "b")


@pytest.mark.parametrize(
    ("spec", "value"),
    [
        ({"$ref": "pulumi.json#/Asset"}, Asset(text="")),
        ({"$ref": "pulumi.json#/Archive"}, Archive()),
        ({"$ref": "#/types/pkg:index:E"}, 7),
    ],
)
def test_outputs_that_no_kind_alone_can_make(spec, value):
    """Assets, archives and enums come out as what they are, always the same."""
    types = {"pkg:index:E": {"type": "integer", "enum": [{"value": 7}]}}
    resource = {"properties": {"p": spec}}
    found = from_schema({"name": "pkg", "resources": {"pkg:index:Thing": resource}, "types": types})
    made, again = (compute(found.resources["pkg:index:Thing"], {}, "i")["p"] for _ in range(2))

    assert type(made) is type(value)
    assert made == again
    assert isinstance(value, (Asset, Archive)) or made == value


def test_names_that_meet_in_terraform_are_told_apart():
    """Two properties with one Terraform name get two: a schema has no place to say so."""
    specs = {"fooBar": {"type": "string"}, "foo_bar": {"type": "string"}}
    found = from_schema({"name": "pkg", "resources": {"pkg:index:Thing": {"inputProperties": specs}}})

    assert found.resources["pkg:index:Thing"].attributes == {"foo_bar": "fooBar", "foo_bar_2": "foo_bar"}


def test_own_outputs_are_left_out():
    """``id`` and ``urn`` are every resource's own; components and methods are no resources and functions."""
    own = {"id": {"type": "string"}, "urn": {"type": "string"}}
    found = from_schema({"name": "pkg", "resources": {"pkg:index:Thing": {"properties": own}}})

    assert found.resources["pkg:index:Thing"].properties == {}
    assert list(from_schema(TEXT).resources) == [MAILBOX]
    assert list(from_schema(TEXT).functions) == [GET_MAILBOX]


def test_components_and_methods():
    """A component has its inputs and outputs; a method is what its token says, without the argument that is its resource."""
    package = from_schema(TEXT)
    office, send = package.components[OFFICE], next(iter(package.methods.values()))

    assert office.inputs["city"].required
    assert set(office.outputs) == {"city", "floors"}
    assert (send.receiver, send.inputs) == (MAILBOX, {})


def test_a_component_under_the_embedded_engine():
    """A component of a schema is constructed: its outputs are its inputs, or generated values of their kinds."""

    class Office(pulumi.ComponentResource):
        def __init__(self, name, **given):
            super().__init__(OFFICE, name, {**given, "floors": None}, None, remote=True)

    def program():
        office = Office("main", city="Bern")
        pulumi.export("city", office.city)
        pulumi.export("floors", office.floors)

    with Double(from_schema(TEXT)) as double:
        outputs = Stack(double, config={"post:region": "north"}).up(program).outputs

    assert outputs["city"] == "Bern"
    assert isinstance(outputs["floors"], (int, float))


def test_functions():
    """A function has its inputs; it returns what it was told under that name, else generated values of their kinds."""
    double = Double(from_schema(TEXT))
    session = double.open("pulumi")
    reply = double(Call(op=Op.INVOKE, session=session, type=GET_MAILBOX, inputs={"address": "me"}))
    missing = double(Call(op=Op.INVOKE, session=session, type=GET_MAILBOX, inputs={}))

    assert (reply.value["address"], reply.value["tier"]) == ("me", "s{1}")
    assert isinstance(reply.value["size"], int)
    assert isinstance(reply.value["secretKey"], Secret)
    assert missing.failures[0].reason == "missing required property 'address'"


@pytest.mark.parametrize(
    ("outputs", "returned"),
    [
        ({"type": "integer"}, {"result"}),
        ({"$ref": "#/types/pkg:index:T"}, {"a"}),
        ({"type": "object", "additionalProperties": {"type": "string"}}, set()),
    ],
)
def test_functions_that_return_something_else(outputs, returned):
    """What a function returns may be a named type, a map, or no object at all."""
    types = {"pkg:index:T": {"type": "object", "properties": {"a": {"type": "string"}}}}
    found = from_schema({"name": "pkg", "types": types, "functions": {"pkg:index:f": {"outputs": outputs}}})

    assert set(found.functions["pkg:index:f"].outputs) == returned


CATALOGUED = [load(each.read_text("utf-8"))[0] for each in CATALOG]
EVERY = [from_schema(TEXT), RICH, catalogued(), Package("empty"), package(BUCKET), *CATALOGUED]


@pytest.mark.parametrize("made", EVERY)
def test_there_and_back(made):
    """Our own schemas, read and written again, are the same."""
    assert dump(from_schema(dump(made))) == dump(made)


@pytest.mark.parametrize("given", [TEXT, SCHEMA], ids=["text", "data"])
def test_get_schema_serves_what_was_given(given):
    """GetSchema answers the schema that was read, and our own as soon as something else is served, too."""
    double = Double(from_schema(given))
    call = Call(op=Op.GET_SCHEMA, session=double.open("pulumi"))
    method = PROVIDER.methods["GetSchema"]
    served = method.response(double(call), call).schema

    assert served == given or json.loads(served) == given
    double.define(mockprovider.ResourceType("post:index:Stamp"))
    assert set(json.loads(method.response(double(call), call).schema)["resources"]) == {MAILBOX, OFFICE, "post:index:Stamp"}


INPUTS = ("resources", MAILBOX, "inputProperties")
AT = f'schema: resources["{MAILBOX}"]'


@pytest.mark.parametrize(
    ("path", "value", "told"),
    [
        (("name",), "4post", "schema: name: '4post' is no package name"),
        (("version",), "four", "schema: version: 'four' is no semantic version"),
        (
            ("resources", MAILBOX, "requiredInputs"),
            ["adress"],
            f"{AT}.requiredInputs[0]: 'adress' is required, and there is no",
        ),
        (("resources", "Mailbox"), {}, "schema: resources.Mailbox: 'Mailbox' is no token. Write it as 'package:module:Member'"),
        (("resources", "pst:index:A"), {}, "'pst:index:A' does not belong to the package. Did you mean 'post'?"),
        ((*INPUTS, "pulumi"), {"type": "string"}, "Pulumi keeps the name 'pulumi' for itself"),
        ((*INPUTS, "quota", "default"), "ten", f'{AT}.inputProperties.quota.default: "ten" stands here: expected number, got'),
        ((*INPUTS, "tier", "default"), "huge", "expected one of 's{1}', 'large', got 'huge'"),
        (
            (*INPUTS, "labels"),
            {"type": "strng"},
            f"{AT}.inputProperties.labels.type: 'strng' is no type here. Did you mean",
        ),
        ((*INPUTS, "labels"), {"type": "array"}, "this array says nothing of its elements. Add"),
        ((*INPUTS, "labels"), {"secret": True}, '{"secret": true} names no type. Add "type", "$ref" or "oneOf".'),
        ((*INPUTS, "labels"), 7, f"{AT}.inputProperties.labels: 7 stands here. Write an object in braces."),
        ((*INPUTS, "labels", "secret"), "yes", 'labels.secret: "yes" stands here. Write true or false, without quotes.'),
        (
            (*INPUTS, "tier", "$ref"),
            "#/types/post:index%2Ftier:Teir",
            "there is no type 'post:index/tier:Teir' in this schema. Did you mean 'post:index/tier:Tier'?",
        ),
        ((*INPUTS, "tier", "$ref"), "#/resources/post:index:Mail", "there is no resource 'post:index:Mail' in this schema."),
        ((*INPUTS, "tier", "$ref"), "#/somewhere", "'#/somewhere' leads nowhere. References are"),
        ((*INPUTS, "tier", "$ref"), "pulumi.json#/Asser", "there is no built-in type 'Asser'. Did you mean 'Asset'?"),
        (("types", "post:index/tier:Tier", "enum"), [{"name": "x"}], ".enum[0]: the key 'value' is missing. Add it."),
        (("types", "post:index/tier:Tier", "enum"), [{"value": 1}], ".enum[0].value: 1 stands here: expected string"),
        (
            ("provider", "inputProperties", "version"),
            {"type": "string"},
            "Pulumi keeps 'version' for the version of the plugin.",
        ),
        (("name",), "pulumi", "schema: name: Pulumi keeps the name 'pulumi' for itself"),
        (("namespace",), "Post", "schema: namespace: a namespace is lower case"),
        (("meta",), {"moduleFormat": "("}, "schema: meta.moduleFormat: '(' is no pattern"),
        (("keywords",), "mail", 'schema: keywords: "mail" stands here. Write a list'),
        (("parameterization",), {"baseProvider": {"name": "b"}}, "baseProvider: the key 'version' is missing"),
        (("resources", "post:index:Provider"), {}, "'post:index:Provider' is Pulumi's name for the provider itself"),
        (("meta",), {"moduleFormat": "(.*)"}, "nothing may be inside of the module index"),
        (("resources", MAILBOX.upper().replace("POST", "post")), {}, "are the same but for the case of letters"),
        (("resources", MAILBOX, "methods"), {"send": "post:index:send"}, "there is no function 'post:index:send'"),
        (
            ("resources", MAILBOX, "methods"),
            {"ask": GET_MAILBOX},
            "is no method of this resource. Write it as",
        ),
        (("resources", MAILBOX, "stateInputs"), {"required": ["x"]}, "stateInputs.required[0]: 'x' is required, and there"),
        ((*INPUTS, "labels"), {"oneOf": [{"type": "string"}]}, "one type alone is no union"),
        (
            (*INPUTS, "labels"),
            {"$ref": "/random/schema.json#/types/a"},
            "leads nowhere. Other packages' types are",
        ),
        ((*INPUTS, "quota", "defaultInfo"), {}, "defaultInfo: the key 'environment' is missing"),
        (("types", "post:index/tier:Tier"), {"enum": []}, 'these values have no type. Add "type" beside "enum"'),
        (
            ("types", "post:i:A"),
            {"properties": {"a": {"$ref": "#/types/post:i:A"}}, "required": ["a"]},
            "these types require each other without end: post:i:A -> post:i:A",
        ),
    ],
)
def test_what_is_wrong_is_told(path, value, told):
    """A schema that cannot be served is one error: the place, what stands there, and what should."""
    with pytest.raises(DefinitionError) as raised:
        from_schema(changed(path, value))

    assert told in str(raised.value)


def test_a_text_that_is_no_json_is_told():
    """The error names the file, line and column; one about nesting names the file."""
    with pytest.raises(DefinitionError, match=r"post.json, line 1, column 10: this is no JSON"):
        from_schema('{"name": ', "post.json")
    deep = {"type": "string"}
    for _ in range(3000):
        deep = {"type": "array", "items": deep}
    with pytest.raises(DefinitionError, match=r"post.json: nested too deeply"):
        from_schema({"name": "post", "config": {"variables": {"a": deep}}}, "post.json")


def test_unknown_keys_of_a_newer_metaschema_are_passed_over():
    """What we do not know, and is no typo, does not keep anybody from their schema."""
    assert from_schema(changed(("futureThings",), {"a": 1})).name == "post"


@pytest.mark.parametrize(
    ("path", "told"),
    [
        (("resurces",), "schema: there is no key 'resurces' here, so it is ignored. Did you mean 'resources'?"),
        (("resources", MAILBOX, "inputPropertys"), f"{AT}: there is no key 'inputPropertys' here, so it is ignored. Did you"),
    ],
)
def test_a_key_that_looks_like_a_typo_is_warned_of(path, told):
    """Pulumi takes such a schema, so it is read; that the key means nothing is said."""
    with pytest.warns(MockProviderWarning) as warned:
        assert from_schema(changed(path, {})).name == "post"
    assert told in str(warned[0].message)


@pytest.mark.parametrize("path", [("meta",), ("resources", MAILBOX, "methods"), (*INPUTS, "quota", "default")])
def test_null_is_as_good_as_nothing(path):
    """Where a schema says null it says nothing, as Pulumi reads it."""
    assert from_schema(changed(path, None)).resources[MAILBOX].properties["quota"].kind == Kind("number")


def test_keys_may_be_in_other_letters():
    """Pulumi finds the key of another case, too."""
    assert from_schema(changed(("VERSION",), "2.0.0") | {"version": None}).version == "2.0.0"


def test_the_command_line_reads_both(tmp_path):
    """A file given as types may be a types file or a package schema: their keys tell them apart."""
    file = tmp_path / "schema.json"
    file.write_text(TEXT, encoding="utf-8")
    found = {each.name: each for each in read_types([file, *CATALOG])}

    assert found["post"].schema == TEXT
    assert {each.stem for each in CATALOG} < set(found)
    assert not is_schema({"mockprovider": 1, "packages": {}})
    file.write_text(TEXT.replace('"string"', '"strin"', 1), encoding="utf-8")
    with pytest.raises(DefinitionError, match=r"schema\.json: config\.variables\.region\.type: 'strin' is no type here"):
        read_types([file])


def test_under_the_embedded_engine():
    """A resource of a schema lives under the embedded engine: defaults, generated outputs, updates, replacement, checks."""
    double = Double(from_schema(TEXT))
    stack = Stack(double, config={"post:region": "north"})

    def program(**given):
        return lambda: Thing(MAILBOX, "box", None, **{"address": "me", "rules": [{"to": "you"}], **given}) and None

    assert stack.up(program()).summary == {"create": 1}
    box = double.cloud.objects(MAILBOX)[0]
    assert (box["quota"], box["apiVersion"], box["state"], box["kind"]) == (10, "v1", "s{1}", "mailbox")
    assert box["rules"] == [{"to": "you", "keep": True}]
    assert (box["status"]["tier"], type(box["status"]["badge"]), type(box["number"])) == ("s{1}", Asset, int)
    assert stack.up(program()).summary == {}
    assert stack.up(program(quota=11)).summary == {"update": 1}
    assert stack.up(program(quota=11, tier="large")).summary["replace"] == 1
    failed = stack.up(program(tier="huge"), expect_failure=True)
    assert "expected one of 's{1}', 'large'" in str(failed.diagnostics)

"""Declarations: kinds, properties, resource types, functions, packages, and the naming rule between the ecosystems."""

from __future__ import annotations

from typing import Any

import pytest
from builders import BUCKET, TOKEN, package

from mockprovider import pulumi, terraform
from mockprovider.errors import DefinitionError
from mockprovider.schema import (
    NAMES,
    Function,
    Kind,
    Package,
    Property,
    ResourceType,
    as_property,
    camel_case,
    kind_of,
    snake_case,
    terraform_type_name,
)

ANY = Kind("any")


@pytest.mark.parametrize(
    ("declared", "kind"),
    [
        (str, Kind("string")),
        (int, Kind("integer")),
        (float, Kind("number")),
        (bool, Kind("boolean")),
        (Any, ANY),
        (object, ANY),
        (list, Kind("array", items=ANY)),
        (list[str], Kind("array", items=Kind("string"))),
        (set[int], Kind("set", items=Kind("integer"))),
        (dict[str, bool], Kind("map", items=Kind("boolean"))),
        (dict, Kind("map", items=ANY)),
        (list[dict[str, list[float]]], Kind("array", items=Kind("map", items=Kind("array", items=Kind("number"))))),
        ("string", Kind("string")),
        ("asset", Kind("asset")),
        ("archive", Kind("archive")),
        ("map", Kind("map", items=ANY)),
        (Kind("set", items=ANY), Kind("set", items=ANY)),
    ],
)
def test_kinds(declared, kind):
    """A kind is meant by a Python type, by its name, or by itself."""
    assert kind_of(declared) == kind


def test_object_kinds():
    """A mapping of properties, or bare types, is an object."""
    kind = kind_of({"port": int, "host": Property(str, required=True)})

    assert kind.name == "object"
    assert kind.properties["port"].kind == Kind("integer")
    assert kind.properties["host"].required


@pytest.mark.parametrize(
    "declared", ["strng", "object", None, 5, tuple, bytes, list[bytes], "", str | None, [str], {"a"}, list[[str]]]
)
def test_no_kind(declared):
    """What is no kind is refused with what would be."""
    with pytest.raises(DefinitionError, match=r"is no property type\. Use str, int, float, bool"):
        kind_of(declared)


def test_kinds_read_well():
    """In messages a collection shows what it holds."""
    assert str(kind_of(list[dict[str, int]])) == "array<map<integer>>"
    assert {str(Kind(name)) for name in NAMES} == NAMES


def test_a_property_makes_its_kind():
    """A property's kind is made from its type, whatever form that has."""
    assert Property(list[str]).kind == Kind("array", items=Kind("string"))
    assert Property().kind == Kind("string")
    assert as_property(int).kind == Kind("integer")
    assert as_property(BUCKET.properties["acl"]) is BUCKET.properties["acl"]


def test_defaults_are_told_from_none():
    """A falsy default is a default; only one that was never given is none."""
    assert [Property(default=value).has_default for value in (False, 0, "", None)] == [True] * 4
    assert not Property().has_default


def test_what_a_program_may_set():
    """Plain and optional computed properties are inputs, computed ones are not."""
    assert Property().is_input
    assert Property(computed=True, optional=True).is_input
    assert not Property(computed=True).is_input


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"required": True, "default": 1}, "cannot be required and have a default"),
        ({"required": True, "default": None}, "cannot be required and have a default"),
        ({"required": True, "computed": "x"}, "cannot be required"),
        ({"optional": True}, r"optional=True says that a \*computed\* property may also be set"),
    ],
)
def test_contradictions_are_refused(given, message):
    """A property that contradicts itself is refused where it is declared."""
    with pytest.raises(DefinitionError, match=message):
        Property(str, **given)


@pytest.mark.parametrize(
    "token", ["Bucket", "cloud:Bucket", "cloud:index:", "1cloud:index:Bucket", "cloud:index:1B", "a b:c:D", ""]
)
def test_malformed_tokens(token):
    """A malformed token is refused, showing how one is written; of types as of functions."""
    with pytest.raises(DefinitionError, match=r"is no type token\. Write it as 'package:module:Member'"):
        ResourceType(token)
    with pytest.raises(DefinitionError, match="is no function token"):
        Function(token)


def test_properties_may_be_bare_types():
    """A bare type is a plain optional input, in types, functions and configuration."""
    declared = ResourceType(TOKEN, {"size": int})

    assert declared.properties["size"].kind == Kind("integer")
    assert Function("a:b:c", {"size": int}).inputs["size"].is_input
    assert Package("cloud", config={"retries": int}).config["retries"].kind == Kind("integer")


@pytest.mark.parametrize(
    ("camel", "snake"),
    [
        ("acl", "acl"),
        ("accountId", "account_id"),
        ("HTTPPort", "http_port"),
        ("ipv4Address", "ipv4_address"),
        ("s3Bucket", "s3_bucket"),
        ("vpcID", "vpc_id"),
        ("odd-name", "odd_name"),
        ("already_snake", "already_snake"),
    ],
)
def test_snake_case(camel, snake):
    """A property's name in Terraform is its Pulumi name in snake case."""
    assert snake_case(camel) == snake


@pytest.mark.parametrize(("snake", "camel"), [("acl", "acl"), ("account_id", "accountId"), ("a_b_c", "aBC"), ("x__y", "xY")])
def test_camel_case(snake, camel):
    """And the other way round."""
    assert camel_case(snake) == camel


@pytest.mark.parametrize(
    ("token", "name"),
    [
        ("cloud:index:Bucket", "cloud_bucket"),
        ("cloud::Bucket", "cloud_bucket"),
        ("cloud:storage:Bucket", "cloud_storage_bucket"),
        ("cloud:storage/bucket:Bucket", "cloud_storage_bucket"),
        ("my-cloud:index:AccessKey", "my_cloud_access_key"),
    ],
)
def test_terraform_type_names(token, name):
    """A type's name in Terraform leaves out the module ``index`` and all but the first part of others."""
    assert terraform_type_name(token) == name
    assert ResourceType(token).terraform == name


def test_names_may_be_given():
    """A type's and a property's Terraform name can be chosen; attributes lead back to properties."""
    declared = ResourceType(TOKEN, {"accountId": Property(terraform="owner"), "fooBar": str}, terraform="cloud_pail")

    assert declared.terraform == "cloud_pail"
    assert declared.attributes == {"owner": "accountId", "foo_bar": "fooBar"}


def test_one_attribute_for_two_properties_is_refused():
    """Two properties that Terraform could not tell apart are refused, with the way out."""
    with pytest.raises(DefinitionError, match=r"'fooBar' and 'foo_bar' would both be Terraform's 'foo_bar'\. Give one of them"):
        ResourceType(TOKEN, {"fooBar": str, "foo_bar": str})


def test_a_package_collects_definitions():
    """Types and functions are kept by token, a later one in the place of an earlier."""
    zone = Function("cloud:index:getZone")
    made = package(BUCKET, zone)
    other = ResourceType(TOKEN)
    made.add(other)

    assert made.resources == {TOKEN: other}
    assert made.functions == {"cloud:index:getZone": zone}
    assert other.package == "cloud"


def test_packages_share_nothing():
    """Two packages made without definitions have collections of their own."""
    one, other = Package("one"), Package("other")
    one.add(BUCKET)

    assert not other.resources


def test_types_are_found_by_terraform_name():
    """A package finds its types by what Terraform calls them."""
    made = package(BUCKET)

    assert made.by_terraform_name("cloud_bucket") is BUCKET
    assert made.by_terraform_name("cloud_key") is None


def test_declarations_do_not_change():
    """A declaration cannot be altered after it was made, so that all who serve it serve the same."""
    with pytest.raises(AttributeError):
        BUCKET.token = "x:y:Z"
    with pytest.raises(AttributeError):
        BUCKET.properties["acl"].secret = True


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"version": -1}, "version is -1, and the first one is 0"),
        ({"upgrades": {0: dict}}, r"for 0\. Give a function for a version before today's, which is 0: .* needs version=1"),
        ({"version": 1, "upgrades": {1: dict}}, "for 1"),
        ({"version": 1, "upgrades": {0: "x"}}, "upgrades has 'x' for 0"),
    ],
)
def test_upgrades_that_no_state_would_go_through(fields, told):
    """A version that comes before the first, and upgrades of today's or a later version, are no oversight that stays silent."""
    with pytest.raises(DefinitionError, match=told):
        ResourceType(TOKEN, traits=[terraform.ResourceTraits(**fields)])


def test_traits_are_found_by_their_kind():
    """A type has the traits that it was given, and of other ecosystems what is so without any."""
    given = terraform.ResourceTraits(version=2)
    declared = ResourceType(TOKEN, traits=[given])

    assert declared.trait(terraform.ResourceTraits) is given
    assert declared.trait(pulumi.ResourceTraits) == pulumi.ResourceTraits()


@pytest.mark.parametrize(
    ("traits", "told"),
    [
        (
            [{"version": 1}],
            r"\{'version': 1\} are no traits\. Give mockprovider\.pulumi\.traits\.ResourceTraits or mockprovider\.terr",
        ),
        (
            [terraform.ResourceTraits(), terraform.ResourceTraits(version=1)],
            r"has two mockprovider\.terraform\.\w+\.ResourceTraits",
        ),
    ],
)
def test_traits_that_are_none(traits, told):
    """What is no traits is refused with what would be, and so are two of one ecosystem, of which one would not count."""
    with pytest.raises(DefinitionError, match=told):
        ResourceType(TOKEN, traits=traits)


@pytest.mark.parametrize(("word", "family"), [("views", "pulumi"), ("identity", "terraform"), ("nothing", "")])
def test_a_keyword_of_traits_is_told_where_it_belongs(word, family):
    """A keyword that is one ecosystem's is refused with what to write; any other unknown one as Python does."""
    told = (
        rf"traits=\[ResourceTraits\({word}=\.\.\.\)\], with `from mockprovider\.{family} import ResourceTraits`"
        if family
        else word
    )
    with pytest.raises(DefinitionError if family else TypeError, match=told):
        ResourceType(TOKEN, **{word: ()})

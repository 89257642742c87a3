"""Declared properties as Terraform's: which form, type and flags each has."""

from __future__ import annotations

import pytest

from mockprovider.errors import DefinitionError
from mockprovider.schema import Kind, Property
from mockprovider.terraform.schema.declared import (
    attribute_names,
    compiled,
    form_of,
    kinds,
    nested_object,
    place_of_kind,
    standing_for,
)
from mockprovider.terraform.schema.tree import BLOCK, NESTED, TYPE
from mockprovider.terraform.values.types import BOOL, DYNAMIC, NUMBER, STRING, Type

RULE = Kind("object", properties={"openTo": Property(int)})
ANY = Kind("object", properties={"value": Property("any")})
RULE_TYPE = Type("object", attributes={"open_to": NUMBER})
ANY_TYPE = Type("object", attributes={"value": DYNAMIC})

# Properties --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "declared", "nesting"),
    [
        (Kind("string"), STRING, ""),
        (Kind("asset"), STRING, ""),
        (Kind("archive"), STRING, ""),
        (Kind("integer"), NUMBER, ""),
        (Kind("number"), NUMBER, ""),
        (Kind("boolean"), BOOL, ""),
        (Kind("any"), DYNAMIC, ""),
        (Kind("array", items=Kind("string")), Type("list", items=STRING), "list"),
        (Kind("set", items=Kind("integer")), Type("set", items=NUMBER), "set"),
        (Kind("map", items=Kind("boolean")), Type("map", items=BOOL), "map"),
        (Kind("array"), DYNAMIC, "list"),
        (Kind("map", items=Kind("any")), DYNAMIC, "map"),
        (RULE, RULE_TYPE, "single"),
        (Kind("array", items=RULE), Type("list", items=RULE_TYPE), "list"),
        # One element type each: what has a type of its own each time makes the whole one of any type.
        (ANY, ANY_TYPE, "single"),
        (Kind("array", items=ANY), Type("list", items=ANY_TYPE), "list"),
        (Kind("map", items=ANY), Type("map", items=ANY_TYPE), "map"),
        (Kind("set", items=ANY), DYNAMIC, "set"),
        (Kind("array", items=Kind("array", items=ANY)), DYNAMIC, "list"),
        (Kind("map", items=Kind("map", items=RULE)), Type("map", items=Type("map", items=RULE_TYPE)), "map"),
    ],
)
def test_the_type_of_a_kind(kind: Kind, declared: Type, nesting: str) -> None:
    """Each kind has a type and a nesting; its elements have places of their own."""
    place = place_of_kind(kind)
    assert (place.type, place.nesting, place.form) == (declared, nesting, TYPE)
    assert (place.element is not None) is (nesting in ("list", "set", "map"))


@pytest.mark.parametrize(
    ("item", "five", "six"),
    [
        (Property(str), TYPE, TYPE),
        (Property(dict[str, str]), TYPE, TYPE),
        (Property(Kind("array")), TYPE, TYPE),
        (Property(RULE), BLOCK, NESTED),
        (Property(Kind("array", items=RULE)), BLOCK, NESTED),
        (Property(Kind("set", items=RULE)), BLOCK, NESTED),
        (Property(Kind("map", items=RULE)), BLOCK, NESTED),
        (Property(Kind("array", items=Kind("array", items=RULE))), TYPE, TYPE),
        (Property(RULE, computed=True), TYPE, NESTED),
        (Property(RULE, default={"openTo": 1}), TYPE, NESTED),
        (Property(RULE, secret=True), TYPE, NESTED),
        (Property(ANY), TYPE, NESTED),
        (Property(Kind("array", items=ANY)), TYPE, NESTED),
        (Property(Kind("set", items=ANY)), TYPE, TYPE),
        (Property(Kind("set", items=Kind("object", properties={"a": Property(Kind("map"))}))), TYPE, TYPE),
        (Property(Kind("map", items=Kind("object", properties={"a": Property(Kind("array", items=RULE))}))), BLOCK, NESTED),
    ],
)
def test_the_form_of_a_property(item: Property, five: str, six: str) -> None:
    """Objects are nested attributes in major 6 and blocks in major 5, where neither forbids what they hold or who sets them."""
    assert (form_of(item, 5), form_of(item, 6)) == (five, six)


FLAGS = ("required", "optional", "computed", "sensitive", "write_only")


@pytest.mark.parametrize(
    ("item", "flags"),
    [
        (Property(str), "optional"),
        (Property(str, required=True), "required"),
        (Property(str, computed=True), "computed"),
        (Property(str, computed=True, optional=True), "optional computed"),
        (Property(str, computed="{id}"), "computed"),
        (Property(str, default="a"), "optional computed"),
        (Property(str, secret=True), "optional sensitive"),
        (Property(str, write_only=True), "optional sensitive write_only"),
        (Property({"a": Property(str)}), "optional"),
        # In a nested attribute each says so itself; inside of a type nothing can.
        (Property({"a": Property(str, secret=True)}), "optional"),
        (Property(Kind("array", items=Kind("array", items=Kind("object", properties={"a": Property(str, secret=True)})))),
         "optional sensitive"),
    ],
)  # fmt: skip
def test_who_sets_a_property(item: Property, flags: str) -> None:
    """Flags are who sets it, and whether it is hidden; a default is a value that the provider fills in."""
    member = compiled({"it": item}, 6).members["it"]
    assert " ".join(name for name in FLAGS if getattr(member, name)) == flags
    assert member.property_name == "it"


@pytest.mark.parametrize(
    ("item", "inner"),
    [
        (Property({"a": Property(str, required=True)}), "required"),
        (Property({"a": Property(str)}, required=True), "optional"),
        (Property({"a": Property(str, required=True)}, computed=True, optional=True), "required"),
        (Property({"a": Property(str, required=True)}, computed=True), "computed"),
        (Property({"a": Property(str)}, default={}), "optional"),
        (
            Property(Kind("array", items=Kind("object", properties={"a": Property(str, required=True)})), computed=True),
            "computed",
        ),
    ],
)
def test_who_sets_what_is_inside(item: Property, inner: str) -> None:
    """Inside of what only the provider sets, all is the provider's."""
    member = compiled({"it": item}, 6).members["it"].inside["a"]
    assert " ".join(name for name in FLAGS if getattr(member, name)) == inner


@pytest.mark.parametrize(
    ("item", "limits"),
    [
        (Property(RULE), (0, 0)),
        (Property(RULE, required=True), (1, 1)),
        (Property(Kind("array", items=RULE), required=True), (1, 0)),
        (Property(Kind("set", items=RULE)), (0, 0)),
        (Property(Kind("map", items=RULE), required=True), (0, 0)),
    ],
)
def test_the_limits_of_a_block(item: Property, limits: tuple[int, int]) -> None:
    """What is required has to be there once; a single block is there once at most, and a map has no limits."""
    member = compiled({"itIs": Property(item.kind, required=item.required, description="x")}, 5).members["it_is"]
    assert (member.form, member.property_name, member.description) == (BLOCK, "itIs", "x")
    assert (member.min_items, member.max_items) == limits


def test_inside_of_a_type_nothing_has_flags() -> None:
    """Members of a type say their types and names alone."""
    inside = place_of_kind(Kind("object", properties={"openTo": Property(int, required=True, secret=True, description="x")}))
    [member] = inside.members.values()
    assert (member.type, member.property_name, member.required, member.sensitive) == (NUMBER, "openTo", False, False)


def test_names_of_attributes() -> None:
    """A property's own name for Terraform wins over the rule, and leads back."""
    properties = {"openTo": Property(str), "a1": Property(str, terraform="first")}
    assert attribute_names(properties) == {"open_to": "openTo", "first": "a1"}
    tree = standing_for(compiled({**properties, "id": Property(str)}, 6), properties)
    assert tree.attributes == {"openTo": "open_to", "a1": "first"}
    assert tree.members["id"].property_name == ""


def test_objects_in_kinds() -> None:
    """The object that a kind is or holds, and all kinds inside."""
    deep = Kind("object", properties={"a": Property(Kind("map", items=RULE))})
    assert nested_object(Kind("set", items=RULE)) is RULE
    assert nested_object(Kind("array", items=Kind("array", items=RULE))) is None
    assert [kind.name for kind in kinds(deep)] == ["object", "map", "object", "integer"]


WRITTEN = Kind("object", properties={"key": Property(str, write_only=True)})


@pytest.mark.parametrize(
    ("kind", "major", "refused"),
    [
        (WRITTEN, 6, ""),
        (WRITTEN, 5, ""),
        (Kind("array", items=WRITTEN), 6, ""),
        (Kind("map", items=WRITTEN), 5, ""),
        (Kind("set", items=WRITTEN), 6, "it is a set"),
        (Kind("set", items=WRITTEN), 5, "it is a set"),
        (Kind("array", items=Kind("array", items=WRITTEN)), 6, "protocol 6 has no nested attribute for it"),
        (Kind("object", properties={"a": Property("any"), "key": Property(str, write_only=True)}), 5,
         "protocol 5 has no nested attribute for it"),
        (Kind("set", items=RULE), 6, ""),
        (Kind("array", items=Kind("array", items=RULE)), 6, ""),
    ],
)  # fmt: skip
def test_where_nothing_can_be_write_only(kind: Kind, major: int, refused: str) -> None:
    """Neither in a set nor inside of a type: the error names the attribute and why."""
    if refused:
        with pytest.raises(DefinitionError, match=f"cannot have write-only properties in 'the_keys': {refused}"):
            compiled({"theKeys": Property(kind)}, major)
    else:
        assert compiled({"theKeys": Property(kind)}, major).members["the_keys"].type

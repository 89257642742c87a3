"""Check: defaults, secrets, and each reason why inputs do not fit, by path."""

from __future__ import annotations

from decimal import Decimal

import pytest

from mockprovider.fake.checks import failures, with_defaults
from mockprovider.fake.choosing import Choices, drawn
from mockprovider.properties import HEX_DIGITS
from mockprovider.schema import Kind, Property, Random, Template, kind_of
from mockprovider.values import UNKNOWN, Archive, Asset, Output, ResourceReference, Secret


def said(properties, inputs):
    """The failures as (path, reason)."""
    return [(each.path, each.reason) for each in failures(properties, inputs)]


def misfit(declared, value):
    """What check says of ``value`` for a property ``p`` of this type: the reasons by path."""
    return said({"p": Property(declared)}, {"p": value})


def test_defaults_fill_what_is_missing_or_null():
    """A default stands in for an absent or null value, and never for one that is there, however empty."""
    properties = {name: Property("any", default="d") for name in ("absent", "null", "empty", "false", "zero", "unknown")}
    inputs = {"null": None, "empty": "", "false": False, "zero": 0, "unknown": UNKNOWN, "other": None}

    assert with_defaults(properties, inputs) == {**inputs, "absent": "d", "null": "d"}


def test_a_default_may_be_a_function_of_the_inputs():
    """A callable default is given the inputs without their wrappers, and only where it is needed."""
    properties = {"label": Property(default=lambda inputs: inputs["name"].upper())}

    assert with_defaults(properties, {"name": Secret("logs")})["label"] == "LOGS"
    assert with_defaults(properties, {"label": "mine"}) == {"label": "mine"}


def test_declared_secrets_are_wrapped_once():
    """A value of a secret property is wrapped, defaults too; what is wrapped already or absent stays as it is."""
    properties = {name: Property(secret=True) for name in ("plain", "wrapped", "absent", "null")}
    properties["default"] = Property(secret=True, default="d")
    filled = with_defaults(properties, {"plain": "p", "wrapped": Secret("w"), "null": None})

    assert filled == {"plain": Secret("p"), "wrapped": Secret("w"), "null": None, "default": Secret("d")}


RULE = {"port": Property(int, required=True), "open": Property(bool, default=False), "key": Property(secret=True)}


@pytest.mark.parametrize(
    ("declared", "value", "filled"),
    [
        (RULE, {"port": 1}, {"port": 1, "open": False}),
        (RULE, Secret({"port": 1}), Secret({"port": 1, "open": False})),
        (RULE, Output({"port": 1}, True, ("urn",)), Output({"port": 1, "open": False}, True, ("urn",))),
        (RULE, {"port": 1, "key": "k"}, {"port": 1, "open": False, "key": Secret("k")}),
        (RULE, UNKNOWN, UNKNOWN),
        (RULE, "no object", "no object"),
    ],
)
def test_defaults_reach_into_objects(declared, value, filled):
    """What is declared inside an object is filled in there, behind wrappers too; unknown and unfit values are left alone."""
    assert with_defaults({"p": Property(declared)}, {"p": value}) == {"p": filled}


@pytest.mark.parametrize("kind", ["array", "set", "map"])
def test_defaults_reach_into_collections(kind):
    """The objects in lists, sets and maps get their defaults as well."""
    declared = Property(Kind(kind, items=kind_of(RULE)))
    one, other = {"port": 1}, {"port": 1, "open": False}
    value, filled = ({"a": one}, {"a": other}) if kind == "map" else ([one], [other])

    assert with_defaults({"p": declared}, {"p": value}) == {"p": filled}


def test_inputs_are_not_changed():
    """The caller's own bag stays as it was, at every depth."""
    inputs = {"rule": {"port": 1}}
    with_defaults({"rule": Property(RULE), "acl": Property(default="x")}, inputs)

    assert inputs == {"rule": {"port": 1}}


def test_required_and_computed():
    """A missing required property and a set computed one are failures; an optional computed one may be set."""
    properties = {
        "name": Property(required=True),
        "arn": Property(computed=True),
        "zone": Property(computed=True, optional=True),
    }

    assert said(properties, {"arn": "x", "zone": "z"}) == [
        ("name", "missing required property 'name'"),
        ("arn", "'arn' is computed by the provider and cannot be set"),
    ]
    assert said(properties, {"name": None, "arn": None}) == [("name", "missing required property 'name'")]


@pytest.mark.parametrize("value", [UNKNOWN, Secret(UNKNOWN), Output(UNKNOWN), Output()])
def test_unknown_fits_everything(value):
    """What will be known later is no failure: not as a required value, of any type, nor of an enumeration."""
    for declared in (str, int, bool, list[str], dict[str, int], {"a": int}, "asset"):
        assert misfit(declared, value) == []
    assert said({"p": Property(required=True, enum=("a",))}, {"p": value}) == []


def test_unknown_inside_fits():
    """An unknown element does not hide the failure beside it."""
    assert misfit(list[int], [UNKNOWN, "x"]) == [("p[1]", "expected integer, got string")]


@pytest.mark.parametrize(
    ("declared", "value"),
    [
        (str, ""),
        (int, 3),
        (int, 3.0),
        (int, Decimal(3)),
        (int, 10**400),
        (int, Decimal(10) ** 400),
        (float, 1.5),
        (float, 2),
        (float, float("inf")),
        (bool, True),
        ("any", object()),
        ("asset", Asset(text="x")),
        ("asset", Archive(path="x")),
        ("archive", Archive(path="x")),
        (list[str], []),
        (list[str], ("a",)),
        (set[str], ["a"]),
        (set[str], ("a",)),
        (dict[str, int], {"a": 1}),
        ({"a": str}, {}),
        ({"a": str}, {"more": 1}),
        (str, Secret("x")),
        (str, Output("x")),
        (list[int], Secret([Secret(1), None])),
    ],
)
def test_what_fits(declared, value):
    """Values of the declared type fit, behind wrappers too, and null always does."""
    assert misfit(declared, value) == []
    assert misfit(declared, None) == []


@pytest.mark.parametrize(
    ("declared", "value", "path", "reason"),
    [
        (str, 1, "p", "expected string, got number 1"),
        (str, True, "p", "expected string, got boolean"),
        (str, b"x", "p", "expected string, got bytes"),
        (int, True, "p", "expected integer, got boolean"),
        (int, 1.5, "p", "expected integer, got number 1.5"),
        (int, float("inf"), "p", "expected integer, got number inf"),
        (int, float("nan"), "p", "expected integer, got number nan"),
        (int, Decimal("1.5"), "p", "expected integer, got number 1.5"),
        (int, "1", "p", "expected integer, got string"),
        (float, "1", "p", "expected number, got string"),
        (float, ResourceReference("u"), "p", "expected number, got resource"),
        (bool, 1, "p", "expected boolean, got number 1"),
        ("archive", Asset(text="x"), "p", "expected archive, got asset"),
        (list[str], "abc", "p", "expected array<string>, got string"),
        (dict[str, str], ["a"], "p", "expected map<string>, got array"),
        (list[list[int]], [[1], [2, "x"]], "p[1][1]", "expected integer, got string"),
        (dict[str, int], {"a.b": "x"}, 'p["a.b"]', "expected integer, got string"),
        ({"in": {"port": int}}, {"in": {"port": "x"}}, "p.in.port", "expected integer, got string"),
        ({"in": Property(int, required=True)}, {}, "p.in", "missing required property 'in'"),
        (set[int], Secret([1, Secret("x")]), "p[1]", "expected integer, got string"),
    ],
)
def test_what_does_not_fit(declared, value, path, reason):
    """A value of another type is a failure that names the path, what was expected and what came."""
    assert misfit(declared, value) == [(path, reason)]


def test_enumerations():
    """Only listed values pass, wrapped or not, and the failure lists them."""
    properties = {"acl": Property(enum=("private", "public"))}

    assert said(properties, {"acl": Secret("public")}) == []
    assert said(properties, {"acl": "open"}) == [("acl", "expected one of 'private', 'public', got 'open'")]


def test_a_secret_is_not_told():
    """The reason why a secret value does not fit does not contain the value."""
    properties = {
        "declared": Property(secret=True),
        "mode": Property(enum=("a",)),
        "inside": Property({"deep": Property(list[str])}),
        "count": Property(int),
    }
    inputs = {"declared": 4711, "mode": Secret("hunter2"), "inside": Secret({"deep": [4711]}), "count": Secret(47.11)}
    found = said(properties, inputs)

    assert [path for path, _ in found] == ["declared", "mode", "inside.deep[0]", "count"]
    assert not any(word in str(found) for word in ("4711", "hunter2", "47.11"))


def test_all_failures_are_reported_at_once():
    """Check does not stop at the first failure."""
    properties = {"a": Property(int), "b": Property(required=True), "c": Property({"d": Property(bool), "e": Property(int)})}

    assert [path for path, _ in said(properties, {"a": "x", "c": {"d": 1, "e": "x"}})] == ["a", "b", "c.d", "c.e"]


# Where and of what -----------------------------------------------------------------------------------------------------

NESTED = {"name": Property(default="n"), "key": Property(secret=True), "in": Property({"deep": Property(default="d")})}


@pytest.mark.parametrize(
    ("declared", "value", "filled"),
    [
        (NESTED, {}, {"name": "n"}),
        (NESTED, {"in": {}}, {"name": "n", "in": {"deep": "d"}}),
        (NESTED, {"key": None, "in": None}, {"name": "n", "key": None, "in": None}),
        (Kind("array", items=Kind("array", items=kind_of(NESTED))), [[{}]], [[{"name": "n"}]]),
        (Kind("array", items=kind_of(NESTED)), ({}, "x"), [{"name": "n"}, "x"]),
        (Kind("array", items=kind_of(NESTED)), Secret([Secret({})]), Secret([Secret({"name": "n"})])),
        (Kind("array", items=kind_of(NESTED)), Output([{}], False, ("u",)), Output([{"name": "n"}], False, ("u",))),
        (Kind("array", items=kind_of(NESTED)), "no list", "no list"),
        (Kind("map", items=kind_of(NESTED)), {"a": {}, "b": None}, {"a": {"name": "n"}, "b": None}),
        (Kind("map", items=Kind("string")), {"a": None}, {"a": None}),
        (Kind("array", items=Kind("string")), ("a",), ("a",)),
        (Kind("map"), {"a": {}}, {"a": {}}),
        ("any", {"in": {}}, {"in": {}}),
    ],
)
def test_what_is_filled_in_at_depth(declared, value, filled):
    """Defaults and secrets reach whatever is declared inside of objects and collections, and nothing else is touched."""
    assert with_defaults({"p": Property(declared)}, {"p": value}) == {"p": filled}


def test_choices_know_where_they_are_made():
    """What is made up inside depends on the place: the property, the key, the index, and what stood there before."""
    pin = kind_of({"pin": Property(default=Random(6))})
    declared = {
        "one": Property(pin),
        "list": Property(Kind("array", items=pin)),
        "map": Property(Kind("map", items=pin)),
    }
    inputs = {"one": {}, "list": [{}, {}], "map": {"k": {}}}
    filled = with_defaults(declared, inputs, Choices(b"seed", prior={"list": [{}, {"pin": "old"}]}))

    assert filled == {
        "one": {"pin": drawn(b"seed", "one.pin", 6, HEX_DIGITS)},
        "list": [{"pin": drawn(b"seed", "list[0].pin", 6, HEX_DIGITS)}, {"pin": "old"}],
        "map": {"k": {"pin": drawn(b"seed", "map.k.pin", 6, HEX_DIGITS)}},
    }
    assert with_defaults(declared, inputs) == inputs


@pytest.mark.parametrize(
    ("default", "inputs", "filled"),
    [
        ("x", {}, "x"),
        (None, {}, None),
        (0, {}, 0),
        (False, {"p": None}, False),
        (Template("{a}!"), {"a": "1"}, "1!"),
        (Template("{b}!"), {}, "b!"),
        (Template("{a}!"), {}, None),
        (Random(3), {}, None),
        (lambda inputs: inputs["a"], {"a": Secret("s")}, "s"),
        (sorted, {"a": 1}, ["a"]),
        (lambda _: None, {}, None),
    ],
)
def test_what_a_default_is(default, inputs, filled):
    """A default is a value, a template over what is filled in already, or a function of what the program says."""
    properties = {"p": Property("any", default=default), "b": Property(default="b")}

    assert with_defaults(properties, inputs).get("p") == filled


@pytest.mark.parametrize(
    ("inputs", "at", "paths"),
    [
        ({"key": "k"}, (), []),
        ({"key": "k", "role": "r"}, (), ["key", "key"]),
        ({"key": "k", "role": None, "zone": None}, (), []),
        ({"key": "k", "zone": "z"}, ("in", 0), ["in[0].key"]),
        ({"role": "r", "zone": "z"}, (), []),
        ({"key": 1, "role": "r"}, (), ["key", "key", "key"]),
    ],
)
def test_what_excludes_each_other(inputs, at, paths):
    """A property that is set is a failure for each other one that it conflicts with, as often as that is set."""
    properties = {"key": Property(conflicts_with=("role", "zone", "role")), "role": Property(), "zone": Property()}

    assert [each.path for each in failures(properties, inputs, at)] == paths


@pytest.mark.parametrize(
    ("declared", "value", "hidden", "reason"),
    [
        (str, 7, False, "got number 7"),
        (str, 7, True, "got another number"),
        (str, True, True, "got boolean"),
        (str, Decimal("1.5"), True, "got another number"),
        (str, [1], True, "got array"),
        (str, (1,), False, "got array"),
        (str, {}, False, "got map"),
        (str, Asset(text="x"), False, "got asset"),
        (str, Archive(path="x"), False, "got asset"),
        (int, b"x", False, "got bytes"),
    ],
)
def test_how_a_wrong_value_is_called(declared, value, hidden, reason):
    """A wrong value is told by its kind; a number also by itself, unless it stands in a secret."""
    [wrong] = failures({"p": Property(declared)}, {"p": value}, hidden=hidden)

    assert wrong.reason.partition(", ")[2] == reason


@pytest.mark.parametrize(
    ("item", "value", "reasons"),
    [
        (Property(enum=("a", "b")), "a", []),
        (Property(enum=("a", "b")), Output("c"), ["expected one of 'a', 'b', got 'c'"]),
        (Property(enum=("a", "b"), secret=True), "c", ["expected one of 'a', 'b', got a secret that is none of them"]),
        (Property(int, enum=(1, 2)), UNKNOWN, []),
        (Property(Kind("array", items=Kind("string", enum=("a",)))), ["a", "b", UNKNOWN], ["expected one of 'a', got 'b'"]),
        (
            Property(Kind("map", items=Kind("string", enum=("a",))), secret=True),
            {"k": "b"},
            ["expected one of 'a', got a secret that is none of them"],
        ),
        (Property(Kind("array", items=Kind("string", enum=("a",)))), [7], ["expected string, got number 7"]),
        (Property(Kind("array")), [7], []),
        (Property(Kind("map")), {"a": 7}, []),
        (Property(dict[str, int]), {"a": None}, []),
        (Property({"in": Property(int, minimum=3, secret=True)}), {"in": 1}, ["expected at least 3, got a secret that is not"]),
        (Property({"in": Property(int, minimum=3)}, secret=True), {"in": 1}, ["expected at least 3, got a secret that is not"]),
        (Property({"in": Property(int, minimum=3)}), {"in": Secret(1)}, ["expected at least 3, got a secret that is not"]),
        (Property({"in": Property(int, minimum=3)}), {"in": 1}, ["expected at least 3, got 1"]),
    ],
)
def test_what_is_wrong_inside(item, value, reasons):
    """What is listed, what is limited and what is secret count at every depth."""
    assert [each.reason for each in failures({"p": item}, {"p": value})] == reasons

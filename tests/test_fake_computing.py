"""Computed properties: generated values, templates in any order, functions, and what can be said of them beforehand."""

from __future__ import annotations

import pytest
from builders import type_of

from mockprovider.cloud import digest
from mockprovider.errors import DefinitionError
from mockprovider.fake.computing import (
    compute,
    computed,
    fields,
    fill,
    fill_all,
    generated,
    pending,
    planned_inside,
    planned_value,
)
from mockprovider.schema import Kind, Property, kind_of
from mockprovider.values import UNKNOWN, Secret


def test_generated_values_depend_on_id_and_name_alone():
    """A generated value repeats for the same id and property, and differs between ids and between properties."""
    string = Kind("string")

    assert generated(string, "etag", "b-1") == generated(string, "etag", "b-1")
    assert len({generated(string, name, id_) for name in ("etag", "key") for id_ in ("b-1", "b-2")}) == 4


@pytest.mark.parametrize(
    ("declared", "type_"),
    [
        (str, str),
        (int, int),
        (float, float),
        (bool, bool),
        ("any", str),
        (list[str], list),
        (set[str], list),
        (dict[str, str], dict),
    ],
)
def test_generated_values_are_of_their_kind(declared, type_):
    """A generated value is of the property's kind, so that it passes the engine's type checks."""
    assert type(generated(kind_of(declared), "p", "id")) is type_


@pytest.mark.parametrize(
    ("declared", "values"),
    [(str, ["343c9c95", "419bb732"]), (int, [13372, 16795]), (float, [835.75, 1049.6875]), (bool, [False, True])],
)
def test_generated_values_never_change(declared, values):
    """The same id and property have the same value in every version: tests and kept clouds hang on it."""
    assert [generated(kind_of(declared), "p", id_) for id_ in ("b-1", "b-2")] == values


def test_generated_objects_are_whole():
    """Every property of a generated object is generated, to any depth."""
    made = generated(kind_of({"a": str, "in": {"b": int}}), "p", "id")

    assert set(made) == {"a", "in"}
    assert isinstance(made["in"]["b"], int)


@pytest.mark.parametrize("kind", ["asset", "archive"])
def test_files_cannot_be_generated(kind):
    """Nobody can invent a file: the error names the property and the way out."""
    with pytest.raises(DefinitionError, match=f"'p' is computed=True, but nobody can invent an {kind}"):
        generated(Kind(kind), "p", "id")


def test_what_is_set_is_kept():
    """An optional computed property that the program sets keeps its value; null counts as not set."""
    declared = type_of(zone=Property(computed="made", optional=True), other=Property(computed="made", optional=True))

    assert compute(declared, {"zone": "mine", "other": None}, "id") == {"zone": "mine", "other": "made"}


def test_the_object_holds_plain_values():
    """What the cloud keeps has no wrappers: those belong to the engine's side."""
    declared = type_of(key=Property(secret=True), url=Property(computed="x-{key}"))

    assert compute(declared, {"key": Secret("k"), "tags": {"a": Secret("b")}}, "id") == {
        "key": "k",
        "tags": {"a": "b"},
        "url": "x-k",
    }


def test_templates_need_no_order():
    """A template may ask for a property that is declared after it, computed or not."""
    declared = type_of(
        url=Property(computed="https://{host}/{acl}"),
        host=Property(computed="{name}.{size}.test"),
        size=Property(int, computed=lambda bucket: len(bucket["name"])),
        name=Property(),
        acl=Property(),
    )

    assert compute(declared, {"name": "logs", "acl": "x"}, "id")["url"] == "https://logs.4.test/x"
    assert [name for name, _ in computed(declared, {})] == ["size", "host", "url"]


def test_a_circle_is_an_error_and_no_endless_loop():
    """Templates that need each other fail with what is missing."""
    declared = type_of(a=Property(computed="{b}"), b=Property(computed="{a}"))

    with pytest.raises(DefinitionError, match="needs 'b', which this object does not have"):
        compute(declared, {}, "id")


def test_functions_see_the_object_and_cannot_change_it():
    """A function is given all properties so far and the id, in a dict of its own."""
    seen = []

    def size(bucket):
        seen.append(dict(bucket))
        bucket["name"] = "changed"
        return 1

    made = compute(type_of(size=Property(int, computed=size), name=Property()), {"name": "logs"}, "b-1")

    assert seen == [{"name": "logs", "id": "b-1"}]
    assert made == {"name": "logs", "size": 1}


def test_generated_values_stay_and_templates_follow():
    """In an update a generated value keeps what it was, whatever that is; templates follow the inputs."""
    declared = type_of(etag=Property(computed=True), url=Property(computed="x-{name}"), name=Property())
    made = compute(declared, {"name": "new"}, "id", {"etag": Secret("old"), "url": "x-old", "name": "old"})

    assert made == {"name": "new", "etag": "old", "url": "x-new"}
    assert compute(declared, {"name": "n"}, "id", {})["etag"] == compute(declared, {"name": "n"}, "id")["etag"]


def test_templates():
    """Names in braces are replaced, doubled braces are plain ones."""
    assert fill("{a}-{{x}}-{b}", {"a": 1, "b": "c"}) == "1-{x}-c"
    assert fields("{a}-{{x}}-{b}") == ("a", "b")
    assert fill("no names", {}) == "no names"


@pytest.mark.parametrize("template", ["{", "}", "{a"])
def test_malformed_templates(template):
    """A malformed template is refused, showing how one is written."""
    with pytest.raises(DefinitionError, match="is not a template"):
        fields(template)


@pytest.mark.parametrize("context", [{"b": 1}, {"a": None, "b": 1}])
def test_missing_names(context):
    """A template that asks for what is absent or null says what there is instead."""
    with pytest.raises(DefinitionError, match=r"needs 'a', which this object does not have. It has: b\."):
        fill("{a}", context)


@pytest.mark.parametrize(
    ("item", "wanted", "prior", "id_", "value"),
    [
        (Property(computed=True), {}, UNKNOWN, "", UNKNOWN),
        (Property(computed=True), {}, "was", "b-1", "was"),
        (Property(computed="x-{id}"), {}, UNKNOWN, "", UNKNOWN),
        (Property(computed="x-{id}"), {}, "was", "b-1", "x-b-1"),
        (Property(computed="x-{name}"), {"name": "n"}, UNKNOWN, "", "x-n"),
        (Property(computed="x-{name}"), {"name": Secret("n")}, UNKNOWN, "", "x-n"),
        (Property(computed="x-{name}"), {"name": UNKNOWN}, "was", "b-1", UNKNOWN),
        (Property(computed="x-{name}"), {"name": [UNKNOWN]}, UNKNOWN, "", UNKNOWN),
        (Property(computed="x-{name}"), {}, UNKNOWN, "", UNKNOWN),
        (Property(computed="constant"), {}, UNKNOWN, "", "constant"),
        (Property(computed=lambda _: 1), {}, "was", "b-1", UNKNOWN),
        (Property(computed=True, secret=True), {}, UNKNOWN, "", Secret(UNKNOWN)),
        (Property(computed=True, secret=True), {}, Secret("was"), "b-1", Secret("was")),
    ],
)
def test_what_is_known_beforehand(item, wanted, prior, id_, value):
    """A plan tells a computed value only where nothing that it depends on is unknown; a function's never."""
    assert planned_value(item, wanted, prior, id_) == value


# Inside ----------------------------------------------------------------------------------------------------------------

PART = kind_of({"size": int, "serial": Property(computed=True), "path": Property(computed="/{id}/{size}")})


def part(size, at, id_="b-1"):
    """A whole part: its serial number depends on where it stands."""
    return {"size": size, "serial": generated(Kind("string"), f"{at}.serial", id_), "path": f"/{id_}/{size}"}


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        (PART, {"size": 1}, part(1, "p")),
        (PART, {"size": 1, "serial": "mine"}, {"size": 1, "serial": "mine", "path": "/b-1/1"}),
        (PART, {"size": 1, "serial": None, "more": 2}, {**part(1, "p"), "more": 2}),
        (PART, "no object", "no object"),
        (Kind("object", properties={"in": Property(PART)}), {"in": {"size": 1}}, {"in": part(1, "p.in")}),
        (Kind("array", items=PART), [{"size": 1}, {"size": 2}], [part(1, "p.0"), part(2, "p.1")]),
        (Kind("array", items=PART), ({"size": 1},), [part(1, "p.0")]),
        (Kind("array", items=PART), [7], [7]),
        (Kind("array", items=PART), "no list", "no list"),
        (Kind("map", items=PART), {"a": {"size": 1}}, {"a": part(1, "p.a")}),
        (Kind("set", items=PART), [{"size": 1}], [part(1, f"p.{digest({'size': 1})}")]),
        (Kind("array", items=Kind("map", items=PART)), [{"a": {"size": 1}}], [{"a": part(1, "p.0.a")}]),
        (Kind("array", items=Kind("string")), ["a"], ["a"]),
        (Kind("array"), [{"size": 1}], [{"size": 1}]),
        (Kind("any"), {"size": 1}, {"size": 1}),
    ],
)
def test_what_is_computed_inside(kind, value, expected):
    """Objects in objects and collections are made whole where they stand: by name, index or key, in sets by what they say."""
    assert compute(type_of(p=Property(kind)), {"p": value}, "b-1") == {"p": expected}


OLD = {"size": 1, "serial": "old", "path": "/b-1/1"}


@pytest.mark.parametrize(
    ("kind", "value", "prior", "serials"),
    [
        (PART, {"size": 2}, OLD, ["old"]),
        (PART, {"size": 2}, Secret(OLD), ["old"]),
        (PART, {"size": 2}, [OLD], [part(2, "p")["serial"]]),
        (PART, {"size": 2}, None, [part(2, "p")["serial"]]),
        (Kind("array", items=PART), [{"size": 2}, {"size": 3}], [OLD], ["old", part(3, "p.1")["serial"]]),
        (Kind("array", items=PART), [{"size": 2}], (OLD, OLD), ["old"]),
        (Kind("array", items=PART), [{"size": 2}], {"0": OLD}, [part(2, "p.0")["serial"]]),
        (Kind("map", items=PART), {"a": {"size": 2}, "b": {"size": 3}}, {"b": OLD}, [part(2, "p.a")["serial"], "old"]),
        (Kind("map", items=PART), {"a": {"size": 2}}, [OLD], [part(2, "p.a")["serial"]]),
        (Kind("set", items=PART), [{"size": 1}], [OLD], [part(1, f"p.{digest({'size': 1})}")["serial"]]),
    ],
)
def test_what_stays_inside(kind, value, prior, serials):
    """A generated value inside stays as long as its object stands where it stood; what stood elsewhere says nothing of it."""
    made = compute(type_of(p=Property(kind)), {"p": value}, "b-1", {"p": prior})["p"]
    parts = [made] if kind is PART else list(made.values()) if kind.name == "map" else made

    assert [each["serial"] for each in parts] == serials


@pytest.mark.parametrize(
    ("kind", "value", "prior", "id_", "expected"),
    [
        (PART, {"size": 1}, None, "", {"size": 1, "serial": UNKNOWN, "path": UNKNOWN}),
        (PART, {"size": 1}, None, "b-1", part(1, "p")),
        (PART, {"size": 2}, Secret(OLD), "b-1", {"size": 2, "serial": "old", "path": "/b-1/2"}),
        (PART, {"size": UNKNOWN}, OLD, "b-1", {"size": UNKNOWN, "serial": "old", "path": UNKNOWN}),
        (PART, Secret({"size": 1}), None, "b-1", Secret(part(1, "p"))),
        (PART, UNKNOWN, None, "b-1", UNKNOWN),
        (Kind("array", items=PART), [{"size": 1}], None, "b-1", [part(1, "p.0")]),
        (Kind("set", items=PART), [{"size": 1}], None, "b-1", [part(1, f"p.{digest({'size': 1})}")]),
        # Where an element of a set will stand cannot be told before it is known.
        (Kind("set", items=PART), [{"size": UNKNOWN}], None, "b-1", [{"size": UNKNOWN, "serial": UNKNOWN, "path": UNKNOWN}]),
        (Kind("array", items=Kind("string")), ["a"], None, "b-1", ["a"]),
        (Kind("string"), "a", None, "b-1", "a"),
        (kind_of({"size": Property(int, computed=lambda _: 1)}), {}, {"size": 7}, "b-1", {"size": UNKNOWN}),
        (kind_of({"key": Property(computed=True, secret=True)}), {}, None, "", {"key": Secret(UNKNOWN)}),
        (kind_of({"file": Property("asset", computed=lambda _: 1)}), {}, None, "b-1", {"file": UNKNOWN}),
    ],
)
def test_what_is_planned_inside(kind, value, prior, id_, expected):
    """A plan tells inside of objects what it can: what was there, and with an id what will be generated."""
    wanted = {"p": value, "undeclared": {"x": 1}}

    assert planned_inside(type_of(p=Property(kind)), wanted, {"p": prior}, id_) == {**wanted, "p": expected}
    assert wanted["p"] == value


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("a {x} b", "a 1 b"),
        ("plain", "plain"),
        ("{{x}}", "{x}"),
        (7, 7),
        (None, None),
        (["{x}", {"in": "{x}{x}"}], ["1", {"in": "11"}]),
        (Secret("{x}"), Secret("1")),
        ("{later}", UNKNOWN),
        ("{x}{list}", UNKNOWN),
        ("{key}", Secret("k")),
        ("{x}{deep}", Secret("1['d']")),
        ("{later}{key}", UNKNOWN),
    ],
)
def test_texts_in_values_are_filled_in(value, expected):
    """Each text in a value is filled in from the context: unknown, or secret, where what it names is, even in part."""
    context = {"x": 1, "later": UNKNOWN, "list": [UNKNOWN], "key": Secret("k"), "deep": [Secret("d")]}

    assert fill_all(value, context) == expected


def test_templates_come_after_what_they_ask_for():
    """Of computed properties each template comes after those that it asks for, and what is set is not computed at all."""
    properties = {
        "c": Property(computed="{b}{x}"),
        "b": Property(computed="{a}"),
        "a": Property(computed=True),
        "x": Property(),
        "f": Property(computed=lambda _: 1),
        "set": Property(computed=True, optional=True),
        "null": Property(computed=True, optional=True),
    }

    assert [name for name, _ in pending(properties, {"set": 0, "null": None})] == ["a", "b", "c", "f", "null"]

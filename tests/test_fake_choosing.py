"""What is made up: names and random defaults by seed, what is kept of them, and what the engine's options say."""

from __future__ import annotations

import re

import pytest
from builders import TOKEN, URN, call, fake
from hypothesis import given
from hypothesis import strategies as st

from mockprovider.calls import Op
from mockprovider.errors import DefinitionError
from mockprovider.fake.choosing import DISABLE, ENFORCE, PROPOSE, Choices, drawn
from mockprovider.payloads import NamingOptions
from mockprovider.protocols import by_name
from mockprovider.schema import Function, Kind, Package, Property, Random, ResourceType, Template
from mockprovider.values import UNKNOWN, Secret

USER = ResourceType(
    TOKEN,
    {
        "name": Property(str, auto_name=True, forces_new=True, max_length=16),
        "home": Property(str, default=Template("/home/{name}")),
        "pin": Property(str, default=Random(4, prefix="#", alphabet="01"), secret=True),
        "inner": Property({"key": Property(str, default=Random(5))}),
    },
)


def checked(*, seed=b"seed", olds=None, autonaming=None, declared=USER, **news):
    """The answer of Check under Pulumi."""
    serve, _ = fake(declared)
    naming = NamingOptions(**autonaming) if autonaming else None
    return serve(call(Op.CHECK, urn=URN, name="logs", inputs=news, prior_inputs=olds or {}, seed=seed, autonaming=naming))


def test_names_and_values_depend_on_the_seed_alone():
    """Two checks of one seed agree, another seed disagrees, and a default over the name follows it."""
    one, again, other = checked(), checked(), checked(seed=b"other")

    assert one.inputs == again.inputs
    assert re.fullmatch("logs-[0-9a-f]{7}", one.inputs["name"])
    assert one.inputs["home"] == f"/home/{one.inputs['name']}"
    assert re.fullmatch("#[01]{4}", one.inputs["pin"].value)
    assert one.inputs["name"] != other.inputs["name"]
    assert one.inputs["__defaults"] == ["name"]


def test_old_values_are_kept():
    """What was made up once stays while the program says nothing, at every depth, whatever the seed."""
    first = checked(inner={}).inputs
    second = checked(seed=b"other", olds=first, inner={}).inputs

    assert second == first
    assert checked(seed=b"other", olds=first, name="mine").inputs["name"] == "mine"
    assert "__defaults" not in checked(name="mine").inputs


def test_a_long_name_is_shortened_and_its_chance_is_not():
    """The resource's name gives way to ``max_length``; what tells it from others stays."""
    choices = Choices(b"seed", "a-very-long-name-indeed")
    item = Property(str, auto_name="{name}-{random:4}", max_length=10)

    assert re.fullmatch("a-ver-[0-9a-f]{4}", choices.default("name", item, {}))


def test_chance_has_seven_digits_unless_told_otherwise():
    """A template that does not say how much chance there is in a name has as much as Pulumi's own names."""
    assert re.fullmatch(
        "[0-9a-f]{7}-logs", Choices(b"seed", "logs").default("name", Property(str, auto_name="{random}-{name}"), {})
    )


@pytest.mark.parametrize(
    ("mode", "proposed", "expected"),
    [
        (PROPOSE, "short", "short"),
        (PROPOSE, "x" * 20, "x" * 16),
        (ENFORCE, "short", "short"),
        (PROPOSE, "", None),
    ],
)
def test_proposed_names(mode, proposed, expected):
    """The engine's proposal is taken, and fitted unless it is enforced; without one the type's own template counts."""
    name = checked(autonaming={"proposed_name": proposed, "mode": mode}).inputs["name"]

    assert name == expected or (expected is None and name.startswith("logs-"))


def test_an_enforced_name_that_does_not_fit():
    """What is enforced is not changed, so check says what is wrong with it."""
    reply = checked(autonaming={"proposed_name": "x" * 20, "mode": ENFORCE})

    assert [(each.path, each.reason) for each in reply.failures] == [
        ("name", f"expected at most 16 characters, got 20 in {'x' * 20!r}")
    ]


def test_disabled_names():
    """Where automatic names are disabled, a name has to be given, unless there is an old one."""
    disabled = {"mode": DISABLE}
    [wrong] = checked(autonaming=disabled).failures

    assert wrong.path == "name"
    assert "automatic names are disabled for this resource, so give it one" in wrong.reason
    assert checked(autonaming=disabled, name="mine").ok
    assert checked(autonaming=disabled, olds={"name": "old"}).inputs["name"] == "old"


def test_terraform_makes_up_nothing_before_apply():
    """A plan leaves open what will be made up; create makes it, and an update keeps it."""
    serve, cloud = fake(USER)
    here = call(Op.PLAN).session
    here.protocol = by_name("tfplugin6")
    planned = serve(call(Op.PLAN, session=here, inputs={})).plan.planned
    assert planned["home"] == UNKNOWN
    made = serve(call(Op.CREATE, session=here, inputs={}, planned=planned))

    assert "name" not in serve(call(Op.CHECK, session=here, inputs={})).inputs
    assert (planned["name"], planned["pin"]) == (UNKNOWN, Secret(UNKNOWN))
    assert re.fullmatch("bucket-[0-9a-f]{7}", made.value["name"])
    assert isinstance(made.value["pin"], Secret)
    kept = serve(call(Op.PLAN, session=here, inputs={}, prior=made.value, id=made.id)).plan
    assert kept.changes == ()
    assert kept.planned["name"] == made.value["name"]
    serve(call(Op.UPDATE, session=here, inputs={"home": "/x"}, prior=made.value, id=made.id))
    assert cloud.objects()[0]["name"] == made.value["name"]


@pytest.mark.parametrize("protocol", ["pulumi", "tfplugin6"])
def test_made_up_inside(protocol):
    """Inside of objects and lists a plan leaves open what create makes up, and later plans keep it."""
    key = {"size": int, "key": Property(str, default=Random(5)), "path": Property(str, default=Template("/{key}"))}
    declared = ResourceType(TOKEN, {"disk": Property(key), "disks": Property(Kind("array", items=Property(key).kind))})
    serve, _ = fake(declared)
    here = call(Op.PLAN).session
    here.protocol = by_name(protocol)
    inputs = {"disk": {"size": 1}, "disks": [{"size": 2}]}
    planned = serve(call(Op.PLAN, session=here, inputs=inputs)).plan.planned
    made = serve(call(Op.CREATE, session=here, inputs=inputs))

    assert planned["disk"] == {"size": 1, "key": UNKNOWN, "path": UNKNOWN}
    assert planned["disks"] == [{"size": 2, "key": UNKNOWN, "path": UNKNOWN}]
    assert made.value["disk"]["path"] == f"/{made.value['disk']['key']}"
    assert len({made.value["disk"]["key"], made.value["disks"][0]["key"]}) == 2
    kept = {"session": here, "prior": made.value, "id": made.id}
    assert serve(call(Op.PLAN, inputs=inputs, **kept)).plan.changes == ()
    more = {**inputs, "disks": [{"size": 2}, {"size": 3}]}
    plan = serve(call(Op.PLAN, inputs=more, **kept)).plan
    assert [each.path for each in plan.changes] == ["disks[1]"]
    assert plan.planned["disks"] == [made.value["disks"][0], {"size": 3, "key": UNKNOWN, "path": UNKNOWN}]
    updated = serve(call(Op.UPDATE, inputs=more, **kept)).value
    assert updated["disks"][0] == made.value["disks"][0]
    assert len(updated["disks"][1]["key"]) == 5


def test_the_flag_for_options():
    """A provider says that the options count where some type has automatic names, and nothing where none has."""
    flag = "supports_autonaming_configuration"
    plain = ResourceType(TOKEN, {"name": str})

    for declared, expected in ((USER, True), (plain, None)):
        serve, _ = fake(declared)
        assert serve(call(Op.HANDSHAKE, "")).extra.get(flag) is expected
        assert serve(call(Op.CONFIGURE, "", inputs={})).extra.get(flag) is expected


@pytest.mark.parametrize(("book", "first"), [(["name"], False), ([], True)])
def test_who_named_it_says_what_goes_first(book, first):
    """Of two objects that would have the name that the program gave, the old one goes first."""
    declared = ResourceType(TOKEN, {"name": Property(str, auto_name=True), "zone": Property(str, forces_new=True)})
    serve, _ = fake(declared)
    before = {"name": "logs", "zone": "a", "__defaults": book}
    plan = serve(call(Op.DIFF, id="b", inputs={**before, "zone": "b"}, prior=before, prior_inputs=before)).plan

    assert plan.replaces
    assert plan.delete_before_replace is first
    named = serve(call(Op.DIFF, id="b", inputs={"name": "new", "zone": "b"}, prior=before, prior_inputs=before)).plan
    assert not named.delete_before_replace


def test_the_book_of_names_is_no_property():
    """Neither the cloud nor an engine's outputs hold it; a refresh hands it back among the inputs."""
    serve, cloud = fake(USER)
    inputs = checked().inputs
    made = serve(call(Op.CREATE, urn=URN, inputs=inputs))
    read = serve(call(Op.READ, urn=URN, id=made.id, prior=made.value, prior_inputs=inputs))

    assert "__defaults" not in made.value.keys() | cloud.objects()[0].keys() | read.value.keys()
    assert read.inputs == inputs


def test_a_template_of_what_is_not_known():
    """A default made of others is unknown, secret or absent as they are."""
    declared = ResourceType(TOKEN, {"a": str, "b": Property(str, default=Template("{a}!"))})

    assert checked(declared=declared).inputs == {}
    assert checked(declared=declared, a=UNKNOWN).inputs["b"] == UNKNOWN
    assert checked(declared=declared, a=Secret("s")).inputs["b"] == Secret("s!")


@given(st.binary(), st.text(max_size=5), st.integers(1, 100), st.text(min_size=1, max_size=300))
def test_drawing(seed, point, length, alphabet):
    """What is drawn has its length and its alphabet, and is the same again."""
    found = drawn(seed, point, length, alphabet)

    assert len(found) == length
    assert set(found) <= set(alphabet)
    assert found == drawn(seed, point, length, alphabet)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Random(0), "makes nothing up"),
        (lambda: Random(3, alphabet=""), "makes nothing up"),
        (lambda: Property(int, auto_name=True), "auto_name makes text, and this is integer"),
        (lambda: Property(str, auto_name=True, computed=True), "is optional by itself: drop required, default or computed"),
        (lambda: Property(str, auto_name="{name:3}"), "asks for 'name':3"),
        (lambda: Property(str, auto_name="{"), "is not a template"),
        (lambda: Function("cloud:index:f", {"a": Property(default=Random())}), "only resources are asked with a seed"),
        (lambda: Package("cloud", config={"a": Property(auto_name=True)}), "only resources are asked with a seed"),
        (lambda: Property(str, minimum=1), "minimum limits integer and number alone, and this is string"),
        (lambda: Property(list[str], min_items=3, max_items=1), "min_items=3 is above max_items=1"),
        (lambda: Property(str, pattern="["), "is no regular expression"),
        (lambda: ResourceType(TOKEN, timeouts={"read": -1}), "timeouts has 'read': -1. Give seconds above 0 for create, read"),
        (lambda: ResourceType(TOKEN, behaviours=("quota",)), "'quota' is no behaviour"),
    ],
)
def test_what_contradicts_itself(make, message):
    """A declaration that nothing could keep is refused, with what to do instead."""
    with pytest.raises(DefinitionError, match=re.escape(message)):
        make()


LIMITED = ResourceType(
    TOKEN,
    {
        "port": Property(int, minimum=1, maximum=65535),
        "code": Property(str, min_length=2, max_length=3, pattern="[a-z]+"),
        "tags": Property(dict[str, str], max_items=1),
        "zones": Property(Kind("array", items=Kind("string", enum=("a", "b"))), min_items=1),
        "token": Property(str, min_length=5, secret=True),
        "rule": Property({"weight": Property(float, minimum=0), "name": Property(str, required=True)}),
    },
)


@pytest.mark.parametrize(
    ("inputs", "expected"),
    [
        ({"port": 0}, [("port", "expected at least 1, got 0")]),
        ({"port": 65536.0}, [("port", "expected at most 65535, got 65536.0")]),
        ({"code": "a"}, [("code", "expected at least 2 characters, got 1 in 'a'")]),
        ({"code": "abcd"}, [("code", "expected at most 3 characters, got 4 in 'abcd'")]),
        ({"code": "ab1"}, [("code", "expected text that matches '[a-z]+' as a whole, got 'ab1'")]),
        ({"tags": {"a": "1", "b": "2"}}, [("tags", "expected at most 1 elements, got 2")]),
        ({"zones": []}, [("zones", "expected at least 1 elements, got 0")]),
        ({"zones": ["a", "c"]}, [("zones[1]", "expected one of 'a', 'b', got 'c'")]),
        ({"token": "abc"}, [("token", "expected at least 5 characters, got a secret that is not")]),
        (
            {"rule": {"weight": -0.5}},
            [("rule.weight", "expected at least 0, got -0.5"), ("rule.name", "missing required property 'name'")],
        ),
        ({"port": UNKNOWN, "code": UNKNOWN, "zones": [UNKNOWN], "token": UNKNOWN}, []),
        ({"port": 1, "code": "abc", "tags": {}, "zones": ["a"], "token": "abcde"}, []),
        ({"port": "0"}, [("port", "expected integer, got string")]),
    ],
)
def test_limits(inputs, expected):
    """What is beyond a limit is told with its path and what would be right, and what is unknown is not."""
    serve, _ = fake(LIMITED)
    found = serve(call(Op.CHECK, inputs=inputs)).failures

    assert [(each.path, each.reason) for each in found] == expected

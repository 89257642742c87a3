"""What create, update and delete make of a call: ids, what is made up, what goes back to the engine."""

from __future__ import annotations

import pytest
from builders import TOKEN, URN, Played, call, fake, told

from mockprovider.calls import Op
from mockprovider.cloud import Cloud, Effect, digest
from mockprovider.fake.behaviours import Pending, Quota
from mockprovider.fake.choosing import drawn
from mockprovider.fake.computing import generated
from mockprovider.properties import HEX_DIGITS
from mockprovider.schema import Kind, Property, Random, ResourceType, Template
from mockprovider.values import UNKNOWN, Secret

HASH = Cloud().new_hash(URN)


@pytest.mark.parametrize(
    ("template", "given", "expected"),
    [
        ("{hash}", {"urn": URN}, HASH),
        ("{hash}", {"urn": URN, "inputs": None}, HASH),
        ("{hash}", {"urn": URN, "name": "logs", "inputs": {"name": "n"}}, HASH),
        # Without a URN the point is what is asked for: the type and all inputs, with their defaults.
        ("{hash}", {}, Cloud().new_hash(digest(TOKEN, [("zone", "z")]))),
        (
            "{hash}",
            {"inputs": {"name": Secret("n"), "a": 1}},
            Cloud().new_hash(digest(TOKEN, [("a", 1), ("name", "n"), ("zone", "z")])),
        ),
        ("{name}", {"urn": URN, "name": "logs"}, "logs"),
        ("{name}", {"urn": URN, "name": "logs", "inputs": {"name": None}}, "logs"),
        ("{name}", {"urn": URN, "name": "logs", "inputs": {"name": "n"}}, "n"),
        ("{name}", {"urn": URN}, HASH),
        ("{zone}-{hash}", {"urn": URN, "inputs": {"hash": "mine"}}, f"z-{HASH}"),
        ("{zone}", {"urn": URN, "inputs": {"zone": Secret("y")}}, "y"),
    ],
)
def test_new_ids(template, given, expected):
    """A new id is its template over the inputs, the resource's name, and a hash of the seed and of what is asked for."""
    declared = ResourceType(TOKEN, {"name": Property(), "zone": Property(default="z"), "a": int}, id=template)

    assert Played(declared).ask(Op.CREATE, **{"inputs": {}, **given}).id == expected


NAMED = {
    "name": Property(auto_name="{name}-{random:4}"),
    "pin": Property(default=Random(5)),
    "rule": Property({"pin": Property(default=Random(5))}),
    "etag": Property(computed=True),
}


@pytest.mark.parametrize(
    ("token", "name", "begins"),
    [
        (TOKEN, "logs", "logs-"),
        ("cloud:index:LogBucket", "", "log_bucket-"),
        ("cloud:storage/bucket:LogBucket", "", "log_bucket-"),
    ],
)
def test_what_a_create_makes_up(token, name, begins):
    """What check had no seed for is made up from the new object's hash, names after the resource, or else after the type."""
    played = Played(ResourceType(token, NAMED))
    urn = URN.replace(TOKEN, token)
    made = played.ask(Op.CREATE, token, urn=urn, name=name, inputs={"rule": {}}, private=b"p")
    seed = Cloud().new_hash(urn).encode()

    assert made.value == {
        "name": begins + drawn(seed, "name", 4, HEX_DIGITS),
        "pin": drawn(seed, "pin", 5, HEX_DIGITS),
        "rule": {"pin": drawn(seed, "rule.pin", 5, HEX_DIGITS)},
        "etag": generated(Kind("string"), "etag", made.id),
    }
    assert (played.there, played.there.id, made.private) == (made.value, made.id, b"p")


def test_what_an_update_makes_up():
    """What an object lacks is made up at an update from its id, what it has stays, and its name is the resource's."""
    played = Played(ResourceType(TOKEN, NAMED))
    played.cloud.create(TOKEN, "b-1", {})
    seed = digest("b-1").encode()
    made = played.ask(Op.UPDATE, id="b-1", name="logs", prior={"pin": "old", "etag": "e"}, inputs={"rule": {}}, private=b"p")

    assert made.value == {
        "name": f"logs-{drawn(seed, 'name', 4, HEX_DIGITS)}",
        "pin": "old",
        "rule": {"pin": drawn(seed, "rule.pin", 5, HEX_DIGITS)},
        "etag": "e",
    }
    assert (played.there, made.id, made.private) == (made.value, "b-1", b"p")
    bare = played.ask(Op.UPDATE, id="b-1")
    assert bare.value == {
        "name": f"-{drawn(seed, 'name', 4, HEX_DIGITS)}",
        "pin": drawn(seed, "pin", 5, HEX_DIGITS),
        "etag": generated(Kind("string"), "etag", "b-1"),
    }


@pytest.mark.parametrize("op", [Op.CREATE, Op.UPDATE])
def test_what_goes_back_and_what_is_kept(op):
    """The engine gets the forms that it sent, secrets and null among them; the cloud keeps plain values, and no nulls."""
    declared = ResourceType(TOKEN, {"a": "any", "key": Property(secret=True), "copy": Property(computed="{a}", secret=True)})
    played = Played(declared)
    played.cloud.create(TOKEN, "b-1", {"a": "old"})
    played.ask(Op.DELETE, id="b-1") if op is Op.CREATE else None
    inputs = {"a": Secret("x"), "key": "k", "gone": None, "__defaults": ["a"]}
    reply = played.ask(op, id="b-1", inputs=inputs, urn=URN)

    assert reply.value == {"a": Secret("x"), "key": Secret("k"), "copy": Secret("x")}
    assert played.there == {"a": "x", "key": "k", "copy": "x"}


@pytest.mark.parametrize("op", [Op.CREATE, Op.UPDATE])
def test_previews_tell_what_is_known(op):
    """A preview of a create or an update answers with the plan's object, without inputs too, and touches nothing."""
    declared = ResourceType(TOKEN, {"acl": Property(default="x"), "arn": Property(computed="{acl}-{id}")})
    played = Played(declared)
    played.cloud.create(TOKEN, "b-1", {"acl": "old"})
    reply = played.ask(op, id="b-1", prior={"acl": "old"}, preview=True)

    assert reply.value == {"acl": "x", "arn": "x-b-1" if op is Op.UPDATE else UNKNOWN}
    assert reply.id == ("b-1" if op is Op.UPDATE else "")
    assert [each.effect for each in played.cloud.events] == [Effect.CREATED]


@pytest.mark.parametrize(
    ("given", "paths"),
    [
        ({}, ["acl", "tags.a"]),
        ({"ignore_changes": ("tags",)}, ["acl"]),
        ({"ignore_changes": ("tags.a",)}, ["acl"]),
        ({"ignore_changes": ("tags.a.b", "tag")}, ["acl", "tags.a"]),
        ({"ignore_changes": ("acl", 'tags["a"]')}, []),
        ({"prior_inputs": {"acl": "b"}}, ["tags"]),
        ({"inputs": None}, ["acl", "tags"]),
        ({"prior": None}, ["acl", "tags"]),
        ({"prior": None, "inputs": None}, []),
    ],
)
def test_what_a_plan_compares(given, paths):
    """A plan compares inputs with inputs, or with the prior object, and leaves out the paths that are to be ignored."""
    played = Played(ResourceType(TOKEN, {"acl": str, "tags": dict[str, str]}))
    asked = {
        "id": "b-1",
        "prior": {"acl": "a", "tags": {"a": "1"}},
        "inputs": {"acl": "b", "tags": {"a": "2"}},
        "private": b"p",
    }
    reply = played.ask(Op.DIFF, **asked | given)

    assert [each.path for each in reply.plan.changes] == paths
    assert (reply.id, reply.private) == ("b-1", b"p")


CHECKED = ResourceType(
    TOKEN,
    {
        "name": Property(auto_name=True, max_length=4),
        "role": Property(default="r", conflicts_with=("key",), min_length=2),
        "key": Property(),
        "zone": Property(required=True),
        "arn": Property(computed=True),
        "logs": Property(default=Template("{key}!")),
    },
)


@pytest.mark.parametrize(
    ("given", "inputs", "failed"),
    [
        # A default that is made may be beyond a limit, too.
        ({"zone": "z"}, {"role": "r"}, ["role"]),
        ({"zone": "z", "role": None}, {"role": "r"}, ["role"]),
        ({"zone": "z", "role": "r"}, {}, ["role"]),
        ({"zone": "z", "role": "rr"}, {}, []),
        ({"zone": "z", "role": "rr", "key": "k"}, {"logs": "k!"}, ["role"]),
        # Whether properties go together is a question to the program alone.
        ({"zone": "z", "key": "k"}, {"role": "r", "logs": "k!"}, ["role"]),
        ({"role": "rr"}, {}, ["zone"]),
        ({"zone": None, "role": "rr", "arn": "x", "more": 1}, {}, ["zone", "arn"]),
    ],
)
def test_what_check_fills_in_and_finds_wrong(given, inputs, failed):
    """Check adds defaults to what the program says, and looks at both; what conflicts, the program must have set."""
    serve, _ = fake(CHECKED)
    reply = serve(call(Op.CHECK, inputs=given))

    assert reply.inputs == given | inputs
    assert [each.path for each in reply.failures] == failed


@pytest.mark.parametrize(
    ("given", "protocol", "book"),
    [
        ({}, {"urn": URN, "name": "abc"}, ["name"]),
        ({"name": None}, {"urn": URN, "name": "abc"}, ["name"]),
        ({"name": "n"}, {"urn": URN, "name": "abc"}, None),
        ({}, {}, None),
    ],
)
def test_what_the_book_of_names_holds(given, protocol, book):
    """Check writes down the properties that it named itself, where it names any."""
    serve, _ = fake(CHECKED)
    reply = serve(call(Op.CHECK, inputs={"zone": "z", **given}, **protocol))

    assert reply.inputs.get("__defaults") == book
    assert ("name" in reply.inputs) is (book is not None or "name" in given)


@pytest.mark.parametrize("strict", [True, False])
def test_check_of_properties_that_nobody_declared(strict):
    """A strict fake refuses inputs that its type does not have, but for the book and nulls; another takes them."""
    serve, _ = fake(ResourceType(TOKEN, {"acl": str}), strict=strict)
    asked = {"acl": "a", "alc": "b", "zone": None, "__defaults": []}
    reply = serve(call(Op.CHECK, inputs=asked))

    assert [(each.path, each.reason) for each in reply.failures] == (
        [("alc", f"{TOKEN} has no property 'alc'. Did you mean 'acl'?")] if strict else []
    )
    assert reply.inputs == {"acl": "a", "alc": "b", "zone": None}


def test_an_update_of_what_is_gone_stays_an_error_for_behaviours():
    """What an update cannot do is told as it is, and what stands in front of it remembers nothing."""
    played = Played(
        ResourceType(TOKEN, {"s": Property(computed=True)}, behaviours=(Pending("s", reads=1, updates=True), Quota(1)))
    )

    assert told(played.ask(Op.UPDATE, id="b-1", inputs={}))[1] == "not_found"
    assert played.cloud.noted(TOKEN, "b-1", "s") is None

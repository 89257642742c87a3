"""What a read tells of an object: in which form, what it leaves out, and which of it are inputs."""

from __future__ import annotations

import pytest
from builders import TOKEN, Played, call, fake, told

from mockprovider.calls import Op, Session
from mockprovider.fake.resources import readable
from mockprovider.schema import Function, Kind, Property, ResourceType
from mockprovider.values import UNKNOWN, Asset, Output, Secret

HIDDEN = Property(unreadable=True)
SHY = {
    "key": HIDDEN,
    "acl": Property(),
    "rule": Property({"key": HIDDEN, "in": Property({"key": HIDDEN})}),
    "any": Property("any"),
}


@pytest.mark.parametrize(
    ("found", "known", "shown"),
    [
        ({"acl": "a", "key": "k"}, {}, {"acl": "a"}),
        ({"acl": "a", "key": "k"}, {"key": "old", "acl": "b"}, {"acl": "a", "key": "old"}),
        ({}, {"key": "old", "acl": "b"}, {"key": "old"}),
        ({"key": "k"}, {"key": None}, {}),
        ({"key": "k"}, {"key": ""}, {"key": ""}),
        ({"acl": None, "more": 1}, {"gone": 2}, {"acl": None, "more": 1}),
        ({"rule": {"key": "k", "a": 1}}, {}, {"rule": {"a": 1}}),
        ({"rule": {"key": "k"}}, {"rule": {"key": "old"}}, {"rule": {"key": "old"}}),
        ({"rule": {"a": 1}}, {"rule": Secret({"key": "old"})}, {"rule": {"a": 1, "key": "old"}}),
        ({"rule": {"key": "k"}}, {"rule": ["old"]}, {"rule": {}}),
        ({"rule": {"key": "k"}}, {"rule": None}, {"rule": {}}),
        ({"rule": {"in": {"key": "k"}}}, {"rule": {"in": {"key": "old"}}}, {"rule": {"in": {"key": "old"}}}),
        ({}, {"rule": {"key": "old"}}, {}),
        ({"rule": "no object"}, {"rule": {"key": "old"}}, {"rule": "no object"}),
        ({"any": {"key": "k"}}, {}, {"any": {"key": "k"}}),
        ({"more": {"key": "k"}}, {"more": {"key": "old"}}, {"more": {"key": "k"}}),
    ],
)
def test_what_can_be_read(found, known, shown):
    """What is unreadable is what is known of it, also inside of objects that are there; all the rest is what was found."""
    assert readable(SHY, found, known) == shown


PLAIN = ResourceType(TOKEN, {"a": "any", "key": Property("any", secret=True)})


@pytest.mark.parametrize(
    ("there", "known", "shown"),
    [
        ({"a": "x"}, {}, {"a": "x"}),
        ({"a": "x"}, {"a": None}, {"a": "x"}),
        ({"a": "x"}, {"a": Secret("x")}, {"a": Secret("x")}),
        ({"a": "x"}, {"a": Secret("y")}, {"a": "x"}),
        ({"a": "x"}, {"a": Output("x", dependencies=("u",))}, {"a": Output("x", dependencies=("u",))}),
        ({"a": "x"}, {"a": UNKNOWN}, {"a": "x"}),
        ({"a": ["x"]}, {"a": [Secret("x")]}, {"a": [Secret("x")]}),
        ({"a": 1}, {"a": 1.0}, {"a": 1.0}),
        ({"a": Asset(text="t", hash="1")}, {"a": Asset(hash="1")}, {"a": Asset(hash="1")}),
        ({"key": "k"}, {}, {"key": Secret("k")}),
        ({"key": "k"}, {"key": "k"}, {"key": Secret("k")}),
        ({"key": "k"}, {"key": Secret("k")}, {"key": Secret("k")}),
        ({"key": "k"}, {"key": Secret("old")}, {"key": Secret("k")}),
        ({"more": "x"}, {"more": Secret("x")}, {"more": Secret("x")}),
    ],
)
def test_the_form_of_what_is_read(there, known, shown):
    """What means the same as what is known is told in its form, wrappers and all; a declared secret is one in any case."""
    played = Played(PLAIN)
    played.cloud.create(TOKEN, "b-1", there)
    read = played.ask(Op.READ, id="b-1", prior=known, prior_inputs=known)

    assert read.value == shown
    assert read.inputs == {name: value for name, value in shown.items() if name != "more"}


PARTS = {"size": int, "serial": Property(computed=True, optional=True)}
MADE = ResourceType(
    TOKEN,
    {
        "name": Property(),
        "arn": Property(computed=True),
        "zone": Property(computed=True, optional=True),
        "disk": Property(PARTS),
        "disks": Property(Kind("array", items=Property(PARTS).kind)),
    },
)


@pytest.mark.parametrize(
    ("there", "prior_inputs", "inputs"),
    [
        ({"name": "n", "arn": "x", "zone": "z"}, None, {"name": "n"}),
        ({"name": "n", "arn": "x", "zone": "z"}, {}, {"name": "n"}),
        ({"name": "n", "arn": "x", "zone": "z"}, {"arn": "x", "zone": "z"}, {"name": "n", "zone": "z"}),
        ({"zone": "z"}, {"zone": None}, {"zone": "z"}),
        ({"more": 1}, {"more": 1}, {}),
        ({"disk": {"size": 1, "serial": "s"}}, {}, {"disk": {"size": 1}}),
        ({"disk": {"size": 1, "serial": "s"}}, {"disk": {"serial": "s"}}, {"disk": {"size": 1, "serial": "s"}}),
        ({"disks": [{"size": 1, "serial": "s"}]}, {"disks": [{}]}, {"disks": [{"size": 1}]}),
        ({"name": "n"}, {"name": "n", "__defaults": ["name"]}, {"name": "n", "__defaults": ["name"]}),
        ({"name": "n"}, {"__defaults": []}, {"name": "n", "__defaults": []}),
    ],
)
def test_the_inputs_of_what_is_read(there, prior_inputs, inputs):
    """Inputs are what a program may set, what is computed only where it does, and the book of what check named."""
    played = Played(MADE)
    played.cloud.create(TOKEN, "b-1", there)
    read = played.ask(Op.READ, id="b-1", prior={}, prior_inputs=prior_inputs, private=b"p")

    assert read.inputs == inputs
    assert (read.value, read.id, read.private) == (there, "b-1", b"p")


def test_a_type_without_properties_shows_all_that_is_there():
    """A type that declares no properties has those of its objects, and all of them are inputs."""
    played = Played(ResourceType(TOKEN))
    played.cloud.create(TOKEN, "b-1", {"a": 1})
    read = played.ask(Op.READ, id="b-1")

    assert read.value == read.inputs == {"a": 1}


@pytest.mark.parametrize(
    ("op", "protocol", "given", "refused"),
    [
        (Op.READ, "pulumi", {}, True),
        (Op.READ, "pulumi", {"prior": {}}, True),
        (Op.READ, "pulumi", {"prior": {"a": 1}}, False),
        (Op.READ, "pulumi", {"prior_inputs": {}}, False),
        (Op.READ, "tfplugin6", {}, False),
        (Op.IMPORT, "tfplugin6", {}, True),
    ],
)
def test_which_reads_are_imports(op, protocol, given, refused):
    """A type that cannot be imported refuses Terraform's imports, and of Pulumi's reads those that know the id alone."""
    serve, cloud = fake(ResourceType(TOKEN, {"a": int}, importable=False))
    cloud.create(TOKEN, "b-1", {"a": 1})
    reply = serve(call(op, id="b-1", session=Session(protocol), **given))

    assert reply.ok is not refused
    assert not refused or told(reply)[1] == "unimplemented"
    assert refused or reply.value == {"a": 1}


@pytest.mark.parametrize("op", [Op.DIFF, Op.CREATE, Op.UPDATE])
def test_a_function_is_no_resource(op):
    """The token of a function is checked as a resource's is, and is a type for nothing else."""
    serve, _ = fake(Function("cloud:index:getZone", {"region": str}), strict=True)

    assert serve(call(Op.CHECK, "cloud:index:getZone", inputs={"region": "a"})).ok
    assert told(serve(call(op, "cloud:index:getZone", inputs={"region": "a"})))[1] == "invalid_argument"


@pytest.mark.parametrize(
    ("op", "answered"),
    [(Op.READ, True), (Op.IMPORT, True), (Op.DELETE, True), (Op.UPGRADE, True), (Op.CHECK, False), (Op.UPDATE, False)],
)
def test_what_a_strict_fake_answers_of_undeclared_types(op, answered):
    """Objects of undeclared types may be gone, deleted or handed back; of one that is there a read says what it is not."""
    serve, cloud = fake(strict=True)
    cloud.create("cloud:index:Gone", "b-1", {"a": 1})

    assert serve(call(op, "cloud:index:Gone", id="b-2", inputs={})).ok is answered
    reply = serve(call(Op.READ, "cloud:index:Gone", id="b-1"))
    assert told(reply)[0].startswith("Nobody declared the resource type 'cloud:index:Gone'.")
    assert serve(call(Op.DELETE, "cloud:index:Gone", id="b-1")).ok
    assert cloud.objects() == []

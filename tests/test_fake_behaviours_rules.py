"""What behaviours go by, each rule by itself: which calls they are about, what they refuse, what they leave open."""

from __future__ import annotations

import pytest
from behaving import OTHER, seen_by, world
from builders import TOKEN, call, told

from mockprovider.calls import Change, ChangeKind, Failure, Op, Plan, Reply
from mockprovider.cloud import Cloud
from mockprovider.fake.behaviours import Holds, Modified, Normalised, Pending, Protected, Quota, References, Revision
from mockprovider.fake.behaviours.world import given, unsettled
from mockprovider.values import UNKNOWN, Secret

# What all share --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("op", "timeout", "expected"),
    [(Op.CREATE, 0.0, 30.0), (Op.CREATE, 5.0, 5.0), (Op.READ, 0.0, 0.0), (Op.READ, 5.0, 5.0)],
)
def test_timeouts(op, timeout, expected):
    """How long a call may take is what the engine says, else what the type does, else without end."""
    assert world(create=30.0).timeout(call(op, timeout=timeout)) == expected


def test_given():
    """What a behaviour sets stands among the inputs, before what a program says, and the call itself stays as it was."""
    asked = call(Op.CREATE, inputs={"a": 1, "b": 2})

    assert given(asked, a=3).inputs == {"a": 3, "b": 2}
    assert given(call(Op.CREATE), a=3).inputs == {"a": 3}
    assert asked.inputs == {"a": 1, "b": 2}


CHANGED = Plan({"p": 1, "q": 2}, (Change("q", ChangeKind.UPDATE),), stable=("p", "q"))
OPENED = Plan({"p": UNKNOWN, "q": 2}, CHANGED.changes, stable=("q",))
SAME = Plan({"p": 1, "q": 2}, stable=("p",))


@pytest.mark.parametrize(
    ("asked", "reply", "expected"),
    [
        (call(Op.DIFF, prior={}), Reply(plan=CHANGED), Reply(plan=OPENED)),
        (call(Op.PLAN, prior={}), Reply(plan=CHANGED), Reply(plan=OPENED)),
        (call(Op.PLAN), Reply(plan=CHANGED), Reply(plan=CHANGED)),
        (call(Op.PLAN, prior={}), Reply(plan=SAME), Reply(plan=SAME)),
        (call(Op.PLAN, prior={}), Reply(), Reply()),
        (call(Op.CHECK, prior={}), Reply(plan=CHANGED), Reply(plan=CHANGED)),
        (call(Op.UPDATE, preview=True), Reply(value={"p": 1, "q": 2}), Reply(value={"p": UNKNOWN, "q": 2})),
        (call(Op.UPDATE, preview=True), Reply(), Reply()),
        (call(Op.UPDATE), Reply(value={"p": 1}), Reply(value={"p": 1})),
        (call(Op.CREATE, preview=True), Reply(value={"p": 1}), Reply(value={"p": 1})),
        (call(Op.READ), Reply(value={"p": 1}), Reply(value={"p": 1})),
    ],
)
def test_what_is_left_open(asked, reply, expected):
    """What an update will move is unknown in a plan with changes of what exists, and in a preview of an update."""
    assert unsettled(asked, reply, ["p"]) == expected


# Which calls they are about --------------------------------------------------------------------------------------------

EVERY = [call(op, id="b-1", preview=preview, inputs={}) for op in Op for preview in (False, True)]


def about(behaviour, touched):
    """The calls, as (op, whether in a preview), of which this is true after a behaviour saw them."""
    return {(str(asked.op), asked.preview) for asked in EVERY if touched(behaviour, asked)}


def counts(behaviour, asked):
    """Whether a behaviour passed the call on with other inputs."""
    return seen_by(behaviour, asked)[0].inputs != asked.inputs


@pytest.mark.parametrize("behaviour", [Revision("p"), Modified("p"), Pending("p", reads=1)])
def test_what_is_a_write(behaviour):
    """A version, a stamp and a status are set at each create and update, and not in their previews."""
    assert about(behaviour, counts) == {("create", False), ("update", False)}


@pytest.mark.parametrize("behaviour", [Revision("p", reads=True), Modified("p", reads=True)])
@pytest.mark.parametrize("reads", [True, False])
def test_what_is_a_read(behaviour, reads):
    """What reads move, a refresh and an import move, where the behaviour says so."""
    moving = type(behaviour)("p", reads=reads)

    def moved(moving, asked):
        here = world()
        here.cloud.create(TOKEN, "b-1", {})
        seen_by(moving, asked, here=here)
        return here.cloud.objects()[0]

    assert about(moving, moved) == (
        {(op, preview) for op in ("read", "import") for preview in (False, True)} if reads else set()
    )


@pytest.mark.parametrize(("there", "version"), [(None, 1), ({}, 1), ({"p": None}, 1), ({"p": 1}, 2), ({"p": 41}, 42)])
def test_what_a_version_counts_from(there, version):
    """The first write is number 1, also of an object that has no version yet."""
    here = world()
    if there is not None:
        here.cloud.create(TOKEN, "b-1", there)

    assert seen_by(Revision("p"), call(Op.UPDATE, id="b-1"), here=here)[0].inputs == {"p": version}


def test_what_a_quota_is_about():
    """Only a create that is no preview needs room."""

    def refused(behaviour, asked):
        return seen_by(behaviour, asked)[0] is None

    assert about(Quota(0), refused) == {("create", False)}


@pytest.mark.parametrize(
    ("quota", "here", "elsewhere", "ok"),
    [
        (Quota(1), 0, 3, True),
        (Quota(1), 1, 0, False),
        (Quota(2), 1, 3, True),
        (Quota(2, everywhere=True), 1, 0, True),
        (Quota(2, everywhere=True), 1, 1, False),
        (Quota(2, everywhere=True), 0, 2, False),
        (Quota(0), 0, 0, False),
    ],
)
def test_when_a_quota_is_used_up(quota, here, elsewhere, ok):
    """Objects of the type count, or with ``everywhere`` of all types, up to the quota itself."""
    cloud = Cloud()
    for type_, count in ((TOKEN, here), (OTHER, elsewhere)):
        for number in range(count):
            cloud.create(type_, str(number), {})

    assert (quota.refusal(cloud, TOKEN) is None) is ok


@pytest.mark.parametrize(
    ("there", "ok"),
    [(None, True), ({}, True), ({"p": False}, True), ({"p": True}, False), ({"p": "true"}, True), ({"p": 1}, True)],
)
def test_what_is_protected(there, ok):
    """A delete is refused while the property is exactly true; no other call is."""
    here = world()
    if there is not None:
        here.cloud.create(TOKEN, "b-1", there)

    def refused(behaviour, asked):
        return seen_by(behaviour, asked, here=here)[0] is None

    assert about(Protected("p"), refused) == (set() if ok else {("delete", False), ("delete", True)})


@pytest.mark.parametrize(
    ("of", "by", "held"),
    [
        ("id", ["b-1"], True),
        ("id", "b-1", True),
        ("id", ["b-2", Secret("b-1")], True),
        ("id", "b-2", False),
        ("id", [], False),
        ("id", None, False),
        ("p", "name", True),
        ("p", "b-1", False),
    ],
)
def test_what_is_held(of, by, held):
    """A delete is refused while an object of the other type names this one, by its id or by a property."""
    here = world()
    here.cloud.create(TOKEN, "b-1", {"p": "name"})
    here.cloud.create(OTHER, "o-1", {"of": by})

    def refused(behaviour, asked):
        return seen_by(behaviour, asked, here=here)[0] is None

    assert about(Holds(OTHER, "of", of), refused) == ({("delete", False), ("delete", True)} if held else set())


@pytest.mark.parametrize(("count", "some"), [(1, "o-0"), (3, "o-0, o-1, o-2"), (4, "o-0, o-1, o-2, ...")])
def test_who_holds_it(count, some):
    """The refusal names the first three."""
    here = world()
    here.cloud.create(TOKEN, "b-1", {})
    for number in range(count):
        here.cloud.create(OTHER, f"o-{number}", {"of": "b-1"})
    _, reply = seen_by(Holds(OTHER, "of"), call(Op.DELETE, id="b-1"), here=here)

    reason = f"NotEmpty: {TOKEN} 'b-1' still holds {count} of {OTHER} ({some}). Delete them first."
    assert told(reply) == (reason, "failed_precondition")


@pytest.mark.parametrize(
    ("to", "value", "wrong"),
    [
        ("id", "o-1", False),
        ("id", ["o-1", "o-1"], False),
        ("id", ["o-1", "o-2"], True),
        ("id", "n", True),
        ("name", "n", False),
        ("name", "o-1", True),
        ("id", Secret("o-2"), True),
        ("id", None, False),
        ("id", [], False),
        ("id", UNKNOWN, False),
        ("id", ["o-2", UNKNOWN], False),
    ],
)
def test_what_is_referenced(to, value, wrong):
    """Whatever a create or an update names must be there, by its id or by a property; what is unknown is nobody's fault."""
    here = world()
    here.cloud.create(OTHER, "o-1", {"name": "n"})
    asked = [call(op, preview=preview, inputs={"p": value}) for op in Op for preview in (False, True)]
    refused = {
        (str(each.op), each.preview) for each in asked if seen_by(References("p", OTHER, to), each, here=here)[0] is None
    }

    assert refused == ({("create", False), ("update", False)} if wrong else set())
    assert seen_by(References("p", OTHER, to), call(Op.CREATE), here=here)[1].ok


def test_where_a_reference_is_wrong():
    """The failure names the property."""
    _, reply = seen_by(References("p", OTHER), call(Op.CREATE, inputs={"p": "x"}))

    assert reply.failures == (Failure(f"NotFound: p of {TOKEN} names {OTHER} 'x', which is not there.", "p", "not_found"),)


@pytest.mark.parametrize(
    ("behaviour", "uses", "sets"),
    [
        (Pending(reads=1), None, ("status",)),
        (Revision(), None, ("version",)),
        (Modified(), None, ("lastModified",)),
        (Protected(), ("deletionProtection",), None),
        (Pending("s", reads=1), None, ("s",)),
        (Revision("v"), None, ("v",)),
        (Modified("m"), None, ("m",)),
        (Normalised("p", "lower"), ("p",), None),
        (Protected("p"), ("p",), None),
        (Holds(OTHER, "of"), (), None),
        (Holds(OTHER, "of", "p"), ("p",), None),
        (References("p", OTHER), ("p",), None),
    ],
)
def test_which_properties_a_behaviour_names(behaviour, uses, sets):
    """A behaviour tells the properties of its type that it looks at, or that it sets."""
    assert (getattr(behaviour, "uses", None), getattr(behaviour, "sets", None)) == (uses, sets)

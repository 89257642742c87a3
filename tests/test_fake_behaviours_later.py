"""What takes time: ops that are slow, objects that are ready later, and those that are not seen at once."""

from __future__ import annotations

import pytest
from behaving import seen_by, world
from builders import TOKEN, Played, bucket, call

from mockprovider.calls import Failure, Op, Reply
from mockprovider.errors import DefinitionError
from mockprovider.fake.behaviours import Eventual, Pending, Quota, Slow
from mockprovider.schema import Property


@pytest.mark.parametrize(
    ("asked", "took", "status", "done"),
    [
        (call(Op.CREATE), 1, None, True),
        (call(Op.READ), 2, None, True),
        (call(Op.UPDATE), 3, None, True),
        (call(Op.DELETE), 4, None, True),
        (call(Op.CREATE, preview=True), 0, None, True),
        (call(Op.CHECK), 0, None, True),
        (call(Op.CREATE, timeout=1.0), 1, None, True),
        (call(Op.CREATE, timeout=0.5), 0.5, "deadline_exceeded", True),
        (call(Op.READ, timeout=0.5), 0.5, "deadline_exceeded", False),
        (call(Op.UPDATE, timeout=0.5), 0.5, "deadline_exceeded", True),
        (call(Op.DELETE, timeout=0.5), 0.5, "deadline_exceeded", False),
        (call(Op.DELETE, timeout=9.0), 4, None, True),
    ],
)
def test_how_long_it_takes(asked, took, status, done):
    """An op takes its time, up to its timeout; what is too late fails, and a create or an update is done all the same."""
    here = world()
    onward, reply = seen_by(Slow(create=1, read=2, update=3, delete=4), asked, Reply(id="b-1"), here)

    assert here.clock.now() == took
    assert [each.status for each in reply.failures] == ([status] if status else [])
    assert (onward is not None, reply.id) == (done, "b-1" if done else "")


def test_what_went_wrong_comes_before_what_came_late():
    """A late reply keeps its own failures."""
    wrong = Failure("its own")
    _, reply = seen_by(Slow(create=2), call(Op.CREATE, timeout=1.0), Reply(failures=(wrong,)))

    assert [each.reason for each in reply.failures] == ["its own", f"Timeout: create of {TOKEN} was not done after 1 s."]


@pytest.mark.parametrize("words", [{"create": -1}, {"read": -1}, {"update": -1}, {"delete": -0.1}])
def test_less_than_no_time(words):
    """No op takes no time that there is."""
    with pytest.raises(DefinitionError, match="takes no time that there is"):
        Slow(**words)


# What comes later ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("op", "preview", "id_", "hides"),
    [(Op.CREATE, False, "b-1", 2), (Op.CREATE, True, "", 0), (Op.UPDATE, False, "b-1", 0), (Op.CREATE, False, "", 0)],
)
def test_what_is_not_seen_yet(op, preview, id_, hides):
    """What was made is not seen by so many reads, and what failed to be made or was there before is hidden from none."""
    here, reads = world(), [call(read, id="b-1") for read in (Op.READ, Op.IMPORT, Op.READ)]
    behaviour, shown = Eventual(2), Reply(id="b-1", value={})
    seen_by(behaviour, call(op, id="b-1", preview=preview), Reply(id=id_), here)

    assert [seen_by(behaviour, asked, shown, here)[1] for asked in reads] == [Reply()] * hides + [shown] * (3 - hides)


STATUS = {"s": Property(computed=True)}


@pytest.mark.parametrize(
    ("pending", "steps", "found"),
    [
        (Pending("s", reads=1), "r", ["available"]),
        (Pending("s", reads=2), "rr", ["creating", "available"]),
        (Pending("s", reads=3), "rurr", ["creating", "creating", "creating", "available"]),
        (Pending("s", reads=2, updates=True), "rurr", ["creating", "creating", "creating", "available"]),
        (Pending("s", reads=1, updates=True), "rur", ["available", "creating", "available"]),
        (Pending("s", reads=1), "ru", ["available", "available"]),
        (Pending("s", seconds=2), "r.r.r", ["creating", "creating", "available"]),
        (Pending("s", seconds=2), ".u.u", ["creating", "available"]),
        (Pending("s", seconds=2, updates=True), ".u.r.r", ["creating", "creating", "available"]),
        (Pending("s", "new", "old", reads=1), "rr", ["old", "old"]),
    ],
)
def test_when_it_is_ready(pending, steps, found):
    """It is ready at a read of that number, or when so much time has passed; an update begins it anew if it is declared to."""
    played = Played(bucket(pending, **STATUS))
    made = played.create()
    statuses = []
    for number, step in enumerate(steps):
        if step == ".":
            played.clock.sleep(1)
        else:
            op, inputs = (Op.READ, None) if step == "r" else (Op.UPDATE, {"acl": str(number)})
            statuses.append(played.ask(op, id=made.id, inputs=inputs, prior=made.value).value["s"])

    assert made.value["s"] == pending.pending
    assert statuses == found


@pytest.mark.parametrize(
    ("refuses", "op", "preview", "ok"),
    [
        (("update",), Op.UPDATE, False, False),
        (("update",), Op.UPDATE, True, True),
        (("update",), Op.DELETE, False, True),
        (("delete",), Op.DELETE, False, False),
        (("delete",), Op.UPDATE, False, True),
        ((), Op.UPDATE, False, True),
        ((), Op.DELETE, False, True),
    ],
)
def test_what_is_refused_meanwhile(refuses, op, preview, ok):
    """While it is pending what it refuses fails, previews aside, and once it is ready nothing does."""
    played = Played(bucket(Pending("s", seconds=2, refuses=refuses), **STATUS))
    made = played.create()
    asked = {"id": made.id, "inputs": {"acl": "x"}, "prior": made.value, "preview": preview}

    assert played.ask(op, **asked).ok is ok
    if not ok:
        played.clock.sleep(2)
        assert played.ask(op, **asked).ok


def test_pending_by_what_the_cloud_says():
    """Of an object that was made by hand the time begins at the first look, and one without the status has none."""
    played = Played(bucket(Pending("s", seconds=2), **STATUS))
    played.cloud.create(TOKEN, "b-1", {"s": "creating"})
    played.cloud.create(TOKEN, "b-2", {})
    found = []
    for _ in range(3):
        found.append(played.ask(Op.READ, id="b-1").value["s"])
        played.clock.sleep(1)

    assert found == ["creating", "creating", "available"]
    assert played.ask(Op.READ, id="b-2").value == {}
    assert played.ask(Op.READ, id="nowhere") == Reply()
    assert not played.ask(Op.UPDATE, id="nowhere", inputs={}).ok


def test_reads_of_what_was_made_by_hand():
    """Of an object that nobody created here the reads are counted from the first."""
    played = Played(bucket(Pending("s", reads=2), **STATUS))
    played.cloud.create(TOKEN, "b-1", {"s": "creating"})

    assert [played.ask(op, id="b-1").value["s"] for op in (Op.READ, Op.IMPORT)] == ["creating", "available"]


def test_a_create_that_fails_begins_nothing():
    """What was not made has nothing that could become ready."""
    played = Played(bucket(Pending("s", reads=1), Quota(0), **STATUS))

    assert not played.create().ok
    assert played.cloud.noted(TOKEN, "", "s") is None


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({}, "give one of the two"),
        ({"reads": 1, "seconds": 0.5}, "give one of the two"),
        ({"reads": 1, "refuses": ("read",)}, r"refuses \['read'\]: it can refuse 'update' and 'delete'"),
        ({"reads": 1, "refuses": ("update", "create", "check")}, r"refuses \['check', 'create'\]"),
    ],
)
def test_pending_that_cannot_be(words, message):
    """Readiness comes by reads or by time, and refuses updates and deletes alone."""
    with pytest.raises(DefinitionError, match=message):
        Pending(**words)

"""Behaviours of the fake's cloud, each by calls in a row."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial

import pytest
from builders import TOKEN, Played, bucket, told
from hypothesis import given
from hypothesis import strategies as st

from mockprovider.calls import Change, ChangeKind, Op, Reply, Session
from mockprovider.cloud import Cloud, Effect, MemoryStore
from mockprovider.errors import DefinitionError
from mockprovider.fake.behaviours import (
    FORMS,
    Eventual,
    Holds,
    Modified,
    Normalised,
    Pending,
    Protected,
    Quota,
    References,
    Revision,
    Slow,
)
from mockprovider.schema import Property, ResourceType
from mockprovider.tape.cloudfile import SqliteStore
from mockprovider.values import UNKNOWN, Secret

OBJECT = "cloud:index:Object"


def test_quota():
    """Create fails beyond the quota, and creates nothing; what goes makes room, and previews count nothing."""
    played = Played(bucket(Quota(1)))
    first = played.create()

    assert told(played.create()) == (
        f"LimitExceeded: there are 1 objects of {TOKEN}, and the quota is 1.",
        "resource_exhausted",
    )
    assert played.ask(Op.CREATE, inputs={}, preview=True).ok
    played.ask(Op.DELETE, id=first.id)
    assert played.create().ok


def test_quota_of_everything():
    """A quota can count objects of all types, and fail in the status that it is given."""
    played = Played(bucket(Quota(1, everywhere=True, status="permission_denied")), ResourceType(OBJECT))
    played.create(OBJECT)

    assert told(played.create()) == ("LimitExceeded: there are 1 objects, and the quota is 1.", "permission_denied")


def together(*actions):
    """The results of actions, each in a thread of its own; none may hang."""
    pool = ThreadPoolExecutor(len(actions))
    try:
        return [begun.result(timeout=60) for begun in [pool.submit(action) for action in actions]]
    finally:
        pool.shutdown(wait=False)


def meeting(parties):
    """A behaviour at which that many creates wait for each other: what stands before it has let all of them pass."""
    barrier = threading.Barrier(parties, timeout=10)

    def meet(call_, proceed, world):
        if call_.op is Op.CREATE:
            barrier.wait()
        return proceed(call_)

    return meet


@pytest.mark.parametrize("kept", ["in memory", "in a file"])
def test_quota_of_creates_at_once(kept, tmp_path):
    """However many creates pass the first count together, never more are made than the quota; also in a file of two stores."""
    with ExitStack() as stores:
        file = [stores.enter_context(SqliteStore(tmp_path / "cloud")) for _ in range(2 if kept == "in a file" else 0)]
        declared = bucket(Quota(3), meeting(8))
        first = Played(declared, store=file[0] if file else None)
        second = Played(declared, store=file[1]) if file else first
        replies = together(*[partial(each.create, acl=str(n)) for n in range(4) for each in (first, second)])

        assert [len(each.cloud.objects()) for each in (first, second)] == [3, 3]
        assert sorted(reply.ok for reply in replies) == [False] * 5 + [True] * 3
        assert {told(reply) for reply in replies if not reply.ok} == {
            (f"LimitExceeded: there are 3 objects of {TOKEN}, and the quota is 3.", "resource_exhausted")
        }


def test_quota_keeps_nobody_waiting():
    """While a create that was counted takes its time, others are answered; one that ends in an error takes no place."""
    seen = []

    def asking(call_, proceed, world):
        if call_.op is Op.CREATE and not seen:
            seen.extend(together(lambda: played.ask(Op.READ, id="nowhere"), partial(played.create, OBJECT)))
            raise RuntimeError("the power is gone")
        return proceed(call_)

    played = Played(bucket(Quota(1), asking), ResourceType(OBJECT))
    with pytest.raises(RuntimeError, match="the power is gone"):
        played.create()

    assert [reply.ok for reply in seen] == [True, True]
    assert [played.create().ok, played.create().ok] == [True, False]


STATUS = {"status": Property(str, computed=True)}


def test_pending_by_reads():
    """The read of that number is the first to find it ready; what is refused meanwhile says so."""
    played = Played(bucket(Pending(reads=2, refuses=("update", "delete")), **STATUS))
    made = played.create()
    refused = (f"InvalidState: {TOKEN} {made.id!r} is creating. Wait until it is available.", "failed_precondition")

    assert made.value["status"] == "creating"
    assert told(played.ask(Op.UPDATE, id=made.id, inputs={"acl": "x"}, prior=made.value)) == refused
    assert told(played.ask(Op.DELETE, id=made.id)) == refused
    found = [played.ask(Op.READ, id=made.id, prior=made.value).value["status"] for _ in range(3)]
    assert found == ["creating", "available", "available"]
    assert [each.effect for each in played.cloud.events] == [Effect.CREATED, Effect.SETTLED]
    assert played.ask(Op.DELETE, id=made.id).ok


def test_pending_by_the_clock():
    """After so many seconds an object is ready, whoever asks; with ``updates`` each update begins it anew."""
    played = Played(bucket(Pending(seconds=60, updates=True, ready="up"), **STATUS))
    made = played.create()
    played.clock.sleep(59)
    assert played.ask(Op.READ, id=made.id).value["status"] == "creating"
    played.clock.sleep(1)
    assert played.ask(Op.READ, id=made.id).value["status"] == "up"

    updated = played.ask(Op.UPDATE, id=made.id, inputs={"acl": "x"}, prior=made.value)
    assert updated.value["status"] == "creating"
    played.clock.sleep(60)
    assert played.ask(Op.UPDATE, id=made.id, inputs={"acl": "y"}, prior=made.value, preview=True).value["status"] == UNKNOWN
    assert played.ask(Op.READ, id=made.id).value["status"] == "up"


def test_an_update_tells_the_status_of_the_cloud():
    """What the engine remembers of a status is old; an update neither sets it back nor promises it in a plan."""
    played = Played(bucket(Pending(reads=1), **STATUS))
    made = played.create()
    played.ask(Op.READ, id=made.id)
    before = {"prior": made.value, "prior_inputs": {}}

    planned = played.ask(Op.DIFF, id=made.id, inputs={"acl": "x"}, **before).plan
    assert (planned.planned["status"], "status" in planned.stable) == (UNKNOWN, False)
    assert played.ask(Op.DIFF, id=made.id, inputs={}, **before).plan.changes == ()
    assert played.ask(Op.UPDATE, id=made.id, inputs={"acl": "x"}, **before).value["status"] == "available"


@pytest.mark.parametrize(
    ("form", "one", "other", "kept"),
    [
        ("lower", "Logs", "LOGS", "logs"),
        ("upper", "a", "A", "A"),
        ("trimmed", " a ", "a\n", "a"),
        ("no-trailing-dot", "a.b.", "a.b", "a.b"),
        ("json", '{"b": 1, "a": [1, 2]}', '{"a":[1,2],\n"b":1}', '{"a":[1,2],"b":1}'),
        ("sorted", ["b", "a"], ["a", "b"], ["a", "b"]),
        (lambda text: text[:1], "ab", "ac", "a"),
    ],
)
def test_normalised(form, one, other, kept):
    """The cloud keeps one form; other forms of it are no difference, and an engine is told the one that it knows."""
    played = Played(ResourceType(TOKEN, {"p": "any", "acl": str}, behaviours=(Normalised("p", form),)))
    made = played.create(p=one)

    assert (made.value["p"], played.there["p"]) == (one, kept)
    for before in ({"prior": made.value, "prior_inputs": {"p": one}}, {"prior": made.value}):
        plan = played.ask(Op.PLAN, id=made.id, inputs={"p": other}, **before).plan
        assert (plan.changes, plan.planned["p"]) == ((), one)
    read = played.ask(Op.READ, id=made.id, prior={"p": other}, prior_inputs={"p": one})
    assert (read.value["p"], read.inputs["p"]) == (other, one)
    assert played.ask(Op.READ, id=made.id).value["p"] == kept
    planned = {"p": one, "acl": "x"}
    updated = played.ask(Op.UPDATE, id=made.id, inputs={"p": other, "acl": "x"}, planned=planned, prior=made.value)
    assert (updated.value["p"], played.there["p"]) == (one, kept)


def test_normalised_values_of_another_meaning():
    """A change of meaning is a change, drift is seen, and what is no JSON, unknown or secret is left as it is."""
    played = Played(bucket(Normalised("acl", "json")))
    made = played.create(acl=Secret('{"a": 1}'))
    ask = {"id": made.id, "prior": made.value, "prior_inputs": {"acl": '{"a":1}'}}

    assert made.value["acl"] == Secret('{"a": 1}')
    assert played.ask(Op.DIFF, inputs={"acl": '{"a":2}'}, **ask).plan.changes == (Change("acl", ChangeKind.UPDATE),)
    assert played.ask(Op.DIFF, inputs={"acl": UNKNOWN}, **ask).plan.changes == (Change("acl", ChangeKind.UPDATE),)
    played.cloud.drift(TOKEN, made.id, acl="no json")
    assert played.ask(Op.READ, **ask).value["acl"] == "no json"


@given(
    st.recursive(
        st.none() | st.text() | st.integers() | st.lists(st.text()), lambda inner: st.lists(inner, max_size=4), max_leaves=8
    )
)
def test_forms_are_canonical(value):
    """A canonical form of a canonical form is itself, for every form and every value that it is of."""
    for kind, canonical in FORMS.values():
        if isinstance(value, kind):
            once = canonical(value)
            assert canonical(once) == once or canonical is FORMS["no-trailing-dot"][1]


def test_what_moves_by_itself():
    """A version counts writes, a stamp is the clock's, at each write, or also at each read; no plan promises them."""
    moving = {"version": Property(int, computed=True), "seen": Property(str, computed=True), "at": Property(str, computed=True)}
    played = Played(bucket(Revision(), Modified("at"), Modified("seen", reads=True), **moving))
    made = played.create()
    assert (made.value["version"], made.value["at"]) == (1, "1970-01-01T00:00:00Z")

    played.clock.sleep(61)
    read = played.ask(Op.READ, id=made.id)
    assert (read.value["version"], read.value["at"], read.value["seen"]) == (1, made.value["at"], "1970-01-01T00:01:01Z")
    changed = {"id": made.id, "inputs": {"acl": "x"}, "prior": made.value}
    planned = played.ask(Op.PLAN, **changed).plan.planned
    assert {planned[name] for name in moving} == {UNKNOWN}
    updated = played.ask(Op.UPDATE, **changed)
    assert (updated.value["version"], updated.value["at"]) == (2, "1970-01-01T00:01:01Z")


def test_a_version_that_reads_move():
    """A property may change at each read: what an engine remembers is always old."""
    played = Played(bucket(Revision(reads=True), version=Property(int, computed=True)))
    made = played.create()

    assert [played.ask(Op.READ, id=made.id).value["version"] for _ in range(2)] == [2, 3]
    assert played.ask(Op.READ, id="nowhere") == Reply()


def test_protected():
    """No delete while the property is true; an update switches it off."""
    played = Played(bucket(Protected(), deletionProtection=Property(bool, default=True)))
    made = played.create()

    assert told(played.ask(Op.DELETE, id=made.id)) == (
        f"DeletionProtected: {TOKEN} {made.id!r} stays while deletionProtection is true. Switch that off first.",
        "failed_precondition",
    )
    played.ask(Op.UPDATE, id=made.id, inputs={"deletionProtection": False}, prior=made.value)
    assert played.ask(Op.DELETE, id=made.id).ok
    assert played.ask(Op.DELETE, id=made.id).ok


def test_relations():
    """What is held keeps its holder, and what is referenced must be there; by id, or by another property."""
    objects = ResourceType(OBJECT, {"bucket": "any"}, behaviours=(References("bucket", TOKEN, to="acl"),))
    played = Played(bucket(Holds(OBJECT, by="bucket", of="acl")), objects)

    assert told(played.create(OBJECT, bucket="logs")) == (
        f"NotFound: bucket of {OBJECT} names {TOKEN} 'logs', which is not there.",
        "not_found",
    )
    holder = played.create(acl="logs")
    for _ in range(4):
        assert played.create(OBJECT, bucket=Secret("logs")).ok
    held = played.create(OBJECT, bucket=["logs"])
    reason, _ = told(played.ask(Op.DELETE, id=holder.id))
    assert reason.startswith(f"NotEmpty: {TOKEN} {holder.id!r} still holds 5 of {OBJECT} (")
    assert reason.endswith(", ...). Delete them first.")
    assert not played.ask(Op.UPDATE, OBJECT, id=held.id, inputs={"bucket": ["logs", "x"]}, prior=held.value).ok
    assert played.create(OBJECT).ok
    assert played.ask(Op.CREATE, OBJECT, inputs={"bucket": UNKNOWN}, preview=True).ok
    for each in played.cloud.objects(OBJECT):
        played.ask(Op.DELETE, OBJECT, id=each.id)
    assert played.ask(Op.DELETE, id=holder.id).ok


def test_eventual():
    """The first reads find nothing, an import as well as a refresh, although the object is there."""
    played = Played(bucket(Eventual(reads=2)))
    made = played.create()

    assert [played.ask(op, id=made.id).id for op in (Op.READ, Op.IMPORT, Op.READ)] == ["", "", made.id]


def test_slow():
    """Within the timeout an op takes its time; beyond it fails, and what was created is told all the same."""
    declared = ResourceType(TOKEN, {"acl": str}, timeouts={"create": 30.0}, behaviours=(Slow(create=60, read=5, delete=10),))
    played = Played(declared)
    late = played.create()

    assert told(late) == (f"Timeout: create of {TOKEN} was not done after 30 s.", "deadline_exceeded")
    assert late.partial
    assert (played.there.id, played.clock.now()) == (late.id, 30)
    assert played.ask(Op.CREATE, inputs={"acl": "x"}, timeout=60.0).ok
    assert played.clock.now() == 90
    assert told(played.ask(Op.READ, id=late.id, timeout=1.0))[1] == "deadline_exceeded"
    assert not played.ask(Op.DELETE, id=late.id, timeout=9.0).ok
    assert len(played.cloud.objects()) == 2
    assert played.ask(Op.DELETE, id=late.id).ok
    assert played.ask(Op.CREATE, inputs={}, preview=True, timeout=1.0).ok


def test_slow_and_called_off():
    """What the engine calls off fails at once; a create or an update comes with what is there, the others do nothing."""
    played = Played(ResourceType(TOKEN, {"acl": str}, behaviours=(Slow(create=60, read=5, update=60, delete=10),)))
    gone = Session("pulumi")
    gone.cancelled.set()
    made = played.ask(Op.CREATE, inputs={"acl": "x"}, session=gone)

    assert told(made) == (f"Cancelled: create of {TOKEN} was not done when the engine asked to stop.", "cancelled")
    assert made.partial
    assert played.there.id == made.id
    for op in (Op.READ, Op.UPDATE, Op.DELETE):
        assert told(played.ask(op, id=made.id, inputs={"acl": "y"}, session=gone))[1] == "cancelled"
    assert (played.there["acl"], played.clock.now()) == ("y", 0)


def test_a_behaviour_of_ones_own():
    """A function of the call, the way onward and the world is a behaviour; the first of several is outermost."""
    seen = []

    def watching(call_, proceed, world):
        seen.append((world.declared.token, world.clock.now(), len(world.cloud.objects())))
        return proceed(call_)

    played = Played(bucket(watching, Quota(0), watching))
    assert not played.create().ok
    assert seen == [(TOKEN, 0.0, 0)]


def test_behaviours_across_processes(tmp_path):
    """What a behaviour remembers is in the cloud: another fake with the same file goes on with it, and shows none of it."""
    declared = bucket(Eventual(reads=1), Pending(reads=2), **STATUS)
    file = tmp_path / "cloud"
    first, second = SqliteStore(file), SqliteStore(file)
    made = Played(declared, store=first).create()
    other = Played(declared, store=second)

    assert other.ask(Op.READ, id=made.id).id == ""
    assert [other.ask(Op.READ, id=made.id).value["status"] for _ in range(2)] == ["creating", "available"]
    assert [each.type for each in other.cloud.objects()] == [TOKEN]
    first.close()
    second.close()


def test_notes_go_with_their_object():
    """What was noted about an object is gone when it is, and survives a snapshot while it is not."""
    cloud = Cloud(MemoryStore())
    cloud.create(TOKEN, "b", {})
    cloud.note(TOKEN, "b", "reads", 1)
    store = MemoryStore.restore(cloud._store.snapshot())

    assert Cloud(store).noted(TOKEN, "b", "reads") == 1
    cloud.delete(TOKEN, "b")
    assert cloud.noted(TOKEN, "b", "reads") is None
    assert cloud.settle(TOKEN, "b", acl="x") is None


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Quota(-1), "below 0"),
        (lambda: Quota(1, status="full"), "no status of a failure"),
        (Pending, "give one of the two"),
        (lambda: Pending(reads=1, seconds=1), "give one of the two"),
        (lambda: Pending(reads=1, refuses=("read",)), "it can refuse 'update' and 'delete'"),
        (lambda: Normalised("acl", "lowr"), "'lowr' is no form. There are: lower"),
        (lambda: Slow(create=-1), "takes no time that there is"),
        (lambda: Eventual(0), "hides nothing"),
        (lambda: bucket(Protected("locked")), "is about 'locked', which is no property. There are acl"),
        (lambda: bucket(Protected), r"behaviours\.protection\.Protected'> is no behaviour. Give one of fake.behaviours"),
        (lambda: bucket(Revision("acl")), "declare it with computed=True"),
    ],
)
def test_behaviours_that_cannot_be(make, message):
    """A behaviour that contradicts itself or its type is refused where it is declared."""
    with pytest.raises(DefinitionError, match=message):
        make()

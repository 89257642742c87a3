"""The journal: both sides of every call, found by what they were about."""

from __future__ import annotations

import re
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from builders import TOKEN, URN, answer, call

from mockprovider.calls import Failure, Op, Reply, Session, Status
from mockprovider.errors import DefinitionError
from mockprovider.journal import Journal, Side
from mockprovider.layers import stack


@pytest.fixture
def journal():
    """An empty journal."""
    return Journal()


def around(journal, provider, *between):
    """A handler with both sides of ``journal`` around ``provider``, and layers between."""
    return stack([journal.at(Side.ENGINE), *between, journal.at(Side.PROVIDER)], provider)


def test_both_sides_are_written(journal):
    """A call that passes through has an entry on each side, the engine's first, with its reply."""
    serve = around(journal, answer(id="b-1"))
    asked = call(Op.CREATE)
    reply = serve(asked)

    assert [(each.n, each.side) for each in journal] == [(1, Side.ENGINE), (2, Side.PROVIDER)]
    assert all(each.call is asked and each.reply is reply for each in journal)
    assert len(journal) == 2


def test_what_never_reached_the_provider_is_on_one_side(journal):
    """A call that a layer answers itself is on the engine's side alone: the difference is what was injected."""
    serve = around(journal, answer(), lambda _, __: Reply(failures=(Failure("no"),)))
    serve(call(Op.CREATE))

    assert len(journal.entries()) == 1
    assert journal.entries(side="provider") == []


def test_the_engine_sees_what_the_fault_made_of_it(journal):
    """Each side keeps its own reply: the provider's success under the failure that the engine got."""

    def fail(asked, proceed):
        proceed(asked)
        return Reply(failures=(Failure("lost"),))

    around(journal, answer(id="b-1"), fail)(call(Op.CREATE))

    assert not journal.entries()[0].reply.ok
    assert journal.entries(side=Side.PROVIDER)[0].reply.id == "b-1"


def test_calls_are_found_by_their_address(journal):
    """The calls for one resource of a configuration are found by its address, and their lines show it."""
    serve = around(journal, answer(id="b-1"))
    serve(call(Op.CREATE, address="cloud_bucket.b[0]"))
    serve(call(Op.CREATE, address="cloud_bucket.b[1]"))

    (entry,) = journal.entries(address="cloud_bucket.b[1]")
    assert entry.call.address == "cloud_bucket.b[1]"
    assert str(entry).endswith(f"create of {TOKEN} at cloud_bucket.b[1] -> b-1")
    assert journal.ops(address="cloud_bucket.b[0]") == ["create"]
    assert journal.ops(address="cloud_bucket.b") == []


def test_an_error_is_kept_and_goes_on(journal):
    """An exception is noted on every side that it passes, and raised as it was."""
    broken = ValueError("boom")

    def provider(_):
        raise broken

    with pytest.raises(ValueError, match="boom") as raised:
        around(journal, provider)(call(Op.CREATE))

    assert raised.value is broken
    assert [each.error for each in journal] == ["ValueError: boom"] * 2
    assert journal.entries()[0].reply is None


def test_overlapping_calls_can_be_told_from_calls_in_turn(journal):
    """Starts and ends are counted together: a call inside another ends before it, and a running call has no end."""
    seen = []

    def provider(asked):
        if asked.id == "outer":
            serve(call(Op.READ, id="inner"))
            seen.extend((each.call.id, each.began, each.ended) for each in journal)
        return Reply()

    serve = stack([journal.at(Side.ENGINE)], provider)
    serve(call(Op.CREATE, id="outer"))
    serve(call(Op.READ, id="after"))

    assert seen == [("outer", 1, 0), ("inner", 2, 3)]
    assert [(each.call.id, each.began, each.ended) for each in journal] == [("outer", 1, 4), ("inner", 2, 3), ("after", 5, 6)]


def test_a_call_that_raised_has_ended(journal):
    """A call that broke is over, and says in which thread it ran."""

    def provider(_):
        raise ValueError("boom")

    with pytest.raises(ValueError, match="boom"):
        around(journal, provider)(call(Op.CREATE))

    assert [(each.began, each.ended) for each in journal] == [(1, 4), (2, 3)]
    assert {each.thread for each in journal} == {threading.current_thread().name}


def test_a_running_call_can_be_seen(journal):
    """A call is in the journal from its start: looked at from inside, it is running."""
    seen = []

    def provider(_):
        seen.extend((str(each), each.reply) for each in journal)
        return Reply()

    around(journal, provider)(call(Op.CREATE, id="x"))

    assert [reply for _, reply in seen] == [None, None]
    assert all(text.endswith("create of cloud:index:Bucket x -> running") for text, _ in seen)


FITTING = [
    ({}, ["check", "create", "check", "read"]),
    ({"type": TOKEN}, ["check", "create", "read"]),
    ({"name": "logs"}, ["check", "create"]),
    ({"urn": URN}, ["check", "create"]),
    ({"preview": True}, ["create"]),
    ({"preview": False}, ["check", "check", "read"]),
    ({"type": TOKEN, "name": "other"}, []),
    ({"type": "no:such:Type"}, []),
    ({"side": "provider"}, ["check", "create", "check", "read"]),
]


@pytest.mark.parametrize(("criteria", "ops"), FITTING)
def test_entries_are_found_by_what_they_are_about(journal, criteria, ops):
    """Entries and ops are selected by side, type, name, URN and preview; every criterion given must fit."""
    serve = around(journal, answer())
    serve(call(Op.CHECK, name="logs", urn=URN))
    serve(call(Op.CREATE, name="logs", urn=URN, preview=True))
    serve(call(Op.CHECK, "cloud:index:Key"))
    serve(call(Op.READ, id="x"))

    assert journal.ops(**criteria) == ops
    assert [each.call.op for each in journal.entries(**criteria)] == ops
    assert journal.entries(op="read", **criteria) == [each for each in journal.entries(**criteria) if each.call.op == "read"]


def test_clear(journal):
    """A cleared journal is empty, and counts from 1 again."""
    serve = around(journal, answer())
    serve(call(Op.CHECK))
    journal.clear()

    assert (len(journal), list(journal), str(journal)) == (0, [], "")
    serve(call(Op.READ))
    assert journal.entries()[0].n == 1


@pytest.mark.parametrize(
    ("reply", "end"),
    [
        (Reply(), "ok"),
        (Reply(id="b-1"), "b-1"),
        (Reply(failures=(Failure("no"), Failure("not"))), "failed: no; not"),
        (Reply(id="b-1", value={}, failures=(Failure("slow"),)), "half-made b-1: slow"),
        (Reply(status=Status(14, "gone")), "failed: gone"),
        (Reply(status=Status(14, "gone"), failures=(Failure("no"),)), "failed: no"),
    ],
)
def test_a_journal_reads_as_text(journal, reply, end):
    """Printed, each call of the engine's side is a line: number, session, what it asked, how it ended."""
    session = Session("pulumi", 3)
    around(journal, lambda _: reply)(call(Op.CREATE, session=session, urn=URN, method="Create", preview=True))

    assert str(journal) == f"   1 #3 Create (preview) of {URN} -> {end}"


def test_a_broken_call_reads_as_text(journal):
    """A call that raised says so."""

    def provider(_):
        raise ValueError("boom")

    with pytest.raises(ValueError, match="boom"):
        around(journal, provider)(call(Op.GET_SCHEMA, ""))

    assert str(journal).endswith("get_schema -> raised ValueError: boom")


def test_many_threads_write_one_journal(journal):
    """Calls at the same time lose no entry and share no number."""
    serve = around(journal, answer())
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: serve(call(Op.CREATE, id=str(n))), range(200)))

    assert [each.n for each in journal] == list(range(1, 401))
    assert {each.call.id for each in journal.entries()} == {str(n) for n in range(200)}


def test_no_lock_is_held_while_a_call_runs(journal):
    """A call that hangs does not keep others from being written, nor the journal from being read."""
    hung, released = threading.Event(), threading.Event()

    def provider(asked):
        if asked.id == "slow":
            hung.set()
            released.wait(60)
        return Reply()

    serve = around(journal, provider)
    thread = threading.Thread(target=serve, args=(call(Op.CREATE, id="slow"),))
    thread.start()
    try:
        assert hung.wait(60)
        serve(call(Op.CREATE, id="fast"))
        ended = [each.call.id for each in journal.entries() if each.reply is not None]
    finally:
        released.set()
        thread.join(60)

    assert ended == ["fast"]


@pytest.mark.parametrize(
    ("criterion", "said"),
    [
        ({"op": "craete"}, "There is no op 'craete' in a journal. Did you mean 'create'?"),
        ({"op": "Create"}, "There is no op 'Create' in a journal. Did you mean 'create'?"),
        ({"side": "cloud"}, "There is no side 'cloud' in a journal. There are: engine, provider."),
        ({"type": 3}, "Calls go by type tokens, and 3 is none: give its token, a string."),
    ],
)
def test_what_no_entry_can_be(criterion, said):
    """A criterion that fits nothing, ever, is refused instead of finding nothing."""
    with pytest.raises(DefinitionError, match=re.escape(said)):
        Journal().entries(**criterion)


def test_the_last_entries_are_kept(journal):
    """Beyond its limit a journal forgets the oldest entries, and counts them; numbers go on, and clearing begins anew."""
    serve = around(journal, answer(id="b-1"))
    journal.limit = 3
    for _ in range(4):
        serve(call(Op.CREATE))

    assert [each.n for each in journal] == [6, 7, 8]
    assert (journal.limit, journal.forgotten, len(journal)) == (3, 5, 3)
    assert journal.ops(side="engine") == ["create"]
    journal.limit = 2
    assert ([each.n for each in journal], journal.forgotten) == ([7, 8], 6)
    journal.clear()
    serve(call(Op.CREATE))
    assert ([each.n for each in journal], journal.forgotten) == ([1, 2], 0)


def test_a_new_journal_forgets_nothing_for_long(journal):
    """The limit is generous unless it is set."""
    assert (journal.limit, journal.forgotten) == (100_000, 0)


@pytest.mark.parametrize("limit", [0, -1, 1.5, "9", None, True])
def test_limits_that_are_none(journal, limit):
    """A limit is a number from 1."""
    with pytest.raises(DefinitionError, match="give one from 1"):
        journal.limit = limit
    assert journal.limit == 100_000

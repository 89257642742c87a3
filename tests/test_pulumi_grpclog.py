"""A journal in the shape of the engine's own log."""

from __future__ import annotations

import json
import math

import pytest
from builders import BUCKET, TOKEN, URN

from mockprovider.calls import Call, Failure, Op, Reply, Session, Status
from mockprovider.double import Double
from mockprovider.errors import MalformedError
from mockprovider.journal import Entry, Journal, Side
from mockprovider.payloads import ListContinues, ListedObject
from mockprovider.pulumi.grpclog import lines
from mockprovider.wire.status import failed


def logged(entries, package=""):
    """The lines as data."""
    return [json.loads(each) for each in lines(entries, package)]


def entry(op, reply, n=1, **given):
    """A finished call."""
    call = Call(op=op, session=Session("pulumi"), **given)
    return Entry(n, Side.ENGINE, call, reply, began=2 * n - 1, ended=2 * n)


def test_calls_that_overlap_are_interleaved():
    """Lines stand in the order in which calls started and ended: those of a call inside another stand between its own."""
    journal, session = Journal(), Session("pulumi")
    inner = Call(op=Op.CANCEL, session=session)
    write = journal.at(Side.ENGINE)

    def outer(_):
        write(inner, lambda _: Reply())
        return Reply()

    write(Call(op=Op.ATTACH, session=session), outer)

    assert [(each["method"].rsplit("/", 1)[-1], each["progress"]) for each in logged(journal)] == [
        ("Attach", "request_started"),
        ("Cancel", "request_started"),
        ("Cancel", "response_completed"),
        ("Attach", "response_completed"),
    ]


def test_a_call_in_process():
    """A call that no wire carried is logged as the message that it would have been, its type naming the package."""
    with Double(BUCKET) as double:
        made = double(Call(op=Op.CREATE, session=double.open(), urn=URN, type=TOKEN, name="logs", inputs={"acl": "x"}))
        _, line = logged(double.journal.entries())

    assert line["metadata"] == {"mode": "client", "kind": "resource", "name": "cloud"}
    assert line["request"] == {"urn": URN, "type": TOKEN, "name": "logs", "properties": {"acl": "x"}}
    assert line["response"]["id"] == made.id


def test_a_stream_has_a_line_for_each_message():
    """The messages of List follow its request, and nothing says how far it is, nor that it has ended."""
    listed = (ListedObject("a"), ListContinues("1:0:a"))
    found = logged([entry(Op.LIST, Reply(listed=listed), type=TOKEN)])

    assert [each.get("response") for each in found] == [
        None,
        {"result": {"id": "a"}},
        {"continuation": {"continuationToken": "1:0:a"}},
    ]
    assert not any("progress" in each for each in found)


@pytest.mark.parametrize(
    ("status", "told"),
    [
        (Status(1, "stop"), "code = Canceled desc = stop"),
        (Status(14, "gone"), "code = Unavailable desc = gone"),
        (Status(99, "odd"), "code = Code(99) desc = odd"),
    ],
)
def test_errors_are_spelled_as_the_engine_spells_them(status, told):
    """What ended in a status has its code, spelled as the engine does, and its message, and no response."""
    line = logged([entry(Op.CANCEL, failed(status))])[1]

    assert line["errors"] == [f"rpc error: {told}"]
    assert "response" not in line


def test_failures_become_the_status_that_they_would_be():
    """A failure of a call in process is logged as the status that a wire would have made of it."""
    line = logged([entry(Op.CREATE, Reply(failures=(Failure("no room", status="resource_exhausted"),)), urn=URN)])[1]

    assert line["errors"] == ["rpc error: code = ResourceExhausted desc = no room"]


def test_what_broke_says_how():
    """A call that one of our own errors ended is logged with that error."""
    journal = Journal()

    def broken(_):
        raise MalformedError("no such thing")

    with pytest.raises(MalformedError):
        journal.at(Side.ENGINE)(Call(op=Op.CANCEL, session=Session("pulumi")), broken)

    assert "MalformedError: no such thing" in logged(journal)[1]["errors"][0]


def test_what_still_runs_and_what_is_not_pulumis():
    """A call that runs has its start alone; raw RPCs and calls of another protocol are left out."""
    running = entry(Op.CANCEL, None)
    running.ended = 0
    other = Entry(2, Side.ENGINE, Call(op=Op.PLAN, session=Session("tfplugin6")), Reply(), began=3, ended=4)

    assert [each["progress"] for each in logged([running, other, entry(Op.RAW, Reply(), 3, method="Odd")])] == [
        "request_started"
    ]


def test_numbers_that_json_does_not_have():
    """A message with NaN in it is refused with the call that it belongs to, not written as something else."""
    with pytest.raises(MalformedError, match="a message of this call has no JSON form"):
        logged([entry(Op.CREATE, Reply(id="x", value={"n": math.nan}), urn=URN)])

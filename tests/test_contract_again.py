"""One call may be sent again, as the same Python object, and what was known of it at first is not taken for what is now."""

from __future__ import annotations

from typing import Any

from contract_stage import PulumiRun

from mockprovider.calls import Call, Op, Reply
from mockprovider.pulumi.diff import Changes, Diff
from mockprovider.values import UNKNOWN


def asked(run: PulumiRun, op: Op, **fields: Any) -> Call:
    """A call about the object that the run has made."""
    urn = "urn:pulumi:dev::shop::cloud:index:Bucket::logs"
    return Call(op=op, session=run.session, name="logs", urn=urn, type="cloud:index:Bucket", id="i-1", **fields)


def answering(run: PulumiRun, call: Call, *replies: Reply) -> None:
    """Send one call as often as there are answers."""
    for reply in replies:
        run._reply = reply
        run.double(call)


def started() -> PulumiRun:
    """A run that has made an object."""
    run = PulumiRun()
    run.start()
    run.make({"acl": "private"})
    return run


def test_a_delete_that_is_sent_again() -> None:
    """The second time, the object is gone."""
    run = started()
    answering(run, asked(run, Op.DELETE, prior={"acl": "private"}), Reply(), Reply())
    assert run.broken == ["PULUMI-NOTHING-AFTER-DELETE"]


def test_a_diff_that_is_answered_otherwise() -> None:
    """Each answer is judged by itself."""
    run = started()
    same, contradicts = Diff(Changes.NONE), Diff(Changes.NONE, replaces=("acl",))
    call = asked(run, Op.DIFF, prior={"acl": "private"}, prior_inputs={"acl": "private"}, inputs={"acl": "private"})
    answering(run, call, Reply(extra={"diff": same}), Reply(extra={"diff": contradicts}))
    assert run.broken == ["PULUMI-DIFF-AGREES-WITH-ITSELF"]


def test_a_value_that_has_changed_between_looks() -> None:
    """A bag that was plain when it was looked through is looked through again in the next look."""
    run = started()
    assert run.broken == []
    old: dict[str, Any] = {"acl": "private"}
    call = asked(run, Op.READ, prior=old)
    answering(run, call, Reply(id="i-1", value={"acl": "private"}))
    assert run.broken == []
    old["acl"] = UNKNOWN
    answering(run, call, Reply(id="i-1", value={"acl": "private"}))
    assert run.broken == ["PULUMI-STATE-IS-KNOWN"]

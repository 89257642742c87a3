"""What judging looks at once, for several rules or calls, is neither older nor less than what it stands for."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from contract_stage import PulumiRun

from mockprovider.calls import Call, Failure, Op, Reply, Session
from mockprovider.contract import ValueMarks
from mockprovider.pulumi.contract.engines import EnginesHistory
from mockprovider.pulumi.contract.values import alike
from mockprovider.pulumi.diff import Changes, Diff
from mockprovider.terraform.contract.comparing import frozen
from mockprovider.values import UNKNOWN, Secret


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


def test_several_bags_of_one_call() -> None:
    """What is in one bag of a call does not hide what is in another."""
    run = started()
    old = {"prior": {"acl": "private"}, "prior_inputs": {"acl": Secret("private")}}
    answering(run, asked(run, Op.UPDATE, inputs={"acl": UNKNOWN}, **old), Reply(value={"acl": "public"}))
    assert run.broken == ["PULUMI-INPUTS-ARE-CHECKED", "PULUMI-INPUTS-ARE-KNOWN", "PULUMI-SECRETS-WHERE-ACCEPTED"]


def test_equal_for_python_alone() -> None:
    """True is not 1, neither in a state of texts and numbers alone nor deeper; 1 is 1.0, and a null is as good as nothing."""
    sent = {"on": True, "size": 1, "note": None, "in": {"on": True}}
    for given, is_alike in (
        ({**sent}, True),
        ({**sent, "size": 1.0}, True),
        ({**sent, "on": 1}, False),
        ({**sent, "in": {"on": 1}}, False),
        ({"on": True, "size": 1, "in": {"on": True}}, True),
        ({**sent, "size": 10**30}, False),
        ({"on": True, "size": 1, "more": 2, "in": {"on": True}}, False),
    ):
        assert (alike(sent, given), alike(given, sent)) == (is_alike, is_alike)
    assert alike({"size": 10**30}, {"size": 10**30})


def test_what_ends_while_a_call_is_under_way() -> None:
    """What a call is about is looked for again at its end if another call has ended since it began."""
    session, seen = Session("pulumi"), EnginesHistory(lambda _: False, ValueMarks())
    about: dict[str, Any] = {"session": session, "urn": "urn", "type": "cloud:index:Bucket"}
    create, read = Call(op=Op.CREATE, inputs={}, **about), Call(op=Op.READ, id="i-1", **about)
    made = Reply(id="i-1", value={})
    seen.begin(seen.at(create, None))
    seen.begin(seen.at(read, None))
    seen.end(seen.at(create, made))
    assert seen.at(read, made).known is seen.objects.of_id("i-1")[0]


def test_an_update_that_failed_half_way() -> None:
    """After it an engine may go on with what it has told, or with what there was before."""
    for prior in ({"acl": "private"}, {"acl": "half"}):
        run = started()
        run.check({"acl": "public"})
        half = Reply(id="i-1", value={"acl": "half"}, failures=(Failure("late"),))
        old = {"prior": {"acl": "private"}, "prior_inputs": {"acl": "private"}}
        answering(run, asked(run, Op.UPDATE, inputs={"acl": "public"}, **old), half)
        answering(run, asked(run, Op.DELETE, prior=prior), Reply())
        assert run.broken == []


def test_what_is_gone_may_be_created_again() -> None:
    """A read that finds nothing lets the next create of the same run be the right thing to do."""
    run = started()
    answering(run, asked(run, Op.READ, prior={"acl": "private"}), Reply())
    run.ask(Op.CREATE, Reply(id="i-2", value={"acl": "private"}), inputs={"acl": "private"})
    assert run.broken == []


def test_the_last_answer_to_a_check_counts() -> None:
    """Of several answers to one question a later one is compared with the last, however alike other questions look."""
    run = PulumiRun()
    run.start()
    for size, answered in ((1, 1), (2, 2), (1, 3), (1, 3), (2, 2)):
        run.check({"size": size}, {"size": answered}, seed=b"1")
    broken = [(breach.rule.id, breach.n) for breach in run.double.contract.breaches]
    assert broken == [("PULUMI-CHECK-IS-DETERMINISTIC", run.double.journal.entries(side="provider")[4].n)]


def test_decimals_in_a_state() -> None:
    """A number is what its decimal text is, also as a property."""
    assert frozen({"a": 0.1}) == frozen({"a": Decimal("0.1")})
    assert frozen({"a": True}) != frozen({"a": 1})

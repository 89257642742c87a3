"""What the embedded engine remembers, and does next, when something goes wrong: the real engine's rules."""

import os
import signal
import threading

import pulumi
import pytest
from engine_toolbox import BUCKET, MOMENT, NET, TYPES, Bucket, Existing, Thing, calls, make, time_is_up_when
from msgspec.structs import replace
from pulumi import ResourceOptions

from mockprovider.calls import Failure, Op, Reply
from mockprovider.engine import cancelling
from mockprovider.errors import CassetteError, MissError, ProgramError
from mockprovider.values import UNKNOWN


def test_a_partial_create_is_remembered_and_mended():
    """A half-made resource is in the state with its reasons; the next up updates it although Diff says that nothing changed."""
    stack, double, _ = make()
    double.faults.on.create(BUCKET).partial(reasons=["timed out waiting"])

    def program():
        bucket = Bucket("logs", acl="x")
        pulumi.export("arn", bucket.arn)

    up = stack.up(program, expect_failure=True)
    assert (up.state["logs"].init_errors, up.succeeded) == (["timed out waiting"], False)
    assert up.state["logs"].id == double.cloud.objects(BUCKET)[0].id
    double.journal.clear()
    assert stack.up(program).summary == {"update": 1}
    assert calls(double, "logs") == ["check", "diff", "update"]
    assert stack.state["logs"].init_errors == []


def test_a_partial_update_remembers_old_inputs_and_new_outputs():
    """The next run compares with the old inputs, and updates again."""
    stack, double, _ = make()
    stack.up(lambda: Bucket("b", acl="old"))
    double.faults.on.update(BUCKET).partial(reasons=["slow"])
    up = stack.up(lambda: Bucket("b", acl="new"), expect_failure=True)
    state = up.state["b"]
    assert (state.inputs["acl"], state.outputs["acl"], state.init_errors) == ("old", "new", ["slow"])
    assert stack.up(lambda: Bucket("b", acl="new")).summary == {"update": 1}


def test_an_import_that_is_refused():
    """A type that cannot be imported says why; ``.get()`` and refreshes, which are no imports, still read it."""
    stack, double, _ = make()
    double.define(replace(next(each for each in TYPES if each.token == BUCKET), importable="buckets are listed nowhere"))
    double.cloud.create(BUCKET, "there", {"acl": "x"})
    failed = stack.up(lambda: Bucket("b", ResourceOptions(import_="there"), acl="x"), expect_failure=True)
    assert f"{BUCKET} cannot be imported: buckets are listed nowhere." in str(failed.diagnostics)

    def program():
        Bucket("c", acl="x")
        Existing("d", "there")

    stack.up(program)
    assert stack.refresh().summary == {}


def test_initialization_errors_can_replace():
    """``replaceOnChanges`` with ``#initerror`` replaces a half-made resource instead of updating it."""
    stack, double, _ = make()
    double.faults.on.create(BUCKET).partial()

    def program():
        Bucket("b", ResourceOptions(replace_on_changes=["#initerror"]))

    stack.up(program, expect_failure=True)
    assert stack.up(program).summary == {"replace": 1}


def test_a_failed_create_leaves_nothing():
    """Nothing is remembered of a create that failed, what depends on it is not registered, and the provider's words are
    shown.
    """
    stack, double, breaking = make()
    breaking.fail(Op.CREATE, "logs", "unavailable")

    def program():
        Bucket("more", source=Bucket("logs").arn)

    up = stack.up(program, expect_failure=True)
    assert (str(up.error), up.state.names(), up.summary) == ("no create of logs", set(), {})
    assert double.journal.ops(name="more") == []
    assert stack.up(program).summary == {"create": 2}


def test_a_failed_update_or_delete_keeps_the_old_state():
    """What failed is remembered as it was, and tried again."""
    stack, _, breaking = make()
    stack.up(lambda: Bucket("b", acl="old"))
    breaking.fail(Op.UPDATE, "b")
    up = stack.up(lambda: Bucket("b", acl="new"), expect_failure=True)
    assert up.state["b"].inputs["acl"] == "old"
    breaking.fail(Op.DELETE, "b")
    assert stack.destroy(expect_failure=True).state.names() == {"b"}
    assert stack.destroy().summary == {"delete": 1}


def test_a_failed_delete_spares_what_it_depends_on():
    """Nothing that a surviving resource needs is deleted."""
    stack, double, breaking = make()
    stack.up(lambda: Bucket("more", source=Bucket("logs").arn))
    breaking.fail(Op.DELETE, "more")
    assert stack.destroy(expect_failure=True).state.names() == {"logs", "more"}
    assert double.journal.ops(name="logs")[-1] != "delete"


def test_the_old_instance_of_a_replacement_is_deleted_later():
    """If its Delete fails, the old instance stays in the state, marked, and every later run tries again with its id."""
    stack, double, breaking = make()
    stack.up(lambda: Bucket("b", name="1"))
    first = stack.state["b"].id
    breaking.fail(Op.DELETE, "b")
    up = stack.up(lambda: Bucket("b", name="2"), expect_failure=True)
    assert [(each.delete, each.id == first) for each in up.state.every if each.name == "b"] == [(False, False), (True, True)]
    double.journal.clear()
    stack.up(lambda: Bucket("b", name="2"))
    assert [each.call.id for each in double.journal.entries(op="delete")] == [first]
    assert len(double.cloud.objects(BUCKET)) == 1


def test_a_delete_before_replace_that_was_cut_in_two():
    """What was deleted and not created anew is known as such: it is created, not deleted again."""
    stack, double, breaking = make()
    stack.up(lambda: Thing(NET, "n", cidr="a"))
    breaking.fail(Op.CREATE, "n")
    up = stack.up(lambda: Thing(NET, "n", cidr="b"), expect_failure=True)
    assert up.state["n"].pending_replacement
    double.journal.clear()
    assert stack.up(lambda: Thing(NET, "n", cidr="b")).summary == {"replace": 1}
    assert calls(double, "n") == ["check", "diff", "check", "create"]


def test_a_pending_replacement_that_is_no_longer_wanted():
    """If the program has dropped it, it leaves the state without a call."""
    stack, double, breaking = make()
    stack.up(lambda: Thing(NET, "n", cidr="a"))
    breaking.fail(Op.CREATE, "n")
    stack.up(lambda: Thing(NET, "n", cidr="b"), expect_failure=True)
    double.journal.clear()
    assert stack.up(lambda: None).summary == {}
    assert (calls(double, "n"), stack.state.names()) == ([], set())


def test_check_failures_are_told_by_path():
    """What Check objects to fails the resource, with type, property and a value that is not secret; nothing is created."""
    stack, double, _ = make()
    up = stack.up(lambda: Bucket("b", acl=7), expect_failure=True)
    assert "cloud:index:Bucket resource 'b': property acl value {7} has a problem" in str(up.error)
    hidden = stack.up(lambda: Bucket("b", acl=pulumi.Output.secret(78901)), expect_failure=True)
    assert "property acl value {[secret]} has a problem" in str(hidden.error)
    assert double.cloud.objects() == []


@pytest.mark.parametrize(
    ("answer", "said"),
    [(Reply(value={}), "empty id"), (Reply(id="x", value={"arn": UNKNOWN}), "unknown outputs")],
)
def test_wrong_answers_are_errors(answer, said):
    """An empty id, or an unknown in a real run, is an error, and nothing is remembered."""
    stack, _, breaking = make()
    breaking.replace(Op.CREATE, "b", lambda *_: answer)
    up = stack.up(lambda: Bucket("b"), expect_failure=True)
    assert said in str(up.error)
    assert up.state.names() == set()


def test_a_provider_that_cannot_be_configured():
    """A failure of Configure surfaces at the first call that needs the provider."""
    stack, _, breaking = make()
    breaking.replace(Op.CONFIGURE, "default", lambda *_: Reply(failures=(Failure("no credentials", status="unauthenticated"),)))
    assert "no credentials" in str(stack.up(lambda: Bucket("b"), expect_failure=True).error)


def test_a_refresh_that_fails_keeps_the_old_state_and_tries_the_others():
    """One Read that fails does not keep the others from being read."""
    stack, double, breaking = make()
    stack.up(lambda: (Bucket("a", acl="x"), Bucket("b", acl="x")))
    double.cloud.drift(BUCKET, stack.state["b"].id, acl="y")
    breaking.fail(Op.READ, "a")
    refresh = stack.refresh(expect_failure=True)
    assert (refresh.summary, refresh.state["a"].inputs["acl"], refresh.state["b"].inputs["acl"]) == ({"update": 1}, "x", "y")


def test_an_unhealthy_read_is_a_warning():
    """A resource that Read finds half-made is remembered so, and the refresh succeeds."""
    stack, _, breaking = make()
    stack.up(lambda: Bucket("b"))

    def sick(call, proceed):
        found = proceed(call)
        return Reply(id=found.id, value=found.value, inputs=found.inputs, failures=(Failure("sick"),))

    breaking.replace(Op.READ, "b", sick)
    refresh = stack.refresh()
    assert (refresh.state["b"].init_errors, refresh.diagnostics[-1].severity) == (["sick"], "warning")
    assert stack.up(lambda: Bucket("b")).summary == {"update": 1}


def test_a_program_that_raises():
    """Its traceback starts at its own first line, the error is the cause, and what was made is remembered and not deleted."""
    stack, _, _ = make()

    def program():
        Bucket("b")
        raise ValueError("boom")

    stack.up(lambda: Bucket("old"))
    with pytest.raises(ProgramError, match="boom") as caught:
        stack.up(program)
    assert isinstance(caught.value.__cause__, ValueError)
    first_frame = str(caught.value).split("Traceback (most recent call last):\n")[1].splitlines()[0]
    assert "test_engine_failures" in first_frame
    assert stack.state.names() == {"old", "b"}


def test_errors_of_ours_are_raised_whatever_was_expected():
    """A call that a recording does not hold fails the test, also where a failure of the up was expected."""
    stack, _, breaking = make()

    def miss(*_):
        raise MissError("never recorded")

    breaking.replace(Op.CREATE, "b", miss)
    with pytest.raises(CassetteError, match="never recorded"):
        stack.up(lambda: Bucket("b"), expect_failure=True)


@pytest.mark.parametrize("parallel", [1, 4])
def test_a_call_that_never_returns(parallel):
    """The operation ends with what is under way named and remembered, and the provider is cancelled."""
    stack, double, breaking = make(parallel=parallel)
    made, hanging, hang = threading.Event(), threading.Event(), threading.Event()

    def make_it(call, proceed):
        reply = proceed(call)
        made.set()
        return reply

    def hang_on(*_):
        assert made.wait(60)
        hanging.set()
        hang.wait()
        return Reply()

    breaking.replace(Op.CREATE, "b", make_it)
    breaking.replace(Op.CREATE, "hung", hang_on)
    with time_is_up_when(hanging.is_set):
        failed = stack.up(lambda: (Bucket("b"), Bucket("hung")), expect_failure=True, timeout=MOMENT)
    assert "creating urn:pulumi:dev::project::cloud:index:Bucket::hung" in str(failed.error)
    pending = stack.export()["deployment"]["pending_operations"]
    assert [each["type"] for each in pending] == ["creating"]
    assert double.journal.ops()[-1] == "cancel"
    hang.set()
    assert not any("cut off" in each.message for each in stack.preview(lambda: None).diagnostics)
    assert any("cut off" in each.message for each in stack.up(lambda: None).diagnostics)


def test_a_call_that_ends_when_it_is_cancelled(monkeypatch):
    """What a provider makes of Cancel counts: an object finished then is remembered."""
    monkeypatch.setattr(cancelling, "GRACE", 60)
    stack, _, breaking = make()
    waiting, cancelled = threading.Event(), threading.Event()

    def wait(call, proceed):
        waiting.set()
        cancelled.wait()
        return proceed(call)

    def cancel(call, proceed):
        cancelled.set()
        return proceed(call)

    breaking.replace(Op.CREATE, "b", wait)
    breaking.replace(Op.CANCEL, "", cancel)
    with time_is_up_when(waiting.is_set):
        failed = stack.up(lambda: Bucket("b"), expect_failure=True, timeout=MOMENT)
    assert failed.state.names() == {"b"}


def test_a_program_that_never_ends():
    """A program in an endless loop is stopped, and the error says how to give it more time."""
    stack, _, _ = make()

    running = threading.Event()

    def program():
        running.set()
        while True:
            pass

    with time_is_up_when(running.is_set), pytest.raises(ProgramError, match="timeout="):
        stack.up(program, timeout=MOMENT)


def test_ctrl_c_ends_the_operation():
    """An interrupt in the waiting thread stops the program and is raised, and the stack can be used again."""
    stack, _, _ = make()
    running = threading.Event()

    def program():
        running.set()
        while True:
            pass

    def interrupt():
        running.wait()
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        stack.up(program)
    thread.join()
    assert stack.up(lambda: Bucket("b")).summary == {"create": 1}


def test_a_duplicate_is_told():
    """Two resources of one type and name fail the run."""
    stack, _, _ = make()
    failed = stack.up(lambda: (Bucket("b"), Bucket("b")), expect_failure=True)
    assert "Duplicate resource URN" in str(failed.error)


def test_stack_outputs_survive_a_failure():
    """After a failure, outputs that the program did not get to are those of before."""
    stack, _, breaking = make()
    wanted = {"acl": "1"}

    def program():
        bucket = Bucket("b", **wanted)
        pulumi.export("arn", bucket.arn)

    arn = stack.up(program).outputs["arn"]
    wanted["acl"] = "2"
    breaking.fail(Op.UPDATE, "b")
    assert stack.up(program, expect_failure=True).outputs["arn"] == arn


def test_a_provider_without_secrets_gets_them_bare():
    """A provider that does not accept secrets is sent plain values, and same-named outputs become secret again."""
    stack, double, breaking = make()
    breaking.replace(Op.HANDSHAKE, "", lambda *_: Reply())
    stack.up(lambda: Bucket("b", acl=pulumi.Output.secret("hush"), tags={"k": pulumi.Output.secret("v")}))
    call = double.journal.entries(op="create")[0].call
    assert (call.inputs["acl"], call.inputs["tags"]) == ("hush", {"k": "v"})
    state = stack.state["b"]
    assert (state.outputs["acl"].value, state.outputs["tags"]["k"].value) == ("hush", "v")


def test_a_provider_without_handshake_is_a_legacy_one():
    """Its flags come from Configure; without preview support a preview does not reach it."""
    stack, double, breaking = make()
    refused = Reply(failures=(Failure("what?", status="unimplemented"),))

    def program():
        bucket = Bucket("b", acl="x")
        pulumi.export("arn", bucket.arn)

    breaking.replace(Op.HANDSHAKE, "", lambda *_: refused)
    breaking.replace(Op.CONFIGURE, "default", lambda *_: Reply(extra={"acceptSecrets": True}))
    assert stack.preview(program).outputs["arn"] == UNKNOWN
    assert double.journal.ops(name="b") == ["check"]


def test_a_deletion_before_a_replacement_that_fails_while_the_rest_goes_on():
    """Where an up goes on after errors, it ends, and says why, although what was to be deleted first is still there."""
    stack, double, _ = make()
    name = ["1"]

    def program():
        Bucket("a", ResourceOptions(delete_before_replace=True), name=name[0])
        Bucket("b", acl=name[0])

    stack.up(program)
    name[0] = "2"
    double.faults.on.delete(BUCKET).error("no")
    up = stack.up(program, continue_on_error=True, expect_failure=True)
    assert "no" in str(up.error)
    assert (up.state["a"].inputs["name"], up.state["b"].inputs["acl"]) == ("1", "2")
    assert stack.up(program).summary == {"replace": 1}

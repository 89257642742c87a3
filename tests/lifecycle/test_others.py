"""Stashes, refreshes before updates, and the signal at a program's end (Pulumi's ``stash_test.go``,
``refresh_before_update_test.go``, ``signal_and_wait_for_shutdown_test.go``).
"""

from __future__ import annotations

import grpc
import pytest
from google.protobuf import empty_pb2
from lifecycle_toolbox import A, Lifecycle, Monitor, Provider, diff, errors, failing, names, steps, urn

from mockprovider.calls import Op, Reply
from mockprovider.errors import ProgramError
from mockprovider.pulumi.diff import Changes
from mockprovider.values import Secret

STACK = "pulumi:pulumi:Stack"
STASH = "pulumi:index:Stash"


def test_a_stash():
    """Its output is its first input."""
    seen = []

    def run(monitor: Monitor) -> None:
        outputs = monitor.register(STASH, "stash", inputs={"input": word}).outputs
        seen.append((outputs["input"], outputs["output"]))

    stack, word = Lifecycle(Provider()), "first"
    stack.up(run)
    word = "second"
    stack.up(run)
    assert seen == [("first", "first"), ("second", "first")]


def test_a_stash_is_not_imported():
    """The program does not hear of it."""
    returned = []

    def run(monitor: Monitor) -> None:
        monitor.register(STASH, "stash", inputs={"input": "x"}, importId="stash-id")
        returned.append(True)

    up = Lifecycle(Provider()).up(run, expect_failure=True)
    assert ("stash can not be imported" in errors(up), returned) == (True, [])


FLAGGED = {"refresh_before_update": True}


def test_a_refresh_before_an_update():
    """What its provider has flagged is read before it is compared, and keeps the flag."""
    token = 0

    def result(bag):
        return {**bag, "result": bag["input"]}

    def update(call):
        assert (call.prior_inputs["input"], call.prior["result"]) == (f"<FRESH-INPUT-{token}>", f"<FRESH-RESULT-{token}>")
        return Reply(id=call.id, value=result(call.inputs), extra=FLAGGED)

    def read(call):
        fresh = {"input": f"<FRESH-INPUT-{token}>"}
        return Reply(id="new-id", inputs=fresh, value={**fresh, "result": f"<FRESH-RESULT-{token}>"}, extra=FLAGGED)

    provider = Provider(
        create=lambda call: Reply(id="" if call.preview else "new-id", value=result(call.inputs), extra=FLAGGED),
        diff=lambda call: diff(changes=Changes.NONE if call.prior_inputs == call.inputs else Changes.SOME),
        update=update,
        read=read,
    )

    def run(monitor: Monitor) -> None:
        monitor.component(STACK, "test")
        monitor.register(A, "resA", inputs={"input": word})

    def holds(result_, word):
        it = result_.state["resA"]
        assert (it.inputs, it.outputs) == ({"input": word}, {"input": word, "result": word.replace("INPUT", "RESULT")})
        assert (it.refresh_before_update, [each.name for each in result_.state.every]) == (True, ["test", "default", "resA"])

    stack, word = Lifecycle(provider), "value-1"
    holds(stack.up(run), word)
    word = "value-2"
    holds(stack.up(run), word)
    assert provider.of(Op.HANDSHAKE)[0].extra["supports_refresh_before_update"] is True
    token = 1
    holds(stack.up(run), word)
    token = 2
    holds(stack.up(run, refresh=True), word)
    token = 3
    holds(stack.refresh(), "<FRESH-INPUT-3>")


def test_a_refresh_before_an_update_of_what_is_gone():
    """It is created anew, and what depends on it stays after it."""

    def run(monitor: Monitor) -> None:
        monitor.component(STACK, "test")
        first = monitor.register(A, "res0", inputs={"input": "value"})
        monitor.register(A, "resA", inputs={"input": first.outputs.get("result", "")}, depends_by={"input": [first.urn]})

    def read(call):
        return Reply() if call.name == "res0" else Reply(id=call.id, inputs=call.prior_inputs, value=call.prior, extra=FLAGGED)

    def create(call):
        return Reply(id="" if call.preview else "new-id", value={**call.inputs, "result": call.inputs["input"]}, extra=FLAGGED)

    stack = Lifecycle(Provider(create=create, read=read))
    for _ in range(2):
        up = stack.up(run)
        assert names(up) == ["test", "res0", "resA"]
        assert up.state["res0"].refresh_before_update


def signal(monitor: Monitor) -> None:
    """Say that nothing more will be registered."""
    monitor.raw.SignalAndWaitForShutdown(empty_pb2.Empty())


@pytest.mark.parametrize("signals", [True, False])
def test_the_signal(signals):
    """The operation ends whether it comes or not."""

    def run(monitor: Monitor) -> None:
        monitor.register(A, "resA")
        if signals:
            signal(monitor)

    up = Lifecycle(Provider()).up(run)
    assert [each.name for each in up.state.every] == ["default", "resA"]


def test_no_signal_after_a_failure():
    """A program whose registration has failed does not come to it."""
    returned = []

    def run(monitor: Monitor) -> None:
        monitor.register(A, "resA")
        returned.append(True)

    up = Lifecycle(Provider(create=lambda _: failing("oh no"))).up(run, expect_failure=True)
    assert ("oh no" in errors(up), returned) == (True, [])


@pytest.mark.parametrize("signals", [True, False])
def test_the_signal_after_a_failure(signals):
    """With ``continue_on_error`` it is answered."""
    returned = []

    def run(monitor: Monitor) -> None:
        with pytest.raises(grpc.RpcError, match="resource registration failed"):
            monitor.register(A, "resA", supportsResultReporting=False)
        if signals:
            signal(monitor)
        returned.append(True)

    stack = Lifecycle(Provider(create=lambda _: failing("oh no")))
    up = stack.up(run, continue_on_error=True, expect_failure=True)
    assert ("oh no" in errors(up), returned) == (True, [True])


@pytest.mark.parametrize("signals", [True, False])
def test_a_failure_after_the_signal(signals):
    """It fails the operation."""

    def run(monitor: Monitor) -> None:
        monitor.register(A, "resA")
        if signals:
            signal(monitor)
        raise ValueError("error in program")

    with pytest.raises(ProgramError, match="error in program"):
        Lifecycle(Provider()).up(run)


def test_a_provider_that_does_not_know_what_changed():
    """The engine compares the inputs itself."""
    foo = 1.0
    stack = Lifecycle(Provider())
    run = lambda monitor: monitor.register(A, "resA", inputs={"foo": foo})  # noqa: E731
    stack.up(run)
    foo = 2.0
    assert steps(stack.preview(run)) == [("update", "resA")]


def test_names_that_are_enforced():
    """The provider is told of the name, and what has a fixed one is deleted before it is replaced."""
    provider = Provider(
        handshake=lambda _: Reply(extra={"supports_autonaming_configuration": True}), diff=lambda call: diff("foo")
    )
    stack = Lifecycle(provider, config={"pulumi:autonaming": '{"pattern": "test", "enforce": true}'})
    run = lambda monitor: monitor.register(A, "resA", inputs={"foo": foo})  # noqa: E731
    foo = 1.0
    stack.up(run)
    (options,) = {(call.autonaming.proposed_name, str(call.autonaming.mode)) for call in provider.of(Op.CHECK)}
    assert options[0] == "test"
    foo = 2.0
    assert [op for op, _ in steps(stack.up(run))] == ["delete-replaced", "replace", "create-replacement"]


def test_ids_are_never_secret():
    """An output that is to be secret is, also where nothing else changes; of the id a warning says that it cannot be."""
    secret = []
    stack = Lifecycle(Provider(create=lambda call: Reply(id="" if call.preview else "x", value=call.inputs)))
    run = lambda monitor: monitor.register(A, "resA", inputs={"foo": "bar"}, additionalSecretOutputs=secret)  # noqa: E731
    stack.up(run)
    secret = ["foo", "id"]
    up = stack.up(run)
    assert (steps(up), up.state["resA"].outputs) == ([("same", "resA")], {"foo": Secret("bar")})
    assert [line.message for line in up.diagnostics if line.severity == "warning"] == [
        "The 'id' property cannot be made secret. See pulumi/pulumi#2717 for more details."
    ]


@pytest.mark.parametrize("field", ["dependencies", "depends_by", "deletedWith", "replace_with"])
def test_what_refers_to_nothing(field):
    """It is made, and the operation fails, for its state is not valid; ours says so of every such state."""
    nothing = urn(A, "nothing")
    value = {"depends_by": {"foo": [nothing]}, "deletedWith": nothing}.get(field, [nothing])
    run = lambda monitor: monitor.register(A, "resA", inputs={"foo": 1}, **{field: value})  # noqa: E731
    up = Lifecycle(Provider()).up(run, expect_failure=True)
    assert ("failed to verify snapshot" in errors(up), names(up)) == (True, ["resA"])

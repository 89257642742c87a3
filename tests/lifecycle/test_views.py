"""Resource views in a resource's life (Pulumi's ``views_test.go``, beside ``tests/engines/test_same_views.py``)."""

from __future__ import annotations

import pytest
from lifecycle_toolbox import A, Lifecycle, Monitor, Provider, diff, errors, names, urn

from mockprovider.calls import Call, Native, Op, Reply
from mockprovider.pulumi.diff import Changes
from mockprovider.pulumi.sdk import resource_status_pb2
from mockprovider.pulumi.values import decode, encode

VIEW = "pkgA:m:typAView"
FLAGGED = {"refresh_before_update": True}


def shown(word: str) -> dict:
    """What a view holds."""
    return {"type": VIEW, "name": "resA-child", "inputs": encode({"input": word}), "outputs": encode({"result": word})}


def publish(call: Call, *steps: tuple[str, str, str], error: str = "") -> None:
    """Publish steps of the view: the op, what it held and what it holds, each empty where there is nothing."""
    messages = []
    for op, old, new in steps:
        sides = {key: shown(word) for key, word in (("old", old), ("new", new)) if word}
        messages.append(resource_status_pb2.ViewStep(op=op, error=error, **sides))
    token = call.extra["resource_status_token"]
    request = resource_status_pb2.PublishViewStepsRequest(token=token, steps=messages)
    native = Native(request.SerializeToString(), request)
    answer = call.monitor(Call(op=Op.VIEWS, session=call.session, method="PublishViewSteps", native=native))
    assert answer.status is None, answer.status


def remembered(call: Call) -> list[tuple[str, str, dict, dict]]:
    """The old views that a request tells of."""
    return [(view.type, view.name, decode(view.inputs), decode(view.outputs)) for view in call.extra.get("old_views", ())]


BEFORE = [(VIEW, "resA-child", {"input": "bar"}, {"result": "bar"})]


def viewing(*, extra: dict | None = None, **handlers) -> Provider:
    """A provider whose Create publishes a view of ``bar``; ``extra`` comes with each answer that makes an object."""

    def create(call: Call) -> Reply:
        if not call.preview:
            publish(call, ("CREATE", "", "bar"))
        return Reply(id="" if call.preview else "new-id", value=call.inputs, extra=extra or {})

    return Provider(create=create, **handlers)


def updating(*steps: tuple[str, str, str], seen: list, error: str = ""):
    """An Update that publishes ``steps``, and notes in ``seen`` which views it was told of."""

    def update(call: Call) -> Reply:
        seen.append(remembered(call))
        publish(call, *steps, error=error)
        return Reply(id=call.id, value=call.inputs)

    return update


def changed(call: Call) -> Reply:
    """An answer to Diff: other inputs are an update."""
    return diff(changes=Changes.NONE if call.prior_inputs == call.inputs else Changes.SOME)


def holds(result, word: str) -> None:
    """The state has the resource and its view of ``word``, or no view."""
    owner, *views = [it for it in result.state.every if not it.is_provider]
    assert (owner.id, owner.name) == ("new-id", "resA")
    assert [(it.view_of, it.urn, it.inputs, it.outputs) for it in views] == (
        [(urn(A, "resA"), urn(VIEW, "resA-child", A), {"input": word}, {"result": word})] if word else []
    )


@pytest.mark.parametrize(
    ("published", "word", "summary"),
    [
        ([("DELETE", "bar", "")], "", {"update": 1, "delete": 1}),
        (
            [("CREATE_REPLACEMENT", "bar", "baz"), ("REPLACE", "bar", "baz"), ("DELETE_REPLACED", "bar", "")],
            "baz",
            {"update": 1, "replace": 1},
        ),
    ],
)
def test_views_of_an_update(published, word, summary):
    """An Update may delete a view, or replace it; it is told of the old one, and both are counted."""
    seen, foo = [], "bar"

    def run(monitor: Monitor) -> None:
        monitor.register(A, "resA", inputs={"foo": foo})

    stack = Lifecycle(viewing(diff=changed, update=updating(*published, seen=seen)))
    up = stack.up(run)
    holds(up, "bar")
    assert up.summary == {"create": 2}
    foo = "baz"
    up = stack.up(run)
    holds(up, word)
    assert (up.summary, seen) == (summary, [BEFORE])


def test_a_view_that_an_update_breaks():
    """The up fails with what was said of the view, which stays as it was, and the program goes no further."""
    seen, foo, returned = [], "bar", []

    def run(monitor: Monitor) -> None:
        monitor.register(A, "resA", inputs={"foo": foo})
        returned.append(foo)

    broken = updating(("UPDATE", "bar", "bar"), seen=seen, error="something went wrong")
    stack = Lifecycle(viewing(diff=changed, update=broken))
    holds(stack.up(run), "bar")
    foo = "baz"
    up = stack.up(run, expect_failure=True)
    assert ("something went wrong" in errors(up), returned, seen) == (True, ["bar"], [BEFORE])
    holds(up, "bar")


def one(monitor: Monitor) -> None:
    """A program of one resource."""
    monitor.register(A, "resA")


@pytest.mark.parametrize(
    ("step", "word"),
    [(("SAME", "bar", "bar"), "bar"), (("UPDATE", "bar", "baz"), "baz"), (("DELETE", "bar", ""), "")],
)
def test_views_that_are_read_before_an_update(step, word):
    """What a Read before an up says of the views counts, though nothing else changes."""
    seen = []

    def read(call: Call) -> Reply:
        seen.append(remembered(call))
        publish(call, step)
        return Reply(id=call.id, inputs=call.prior_inputs, value=call.prior, extra=FLAGGED)

    stack = Lifecycle(viewing(read=read, extra=FLAGGED))
    holds(stack.up(one), "bar")
    up = stack.up(one)
    holds(up, word)
    assert (seen, names(up)[0]) == ([BEFORE], "resA")


@pytest.mark.parametrize(
    ("extra", "options"),
    [({}, {"refresh": True}), (FLAGGED, {}), ({}, {"refresh": True, "run_program": True})],
    ids=["refresh", "flagged", "run_program"],
)
def test_a_view_that_went_and_is_made_again(extra, options):
    """A Read deletes the view and the Update after it creates it, whoever asked for the Read."""
    seen = []

    def read(call: Call) -> Reply:
        seen.append(remembered(call))
        publish(call, ("DELETE", "bar", ""))
        return Reply(id=call.id, inputs=call.prior_inputs, value=call.prior, extra=extra)

    def update(call: Call) -> Reply:
        seen.append(remembered(call))
        publish(call, ("CREATE", "", "baz"))
        return Reply(id=call.id, value=call.prior, extra=extra)

    stack = Lifecycle(viewing(read=read, update=update, diff=lambda _: diff(), extra=extra))
    up = stack.up(one)
    holds(up, "bar")
    up = stack.up(one, **options)
    holds(up, "baz")
    assert (seen, up.state["resA"].refresh_before_update) == ([BEFORE, []], bool(extra))


@pytest.mark.parametrize("options", [{}, {"run_program": True}], ids=["refresh", "run_program"])
def test_views_of_what_has_gone(options):
    """They go with it, though nobody says so, and come with the object that takes its place."""
    stack = Lifecycle(viewing(read=lambda _: Reply()))
    holds(stack.up(one), "bar")
    holds(stack.up(one, refresh=True, **options), "bar")
    assert names(stack.refresh(one if options else None, **options)) == []

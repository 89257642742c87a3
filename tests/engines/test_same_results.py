"""One program under the embedded engine and the real ``pulumi``: both results, field by field."""

from __future__ import annotations

import re
import subprocess
import threading
from typing import Any

import pulumi
import pytest
from both_engines import resources
from engine_toolbox import BUCKET, MOMENT, NET, Bucket, Thing, begun_up, time_is_up_when

from mockprovider.calls import Failure, Op, Reply
from mockprovider.cli.tree import OperationShown
from mockprovider.drivers.outcome import PulumiResult
from mockprovider.engine import Result

pytestmark = pytest.mark.pulumi_cli

SAME = {"outputs", "secret_outputs", "summary", "exit_code", "plan", "extensions"}
SAME |= {"policy_packs", "policy_violations", "policy_remediations"}
"""The fields that are equal as they are. The others are compared in the form that says the same under both engines."""


def program() -> None:
    """Two buckets, and outputs of several kinds."""
    logs = Bucket("logs", acl="x", token=pulumi.Output.secret("hush"))
    Bucket("more", source=logs.arn, file=pulumi.StringAsset("text"))
    pulumi.export("arn", logs.arn)
    pulumi.export("secret", pulumi.Output.secret({"a": [1, 2.5, None, True]}))
    pulumi.export("file", pulumi.StringAsset("text"))


def told(result: Result) -> list[tuple[str, str]]:
    """What the user was told, by severity and resource: each engine has its own words around what a provider said."""
    # The CLI sums up in a last error of its own, about the stack.
    return sorted({(each.severity, each.urn) for each in result.diagnostics if BUCKET in each.urn})


def shown(result: Result) -> dict[str, Any]:
    """A result by field, without what cannot be the same."""
    forms = {
        "steps": sorted(result.steps),
        "state": resources(result.export()),
        "pending_operations": [(each.kind, each.resource.urn) for each in result.pending_operations],
        "diagnostics": told(result),
        "error": result.error is None,
        "output": bool(result.output),
    }
    return forms | {name: getattr(result, name) for name in SAME}


def compared(embedded: Result, real: Result) -> None:
    """Compare both, and see that no field was forgotten."""
    fields = shown(embedded)
    assert fields.keys() == set(Result.__struct_fields__)
    assert fields == shown(real)
    assert (embedded.succeeded, sorted(embedded.state)) == (real.succeeded, sorted(real.state))


def test_the_fields_are_the_same() -> None:
    """Neither result has a field, property or method that the other has not."""
    assert PulumiResult.__struct_fields__ == Result.__struct_fields__
    assert set(dir(PulumiResult)) == set(dir(Result))


def test_results_of_a_life(both: Any) -> None:
    """Up, nothing to do, refresh with drift, and destroy have equal results, secrets and assets included."""
    compared(both.stack.up(program), both.cli.up(program))
    compared(both.stack.up(program), both.cli.up(program))
    for double in both.doubles:
        double.cloud.drift(BUCKET, double.cloud.objects(BUCKET)[0].id, acl="y")
    compared(both.stack.refresh(), both.cli.refresh())
    compared(both.stack.destroy(), both.cli.destroy())


def test_results_of_failures(both: Any) -> None:
    """A create that fails, one that is half made, and the run that mends both have equal results."""
    for fault in (
        lambda call, _: Reply(failures=(Failure("no space"),)),
        lambda call, proceed: Reply(**{**_fields(proceed(call)), "failures": (Failure("timed out"),), "inputs": call.inputs}),
    ):
        for breaking in both.breaking:
            breaking.replace(Op.CREATE, "logs", fault)
        compared(both.stack.up(program, expect_failure=True), both.cli.up(program, expect_failure=True))
    compared(both.stack.up(program), both.cli.up(program))


def test_what_fails_on_the_way_is_blamed(both: Any) -> None:
    """Where a dependent cannot be deleted before what it depends on is replaced, the error is about the dependent."""
    wanted = {"cidr": "a"}

    def chain() -> None:
        net = Thing(NET, "net", **wanted)
        Thing(NET, "peer", cidr="x", peer=net.id)

    compared(both.stack.up(chain), both.cli.up(chain))
    wanted["cidr"] = "b"
    both.fail(Op.DELETE, "peer")
    failed = [engine.up(chain, expect_failure=True) for engine in (both.stack, both.cli)]
    for result in failed:
        assert {diagnostic.urn for diagnostic in result.diagnostics if NET in diagnostic.urn} == {
            f"urn:pulumi:dev::project::{NET}::peer"
        }
    compared(*failed)
    compared(both.stack.up(chain), both.cli.up(chain))


FAILING = {
    "a create": ("up", lambda: Bucket("a"), None, Op.CREATE, {}),
    "creates of several": ("up", lambda: [Bucket("a"), Bucket("b")], None, Op.CREATE, {"continue_on_error": True}),
    "an update": ("up", lambda: Bucket("a", acl="x"), lambda: Bucket("a"), Op.UPDATE, {}),
    "a deletion": ("up", lambda: None, lambda: Bucket("a"), Op.DELETE, {}),
    "a destroy": ("destroy", None, lambda: [Bucket("a"), Bucket("b")], Op.DELETE, {}),
    "a refresh": ("refresh", None, lambda: [Bucket("a"), Bucket("b")], Op.READ, {}),
    "the preview of one": ("refresh", None, lambda: Bucket("a"), Op.READ, {"preview": True}),
    "an import": ("up", lambda: Bucket("a", pulumi.ResourceOptions(import_="i")), None, Op.READ, {}),
    "before a create": ("up", lambda: Bucket("a"), None, Op.CHECK, {}),
    "before an update": ("preview", lambda: Bucket("a", acl="x"), lambda: Bucket("a"), Op.DIFF, {}),
}


@pytest.mark.parametrize("what", FAILING)
def test_what_failed_is_marked_and_counted(both: Any, what: str) -> None:
    """Both show the same resources as failed, and the same numbers: the stack is among them where a step has failed."""
    operation, program, before, op, options = FAILING[what]
    if before:
        both.run("up", before)
    both.fail(op, "a")
    screen = OperationShown()
    both.stack.on_event = screen.tell
    both.run(operation, program, fails=True, **options)
    ours = "\n".join(line.text for line in screen.lines())
    assert marked(ours) == marked(both.results[1].output)
    assert marked(ours)[1]


def marked(text: str) -> tuple[set[tuple[str, ...]], list[str]]:
    """What is shown as failed, by name and in words, and the summary."""
    failed = set(re.findall(r"(\S+) +\*\*([a-z ]+)(?: \([\d.]+s\))?\*\*", text))
    return failed, text.partition("\nResources:\n")[2].partition("\n\n")[0].split("\n")


def _fields(reply: Reply) -> dict[str, Any]:
    return {"id": reply.id, "value": reply.value}


def test_results_after_an_operation_was_cut_off(both: Any) -> None:
    """What an engine was at when it died is pending in the result of the next run, under both."""

    def one() -> None:
        Bucket("logs", acl="x")

    yaml = {"resources": {"logs": {"type": BUCKET, "properties": {"acl": "x"}}}}
    both.cli.preview(yaml)
    begun, go = threading.Event(), threading.Event()

    def hang(*_: Any) -> Reply:
        begun.set()
        go.wait(60)
        return Reply(failures=(Failure("too late"),))

    for breaking in both.breaking:
        breaking.replace(Op.CREATE, "logs", hang)
    try:
        with time_is_up_when(begun.is_set):
            embedded = both.stack.up(one, expect_failure=True, timeout=MOMENT)
        begun.clear()
        with begun_up(both.cli, subprocess.DEVNULL) as up:
            assert begun.wait(60)
            up.kill()
    finally:
        go.set()
    both.cli.command("cancel", "--yes")
    real = both.cli.preview(yaml)

    for result in (embedded, real):
        assert [(each.kind, each.resource.urn) for each in result.pending_operations] == [
            ("creating", f"urn:pulumi:dev::project::{BUCKET}::logs")
        ]

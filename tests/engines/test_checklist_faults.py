"""Item 7 of the checklist under the real ``pulumi``: what a provider may do wrong, and what becomes of it."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from engine_toolbox import Breaking, begun_up, cli_of
from plugin_scripts import AFTER_AN_ANSWER, BEFORE_ITS_PORT, IN_A_CREATE, NOISY, TYPE, Script
from pulumi.runtime.proto import provider_pb2

from mockprovider.calls import Call, Failure, Handler, Op, Reply, Status
from mockprovider.cloud import CloudObject
from mockprovider.double import Double
from mockprovider.drivers.pulumi import PulumiCli
from mockprovider.errors import ProgramError
from mockprovider.pulumi.diff import Changes, Diff, DiffKind
from mockprovider.pulumi.errors import pack
from mockprovider.pulumi.signatures import SIGNATURE
from mockprovider.pulumi.values import encode
from mockprovider.schema import Property, ResourceType

SECONDS = 60
"""How long anything may take before the test fails instead of hanging."""

pytestmark = pytest.mark.pulumi_cli

BUCKET = ResourceType(TYPE, {"acl": Property(str), "name": Property(str, forces_new=True)})


def buckets(**acls: str) -> dict[str, Any]:
    """A YAML program of buckets, each after the one before it."""
    names = list(acls)
    after = [{}, *({"dependsOn": [f"${{{name}}}"]} for name in names)]
    return {
        "resources": {
            name: {"type": TYPE, "properties": {"acl": acl}, "options": options}
            for (name, acl), options in zip(acls.items(), after, strict=False)
        }
    }


def remembered(cli: PulumiCli) -> list[str]:
    """The ids of the buckets that the state has."""
    return [each["id"] for each in cli.export()["deployment"].get("resources", ()) if each["type"] == TYPE]


def orphans(cli: PulumiCli, objects: list[CloudObject]) -> list[str]:
    """What exists, and no state remembers: the ``acl`` of each."""
    known = remembered(cli)
    return [each["acl"] for each in objects if each.id not in known]


# Plugin processes ------------------------------------------------------------------------------------------------------


@pytest.fixture
def scripted(tmp_path: Path) -> Callable[..., tuple[PulumiCli, Script]]:
    """The real pulumi, which finds a script's executable."""

    def make(text: str) -> tuple[PulumiCli, Script]:
        script = Script(tmp_path / "bin", text)
        return PulumiCli(tmp_path / "program", script.environment), script

    return make


def test_a_crash_before_the_port(scripted: Callable[..., tuple[PulumiCli, Script]]) -> None:
    """A provider that dies before its port fails the run, its last words are in our error, and nothing is left of it."""
    cli, script = scripted(BEFORE_ITS_PORT)
    with pytest.raises(ProgramError, match="the licence has run out"):
        cli.up(buckets(logs="x"))

    assert remembered(cli) == [each.id for each in script.objects()] == []
    assert cli.up(buckets(logs="x")).summary == {"create": 1}


def test_a_crash_in_a_create(scripted: Callable[..., tuple[PulumiCli, Script]]) -> None:
    """What a create made before its provider died is an orphan: it exists, no state has it, and the next run makes another."""
    cli, script = scripted(IN_A_CREATE)
    failed = cli.up(buckets(logs="x", more="y"), expect_failure=True)

    assert [op for op, urn in failed.steps if urn.endswith(("logs", "more"))] == []
    assert "the disk is full" in failed.output
    assert orphans(cli, script.objects()) == ["x"]
    assert cli.export()["deployment"].get("pending_operations", []) == []
    assert cli.up(buckets(logs="x", more="y"), refresh=True).summary == {"create": 2}
    assert [each["acl"] for each in script.objects()] == ["x", "x", "y"]
    assert orphans(cli, script.objects()) == ["x"]


def test_a_crash_after_an_answer(scripted: Callable[..., tuple[PulumiCli, Script]]) -> None:
    """What was answered is in the state; the run fails at the next call, and the one after it goes on from there."""
    cli, script = scripted(AFTER_AN_ANSWER)
    cli.up(buckets(logs="x", more="y"), expect_failure=True)

    assert orphans(cli, script.objects()) == []
    assert [each["acl"] for each in script.objects()] == ["x"]
    assert cli.up(buckets(logs="x", more="y")).summary == {"create": 1}
    assert orphans(cli, script.objects()) == []
    assert [each["acl"] for each in script.objects()] == ["x", "y"]


def test_noise_on_standard_error(scripted: Callable[..., tuple[PulumiCli, Script]]) -> None:
    """Thousands of lines on standard error, at a provider's start and in each call, do no harm, and are not shown."""
    cli, script = scripted(NOISY)
    first = cli.up(buckets(logs="x"))

    assert first.summary == {"create": 1}
    assert "chatty library" not in first.output
    assert cli.up(buckets(logs="y")).summary == {"update": 1}
    assert cli.destroy().summary == {"delete": 1}
    assert script.objects() == []


# Answers ---------------------------------------------------------------------------------------------------------------


@pytest.fixture
def breaking() -> Breaking:
    """What goes wrong."""
    return Breaking()


@pytest.fixture
def double(breaking: Breaking) -> Iterator[Double]:
    """A double of one type, in which something may go wrong."""
    with Double(BUCKET, layers=(breaking,)) as found:
        yield found
        found.raise_errors()


def half_made(reply: Reply) -> Reply:
    """The detail of a half-made object that has no id."""
    detail = provider_pb2.ErrorResourceInitFailed(properties=encode(reply.value or {}), reasons=["it hangs"])
    return Reply(status=Status(2, "it hangs", pack(2, "it hangs", detail)))


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (half_made, "plugin returned empty resource.ID from create"),
        (lambda reply: Reply(id=reply.id, value={"acl": {SIGNATURE: "nonsense"}}), "nonsense"),
        (lambda reply: Reply(id="", value=reply.value), "plugin returned empty resource.ID from create"),
    ],
    ids=["half-made without an id", "bad signature", "empty id"],
)
def test_an_answer_that_loses_the_object(
    cli: PulumiCli, double: Double, breaking: Breaking, answer: Callable[[Reply], Reply], told: str
) -> None:
    """The engine refuses the answer and forgets the object, which exists: an orphan; without the fault the next run goes on."""
    breaking.replace(Op.CREATE, "logs", lambda call, proceed: answer(proceed(call)))
    failed = cli.up(buckets(logs="x"), expect_failure=True)

    assert told in failed.output
    assert orphans(cli, double.cloud.objects()) == ["x"]
    assert cli.up(buckets(logs="x")).summary == {"create": 1}


def test_an_engine_that_is_killed_in_a_create(cli: PulumiCli, double: Double, breaking: Breaking) -> None:
    """Only an engine's own death leaves a pending operation, which later runs warn of until it is cleared, and an orphan."""
    creating, released = threading.Event(), threading.Event()

    def hang(call: Call, proceed: Handler) -> Reply:
        reply = proceed(call)
        creating.set()
        released.wait(SECONDS)
        return reply

    breaking.replace(Op.CREATE, "logs", hang)
    cli.preview(buckets(logs="x"))
    with begun_up(cli, subprocess.DEVNULL) as up:
        try:
            assert creating.wait(SECONDS)
        finally:
            up.kill()
            released.set()
    cli.command("cancel", "--yes")
    pending = [each["type"] for each in cli.export()["deployment"]["pending_operations"]]

    assert (pending, orphans(cli, double.cloud.objects())) == (["creating"], ["x"])
    again = cli.up(buckets(logs="x"))
    assert any("pending operations" in each.message for each in again.diagnostics if each.severity == "warning")
    assert orphans(cli, double.cloud.objects()) == ["x"]
    cli.refresh(buckets(logs="x"), arguments=("--clear-pending-creates",))
    assert cli.export()["deployment"].get("pending_operations", []) == []


def test_a_detailed_diff_without_its_flag(cli: PulumiCli, breaking: Breaking) -> None:
    """Details that ask for a replacement do not count where the answer does not say that it has some: it is an update."""

    def tell(*, has: bool) -> None:
        told = Diff(Changes.SOME, detailed={"acl": (DiffKind.UPDATE_REPLACE, True)}, has_detailed=has)
        breaking.replace(Op.DIFF, "logs", lambda *_: Reply(extra={"diff": told}))

    cli.up(buckets(logs="x"))
    tell(has=False)
    assert cli.up(buckets(logs="y")).summary == {"update": 1}
    tell(has=True)
    assert cli.up(buckets(logs="z")).summary == {"replace": 1}


@pytest.mark.parametrize("phase", ["preview", "up", "refresh"])
def test_a_failure_in_one_phase(tmp_path: Path, phase: str) -> None:
    """A layer tells previews, updates and refreshes apart by their calls: what it fails in one works in the others."""
    fails = {
        "preview": lambda call: call.preview,
        "up": lambda call: call.op is Op.UPDATE and not call.preview,
        "refresh": lambda call: call.op is Op.READ,
    }[phase]

    def fail(call: Call, proceed: Handler) -> Reply:
        return Reply(failures=(Failure("not now"),)) if fails(call) else proceed(call)

    with Double(BUCKET, layers=(fail,)) as double:
        cli = cli_of(double, tmp_path)
        cli.up(buckets(logs="x"))
        for name in ("preview", "up", "refresh"):
            ended = getattr(cli, name)(buckets(logs="y"), expect_failure=name == phase)
            assert ("not now" in ended.output) == (name == phase)
        double.raise_errors()

"""Audits after what goes wrong under every engine: a half-made create, a reply that is lost, and an engine that is killed.

One table of scenarios is played on one set of benches: each runs a program of one object under its engine, and exports.
"""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Protocol

import pytest
from engine_toolbox import MOMENT, Thing, begun_up, cli_of, time_is_up_when

from mockprovider.audit import Audit
from mockprovider.calls import Call, Handler, Op, Reply
from mockprovider.double import Double, real, recording, replaying
from mockprovider.drivers.terraform import Terraform
from mockprovider.engine import Stack
from mockprovider.errors import ProgramError
from mockprovider.schema import Property, ResourceType

TYPE = "cloud:index:Thing"
PROGRAM = {"resources": {"a": {"type": TYPE, "properties": {"name": "n"}}}}
THING = ResourceType(
    TYPE, {"name": Property(str), "token": Property(str, secret=True), "arn": Property(str, computed="arn:{id}")}
)
SECONDS = 60
"""How long anything may take before the test fails instead of hanging."""
HEAD = 'terraform {\n  required_providers {\n    cloud = { source = "example.com/mock/cloud" }\n  }\n}\n'
ANY_ENGINE = [
    pytest.param("embedded", marks=pytest.mark.pulumi_cli),
    pytest.param("pulumi", marks=pytest.mark.pulumi_cli),
    pytest.param("terraform", marks=pytest.mark.terraform_cli),
    pytest.param("tofu", marks=pytest.mark.tofu_cli),
]


class Breakable:
    """A layer in front of the provider, in which the next create may go wrong."""

    def __init__(self) -> None:
        self.answer: Callable[[Call, Handler], Reply] | None = None

    def __call__(self, call: Call, proceed: Handler) -> Reply:
        if call.op is not Op.CREATE or call.preview or self.answer is None:
            return proceed(call)
        answer, self.answer = self.answer, None
        return answer(call, proceed)


class Bench(Protocol):
    """An engine with a program of one thing."""

    def apply(self, *, fails: bool = False) -> Any:
        """Run the program."""

    def killed(self, begun: threading.Event) -> None:
        """Run the program, and kill the engine once the create has ``begun``."""

    def export(self) -> Any:
        """What is remembered."""


class EmbeddedBench:
    """The embedded engine. It dies of its own timeout, with the create under way."""

    def __init__(self, double: Double) -> None:
        self.stack = Stack(double)

    def apply(self, *, fails: bool = False) -> Any:
        return self.stack.up(lambda: Thing(TYPE, "a", name="n") and None, expect_failure=fails)

    def killed(self, begun: threading.Event) -> None:
        with time_is_up_when(begun.is_set), pytest.raises(ProgramError, match="did not end within"):
            self.stack.up(lambda: Thing(TYPE, "a", name="n") and None, timeout=MOMENT)
        assert begun.is_set()

    def export(self) -> Any:
        return self.stack.export()


class PulumiBench:
    """The real ``pulumi``."""

    def __init__(self, double: Double, folder: Path) -> None:
        self.cli = cli_of(double, folder)

    def apply(self, *, fails: bool = False) -> Any:
        return self.cli.up(PROGRAM, expect_failure=fails)

    def killed(self, begun: threading.Event) -> None:
        self.cli.preview(PROGRAM)
        with begun_up(self.cli, subprocess.DEVNULL) as up:
            assert begun.wait(SECONDS)
            up.kill()
        self.cli.command("cancel", "--yes")

    def export(self) -> Any:
        return self.cli.export()


class TerraformBench:
    """The real ``terraform`` or ``tofu``, one resource at a time, so that the double knows their addresses."""

    def __init__(self, double: Double, folder: Path, binary: str) -> None:
        serving = double.serve("terraform")
        self.cli = Terraform(folder, lambda: serving.environment, binary=binary, doubles=[double], parallelism=1)
        self.cli.write(HEAD + 'resource "cloud_thing" "a" {\n  name = "n"\n}\n')

    def apply(self, *, fails: bool = False) -> Any:
        return self.cli.apply(expect_failure=fails)

    def killed(self, begun: threading.Event) -> None:
        command = [self.cli.binary, "apply", "-auto-approve"]
        with subprocess.Popen(command, cwd=self.cli.folder, env=self.cli.environment, stdout=subprocess.DEVNULL) as run:
            assert begun.wait(SECONDS)
            run.kill()

    def export(self) -> Any:
        return self.cli.state()


@pytest.fixture
def breakable() -> Breakable:
    """What goes wrong."""
    return Breakable()


@pytest.fixture
def double(breakable: Breakable) -> Iterator[Double]:
    """A double of one type, whose creates may go wrong."""
    with Double(THING, layers=(breakable,)) as served:
        yield served


@pytest.fixture(params=ANY_ENGINE)
def bench(request: pytest.FixtureRequest, double: Double, tmp_path: Path) -> Bench:
    """Each engine in turn."""
    if request.param == "embedded":
        return EmbeddedBench(double)
    if request.param == "pulumi":
        return PulumiBench(double, tmp_path / "pulumi")
    return TerraformBench(double, tmp_path / "module", request.param)


def counts(audit: Audit) -> dict[str, int]:
    """How many findings there are of each kind, of those that there are."""
    kinds = ("orphans", "phantoms", "doubles", "stale", "pending")
    return {kind: len(getattr(audit, kind)) for kind in kinds if getattr(audit, kind)}


def test_a_life(bench: Bench, double: Double) -> None:
    """What is applied is clean, also by what the run returned; drift is stale with its path, and what vanished a phantom."""
    double.audit(bench.apply()).assert_clean()
    double.audit(bench.export()).assert_clean()
    double.cloud.drift(TYPE, name="m")
    (stale,) = double.audit(bench.export()).stale
    assert [(each.path, each.recorded, each.actual) for each in stale.differences] == [("name", "n", "m")]
    double.cloud.vanish(TYPE)
    assert counts(double.audit(bench.export())) == {"phantoms": 1}


def test_a_half_made_create(bench: Bench, double: Double) -> None:
    """A half-made object is remembered by every engine, and the next run leaves exactly one that is."""
    double.faults.on.create(TYPE).partial(reasons=["timed out waiting"])
    bench.apply(fails=True)
    double.audit(bench.export()).assert_clean()
    bench.apply()
    double.audit(bench.export()).assert_clean()
    assert len(double.cloud.objects(TYPE)) == 1


def test_a_lost_reply(bench: Bench, double: Double) -> None:
    """What was made and never reported is an orphan of a known resource, and after the next run that resource exists twice."""
    double.faults.on.create(TYPE).lose_reply()
    bench.apply(fails=True)
    lost = double.audit(bench.export())
    assert counts(lost) == {"orphans": 1}
    resource = "cloud_thing.a" if isinstance(bench, TerraformBench) else f"urn:pulumi:dev::project::{TYPE}::a"
    assert f"exists, and nobody remembers it. It was made for {resource}. Delete it, or adopt it: `" in str(lost)
    assert lost.orphans[0].resource == resource
    bench.apply()
    assert counts(double.audit(bench.export())) == {"orphans": 1, "doubles": 1}
    double.journal.assert_calls("twice create", "never delete", preview=False)


def test_a_killed_engine(bench: Bench, double: Double, breakable: Breakable) -> None:
    """What an engine was making when it died is an orphan; Pulumi remembers that it was at it, Terraform does not."""
    begun, go = threading.Event(), threading.Event()

    def hang(call: Call, proceed: Handler) -> Reply:
        reply = proceed(call)
        begun.set()
        go.wait(SECONDS)
        return reply

    breakable.answer = hang
    try:
        bench.killed(begun)
    finally:
        go.set()
    audit = double.audit(bench.export())
    pending = {} if isinstance(bench, TerraformBench) else {"pending": 1}
    assert counts(audit) == {"orphans": 1, **pending}
    assert [(operation.kind, operation.type) for operation in audit.pending] == [("creating", TYPE)] * len(pending)


# Real and recorded providers -------------------------------------------------------------------------------------------

RANDOM = """
terraform {
  required_providers {
    random = { source = "hashicorp/random" }
  }
}
resource "random_id" "i" {
  count       = 2
  byte_length = 4
}
resource "random_password" "p" {
  count  = 2
  length = 12
}
"""


@pytest.mark.terraform_cli
def test_a_real_provider_and_its_replay(tmp_path: Path) -> None:
    """Behind a proxy and a replay the provider's answers say what exists, secret values and shared ids (``none``) included."""
    path = tmp_path / "cassette.json"
    for wiring in (lambda: recording(path, real(["terraform-provider-random"])), lambda: replaying(path)):
        with Double(provider=wiring()) as double:
            environment = double.serve("terraform").environment
            cli = Terraform(tmp_path / "module", environment, doubles=[double])
            cli.write(RANDOM)
            applied = cli.apply()
            audit = double.audit(applied)
            assert (str(audit), audit.existing) == ("Clean: objects that exist: 4, that are remembered: 4.", 4)
            forgotten = double.audit({})
            assert sorted(orphan.type for orphan in forgotten.orphans) == ["random_id"] * 2 + ["random_password"] * 2
            cli.destroy()
            assert double.audit(cli).existing == 0
            assert counts(double.audit(applied)) == {"phantoms": 4}
            double.raise_errors()


@pytest.mark.terraform_cli
def test_a_lost_reply_of_a_real_provider(tmp_path: Path) -> None:
    """What a real provider made, and the engine was not told of, is an orphan with its address, and then a double."""
    with Double(provider=real(["terraform-provider-random"])) as double:
        environment = double.serve("terraform").environment
        cli = Terraform(tmp_path / "module", environment, doubles=[double], parallelism=1)
        cli.write(RANDOM)
        double.faults.on.create().lose_reply().whichever()
        cli.apply(expect_failure=True)
        (orphan,) = double.audit(cli).orphans
        assert orphan.resource.startswith(f"{orphan.type}.")
        cli.apply()
        audit = double.audit(cli)
        assert counts(audit) == {"orphans": 1, "doubles": 1}
        assert audit.doubles[0].remembered.resource == orphan.resource
        double.raise_errors()

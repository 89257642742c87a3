"""A stage for scenarios under the real terraform and tofu: one double, one module, and a provider that can be meddled with."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mockprovider import tape
from mockprovider.calls import Call, Handler, Native, Op, Reply
from mockprovider.double import Double
from mockprovider.drivers.terraform import Terraform, TerraformResult
from mockprovider.layers import unchecked
from mockprovider.offers import Ephemeral
from mockprovider.schema import Function, Kind, Property, ResourceType
from mockprovider.terraform.process.installing import dev_overrides
from mockprovider.terraform.rpcs.methods import SERVICES
from mockprovider.terraform.values import packing as values

ENGINES = [
    pytest.param("terraform", marks=pytest.mark.terraform_cli),
    pytest.param("tofu", marks=pytest.mark.tofu_cli),
]
"""What the fixture ``binary`` is in turn."""

HEAD = 'terraform {\n  required_providers {\n    cloud = { source = "example.com/mock/cloud" }\n  }\n}\n'
RULE = Kind("object", properties={"port": Property(int), "open": Property(bool)})
THING = ResourceType(
    "cloud:index:Thing",
    {
        "name": Property(str),
        "size": Property(int, forces_new=True),
        "tags": Property(dict[str, str]),
        "kinds": Property(set[str]),
        "secret": Property(str, secret=True),
        "note": Property(str, computed="note of {id}", optional=True),
        "made": Property(str, computed=True),
        "hidden": Property(str, write_only=True),
        "rules": Property(Kind("array", items=RULE)),
        "spots": Property(Kind("set", items=RULE)),
    },
)
ZONE = Function("cloud:index:getZone", {"region": Property(str, required=True)}, {"zone": "zone-{region}"})
TOKEN = Ephemeral("cloud:index:Token", {"user": Property(str, required=True)}, {"secret": "s-{user}-{id}"})
PLAINTEXT = {"TF_DISABLE_PLUGIN_TLS": "1"}
"""What keeps an engine that starts a plugin from asking for TLS."""

Meddling = Callable[[Call, Handler], Reply]
Seen = list[dict[str, Any]]
Life = Callable[[Terraform], Seen]


class Stage:
    """One double under one engine over one protocol. ``on`` meddles with what the provider answers to an op."""

    def __init__(self, major: int, binary: str) -> None:
        self.major, self.binary = major, binary
        self.double = Double(THING, ZONE, layers=(self._layer,))
        self.cli: Terraform
        self._meddling: dict[Op, Meddling] = {}

    def _layer(self, call: Call, proceed: Handler) -> Reply:
        meddle = self._meddling.get(call.op)
        return meddle(call, proceed) if meddle else proceed(call)

    @property
    def tofu(self) -> bool:
        """Whether the engine is OpenTofu."""
        return self.binary == "tofu"

    def on(self, op: Op, meddle: Meddling) -> None:
        """From now on ``meddle`` answers calls of ``op``; what is wrong in its answers reaches the engine."""
        self._meddling[op] = lambda call, proceed: unchecked(meddle(call, proceed))

    def answers(self, op: Op, **fields: Any) -> None:
        """From now on calls of ``op`` are answered with these fields of ``Reply``, and the provider is not asked."""
        self.on(op, lambda call, proceed: Reply(**fields))

    def native(self, op: Op, change: Callable[[Any], None]) -> None:
        """From now on ``change`` is given the answer message to calls of ``op``, to break it as no reply can."""

        def meddle(call: Call, proceed: Handler) -> Reply:
            message = SERVICES[self.major].methods[call.method].response(unchecked(proceed(call)), call)
            change(message)
            return Reply(native=Native(message.SerializeToString(), message))

        self._meddling[op] = meddle

    def leak(self, op: Op, field: str) -> None:
        """From now on the answers to ``op`` tell a write-only value in ``field``."""

        def tell(message: Any) -> None:
            found = values.unpack_any(getattr(message, field).msgpack)
            getattr(message, field).msgpack = values.pack_any({**found, "hidden": "x"})

        self.native(op, tell)

    def calm(self) -> None:
        """Meddle no more, and forget what was asked."""
        self._meddling.clear()
        self.double.journal.clear()

    def write(self, arguments: str = "", name: str = "a", rest: str = "") -> None:
        """One thing with these arguments is the configuration."""
        self.cli.write(f'{HEAD}resource "cloud_thing" "{name}" {{\n{arguments}\n}}\n{rest}')

    def made(self, arguments: str = 'name = "one"') -> TerraformResult:
        """The same, applied."""
        self.write(arguments)
        return self.cli.apply()

    def rule(self, port: int) -> str:
        """A rule in the words of the protocol: a nested block, or a nested attribute."""
        return f"rules {{\n  port = {port}\n}}" if self.major == 5 else f"rules = [{{ port = {port} }}]"

    def ops(self) -> list[str]:
        """What was asked about things since the last look, but for checks and upgrades, which are asked for all the time."""
        asked = [each for each in self.double.journal.ops(type=THING.token) if each not in ("check", "upgrade")]
        self.double.journal.clear()
        return asked

    def things(self) -> list[dict[str, Any]]:
        """The things in the cloud."""
        return [dict(each) for each in self.double.cloud.objects(THING.token)]

    def attributes(self) -> dict[str, Any]:
        """The attributes of the only thing in the state."""
        found: dict[str, Any] = self.instance()["attributes"]
        return found

    def instance(self) -> dict[str, Any]:
        """The only thing in the state."""
        (one,) = self.instances()
        return one

    def instances(self) -> list[dict[str, Any]]:
        """All things in the state, deposed ones among them."""
        return [each for one in self.cli.state().get("resources", []) for each in one["instances"]]


def starting(script: str, folder: Path, binary: str) -> Terraform:
    """An engine in an empty module that starts this script as the provider ``cloud``, over plaintext."""
    executable = folder / "bin" / "terraform-provider-cloud"
    executable.parent.mkdir()
    executable.write_text(script, encoding="utf-8")
    executable.chmod(0o755)
    return Terraform(folder / "module", PLAINTEXT, binary=binary, settings=dev_overrides(executable.parent, ["cloud"]))


def lived(binary: str, double: Double, folder: Path, *lives: Life) -> Seen:
    """The lives one after the other, in one module under one engine; the double's own errors fail the test."""
    with double:
        serving = double.serve("terraform")
        cli = Terraform(folder, lambda: serving.environment, binary=binary)
        found = [each for life in lives for each in life(cli)]
        double.raise_errors()
    return found


def methods(path: Path) -> list[str]:
    """The RPCs that a cassette has answers to."""
    return [each.method for each in tape.load(path).interactions]


def said(result: TerraformResult) -> str:
    """The errors of a run in one text: summary and detail of each, on one line."""
    return " | ".join(" ".join(f"{each.summary}: {each.detail}".split()) for each in result.errors)


def planned(change: Callable[[dict[str, Any]], Any]) -> Meddling:
    """A meddling with plans: ``change`` is given the planned object, as a dict to edit."""

    def meddle(call: Call, proceed: Handler) -> Reply:
        reply = proceed(call)
        if reply.plan is not None and call.inputs is not None:
            edited = dict(reply.plan.planned)
            change(edited)
            reply.plan = type(reply.plan)(edited, reply.plan.changes)
        return reply

    return meddle


def valued(change: Callable[[dict[str, Any]], Any]) -> Meddling:
    """A meddling with states: ``change`` is given the object that is answered, as a dict to edit."""

    def meddle(call: Call, proceed: Handler) -> Reply:
        reply = proceed(call)
        if reply.value is not None:
            edited = dict(reply.value)
            change(edited)
            reply.value = edited
        return reply

    return meddle

"""What the tests of ``cassette verify`` share: a life of two things, recorded over gRPC, and a provider that has changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from mockprovider.calls import Call, Handler, Layer, Op, Reply
from mockprovider.double import Double, Wiring, attached, recording
from mockprovider.double.verifying import verify
from mockprovider.protocols import of_family
from mockprovider.schema import Function, Property, ResourceType

PREFIX = "volumes/of today/"
PROTOCOLS = [("pulumi", None), ("terraform", 5), ("terraform", 6)]
"""Each family and version."""
DISK = ResourceType(
    "cloud:index:Disk",
    {
        "size": int,
        "kind": Property(str, default="fast", enum=("fast", "slow")),
        "region": Property(str, forces_new=True, required=True),
        "status": Property(str, computed="ready"),
        "etag": Property(str, computed=True),
        "token": Property(str, secret=True, computed=True),
    },
)
MOUNT = ResourceType("cloud:index:Mount", {"disk": Property(str, required=True), "path": str})
ZONE = Function("cloud:index:zone", {"region": str}, {"zone": "{region}-one"})
FIRST = {"size": 1, "region": "eu"}
"""What the disk is made with."""
OTHER = {"size": 9, "region": "us"}
"""What another one is made with."""
DEFINITIONS = DISK, MOUNT, ZONE


class Life:
    """What an engine asks of a provider about a disk and what is mounted on it."""

    def __init__(self, client: Any, family: str) -> None:
        self._client = client
        self._session = client.open()
        self._named = family == "pulumi"

    def ask(self, op: Op, token: str = "", name: str = "", **given: Any) -> Reply:
        """One call, with the words of the protocol."""
        about = {"name": name, "urn": f"urn:pulumi:dev::shop::{token}::{name}"} if self._named and name else {}
        method = "ApplyResourceChange" if op in (Op.UPDATE, Op.DELETE) and not self._named else ""
        return self._client(Call(method=method, op=op, session=self._session, type=token, **about, **given))

    def run(self) -> None:
        """From the schema to the delete."""
        started(self)
        disk = self.create(DISK.token, "d", FIRST)
        mount = self.create(MOUNT.token, "m", {"disk": disk.id, "path": f"/dev/{disk.id}"})
        self.ask(Op.INVOKE, ZONE.token, inputs={"region": "eu"})
        self.ask(Op.CHECK, DISK.token, "d", inputs={"size": 1, "region": "eu", "kind": "odd"})
        read = self.ask(Op.READ, DISK.token, "d", id=disk.id, prior=disk.value, prior_inputs=FIRST)
        self.plan(DISK.token, "d", {"size": 1, "region": "us"}, read)
        larger = self.change(DISK.token, "d", {"size": 2, "region": "eu"}, read)
        self.delete(MOUNT.token, "m", mount)
        self.delete(DISK.token, "d", larger)

    def plan(self, token: str, name: str, inputs: dict[str, Any], before: Reply | None) -> dict[str, Any]:
        """What an engine asks before it changes something; the planned object."""
        prior = before.value if before else None
        checked = self.ask(Op.CHECK, token, name, inputs=inputs)
        if self._named:
            wanted = checked.inputs or {}
            if before:
                self.ask(Op.DIFF, token, name, id=before.id, prior=prior, prior_inputs=FIRST, inputs=wanted)
            return wanted
        reply = self.ask(Op.PLAN, token, name, inputs=inputs, prior=prior, proposed={**(prior or {}), **inputs})
        return dict(reply.plan.planned if reply.plan else {})

    def create(self, token: str, name: str, inputs: dict[str, Any]) -> Reply:
        """Make an object."""
        planned = self.plan(token, name, inputs, None)
        return self.ask(Op.CREATE, token, name, inputs=planned if self._named else inputs, planned=planned)

    def change(self, token: str, name: str, inputs: dict[str, Any], before: Reply) -> Reply:
        """Change it."""
        planned = self.plan(token, name, inputs, before)
        given = {"inputs": planned if self._named else inputs, "planned": planned, "prior_inputs": FIRST}
        reply = self.ask(Op.UPDATE, token, name, id=before.id, prior=before.value, **given)
        reply.id = reply.id or before.id
        return reply

    def delete(self, token: str, name: str, thing: Reply) -> None:
        """Delete it."""
        self.ask(Op.DELETE, token, name, id=thing.id, prior=thing.value, prior_inputs={})


def started(life: Life) -> None:
    """What an engine asks first."""
    life.ask(Op.GET_SCHEMA)
    life.ask(Op.CONFIGURE, inputs={})


def two(life: Life) -> None:
    """A disk and what is mounted on it are made, and nothing else happens."""
    started(life)
    disk = life.create(DISK.token, "d", FIRST)
    life.create(MOUNT.token, "m", {"disk": disk.id, "path": "/dev"})


def record(
    path: Path, family: str, major: int | None, live: Callable[[Life], None] = Life.run, *, definitions: Any = DEFINITIONS
) -> None:
    """A cassette of a life, over gRPC."""
    behind = Wiring("cloud", protocol=of_family(family, major))
    with (
        Double(*definitions, provider=recording(path, behind)) as double,
        double.serve(family, major=major) as serving,
        serving.client() as client,
    ):
        live(Life(client, family))


@contextmanager
def today(family: str, major: int | None, *layers: Layer, **given: Any) -> Iterator[str]:
    """Where the provider of today listens: with other ids, and with what has changed in it."""
    definitions = given.pop("definitions", DEFINITIONS)
    with Double(*definitions, layers=layers, seed=7, **given) as double, double.serve(family, major=major) as serving:
        yield str(serving.address)


def verified(path: Path, family: str, major: int | None, *layers: Layer, **given: Any) -> Any:
    """What came of asking the provider of today."""
    with today(family, major, *layers, **given) as address:
        return verify(path, attached(address, family, major=major))


def on(op: Op, change: Callable[[Reply], Reply], token: str = DISK.token) -> Layer:
    """A provider that answers this op about this type in another way."""

    def layer(call: Call, proceed: Handler) -> Reply:
        reply = proceed(call)
        return change(reply) if call.op is op and token in ("", call.type) else reply

    return layer


def other_ids(call: Call, proceed: Handler) -> Reply:
    """A provider whose ids have another form."""
    reply = proceed(replace(call, id=call.id.removeprefix(PREFIX)) if call.id else call)
    return replace(reply, id=f"{PREFIX}{reply.id}") if reply.id else reply

"""Runs of a few calls whose answers are told beforehand, to break the contract's rules one at a time."""

from __future__ import annotations

from itertools import count
from typing import Any

from msgspec.structs import replace

from mockprovider.calls import Call, Handler, Layer, Native, Op, Reply
from mockprovider.double import Double
from mockprovider.errors import MalformedError
from mockprovider.offers import Ephemeral
from mockprovider.schema import Function, Property, ResourceType
from mockprovider.terraform import ResourceTraits
from mockprovider.terraform.proto import protocol
from mockprovider.terraform.rpcs.methods import SERVICES
from mockprovider.terraform.rpcs.requests import schema_of
from mockprovider.terraform.schema.provider import ProviderSchema

TOKEN = "cloud:index:Bucket"
NAME = "cloud_bucket"
BUCKET = ResourceType(
    TOKEN,
    {
        "acl": Property(str),
        "size": Property(int),
        "zones": Property(list[str]),
        "tags": Property(set[str]),
        "arn": Property(str, computed=True),
    },
    traits=(ResourceTraits(version=1),),
)
LINK = ResourceType("cloud:index:Link", {"target": Property(str, default="self"), "name": Property(str)})

ZONE = Function("cloud:index:getZone", {"region": Property(str)}, {"zone": "zone-{region}"})
KEY = Ephemeral("cloud:index:Key", {"user": Property(str)}, {"secret": "s"})


def with_private_bytes() -> Layer:
    """A layer that has each answer bring private bytes of its own."""
    numbers = count()

    def bring(call: Call, proceed: Handler) -> Reply:
        reply = proceed(call)
        own = call.op in (Op.READ, Op.PLAN, Op.CREATE, Op.UPDATE)
        return replace(reply, private=f"private {next(numbers)}".encode()) if own else reply

    return bring


class Run:
    """A double whose provider answers what it is told to, and the session of an engine that asks it."""

    family = ""

    def __init__(self) -> None:
        self.double = Double(BUCKET, LINK, ZONE, KEY, provider=self._answer, name="cloud")
        self.session = self.double.open(self.family)
        self._reply = Reply()

    def _answer(self, _: Call) -> Reply:
        return self._reply

    @property
    def broken(self) -> list[str]:
        """The ids of the rules that were broken, each once, in the order of the first breaches."""
        return [*dict.fromkeys(breach.rule.id for breach in self.double.contract.breaches)]

    def restart(self) -> None:
        """Another session, as each command of an engine has its own."""
        self.session = self.double.open(self.family)


class PulumiRun(Run):
    """A run over Pulumi's protocol, of an instance that accepts what ``accepts`` names."""

    family = "pulumi"

    def start(self, *accepts: str) -> None:
        """Handshake and Configure."""
        self.ask(Op.HANDSHAKE, Reply(extra={f"accept_{word}": True for word in accepts}))
        self.ask(Op.CONFIGURE)

    def ask(self, op: Op, reply: Reply | None = None, name: str = "logs", **fields: Any) -> None:
        """One call, and what is answered."""
        self._reply = reply or Reply()
        urn = f"urn:pulumi:dev::shop::{TOKEN}::{name}"
        self.double(Call(op=op, session=self.session, name=name, **{"urn": urn, "type": TOKEN, **fields}))

    def check(self, inputs: Any, answered: Any = None, **fields: Any) -> None:
        """Check, which answers the inputs unless it is told others."""
        self.ask(Op.CHECK, Reply(inputs=inputs if answered is None else answered), inputs=inputs, **fields)

    def make(self, inputs: Any, outputs: Any = None, id_: str = "i-1") -> None:
        """Check and Create."""
        self.check(inputs)
        self.ask(Op.CREATE, Reply(id=id_, value=inputs if outputs is None else outputs), inputs=inputs)


class TerraformRun(Run):
    """A run over Terraform's protocol, with the messages that travel."""

    family = "terraform"

    def start(self) -> None:
        """Configure."""
        self.ask(Op.CONFIGURE)

    def ask(self, op: Op, reply: Reply | None = None, **fields: Any) -> None:
        """One call without a message, and what is answered."""
        self._reply = reply or Reply()
        self.double(Call(op=op, session=self.session, **{"type": TOKEN, **fields}))

    def tell_schema(self) -> None:
        """GetProviderSchema, with the answer that real providers give."""
        proto = protocol(6)
        asked: Any = proto.message("GetProviderSchema.Request")()
        answered = self.schema.message()
        call = SERVICES[6].methods["GetProviderSchema"].call(asked, self.session)
        call.native = Native(asked.SerializeToString(), asked)
        self._reply = Reply(native=Native(answered.SerializeToString(), answered))
        self.double(call)

    @property
    def schema(self) -> ProviderSchema:
        """What the payloads are read with."""
        schema = schema_of(self.session)
        assert schema is not None
        return schema

    @property
    def coder(self) -> Any:
        """The codec of the type."""
        return self.schema.resource(NAME)

    def dynamic(self, bag: Any) -> Any:
        """An object as messages carry it."""
        return {"msgpack": self.coder.encode(bag, "i-1")}

    def message(self, rpc: str, request: dict[str, Any], name: str = NAME, **answer: Any) -> None:
        """One call and its answer, both as messages."""
        proto = protocol(6)
        asked: Any = proto.message(f"{rpc}.Request")(**({"type_name": name} if name else {}), **request)
        answered: Any = proto.message(f"{rpc}.Response")(**answer)
        row = SERVICES[6].methods[rpc]
        call = row.call(asked, self.session)
        call.native = Native(asked.SerializeToString(), asked)
        try:
            self._reply = row.reply(answered, call)
        except MalformedError:
            # An answer that cannot be read is handed on as it is.
            self._reply = Reply()
        self._reply = replace(self._reply, native=Native(answered.SerializeToString(), answered))
        self.double(call)

    def plans_destroys(self) -> None:
        """The provider says that it plans deletions, too."""
        self.message("GetProviderSchema", {}, name="", server_capabilities={"plan_destroy": True})

    def source(self, rpc: str, coder: Any, config: Any, **answer: Any) -> None:
        """A read or an open of what has a configuration and no state."""
        answered = {field: {"msgpack": coder.encode(bag)} for field, bag in answer.items()}
        self.message(rpc, {"config": {"msgpack": coder.encode(config)}}, coder.name, **answered)

    def upgrade(self, state: Any, upgraded: Any = None) -> None:
        """A stored state, which is of today unless it is told what becomes of it."""
        stored = {"json": self.coder.encode_json(state, "i-1")}
        now = self.dynamic(state if upgraded is None else upgraded)
        version = int(upgraded is None)
        self.message("UpgradeResourceState", {"raw_state": stored, "version": version}, upgraded_state=now)

    def read(self, state: Any, answered: Any = None, private: bytes = b"", sent: bytes = b"") -> None:
        """A refresh."""
        now = state if answered is None else answered
        self.message(
            "ReadResource",
            {"current_state": self.dynamic(state), "private": sent},
            new_state=self.dynamic(now),
            private=private,
        )

    def plan(self, prior: Any, config: Any, planned: Any, private: bytes = b"", sent: bytes = b"", **answer: Any) -> None:
        """A plan, with the private bytes of the prior state, and those that it brings."""
        request = {"prior_state": prior, "proposed_new_state": config, "config": config}
        bags = {field: self.dynamic(bag) for field, bag in request.items()} | {"prior_private": sent}
        self.message("PlanResourceChange", bags, planned_state=self.dynamic(planned), planned_private=private, **answer)

    def delete(self, prior: Any, private: bytes = b"") -> None:
        """The apply of a null planned state."""
        self.apply(prior, None, None, private=private)

    def apply(
        self,
        prior: Any,
        planned: Any,
        made: Any,
        config: Any = None,
        *,
        private: bytes = b"",
        brings: bytes = b"",
        **answer: Any,
    ) -> None:
        """An apply of a configuration that has just been validated, with the private bytes of its plan, and those it brings."""
        request = {"prior_state": prior, "planned_state": planned, "config": planned if config is None else config}
        bags = {field: self.dynamic(bag) for field, bag in request.items()}
        if planned is not None:
            self.message("ValidateResourceConfig", {"config": bags["config"]})
        answer = {"new_state": self.dynamic(made), "private": brings, **answer}
        self.message("ApplyResourceChange", {**bags, "planned_private": private}, **answer)

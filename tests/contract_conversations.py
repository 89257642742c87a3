"""Ordinary conversations between an engine and a provider whose answers are changed on their way: of both protocols."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from msgspec.structs import replace

from mockprovider.calls import Call, Native, Op, Reply
from mockprovider.double import Double
from mockprovider.errors import MockProviderError
from mockprovider.offers import Ephemeral, ProviderFunction
from mockprovider.schema import Function, Kind, Property, ResourceType
from mockprovider.terraform import ResourceTraits
from mockprovider.terraform.proto import protocol
from mockprovider.terraform.rpcs.methods import SERVICES
from mockprovider.terraform.rpcs.requests import schema_of
from mockprovider.terraform.values import packing, statejson
from mockprovider.values import UNKNOWN, Secret

Mistake: TypeAlias = Callable[[Call, Reply], Reply]
"""What becomes of an answer."""

BUCKET = ResourceType(
    "cloud:index:Bucket",
    {
        "acl": Property(str),
        "keys": Property(list[str]),
        "size": Property(int),
        "label": Property(str),
        "arn": Property(str, computed="arn:{id}"),
    },
)
THING = ResourceType(
    "cloud:index:Thing",
    {
        "name": Property(str),
        "size": Property(int),
        "pin": Property(str, write_only=True),
        "rules": Property(Kind("array", items=Kind("object", properties={"port": Property(int)}))),
        "made": Property(str, computed="made of {id}"),
    },
    traits=(ResourceTraits(identity=("name",)),),
)
ZONE = Function("cloud:index:getZone", {"region": Property(str)}, {"zone": "zone-{region}"})
KEY = Ephemeral("cloud:index:Key", {"user": Property(str)}, {"secret": "s"})
TWICE = ProviderFunction("cloud:index:twice", {"of": Property(float)}, returns=float, implementation=lambda of: 2 * of)


class RefusedError(Exception):
    """The engine stops here: an answer was an error, or cannot be gone on with."""


class Conversation:
    """A provider with a mistake, which is a fake behind a change of its answers, and the engine that asks it."""

    family = ""

    def __init__(self, mistake: Mistake) -> None:
        offers = (BUCKET, THING, ZONE, KEY, TWICE)
        self.mistake = mistake
        self.fake = Double(*offers, name="cloud")
        self.double = Double(*offers, name="cloud", provider=self.answer)

    def start(self, *, preview: bool = False) -> None:
        """A new session."""
        self.session, self.behind = self.double.open(self.family), self.fake.open(self.family)
        self.session.preview = preview

    def answer(self, call: Call) -> Reply:
        """What the provider answers."""
        return self.mistake(call, self.fake(replace(call, session=self.behind)))

    def broken(self, *parts: Callable[[], None]) -> list[str]:
        """The rules that were broken in all parts of the conversation, each once."""
        for part in parts:
            try:
                part()
            except (RefusedError, MockProviderError):
                # What an engine makes of a wrong answer is not the question here.
                continue
        return [*dict.fromkeys(breach.rule.id for breach in self.double.contract.breaches)]


NEWS = {"acl": Secret("private-acl"), "keys": [Secret("key-1"), "key-2"]}
CONFIG = {"id": None, "name": "a", "size": None, "pin": "1", "rules": [{"port": 1}], "made": None}


class PulumiConversation(Conversation):
    """Two runs of an engine, each with a preview."""

    family = "pulumi"

    def start(self, *, preview: bool = False) -> None:
        """Handshake and Configure."""
        super().start(preview=preview)
        self.ask(Op.HANDSHAKE)
        self.ask(Op.CONFIGURE, inputs={})

    def answer(self, call: Call) -> Reply:
        """Secrets are accepted."""
        return Reply(extra={"accept_secrets": True}) if call.op is Op.HANDSHAKE else super().answer(call)

    def ask(self, op: Op, name: str = "logs", **words: Any) -> Reply:
        """One call, and its answer. Raises ``RefusedError`` for an error."""
        urn = f"urn:pulumi:dev::shop::{BUCKET.token}::{name}"
        reply = self.double(Call(op=op, session=self.session, urn=urn, name=name, **{"type": BUCKET.token, **words}))
        if not reply.ok:
            raise RefusedError
        return reply

    def check(self, name: str, news: Any, olds: Any, seed: bytes) -> Any:
        """The checked inputs."""
        inputs = self.ask(Op.CHECK, name, inputs=news, prior_inputs=olds, seed=seed).inputs
        if inputs is None:
            raise RefusedError
        return inputs

    def makes(self, name: str) -> dict[str, Any]:
        """A preview of a create, and the create, in sessions of their own. Returns what an engine remembers."""
        for preview in (True, False):
            self.start(preview=preview)
            inputs = self.check(name, NEWS, {}, b"1" * 32)
            made = self.ask(Op.CREATE, name, inputs=inputs, preview=preview)
        return {"id": made.id, "prior": made.value or {}, "prior_inputs": inputs}

    def lives(self) -> None:
        """Two objects are made; one is refreshed, stays, is changed, is read by its id, and is deleted."""
        self.makes("others")
        old = self.makes("logs")
        self.changes(old)

    def changes(self, old: dict[str, Any]) -> None:
        """The second run."""
        self.start()
        self.ask(Op.READ, **old)
        inputs = self.check("logs", NEWS, old["prior_inputs"], b"2" * 32)
        self.ask(Op.DIFF, inputs=inputs, **old)
        news = {**NEWS, "acl": Secret("public-acl")}
        for preview in (True, False):
            self.start(preview=preview)
            inputs = self.check("logs", news, old["prior_inputs"], b"3" * 32)
            self.ask(Op.DIFF, inputs=inputs, **old)
            made = self.ask(Op.UPDATE, inputs=inputs, preview=preview, **old)
        self.ask(Op.READ, id=old["id"])
        self.ask(Op.DELETE, **{**old, "prior": made.value or {}, "prior_inputs": inputs})

    def asks(self) -> None:
        """A function is called."""
        self.start()
        self.ask(Op.INVOKE, "", type=ZONE.token, inputs={"region": "eu"})


def pulumi_breaches(mistake: Mistake) -> list[str]:
    """The rules that are broken where a provider of Pulumi's makes this mistake."""
    talk = PulumiConversation(mistake)
    return talk.broken(talk.lives, talk.asks)


class TerraformConversation(Conversation):
    """Plans and applies, each in a session of its own, in the messages of major 5, in which lists of objects are blocks."""

    family = "tfplugin5"

    def start(self, *, preview: bool = False) -> None:
        """Configure."""
        super().start(preview=preview)
        self.double(Call(op=Op.CONFIGURE, session=self.session, inputs={}))

    def answer(self, call: Call) -> Reply:
        """What the provider answers, as a message."""
        if call.native is None:
            return super().answer(call)
        method = SERVICES[5].methods[call.method]
        asked = method.call(call.native.message, self.behind)
        asked.native = call.native
        reply = self.fake(asked)
        # What the engine asks may follow a mistake: the fake's own check would refuse to go along.
        message = method.response(replace(reply, unchecked=True), asked)
        changed = self.mistake(call, Reply(native=Native(message.SerializeToString(), message))).native
        assert changed is not None
        try:
            return replace(method.reply(changed.message, call), native=changed)
        except MockProviderError:
            return Reply(native=changed)

    def ask(self, rpc: str, **words: Any) -> Any:
        """One call, and the message that answers it."""
        proto = protocol(5)
        request: Any = proto.message(f"{proto.wire_name(rpc)}.Request")(**words)
        call = SERVICES[5].methods[proto.wire_name(rpc)].call(request, self.session)
        call.native = Native(request.SerializeToString(), request)
        reply = self.double(call)
        if reply.native is None or any(
            diagnostic.severity == 1 for diagnostic in getattr(reply.native.message, "diagnostics", ())
        ):
            raise RefusedError
        return reply.native.message

    @property
    def type(self) -> Any:
        """The type of the objects."""
        schema = schema_of(self.session)
        assert schema is not None
        return schema.resource("cloud_thing").type

    def dynamic(self, value: Any) -> dict[str, bytes]:
        """An object as messages carry it."""
        return {"msgpack": packing.pack(value, self.type)}

    def value(self, dynamic: Any) -> Any:
        """The object in a message. Raises ``RefusedError`` where there is none."""
        value = packing.unpack(dynamic.msgpack, self.type)
        if value is None:
            raise RefusedError
        return value

    def planned(self, prior: Any, config: Any) -> Any:
        """The answer to a plan."""
        computed = {name: UNKNOWN if prior is None else prior[name] for name in ("id", "made")}
        proposed = None if config is None else {**config, **computed, "pin": None}
        bags = {"prior_state": prior, "config": config, "proposed_new_state": proposed}
        return self.ask(
            "PlanResourceChange", type_name="cloud_thing", **{word: self.dynamic(bag) for word, bag in bags.items()}
        )

    def applied(self, prior: Any, config: Any) -> Any:
        """The answer to an apply of what is planned now; a delete is not planned again."""
        plan = self.planned(prior, config).planned_state.msgpack if config is not None else packing.pack(None, self.type)
        words = {"prior_state": self.dynamic(prior), "config": self.dynamic(config), "planned_state": {"msgpack": plan}}
        if config is not None:
            self.ask("ValidateResourceConfig", type_name="cloud_thing", config=self.dynamic(config))
        return self.ask("ApplyResourceChange", type_name="cloud_thing", **words)

    def upgraded(self, state: Any) -> Any:
        """The stored state, as the provider upgrades it."""
        raw = {"json": statejson.to_json(state, self.type)}
        return self.value(self.ask("UpgradeResourceState", type_name="cloud_thing", raw_state=raw).upgraded_state)

    def lives(self) -> None:
        """An object is planned and made; it is refreshed, stays, is changed, imported, and is destroyed."""
        self.start()
        self.planned(None, {**CONFIG, "size": UNKNOWN})
        self.planned(None, CONFIG)
        self.start()
        made = self.applied(None, CONFIG)
        state, identity = self.value(made.new_state), {"identity_data": {"msgpack": made.new_identity.identity_data.msgpack}}
        self.start()
        state = self.upgraded(state)
        words = {"current_state": self.dynamic(state), "current_identity": identity}
        read = self.value(self.ask("ReadResource", type_name="cloud_thing", **words).new_state)
        self.planned(read, CONFIG)
        self.changes(state)

    def changes(self, state: Any) -> None:
        """A change, an import, and the end."""
        self.start()
        state = self.value(self.applied(self.upgraded(state), {**CONFIG, "name": "b"}).new_state)
        self.ask("ImportResourceState", type_name="cloud_thing", id=state["id"])
        self.start()
        self.planned(self.upgraded(state), None)
        self.applied(state, None)

    def asks(self) -> None:
        """A data source is read, an ephemeral resource opened, and a function called twice."""
        self.start()
        schema = schema_of(self.session)
        assert schema is not None
        zone, key = schema.data_source("cloud_zone"), schema.ephemeral("cloud_key")
        for rpc, coder, config in (
            ("ReadDataSource", zone, {"region": "eu"}),
            ("OpenEphemeralResource", key, {"user": "me"}),
        ):
            self.ask(rpc, type_name=coder.name, config={"msgpack": coder.encode(config)})
        for _ in range(2):
            self.ask("CallFunction", name="twice", arguments=[{"msgpack": packing.pack_any(2.0)}])


def terraform_breaches(mistake: Mistake) -> list[str]:
    """The rules that are broken where a provider of Terraform's makes this mistake."""
    talk = TerraformConversation(mistake)
    return talk.broken(talk.lives, talk.asks)

"""A small Terraform engine: one type, states that it stores as JSON, a plan and an apply with instances of their own.

It is the right engine that the catalogue of mistakes changes, a line at a time.
"""

from __future__ import annotations

from typing import Any

from mockprovider.calls import Native
from mockprovider.double import Double
from mockprovider.terraform.proto import protocol
from mockprovider.terraform.rpcs.methods import SERVICES
from mockprovider.terraform.rpcs.requests import schema_of

PROTO, METHODS = protocol(6), SERVICES[6].methods


class Engine:
    """Applies configurations of one type, by name, in process and with the messages that travel."""

    def __init__(self, double: Double, name: str, ephemeral: str) -> None:
        self.double, self.name, self.ephemeral = double, name, ephemeral
        self.state: dict[str, Any] = {}

    def apply(self, wanted: dict[str, Any]) -> None:
        """Plan, and apply what was planned."""
        self.start()
        doomed = {}
        for name, config in {**dict.fromkeys(self.state), **wanted}.items():
            state, private = self.refreshed(name)
            plan = self.planned(state, private, config)
            if state and (config is None or plan.requires_replace):
                doomed[name] = plan.planned_private
        self.start()
        opened = self.ask("OpenEphemeralResource", self.ephemeral, config=self.dynamic({}, self.ephemeral))
        self.ask("RenewEphemeralResource", self.ephemeral, private=opened.private)
        for name, private in doomed.items():
            state, _ = self.loaded(name)
            self.applied(state, None, None, private)
            del self.state[name]
        for name, config in wanted.items():
            state, private = self.loaded(name)
            plan = self.planned(state, private, config)
            if state is None or plan.planned_state.msgpack != state.msgpack:
                answer = self.applied(state, plan.planned_state, config, plan.planned_private)
                self.keep(name, answer.new_state, answer.private)
        self.ask("CloseEphemeralResource", self.ephemeral, private=opened.private)
        self.ask("StopProvider", "")

    def start(self) -> None:
        """An instance that is configured."""
        self.session = self.double.open("terraform")
        self.ask("GetProviderSchema", "")
        self.ask("ConfigureProvider", "", config={"msgpack": b"\x80"})

    def loaded(self, name: str) -> tuple[Any, bytes]:
        """What is stored, as the provider has it today."""
        kept = self.state.get(name)
        if kept is None:
            return None, b""
        stored = {"json": kept["json"]}
        return self.ask("UpgradeResourceState", self.name, version=0, raw_state=stored).upgraded_state, kept["private"]

    def refreshed(self, name: str) -> tuple[Any, bytes]:
        """What is there; nothing is stored of what is gone."""
        state, private = self.loaded(name)
        if state is None:
            return None, b""
        answer = self.ask("ReadResource", self.name, current_state=state, private=private)
        self.keep(name, answer.new_state, answer.private)
        return answer.new_state, answer.private

    def planned(self, state: Any, private: bytes, config: Any) -> Any:
        """A plan; one that replaces is made again, as if there were nothing."""
        coder = self.coder(self.name)
        bag, id_ = coder.decode(state) if state else ({}, "")
        proposed = None if config is None else {**{key: bag[key] for key in bag if key == "arn"}, **config}
        if config is not None:
            self.ask("ValidateResourceConfig", self.name, config=self.dynamic(config))
        return self.ask(
            "PlanResourceChange",
            self.name,
            prior_state=state or self.dynamic(None),
            prior_private=private,
            proposed_new_state={"msgpack": coder.encode(proposed, id_)},
            config=self.dynamic(config),
        )

    def applied(self, state: Any, planned: Any, config: Any, private: bytes) -> Any:
        """A create, an update or a delete."""
        return self.ask(
            "ApplyResourceChange",
            self.name,
            prior_state=state or self.dynamic(None),
            planned_state=planned or self.dynamic(None),
            config=self.dynamic(config),
            planned_private=private,
        )

    def keep(self, name: str, state: Any, private: bytes) -> None:
        """Store a state."""
        coder = self.coder(self.name)
        self.state[name] = {"json": coder.encode_json(*coder.decode(state)), "private": private}

    def coder(self, name: str) -> Any:
        """What reads and writes the objects of a type."""
        schema: Any = schema_of(self.session)
        return schema.ephemeral(name) if name == self.ephemeral else schema.resource(name)

    def dynamic(self, bag: Any, name: str = "") -> Any:
        """A configuration as messages carry it."""
        return {"msgpack": self.coder(name or self.name).encode(bag)}

    def ask(self, rpc: str, type_: str, **fields: Any) -> Any:
        """The answer to one call. Raises ``RuntimeError`` where it failed."""
        row = METHODS[rpc]
        named = {"type_name": type_} if type_ else {}
        message: Any = PROTO.message("StopProvider.Request" if rpc == "StopProvider" else f"{rpc}.Request")(**named, **fields)
        call = row.call(message, self.session)
        call.native = Native(message.SerializeToString(), message)
        reply = self.double(call)
        if not reply.ok:
            raise RuntimeError(f"{rpc}: {reply.failures}")
        return row.response(reply, call)

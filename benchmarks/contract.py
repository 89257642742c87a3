"""What judging a run by the contract takes, beside the run itself: in processor time, which a busy machine changes less.

A run is judged when it is over, from its journal, so a call takes the same with and without. Each row is the judging of one run
against that run. A run of the embedded engine is what users' tests do; calls in process are the most calls in the least time.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator
from typing import Any

import msgpack
from layers import BUCKET
from measure import Row, report
from msgspec.structs import replace

from mockprovider.calls import Call, Native, Op, Reply
from mockprovider.double import Double
from mockprovider.schema import Property, ResourceType
from mockprovider.terraform.proto import protocol
from mockprovider.terraform.rpcs.methods import SERVICES
from mockprovider.terraform.rpcs.requests import schema_of
from mockprovider.terraform.values import packing
from mockprovider.values import UNKNOWN
from mockprovider.wire.server import Endpoint

ROUNDS = 10
OBJECTS = 100
SITE = ResourceType(
    "cloud:index:Site",
    {
        **BUCKET.properties,
        "size": Property(int),
        "tags": Property(dict[str, str]),
        "zones": Property(list[str]),
        "owner": Property(str),
        "note": Property(str),
    },
)
NEWS = {"size": 3, "tags": {"a": "b"}, "zones": ["x", "y"], "owner": "x" * 20, "note": "y", "acl": "private"}
NAME = SITE.terraform


def pulumi() -> Double:
    """Objects that are made, read, changed and deleted, as Pulumi's engine would ask for it."""
    double = Double(SITE)
    session = double.open("pulumi")
    double(Call(op=Op.HANDSHAKE, session=session))
    double(Call(op=Op.CONFIGURE, session=session, inputs={}))
    for index in range(OBJECTS):
        name = f"site-{index}"
        known: dict[str, Any] = {"session": session, "type": SITE.token, "name": name}
        known["urn"] = f"urn:pulumi:dev::project::{SITE.token}::{name}"
        inputs = double(Call(op=Op.CHECK, inputs={"name": name, **NEWS}, **known)).inputs
        made = double(Call(op=Op.CREATE, inputs=inputs, **known))
        old = {"id": made.id, "prior": made.value, "prior_inputs": inputs}
        double(Call(op=Op.READ, **old, **known))
        news = double(Call(op=Op.CHECK, inputs={"name": name, **NEWS, "acl": "public"}, prior_inputs=inputs, **known)).inputs
        double(Call(op=Op.DIFF, inputs=news, **old, **known))
        changed = double(Call(op=Op.UPDATE, inputs=news, **old, **known))
        double(Call(op=Op.DELETE, id=made.id, prior=changed.value, prior_inputs=news, **known))
    return double


def embedded() -> Double:
    """An up, an up without changes and a destroy of the embedded engine."""
    import pulumi as sdk  # noqa: PLC0415 - slow to import, and only needed here

    from mockprovider.engine import Stack  # noqa: PLC0415 - as above

    class Site(sdk.CustomResource):
        def __init__(self, name: str) -> None:
            super().__init__(SITE.token, name, {"name": name, **NEWS, "arn": None})

    def program() -> None:
        for index in range(OBJECTS):
            sdk.export(f"arn{index}", Site(f"site-{index}").arn)  # type: ignore[attr-defined]

    double = Double(SITE)
    stack = Stack(double)
    stack.up(program, timeout=600)
    stack.up(program, timeout=600)
    stack.destroy(timeout=600)
    return double


class RealProvider:
    """What answers as a process behind a proxy does, in messages: the fake's."""

    def __init__(self) -> None:
        self._fake = Double(SITE)
        self._session = self._fake.open("terraform")

    def __call__(self, call: Call) -> Reply:
        """The answer and its message."""
        if call.native is None:
            return Reply()
        method = SERVICES[6].methods[call.method]
        asked = method.call(call.native.message, self._session)
        asked.native = call.native
        message = method.response(self._fake(asked), asked)
        return replace(method.reply(message, call), native=Native(message.SerializeToString(), message))


def terraform(provider: Callable[[Call], Reply] | None = None) -> Double:
    """Objects that are validated, planned, made, read, changed and deleted: from the bytes of requests to those of answers."""
    double = Double(SITE, provider=provider)
    session = double.open("terraform")
    endpoint, proto = Endpoint(SERVICES[6], double, lambda _: session), protocol(6)

    def ask(rpc: str, **words: Any) -> Any:
        name = proto.wire_name(rpc)
        request: Any = proto.message(f"{name}.Request")(**words)
        [answer] = endpoint.answers(SERVICES[6].methods[name], name, [request.SerializeToString()], "engine")
        return proto.message(f"{name}.Response").FromString(answer)

    ask("GetProviderSchema")
    ask("ConfigureProvider", config={"msgpack": msgpack.packb({})})
    schema = schema_of(session)
    assert schema is not None
    kind = schema.resource(NAME).type

    def change(prior: Any, config: Any, private: bytes) -> Any:
        """A plan and its apply; ``prior`` is bytes, ``config`` an object."""
        packed, named = {"msgpack": packing.pack(config, kind)}, {"type_name": NAME, "prior_state": {"msgpack": prior}}
        before = packing.unpack(prior, kind) or {"arn": UNKNOWN, "id": UNKNOWN}
        proposed = None if config is None else {**config, "arn": before["arn"], "id": before["id"]}
        if config is not None:
            ask("ValidateResourceConfig", type_name=NAME, config=packed)
        proposal = {"msgpack": packing.pack(proposed, kind)}
        plan = ask("PlanResourceChange", config=packed, proposed_new_state=proposal, prior_private=private, **named)
        planned = {"planned_state": {"msgpack": plan.planned_state.msgpack}, "planned_private": plan.planned_private}
        return ask("ApplyResourceChange", config=packed, **planned, **named)

    nothing = packing.pack(None, kind)
    for index in range(OBJECTS):
        config = dict.fromkeys(kind.attributes) | NEWS | {"name": f"site-{index}"}
        made = change(nothing, config, b"")
        state = {"msgpack": made.new_state.msgpack}
        there = ask("ReadResource", type_name=NAME, current_state=state, private=made.private)
        made = change(there.new_state.msgpack, config | {"acl": "public"}, there.private)
        change(made.new_state.msgpack, None, made.private)
    return double


RUNS: dict[str, tuple[Callable[[], Double], str]] = {
    "a run of the embedded engine": (embedded, "15%"),
    "Pulumi, in process": (pulumi, "15%"),
    "Terraform, from bytes to bytes": (terraform, "15%"),
    "Terraform, a real provider's messages": (lambda: terraform(RealProvider()), "15%"),
}


def measured(run: Callable[[], Double]) -> tuple[float, float]:
    """Microseconds of processor time a call: of judging, and of the run."""
    judging, running = [], []
    for _ in range(ROUNDS):
        gc.collect()
        start = time.process_time()
        double = run()
        ran = time.process_time()
        breaches = double.contract.breaches
        judging.append(time.process_time() - ran)
        running.append(ran - start)
        if breaches:
            raise SystemExit(f"This run breaks the contract, so it is no usual one: {breaches[0]}")
    calls = len(double.journal) / 2
    return min(judging) / calls * 1e6, min(running) / calls * 1e6


def rows() -> Iterator[Row]:
    """One row for each kind of run."""
    for what, (run, target) in RUNS.items():
        judging, running = measured(run)
        yield Row(f"judging {what}, a call", "µs", judging, "the call itself, which is the same without", running, target)


if __name__ == "__main__":
    report(rows())

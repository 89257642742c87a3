"""A provider with list resources, actions and a state store, in Python, and an engine that uses all of it over gRPC.

``Depot`` answers as the real provider of ``tools/engines/depot`` does, as far as ``life`` asks.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import UUID

import grpc
from msgspec.structs import replace

from mockprovider.calls import Call, Native, Reply
from mockprovider.double import Double, Wiring
from mockprovider.protocols import by_name
from mockprovider.tape import load
from mockprovider.terraform.proto import protocol
from mockprovider.terraform.rpcs.methods import SERVICES
from mockprovider.terraform.values import packing

SECONDS = 60
SERVICE = SERVICES[6]
KEY, TOKEN = "sesame-open-the-door", "token-of-the-store"
LINEAGE = "f137cac9-3ac8-b786-2a44-820be74a624c"
BOX = {"id": None, "name": None, "content": None, "key": None}


def message(name: str, **fields: Any) -> Any:
    """A message of protocol 6; a field that is a value is given as one."""
    built: Any = protocol(6).message(name)()
    for field, value in fields.items():
        kind = built.DESCRIPTOR.fields_by_name[field].message_type
        if kind is not None and kind.name == "DynamicValue":
            getattr(built, field).msgpack = packing.pack_any(value)
        elif kind is not None and not isinstance(value, (list, dict)):
            getattr(built, field).CopyFrom(value)
        elif isinstance(value, list):
            getattr(built, field).extend(value)
        elif isinstance(value, dict):
            for key, item in value.items():
                getattr(built, field)[key].CopyFrom(item)
        else:
            setattr(built, field, value)
    return built


def value(dynamic: Any) -> Any:
    """The value in a DynamicValue."""
    return packing.unpack_any(dynamic.msgpack)


def wrong(summary: str, detail: str = "") -> list[Any]:
    """The diagnostics that say one thing."""
    return [message("Diagnostic", severity=1, summary=summary, detail=detail)]


def state_file(serial: int = 1, lineage: str = LINEAGE, key: str = KEY, more: Any = None) -> bytes:
    """A state as Terraform writes it, with a secret in an output and in an attribute."""
    attributes = {"content": "a < b & c", "id": "b-1", "key": key, "name": "one"}
    instance = {
        "schema_version": 0,
        "attributes": attributes,
        "sensitive_attributes": [[{"type": "get_attr", "value": "key"}]],
        "identity_schema_version": 0,
        "identity": {"id": "b-1"},
    }
    resource = {
        "mode": "managed",
        "type": "depot_box",
        "name": "one",
        "provider": 'provider["registry.terraform.io/mockprovider/depot"]',
        "instances": [instance],
    }
    outputs = {"key": {"value": [key], "type": ["tuple", ["string"]], "sensitive": True}}
    if more is not None:
        outputs["more"] = {"value": more, "type": "dynamic"}
    state = {
        "version": 4,
        "terraform_version": "1.17.0",
        "serial": serial,
        "lineage": lineage,
        "outputs": outputs,
        "resources": [resource],
        "check_results": None,
    }
    text = json.dumps(state, indent=2, ensure_ascii=False)
    for mark in "<>&\u2028":
        text = text.replace(mark, f"\\u{ord(mark):04x}")
    return text.encode() + b"\n"


def chunks(data: bytes, size: int, state_id: str = "default") -> list[Any]:
    """The messages with which an engine sends a state."""
    sent = []
    for start in range(0, len(data), size):
        part = message("WriteStateBytes.RequestChunk", bytes=data[start : start + size], total_length=len(data))
        part.range.start, part.range.end = start, start + len(part.bytes) - 1
        sent.append(part)
    sent[0].meta.type_name, sent[0].meta.state_id = "depot_store", state_id
    return sent


# The provider ------------------------------------------------------------------------------------------------------------


class Depot:
    """The provider, as a handler: a box, a list of boxes, a stamp on a box, and a store of states."""

    def __init__(self) -> None:
        self.boxes: dict[str, dict[str, Any]] = {}
        self.states: dict[str, bytes] = {}
        self.locks: dict[str, str] = {}
        self.stamps: list[str] = []
        self.calls: list[Call] = []
        self.chunk = 0
        self._shelf = ""

    def wiring(self) -> Wiring:
        """This, as what stands behind a double."""
        return Wiring("depot", provider=self, protocol=by_name("tfplugin6"))

    def __call__(self, call: Call) -> Reply:
        self.calls.append(call)
        request = call.native.message if call.native else [native.message for native in call.stream or ()]
        answer = getattr(self, re.sub("(?<=[a-z])(?=[A-Z])", "_", call.method).lower())(request)
        row = SERVICE.methods[call.method]
        if isinstance(answer, list):
            reply = row.replies(answer, call) if row.replies else Reply()
            return replace(reply, stream=tuple(Native(one.SerializeToString(), one) for one in answer))
        return replace(row.reply(answer, call), native=Native(answer.SerializeToString(), answer))

    def get_provider_schema(self, _: Any) -> Any:
        def schema(**attributes: str) -> Any:
            block = message("Schema.Block")
            for name, flags in attributes.items():
                block.attributes.add(name=name, type=b'"string"', **dict.fromkeys(flags.split(), True))
            return message("Schema", block=block)

        action = message("ActionSchema", schema=schema(box="required", text="required"))
        box = schema(id="computed", name="required", content="required", key="required sensitive")
        return message(
            "GetProviderSchema.Response",
            provider=schema(folder="required"),
            resource_schemas={"depot_box": box},
            list_resource_schemas={"depot_box": schema(prefix="optional")},
            action_schemas={"depot_stamp": action},
            state_store_schemas={"depot_store": schema(shelf="required", token="optional")},
        )

    def configure_provider(self, _: Any) -> Any:
        return message("ConfigureProvider.Response")

    def plan_resource_change(self, request: Any) -> Any:
        planned = value(request.proposed_new_state)
        return message("PlanResourceChange.Response", planned_state={**planned, "id": planned["id"] or packing.Unknown()})

    def apply_resource_change(self, request: Any) -> Any:
        box = {**value(request.planned_state), "id": f"b-{len(self.boxes) + 1}"}
        self.boxes[box["id"]] = box
        return message("ApplyResourceChange.Response", new_state=box)

    def validate_list_resource_config(self, _: Any) -> Any:
        return message("ValidateListResourceConfig.Response")

    def list_resource(self, request: Any) -> list[Any]:
        prefix = value(request.config)["prefix"]
        events = []
        for box in sorted(self.boxes.values(), key=lambda box: str(box["name"])):
            if box["name"].startswith(prefix):
                identity = message("ResourceIdentityData", identity_data={"id": box["id"]})
                whole = {"resource_object": box} if request.include_resource_object else {}
                events.append(message("ListResource.Event", identity=identity, display_name=box["name"], **whole))
        return events or [message("ListResource.Event", diagnostic=wrong("no such boxes", f"No box begins with {prefix!r}."))]

    def validate_action_config(self, _: Any) -> Any:
        return message("ValidateActionConfig.Response")

    def plan_action(self, _: Any) -> Any:
        return message("PlanAction.Response")

    def invoke_action(self, request: Any) -> list[Any]:
        config = value(request.config)
        done = message("InvokeAction.Event")
        done.completed.SetInParent()
        if config["box"] not in self.boxes:
            done.completed.diagnostics.extend(wrong("no such box", f"There is no box {config['box']} to stamp."))
            return [done]
        self.stamps.append(config["text"])
        told = message("InvokeAction.Event")
        told.progress.message = f"stamp {len(self.stamps)} on {config['box']}"
        return [told, done]

    def validate_state_store_config(self, _: Any) -> Any:
        return message("ValidateStateStore.Response")

    def configure_state_store(self, request: Any) -> Any:
        self._shelf, self.chunk = value(request.config)["shelf"], request.capabilities.chunk_size
        answer = message("ConfigureStateStore.Response")
        answer.capabilities.chunk_size = self.chunk
        return answer

    def _place(self, name: str) -> str:
        return f"{self._shelf}/{name}"

    def get_states(self, _: Any) -> Any:
        names = sorted(name.partition("/")[2] for name in self.states if name.startswith(self._place("")))
        return message("GetStates.Response", state_id=names)

    def lock_state(self, request: Any) -> Any:
        if self._place(request.state_id) in self.locks:
            return message("LockState.Response", diagnostics=wrong("Workspace Already Locked"))
        self.locks[self._place(request.state_id)] = lock = str(UUID(int=len(self.calls)))
        return message("LockState.Response", lock_id=lock)

    def unlock_state(self, request: Any) -> Any:
        if self.locks.get(self._place(request.state_id)) != request.lock_id:
            return message("UnlockState.Response", diagnostics=wrong("the lock is another's"))
        del self.locks[self._place(request.state_id)]
        return message("UnlockState.Response")

    def read_state_bytes(self, request: Any) -> list[Any]:
        data = self.states.get(self._place(request.state_id), b"")
        if not data:
            return []
        answers = []
        for part in chunks(data, self.chunk):
            part.ClearField("meta")
            answers.append(protocol(6).message("ReadStateBytes.Response").FromString(_renumbered(part)))
        return answers

    def write_state_bytes(self, messages: Sequence[Any]) -> Any:
        self.states[self._place(messages[0].meta.state_id)] = b"".join(part.bytes for part in messages)
        return message("WriteStateBytes.Response")

    def delete_state(self, request: Any) -> Any:
        del self.states[self._place(request.state_id)]
        return message("DeleteState.Response")


def _renumbered(chunk: Any) -> bytes:
    """A chunk of a request as one of an answer, whose fields have other numbers."""
    part = message("ReadStateBytes.Response", bytes=chunk.bytes, total_length=chunk.total_length, range=chunk.range)
    data: bytes = part.SerializeToString()
    return data


# The engine --------------------------------------------------------------------------------------------------------------


class Engine:
    """What an engine asks over gRPC. ``seen`` has each RPC with the messages of its answer."""

    def __init__(self, address: str) -> None:
        options = [("grpc.use_local_subchannel_pool", 1), ("grpc.max_receive_message_length", -1)]
        self._channel = grpc.insecure_channel(address, options=options)
        self.close = self._channel.close
        self.seen: list[tuple[str, list[Any]]] = []
        self.patient = False
        """Whether it goes on after a call that ended in an error."""

    def ask(self, rpc: str, request: Any = None, **fields: Any) -> Any:
        """The answer, or the messages of an answer that is a stream. ``request`` may be the messages of one."""
        descriptor = protocol(6).service().methods_by_name[rpc]
        asked, answered, streams = SERVICE.messages[rpc]
        sent = message(descriptor.input_type.full_name.partition(".")[2], **fields) if request is None else request
        ways = f"{'stream' if descriptor.client_streaming else 'unary'}_{'stream' if streams else 'unary'}"
        call = getattr(self._channel, ways)(f"/{SERVICE.name}/{rpc}", asked.SerializeToString, answered.FromString)
        try:
            answer = call(iter(sent) if descriptor.client_streaming else sent, timeout=SECONDS)
            messages = list(answer) if streams else [answer]
        except grpc.RpcError:
            if not self.patient:
                raise
            return [] if streams else answered()
        self.seen.append((rpc, messages))
        return messages if streams else answer

    def raw(self, rpc: str, messages: Iterable[bytes]) -> list[bytes]:
        """The messages that answer an RPC that nobody knows."""
        return list(self._channel.stream_stream(f"/{SERVICE.name}/{rpc}", None, None)(iter(messages), timeout=SECONDS))


@contextmanager
def engine(double: Double) -> Iterator[Engine]:
    """An engine that is attached to the double."""
    with double.serve("terraform", major=6) as serving:
        asking = Engine(serving.address)
        try:
            yield asking
        finally:
            asking.close()


@contextmanager
def session(wiring: Wiring) -> Iterator[tuple[Engine, Double]]:
    """An engine attached to a double of ``wiring``, whose errors fail the test."""
    with Double(provider=wiring) as double:
        with engine(double) as asking:
            yield asking, double
        double.raise_errors()


def begin(asking: Engine, folder: str = "here", *, shelf: str = "main", chunk: int = 64, token: str = TOKEN) -> None:
    """Configure the provider and its store."""
    asking.ask("GetProviderSchema")
    asking.ask("ConfigureProvider", terraform_version="1.17.0", config={"folder": folder})
    store = {"type_name": "depot_store", "config": {"shelf": shelf, "token": token}}
    asking.ask("ValidateStateStoreConfig", **store)
    asking.ask("ConfigureStateStore", **store, capabilities=message("StateStoreClientCapabilities", chunk_size=chunk))


def make(asking: Engine, name: str, key: str = KEY) -> str:
    """Make a box. Returns its id."""
    wanted = {**BOX, "name": name, "content": "paper", "key": key}
    states = {"prior_state": None, "config": wanted}
    plan = asking.ask("PlanResourceChange", type_name="depot_box", proposed_new_state=wanted, **states)
    request = message("ApplyResourceChange.Request", type_name="depot_box", **states)
    request.planned_state.CopyFrom(plan.planned_state)
    return str(value(asking.ask("ApplyResourceChange", request).new_state)["id"])


def stamp(asking: Engine, box: str) -> list[Any]:
    """Stamp a box."""
    config = {"box": box, "text": "sealed", "times": None}
    asking.ask("ValidateActionConfig", type_name="depot_stamp", config=config)
    asking.ask("PlanAction", action_type="depot_stamp", config=config)
    events: list[Any] = asking.ask("InvokeAction", action_type="depot_stamp", config=config)
    return events


def listed(asking: Engine, prefix: str) -> list[Any]:
    """The boxes whose names begin so."""
    config = {"prefix": prefix}
    asking.ask("ValidateListResourceConfig", type_name="depot_box", config=config)
    asked = {"type_name": "depot_box", "config": config, "include_resource_object": True, "limit": 100}
    events: list[Any] = asking.ask("ListResource", **asked)
    return events


def read(asking: Engine, state_id: str = "default") -> bytes:
    """A state, whose chunks have to fit."""
    parts = asking.ask("ReadStateBytes", type_name="depot_store", state_id=state_id)
    data = b"".join(part.bytes for part in parts)
    ends = [(part.range.start, part.range.end + 1, part.total_length) for part in parts]
    starts = [0, *(end for _, end, _ in ends)]
    assert ends == [(start, start + len(part.bytes), len(data)) for start, part in zip(starts, parts, strict=False)]
    return data


def life(asking: Engine, *, folder: str = "here", key: str = KEY, lineage: str = LINEAGE, chunk: int = 64) -> list[Any]:
    """All that can be asked, and refusals of it. Returns every answer."""
    state = {"type_name": "depot_store", "state_id": "default"}
    begin(asking, folder, chunk=chunk)
    box = make(asking, "one", key)
    listed(asking, "o")
    assert [event.diagnostic[0].summary for event in listed(asking, "zzz")] == ["no such boxes"]
    assert stamp(asking, box)[-1].HasField("completed")
    assert stamp(asking, "b-0")[-1].completed.diagnostics[0].summary == "no such box"

    asking.ask("GetStates", type_name="depot_store")
    lock = asking.ask("LockState", **state, operation="OperationTypeApply").lock_id
    assert asking.ask("LockState", **state, operation="OperationTypeApply").diagnostics
    assert read(asking) == b""
    for serial in (1, 2):
        asking.ask("WriteStateBytes", chunks(state_file(serial, lineage, key), chunk))
        assert json.loads(read(asking))["serial"] == serial
    assert list(asking.ask("GetStates", type_name="depot_store").state_id) == ["default"]
    assert asking.ask("UnlockState", **state, lock_id="another").diagnostics
    assert not asking.ask("UnlockState", **state, lock_id=lock).diagnostics
    asking.ask("DeleteState", **state)
    assert list(asking.ask("GetStates", type_name="depot_store").state_id) == []
    return asking.seen


def text_of(cassette: Path) -> str:
    """All that a recording keeps, its blobs as well."""
    kept = load(cassette)
    return cassette.read_text() + json.dumps([kept.blobs[one.response_blob] for one in kept.interactions if one.response_blob])

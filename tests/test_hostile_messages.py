"""Messages that no engine would send are answered in plain words, in process and over gRPC, and end nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

import grpc
import msgpack
import pytest
from hostile_messages import THING, Hostile, package
from wire_toolbox import Connection

from mockprovider.double import Double
from mockprovider.double.serving import endpoint
from mockprovider.errors import MalformedError, MockProviderError
from mockprovider.protocols import ProviderProtocol, by_name
from mockprovider.wire.server import Endpoint
from mockprovider.wire.status import StatusError

PROTOCOLS = ("pulumi", "tfplugin5", "tfplugin6")
PEERS = 3
"""Hostile engines that take turns, so that what one has configured is there when it calls again."""
CASES_OF_ONE_DOUBLE = 500

OF_PYTHON = re.compile(
    r"\b\w+(Error|Exception)\b|Traceback|codec can|not subscriptable|object is not|unhashable|NoneType|argument must be"
    r"|<class|positional arg|object at 0x|not supported between|invalid literal|could not convert|cannot convert|ordinal not"
    r"|too large to convert|recursion|Expecting |Extra data|Invalid control"
)
"""What Python's exceptions say, and no provider."""


def asked(hostile: Hostile, service: Endpoint) -> tuple[str, bytes]:
    """An RPC of the service, and a message for it."""
    rpc = hostile.dice.choice(sorted(service.service.messages))
    return rpc, hostile.data(service.service.messages[rpc][0])


def answered(service: Endpoint, rpc: str, data: bytes, peer: str) -> str:
    """All that an engine reads of the answer."""
    try:
        answers = service.answers(service.service.methods.get(rpc), rpc, [data], peer)
    except StatusError as error:
        return error.status.message
    for answer in answers:
        service.service.messages[rpc][1].FromString(answer)
    return b"".join(answers).decode("latin1")


def attack(protocol: ProviderProtocol, seeds: Iterator[int]) -> int:
    """Play cases against one double; how many there were."""
    cases = 0
    with Double(package()) as double:
        service, _ = endpoint(double, protocol, "cloud", lambda _: None)
        for seed in islice(seeds, CASES_OF_ONE_DOUBLE):
            cases += 1
            hostile = Hostile(seed)
            rpc, data = asked(hostile, service)
            text = answered(service, rpc, data, f"engine {seed % PEERS}")
            bugs = [error for error in double.errors if not isinstance(error, MockProviderError)]
            assert bugs == [], (seed, rpc)
            assert OF_PYTHON.search(text) is None, (seed, rpc, text)
    return cases


@pytest.mark.trial("hostile-messages", pinned=400, cases=34_000)
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_any_message_in_process(seeds: Iterator[int], protocol: str) -> None:
    """Random and mutated messages to every RPC are answered without a bug of ours, and without the words of one."""
    while attack(by_name(protocol), seeds):
        pass


@pytest.mark.trial("hostile-messages", pinned=100, cases=3_400)
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_any_message_over_grpc(seeds: Iterator[int], protocol: str) -> None:
    """Over gRPC, too, each is answered, and the server is there for the next one."""
    with Double(package()) as double, double.serve(by_name(protocol)) as serving:
        service, _ = endpoint(double, by_name(protocol), "cloud", lambda _: None)
        connection = Connection(serving.address)
        for seed in seeds:
            rpc, data = asked(Hostile(seed), service)
            stream = service.service.messages[rpc][2]
            code, text = grpc.StatusCode.OK, ""
            try:
                text = repr(connection.read(rpc, data, service.service.name, stream=stream))
            except grpc.RpcError as error:
                code, text = error.code(), str(error.details())
            assert code not in (grpc.StatusCode.INTERNAL, grpc.StatusCode.UNKNOWN), (seed, rpc, text)
            assert OF_PYTHON.search(text) is None, (seed, rpc, text)
        connection.close()


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_every_rpc_is_attacked(protocol: str) -> None:
    """The pinned cases reach every RPC that there is."""
    with Double(package()) as double:
        service, _ = endpoint(double, by_name(protocol), "cloud", lambda _: None)
        reached = {asked(Hostile(seed), service)[0] for seed in range(400)}

        assert reached == set(service.service.messages)


@pytest.mark.parametrize(
    ("payload", "told"),
    [
        ({(1, 2): "x"}, "the key of a map is a list or a map itself"),
        ({"tags": {(): "x"}}, "the key of a map is a list or a map itself"),
        ({"any": [True]}, "any: expected dynamic, got"),
        ({"any": [b'"string"']}, "any: expected dynamic, got"),
        ({"any": {"type": "string"}}, "any: expected dynamic, got"),
        ({"any": [b'["list"]', 1]}, "is no type"),
        ({"name": b"\xff"}, "name: these bytes are no string"),
    ],
)
@pytest.mark.parametrize("protocol", PROTOCOLS[1:])
def test_payloads_of_terraform(protocol: str, payload: dict[Any, Any], told: str) -> None:
    """Keys that are no text, and dynamic values that are no pair, are refused in plain words, with the place."""
    with Double(package()) as double:
        service, _ = endpoint(double, by_name(protocol), "cloud", lambda _: None)
        message = service.service.messages["PlanResourceChange"][0](type_name="cloud_thing")
        whole = {**THING, **payload} if all(isinstance(key, str) for key in payload) else payload
        message.proposed_new_state.msgpack = message.config.msgpack = msgpack.packb(whole)

        assert told in answered(service, "PlanResourceChange", message.SerializeToString(), "engine")
        assert [type(error) for error in double.errors] == [MalformedError]


def test_an_answer_that_cannot_repeat_what_was_asked() -> None:
    """Where even the diagnostics would repeat what has no form on the wire, the call fails with the reason."""
    with Double(package()) as double:
        service, _ = endpoint(double, by_name("tfplugin5"), "cloud", lambda _: None)
        message = service.service.messages["PrepareProviderConfig"][0]()
        message.config.msgpack = msgpack.packb({"region": None, "limits": {"a": float("nan")}})

        told = answered(service, "PrepareProviderConfig", message.SerializeToString(), "engine")
        assert told == 'limits["a"]: Terraform has no number nan.'

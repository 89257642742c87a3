"""What the Terraform fake does not serve, as a newer engine would see it: an answer that says why, on every RPC."""

from __future__ import annotations

from typing import Any

import grpc
import pytest

from mockprovider.double import Double
from mockprovider.errors import UnsupportedError
from mockprovider.schema import ResourceType
from mockprovider.terraform.proto import protocol
from mockprovider.terraform.rpcs.beyond import REASONS
from mockprovider.terraform.rpcs.methods import SERVICES


@pytest.mark.parametrize("major", sorted(SERVICES))
def test_refusals_reach_the_engine_as_diagnostics(major: int) -> None:
    """Each RPC of either major that is not served answers with its reason, also where the answer is a stream."""
    service = SERVICES[major]
    with Double(ResourceType("cloud:index:Thing")) as double, double.serve("terraform", major=major) as serving:
        with grpc.insecure_channel(serving.address) as channel:
            for rpc in protocol(major).service().methods:
                if rpc.name in REASONS:
                    asked, answered, _ = service.messages[rpc.name]
                    said: Any = answered.FromString(ask(channel, service.name, rpc, asked()))
                    assert service.methods[rpc.name].reason.encode() in said.SerializeToString(), rpc.name
        assert {type(each) for each in double.errors} == {UnsupportedError}


def ask(channel: Any, service: str, rpc: Any, request: Any) -> bytes:
    """The first message of the answer."""
    path = f"/{service}/{rpc.name}"
    if rpc.server_streaming:
        return next(iter(channel.unary_stream(path, None, None)(request.SerializeToString(), timeout=60)))
    if rpc.client_streaming:
        return channel.stream_unary(path, None, None)(iter([request.SerializeToString()]), timeout=60)
    return channel.unary_unary(path, None, None)(request.SerializeToString(), timeout=60)

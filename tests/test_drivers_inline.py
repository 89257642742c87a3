"""Programs of the real engine that are Python functions: what one run leaves to the next of the same process."""

from __future__ import annotations

from contextlib import suppress

import grpc
import pytest
from google.protobuf import empty_pb2
from pulumi.runtime import settings
from pulumi.runtime.proto import engine_pb2, language_pb2, resource_pb2

from mockprovider.drivers.inline import Host
from mockprovider.wire.server import serve

ANSWERS = {
    "pulumirpc.ResourceMonitor": {
        "SupportsFeature": (resource_pb2.SupportsFeatureRequest, resource_pb2.SupportsFeatureResponse(hasSupport=True)),
        "RegisterResource": (
            resource_pb2.RegisterResourceRequest,
            resource_pb2.RegisterResourceResponse(urn="urn:pulumi:dev::shop::pulumi:pulumi:Stack::shop-dev"),
        ),
        "RegisterResourceOutputs": (resource_pb2.RegisterResourceOutputsRequest, empty_pb2.Empty()),
        "SignalAndWaitForShutdown": (empty_pb2.Empty, empty_pb2.Empty()),
    },
    "pulumirpc.Engine": {"Log": (engine_pb2.LogRequest, empty_pb2.Empty())},
}
"""What an engine says to programs without resources."""


def engine(port=0):
    """An engine that listens while a ``with`` block runs."""

    def method(request, answer):
        return grpc.unary_unary_rpc_method_handler(
            lambda *_: answer, request.FromString, lambda reply: reply.SerializeToString()
        )

    handlers = [
        grpc.method_handlers_generic_handler(service, {name: method(*row) for name, row in rows.items()})
        for service, rows in ANSWERS.items()
    ]
    return serve([], handlers=handlers, port=port)


def run(program, address):
    """What the language host says of a run of ``program`` for the engine at ``address``."""
    return Host(program).Run(
        language_pb2.RunRequest(project="shop", stack="dev", monitor_address=address, args=[address], parallel=1), None
    )


@pytest.fixture
def kept():
    """What programs leave behind for as long as a test lasts."""
    return []


def test_an_engine_at_the_port_of_a_dead_one(kept):
    """A program reaches its engine where an earlier one of this process, of which something is left, had lost its own."""

    def losing():
        kept.append(settings.get_monitor())
        first.stop()
        with suppress(grpc.RpcError):
            kept[0].SupportsFeature(resource_pb2.SupportsFeatureRequest())

    with engine() as first:
        run(losing, first.address)
    with engine(first.port) as second:
        assert run(lambda: kept.append("ran"), second.address).error == ""

    assert kept[1:] == ["ran"]


def test_a_run_closes_its_channels(kept):
    """The connections of a program to its engine are closed when it is over."""
    with engine() as served:
        assert run(lambda: kept.extend([settings.get_monitor(), settings.get_engine()]), served.address).error == ""
        with pytest.raises(ValueError, match="closed channel"):
            kept[0].SupportsFeature(resource_pb2.SupportsFeatureRequest())
        with pytest.raises(ValueError, match="closed channel"):
            kept[1].Log(engine_pb2.LogRequest())


def test_a_program_that_reaches_no_engine():
    """A run without its engine is an error, and no program that declared nothing: an engine would delete what there is."""
    with engine() as gone:
        pass
    assert "engine cannot be reached" in run(lambda: None, gone.address).error


def test_channels_of_no_run_of_ours(monkeypatch):
    """A program that another language host of this process runs has the SDK's own channels."""
    given = []
    monkeypatch.setattr(grpc, "insecure_channel", lambda *_, **options: given.append(options["options"]) or grpc.Channel)
    settings.grpc.insecure_channel("127.0.0.1:1", options=(("a", 1),))
    assert given == [(("a", 1),)]

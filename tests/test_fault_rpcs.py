"""Every RPC of both protocols can be broken, whatever it asks."""

from __future__ import annotations

import pytest
from hostile_messages import Hostile, package

from mockprovider.calls import STATUS_NAMES
from mockprovider.double import Double
from mockprovider.double.serving import endpoint
from mockprovider.protocols import by_name
from mockprovider.wire.server import Endpoint
from mockprovider.wire.status import StatusError

MESSAGES = 200
"""How many messages an RPC is sent at most until one of them can be read."""
PROTOCOLS = ("pulumi", "tfplugin5", "tfplugin6")


def rpcs() -> list[tuple[str, str]]:
    """The RPCs that are served, by protocol."""
    with Double(package()) as double:
        services = {name: endpoint(double, by_name(name), "cloud", lambda _: None)[0].service for name in PROTOCOLS}
    return [(name, rpc) for name, service in services.items() for rpc, row in service.methods.items() if not row.reason]


def broken(service: Endpoint, rpc: str, double: Double) -> str:
    """How the first readable message to an RPC is answered."""
    for seed in range(MESSAGES):
        data = Hostile(seed).data(service.service.messages[rpc][0])
        try:
            service.answers(service.service.methods[rpc], rpc, [data], f"engine {seed}")
        except StatusError as error:
            if any(rule.fired for rule in double.faults.rules):
                return f"{STATUS_NAMES[error.status.code]}: {error.status.message}"
    return "no message got as far as a fault"


@pytest.mark.parametrize(("protocol", "rpc"), rpcs())
def test_any_rpc_can_be_broken(protocol: str, rpc: str) -> None:
    """A fault at the op of an RPC ends it in the status that the fault says, before anything else sees the call."""
    with Double(package()) as double:
        service, _ = endpoint(double, by_name(protocol), "cloud", lambda _: None)
        double.faults.begin(service.service.methods[rpc].op, preview="also").rpc_error("data_loss", "broken").always()

        assert broken(service, rpc, double) == "data_loss: broken"

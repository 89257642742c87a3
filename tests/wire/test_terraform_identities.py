"""Identities over the wire: what terraform 1.12 and newer ask of a provider, recorded and replayed without such an engine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgpack
import pytest
from wire_toolbox import Connection

from mockprovider.cloud import Cloud
from mockprovider.double import Double, Wiring, recording, replaying
from mockprovider.protocols import of_family
from mockprovider.schema import Property, ResourceType
from mockprovider.terraform import ResourceTraits
from mockprovider.terraform.rpcs.methods import SERVICES

PLACE = ResourceType(
    "cloud:index:Place",
    {"account": Property(str), "name": Property(str), "made": Property(str, computed=True)},
    traits=[ResourceTraits(identity=("account", "name"))],
)


def packed(value: Any) -> bytes:
    """A value as it travels."""
    data: bytes = msgpack.packb(value)
    return data


class Engine:
    """A bare client of one connection that asks by the names of RPCs."""

    def __init__(self, address: str, major: int) -> None:
        self._service = SERVICES[major]
        self._connection = Connection(address)
        self.close = self._connection.close

    def ask(self, rpc: str, **fields: Any) -> Any:
        """The answer to a request with these fields; a dict is a message."""
        asked, answered, _ = self._service.messages[rpc]
        request = asked(**fields)
        return answered.FromString(self._connection.call(rpc, request.SerializeToString(), self._service.name))


def conversation(double: Double, major: int) -> Iterator[Any]:
    """What an engine asks that imports by an identity: the answers, in order."""
    with double, double.serve("terraform", major=major) as serving:
        engine = Engine(serving.address, major)
        try:
            yield from asked(engine, major)
        finally:
            engine.close()
        double.raise_errors()


def asked(engine: Engine, major: int) -> Iterator[Any]:
    """Schemas, configuration, two imports of which one finds nothing, a read, and the upgrade of an old identity."""
    yield engine.ask("GetSchema" if major == 5 else "GetProviderSchema")
    yield engine.ask("GetResourceIdentitySchemas")
    yield engine.ask("Configure" if major == 5 else "ConfigureProvider", config={"msgpack": packed({})})
    for name in ("here", "nowhere"):
        identity = {"identity_data": {"msgpack": packed({"account": "a", "name": name})}}
        yield engine.ask("ImportResourceState", type_name="cloud_place", identity=identity)
    state = {"account": "a", "id": "p-1", "made": "m", "name": "here"}
    identity = {"identity_data": {"msgpack": packed({"account": "a", "name": "here"})}}
    current = {"msgpack": packed(state)}
    yield engine.ask("ReadResource", type_name="cloud_place", current_state=current, current_identity=identity)
    raw = {"json": b'{"name":"here"}'}
    yield engine.ask("UpgradeResourceIdentity", type_name="cloud_place", version=0, raw_identity=raw)


@pytest.mark.parametrize("major", [5, 6])
def test_an_import_by_identity_is_recorded_and_replayed(major: int, tmp_path: Path) -> None:
    """Identity schemas, imports by identity, reads with one and upgrades of one replay as the equal messages."""
    path, cloud = tmp_path / "identity.json", Cloud()
    cloud.create(PLACE.token, "p-1", {"account": "a", "name": "here", "made": "m"})
    wiring = recording(path, Wiring("cloud", protocol=of_family("terraform", major)))
    live = list(conversation(Double(PLACE, provider=wiring, cloud=cloud), major))
    (found,) = live[3].imported_resources
    assert msgpack.unpackb(found.identity.identity_data.msgpack) == {"account": "a", "name": "here"}
    assert "no cloud_place with the identity" in live[4].diagnostics[0].detail
    assert live[5].new_identity == found.identity
    assert msgpack.unpackb(live[6].upgraded_identity.identity_data.msgpack) == {"account": None, "name": "here"}
    assert list(conversation(Double(provider=replaying(path)), major)) == live

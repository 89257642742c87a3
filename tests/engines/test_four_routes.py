"""One declaration and one test body, through the embedded engine, pulumi, and Terraform's protocols 5 and 6."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from routes import ROUTES, Ref, Route

from mockprovider.double import Double
from mockprovider.schema import Kind, Property, ResourceType

RULE = Kind("object", properties={"fromPort": Property(int, required=True), "note": Property(str, default="none")})
NETWORK = ResourceType(
    "cloud:index:Network",
    {
        "name": Property(str, required=True, forces_new=True),
        "cidr": Property(str, default="10.0.0.0/8"),
        "arn": Property(str, computed="arn:cloud:::{id}"),
        "tags": Property(dict[str, str]),
    },
    id="net-{name}",
)
MACHINE = ResourceType(
    "cloud:index:Machine",
    {
        "name": Property(str, required=True),
        "networkArn": Property(str, required=True, forces_new=True),
        "size": Property(int, default=1),
        "weight": Property(float),
        "running": Property(bool, default=True),
        "password": Property(str, secret=True),
        "zones": Property(set[str]),
        "rules": Property(Kind("array", items=RULE)),
        "token": Property(str, computed=True, secret=True),
    },
    id="vm-{name}-{networkArn}",
    delete_before_replace=True,
)
SERVED = (NETWORK, MACHINE)


@pytest.fixture(params=ROUTES)
def route(request: pytest.FixtureRequest, double: Double, tmp_path: Path) -> Route:
    """One of the ways from a program to the double."""
    make: Callable[[Double, Path], Route] = request.param
    return make(double, tmp_path / "work")


def wanted(network: str = "main", **machine: Any) -> dict[str, Any]:
    """A network, and a machine in it."""
    given = {
        "name": "web",
        "networkArn": Ref("network", "arn"),
        "weight": 0.5,
        "password": "hunter2",
        "zones": ["b", "a"],
        "rules": [{"fromPort": 80}, {"fromPort": 443, "note": "tls"}],
    }
    return {"network": (NETWORK, {"name": network, "tags": {"team": "web"}}), "machine": (MACHINE, given | machine)}


def objects(double: Double) -> dict[str, dict[str, Any]]:
    """What exists, by id; a set in one order."""
    found = {each.id: dict(each) for each in double.cloud.objects()}
    return {id_: {**each, "zones": sorted(each["zones"])} if "zones" in each else each for id_, each in found.items()}


def network(name: str) -> dict[str, Any]:
    """A network as the cloud has it."""
    return {"name": name, "cidr": "10.0.0.0/8", "arn": f"arn:cloud:::net-{name}", "tags": {"team": "web"}}


def test_the_same_objects_exist_at_the_end_of_every_route(double: Double, route: Route) -> None:
    """Creating, updating, replacing, mending drift and destroying leave the same objects in the cloud under every engine."""
    route.up(wanted())
    machine = "vm-web-arn:cloud:::net-main"
    first = objects(double)
    assert first == {
        "net-main": network("main"),
        machine: {
            "name": "web",
            "networkArn": "arn:cloud:::net-main",
            "size": 1,
            "weight": 0.5,
            "running": True,
            "password": "hunter2",
            "zones": ["a", "b"],
            "rules": [{"fromPort": 80, "note": "none"}, {"fromPort": 443, "note": "tls"}],
            "token": first[machine]["token"],
        },
    }

    changed = wanted(size=3, zones=["c"], rules=[{"fromPort": 22}])
    route.up(changed)
    updated = {**first[machine], "size": 3, "zones": ["c"], "rules": [{"fromPort": 22, "note": "none"}]}
    assert objects(double) == {"net-main": network("main"), machine: updated}

    double.cloud.drift(MACHINE.token, machine, size=9)
    route.refresh(changed)
    route.up(changed)
    assert objects(double) == {"net-main": network("main"), machine: updated}

    moved = wanted("other", size=3, zones=["c"], rules=[{"fromPort": 22}])
    route.up(moved)
    replaced = "vm-web-arn:cloud:::net-other"
    made = objects(double)
    assert made == {
        "net-other": network("other"),
        replaced: {**updated, "networkArn": "arn:cloud:::net-other", "token": made[replaced]["token"]},
    }
    assert made[replaced]["token"] != first[machine]["token"]

    route.destroy(moved)
    assert objects(double) == {}

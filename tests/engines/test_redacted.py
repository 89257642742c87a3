"""Cassettes that were told of their secrets only afterwards, under the real engines."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pulumi
import pytest
from engine_toolbox import cli_of

from mockprovider import Double, Property, ResourceType, Stack, recording, replaying
from mockprovider.double import Wiring, attached
from mockprovider.double.pruning import prune
from mockprovider.double.redacting import redact
from mockprovider.drivers.terraform import Terraform
from mockprovider.schema import Package

DATABASE = ResourceType("cloud:index:Database", {"password": str, "url": Property(str, computed="sql://root:{password}@{id}")})
USER = ResourceType("cloud:index:User", {"note": str})
PASSWORD, KEY = "hunter2-very-secret", "provider-key-99"
CONFIGURATION = """
terraform {
  required_providers {
    cloud = { source = "example.com/mock/cloud" }
  }
}
variable "password" { type = string }
variable "region" { type = string }
provider "cloud" { region = var.region }
resource "cloud_database" "d" { password = var.password }
resource "cloud_user" "u" { note = jsonencode({ url = cloud_database.d.url }) }
"""
TERRAFORMS = [
    pytest.param("terraform", marks=pytest.mark.terraform_cli),
    pytest.param("tofu", marks=pytest.mark.tofu_cli),
]


@contextmanager
def behind(family: str) -> Iterator[Wiring]:
    """A provider that marks nothing, of which the double that records knows nothing."""
    package = Package("cloud", config={"region": Property(str)})
    package.add(DATABASE, USER)
    with Double(package) as theirs:
        yield attached(theirs.serve(family).address, family, name="cloud")


def applied(double: Double, folder: Path, binary: str, password: str, region: str) -> dict[str, Any]:
    """Apply, look that nothing is left to do, and destroy. What the state had in between, by type."""
    serving = double.serve("terraform")
    variables = {"password": password, "region": region}
    engine = Terraform(folder, lambda: serving.environment, binary=binary, variables=variables)
    engine.write(CONFIGURATION)
    engine.apply()
    assert engine.plan().exit_code == 0
    state = {one["type"]: one["instances"][0]["attributes"] for one in engine.state()["resources"]}
    engine.destroy()
    double.raise_errors()
    return state


@pytest.mark.parametrize("binary", TERRAFORMS)
def test_terraform_replays_what_was_redacted(binary: str, tmp_path: Path) -> None:
    """A redacted cassette is that of a recording that was told, and an engine with other secrets replays it, pruned or not."""
    path, told = tmp_path / "it.json", tmp_path / "told.json"
    secrets = ["password", "region"]
    for cassette, names in ((path, []), (told, secrets)):
        with behind("terraform") as provider, Double(provider=recording(cassette, provider, secrets=names)) as double:
            applied(double, tmp_path / cassette.stem, binary, PASSWORD, KEY)
    assert (PASSWORD in path.read_text(), KEY in path.read_text()) == (True, True)
    redact(path, secrets=secrets)
    assert (PASSWORD in path.read_text(), KEY in path.read_text()) == (False, False)
    assert path.read_bytes() == told.read_bytes()

    for pruned in (False, True):
        if pruned:
            assert prune([path]).freed > 0
        with Double(provider=replaying(path)) as double:
            state = applied(double, tmp_path / f"again-{pruned}", binary, "another-password-9", "another-key-7")
        database, user = state["cloud_database"], state["cloud_user"]
        assert database["url"] == f"sql://root:another-password-9@{database['id']}"
        assert database["url"] in user["note"]


def program(password: str) -> Callable[[], None]:
    """A database, and a user that knows its URL."""

    def declare() -> None:
        database = pulumi.CustomResource(DATABASE.token, "d", {"password": password, "url": None})
        pulumi.CustomResource(USER.token, "u", {"note": database.id.apply(lambda id_: f"sql://{id_}:{password}")})

    return declare


@pytest.mark.pulumi_cli
def test_pulumi_replays_what_was_redacted(tmp_path: Path) -> None:
    """A redacted recording of the real pulumi replays under it and under the embedded engine, with other secrets."""
    path = tmp_path / "it.json"
    with behind("pulumi") as provider, Double(provider=recording(path, provider)) as double:
        live = cli_of(double, tmp_path / "live")
        live.up(program(PASSWORD))
        live.destroy()
    assert PASSWORD in path.read_text()
    redact(path, values=[PASSWORD])
    assert PASSWORD not in path.read_text()

    for engine in ("pulumi", "embedded"):
        with Double(provider=replaying(path)) as double:
            again: Any = cli_of(double, tmp_path / engine) if engine == "pulumi" else Stack(double)
            again.up(program("another-password-9"))
            again.destroy()
            double.raise_errors()
            assert double.unplayed == []

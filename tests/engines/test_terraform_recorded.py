"""What no kept cassette holds: every kind of call of either protocol, recorded and replayed under the real engines."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from kept_terraform import module_plan, module_state, planned_and_applied
from terraform_stage import HEAD, THING, TOKEN, ZONE, Seen, lived, methods

from mockprovider.double import Double, Wiring, real, recording, replaying
from mockprovider.double.launchers import install
from mockprovider.drivers.terraform import Terraform
from mockprovider.offers import ProviderFunction
from mockprovider.protocols import of_family
from mockprovider.schema import Property, ResourceType
from mockprovider.terraform import ResourceTraits

TYPES = (
    ResourceType(THING.token, THING.properties, traits=[ResourceTraits(identity=("name",))]),
    ResourceType(
        "cloud:index:Store", {"name": Property(str), "made": Property(str, computed=True)}, moved_from=("cloud_thing",)
    ),
    ZONE,
    TOKEN,
    ProviderFunction("cloud:index:join", {"parts": str}, variadic="parts", implementation=lambda *parts: "-".join(parts)),
)
KINDS = {
    "ReadDataSource",
    "CallFunction",
    "OpenEphemeralResource",
    "CloseEphemeralResource",
    "MoveResourceState",
    "ImportResourceState",
}
MAIN = """
provider "cloud" {}
data "cloud_zone" "z" {
  region = "north"
}
ephemeral "cloud_token" "t" {
  user = "me"
}
resource "cloud_thing" "a" {
  name   = provider::cloud::join("a", data.cloud_zone.z.zone)
  size   = SIZE
  hidden = ephemeral.cloud_token.t.secret
  tags   = { size = "SIZE" }
  kinds  = ["y", "x"]
}
output "joined" {
  value = provider::cloud::join("b", cloud_thing.a.id)
}
"""
PROCESS = {
    "mockprovider": 1,
    "packages": {
        "cloud": {
            "config": {"region": {"type": "string"}},
            "resources": {
                "cloud:index:Queue": {
                    "properties": {
                        "name": {"type": "string"},
                        "arn": {"type": "string", "computed": "arn:{id}"},
                    }
                }
            },
        }
    },
}
ALIASES = """
provider "cloud" {
  region = "east"
}
provider "cloud" {
  alias  = "west"
  region = "west"
}
resource "cloud_queue" "east" {
  name = "jobs"
}
resource "cloud_queue" "west" {
  provider = cloud.west
  name     = "jobs"
}
"""
THING_B = 'resource "cloud_thing" "b" {\n  name = "b"\n}\n'
STORE_B = 'resource "cloud_store" "b" {\n  name = "b"\n}\nmoved {\n  from = cloud_thing.b\n  to   = cloud_store.b\n}\n'


def life(cli: Terraform, drift: Callable[[], object] = lambda: None) -> Seen:
    """Create, leave alone, replace, mend, take over by a move, forget and import again, destroy: plans and states of each."""
    seen: Seen = []

    def step(configuration: str) -> None:
        cli.write(HEAD + configuration)
        seen.extend(planned_and_applied(cli))

    first = MAIN.replace("SIZE", "1")
    step(first + THING_B)
    assert cli.plan().exit_code == 0
    second = MAIN.replace("SIZE", "2")
    step(second + THING_B)
    drift()
    seen.append(module_state(cli.refresh().state))
    step(second + THING_B)
    step(second + STORE_B)
    held = cli.state()["resources"]
    (found,) = [each["instances"][0]["attributes"]["id"] for each in held if each["type"] == "cloud_store"]
    cli.command("state", "rm", "cloud_store.b")
    step(second + STORE_B.partition("moved")[0] + f'import {{\n  to = cloud_store.b\n  id = "{found}"\n}}\n')
    seen.append(module_state(cli.destroy().state))
    return seen


def aliased(cli: Terraform) -> Seen:
    """Two queues of one name are made and destroyed, each by an instance of the provider of its own."""
    cli.write(HEAD + ALIASES)
    return [module_plan(cli.plan().plan), *(module_state(each().state) for each in (cli.apply, cli.destroy))]


def test_every_kind_of_call_is_recorded_and_replayed(binary: str, major: int, tmp_path: Path) -> None:
    """Data, functions, ephemerals, write-only values, moves and imports replay with the same plans and states."""
    path = tmp_path / "life.json"
    double = Double(*TYPES, provider=recording(path, Wiring("cloud", protocol=of_family("terraform", major))))

    def drift() -> None:
        for each in double.cloud.objects(THING.token):
            double.cloud.drift(THING.token, each.id, tags={"by": "hand"})

    live = lived(binary, double, tmp_path / "live", lambda cli: life(cli, drift))
    assert set(methods(path)) >= KINDS
    assert lived(binary, Double(provider=replaying(path)), tmp_path / "replayed", life) == live


@pytest.mark.terraform_cli
def test_a_process_of_protocol_6_is_recorded_and_replayed(tmp_path: Path) -> None:
    """Real processes that speak protocol 6, one an instance, are recorded; two aliases of one name keep their regions."""
    install("terraform", "cloud", tmp_path / "bin", types=json.dumps(PROCESS))
    executable = str(tmp_path / "bin" / "terraform-provider-cloud")
    path = tmp_path / "process.json"
    env = {"MOCKPROVIDER_CLOUD": str(tmp_path / "cloud.sqlite")}
    wiring = real([executable], "terraform", env=env)
    assert wiring.protocol.version == 6
    live = lived("terraform", Double(provider=recording(path, wiring, "terraform")), tmp_path / "live", aliased)
    shutil.rmtree(tmp_path / "bin")
    assert lived("terraform", Double(provider=replaying(path)), tmp_path / "replayed", aliased) == live

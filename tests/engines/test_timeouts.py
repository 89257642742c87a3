"""Operations that take longer than the configuration allows, under real engines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from terraform_stage import HEAD

from mockprovider import Double, Property, ResourceType
from mockprovider.drivers.pulumi import PulumiCli
from mockprovider.drivers.terraform import Terraform
from mockprovider.fake.behaviours import Modified, Slow

TYPE = "cloud:index:Disk"
SLOW = ResourceType(
    TYPE,
    {"size": int, "changed": Property(str, computed=True)},
    timeouts={"create": 1200, "update": 60, "delete": 600},
    behaviours=(Slow(create=2700, delete=900), Modified("changed")),
)
DISK = ResourceType(TYPE, {"size": int}, timeouts={"create": 1200, "delete": 600})
LATE = "context deadline exceeded: create takes 45m0s, and its timeout is 30m0s"
ENGINES = [
    pytest.param("terraform", 6, marks=pytest.mark.terraform_cli),
    pytest.param("terraform", 5, marks=pytest.mark.terraform_cli),
    pytest.param("tofu", 6, marks=pytest.mark.tofu_cli),
]


def disk(size: int, **timeouts: str) -> str:
    """A configuration of one disk."""
    limits = "".join(f'    {op} = "{duration}"\n' for op, duration in timeouts.items())
    block = f"  timeouts {{\n{limits}  }}\n" if limits else ""
    return f'{HEAD}resource "cloud_disk" "a" {{\n  size = {size}\n{block}}}\n'


def attached(provider: Double, folder: Path, binary: str, major: int) -> Terraform:
    """The engine, led to the double."""
    serving = provider.serve("terraform", major=major)
    return Terraform(folder, lambda: serving.environment, binary=binary, doubles=[provider])


def instance(cli: Terraform) -> dict[str, Any]:
    """The only instance in the state."""
    (resource,) = json.loads((cli.folder / "terraform.tfstate").read_text(encoding="utf-8"))["resources"]
    (only,) = resource["instances"]
    return dict(only)


@pytest.mark.parametrize(("binary", "major"), ENGINES)
def test_a_timeouts_block(tmp_path: Path, binary: str, major: int) -> None:
    """A create of 45 minutes under a timeout of 30 fails in the provider's words and taints; the next run replaces it."""
    with Double(DISK) as provider:
        cli = attached(provider, tmp_path / "cli", binary, major)
        cli.write(disk(1, create="30m"))
        provider.faults.on.create().latency(2700)
        (error,) = cli.apply(expect_failure=True).errors
        assert error.summary == LATE
        assert provider.clock.now() == 1800
        assert instance(cli)["status"] == "tainted"
        assert instance(cli)["attributes"]["timeouts"] == {"create": "30m", "delete": None}
        assert "timeouts" not in provider.cloud.objects()[0]

        assert cli.apply().summary == {"add": 1, "remove": 1}
        provider.audit(cli).assert_clean()
        assert cli.plan().actions == {"cloud_disk.a": ["no-op"]}


@pytest.mark.parametrize(("binary", "major"), ENGINES)
def test_a_longer_timeout(tmp_path: Path, binary: str, major: int) -> None:
    """The type's own timeout fails what the configuration allows; the block is in the state, and no refresh takes it away."""
    with Double(SLOW) as provider:
        cli = attached(provider, tmp_path / "cli", binary, major)
        cli.write(disk(1))
        (error,) = cli.apply(expect_failure=True).errors
        assert "was not done after 1200 s" in error.summary
        cli.write(disk(1, create="1h", delete="16m"))
        assert "was not done after 600 s" in cli.apply(expect_failure=True).errors[0].summary

        provider.cloud.vanish(TYPE)
        assert cli.apply().summary == {"add": 1}
        cli.refresh()
        assert cli.plan().actions == {"cloud_disk.a": ["no-op"]}
        changed = provider.cloud.objects()[0]["changed"]
        cli.write(disk(1, create="1h", delete="20m"))
        assert cli.apply().summary == {"change": 1}
        assert provider.cloud.objects()[0]["changed"] == changed
        cli.write(disk(2, create="1h", delete="20m"))
        assert cli.apply().summary == {"change": 1}
        assert cli.destroy().summary == {"remove": 1}
        assert provider.cloud.objects() == []


@pytest.mark.parametrize(("binary", "major"), ENGINES)
def test_a_duration_that_is_none(tmp_path: Path, binary: str, major: int) -> None:
    """A duration that cannot be read is refused at its place, and a limit that the type does not have is the engine's error."""
    with Double(DISK) as provider:
        cli = attached(provider, tmp_path / "cli", binary, major)
        cli.write(disk(1, create="30 minutes"))
        (error,) = cli.plan(expect_failure=True).errors
        assert "'30 minutes' is no duration" in error.summary
        assert error.snippet == 'create = "30 minutes"'
        cli.write(disk(1, update="30m"))
        assert cli.plan(expect_failure=True).errors[0].summary == "Unsupported argument"


@pytest.mark.terraform_cli
def test_objects_that_come_without_a_block(tmp_path: Path) -> None:
    """An imported object gets the block of the configuration, and a moved one keeps it."""
    volume = ResourceType("cloud:index:Volume", DISK.properties, timeouts=DISK.timeouts, moved_from=("cloud_disk",))
    with Double(DISK, volume) as provider:
        provider.cloud.create(TYPE, "d-1", {"size": 1})
        cli = attached(provider, tmp_path / "cli", "terraform", 6)
        cli.write('import {\n  to = cloud_disk.a\n  id = "d-1"\n}\n' + disk(1, create="30m"))
        assert cli.apply().summary == {"change": 1, "import": 1}
        assert instance(cli)["attributes"]["timeouts"] == {"create": "30m", "delete": None}
        moved = disk(1, create="30m").replace("cloud_disk", "cloud_volume")
        cli.write("moved {\n  from = cloud_disk.a\n  to = cloud_volume.a\n}\n" + moved)
        assert cli.apply().summary == {}
        assert instance(cli)["attributes"]["timeouts"] == {"create": "30m", "delete": None}
        provider.audit(cli).assert_clean()


@pytest.mark.terraform_cli
def test_a_duration_of_another_resource(tmp_path: Path) -> None:
    """A duration that is known only during the apply limits the create; a read that takes too long fails the refresh."""
    declared = ResourceType(TYPE, {"size": int}, timeouts={"create": 1200, "read": 60})
    with Double(declared) as provider:
        cli = attached(provider, tmp_path / "cli", "terraform", 6)
        late = 'resource "terraform_data" "late" {\n  input = "45m"\n}\n'
        cli.write(late + disk(1, create="THERE").replace('"THERE"', "terraform_data.late.output"))
        provider.faults.on.create().latency(2400)
        assert cli.apply().summary == {"add": 2}
        provider.faults.on.read().latency(90)
        (error,) = cli.refresh(expect_failure=True).errors
        assert error.summary == "context deadline exceeded: read takes 1m30s, and its timeout is 1m0s"
        assert cli.plan().actions["cloud_disk.a"] == ["no-op"]


@pytest.mark.pulumi_cli
def test_custom_timeouts(tmp_path: Path) -> None:
    """Under pulumi the same create fails within ``customTimeouts``, is remembered as half-made, and the next run mends it."""
    program = {
        "resources": {
            "a": {"type": TYPE, "properties": {"size": 1}, "options": {"customTimeouts": {"create": "30m"}}},
        }
    }
    with Double(DISK) as provider:
        serving = provider.serve("pulumi")
        cli = PulumiCli(tmp_path / "cli", lambda: serving.environment, doubles=[provider])
        provider.faults.on.create().latency(2700)
        assert LATE in cli.up(program, expect_failure=True).output
        assert provider.clock.now() == 1800
        assert cli.up(program).summary["update"] == 1
        provider.audit(cli).assert_clean()

"""Programs of several packages: one double for all of them, or one for each, under the name that engines know them by."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from terraform_stage import PLAINTEXT

from mockprovider.double import Double, joint_environment
from mockprovider.double.serving import Serving
from mockprovider.drivers.pulumi import PulumiCli
from mockprovider.drivers.terraform import Terraform
from mockprovider.schema import Property, ResourceType

BUCKET = ResourceType("cloud:index:Bucket", {"zone": Property(str), "arn": Property(str, computed="arn:{id}")})
ZONE = ResourceType("net:index:Zone", {"target": Property(str)})
YAML = {
    "resources": {
        "logs": {"type": "cloud:index:Bucket"},
        "zone": {"type": "net:index:Zone", "properties": {"target": "${logs.arn}"}},
    }
}
HCL = """
terraform {
  required_providers {
    cloud = { source = "example.com/mock/cloud" }
    net   = { source = "example.com/mock/net" }
  }
}

resource "cloud_bucket" "logs" {}

resource "net_zone" "zone" {
  target = cloud_bucket.logs.arn
}
"""


@pytest.fixture(params=["one", "each"])
def doubles(request: pytest.FixtureRequest) -> Iterator[list[Double]]:
    """One double of both packages, or one of each."""
    with ExitStack() as stack:
        if request.param == "one":
            yield [stack.enter_context(Double(BUCKET, ZONE))]
        else:
            yield [stack.enter_context(Double(each)) for each in (BUCKET, ZONE)]


def everything(doubles: list[Double]) -> dict[str, str]:
    """What exists in all clouds: each type's target or arn."""
    return {each.type: str(each.get("target") or each.get("arn")) for double in doubles for each in double.cloud.objects()}


def started(servings: list[Serving], folder: Path) -> dict[str, str]:
    """An environment by which an engine starts plugins that relay to these doubles."""
    found = [each.plugin_environment(folder) for each in servings]
    named = [f"{package}={each.relay}" for each in servings for package in each.addresses()]
    return {**found[-1], "MOCKPROVIDER_RELAY": ",".join(named)}


@pytest.mark.pulumi_cli
@pytest.mark.parametrize("relayed", [False, True])
def test_pulumi(doubles: list[Double], tmp_path: Path, relayed: bool) -> None:
    """A YAML program of two packages finds each under its name, attached or started, and each answers for its own."""
    servings = [each.serve("pulumi") for each in doubles]
    found = started(servings, tmp_path / "bin") if relayed else joint_environment(*servings)
    cli = PulumiCli(tmp_path / "program", found)

    assert cli.up(YAML).summary == {"create": 2}
    there = everything(doubles)
    assert there["net:index:Zone"] == there["cloud:index:Bucket"]
    assert cli.destroy().summary == {"delete": 2}
    assert everything(doubles) == {}
    for each in doubles:
        each.raise_errors()


def test_terraform(doubles: list[Double], tmp_path: Path, binary: str) -> None:
    """A configuration of two providers finds each under its address, and each answers for its own."""
    servings = [each.serve("terraform") for each in doubles]
    engine = Terraform(tmp_path / "module", joint_environment(*servings), binary=binary, seconds=60)
    engine.write(HCL)

    assert engine.apply().summary == {"add": 2}
    there = everything(doubles)
    assert there["net:index:Zone"] == there["cloud:index:Bucket"]
    assert engine.destroy().summary == {"remove": 2}
    assert everything(doubles) == {}


@pytest.mark.terraform_cli
def test_terraform_starts_both(tmp_path: Path) -> None:
    """One double of two packages is relayed to by a plugin of each."""
    with Double(BUCKET, ZONE) as double:
        found = {**double.serve("terraform").plugin_environment(tmp_path / "bin"), **PLAINTEXT}
        engine = Terraform(tmp_path / "module", found, seconds=60)
        engine.write(HCL)

        assert engine.apply().summary == {"add": 2}
        assert len(double.cloud.objects()) == 2

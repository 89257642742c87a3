"""Real engines while the test's own time is frozen."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from fault_stage import TYPE, double

from mockprovider.double import FrozenTime
from mockprovider.double.frozen import START
from mockprovider.drivers.pulumi import PulumiCli
from mockprovider.drivers.terraform import Terraform
from mockprovider.errors import ProgramError

LIMIT = 3.0
YAML = {"resources": {name: {"type": TYPE, "properties": {"label": name}} for name in "abc"}}
BLOCKS = "".join(f'resource "cloud_thing" "{name}" {{\n  label = "{name}"\n}}\n' for name in "abc")


@pytest.fixture
def frozen() -> Iterator[FrozenTime]:
    """The test's time, frozen."""
    with FrozenTime() as clock:
        yield clock


@pytest.mark.pulumi_cli
def test_pulumi_under_frozen_time(tmp_path: Path, frozen: FrozenTime) -> None:
    """Three creates of 20 minutes each under pulumi move the test's time, and nothing waits."""
    with double() as provider:
        provider.clock = frozen
        provider.faults.on.create().latency(1200).always()
        serving = provider.serve("pulumi")
        cli = PulumiCli(tmp_path / "cli", serving.environment, doubles=[provider])
        assert cli.up(YAML).summary["create"] >= 3
        assert time.time() == START + 3 * 1200


@pytest.mark.terraform_cli
def test_terraform_under_frozen_time(tmp_path: Path, frozen: FrozenTime) -> None:
    """So do they under terraform."""
    with double() as provider:
        provider.clock = frozen
        provider.faults.on.create().latency(1200).always()
        cli = Terraform(tmp_path / "cli", provider.serve("terraform").environment, doubles=[provider])
        cli.write(BLOCKS)
        assert cli.apply().summary == {"add": 3}
        assert time.time() == START + 3 * 1200


@pytest.mark.terraform_cli
def test_a_hang_under_frozen_time(tmp_path: Path, frozen: FrozenTime) -> None:
    """A hang moves no clock, and the driver's limit ends it although the test's time stands still."""
    with double() as provider:
        provider.clock = frozen
        provider.faults.on.create().hang()
        cli = Terraform(tmp_path / "cli", provider.serve("terraform").environment, seconds=LIMIT, doubles=[provider])
        cli.write(BLOCKS)
        with pytest.raises(ProgramError, match=r"had not ended after 3 s") as caught:
            cli.apply()
        assert "\ncreate cloud:index:Thing hangs, by provider.faults.on.create().hang()." in str(caught.value)
        assert time.time() == START

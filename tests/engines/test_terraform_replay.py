"""Real engines, at the parallelism that they have by themselves, on recordings of what only the provider has named."""

from __future__ import annotations

from pathlib import Path

import pytest
from kept_aws import EVERYTHING, configuration
from kept_cassettes import KEPT
from terraform_stage import ENGINES

from mockprovider.double import Double, replaying
from mockprovider.drivers.terraform import Terraform

TIMES = 3


@pytest.mark.parametrize("name", ["terraform-random-names", "terraform-aws-names"])
@pytest.mark.parametrize("engine", ENGINES)
def test_ten_equal_creates_at_once_replay_again_and_again(name: str, engine: str, tmp_path: Path) -> None:
    """Ten resources from one configuration are made at once, in another order each time, and everything fits together."""
    kept = KEPT[name]
    for time in range(TIMES):
        assert kept.replay(engine, kept.path("terraform"), tmp_path / str(time)) == kept.states("terraform")


@pytest.mark.parametrize("engine", ENGINES)
def test_two_aliases_keep_their_regions(engine: str, tmp_path: Path) -> None:
    """Queues of one name in two regions have each the address of its own, under an engine that knows no provider."""
    for time in range(TIMES):
        with Double(provider=replaying(KEPT["terraform-aws"].path("terraform"))) as double:
            reattached = double.serve("terraform")
            cli = Terraform(tmp_path / str(time), lambda served=reattached: served.environment, binary=engine)
            cli.write(configuration(EVERYTHING, 30))
            applied = cli.apply()
            for name, region in (("jobs", "us-east-1"), ("jobs_west", "us-west-2")):
                attributes = applied.resource(f"aws_sqs_queue.{name}")["attributes"]
                assert attributes["arn"] == f"arn:aws:sqs:{region}:123456789012:jobs"
            double.raise_errors()


@pytest.mark.terraform_cli
def test_a_miss_names_the_resource_and_its_line(tmp_path: Path) -> None:
    """What was never recorded is an error of the engine at the line that asks for it, and the provider is nowhere."""
    with Double(provider=replaying(KEPT["terraform-aws"].path("terraform"))) as double:
        reattached = double.serve("terraform")
        cli = Terraform(tmp_path, lambda: reattached.environment)
        cli.write(configuration(EVERYTHING, 31))
        error = cli.apply(expect_failure=True).errors[0]
    assert "holds no answer to ValidateResourceTypeConfig of aws_" in error.summary
    assert "Nearest is interaction" in error.summary
    assert error.address.startswith("aws_")
    assert error.snippet

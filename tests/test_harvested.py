"""What was harvested of a real provider agrees with it, and needs it no more."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner
from judge_stage import real_provider
from judged_edits import NAMES, Sampler, sampler

from mockprovider.calls import Failure, Op
from mockprovider.cli import main
from mockprovider.errors import DefinitionError
from mockprovider.fake.definitions import dump, load
from mockprovider.terraform.judging.trying import listed_in


@pytest.fixture(scope="module", params=NAMES)
def sampled(request: pytest.FixtureRequest) -> Iterator[Sampler]:
    """A real provider, and what was harvested of it."""
    with sampler(request.param) as found:
        yield found


@pytest.mark.trial("harvested-edits", pinned=10, cases=200)
def test_a_harvested_file_plans_what_the_real_provider_plans(sampled: Sampler, seeds: Iterator[int]) -> None:
    """Sampled edits of sampled objects: nothing, an update or a replacement, as the provider says, with the same values."""
    for seed in seeds:
        edit = sampled.edit(Random(seed))
        assert edit.agrees, edit


def test_a_small_provider_is_harvested_through_a_types_file() -> None:
    """What forces a replacement, defaults and lists of values are in the file, which is read back as the same package."""
    with real_provider() as real:
        harvested = real.package().judge.harvest()
    (package,) = load(json.dumps(dump([harvested])))
    bucket = package.resources["cloud:index:Bucket"]
    assert bucket == harvested.resources["cloud:index:Bucket"]
    assert {name for name, item in bucket.properties.items() if item.forces_new} == {"name"}
    assert bucket.properties["acl"].default == "private"
    assert bucket.terraform == "cloud_bucket"


def test_types_that_accept_nothing_are_said() -> None:
    """A type for which no inputs were found is in the file by its schema alone, and the command tells."""
    with real_provider() as real:
        package = real.package()
        real.refuses(Op.CHECK, "no")
        lines: list[str] = []
        harvested = package.judge.harvest(say=lines.append)
    assert "no inputs were found that it accepts" in lines[0]
    assert not any(item.forces_new for item in harvested.resources["cloud:index:Bucket"].properties.values())


def test_a_type_that_is_not_there_is_named() -> None:
    """``only`` names types of the provider, and the nearest is told."""
    with real_provider() as real, pytest.raises(DefinitionError, match=r"no type 'cloud_buckt'.*cloud_bucket"):
        real.package().judge.harvest(["cloud_buckt"])


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ('value must be one of: ["RSA" "ED25519"], got: "X"', ["RSA", "ED25519"]),
        ('expected acl to be one of ["private" "public"], got x', ["private", "public"]),
        ("bad mode permission", []),
    ],
)
def test_refusals_that_list_values_are_read(text: str, values: list[str]) -> None:
    """The lists of both of Terraform's SDKs."""
    assert listed_in(Failure("Invalid", detail=text)) == values


@pytest.mark.skipif(shutil.which("terraform-provider-null") is None, reason="no terraform-provider-null on PATH")
def test_the_command_writes_the_file(tmp_path: Path) -> None:
    """``schema judge`` asks the plugin, and writes what ``--types`` takes, into a folder that it makes."""
    file = tmp_path / "types" / "null.json"
    result = CliRunner().invoke(main, ["schema", "judge", "terraform-provider-null", "-o", str(file)])
    assert result.exit_code == 0, result.output
    assert f"Wrote {file}: 1 types of null." in result.output
    (package,) = load(file.read_text(encoding="utf-8"))
    assert package.resources["null:index:Resource"].properties["triggers"].forces_new


def test_the_command_says_what_is_no_plugin(tmp_path: Path) -> None:
    """An executable that is not there is one line, and an exit code."""
    result = CliRunner().invoke(main, ["schema", "judge", "terraform-provider-nowhere", "-o", str(tmp_path / "x.json")])
    assert result.exit_code != 0
    assert "no executable 'terraform-provider-nowhere'" in result.output

"""Tests here drive real engines, so each must say which: the marker is what skips it where the engine is missing.

What a test of one engine begins with stands here, too: the engine attached to the ``double`` of the test's module.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from both_engines import Both
from engine_toolbox import cli_of
from terraform_stage import ENGINES, Stage

from mockprovider.double import Double
from mockprovider.drivers.pulumi import PulumiCli
from mockprovider.drivers.terraform import Terraform

MARKERS = ("pulumi_cli", "terraform_cli", "tofu_cli", "node_cli", "go_cli", "yaml_host")
HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Refuse a test of this folder that has none of the markers."""
    for item in items:
        if HERE in item.path.parents and not any(map(item.get_closest_marker, MARKERS)):
            raise pytest.UsageError(f"{item.nodeid} drives a real engine: mark it with one of {', '.join(MARKERS)}")


@pytest.fixture
def double(request: pytest.FixtureRequest) -> Iterator[Double]:
    """A double of the types and functions that the test's module lists in ``SERVED``; its own errors fail the test."""
    with Double(*request.module.SERVED) as found:
        yield found
        found.raise_errors()


# Pulumi ----------------------------------------------------------------------------------------------------------------


@pytest.fixture
def cli(double: Double, tmp_path: Path) -> PulumiCli:
    """The real pulumi, attached to the double."""
    return cli_of(double, tmp_path / "pulumi")


@pytest.fixture
def make_both(tmp_path: Path) -> Iterator[Callable[..., Both]]:
    """Makes two engines side by side, each pair in a folder of its own; takes what ``Both`` takes after the folder."""
    made: list[Both] = []

    def make(*given: Any, **options: Any) -> Both:
        found = Both(tmp_path / f"cli-{len(made)}", *given, **options)
        ending.callback(found.close)
        made.append(found)
        return found

    with ExitStack() as ending:
        yield make
        for each in made:
            each.raise_errors()


@pytest.fixture
def both(make_both: Callable[..., Both]) -> Both:
    """Both engines, side by side."""
    return make_both()


# Terraform and OpenTofu ------------------------------------------------------------------------------------------------


@pytest.fixture(params=ENGINES)
def binary(request: pytest.FixtureRequest) -> str:
    """Which of the engines a test drives."""
    name: str = request.param
    return name


@pytest.fixture(params=[5, 6], ids=["v5", "v6"])
def major(request: pytest.FixtureRequest) -> int:
    """Which of Terraform's protocols a double is served over."""
    number: int = request.param
    return number


@pytest.fixture
def terraform(binary: str, major: int, double: Double, tmp_path: Path) -> Iterator[Terraform]:
    """The engine in an empty root module, attached to the double over one of the protocols."""
    with double.serve("terraform", major=major) as serving:
        yield Terraform(tmp_path / "module", serving.environment, binary=binary)


@pytest.fixture
def stage(binary: str, major: int, tmp_path: Path) -> Iterator[Stage]:
    """A double under an engine, in an empty module, over one of the protocols; its own errors fail the test."""
    stage = Stage(major, binary)
    with stage.double, stage.double.serve("terraform", major=major) as serving:
        stage.cli = Terraform(tmp_path / "module", lambda: serving.environment, binary=binary)
        yield stage
        stage.double.raise_errors()


@pytest.fixture
def serial(make_both: Callable[..., Both]) -> Both:
    """Two engines side by side, one step at a time."""
    return make_both(serial=True)

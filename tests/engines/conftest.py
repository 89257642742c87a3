"""Tests here drive real engines, so each must say which: the marker is what skips it where the engine is missing."""

from __future__ import annotations

import gc
import shutil
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest
from terraform_stage import Stage

from mockprovider.drivers.terraform import Terraform

MARKERS = ("pulumi_cli", "terraform_cli", "tofu_cli")
HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Refuse a test of this folder that has none of the markers."""
    for item in items:
        if HERE in item.path.parents and not any(map(item.get_closest_marker, MARKERS)):
            raise pytest.UsageError(f"{item.nodeid} drives a real engine: mark it with one of {', '.join(MARKERS)}")


@pytest.fixture
def abandoned_programs(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The SDK's language server abandons the event loop of a program whose run fails; what that leaves is collected here."""
    yield
    with monkeypatch.context() as patched, warnings.catch_warnings(action="ignore"):
        patched.setattr(sys, "unraisablehook", lambda _: None)
        gc.collect()


@pytest.fixture(params=[5, 6], ids=["v5", "v6"])
def stage_major(request: pytest.FixtureRequest) -> int:
    """Which of Terraform's protocols a ``stage`` is served over."""
    number: int = request.param
    return number


@pytest.fixture(
    params=[
        pytest.param("terraform", marks=pytest.mark.terraform_cli),
        pytest.param("tofu", marks=pytest.mark.tofu_cli),
    ]
)
def stage(request: pytest.FixtureRequest, stage_major: int, tmp_path: Path) -> Iterator[Stage]:
    """A double under an engine, in an empty module, over one of the protocols; its own errors fail the test."""
    if shutil.which(request.param) is None:
        pytest.skip(f"no {request.param} on PATH")
    stage = Stage(stage_major, request.param)
    with stage.double, stage.double.serve("terraform", major=stage_major) as serving:
        stage.cli = Terraform(tmp_path / "module", lambda: serving.environment, binary=request.param)
        yield stage
        stage.double.raise_errors()

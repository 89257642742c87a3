"""What the tests of the examples share: the schema of an SDK, and copies of programs for Node.js beside their packages."""

from __future__ import annotations

import functools
import importlib.util
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from language_stage import beside_packages

from mockprovider import Package, from_sdk


@functools.cache
def _package(name: str) -> Package:
    """Read once for all tests of this process."""
    return from_sdk(name)


@pytest.fixture
def sdk() -> Callable[[str], Package]:
    """What an installed SDK says of its package. Where it is not installed, the test is skipped."""

    def read(name: str) -> Package:
        if importlib.util.find_spec(name) is None:
            pytest.skip(f"there is no {name}: pip install {name.replace('_', '-')}")
        return _package(name)

    return read


@pytest.fixture
def infra(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the test's program. One in TypeScript is copied beside its packages (for users: `npm ci`)."""
    folder = request.path.parent
    if not (folder / "package.json").exists():
        return folder
    beside_packages(tmp_path, request.config)
    # Types are for an editor and `tsc`; checking them anew in each run takes ten times as long as the program.
    monkeypatch.setenv("PULUMI_NODEJS_TRANSPILE_ONLY", "true")
    return Path(shutil.copytree(folder, tmp_path / folder.name))

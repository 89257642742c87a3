"""The programs of tests/programs, each copied to a folder of the test's own, with the packages that they need."""

from __future__ import annotations

import functools
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from engine_toolbox import TYPES
from real_schemas import real_schema

from mockprovider import Package, from_schema

HOUSE = Path(__file__).resolve().parents[1]
PROGRAMS = HOUSE / "tests" / "programs"
TOOL = HOUSE / "tools" / "prepare-languages"
SECONDS = 280.0
"""What an operation may take here: programs of other languages start slowly where many tests run at once."""


@functools.cache
def prepared(*names: str) -> Path:
    """Where the packages of other languages are, and the environment of policy packs; with "aws", the packages of that."""
    asked = subprocess.run([sys.executable, str(TOOL), "--print-folder", *names], check=True, capture_output=True, text=True)
    return Path(asked.stdout.strip())


def node_modules() -> Path:
    """Where the npm packages are."""
    return prepared() / "node_modules"


@functools.cache
def aws_packages() -> Path:
    """Where node_modules of the programs on aws are; installs them, since only a campaign asks for them."""
    installed = subprocess.run([sys.executable, str(TOOL), "aws"], check=False, capture_output=True, text=True)
    if installed.returncode:
        pytest.fail(f"`make languages ARGS=aws` failed: {installed.stderr}", pytrace=False)
    return prepared("aws")


def aws_project(name: str, folder: Path) -> Path:
    """A program on aws in ``folder``, beside its packages."""
    (folder / "node_modules").symlink_to(aws_packages() / "node_modules")
    return Path(shutil.copytree(PROGRAMS / "aws" / name, folder / name))


def policy_environment(config: pytest.Config) -> Path:
    """The virtual environment of policy packs. Where it is missing the test is skipped, or fails if engines are required."""
    if not (prepared() / "policies").exists():
        missing = "the environment of policy packs is not there: `make languages` makes it"
        if config.getoption("--require-engines"):
            pytest.fail(f"{missing} (--require-engines is given)", pytrace=False)
        pytest.skip(missing)
    return prepared() / "policies"


def nodejs_project(name: str, folder: Path, config: pytest.Config) -> Path:
    """A program for Node.js in ``folder``, beside its packages."""
    beside_packages(folder, config)
    return Path(shutil.copytree(PROGRAMS / "nodejs" / name, folder / name))


def beside_packages(folder: Path, config: pytest.Config) -> None:
    """Have ``folder`` hold the npm packages. Where they are missing the test is skipped, or fails if node is required."""
    if not node_modules().exists():
        missing = "the npm packages of tests/programs are not there: `make languages` installs them"
        if "node" in config.getoption("--require-engines"):
            pytest.fail(f"{missing} (--require-engines names node)", pytrace=False)
        pytest.skip(missing)
    if not (folder / "node_modules").exists():
        (folder / "node_modules").symlink_to(node_modules())


def random_package(config: pytest.Config) -> Package:
    """The real package ``random``."""
    return from_schema(real_schema("random", config))


def kubernetes_package(config: pytest.Config) -> Package:
    """The real package ``kubernetes``."""
    return from_schema(real_schema("kubernetes", config))


def cloud_package() -> Package:
    """The package of the tests' own resource types."""
    package = Package("cloud")
    package.add(*TYPES)
    return package

"""The real Pulumi package schemas that tools/fetch-schemas fetches, for the tests that read them."""

from __future__ import annotations

import functools
import re
import subprocess
import sys
from pathlib import Path

import pytest

from mockprovider.schema import Package

TOOL = Path(__file__).resolve().parents[1] / "tools" / "fetch-schemas"


@functools.cache
def folder() -> Path:
    """Where they are."""
    asked = subprocess.run([sys.executable, str(TOOL), "--print-folder"], check=True, capture_output=True, text=True)
    return Path(asked.stdout.strip())


def real_schema(name: str, config: pytest.Config) -> str:
    """The text of one. Where it is missing the test is skipped, or fails where the run says that the machine has it."""
    path = folder() / f"{name}.json"
    if not path.exists():
        missing = f"there is no schema of {name}: `make schemas` fetches it"
        if "pulumi" in config.getoption("--require-engines"):
            pytest.fail(f"{missing} (--require-engines names pulumi)", pytrace=False)
        pytest.skip(missing)
    return path.read_text(encoding="utf-8")


def whole(package: Package) -> str:
    """All that a package declares, as text: functions are told by where they were made."""
    sections = (package.resources, package.functions, package.components, package.methods, package.offers)
    parts = [package.name, package.version, package.config, *(dict(section) for section in sections)]
    return re.sub(r" at 0x[0-9a-f]+", "", repr(parts))

"""The real Pulumi package schemas that tools/fetch-schemas fetches, for the tests that read them."""

from __future__ import annotations

import functools
import hashlib
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct

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


def whole(package: Package) -> dict[str, Any]:
    """All that a package declares: a digest of each declaration by token. Trees that share parts are gone through once."""
    known: dict[int, tuple[Struct, str]] = {}
    sections = (package.resources, package.functions, package.components, package.methods, package.offers)
    declared = {token: _digest(definition, known) for section in sections for token, definition in section.items()}
    return {"name": package.name, "version": package.version, "config": _digest(package.config, known), **declared}


def _digest(value: Any, known: dict[int, tuple[Struct, str]]) -> str:
    """Of equal values the same; functions are told by where they were made."""
    if isinstance(value, Struct):
        if id(value) not in known:
            parts = {name: getattr(value, name) for name in value.__struct_fields__}
            known[id(value)] = value, _digest({type(value).__name__: parts}, known)
        return known[id(value)][1]
    if isinstance(value, Mapping):
        text = repr([(key, _digest(member, known)) for key, member in value.items()])
    elif isinstance(value, (list, tuple)):
        text = repr([_digest(member, known) for member in value])
    else:
        text = value.__qualname__ if callable(value) else repr(value)
    return hashlib.sha256(text.encode()).hexdigest()[:16]

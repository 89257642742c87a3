"""Real and large provider schemas read as packages, against ``json.loads`` of the same text."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from measure import Row, report

from mockprovider import from_schema, from_terraform_schema

TOOL = Path(__file__).resolve().parents[1] / "tools" / "fetch-schemas"
ROUNDS = 3
TYPES, ATTRIBUTES = 1500, 50


def terraform_text() -> str:
    """A provider with many types, each with attributes and a block."""
    attribute = {"type": "string", "description": "What it is.", "description_kind": "plain", "optional": True}
    attributes = {f"attribute_{index}": attribute for index in range(ATTRIBUTES)}
    inner = {"nesting_mode": "list", "block": {"attributes": attributes, "description_kind": "plain"}}
    block = {"attributes": attributes, "block_types": {"rule": inner}, "description_kind": "plain"}
    schemas = {f"large_type_{index}": {"version": 0, "block": block} for index in range(TYPES)}
    given = {"provider": {"version": 0, "block": {}}, "resource_schemas": schemas}
    return json.dumps({"format_version": "1.0", "provider_schemas": {"registry.terraform.io/hashicorp/large": given}})


def pulumi_text() -> str:
    """The large one of the fetched schemas, or one made here, if it is not there."""
    asked = subprocess.run([sys.executable, str(TOOL), "--print-folder"], check=True, capture_output=True, text=True)
    real = Path(asked.stdout.strip()) / "aws.json"
    if real.exists():
        return real.read_text(encoding="utf-8")
    properties = {f"property{index}": {"type": "string", "description": "What it is."} for index in range(ATTRIBUTES)}
    resource = {"inputProperties": properties, "properties": properties}
    return json.dumps({"name": "large", "resources": {f"large:index:Type{index}": resource for index in range(TYPES)}})


def milliseconds(read: Callable[[str], Any], text: str) -> float:
    """The best of some rounds, since noise only ever adds."""
    best = float("inf")
    for _ in range(ROUNDS):
        start = time.perf_counter()
        read(text)
        best = min(best, (time.perf_counter() - start) * 1000)
    return best


def rows() -> Iterator[Row]:
    """One row each."""
    readers: dict[str, tuple[Callable[[str], Any], str]] = {
        "read a Pulumi schema": (from_schema, pulumi_text()),
        "read a Terraform schema": (from_terraform_schema, terraform_text()),
    }
    for what, (read, text) in readers.items():
        sized = f"{what} of {len(text) / 1e6:.1f} MB"
        yield Row(sized, "ms", milliseconds(read, text), "json.loads", milliseconds(json.loads, text), "10 x")


if __name__ == "__main__":
    report(rows())

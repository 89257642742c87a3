"""Real and large provider schemas read as packages, against ``json.loads`` of the same text."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
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


PROBE = """
import os, sys, time
from pathlib import Path
import mockprovider
def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
text, read = Path(sys.argv[1]).read_text(encoding="utf-8"), getattr(mockprovider, sys.argv[2])
held, start = resident(), time.process_time()
package = read(text)
for token in list(package.resources)[:10]:
    package.resources[token]
print(time.process_time() - start, resident() - held)
"""
"""Reads a schema and uses ten of its types, in a process of its own: seconds of processor time, and MB more in memory."""


ENGINE_PROBE = """
import os, sys, time
from pathlib import Path
import mockprovider
from mockprovider.calls import Call, Op, Reply
from mockprovider.terraform.rpcs.methods import SERVICES
from mockprovider.terraform.schema.provider import provider_schema
def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
text = Path(sys.argv[1]).read_text(encoding="utf-8")
double = mockprovider.Double()
held, start = resident(), time.process_time()
package = getattr(mockprovider, sys.argv[2])(text)
double.define(package)
session = double.open("tfplugin6")
row = SERVICES[6].methods["GetProviderSchema"]
for _ in range(3):
    asked, reply = Call(op=Op.GET_SCHEMA, session=session, method=row.name), Reply()
    row.encoded(reply, asked) or row.response(reply, asked).SerializeToString()
for token in list(package.resources)[:3]:
    provider_schema(package, 6).resource(token)
    double(Call(op=Op.CREATE, session=session, type=token, name="it", inputs={}))
print(time.process_time() - start, resident() - held)
"""
"""What three commands of a Terraform engine ask of a process: the schema each time, and objects of three types."""


def kept_rows(what: str, reader: str, text: str, probe: str = PROBE, budget: str = "200 CPU ms") -> Iterator[Row]:
    """A schema that was read before, beside the first reading of it."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "schema.json"
        file.write_text(text, encoding="utf-8")
        command = [sys.executable, "-c", probe, str(file), reader]
        environment = os.environ | {"MOCKPROVIDER_CACHE": str(Path(folder) / "cache")}
        runs = [subprocess.run(command, check=True, capture_output=True, text=True, env=environment) for _ in range(2)]
    (first, more), (second, less) = ([float(word) for word in run.stdout.split()] for run in runs)
    yield Row(f"{what}, kept", "CPU ms", second * 1000, "the first reading", first * 1000, budget)
    yield Row(f"{what}, kept", "MB", less, "the first reading", more, "0.5 x")


def rows() -> Iterator[Row]:
    """One row each."""
    # The rows of the first reading are of no other.
    os.environ["MOCKPROVIDER_CACHE"] = ""
    readers: dict[str, tuple[Callable[[str], Any], str]] = {
        "read a Pulumi schema": (from_schema, pulumi_text()),
        "read a Terraform schema": (from_terraform_schema, terraform_text()),
    }
    for what, (read, text) in readers.items():
        sized = f"{what} of {len(text) / 1e6:.1f} MB"
        yield Row(sized, "ms", milliseconds(read, text), "json.loads", milliseconds(json.loads, text), "10 x")
        yield from kept_rows(sized, read.__name__, text)
    text = terraform_text()
    yield from kept_rows("three types under a Terraform engine", "from_terraform_schema", text, ENGINE_PROBE, "400 CPU ms")


if __name__ == "__main__":
    report(rows())

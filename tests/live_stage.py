"""What the tests of cassettes beside real providers share under real engines: a recorded life, and how it is lived again."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from kept_cassettes import driver

from mockprovider.double import Double, real
from mockprovider.drivers.terraform import Terraform

NAMES = ("random", "local", "null")
MODULE = """
resource "random_id" "i" {{
  count       = {ids}
  byte_length = 4
}}
resource "random_password" "p" {{
  length = 20
}}
resource "null_resource" "n" {{
  count    = {ids}
  triggers = {{ of = random_id.i[count.index].hex, word = random_password.p.result }}
}}
"""


@contextmanager
def run(engine: str, folder: Path, wirings: Mapping[str, Any]) -> Iterator[tuple[Terraform, list[Double]]]:
    """The engine with these providers."""
    folder.mkdir()
    with ExitStack() as ending:
        doubles = [ending.enter_context(Double(provider=wiring)) for wiring in wirings.values()]
        yield driver(engine, doubles, folder, serial=True), doubles


def lived(engine: str, folder: Path, wirings: Mapping[str, Any], module: str, *, destroyed: bool = True) -> Any:
    """Apply a module, with an empty plan after it, and destroy it; the resources that there were."""
    with run(engine, folder, wirings) as (terraform, doubles):
        terraform.write(module)
        resources = terraform.apply().state["resources"]
        assert terraform.plan().exit_code == 0
        if destroyed:
            terraform.destroy()
        for double in doubles:
            double.raise_errors()
    for instance in (instance for resource in resources for instance in resource["instances"]):
        # Engines list these in any order.
        instance.get("sensitive_attributes", []).sort(key=json.dumps)
    # What stands for a secret is numbered anew where a cassette has grown.
    return json.loads(re.sub("mockprovider-secret-[0-9]+", "(secret)", json.dumps(resources)))


def live() -> dict[str, Any]:
    """The real providers."""
    return {name: real([f"terraform-provider-{name}"], "terraform", name=name) for name in NAMES}


def of_type(resources: list[dict[str, Any]], type_: str) -> Any:
    return [resource["instances"] for resource in resources if resource["type"] == type_]

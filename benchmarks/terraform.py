"""An apply of 500 resources on the fake under the real ``terraform``, against ``terraform_data`` and the null provider.

All three sides run the same engine from an empty folder, in turns. The null provider is a real provider in Go, found by
``dev_overrides``; it is left out where it was not built.
"""

from __future__ import annotations

import json
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from layers import BUCKET
from measure import Row, report

from mockprovider.double import Double
from mockprovider.drivers.terraform import Terraform

COUNT = 500
ROUNDS = 3
NULL = "terraform-provider-null"


def configuration(type_: str, arguments: dict[str, object]) -> str:
    """A configuration of so many resources of a type."""
    return json.dumps({"resource": {type_: {f"r{index}": arguments for index in range(COUNT)}}})


def applying(type_: str, arguments: dict[str, object], environment: dict[str, str], settings: str) -> Callable[[], float]:
    """What applies the resources in a new folder, and tells how many seconds that took."""

    def run() -> float:
        with tempfile.TemporaryDirectory() as folder:
            cli = Terraform(Path(folder), environment, settings=settings)
            cli.write(configuration(type_, arguments), "main.tf.json")
            start = time.perf_counter()
            made = cli.apply().summary.get("add")
            seconds = time.perf_counter() - start
        if made != COUNT:
            sys.exit(f"{made} resources of {type_} were made instead of {COUNT}: what was measured is not what it says.")
        return seconds

    return run


def rows() -> Iterator[Row]:
    """One row a peer. Nothing where there is no ``terraform``."""
    if shutil.which("terraform") is None:
        print("not measured: there is no terraform on PATH", file=sys.stderr)
        return
    null = shutil.which(NULL)
    with Double(BUCKET) as double, double.serve("terraform") as serving:
        sides = {
            "ours": applying("cloud_bucket", {"acl": "public"}, serving.environment, ""),
            "terraform_data": applying("terraform_data", {"input": "public"}, {}, ""),
        }
        if null:
            overrides = f'provider_installation {{\n dev_overrides {{\n "hashicorp/null" = "{Path(null).parent}"\n }}\n}}\n'
            sides["null_resource"] = applying("null_resource", {"triggers": {"acl": "public"}}, {}, overrides)
        taken: dict[str, list[float]] = {name: [] for name in sides}
        for _ in range(ROUNDS):
            for name, run in sides.items():
                taken[name].append(run())
    ours = statistics.median(taken.pop("ours"))
    for peer, seconds in taken.items():
        yield Row(f"terraform apply of {COUNT} resources", "s", ours, peer, statistics.median(seconds), "")


if __name__ == "__main__":
    report(rows())

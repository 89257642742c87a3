"""A module under the real ``terraform``: a life on the fake cloud, judged by the real provider, beside one run of its mocks.

Seconds, in turns. The life is an apply, a plan that must be empty, and a destroy; the other side is one ``terraform test`` with
a ``mock_provider`` and one assertion, whose mocks have the same provider's schema and validators. Nothing where there is no
``terraform``, or no such provider.
"""

from __future__ import annotations

import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from measure import Row, report

from mockprovider.double import Double, from_plugin
from mockprovider.drivers.terraform import Terraform

ROUNDS = 5
PLUGIN = "terraform-provider-random"
MODULE = """
resource "random_id" "seed" {
  byte_length = 4
}
resource "random_pet" "name" {
  count  = 10
  prefix = random_id.seed.hex
}
"""
MOCKED = """
mock_provider "random" {}
run "applies" {
  assert {
    condition     = length(random_pet.name) == 10
    error_message = "There are not ten."
  }
}
"""


def life(environment: dict[str, str]) -> Callable[[], None]:
    """An apply, a second plan and a destroy."""

    def run() -> None:
        with tempfile.TemporaryDirectory() as folder:
            module = Terraform(Path(folder), environment)
            module.write(MODULE)
            module.apply()
            if {tuple(actions) for actions in module.plan().actions.values()} != {("no-op",)}:
                sys.exit("The second plan is not empty: what was measured is not what it says.")
            module.destroy()

    return run


def mocked(plugin: str) -> Callable[[], None]:
    """One run of ``terraform test``."""
    settings = f'provider_installation {{\n dev_overrides {{\n "hashicorp/random" = "{Path(plugin).parent}"\n }}\n}}\n'

    def run() -> None:
        with tempfile.TemporaryDirectory() as folder:
            module = Terraform(Path(folder), {}, settings=settings)
            module.write(MODULE)
            module.write(MOCKED, "mocks.tftest.hcl")
            if module.test().tests != {"mocks.tftest.hcl": {"applies": "pass"}}:
                sys.exit("The mocked run did not pass: what was measured is not what it says.")

    return run


def taken(run: Callable[[], None]) -> float:
    """Seconds of one run."""
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def rows() -> Iterator[Row]:
    """One row."""
    plugin = shutil.which(PLUGIN)
    if plugin is None or shutil.which("terraform") is None:
        print(f"not measured: there is no terraform, or no {PLUGIN}, on PATH", file=sys.stderr)
        return
    package = from_plugin(plugin)
    with Double(package) as double, double.serve("terraform") as serving:
        sides = (life(serving.environment), mocked(plugin))
        rounds = [[taken(side) for side in sides] for _ in range(ROUNDS)]
    package.judge.close()
    ours, theirs = (statistics.median(side) for side in zip(*rounds, strict=True))
    yield Row("apply, empty plan and destroy of 11 resources, judged", "s", ours, "mock_provider, one run", theirs, "1 x")


if __name__ == "__main__":
    report(rows())

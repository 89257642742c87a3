"""A module under the real ``terraform``, on the fake cloud and judged by the real provider, beside one run of its mocks.

Seconds, in turns. The peer is one ``terraform test`` with a ``mock_provider`` and one assertion, whose mocks have the same
provider's schema and validators. The first row is the same work: the same test without the ``mock_provider``, so that it
applies, asserts and destroys on our side. The second is more work than the peer does: a life of an apply, a plan that must be
empty, and a destroy, which are four processes of ``terraform`` (one shows the plan) beside one. Our double serves all runs, and
its judge is one process; ``terraform`` starts the peer's provider in each run. Nothing where there is no ``terraform``, or no
such provider.
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
RUN = """
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


def one_run(test: str, environment: dict[str, str], settings: str = "") -> Callable[[], None]:
    """One run of ``terraform test``."""

    def run() -> None:
        with tempfile.TemporaryDirectory() as folder:
            module = Terraform(Path(folder), environment, settings=settings)
            module.write(MODULE)
            module.write(test, "it.tftest.hcl")
            if module.test().tests != {"it.tftest.hcl": {"applies": "pass"}}:
                sys.exit("The test did not pass: what was measured is not what it says.")

    return run


def mocked(plugin: str) -> Callable[[], None]:
    """The same with mocks of the provider, which ``terraform`` starts for its schema."""
    settings = f'provider_installation {{\n dev_overrides {{\n "hashicorp/random" = "{Path(plugin).parent}"\n }}\n}}\n'
    return one_run(f'mock_provider "random" {{}}\n{RUN}', {}, settings)


def taken(run: Callable[[], None]) -> float:
    """Seconds of one run."""
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def rows() -> Iterator[Row]:
    """Two rows: the same work, and a whole life."""
    plugin = shutil.which(PLUGIN)
    if plugin is None or shutil.which("terraform") is None:
        print(f"not measured: there is no terraform, or no {PLUGIN}, on PATH", file=sys.stderr)
        return
    package = from_plugin(plugin)
    with Double(package) as double, double.serve("terraform") as serving:
        sides = (one_run(RUN, serving.environment), life(serving.environment), mocked(plugin))
        rounds = [[taken(side) for side in sides] for _ in range(ROUNDS)]
        if double.cloud.objects():
            sys.exit("Something was not destroyed: what was measured is not what it says.")
    package.judge.close()
    test, whole, theirs = (statistics.median(side) for side in zip(*rounds, strict=True))
    peer = "mock_provider, one run"
    yield Row("terraform test of 11 resources, judged", "s", test, peer, theirs, "1 x")
    yield Row("apply, empty plan and destroy of them, four processes, judged", "s", whole, peer, theirs, "1 x")


if __name__ == "__main__":
    report(rows())

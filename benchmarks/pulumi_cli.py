"""Up, an unchanged up, and destroy on the embedded engine, against the real ``pulumi`` with the same program and the same fake.

Also how much longer the embedded engine takes for five times as many resources. Wall-clock time: the command line works in
several processes. It takes minutes on the command line's side; ``--count 100`` is for a look.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import up
from layers import BUCKET
from measure import Row, report

from mockprovider.double import Double
from mockprovider.drivers.pulumi import PulumiCli
from mockprovider.engine import Stack

TARGETS = {"up": "1/50", "up, unchanged": "1/25", "destroy": ""}
"""What each operation may take of the command line's time."""
MORE = 5
"""How many times the resources, to see whether the time is linear."""


def timed(run: Callable[[], object]) -> float:
    """Seconds of one run."""
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def lived(engine: Stack | PulumiCli, double: Double, count: int) -> dict[str, float]:
    """Seconds of each operation in the life of a stack of ``count`` resources."""
    up.COUNT = count
    seconds = {"up": timed(lambda: engine.up(up.program))}
    if (objects := len(double.cloud.objects(BUCKET.token))) != count:
        sys.exit(f"{objects} objects were made instead of {count}: what was measured is not what it says.")
    seconds["up, unchanged"] = timed(lambda: engine.up(up.program))
    seconds["destroy"] = timed(engine.destroy)
    return seconds


def embedded(count: int) -> dict[str, float]:
    """Seconds of the embedded engine."""
    double = Double(BUCKET)
    return lived(Stack(double, timeout=3600), double, count)


def by_command(count: int) -> dict[str, float]:
    """Seconds of the command line."""
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        double = stack.enter_context(Double(BUCKET))
        serving = stack.enter_context(double.serve("pulumi"))
        return lived(PulumiCli(Path(folder), serving.environment, timeout=3600), double, count)


def rows(count: int) -> Iterator[Row]:
    """A row for each operation, and one for the growth. Those beside the command line are left out where there is none."""
    # The first run loads the SDK.
    embedded(1)
    ours = embedded(count)
    if shutil.which("pulumi") is None:
        print("not measured: there is no pulumi on PATH", file=sys.stderr)
    else:
        for operation, theirs in by_command(count).items():
            yield Row(f"{operation}, {count:,} resources", "s", ours[operation], "pulumi", theirs, TARGETS[operation])
    for operation, seconds in embedded(count * MORE).items():
        what = f"{operation}, {count * MORE:,} resources"
        yield Row(what, "s", seconds, f"{MORE} times that of {count:,}", ours[operation] * MORE, "1.2 x")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000, help="how many resources")
    report(rows(parser.parse_args().count))

"""A provider's whole life under the real ``terraform``: live, against the replay of its kept cassette.

The lives are those that the cassettes are recordings of (``tests/kept_cassettes.py``): plan, apply, change, refresh, import,
destroy. Two rows each: the life from the first command to the last, where the engine's own time is on both sides and nothing
can be faster than that; and the calls of it, all of them together, where live stands for the provider behind the proxy.

The AWS provider takes part where MOCKPROVIDER_AWS_PROVIDER and MOCKPROVIDER_MOTO_PYTHON are set (see ``tests/kept_aws.py``).
"""

from __future__ import annotations

import os
import shutil
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from measure import Row, report
from msgspec import Struct

from mockprovider.calls import Call, Handler, Reply
from mockprovider.double import Double, Wiring, replaying
from mockprovider.double.launchers import dev_overrides
from mockprovider.drivers.terraform import Terraform

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests"))
import kept_aws
from kept_cassettes import KEPT, Kept, built_engines

SMALL = ("null", "time", "random")
ROUNDS = 3
AWS_TARGET = "0.02 x"
AWS_NEEDS = ("MOCKPROVIDER_AWS_PROVIDER", "MOCKPROVIDER_MOTO_PYTHON")


class Live(Struct):
    """A real provider: its executable, how a double is put in front of it, and what it needs to be told by the environment."""

    executable: Path
    wiring: Callable[[Path], Wiring]
    environment: Mapping[str, str] = {}
    rounds: int = ROUNDS
    target: str = ""


class Stopwatch:
    """A layer that adds up how long calls take, in seconds."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._lock = threading.Lock()

    def __call__(self, call: Call, proceed: Handler) -> Reply:
        """Answer ``call``."""
        start = time.perf_counter()
        try:
            return proceed(call)
        finally:
            taken = time.perf_counter() - start
            with self._lock:
                self.seconds += taken


def started(kept: Kept, live: Live) -> float:
    """Seconds of a life with the provider started by the engine itself."""
    name = kept.name.removeprefix("terraform-")
    with tempfile.TemporaryDirectory() as folder:
        cli = Terraform(Path(folder), live.environment, settings=dev_overrides(live.executable.parent, [name]))
        start = time.perf_counter()
        kept.life(cli, lambda: None)
        return time.perf_counter() - start


def served(kept: Kept, wiring: Wiring) -> tuple[float, float]:
    """Seconds of a life from behind a double, its start included, and of the calls in it."""
    stopwatch = Stopwatch()
    start = time.perf_counter()
    with (
        tempfile.TemporaryDirectory() as folder,
        Double(provider=wiring, layers=(stopwatch,)) as double,
        double.serve("terraform") as serving,
    ):
        kept.life(Terraform(Path(folder), serving.environment), lambda: None)
        double.raise_errors()
    return time.perf_counter() - start, stopwatch.seconds


def compared(kept: Kept, live: Live) -> Iterator[Row]:
    """Both rows of one provider: the medians of some rounds, in which each side has its turn."""
    ours: list[tuple[float, float]] = []
    theirs: list[tuple[float, float]] = []
    for _ in range(live.rounds):
        with tempfile.TemporaryDirectory() as folder:
            calls = served(kept, live.wiring(Path(folder)))[1]
            # Whoever asks for the wiring has the cloud behind it emptied.
            live.wiring(Path(folder))
            theirs.append((started(kept, live), calls))
        ours.append(served(kept, replaying(kept.path("terraform"))))
    life, calls = zip(medians(ours), medians(theirs), strict=True)
    yield Row(f"replay {kept.name} under terraform", "s", life[0], "live", life[1], live.target)
    yield Row("the calls of that", "ms", calls[0] * 1000, "live", calls[1] * 1000, live.target)


def medians(taken: list[tuple[float, float]]) -> list[float]:
    """The median of each column."""
    return [statistics.median(column) for column in zip(*taken, strict=True)]


def small(name: str) -> Iterator[Row]:
    """A provider that needs no cloud; nothing where it was not built."""
    kept, found = KEPT[f"terraform-{name}"], shutil.which(f"terraform-provider-{name}")
    if found is None:
        print(f"not measured: there is no terraform-provider-{name}; tools/build-engines builds it", file=sys.stderr)
        return
    yield from compared(kept, Live(Path(found), lambda folder: kept.live(folder).behind))


def aws() -> Iterator[Row]:
    """The AWS provider in front of a local cloud, once: its life takes minutes."""
    found = kept_aws.provider()
    missing = [each for each in AWS_NEEDS if not os.environ.get(each)]
    if missing or found is None:
        print(f"not measured: the AWS provider; set {' and '.join(AWS_NEEDS)}", file=sys.stderr)
        return
    live = Live(Path(found), kept_aws.live, kept_aws.ENVIRONMENT, rounds=1, target=AWS_TARGET)
    yield from compared(KEPT["terraform-aws"], live)


def rows() -> Iterator[Row]:
    """Two rows a provider. Nothing where there is no ``terraform``."""
    if shutil.which("terraform") is None:
        print("not measured: there is no terraform on PATH", file=sys.stderr)
        return
    with built_engines():
        for name in SMALL:
            yield from small(name)
        yield from aws()


if __name__ == "__main__":
    report(rows())

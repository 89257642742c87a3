"""Which tests are quick: as many as take a few seconds together, by what each took when it last ran here.

Every other run measures, and ``--quick`` goes by what was measured, so nobody keeps a list. Each file is there with its
quickest test, and then the quickest of all are, until the time is spent. A new test is quick, unless it is costly
(tests/costly.py); where nothing ever ran, each is taken for an ordinary one, so that a fresh clone has a sample of all rooms.
Properties have a few examples only. The run says how many of the tests it has, and how many never ran.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from zlib import crc32

import hypothesis
import pytest
from costly import ENGINES, is_costly, listed
from saying import Said

SECONDS = 6.0
"""What each worker's tests may take together, beside what it takes to start and to collect them."""
EACH = 0.005
"""What a test takes beside what is measured: to choose it, and to tell a report of each of its three parts."""
ORDINARY = 0.03
"""What a test takes in the mean, processes left out: for those that never ran."""
LONGEST = 0.25
"""A file whose quickest test takes longer is not there at all."""

EXAMPLES = 5
MEASURED = "mockprovider/seconds"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--quick``."""
    group = parser.getgroup("quick")
    group.addoption(
        "--quick", action="store_true", help="have what takes a few seconds together, as it did when it last ran here"
    )
    group.addoption("--quick-seconds", type=float, default=SECONDS, metavar="N", help="so many in each worker")


def pytest_configure(config: pytest.Config) -> None:
    """Take few examples, and measure, where the reports come together."""
    if config.getoption("quick"):
        hypothesis.settings.register_profile("quick", hypothesis.settings.get_profile("house"), max_examples=EXAMPLES)
        hypothesis.settings.load_profile("quick")
        config.pluginmanager.register(Choosing())
    elif not hasattr(config, "workerinput"):
        config.pluginmanager.register(Measuring(config))


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Do not even read what no save waits for."""
    return True if config.getoption("quick") and collection_path == config.rootpath / ENGINES else None


class Choosing(Said):
    """Chooses the tests, and says at the end of a run what it has chosen."""

    def __init__(self) -> None:
        super().__init__("quick")

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Leave out what is not quick; all workers come to the same."""
        cache = getattr(config, "cache", None)
        measured: Mapping[str, float] = cache.get(MEASURED, {}) if cache else {}
        workers = getattr(config, "workerinput", {}).get("workercount", 1)
        names = listed(config.rootpath)
        costly = {item.nodeid for item in items if is_costly(item, names)}
        quick = set(_chosen(items, measured, costly, workers * config.getoption("quick_seconds")))
        guessed = sum(item.nodeid not in measured for item in quick)
        self.said = f"quick: {len(quick)} of {len(items)} tests, of which {guessed} have never run here"
        config.hook.pytest_deselected(items=[item for item in items if item not in quick])
        items[:] = [item for item in items if item in quick]


def _chosen(
    items: Sequence[pytest.Item], measured: Mapping[str, float], costly: Collection[str], seconds: float
) -> Iterator[pytest.Item]:
    cost = {item: measured.get(item.nodeid, 2 * LONGEST if item.nodeid in costly else ORDINARY) for item in items}
    new = {item for item in items if item.nodeid not in measured and item.nodeid not in costly}
    # New ones first. Of those that take equally long, some of each room come, and the same in each worker.
    quickest_first = sorted(items, key=lambda item: (item not in new, cost[item], crc32(item.nodeid.encode())))
    rooms = {item.path: item for item in reversed(quickest_first) if cost[item] <= LONGEST}
    yield from rooms.values()
    left = seconds - sum(cost[item] + EACH for item in rooms.values())
    for item in quickest_first:
        left -= 0 if rooms.get(item.path) is item else cost[item] + EACH
        if left < 0:
            return
        yield item


class Measuring:
    """Notes how long each test takes, with what is made for it."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._seconds: dict[str, float] = defaultdict(float)

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Note one part of a test."""
        self._seconds[report.nodeid] += report.duration

    def pytest_sessionfinish(self) -> None:
        """Keep what was measured beside what earlier runs have: the mean of both, since a machine may be busy for once."""
        # Whoever leaves pytest's cache out (-p no:cacheprovider) has nothing to keep it in.
        cache = getattr(self._config, "cache", None)
        if cache and self._seconds:
            earlier = cache.get(MEASURED, {})
            seconds = {name: round((took + earlier.get(name, took)) / 2, 4) for name, took in self._seconds.items()}
            cache.set(MEASURED, {**earlier, **seconds})

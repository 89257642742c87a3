"""Which tests are quick: those that took little time when they were last run here.

Every other run measures, and ``--quick`` goes by what was measured, so nobody keeps a list. What was never run here is quick
unless it starts processes by nature. Properties have a few examples only.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any

import hypothesis
import pytest

SECONDS = 0.02
"""More than this is not quick: a hundred such tests take as long as three thousand others."""

EXAMPLES = 5
MEASURED = "mockprovider/seconds"
ENGINES, *PROCESSES = (Path(__file__).parent / name for name in ("engines", "plugin", "wire"))
"""Whose tests start engines, and other processes."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--quick``."""
    parser.addoption(
        "--quick", action="store_true", help=f"leave out what took more than {SECONDS:g} s when it was last run here"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Take few examples, and measure, where the reports come together."""
    if config.getoption("quick"):
        hypothesis.settings.register_profile("quick", hypothesis.settings.get_profile("house"), max_examples=EXAMPLES)
        hypothesis.settings.load_profile("quick")
    elif not hasattr(config, "workerinput"):
        config.pluginmanager.register(Measuring(config))


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Do not even read what no save waits for."""
    return True if config.getoption("quick") and collection_path == ENGINES else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is not quick."""
    if config.getoption("quick"):
        cache = getattr(config, "cache", None)
        measured: dict[str, float] = cache.get(MEASURED, {}) if cache else {}
        kept = [item for item in items if measured.get(item.nodeid, _guessed(item)) <= SECONDS]
        config.hook.pytest_deselected(items=[item for item in items if item not in kept])
        items[:] = kept


def _guessed(item: pytest.Item) -> float:
    slow = any(folder in item.path.parents for folder in PROCESSES) or "pytester" in getattr(item, "fixturenames", ())
    return 2 * SECONDS if slow else 0


class Measuring:
    """Notes how long each test takes, with what is made for it."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._seconds: dict[str, float] = defaultdict(float)

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Note one part of a test."""
        self._seconds[report.nodeid] += report.duration

    def pytest_sessionfinish(self) -> None:
        """Keep what was measured beside what earlier runs have."""
        # Whoever leaves pytest's cache out (-p no:cacheprovider) has nothing to keep it in.
        cache = getattr(self._config, "cache", None)
        if cache and self._seconds:
            earlier = cache.get(MEASURED, {})
            cache.set(MEASURED, {**earlier, **{name: round(took, 3) for name, took in self._seconds.items()}})

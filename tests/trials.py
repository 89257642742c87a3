"""Trials: campaigns of many seeded cases, which take longer than any save may wait for.

A campaign has pinned cases: an ordinary run plays a few of them, and ``--every-case`` (tests/costly.py) all. ``--trials=SEED``
runs the campaigns instead, and nothing else: tests with the marker ``trial``, whose cases are the ``seeds``, and properties
(hypothesis), whose examples ``--hypothesis-seed`` chooses.
"""

from __future__ import annotations

import json
import random
import time
from collections import defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime
from inspect import cleandoc
from pathlib import Path
from typing import Any

import hypothesis
import pytest

FEWER = 5
"""Of so many pinned cases an ordinary run plays one, unless the test says how few."""
FEW_EXAMPLES, PINNED_EXAMPLES = 15, 40
"""What an ordinary run tries of each property, and a run with ``--every-case``."""
PROPERTIES = "properties"
"""The campaign that all properties are."""


def _house(examples: int) -> None:
    # A slow machine is no failure, and a run that failed must fail again.
    hypothesis.settings.register_profile("house", deadline=None, derandomize=True, database=None, max_examples=examples)
    hypothesis.settings.load_profile("house")


_house(FEW_EXAMPLES)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of trials."""
    group = parser.getgroup("trials")
    group.addoption("--trials", metavar="SEED", default="", help="run the campaigns with this seed, and nothing else")
    group.addoption("--trials-seconds", metavar="N", type=float, default=0, help="no new case after so long, in each test")
    group.addoption("--trials-cases", metavar="N", type=int, default=0, help="at most so many cases of each test (0: all)")
    group.addoption("--trials-examples", metavar="N", type=int, default=1000, help="examples of each property")
    group.addoption("--trials-case", metavar="N", type=int, help="this case alone, as a failure names it")
    group.addoption("--trials-report", metavar="FOLDER", type=Path, help="write one file a campaign there")


def pytest_configure(config: pytest.Config) -> None:
    """Declare the marker, and take as many examples as were asked for."""
    config.addinivalue_line(
        "markers", "trial(campaign, pinned, cases, few=None): a test of many cases, its ``seeds``; an ordinary run plays a few"
    )
    if config.getoption("every_case"):
        _house(PINNED_EXAMPLES)
    if config.getoption("trials"):
        examples = config.getoption("trials_examples")
        hypothesis.settings.register_profile("trials", deadline=None, database=None, max_examples=examples, print_blob=True)
        hypothesis.settings.load_profile("trials")


def pytest_report_header(config: pytest.Config) -> str:
    """Name the seed, so that a run can be had again."""
    return f"trials: seed {config.getoption('trials')}" if config.getoption("trials") else ""


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep the campaigns alone where they are what is run, and leave out what has no case in an ordinary run."""
    if config.getoption("trials"):
        items[:] = [item for item in items if item.get_closest_marker("trial") or item.get_closest_marker("hypothesis")]
    elif config.getoption("trials_case") is None:
        count = "pinned" if config.getoption("every_case") else "few"
        left_out = {item for item in items if (marker := item.get_closest_marker("trial")) and marker.kwargs.get(count) == 0}
        if left_out:
            config.hook.pytest_deselected(items=[*left_out])
            items[:] = [item for item in items if item not in left_out]


CASES = pytest.StashKey[list[int]]()


@pytest.fixture
def seeds(request: pytest.FixtureRequest) -> Iterator[int]:
    """The cases of a test that is marked as a trial: its pinned ones, or a campaign's until its time is over."""
    cases = request.node.stash[CASES] = []
    return _noted(_seeds(request, **request.node.get_closest_marker("trial").kwargs), cases)


def _noted(seeds: Iterator[int], cases: list[int]) -> Iterator[int]:
    for seed in seeds:
        cases.append(seed)
        yield seed


def _seeds(request: pytest.FixtureRequest, pinned: int, cases: int, few: int | None = None) -> Iterator[int]:
    options = ("trials", "trials_seconds", "trials_case", "trials_cases")
    trials, seconds, case, most = map(request.config.getoption, options)
    if case is not None:
        yield case
    elif not trials:
        fewer = -(-pinned // FEWER) if few is None else few
        yield from range(pinned if request.config.getoption("every_case") else fewer)
    else:
        dice, began = random.Random(f"{trials} {request.node.nodeid}"), time.monotonic()
        for done in range(min(cases, most or cases)):
            if done and seconds and time.monotonic() - began > seconds:
                return
            yield dice.getrandbits(32)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[Any]:
    """Say of a report which campaign it belongs to, and of a failure which case it was."""
    report = yield
    marker = item.get_closest_marker("trial")
    if call.when == "call" and (marker or item.get_closest_marker("hypothesis")):
        cases = item.stash.get(CASES, None)
        count = item.config.getoption("trials_examples") if cases is None else len(cases)
        what = cleandoc(item.function.__doc__)  # type: ignore[attr-defined]
        report.user_properties.append(("trial", (marker.args[0] if marker else PROPERTIES, what, count)))
        if report.failed and cases:
            report.sections.append(("trials", f"The case that failed: --trials-case={cases[-1]}"))
    return report


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Write what came of each campaign, and nothing of the machine that it ran on."""
    folder, seed = config.getoption("trials_report"), config.getoption("trials")
    if not folder or not seed:
        return
    campaigns = defaultdict(list)
    for outcome in ("passed", "failed"):
        for report in terminalreporter.stats.get(outcome, ()):
            for key, (name, what, count) in getattr(report, "user_properties", ()):
                if key == "trial":
                    campaigns[name].append((report, what, count))
    folder.mkdir(parents=True, exist_ok=True)
    for name, results in campaigns.items():
        text = json.dumps(_report(seed, results), indent=1, ensure_ascii=False)
        (folder / f"{name}.json").write_text(f"{text}\n", encoding="utf-8")


def _report(seed: str, results: list[tuple[Any, str, int]]) -> dict[str, Any]:
    return {
        "what": sorted({what for _, what, _ in results}),
        "seed": seed,
        "tests": len(results),
        "cases": sum(count for _, _, count in results),
        "failed": sorted(report.nodeid for report, _, _ in results if report.failed),
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
    }

"""A pytest plugin that notes how many seconds each test took."""

from __future__ import annotations

import json
import os
from collections import defaultdict
from pathlib import Path

import pytest

SECONDS: defaultdict[str, float] = defaultdict(float)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Add up set-up, call and teardown; with xdist the controller hears of all of them."""
    SECONDS[report.nodeid] += report.duration


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write what was measured, beside what earlier runs measured of other tests."""
    if not hasattr(session.config, "workerinput"):
        path = Path(os.environ["MUTANTS_DURATIONS"])
        path.write_text(json.dumps(json.loads(path.read_text()) | SECONDS))

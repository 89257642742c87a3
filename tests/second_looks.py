"""A second look at what failed: whole runs on a busy machine drive thousands of processes, and one that fails by chance says
nothing of the change.

``--second-look`` has ``pytest-rerunfailures`` run a test that failed once more. Nothing is hidden: the run ends with each first
failure in full, since each is a test to be mended, and more than ``LIMIT`` of them fail the run. Without the option, as in
``make test``, a failure is one.
"""

from __future__ import annotations

from typing import Any

import pytest

LIMIT = 5
"""So many tests of one run may fail by chance."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--second-look``."""
    parser.addoption(
        "--second-look",
        action="store_true",
        help=f"run a test that failed once more, and show its first failure; more than {LIMIT} of these fail the run",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Ask for one more run of each test that fails."""
    if config.getoption("--second-look"):
        if not config.pluginmanager.hasplugin("rerunfailures"):
            raise pytest.UsageError("--second-look needs pytest-rerunfailures: pip install pytest-rerunfailures")
        config.option.reruns = 1


def first_failures(config: pytest.Config) -> list[Any]:
    """The reports of the failures after which a test was run again."""
    reporter: Any = config.pluginmanager.get_plugin("terminalreporter")
    return reporter.stats.get("rerun", []) if reporter and config.getoption("--second-look") else []


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail a run in which too many tests needed their second look."""
    if len(first_failures(session.config)) > LIMIT:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Show the first failures in full."""
    reports = first_failures(config)
    if reports:
        terminalreporter.section(f"first failures of tests that got a second look: {len(reports)}, of {LIMIT} at most", "=")
        for report in reports:
            terminalreporter.section(report.nodeid, "_", red=True)
            terminalreporter.line(report.longreprtext)

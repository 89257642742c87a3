"""What the pytest plugin says of tests that used a double: why one failed, what it recorded, what an interrupted one left.

Nothing slow is imported before a test has failed or recorded: pytest loads this module in every run.
"""

from __future__ import annotations

import os
import shlex
import warnings
from collections.abc import Generator, Iterable
from typing import TYPE_CHECKING, Any

import pytest

from mockprovider.errors import MockProviderError, MockProviderWarning, extra_hint

if TYPE_CHECKING:
    from mockprovider.double import Double
    from mockprovider.double.used import Used

RECORD = "--provider-record"
SEED = "--provider-seed"
SUMMARY = "mockprovider_recorded"
"""The attribute of a test's report that says what the test recorded."""
TALLY = "mockprovider_tally"
"""The attribute of a test's report that counts the calls of cassettes that it played and recorded."""
USED = pytest.StashKey["Used"]()
RUNNING = pytest.StashKey[dict[str, "Used"]]()
"""What the tests that have not ended use, by their ids: more than one only where a run was interrupted."""


def note_used(item: pytest.Item, used: Used) -> None:
    """Note what a test uses, to explain its failure, and what it leaves where nobody makes a report of its end."""
    item.stash[USED] = used
    item.config.stash.setdefault(RUNNING, {})[item.nodeid] = used


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    """Fail a passed test with the first error of ours that the engine swallowed, such as a miss."""
    __tracebackhide__ = True
    try:
        result = yield
    except BaseException:
        used = item.stash.get(USED, None)
        if used is not None:
            # The failed test's report lists these errors, so they need not fail it a second time.
            used.tell()
        raise
    used = item.stash.get(USED, None)
    if used is not None:
        used.raise_errors()
        if never := _unfired(used.doubles.values()):
            pytest.fail(never, pytrace=False)
    _warn(item, used)
    return result


def _warn(item: pytest.Item, used: Used | None) -> None:
    """Warn of a passed test that probably does not test what it claims."""
    __tracebackhide__ = True
    if used is None and any(marker.name == "cassette" for marker in item.own_markers):
        warnings.warn(MockProviderWarning("Marked with a cassette, and uses no fixture of mockprovider's."), stacklevel=2)


def _unfired(doubles: Iterable[Double]) -> str:
    """What to say of faults that did not fire as they had to; empty if there are none."""
    complaints = [complaint for double in doubles for rule in double.faults.rules if (complaint := rule.complaint)]
    if not complaints:
        return ""
    listed = "\n".join(f"  {complaint}" for complaint in complaints)
    return f"The test passed without its faults, so it tests something else:\n{listed}\nAdd .optional() where that is meant."


def fail_unplayed(used: Used, again: str) -> None:
    """Fail a test that passed and never asked for recorded changes. Its other fixtures have ended: they may ask for some, too.

    ``again`` is the command line that records it again.
    """
    if used.unplayed:
        listed = "\n".join(f"  {line}" for line in used.unplayed)
        pytest.fail(
            f"The test passed, and its cassette holds changes that it never asked for:\n{listed}\n"
            f"If this test recorded it, record it again: {again}\n"
            'Or allow it, where it is meant to replay a part: @pytest.mark.cassette(unplayed="allow").',
            pytrace=False,
        )


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A failed test that used a double says what the double saw, how to run it again, and where everything is kept."""
    if (
        call.excinfo is not None
        and isinstance(call.excinfo.value, MockProviderError)
        and not item.config.getoption("fulltrace")
    ):
        from mockprovider.double.tracebacks import shorten  # noqa: PLC0415 - only when a test has failed

        shorten(call.excinfo.value, call.excinfo.tb, str(item.path))
    report = yield
    if call.excinfo is not None and (hint := extra_hint(call.excinfo.value)):
        report.sections.append(("mockprovider", hint))
    used = item.stash.get(USED, None)
    if used is None:
        return report
    if call.when == "teardown":
        item.config.stash[RUNNING].pop(item.nodeid, None)
    if call.when == "teardown" and used.summary:
        # An attribute of the report, because that is what other processes of pytest-xdist send.
        vars(report)[SUMMARY] = used.summary
    if call.when == "teardown" and (tally := used.tally):
        vars(report)[TALLY] = {name: getattr(tally, name) for name in tally.__struct_fields__}
    if call.when == "call":
        used.complete = report.passed and not hasattr(report, "wasxfail")
        used.passed = report.passed or hasattr(report, "wasxfail")
    if report.failed and call.excinfo is not None:
        report.sections.append(("mockprovider", _explained(item, used, call)))
    return report


def _explained(item: pytest.Item, used: Used, call: pytest.CallInfo[None]) -> str:
    mode, seed = item.config.getoption(RECORD), item.config.getoption(SEED)
    options = f"{SEED}={seed}" + (f" {RECORD}={mode}" if mode else "")
    again = f"Seed {seed}. To run it again: pytest {options} {shlex.quote(from_here(item))}"
    raised = str(call.excinfo.value) if call.excinfo else ""
    return "\n".join(used.explained(raised, again, settled=call.when == "teardown"))


def from_here(item: pytest.Item) -> str:
    """The test's id as it is typed where pytest was started; its own begins at the root folder."""
    _, mark, name = item.nodeid.partition("::")
    return f"{os.path.relpath(item.path, item.config.invocation_params.dir)}{mark}{name}"


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """What was recorded, at the end of the run, what a test that was interrupted has left, and how many calls were played."""
    reports = [report for kind in terminalreporter.stats.values() for report in kind]
    recorded = [summary for report in reports if (summary := getattr(report, SUMMARY, None))]
    for nodeid, used in config.stash.get(RUNNING, {}).items():
        if used.recording:
            recorded.append([f"{nodeid} was interrupted. {used.recording.left[0]}", *used.recording.left[1:]])
    if recorded:
        terminalreporter.section("mockprovider: recorded")
    for line in (line for summary in recorded for line in summary):
        terminalreporter.line(line)
    if tallies := [tally for report in reports if (tally := getattr(report, TALLY, None))]:
        from mockprovider.cassette.tally import Tally  # noqa: PLC0415 - only where a cassette was used

        terminalreporter.line(f"mockprovider cassettes: {sum((Tally(**tally) for tally in tallies), Tally())}.")

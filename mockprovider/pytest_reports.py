"""What the pytest plugin says of tests that used a double: why one failed, what it recorded, what an interrupted one left.

Nothing slow is imported before a test has failed or recorded: pytest loads this module in every run.
"""

from __future__ import annotations

import os
import shlex
import warnings
from collections import Counter
from collections.abc import Generator, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

from mockprovider.errors import MockProviderError, MockProviderWarning, extra_hint
from mockprovider.pytest_marks import allowed_everywhere
from mockprovider.pytest_workers import note, noted

if TYPE_CHECKING:
    from mockprovider.double import Double
    from mockprovider.double.used import Used

RECORD = "--provider-record"
SEED = "--provider-seed"
MAX_AGE = "--provider-max-age"
SUMMARY = "mockprovider_recorded"
"""The attribute of a test's report that says what the test recorded."""
TALLY = "mockprovider_tally"
"""The attribute of a test's report that counts the calls of cassettes that it played and recorded."""
WARNED = "mockprovider_warned"
"""The attribute of a test's report with the rules of the contract that were broken, and fail no test."""
PERMISSIONS = "mockprovider_permissions"
"""The attribute of a test's report that says which rules it allows to be broken, why, and whether they were."""
UNCHECKED = "mockprovider_unchecked"
"""The attribute of a test's report with the types that it used, by package, of which a schema alone is known."""
USED = pytest.StashKey["Used"]()
RUNNING = pytest.StashKey[dict[str, "Used"]]()
"""What the tests that have not ended use, by their ids: more than one only where a run was interrupted."""


def note_used(item: pytest.Item, used: Used) -> None:
    """Note what a test uses, to explain its failure, and what it leaves where nobody makes a report of its end."""
    item.stash[USED] = used
    item.config.stash.setdefault(RUNNING, {})[item.nodeid] = used
    recording = used.recording
    if recording:
        recording.noting = lambda: note(item.config, item.nodeid, recording.left)
        recording.noting()


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
        if item.get_closest_marker("xfail"):
            # What comes after the test's call is not what is expected to fail.
            fail_broken(used)
    _warn(item, used)
    return result


def _warn(item: pytest.Item, used: Used | None) -> None:
    """Warn of a passed test that probably does not test what it claims."""
    __tracebackhide__ = True
    if used is None and any(marker.name == "cassette" for marker in item.own_markers):
        warnings.warn(MockProviderWarning("Marked with a cassette, and uses no fixture of mockprovider's."), stacklevel=2)
    for line in used.doubts if used is not None else ():
        warnings.warn(MockProviderWarning(line), stacklevel=2)


def check_max_age(config: pytest.Config) -> None:
    """Raise ``UsageError`` where the option holds no age."""
    wanted = config.getoption(MAX_AGE)
    if wanted is None:
        return
    from mockprovider.durations import age  # noqa: PLC0415 - only where an age is given

    try:
        age(wanted)
    except MockProviderError as error:
        raise pytest.UsageError(f"{MAX_AGE}={wanted}: {error}") from error


def warn_expired(used: Used, max_age: str, again: str) -> None:
    """Warn of a test that replays a cassette which is older than it may be. ``again`` is the command that records it again.

    It is no failure: a test that nobody touched would begin to fail on some day, for everybody.
    """
    if not max_age:
        return
    from mockprovider.cassette.aging import expired  # noqa: PLC0415 - only where an age is given
    from mockprovider.double.clocks import CalendarClock  # noqa: PLC0415 - as above

    cassettes = {id(double.library): double.library.cassette for double in used.doubles.values() if double.library}
    for cassette in cassettes.values():
        if old := expired(cassette, max_age, CalendarClock().now(), again):
            warnings.warn(MockProviderWarning(f"{cassette.name}: {old}"), stacklevel=2)


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


def fail_broken(used: Used) -> None:
    """Fail a test that passed although its engine or its provider broke the contract."""
    breaches = used.breaches
    if breaches:
        from mockprovider.contract import tell  # noqa: PLC0415 - only when a test has failed

        listed = "\n".join(f"  {line}" for line in tell(breaches))
        allow = ", ".join(f"{id_!r}: 'the reason'" for id_ in dict.fromkeys(breach.rule.id for breach in breaches))
        pytest.fail(
            f"The test passed, and the contract between engine and provider was broken:\n{used.scrub(listed)}\n"
            f"Allow it, where it is right here: @pytest.mark.contract(allow={{{allow}}}), or "
            "provider.contract.allow(ID, because='the reason').",
            pytrace=False,
        )


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """A module of tests that an import ended because an extra is missing says the command that installs it."""
    report = yield
    call = getattr(report, "call", None)
    error: BaseException | None = call.excinfo.value if call is not None and call.excinfo is not None else None
    while error is not None and not extra_hint(error):
        error = error.__cause__
    if error is not None:
        report.sections.append(("mockprovider", extra_hint(error)))
    return report


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
        note(item.config, item.nodeid, None)
    if call.when == "teardown" and used.summary:
        # An attribute of the report, because that is what other processes of pytest-xdist send.
        vars(report)[SUMMARY] = used.summary
    if call.when == "teardown" and (tally := used.tally):
        vars(report)[TALLY] = {name: getattr(tally, name) for name in tally.__struct_fields__}
    if call.when == "teardown" and (unchecked := used.unchecked):
        vars(report)[UNCHECKED] = unchecked
    if call.when == "call":
        used.complete = report.passed and not hasattr(report, "wasxfail")
        used.passed = report.passed or hasattr(report, "wasxfail")
    if call.when == "teardown" and used.complete:
        _note_contract(item, used, report)
    if report.failed and call.excinfo is not None:
        report.sections.append(("mockprovider", _explained(item, used, call)))
    return report


def _note_contract(item: pytest.Item, used: Used, report: pytest.TestReport) -> None:
    """Note on the report of a test that passed which rules were broken as a warning, and what it allows without need."""
    if warned := used.warned:
        vars(report)[WARNED] = warned
    everywhere = {id_.upper() for id_, _ in allowed_everywhere(item.config)}
    if own := [[*permission, needed] for permission, needed in used.permissions.items() if permission[0] not in everywhere]:
        vars(report)[PERMISSIONS] = own


def _contract(reports: Iterable[Any]) -> Iterator[str]:
    """Lines about the warnings of a run, and about the permissions that none of its tests needed."""
    tests: Counter[str] = Counter()
    times: Counter[str] = Counter()
    first: dict[str, str] = {}
    needed: dict[tuple[str, str], bool] = {}
    for report in reports:
        warned = getattr(report, WARNED, [])
        times.update(id_ for id_, _ in warned)
        tests.update({id_ for id_, _ in warned})
        for id_, how in warned:
            first.setdefault(id_, f"{report.nodeid}: {how}")
        for id_, because, was in getattr(report, PERMISSIONS, []):
            # Tests may share a marker, or a fixture that allows something.
            needed[id_, because] = needed.get((id_, because), False) or was
    for id_, number in times.items():
        broken = f"{_times(number)} in {tests[id_]} test{'s' if tests[id_] > 1 else ''}"
        yield f"warning: {id_} was broken {broken}. mockprovider contract rules {id_} tells of it."
        yield f"  first in {first[id_]}"
    for (id_, because), was in needed.items():
        if not was:
            yield f"allowed, and broken in no test of this run: {id_} ({because})"


def _unchecked(reports: Iterable[Any]) -> Iterator[str]:
    """A line about what the fakes of the run's schemas did not check, with the page that says how to have it checked."""
    types: dict[str, set[str]] = {}
    for report in reports:
        for package, tokens in getattr(report, UNCHECKED, {}).items():
            types.setdefault(package, set()).update(tokens)
    if types:
        fakes = ", ".join(f"{package} ({len(tokens)})" for package, tokens in sorted(types.items()))
        yield (
            f"mockprovider: types of which only a schema is known: {fakes}. No validator saw their values, and no change "
            "replaces them. Declare what does (forces_new=True), or let the real provider judge (from_plugin): "
            "mockprovider docs answers#what-is-not-checked."
        )


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number} times"


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
    running = [(nodeid, used.recording.left.lines) for nodeid, used in config.stash.get(RUNNING, {}).items() if used.recording]
    for nodeid, left in [*running, *noted(config)]:
        recorded.append([f"{nodeid} was interrupted. {left[0]}", *left[1:]])
    if recorded:
        terminalreporter.section("mockprovider: recorded")
    for line in (line for summary in recorded for line in summary):
        terminalreporter.line(line)
    if contract := [*_contract(reports)]:
        terminalreporter.section("mockprovider: the contract")
        for line in contract:
            terminalreporter.line(line)
    for line in _unchecked(reports):
        terminalreporter.line(line)
    if tallies := [tally for report in reports if (tally := getattr(report, TALLY, None))]:
        from mockprovider.cassette.tally import Tally  # noqa: PLC0415 - only where a cassette was used

        terminalreporter.line(f"mockprovider cassettes: {sum((Tally(**tally) for tally in tallies), Tally())}.")

"""Tests whose cassettes are older than they may be: they pass, with a warning."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from plugin_toolbox import WITHOUT

from mockprovider import Double, recording, tape
from mockprovider.calls import Call, Op, Reply
from mockprovider.clock import StillClock
from mockprovider.double import Wiring
from mockprovider.double.clocks import CalendarClock
from mockprovider.durations import DAY

Running = Callable[..., pytest.RunResult]
TEST = """
import pytest
from mockprovider.calls import Call, Op

@pytest.mark.cassette("it.json"{argument})
def test_it(provider):
    provider(Call(op=Op.INVOKE, session=provider.open(), type="cloud:index:f", inputs={{}}))
"""


def answering(_: Call) -> Reply:
    """A provider of one function."""
    return Reply(value={})


@pytest.fixture
def marked(pytester: pytest.Pytester) -> pytest.Pytester:
    """A test with a cassette that was recorded 91 days ago."""
    clock = StillClock(CalendarClock().now() - 91 * DAY)
    with Double(provider=recording(pytester.path / "it.json", Wiring("cloud", answering), clock=clock)) as double:
        double(Call(op=Op.INVOKE, session=double.open(), type="cloud:index:f", inputs={}))
    return pytester


@pytest.mark.parametrize(
    ("argument", "options", "warns"),
    [
        ("", [], False),
        (', max_age="90d"', [], True),
        (', max_age="92d"', [], False),
        ("", ["--provider-max-age=90d"], True),
        (', max_age="92d"', ["--provider-max-age=90d"], True),
        (', max_age="90d"', ["--provider-max-age=92d"], False),
    ],
)
def test_an_old_cassette_warns(marked: pytest.Pytester, run: Running, argument: str, options: list[str], warns: bool) -> None:
    """A test whose cassette is too old passes, with a warning that says how to record it again; the option counts first."""
    marked.makepyfile(test_old=TEST.format(argument=argument))
    result = run(None, "-Wdefault", *options)
    result.assert_outcomes(passed=1, warnings=int(warns))
    if warns:
        again = "To record it again: pytest --provider-record=all test_old.py::test_it."
        result.stdout.fnmatch_lines([f"*it.json: it is 91 days old, and may be 90d. {again}"])
    else:
        result.stdout.no_fnmatch_line("*days old*")


def test_warnings_that_are_errors(marked: pytest.Pytester) -> None:
    """Whoever makes warnings errors has the test fail, once, and nothing is left open."""
    marked.makepyfile(test_old=TEST.format(argument=', max_age="90d"'))
    result = marked.runpytest_subprocess(*WITHOUT, "-W", "error::mockprovider.errors.MockProviderWarning")
    result.assert_outcomes(errors=1)


def test_recording_anew_makes_it_young(marked: pytest.Pytester, run: Running) -> None:
    """The command that the warning names records a cassette of today, which does not warn."""
    test = TEST.format(argument=', max_age="90d", name="cloud"')
    defined = "provider.define(Function('cloud:index:f', {}, {}))\n    provider(Call"
    marked.makepyfile(test_old=f"from mockprovider import Function\n{test.replace('provider(Call', defined)}")
    run(None, "-Wdefault", "--provider-record=all").assert_outcomes(passed=1)
    assert tape.load(marked.path / "it.json").header.recorded_at == CalendarClock().now()
    run(None, "-Wdefault").assert_outcomes(passed=1, warnings=0)


@pytest.mark.parametrize(
    ("argument", "said"),
    [(', max_age="soon"', "*'soon' is no age.*"), (", max_age=90", "*max_age=90 is a int; give an age, such as '90d'.*")],
)
def test_marks_that_are_no_age(marked: pytest.Pytester, run: Running, argument: str, said: str) -> None:
    """What is no age is refused in the marker."""
    marked.makepyfile(test_old=TEST.format(argument=argument))
    result = run(None)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([said])


def test_an_option_that_is_no_age(run: Running) -> None:
    """What is no age is refused in the option before anything runs."""
    result = run(None, "--provider-max-age=soon")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--provider-max-age=soon: 'soon' is no age.*"])

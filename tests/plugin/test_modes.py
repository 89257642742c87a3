"""The modes from a test's marker and from the option, and what becomes of the cassette."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from mode_stage import LIVE, assert_kept, holders, keep, prepared

from mockprovider.cassette import RULES, CassetteAction, LookResult, Mode

CELLS = [*itertools.product(Mode, [True, False], LookResult)]
ERRORS = {LookResult.MISSING: "MissError", LookResult.AMBIGUOUS: "AmbiguousError"}
ASKS = """
    import pytest
    from mode_stage import LIVE, Answering, action, asked

    @pytest.mark.cassette("it.json", name="cloud", mode={mode!r}, unplayed="allow")
    def test(provider, cassette):
        if cassette.recording or cassette.mode == "verify":
            provider.use(provider=Answering(LIVE))
        assert action(provider(asked(provider, {outcome!r})), cassette.mode) == {done!r}
        {more}
    """


def asks(mode: str | None, outcome: str, done: str, more: str = "pass") -> str:
    """A test that asks one thing in a mode."""
    return ASKS.format(mode=mode and str(mode), outcome=str(outcome), done=str(done), more=more)


def assert_ended(result, mode, existed, outcome, expected):
    """The inner run passed, or failed with what this cell of the table is refused with."""
    if expected is not CassetteAction.REFUSE:
        result.assert_outcomes(passed=1)
    elif existed:
        result.assert_outcomes(failed=1)
        result.stdout.fnmatch_lines([f"E *{ERRORS[outcome]}: *"])
    else:
        result.assert_outcomes(errors=1)
        result.stdout.fnmatch_lines(["CassetteMissingError: There is no cassette *"])


@pytest.mark.parametrize("cell", CELLS, ids=lambda cell: "-".join(map(str, cell)))
@pytest.mark.parametrize("door", ["marker", "option"])
def test_every_cell(run, pytester, cell, door):
    """From a marker and from the option, each mode does with each call what the table says."""
    mode, existed, outcome = cell
    path = pytester.path / "it.json"
    before = prepared(path, existed=existed)
    expected = RULES[mode].action(outcome, existed=existed)
    source = asks(mode if door == "marker" else None, outcome, expected)
    result = run(source, *([] if door == "marker" else [f"--provider-record={mode}"]))
    assert_ended(result, mode, existed, outcome, expected)
    assert_kept(path, before, expected, mode)


@pytest.mark.parametrize(("marked", "given", "done"), [("all", "none", "replay"), ("none", "all", "record")])
def test_the_option_decides(run, pytester, marked, given, done):
    """An option that is given holds for all tests, whatever they are marked with, so that a job can forbid recording."""
    keep(pytester.path / "it.json")
    run(asks(marked, "found", done), f"--provider-record={given}").assert_outcomes(passed=1)


@pytest.mark.parametrize("existed", [True, False])
@pytest.mark.parametrize("mode", ["once", "new", "all", "rewrite"])
@pytest.mark.parametrize("ends", ["assert False", "raise KeyboardInterrupt"])
def test_a_run_that_breaks_off_replaces_nothing(run, pytester, mode, existed, ends):
    """A failed or interrupted test leaves the cassette as it was; under ``once`` it leaves none, so the next run records."""
    path = pytester.path / "it.json"
    before = prepared(path, existed=existed)
    records = RULES[Mode(mode)].action(LookResult.FOUND, existed=existed) is CassetteAction.RECORD
    result = run(asks(mode, "found", "record" if records else "replay", ends))
    beside = pytester.path / "it.json.failed"
    first = not existed and mode != "once"
    assert (path.read_bytes() if path.exists() and not first else b"") == before
    assert beside.exists() == (records and not first)
    said = f"*{beside}*" if beside.exists() else "*"
    result.stdout.fnmatch_lines([said])
    if beside.exists() and not existed and "assert" in ends:
        result.stdout.fnmatch_lines([f"Recorded into {beside}: the test failed, so {path} is not made."])
    if mode == "once" and not existed:
        run(asks(mode, "found", "record")).assert_outcomes(passed=1)
        assert holders(path) == {LIVE}
        assert not beside.exists()


def test_a_second_test_replays_what_the_first_recorded(run):
    """Under ``once`` tests may share a cassette that is not there yet: the first one records it, the next one replays it."""
    first = asks("once", "found", "record", "assert cassette.recording")
    # What the first one recorded is of the live provider, and comes from the cassette.
    second = asks("once", "found", "record", "assert not cassette.recording").replace("def test(", "def test_next(")
    run(first + second).assert_outcomes(passed=2)


def test_workers_that_record_one_cassette(run, pytester):
    """Two processes that record one cassette ``once`` at the same time: one records all of it, the other is told who does."""
    source = """
        import time
        from pathlib import Path

        import pytest
        from mode_stage import Answering, asked

        @pytest.mark.cassette("it.json", name="cloud", mode="once")
        @pytest.mark.parametrize("one", ["first", "second"])
        def test(provider, cassette, one):
            Path(one).touch()
            provider.use(provider=Answering(one))
            for _ in range(1200):
                if {*Path().glob("told")}:
                    break
                time.sleep(0.05)
            provider(asked(provider, "found"))
        """
    # The one that is refused ends the other's wait.
    conftest = """
        import pytest
        from pathlib import Path

        @pytest.hookimpl(trylast=True)
        def pytest_runtest_logreport(report):
            if report.when == "setup" and report.failed:
                Path("told").touch()
        """
    pytester.makeconftest(conftest)
    result = run(source, "-p", "xdist", "-n", "2", "-o", f"pythonpath=. {Path(__file__).parents[1]}")
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["CassetteBusyError: *it.json is being recorded by process *. Wait until that has ended*"])
    (winner,) = [one for one in ("first", "second") if (pytester.path / one).exists()]
    assert holders(pytester.path / "it.json") == {winner}
    assert [file.name for file in pytester.path.glob("*it.json?*")] == []


@pytest.mark.parametrize(
    ("mode", "said"),
    [("'onse'", "'onse' is no cassette mode"), ("7", "give the name of one")],
)
def test_a_marker_with_no_mode(run, mode, said):
    """A word on the marker that is no mode is refused before the test begins, with those that there are."""
    result = run(f"import pytest\n@pytest.mark.cassette(mode={mode})\ndef test(provider): pass")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([f"DefinitionError: @pytest.mark.cassette: *{said}*"])


GROWS = """
    import pytest
    from mode_stage import LIVE, Answering, asked

    @pytest.mark.cassette("it.json", name="cloud", mode="new")
    def test(provider):
        provider.use(provider=Answering(LIVE))
        for outcome in {outcomes!r}:
            provider(asked(provider, outcome))
    """


def test_a_cassette_that_grows_is_played_as_a_whole(run, pytester):
    """Under ``new`` a test that leaves out a recorded change fails, and adds nothing; one that asks for all of it adds."""
    path = pytester.path / "it.json"
    before = prepared(path, existed=True)
    result = run(GROWS.format(outcomes=["missing"]))
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["*its cassette holds changes that it never asked for:*", "*create cloud:index:Bucket logs*"])
    assert path.read_bytes() == before

    result = run(GROWS.format(outcomes=["found", "missing"]))
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["mockprovider cassettes: 1 calls played, 1 recorded."])
    assert holders(path) == {LIVE, "recorded"}


def test_a_provider_that_answers_otherwise_fails_the_test(run, pytester):
    """Under ``verify`` a test that passes fails when an answer differs, with the call, the place and both values."""
    prepared(pytester.path / "it.json", existed=True)
    result = run(
        """
        import pytest
        from mode_stage import Answering, asked
        from mockprovider.calls import Reply

        @pytest.mark.cassette("it.json", name="cloud", mode="verify")
        def test(provider):
            provider.use(provider=lambda call: Reply(id="bucket-1", value={"a": "other"}))
            provider(asked(provider, "found"))
        """
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([
        "E *DifferentAnswersError: The provider answers one call otherwise than *it.json holds.",
        "*interaction 4, create (Create) of *logs is answered differently:",
        '*properties.a: recorded "logs", now "other"',
        "*To record it again: *",
    ])  # fmt: skip

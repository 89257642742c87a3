"""Trials, costly tests and quick runs: which tests and which cases a run has, and what it says of them."""

from __future__ import annotations

import json
from pathlib import Path

import hypothesis
import pytest

SOURCE = """
    import time

    import pytest
    from hypothesis import given, strategies as st

    @pytest.mark.trial("counting", pinned=3, cases=20)
    def test_cases(seeds):
        "Every case counts."
        for seed in seeds:
            print("case", seed)
            assert seed != 7

    @given(st.integers())
    def test_property(number):
        "Numbers are numbers."

    def test_other():
        "Neither."
        time.sleep(0.06)
"""
LONG = """
    import pytest

    @pytest.mark.trial("counting", pinned=2, cases=20, few=0)
    def test_long(seeds):
        "All take long."
        for seed in seeds:
            print("case", seed)

    @pytest.mark.trial("counting", pinned=0, cases=2, few=0)
    def test_longer(seeds):
        "No ordinary run has a case of this."
        assert [*seeds]
"""


@pytest.fixture
def run(pytester, monkeypatch):
    """Runs the tests above with further arguments; gives the result and the cases that were played."""
    pytester.makepyfile(SOURCE)
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")

    def running(*arguments):
        plugins = ("-p", "costly", "-p", "trials", "-p", "quick", "-p", "no:mockprovider")
        result = pytester.runpytest_inprocess("-s", *plugins, *arguments)
        return result, [int(line.split()[-1]) for line in result.outlines if "case " in line and line.split()[-1].isdecimal()]

    yield running
    hypothesis.settings.load_profile("house")


@pytest.mark.parametrize(("options", "played"), [((), [0]), (("--every-case",), [0, 1, 2])])
def test_an_ordinary_run_has_a_few_of_the_pinned_cases(run, options, played):
    """Without a seed the first of the pinned cases are played, or all if asked for, and every other test runs, too."""
    result, cases = run(*options)

    result.assert_outcomes(passed=3)
    assert cases == played


@pytest.mark.parametrize(
    ("options", "played", "passed"), [((), [], 0), (("--every-case",), [0, 1], 1), (("--trials-case=5",), [5], 2)]
)
def test_what_takes_long_is_left_out_of_ordinary_runs(run, pytester, options, played, passed):
    """A campaign whose every case takes long may have none in an ordinary run, nor pinned ones; what is left out is said."""
    pytester.makepyfile(test_long=LONG)
    result, cases = run("test_long.py", *options)

    result.assert_outcomes(passed=passed, deselected=2 - passed)
    assert cases == played


def test_a_seed_makes_the_cases(run, pytester):
    """Equal seeds make equal cases, and trials are all that runs; the report tells, and says nothing of the machine."""
    first, cases = run("-p", "_hypothesis_pytestplugin", "--trials=a", "--trials-examples=30", "--trials-report=reports")
    _, again = run("--trials=a")
    _, others = run("--trials=b")

    first.assert_outcomes(passed=2)
    first.stdout.fnmatch_lines(["trials: seed a"])
    assert (len(set(cases)), cases == again, cases == others) == (20, True, False)
    reports = {path.stem: json.loads(path.read_text()) for path in (pytester.path / "reports").iterdir()}
    shown = {name: (each["what"], each["seed"], each["tests"], each["cases"], each["failed"]) for name, each in reports.items()}
    assert shown == {
        "counting": (["Every case counts."], "a", 1, 20, []),
        "properties": (["Numbers are numbers."], "a", 1, 30, []),
    }
    assert str(pytester.path) not in json.dumps(reports)


def test_a_campaign_ends_with_its_time(run):
    """When its time is over no new case begins; the first one always does."""
    _, cases = run("--trials=a", "--trials-seconds=1e-9")

    assert len(cases) == 1


def test_a_campaign_has_as_many_cases_as_it_is_given(run):
    """With a number of cases, it has the first ones of its seed, on any machine."""
    _, cases = run("--trials=a", "--trials-cases=3")
    _, all_of_them = run("--trials=a")

    assert cases == all_of_them[:3]


def test_a_failure_names_its_case(run):
    """A case can be played alone, and one that fails says how."""
    result, cases = run("--trials-case=7")

    assert cases == [7]
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["*The case that failed: --trials-case=7"])


def measured(pytester, seconds):
    """Earlier runs, in which the tests of each file took so long."""
    names = ("test_cases", "test_property", "test_other")
    tests = [f"{path.name}::{name}" for path in sorted(pytester.path.glob("test_*.py")) for name in names]
    cache = pytester.path / ".pytest_cache" / "v" / "mockprovider" / "seconds"
    cache.parent.mkdir(parents=True)
    cache.write_text(json.dumps(dict(zip(tests, seconds, strict=True))))


def test_quick_goes_by_what_was_measured(run):
    """What never ran here is quick; what took too long for the time that there is, is left out."""
    before, _ = run("--quick")
    run("-k", "other")
    after, _ = run("--quick", "--quick-seconds=0.08")

    before.assert_outcomes(passed=3)
    before.stdout.fnmatch_lines(["quick: 3 of 3 tests, of which 3 have never run here"])
    after.assert_outcomes(passed=2, deselected=1)
    after.stdout.fnmatch_lines(["quick: 2 of 3 tests, of which 2 have never run here"])


def test_quick_has_each_file(run, pytester):
    """However short the time, each file is there with its quickest test, unless that takes long itself."""
    pytester.makepyfile(test_second=SOURCE, test_third=SOURCE)
    measured(pytester, [0.2, 0.01, 0.02, 0.2, 0.1, 0.2, 0.3, 0.5, 0.4])
    quick, cases = run("--quick", "--quick-seconds=0")

    quick.assert_outcomes(passed=2, deselected=7)
    assert cases == []


@pytest.mark.parametrize(("seconds", "passed"), [("0.05", 1), ("0.1", 2), ("0.2", 3)])
def test_quick_among_workers(run, pytester, seconds, passed):
    """Each worker adds to the time, all come to the same tests, and the run says which they are."""
    measured(pytester, [0.1, 0.2, 0.05])
    quick, _ = run("-p", "xdist", "-n2", "--quick", f"--quick-seconds={seconds}")

    quick.assert_outcomes(passed=passed)
    quick.stdout.fnmatch_lines([f"quick: {passed} of 3 tests, of which 0 have never run here"])


COSTLY = """
    import pytest

    @pytest.mark.parametrize("case", range(9))
    def test_costly(case):
        "Each case starts a process."
        print("case", case)

    def test_alone():
        "So does its only case."

    def test_cheap():
        "It starts none."
"""


LEFT_OUT = "costly: 8 cases were left out, as in each ordinary run; --every-case plays them"


@pytest.fixture
def costly(pytester):
    """A file with ten costly cases and a cheap one, beside the file of three tests that costs nothing."""
    pytester.mkdir("tests").joinpath("costly.txt").write_text("test_many.py::test_alone\ntest_many.py::test_costly\n")
    pytester.makepyfile(test_many=COSTLY)


@pytest.mark.usefixtures("costly")
def test_an_ordinary_run_has_one_in_eight_costly_cases(run):
    """A file keeps one in eight of its costly cases, the cheapest first, and the run says so, unless it asks for all."""
    ordinary, _ = run("-v")
    whole = [run(*words)[0] for words in (["--every-case"], ["--lf"], ["-k", "many"], ["test_many.py"])]

    ordinary.assert_outcomes(passed=3 + 2 + 1, deselected=8)
    ordinary.stdout.fnmatch_lines([LEFT_OUT])
    ordinary.stdout.fnmatch_lines(["*::test_alone*"])
    assert [result.parseoutcomes()["passed"] for result in whole] == [14, 14, 11, 11]


@pytest.mark.usefixtures("costly")
def test_workers_learn_whether_every_case_is_played(run):
    """Among workers, an ordinary run leaves out what it does without them, and one that names a file plays all of it."""
    (ordinary, _), (named, _) = (run("-p", "xdist", "-n1", *words) for words in ([], ["test_many.py"]))

    ordinary.assert_outcomes(passed=3 + 2 + 1)
    ordinary.stdout.fnmatch_lines([LEFT_OUT])
    named.assert_outcomes(passed=11)


@pytest.mark.usefixtures("costly")
def test_the_same_costly_cases_are_left_out(run):
    """Two ordinary runs play the same cases."""
    assert run()[1] == run()[1]


def test_what_is_listed_as_costly_is_there():
    """The list of costly tests names tests that exist, each once, so that one which was renamed is listed anew."""
    root = Path(__file__).parent.parent
    tests = (root / "tests/costly.txt").read_text(encoding="utf-8").splitlines()
    sources = {file: (root / file).read_text(encoding="utf-8") for file in {test.partition("::")[0] for test in tests}}

    assert len(tests) == len(set(tests))
    assert [test for test in tests if f"def {test.partition('::')[2]}(" not in sources[test.partition("::")[0]]] == []

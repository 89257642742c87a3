"""The option ``--second-look`` of our own test runs."""

from __future__ import annotations

from pathlib import Path

import pytest

FIRST_FAILS = """
    from pathlib import Path
    import pytest

    @pytest.mark.parametrize("n", range({count}))
    def test_by_chance(n):
        seen = Path(__file__).with_name(f"seen-{{n}}")
        if not seen.exists():
            seen.touch()
            raise AssertionError(f"by chance {{n}}")
"""


@pytest.fixture(autouse=True)
def house(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    """The plugin, in a folder of its own."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    pytester.makeconftest((Path(__file__).parent / "second_looks.py").read_text(encoding="utf-8"))


def run(pytester: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    """A run with the two plugins alone."""
    return pytester.runpytest_subprocess("-p", "rerunfailures", "-p", "no:cacheprovider", *arguments)


@pytest.mark.parametrize("workers", [[], ["-p", "xdist", "-n", "1"]], ids=["alone", "xdist"])
def test_a_failure_by_chance_is_shown_and_fails_nothing(pytester: pytest.Pytester, workers: list[str]) -> None:
    """A test that passes the second time passes, and its first failure is told in full."""
    pytester.makepyfile(FIRST_FAILS.format(count=1))
    result = run(pytester, "--second-look", *workers)

    assert result.ret == 0
    result.stdout.fnmatch_lines(["*first failures of tests that got a second look: 1, of 5 at most*", "*by chance 0*"])


def test_too_many_of_them_fail_the_run(pytester: pytest.Pytester) -> None:
    """Where more tests fail by chance than can be chance, the run fails."""
    pytester.makepyfile(FIRST_FAILS.format(count=6))
    result = run(pytester, "--second-look")

    result.assert_outcomes(passed=6)
    assert result.ret == pytest.ExitCode.TESTS_FAILED


def test_what_fails_twice_fails_the_run(pytester: pytest.Pytester) -> None:
    """A test that fails again has failed."""
    pytester.makepyfile("def test_never(): assert False")
    result = run(pytester, "--second-look")

    result.assert_outcomes(failed=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED


def test_without_the_option_a_failure_is_one(pytester: pytest.Pytester) -> None:
    """No test is run again unless somebody asks for it."""
    pytester.makepyfile(FIRST_FAILS.format(count=1))

    run(pytester).assert_outcomes(failed=1)

"""`--provider-orphans` lists the cassettes that no test uses any more, and runs nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

Running = Callable[..., pytest.RunResult]
TESTS = """
import pytest

@pytest.mark.cassette
def test_it(provider):
    raise AssertionError("it was run")

@pytest.mark.cassette("shared/own.json")
def test_own(provider):
    raise AssertionError("it was run")

@pytest.mark.cassette(path="cassettes/named.json")
@pytest.mark.parametrize("n", [1, 2])
def test_named(provider, n):
    raise AssertionError("it was run")
"""
CASSETTE = '[{"format": "mockprovider-cassette", "version": 1, "protocol": "pulumi"}]'
USED = ["cassettes/test_it/test_it.json", "cassettes/named.json"]
ORPHANS = ["cassettes/gone/test_it.json", "cassettes/old.json", "cassettes/test_it/test_gone.json"]


@pytest.fixture
def folder(pytester: pytest.Pytester) -> Path:
    """Two modules, and cassettes of which they use some."""
    pytester.makepyfile(test_it=TESTS, test_other="def test_other(): raise AssertionError('it was run')")
    for name in [*USED, *ORPHANS, "cassettes/test_other/test_other.json"]:
        path = pytester.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(CASSETTE, encoding="utf-8")
    (pytester.path / "cassettes" / "settings.json").write_text("{}", encoding="utf-8")
    return pytester.path


def listed(run: Running, *options: str) -> tuple[int, list[str]]:
    """The exit code, and the cassettes that are listed."""
    result = run(None, "--provider-orphans", *options)
    assert "it was run" not in result.stdout.str() + result.stderr.str()
    ending = " is a cassette of no test."
    return result.ret, [line.removesuffix(ending) for line in result.outlines if line.endswith(ending)]


@pytest.mark.parametrize("options", [[], ["-k", "nothing"], ["-p", "xdist", "-n", "2"]])
def test_of_a_folder(run: Running, folder: Path, options: list[str]) -> None:
    """Of a folder, all cassettes are listed that no test uses, also those that are deselected; other files are not."""
    code, names = listed(run, *options)
    assert names == sorted([*ORPHANS, "cassettes/test_other/test_other.json"])
    assert code == 1


def test_of_one_module(run: Running, folder: Path) -> None:
    """Of a module, those in its folder: others may be used by tests that were not looked at."""
    assert listed(run, "test_it.py") == (1, ["cassettes/test_it/test_gone.json"])


def test_of_none(run: Running, folder: Path) -> None:
    """Where each cassette is used, that is said, and is no error."""
    for name in [*ORPHANS, "cassettes/test_other/test_other.json"]:
        (folder / name).unlink()
    result = run(None, "--provider-orphans")
    result.stdout.fnmatch_lines(["Each cassette beside these tests is one of a test."])
    assert result.ret == 0


def test_of_single_tests(run: Running, folder: Path) -> None:
    """Single tests are refused, since the others' cassettes would be listed."""
    result = run(None, "--provider-orphans", "test_it.py::test_it")
    result.stderr.fnmatch_lines(["*needs all tests of a file: name files or folders, not test_it.py::test_it."])
    assert result.ret == 4

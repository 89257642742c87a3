"""Recorded changes that a replay never asked for: who is failed for them, who is not, and what is said."""

from __future__ import annotations

import subprocess
import sys

import pytest
from cli_toolbox import serving
from mode_stage import LIVE, asked, behind, keep

from mockprovider.cassette import LookResult
from mockprovider.double import Double, attached, recording, recording_all, replaying, replaying_all
from mockprovider.errors import DefinitionError

LISTED = "  create cloud:index:Bucket logs (interaction 4)"
PLAY = "provider(asked(provider, 'found'))"
TEST = """
    import pytest
    from mode_stage import asked

    @pytest.fixture
    def late(provider):
        yield
        {late}

    {marks}
    @pytest.mark.cassette("it.json"{options})
    def test({fixtures}):
        {body}
    """


@pytest.fixture
def ends(run, pytester):
    """How a test ends that replays a cassette of one change."""
    keep(pytester.path / "it.json")

    def ends(body="pass", fixtures="provider", options="", marks="", late="pass"):
        return run(TEST.format(body=body, fixtures=fixtures, options=options, marks=marks, late=late))

    return ends


def test_a_change_that_was_never_asked_for(ends):
    """A test that passes without a recorded change fails, with the change, how to record anew, and what allows it."""
    result = ends()
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(
        [
            "The test passed, and its cassette holds changes that it never asked for:",
            LISTED,
            "If this test recorded it, record it again: pytest --provider-record=all test_it.py::test",
            "Or allow it, where it is meant to replay a part: @?ytest.mark.cassette(unplayed=?allow?).",
        ]
    )
    result.stdout.no_fnmatch_line("*invoke*")


@pytest.mark.parametrize(
    ("arguments", "outcomes"),
    [
        ({"body": PLAY}, {"passed": 1}),
        ({"fixtures": "provider, late", "late": PLAY}, {"passed": 1}),
        ({"options": ", unplayed='allow'"}, {"passed": 1}),
        ({"options": ", unplayed='fail'"}, {"passed": 1, "errors": 1}),
        ({"options": ", mode='once'"}, {"passed": 1, "errors": 1}),
        ({"body": "assert False"}, {"failed": 1}),
        ({"body": "pytest.skip('no')"}, {"skipped": 1}),
        ({"body": "assert False", "marks": "@pytest.mark.xfail"}, {"xfailed": 1}),
        ({"marks": "@pytest.mark.xfail"}, {"xpassed": 1}),
        ({"body": "provider.faults.on.create().error()"}, {"failed": 1}),
    ],
    ids=str,
)
def test_who_is_failed_for_it(ends, arguments, outcomes):
    """Whoever plays it, also in a fixture's end, or may leave it out passes; whoever failed anyway is not failed again."""
    ends(**arguments).assert_outcomes(**outcomes)


def test_a_recording_test_plays_nothing(run):
    """A test that records has nothing to ask for."""
    source = TEST.format(body=PLAY, fixtures="provider", options=", mode='all', name='cloud'", marks="", late="pass")
    run(source).assert_outcomes(passed=1)


def test_a_word_that_is_no_policy(ends):
    """Another word than the policies is refused before the test begins, with those that there are."""
    result = ends(options=", unplayed='alow'")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["DefinitionError: @pytest.mark.cassette: unplayed='alow' is no policy *'fail' and 'allow'."])


# From Python ---------------------------------------------------------------------------------------------------------------


def test_the_list_in_python(tmp_path):
    """A replaying double lists what was not asked for until now; with the policy, and on any other double, there is nothing."""
    path = tmp_path / "it.json"
    keep(path)
    with Double(provider=replaying(path)) as double:
        assert double.unplayed == [LISTED.strip()]
        double(asked(double, LookResult.FOUND))
        assert double.unplayed == []
    for provider in (replaying(path, unplayed="allow"), recording(tmp_path / "other.json", behind(LIVE)), None):
        with Double(provider=provider) as double:
            assert double.unplayed == []
    with pytest.raises(DefinitionError, match="unplayed='alow'"):
        replaying(path, unplayed="alow")


def test_each_of_several_has_its_own(tmp_path):
    """Of several providers, each double lists what it was not asked for itself."""
    path = tmp_path / "it.json"
    together = recording_all(path, {"a": behind(LIVE), "b": behind(LIVE)})
    with Double(provider=together["a"]) as one, Double(provider=together["b"]) as two:
        for double in (one, two):
            double(asked(double, LookResult.FOUND))
    one, two = (Double(provider=wiring) for wiring in replaying_all(path).values())
    one(asked(one, LookResult.FOUND))
    assert (len(one.unplayed), len(two.unplayed)) == (0, 1)


def test_long_lists_are_cut(tmp_path):
    """Of many changes the first ones are listed, with the number of the others."""
    path = tmp_path / "it.json"
    with Double(provider=recording(path, behind(LIVE))) as double:
        for number in range(40):
            one = asked(double, LookResult.FOUND)
            one.urn += str(number)
            double(one)
    lines = Double(provider=replaying(path)).unplayed
    assert (len(lines), lines[-1]) == (31, "and 10 more")


# From the command line -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "script", "code"),
    [([], "true", 1), ([], "exit 7", 7), (["--unplayed", "allow"], "true", 0), (["--unplayed", "alow"], "true", 1)],
)
def test_a_command_that_plays_a_part(tmp_path, options, script, code):
    """`exec` ends with 1 where the command succeeds without the recorded changes, and lists them; a failure stays its own."""
    keep(tmp_path / "it.json")
    command = [sys.executable, "-m", "mockprovider", "exec", "--cassette", "it.json", *options, "--", "sh", "-c", script]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=300)
    assert ended.returncode == code
    assert (LISTED in ended.stderr) is (code == 1 and not options)
    assert ("'alow' is no policy" in ended.stderr) is ("alow" in options)


@pytest.mark.parametrize(
    ("options", "plays", "said"), [([], False, True), ([], True, False), (["--unplayed", "allow"], False, False)]
)
def test_a_served_replay(tmp_path, options, plays, said):
    """`replay` says in the end what nobody asked for, which is no error: whoever ended it may have had enough."""
    keep(tmp_path / "it.json")
    with serving(tmp_path, "replay", "it.json", *options) as process:
        address = process.stdout.readline().split(" at ")[1].split(". ")[0]
        with Double(provider=attached(address, name="cloud")) as double:
            if plays:
                double(asked(double, LookResult.FOUND))
        process.terminate()
        _, error = process.communicate(timeout=300)
    assert process.returncode == 0
    assert (LISTED in error) is said

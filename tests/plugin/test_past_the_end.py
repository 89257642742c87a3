"""Past the end of a cassette from a test that is marked: what answers, what is counted, and what is refused."""

from __future__ import annotations

import signal

import pytest
from cli_toolbox import serving
from mode_stage import asked, keep

from mockprovider.cassette import LookResult
from mockprovider.double import Double, attached

TESTS = """
    import pytest
    from cloud import BUCKET, program

    @pytest.fixture(autouse=True)
    def defined(request, provider):
        if request.config.getoption("--provider-record"):
            provider.define(BUCKET)

    @pytest.mark.cassette("one.json", name="cloud")
    def test_whole(provider, pulumi_stack):
        pulumi_stack.up(program)

    @pytest.mark.cassette("one.json", name="cloud"{options})
    def test_past(provider, pulumi_stack):
        pulumi_stack.up(program)
        assert provider.made_up == []
        pulumi_stack.destroy()
        assert provider.cloud.objects() == []
        {body}
    """
RECORD = ("--provider-record=all", "-k", "whole")


@pytest.fixture
def past(run):
    """The end of a run that goes on after its cassette."""
    run(TESTS.format(options="", body="pass"), *RECORD).assert_outcomes(passed=1, deselected=1)

    def past(*arguments, options=", beyond='fake'", body="pass"):
        return run(TESTS.format(options=options, body=body), "-k", "past", *arguments)

    return past


@pytest.mark.parametrize("arguments", [[], ["-n", "2", "-p", "xdist"]], ids=["alone", "two workers"])
def test_made_up_answers_are_counted(past, arguments):
    """A marked test goes on after its cassette, and the line at the end counts what the fake answered."""
    result = past(*arguments)
    assert result.parseoutcomes()["passed"] == 1
    result.stdout.re_match_lines([r"mockprovider cassettes: \d+ calls played.*, [1-9]\d* made up\."])


@pytest.mark.parametrize("options", ["", ", beyond='miss'"], ids=["unless told", "miss"])
def test_a_miss_is_the_default(past, options):
    """Without a word, and with the word for it, a call that the cassette does not hold is a miss."""
    result = past(options=options)
    result.assert_outcomes(failed=1, deselected=1)
    result.stdout.fnmatch_lines(["*MissError*"])
    result.stdout.no_fnmatch_line("*made up*")


def test_a_failed_test_shows_what_was_made_up(past):
    """What is shown and kept of a failed test marks the answers of the fake."""
    result = past(body="assert False")
    result.assert_outcomes(failed=1, deselected=1)
    result.stdout.fnmatch_lines(["*Delete*made up past the end of the cassette*"])


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (", beyond='fakes'", "*beyond='fakes' is no policy*There are 'miss' and 'fake'.*"),
        (", beyond=1", "*beyond=1 is a int; say 'miss' or 'fake'.*"),
        (", beyond='fake', mode='new'", "*in the mode 'new' a provider is asked. Use it with the modes 'none' and 'once'*"),
    ],
)
def test_what_the_marker_refuses(past, options, said):
    """A word that there is not, no word, and a mode that asks a provider are told, and nothing is replayed."""
    result = past(options=options)
    result.assert_outcomes(errors=1, deselected=1)
    result.stdout.fnmatch_lines([said])


def test_recording_a_test_that_goes_on_is_refused(past, pytester):
    """`--provider-record=all` would ask the provider for what the fake is there for: it is refused, and the cassette stays."""
    before = (pytester.path / "one.json").read_bytes()
    result = past("--provider-record=all")
    result.assert_outcomes(errors=1, deselected=1)
    result.stdout.fnmatch_lines(["*in the mode 'all' a provider is asked.*"])
    assert (pytester.path / "one.json").read_bytes() == before


def test_once_goes_on_after_what_it_recorded(past, pytester):
    """In the mode `once` the first run records all of it, so that the second one makes nothing up."""
    (pytester.path / "one.json").unlink()
    options = ", beyond='fake', mode='once'"
    past(options=options).stdout.re_match_lines([r"mockprovider cassettes: \d+ recorded\."])
    past(options=options).stdout.no_fnmatch_line("*made up*")


# From the command line ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [[], ["--beyond", "fake"]], ids=["a miss", "a fake"])
def test_the_command_line_goes_on(tmp_path, options):
    """`mockprovider replay --beyond fake` makes up what is missing and says how much, and without it that is a miss."""
    keep(tmp_path / "it.json")
    with serving(tmp_path, "replay", "it.json", "--unplayed", "allow", *options) as process:
        port = process.stdout.readline().split(":")[1].split(".")[0]
        with Double(provider=attached(f"127.0.0.1:{port}", name="cloud")) as double:
            reply = double(asked(double, LookResult.MISSING))
        assert reply.ok == bool(options)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=300)
    assert process.returncode == (0 if options else 1)
    assert ("1 call was answered by a fake, past the end of the cassette." in errors) == bool(options)

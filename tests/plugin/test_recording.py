"""What becomes of a recording: it replaces a cassette only if its test passed, and never another test's."""

from __future__ import annotations

import json
import re

import pytest
from plugin_toolbox import BY_HAND

TEST = """
    import pytest
    from cloud import program

    @pytest.mark.cassette("it.json")
    def test(provider, pulumi_stack):
        pulumi_stack.up(program)
        {more}
    """
ALL = "--provider-record=all"


@pytest.fixture
def record(run, pytester):
    """Record a test that ends with ``more``; gives the run's result, and the methods in each file beside the test by name."""

    def record(more):
        result = run(TEST.format(more=more), ALL)
        found = {each.name: json.loads(each.read_text()) for each in pytester.path.glob("it.json*")}
        return result, {name: [each.get("method") for each in content] for name, content in found.items()}

    return record


def test_a_passed_test_replaces_the_cassette(record):
    """What a test that passed recorded is the cassette, whatever there was, and nothing else is left."""
    for more in ("pass", "pulumi_stack.destroy()", "pytest.xfail('known')"):
        _, files = record(more)
        assert list(files) == ["it.json"]
        assert ("Delete" in files["it.json"]) == ("destroy" in more)


def test_a_failed_test_replaces_nothing(record, pytester):
    """A failed test leaves the cassette as it was, keeps what it recorded beside it, and says where."""
    record("pass")
    before = (pytester.path / "it.json").read_bytes()
    result, files = record("pulumi_stack.destroy(); assert False")

    assert (pytester.path / "it.json").read_bytes() == before
    assert sorted(files) == ["it.json", "it.json.failed"]
    assert "Delete" in files["it.json.failed"]
    result.stdout.fnmatch_lines(
        [f"Recorded into {pytester.path}/it.json.failed: the test failed, so {pytester.path}/it.json stays as it was."]
    )


def test_a_good_recording_takes_an_earlier_failed_one_away(record, pytester):
    """What a failed test left beside the cassette goes with the next good one, unless something may exist in the cloud."""
    record("pass")
    record("assert False")
    assert (pytester.path / "it.json.failed").exists()
    assert list(record("pass")[1]) == ["it.json"]

    record("assert False")
    notes = pytester.path / ".it.json.failed.sent"
    notes.write_text('+1 {"op": "create", "method": "Create", "name": "lost"}\n')
    result, files = record("pass")
    assert sorted(files) == ["it.json", "it.json.failed"]
    assert notes.exists()
    result.stdout.fnmatch_lines(
        ["it.json.failed is of an earlier recording, and lists calls without an answer: *recover it.json"]
    )


def test_a_failed_test_s_recording_is_kept_where_there_is_none(record, pytester):
    """The first recording is the cassette even if its test failed, so that mending the test needs no second one."""
    result, files = record("assert False")

    assert list(files) == ["it.json"]
    assert "Create" in files["it.json"]
    result.stdout.fnmatch_lines([f"Recorded into {pytester.path}/it.json, up to where the test failed."])


def test_a_setup_that_failed_replaces_nothing(record, run, pytester):
    """A test that never began recorded nothing that would be worth a cassette."""
    record("pass")
    before = (pytester.path / "it.json").read_bytes()
    source = (
        "import pytest\n@pytest.fixture\ndef broken(provider): 1 / 0\n@pytest.mark.cassette('it.json')\ndef test(broken): pass"
    )
    run(source, ALL).assert_outcomes(errors=1)

    assert (pytester.path / "it.json").read_bytes() == before


def test_a_torn_cassette_is_moved_aside(run, pytester):
    """What a crashed recording left is moved aside before another takes its place."""
    run(TEST.format(more="pass"), ALL)
    cassette = pytester.path / "it.json"
    torn = cassette.read_bytes()[:-9]
    cassette.write_bytes(torn)
    run(TEST.format(more="pass"), ALL).assert_outcomes(passed=1)

    assert cassette.with_name("it.json.torn").read_bytes() == torn
    assert json.loads(cassette.read_text())


def test_a_provider_that_does_not_start(run, pytester):
    """A test that failed before anything was answered leaves no cassette, and says so."""
    marker = '@pytest.mark.cassette("it.json", command=["false"])'
    body = "pulumi_stack.up(lambda: pulumi.CustomResource('cloud:index:Bucket', 'logs') and None)"
    result = run(f"import pulumi, pytest\n{marker}\ndef test(provider, pulumi_stack): {body}", ALL)

    result.stdout.fnmatch_lines(["E *PluginError: *false ended (exit code 1)*", "Nothing was recorded."])
    assert list(pytester.path.glob("it.json*")) == []


def test_two_tests_of_one_cassette(run):
    """The second test that would record the same file is refused, since a cassette holds what one test recorded."""
    source = """
        import pytest

        pytestmark = pytest.mark.cassette("it.json")

        def test_one(provider): pass

        def test_two(provider): pass
        """
    result = run(source, ALL)

    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(
        ["DefinitionError: */it.json is what test_it.py::test_one has just recorded, and a cassette holds what one test *"]
    )


@pytest.mark.parametrize(
    ("marker", "engine", "said"),
    [
        ("protocol='terraform'", "pulumi_stack", "is of a terraform provider, and mockprovider_pulumi_stack asks pulumi ones"),
        ("", "terraform", "is of a pulumi provider, and mockprovider_terraform asks terraform ones"),
    ],
)
def test_an_engine_of_the_other_protocol(run, marker, engine, said):
    """An engine that cannot ask the recorded provider anything is refused before the test begins, with what to do."""
    result = run(f"import pytest\n@pytest.mark.cassette({marker})\ndef test({engine}): pass", ALL)

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([f"DefinitionError: This test's cassette {said}. Use another engine*"])


def test_the_executable_s_name_tells_the_protocol(run, pytester):
    """A provider whose executable is called as Terraform's are is recorded as one, without being told."""
    executable = pytester.path / "terraform-provider-cloud"
    executable.write_text("#!/bin/sh\nexit 7\n")
    executable.chmod(0o755)
    result = run(f"import pytest\n@pytest.mark.cassette(command='{executable} --fast')\ndef test(provider): pass", ALL)

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["PluginError: *terraform-provider-cloud ended (exit code 7) before it said where it listens*"])


def test_a_command_that_is_none(run):
    """A command line with an open quotation is refused in one line."""
    result = run("import pytest\n@pytest.mark.cassette(command='a \"b')\ndef test(provider): pass", ALL)

    result.stdout.fnmatch_lines(
        ["DefinitionError: @pytest.mark.cassette: command='a \"b' is no command line: No closing quotation."]
    )


READS = """
    import pytest
    from cloud import program

    @pytest.mark.cassette("it.json")
    def test(provider, pulumi_stack, cassette):
        pulumi_stack.up(program)
        made = [one.type for one in cassette.report.methods if one.op == "create"]
        assert (made, cassette.report.refused) == (["cloud:index:Bucket"], [])
    """


def test_a_test_can_read_the_report(run):
    """The fixture has the report: while the test records, of what has been recorded until then; then of the cassette."""
    for options in ([ALL], []):
        run(READS, *options).assert_outcomes(passed=1)


def test_what_was_recorded_is_summed_up(run):
    """The end of a run says what was recorded, also by other processes, and a replay has nothing to say."""
    for options in ([ALL], [ALL, "-n", "1", "-p", "xdist"]):
        result = run(READS, *options)
        result.stdout.fnmatch_lines(["*= mockprovider: recorded =*", "it.json: * calls (1 create), * KB."])
    result = run(READS)
    result.stdout.no_fnmatch_line("*mockprovider: recorded*")


def test_a_failed_recording_is_summed_up(record):
    """Of a failed test that replaces nothing, the report is on what was recorded beside the cassette."""
    record("pass")
    result, _ = record("assert False")
    result.stdout.fnmatch_lines(["it.json.failed: * calls (1 create), * KB."])


PROVES = """
    import pytest
    from cloud import program

    @pytest.mark.cassette("it.json", prove=True)
    def test(provider, pulumi_stack):
        pulumi_stack.up(program)
        {more}
    """


def test_a_recording_is_proved(run):
    """A recording that replays passes; with the mode none there is nothing to prove."""
    for options in ([ALL], []):
        run(PROVES.format(more="pass"), *options).assert_outcomes(passed=1)


def test_a_recording_that_does_not_replay_fails(run, pytester):
    """A recording that a replay refuses fails the test with what the replay will say, and stays the cassette."""
    source = """
        import pulumi
        import pytest

        @pytest.mark.cassette("it.json", secrets=["token"], prove=True)
        def test(provider, pulumi_stack):
            pulumi_stack.up(lambda: pulumi.CustomResource("mock:index:Thing", "hunter2-key", {"token": "hunter2-key"}))
        """
    result = run(source, ALL)
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines([
        "CassetteError: A replay of it.json fails, for 2 of its * calls:",
        "Check of *::mockprovider-secret cannot be replayed: a secret is part of a URN, *",
    ])  # fmt: skip
    result.stdout.fnmatch_lines(["A replay refuses interactions *: a secret is part of a URN, where a replay *"])
    assert (pytester.path / "it.json").exists()


def test_a_failed_recording_is_not_proved(run):
    """Of a test that failed nothing is proved: it has failed already."""
    run(PROVES.format(more="assert False"), ALL).assert_outcomes(failed=1)


INTERRUPTED = """
    import pytest
    from mockprovider import Property, ResourceType
    from mockprovider.calls import Call, Op

    def create(double, name):
        urn = "urn:pulumi:dev::shop::mock:index:Thing::" + name
        return double(Call(op=Op.CREATE, session=double.open(), type="mock:index:Thing", name=name, urn=urn, inputs={}))

    def stopped(properties):
        raise KeyboardInterrupt

    def stop_within(double):
        double.define(ResourceType("mock:index:Thing", {"arn": Property(str, computed=stopped)}))
        create(double, "lost")

    @pytest.mark.cassette("it.json")
    def test(provider):
        for name in NAMES:
            create(provider, name)
        WAITING

    def test_other(): pass
    """


@pytest.mark.parametrize("replaces", [False, True], ids=["new", "again"])
@pytest.mark.parametrize("names", [["a"], []], ids=["one", "none"])
@pytest.mark.parametrize("waiting", [False, True], ids=["between", "within"])
def test_an_interrupted_test_says_what_it_left(run, pytester, replaces, names, waiting):
    """Ctrl-C says where the recording is and whether the cassette stays; of what waited for an answer, there is the list."""
    if replaces:
        run(INTERRUPTED.replace("NAMES", "['before']").replace("WAITING", "pass"), ALL).assert_outcomes(passed=2)
    before = (pytester.path / "it.json").read_bytes() if replaces else b""
    ends = "stop_within(provider)" if waiting else "raise KeyboardInterrupt"
    result = run(INTERRUPTED.replace("NAMES", repr(names)).replace("WAITING", ends), ALL)

    said = result.stdout.str()
    beside = waiting or replaces
    place = pytester.path / ("it.json.failed" if beside else "it.json")
    stays = f", and {pytester.path}/it.json stays as it was" if replaces else ""
    kept = f"What it recorded until then is {place}{stays}." if names or waiting else "Nothing was recorded."
    assert f"test_it.py::test was interrupted. {kept}" in said
    assert "test_other" not in said
    assert ("create mock:index:Thing urn:pulumi:dev::shop::mock:index:Thing::lost" in said) is waiting
    assert (f"mockprovider cassette recover {place} lists them again." in said) is waiting
    assert place.exists() is bool(names or waiting)
    if replaces:
        assert (pytester.path / "it.json").read_bytes() == before


MOVED = "tape.Draft.put_by"
WORKERS = {
    "interrupted with its controller": (
        "os.kill(os.getppid(), 2); os.kill(os.getpid(), 2); threading.Event().wait(99)",
        "it.json",
    ),
    # pytest-xdist interrupts it after five seconds, and kills it after five more, which may be before it is done.
    "ended by its controller": ("os.kill(os.getppid(), 2); threading.Event().wait(99)", "it.json", "it.json.new"),
    "killed": ("os.kill(os.getpid(), 9)", "it.json.new"),
    "killed within a call": (
        "made = Property(str, computed=lambda properties: os.kill(os.getpid(), 9)); "
        "provider.define(ResourceType('mock:index:Thing', {'arn': made})); create(provider, 'lost')",
        "it.json.new",
    ),
    "killed before the recording is moved": (f"{MOVED} = lambda draft: os.kill(os.getpid(), 9); assert False", "it.json.new"),
    "killed after the recording was moved": (
        f"moved = {MOVED}; {MOVED} = lambda draft: (moved(draft), os.kill(os.getpid(), 9)); assert False",
        "it.json",
    ),
}


@pytest.mark.parametrize("ends", WORKERS)
def test_what_a_worker_leaves(pytester, monkeypatch, ends):
    """The end of a run with workers says where the recording of a test is whose worker was interrupted, ended or killed."""
    ending, *names = WORKERS[ends]
    waiting = f"import os, threading; from mockprovider import tape; {ending}"
    source = INTERRUPTED.replace("NAMES", "['a']").replace("WAITING", waiting)
    pytester.makepyfile(test_it=source)
    # The plugins of others, which both processes would load, are tried elsewhere.
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    plugins = ("-p", "mockprovider", "-p", "xdist", "-p", "no:cacheprovider")
    said = pytester.runpytest_subprocess(*plugins, *BY_HAND, "-n", "1", ALL).stdout.str()

    (place,) = [place for name in names if (place := pytester.path / name).exists()]
    assert f"test_it.py::test was interrupted. What it recorded until then is {place}." in said
    unfinished = f"mockprovider cassette recover {pytester.path / 'it.json'} makes it a cassette." in said
    waited = "create mock:index:Thing urn:pulumi:dev::shop::mock:index:Thing::lost" in said
    assert waited is (ends == "killed within a call")
    assert unfinished is (place.name == "it.json.new" and not waited)
    assert re.search('"name": ?"a"', place.read_text(encoding="utf-8"))

"""Tests marked ``cassette``: recorded once, replayed without the provider, and clear about what does not fit."""

from __future__ import annotations

import json
import shutil

import pytest
from plugin_toolbox import COMMAND

LIFE = """
    import pytest
    from files import program

    @pytest.mark.cassette(command={command!r}, env={{"FILES_FOLDER": "files"}}, name="files")
    def test_life(provider, pulumi_stack):
        assert len(pulumi_stack.up(program).outputs["sha256"]) == 64
        assert pulumi_stack.destroy().summary == {{"delete": 2}}
    """

REPLAYED = """
    import pytest
    from files import program

    pytestmark = pytest.mark.cassette("up.json")

    def test(provider, pulumi_stack):
        pulumi_stack.up({program})
    """

SWALLOWED = """
    import pytest
    from mockprovider import Double
    from mockprovider.calls import Call, Op
    from mockprovider.pulumi.methods import PROVIDER
    from mockprovider.wire.client import Client

    pytestmark = pytest.mark.cassette("up.json")

    def swallowed(double):
        client = Client(double.serve().address, PROVIDER)
        client.wait_ready()
        client(Call(op=Op.INVOKE, session=Double().open(), type="files:index:list", inputs={"folder": "x"}))
        client.close()
    """
"""An engine that is told of a miss and keeps it to itself; tests are added to this."""


@pytest.fixture
def replayed(run, recorded, pytester):
    """Run a test file beside which the recording lies as ``up.json``."""
    shutil.copy(recorded, pytester.path / "up.json")
    return run


# Record and replay -------------------------------------------------------------------------------------------------------


def test_record_and_replay(run, pytester):
    """With ``all`` the provider is recorded beside the test; without an option the test then needs no provider."""
    (pytester.path / "files").mkdir()
    source = LIFE.format(command=COMMAND)
    run(source, "--provider-record=all").assert_outcomes(passed=1)
    cassette = pytester.path / "cassettes" / "test_it" / "test_life.json"
    header = json.loads(cassette.read_text())[0]

    assert header["created_by"] == "pytest --provider-record=all test_it.py::test_life"
    assert header["provider"] == "files"
    before = cassette.read_bytes()
    shutil.rmtree(pytester.path / "files")
    run(source.replace(COMMAND[0], "/gone"), "--provider-record=none").assert_outcomes(passed=1)
    run(source.replace(COMMAND[0], "/gone")).assert_outcomes(passed=1)
    assert cassette.read_bytes() == before


def test_record_in_parallel(pytester, run):
    """Workers of pytest-xdist record and replay tests at the same time, each its own cassette."""
    pytester.makepyfile(
        test_many="""
        import pytest
        from cloud import BUCKET, program

        @pytest.mark.cassette
        @pytest.mark.parametrize("name", "abcd")
        def test(provider, pulumi_stack, name):
            provider.define(BUCKET)
            pulumi_stack.up(program)
        """
    )
    for mode in ("all", "none"):
        run(None, "-p", "xdist", "-n", "2", f"--provider-record={mode}", "-o", "pythonpath=.").assert_outcomes(passed=4)

    found = sorted(each.name for each in (pytester.path / "cassettes" / "test_many").iterdir())
    assert found == [f"test[{name}].json" for name in "abcd"]


def test_the_marker_decides_about_places(run, pytester, monkeypatch):
    """What the marker names is secret, public or masked; what it misspells is a warning; and the replay needs no provider."""
    source = """
        import os
        import pulumi
        import pytest

        def program():
            inputs = {"token": "hunter2-" + os.environ["RUN"], "at": "day " + os.environ["RUN"]}
            pulumi.CustomResource("mock:index:Thing", "a", inputs)

        @pytest.mark.cassette(secrets=["mock:index:Thing.token", "tokn"], masks=["at"])
        def test(provider, pulumi_stack):
            pulumi_stack.up(program)
        """
    monkeypatch.setenv("RUN", "one-of-many")
    result = run(source, "--provider-record=all", "-W", "always")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines([
        "*= mockprovider: recorded =*",
        "cassettes/test_it/test.json: * calls (1 create), * KB.",
        "1 secret taken out, at mock:index:Thing.token.",
        "Not compared: at.",
        "secrets: 'tokn' is nowhere in this recording. Did you mean 'token'?",
    ])  # fmt: skip
    text = (pytester.path / "cassettes" / "test_it" / "test.json").read_text()
    header = json.loads(text)[0]
    assert (header["secrets"], header["masks"]) == ({"*": ["tokn"], "mock:index:Thing": ["token"]}, {"*": ["at"]})
    assert ("hunter2" in text, "day one" in text) == (False, True)
    monkeypatch.setenv("RUN", "two")
    run(source).assert_outcomes(passed=1)


def test_the_fake_is_recorded(run, pytester):
    """Without a command the fake is recorded, and its replay makes nothing in a cloud."""
    source = """
        import pytest
        from cloud import BUCKET, program

        @pytest.mark.cassette
        def test(provider, pulumi_stack, cassette):
            pulumi_stack.up(program)
            assert len(provider.cloud.objects()) == (1 if cassette.mode == "all" else 0)
        """
    run(source, "--provider-record=all").assert_outcomes(passed=1)
    run(source).assert_outcomes(passed=1)


@pytest.mark.parametrize(
    ("arguments", "package"),
    [
        ("name='mine'", "mine"),
        ("", "mock"),
        ("command='/somewhere/pulumi-resource-cloud --fast'", "cloud"),
        ("command=['/somewhere/pulumi-resource-cloud'], name='mine'", "mine"),
    ],
)
def test_the_package_s_name(run, pytester, monkeypatch, arguments, package):
    """Real engines attach to the marker's name, or else to the one of the executable, while recording and while replaying."""
    executable = pytester.path / "pulumi-resource-cloud"
    executable.write_text("")
    executable.chmod(0o755)
    source = f"""
        import pytest

        @pytest.mark.cassette({arguments.replace("/somewhere", str(pytester.path))})
        def test(provider):
            assert list(provider.serve().addresses()) == ["{package}"]
            assert provider.serve().environment["PULUMI_DEBUG_PROVIDERS"].startswith("{package}:")
        """
    run(source, "--provider-record=all").assert_outcomes(passed=1)
    executable.unlink()
    run(source).assert_outcomes(passed=1)


def test_another_name_on_replay(replayed):
    """A name in the marker holds for the replay, whatever the recording says."""
    replayed(
        """
        import pytest

        @pytest.mark.cassette("up.json", unplayed="allow")
        def test_recorded(provider):
            assert list(provider.serve().addresses()) == ["files"]

        @pytest.mark.cassette("up.json", name="other", unplayed="allow")
        def test_given(provider):
            assert list(provider.serve().addresses()) == ["other"]
        """
    ).assert_outcomes(passed=2)


# Misses ------------------------------------------------------------------------------------------------------------------


def test_a_miss(replayed, pytester):
    """A miss fails the test with the cassette, the nearest call, the paths that differ, and the command that records again."""
    result = replayed(REPLAYED.format(program="lambda: program('bye')"))

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            f"E *MissError: {pytester.path}/up.json holds no answer to Check of urn:*File::hello*",
            "E *Nearest is interaction * (Check of urn:*File::hello, session 1), used 0 times.",
            "E *Its request differs:",
            'E *news.content: recorded "hello?n", now "bye?n"',
            "E *To record it again: pytest --provider-record=all it.",
        ]
    )
    assert "What exists:" not in result.stdout.str()


def test_where_in_us_a_miss_was_raised(replayed):
    """A miss points at the user's line; our own lines are there on request."""
    source = REPLAYED.format(program="lambda: program('bye')")
    short, full = replayed(source), replayed(source, "--full-trace")

    short.stdout.fnmatch_lines([">*pulumi_stack.up(lambda: program('bye'))", "*test_it.py:*: MissError"])
    assert "deciding.py" not in short.stdout.str()
    assert "deciding.py" in full.stdout.str()


def test_another_stack(replayed):
    """A recording of another stack or project says that this is the difference."""
    result = replayed(
        """
        import pytest
        from files import program
        from mockprovider import Stack

        @pytest.mark.cassette("up.json")
        def test(provider):
            Stack(provider, project="shop", name="prod").up(program)
        """
    )

    result.stdout.fnmatch_lines(
        ["*recorded for the stack 'dev' of the project 'project', and this is 'prod' of 'shop': give them the recorded names."]
    )


def test_a_swallowed_miss(replayed):
    """A miss that an engine was told and kept to itself fails the test all the same, as a failure of the test itself."""
    result = replayed(SWALLOWED + "\n    def test(provider): swallowed(provider)")

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["E *MissError: * holds no answer to Invoke of files:index:list. *", "*1 failed*"])


def test_a_miss_is_told_once(replayed):
    """A test that failed anyway does not fail again at its end: its one report has the miss too, once."""
    result = replayed(SWALLOWED + "\n    def test(provider):\n        swallowed(provider)\n        assert False, 'no list'")

    result.assert_outcomes(failed=1, errors=0)
    result.stdout.fnmatch_lines(["E*AssertionError: no list", "The engine was told: MissError: * holds no answer to Invoke*"])
    assert result.stdout.str().count("The engine was told") == 1


def test_a_miss_that_an_engine_repeats_is_told_once(replayed):
    """What an engine was told is not told again where the test's own error has it, though the engine broke its lines anew."""
    body = "swallowed(provider)\n        swallowed(provider)"
    result = replayed(SWALLOWED + f"\n    def test(provider):\n        {body}\n        assert False, 'no list'")
    assert result.stdout.str().count("The engine was told") == 1

    body = "swallowed(provider)\n        text = str(provider.errors[0]).replace(' ', '\\n  ')"
    result = replayed(SWALLOWED + f"\n    def test(provider):\n        {body}\n        raise RuntimeError(text)")
    result.assert_outcomes(failed=1)
    assert "The engine was told" not in result.stdout.str()


def test_a_miss_after_the_test(replayed):
    """A miss in the teardown of a user's fixture is an error of that teardown."""
    tests = """
    @pytest.fixture
    def used(provider):
        yield
        swallowed(provider)

    def test(used): pass
    """
    result = replayed(SWALLOWED + tests)

    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["*ERROR at teardown of test*", "E *MissError: * holds no answer to Invoke*"])


def test_a_miss_that_is_expected(replayed):
    """A test may expect a miss: by marking itself, or by looking at the provider's errors and clearing them."""
    tests = """
    from mockprovider.errors import MissError

    @pytest.mark.xfail(raises=MissError, strict=True)
    def test_marked(provider): swallowed(provider)

    @pytest.mark.cassette("up.json", unplayed="allow")
    def test_cleared(provider):
        swallowed(provider)
        assert isinstance(provider.errors.pop(), MissError)
    """
    replayed(SWALLOWED + tests).assert_outcomes(xfailed=1, passed=1)


# Bad input ---------------------------------------------------------------------------------------------------------------


def test_a_missing_cassette(run, pytester):
    """A cassette that is not there is an error that names the file and the command that makes it, and nothing else."""
    result = run("import pytest\n@pytest.mark.cassette\n@pytest.mark.parametrize('n', ['a b'])\ndef test(provider, n): pass")

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(
        [
            f"CassetteMissingError: There is no cassette {pytester.path}/cassettes/test_it/test*a-b*.json. To record it: *",
            "For this test that is: pytest --provider-record=all 'test_it.py::test?a b?'",
        ]
    )
    assert "Traceback" not in result.stdout.str()
    assert "pytest_plugin.py" not in result.stdout.str()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            "pth='x'",
            "has no 'pth'; it has path, command, protocol, env, name, *, unplayed, max_age, matching, beyond, http.",
        ),
        (
            "*range(17)",
            "has no 17 arguments; it has path, command, protocol, env, name, *, unplayed, max_age, matching, beyond, http.",
        ),
        ("providers=['a']", "providers=?'a'? is a list; give a dict with a command line, or None for the fake, by the name *"),
        ("providers={}", "providers={} names none; leave it out, or give a dict with a command line, or None for the fake, *"),
        ("providers={'': 'a'}", "give a dict with a command line, or None for the fake, by the name of each package."),
        ("providers={'a': 3}", "give a dict with a command line, or None for the fake, by the name of each package."),
        ("providers={'a': 'x \"'}", "providers='x ?' is no command line: No closing quotation."),
        ("providers={'a': 'a'}, name='b'", "providers says what name says of one provider; give one of both."),
        ("command='a', providers={'a': 'a'}", "providers says what command says of one provider; give one of both."),
        ("path=3", "path=3 is a int; give the file's path, relative to the test's folder."),
        ("command=3", "command=3 is a int; give a command line, or a list of the executable and its arguments."),
        ("env='A=1'", "env='A=1' is a str; give a dict of environment variables."),
        ("secrets='password'", "secrets='password' is a str; give a list of property names, such as 'password' or 'aws_*'."),
        ("masks=['a', 3]", "masks=?'a', 3? holds more than names; give a list of property names, such as 'password' or *"),
        ("masks=[' ']", "?' '? is no list of names. Name properties, such as *"),
        ("secrets=['a'], public=['a']", "'a' is named as secret and as public. Decide for one: *"),
        ("protocol='ansible'", "There is no protocol 'ansible': give 'pulumi' or 'terraform'."),
    ],
)
def test_wrong_arguments(run, arguments, message):
    """The marker says what is wrong with its arguments, and what they are to be."""
    result = run(f"import pytest\n@pytest.mark.cassette({arguments})\ndef test(provider): pass")

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([f"DefinitionError: @pytest.mark.cassette*{message}"])


def test_a_mode_that_is_none(run):
    """A word that is no mode stops the run before any test, in one line."""
    result = run("def test(): pass", "--provider-record=al")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    modes = "'none', 'once', 'new', 'all', 'rewrite' and 'verify'"
    result.stderr.fnmatch_lines([f"ERROR: --provider-record=al: 'al' is no cassette mode. There are {modes}."])


def test_a_provider_that_is_not_there(run):
    """Recording a provider whose executable is not there is an error of the setup, and names it."""
    result = run(
        "import pytest\n@pytest.mark.cassette(command='/nowhere/x')\ndef test(provider): pass", "--provider-record=all"
    )

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["PluginError: There is no executable '/nowhere/x'.*"])

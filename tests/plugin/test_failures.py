"""A failed test explains itself: what was asked, what exists, how to run it again, and where everything is kept."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

FAILING = """
    from cloud import BUCKET, program

    def test_it(provider, pulumi_stack):
        provider.define(BUCKET)
        provider.faults.on.create("cloud:index:Bucket", name="lgos").partial()
        pulumi_stack.up(program)
        assert False, provider.cloud.objects()[0].id
    """


def test_the_section(run):
    """A failed test shows the calls, the objects, the faults and the seed, and no secret."""
    result = run(FAILING)

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "*- mockprovider -*",
            "What the engine asked:",
            "* #1 Create of urn:pulumi:dev::project::cloud:index:Bucket::logs -> *",
            "What exists:",
            "  cloud:index:Bucket * {'acl': 'private', 'token': '?secret?'}",
            "Fault: Rule(create cloud:index:Bucket lgos, fired 0 of 1): no such create was asked for; "
            "of the nearest, the name is 'logs', not 'lgos'",
            "Seed 0. To run it again: pytest --provider-seed=0 test_it.py::test_it",
            "Kept in *: cloud.json, events.json, journal.json, state.json",
        ]
    )
    assert "hunter-two" not in result.stdout.str()


def test_what_nobody_declared(run):
    """A failed test names the types that nobody declared, by package, and what knows them; declared ones it does not."""
    source = """
        import pulumi
        from cloud import BUCKET, program

        def undeclared():
            program()
            pulumi.CustomResource("azure-native:web:Site", "site", {})
            pulumi.CustomResource("azure-native:web:Plan", "plan", {})

        def test_it(provider, pulumi_stack):
            provider.define(BUCKET)
            pulumi_stack.up(undeclared)
            assert False
    """
    result = run(source)

    result.stdout.fnmatch_lines([
        "What exists:",
        "Nobody declared azure-native:web:* and 1 more: a program gets back what it gave, and no other outputs. An installed "
        "SDK or a schema of azure-native has them: provider.define(from_sdk(...)), or another way of those in *",
    ])  # fmt: skip
    result.stdout.no_fnmatch_line("Nobody declared cloud*")


def test_a_journal_that_has_forgotten(run):
    """Where the journal's limit was reached, the section says so before it shows what is left."""
    result = run(FAILING.replace("provider.define", "provider.journal.limit = 4; provider.define"))

    told = "  ... * earlier entries are forgotten: a journal keeps 4, or what provider.journal.limit is set to"
    result.stdout.fnmatch_lines(["What the engine asked:", told, "* #1 *"])


def test_what_is_kept(run):
    """The files that a failure names are there, and hold the calls, the objects, the events and the state."""
    text = run(FAILING).stdout.str()
    folder, names = re.search(r"^Kept in (.*): (.*)$", text, re.M).groups()
    kept = {name: json.loads((Path(folder) / name).read_text()) for name in names.split(", ")}

    assert [each["method"] for each in kept["journal.json"] if each["side"] == "engine"][-3:] == ["Check", "Create", "Cancel"]
    assert kept["cloud.json"][0]["properties"] == {"acl": "private", "token": "[secret]"}
    assert [each["effect"] for each in kept["events.json"]] == ["created"]
    assert kept["state.json"]["deployment"]["resources"][-1]["urn"].endswith("Bucket::logs")


def test_the_line_that_repeats_it(run):
    """The line that a failure shows runs that test again, with the same seed and so with the same ids."""
    first = run(FAILING, "--provider-seed=11").stdout.str()
    command = shlex.split(re.search(r"To run it again: (.*)$", first, re.M)[1])
    again = run("", *command[1:])

    assert command[:2] == ["pytest", "--provider-seed=11"]
    again.assert_outcomes(failed=1)
    ids = [re.search(r"^E +AssertionError: (\w+)$", text, re.M)[1] for text in (first, again.stdout.str())]
    assert ids[0] == ids[1]


def test_while_recording(run):
    """The line that repeats a failure while recording records again."""
    result = run(
        "import pytest\n@pytest.mark.cassette\ndef test(provider): assert False", "--provider-record=all", "--provider-seed=3"
    )

    result.stdout.fnmatch_lines(["*To run it again: pytest --provider-seed=3 --provider-record=all test_it.py::test"])


def test_nothing_to_explain(run):
    """Tests that passed, were skipped, or used nothing of ours have no such section."""
    result = run(
        """
        import pytest

        def test_passed(provider): pass

        def test_skipped(provider): pytest.skip()

        def test_other(): assert False
        """,
        "-rA",
    )

    result.assert_outcomes(passed=1, skipped=1, failed=1)
    assert "- mockprovider -" not in result.stdout.str()


def test_a_program_that_raises(run):
    """A program's exception is shown with its own line, and with no line of ours."""
    result = run(
        """
        def program():
            raise KeyError("no such key")

        def test(pulumi_stack):
            pulumi_stack.up(program)
        """
    )

    result.stdout.fnmatch_lines(
        ['>*raise KeyError("no such key")', ">*pulumi_stack.up(program)", "*test_it.py:*: ProgramError"]
    )
    assert "mockprovider/engine" not in result.stdout.str()


def test_what_cannot_be_kept(run, pytester):
    """Where artefacts cannot be written the section says so, and the failure is the test's own."""
    result = run(
        """
        import pytest

        def test(provider, monkeypatch, tmp_path_factory):
            monkeypatch.setattr(tmp_path_factory, "mktemp", lambda name: 1 / 0)
            assert False, "the test's own"
        """
    )

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["E*the test's own*", "Nothing could be kept: ZeroDivisionError: division by zero"])


MANY = """
    import pulumi

    def test(provider, pulumi_stack):
        provider.faults.on.create("cloud:index:Thing", name="t0").partial(reasons=["slow"])
        bag = {"text": "long" * 99}
        things = lambda: [pulumi.CustomResource("cloud:index:Thing", f"t{n}", bag) for n in range(30)] and None
        pulumi_stack.up(things, continue_on_error=True, expect_failure=True)
        assert False
    """


def test_long_stories_are_cut(run):
    """Of many calls and objects the last are shown, and calls that went wrong; what is left out is in the files."""
    text = run(MANY).stdout.str()

    assert re.search(r"^  \.\.\. \d+ earlier calls that went well are in journal\.json$", text, re.M)
    assert len(re.findall(r"^ +\d+ #1 ", text, re.M)) == 41
    assert len(re.findall(r"-> half-made \w+: slow$", text, re.M)) == 1
    assert "  ... 10 older objects are in cloud.json" in text
    assert len(re.findall(r"^  cloud:index:Thing \w{8} .{200}\.\.\.$", text, re.M)) == 20


def test_where_pytest_was_started_elsewhere(run, pytester, monkeypatch):
    """The line that repeats a failure is right where it was printed, also in a folder below the root."""
    folder = pytester.mkdir("below")
    (folder / "test_below.py").write_text("def test(provider): assert False")
    pytester.makeini("[pytest]")
    monkeypatch.chdir(folder)
    result = run("", "test_below.py")

    result.stdout.fnmatch_lines(["*To run it again: pytest --provider-seed=0 test_below.py::test"])


def test_under_workers(run):
    """A worker of pytest-xdist reports all of it, too, and the files are there afterwards."""
    result = run(FAILING, "-p", "xdist", "-n", "1", "-o", "pythonpath=.")
    folder, names = re.search(r"^Kept in (.*): (.*)$", result.stdout.str(), re.M).groups()

    result.stdout.fnmatch_lines(
        [
            "What the engine asked:",
            "What exists:",
            "Fault: Rule(*",
            "Seed 0. To run it again: pytest --provider-seed=0 test_it.py::test_it",
        ]
    )
    assert all((Path(folder) / name).exists() for name in names.split(", "))


def test_a_refusal_is_told_once(run):
    """A program that the provider refuses is one error at the test's line, without what led to it in us."""
    result = run(
        """
        import pulumi
        from mockprovider import Property, ResourceType

        def test(provider, pulumi_stack):
            provider.define(ResourceType("cloud:index:Bucket", {"acl": Property(str, enum=("private", "public"))}))
            pulumi_stack.up(lambda: pulumi.CustomResource("cloud:index:Bucket", "logs", {"acl": "pirvate"}) and None)
        """
    )

    result.stdout.fnmatch_lines(["E *expected one of 'private', 'public', got 'pirvate'", "test_it.py:*: ProgramError"])
    assert "direct cause" not in result.stdout.str()
    assert "mockprovider/engine" not in result.stdout.str()


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("provider.faults.on.remove()", "Faults cannot be injected at 'remove'*"),
        ("pulumi_stack.up(lambda: None).state['lgos']", "*there is no resource 'lgos'; there are: none*"),
    ],
)
def test_what_is_not_there(run, line, said):
    """A fault or resource that there is not is one sentence at the test's line, with none of ours around it."""
    result = run(f"def test(provider, pulumi_stack): {line}")

    result.stdout.fnmatch_lines([f"E *{said}"])
    assert "/mockprovider/" not in result.stdout.str()


@pytest.mark.terraform_cli
def test_the_engine_s_folder(run):
    """A failed test under a real engine says where its files are, and what the engine printed is there, without secrets."""
    result = run(
        """
        from cloud import BUCKET

        def test(provider, terraform):
            provider.define(BUCKET)
            terraform.write('resource "cloud_bucket" "logs" {\\n  token = "hunter-two"\\n}')
            terraform.apply()
            assert not terraform.show()["values"]
        """
    )
    folder = Path(re.search(r"^The engine's folder, with its state and output.txt: (.*)$", result.stdout.str(), re.M)[1])
    printed = (folder / "output.txt").read_text()

    assert (folder / "terraform.tfstate").exists()
    assert printed.startswith("$ terraform apply -json -auto-approve\n")
    assert "Apply complete! Resources: 1 added" in printed
    assert "hunter-two" not in printed


def test_a_missing_extra(run):
    """A test that fails because an optional dependency is not installed says what to install."""
    result = run("def test(provider): raise ModuleNotFoundError('No module named pulumi.x', name='pulumi.x')")

    result.stdout.fnmatch_lines(["This needs pulumi: pip install 'mockprovider[[]pulumi]'"])


def test_a_missing_extra_of_a_module(pytester):
    """A module of tests whose imports need what is not installed is an error of collection, with what to install."""
    pytester.makepyfile("raise ModuleNotFoundError('No module named msgpack', name='msgpack')")
    result = pytester.runpytest_subprocess("-p", "no:randomly", "-p", "no:xdist")

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["This needs msgpack: pip install 'mockprovider[[]terraform]'"])


@pytest.mark.parametrize(
    ("fixture", "module", "extra"),
    [("pulumi_stack", "pulumi", "pulumi"), ("terraform", "msgpack", "terraform")],
)
def test_a_missing_extra_of_an_engine(pytester, fixture, module, extra):
    """A test whose engine needs what is not installed is skipped, with the command that installs it."""
    pytester.makeconftest(
        f"""
        import sys

        class Missing:
            def find_spec(self, name, path=None, target=None):
                if name.partition(".")[0] == {module!r}:
                    raise ModuleNotFoundError(f"No module named {{name}}", name=name)

        sys.meta_path.insert(0, Missing())
        """
    )
    pytester.makepyfile(f"def test_it({fixture}):\n    pass\n")
    result = pytester.runpytest_subprocess("-rs", "-p", "no:randomly", "-p", "no:xdist")

    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines([f"*This needs {module}: pip install 'mockprovider[[]{extra}]'"])


def test_a_report_names_what_hangs(run):
    """A failed test says which call hangs, or hung until somebody ended it, and by which rule."""
    result = run(
        """
        from threading import Thread
        from mockprovider.calls import Call, Op

        def test_it(provider):
            session = provider.open()
            for name in ("jobs", "logs"):
                provider.faults.on.create("cloud:index:Bucket", name=name).hang()
                call = Call(op=Op.CREATE, session=session, type="cloud:index:Bucket", name=name, inputs={})
                thread = Thread(target=provider, args=(call,), daemon=True)
                thread.start()
                while not any(held.call is call for held in provider.engines.held):
                    pass
                if name == "jobs":
                    session.cancelled.set()
                    thread.join(30)
                    session.cancelled.clear()
            assert not provider.name
        """
    )
    result.assert_outcomes(failed=1)
    rule = "provider.faults.on.create(\"cloud:index:Bucket\", name='{}').hang()"
    result.stdout.fnmatch_lines([f"create cloud:index:Bucket jobs hung, by {rule.format('jobs')}"])
    result.stdout.fnmatch_lines([f"create cloud:index:Bucket logs hangs, by {rule.format('logs')}"])

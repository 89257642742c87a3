"""A failed test explains itself: what was asked, what exists, how to run it again, and where everything is kept."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

FAILING = """
    from cloud import BUCKET, program

    def test_it(provider, pulumi_stack):
        provider.define(BUCKET)
        provider.faults.on.create("cloud:index:Buckt").partial()
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
            "Injected: Rule(create cloud:index:Buckt any name, fired 0 of 1)",
            "Seed 0. To run it again: pytest --provider-seed=0 test_it.py::test_it",
            "Kept in *: cloud.json, events.json, journal.json, state.json",
        ]
    )
    assert "hunter-two" not in result.stdout.str()


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

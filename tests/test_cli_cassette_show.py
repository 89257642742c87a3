"""``mockprovider cassette show`` and ``diff``: what a pipe and a terminal get of them, and how they end."""

from __future__ import annotations

import io
import json
import re

import pytest
from cassette_toy import TYPE, Toy, answer, call, secret, session
from click.testing import CliRunner
from kept_cassettes import CASSETTES
from rich.console import Console

from mockprovider import tape
from mockprovider.calls import Failure, Op, Reply
from mockprovider.cassette.telling import CallFilter
from mockprovider.cli import main
from mockprovider.cli.cassette import checking, diffing, reporting, screen, showing
from mockprovider.pulumi.transcript import PulumiTranscript

PULUMI = CASSETTES / "fake-pulumi/pulumi.json"
URN = f"urn:pulumi:dev::shop::{TYPE}::"


@pytest.fixture
def path(tmp_path, monkeypatch):
    """Where a cassette will be, in the folder in which the commands run."""
    monkeypatch.chdir(tmp_path)
    return tmp_path / "it.json"


class Spoken(Toy):
    """The toy, in a file that says that it is Pulumi's."""


def write(path, *conversation):
    """A cassette of calls and replies."""
    with tape.record(path, Spoken(), protocol="pulumi", provider="cloud") as recorder:
        for asked, reply in conversation:
            recorder(asked, lambda _, reply=reply: reply)


def run(*arguments):
    result = CliRunner().invoke(main, ["cassette", *map(str, arguments)])
    return result.output, result.exit_code


def three(id_="b-1", **more):
    """A create, an update that fails, and a read."""
    return (
        (
            call(Op.CREATE, session(), f"{URN}logs", acl="x"),
            Reply(value={"id": id_, "properties": {"acl": "x", **more}}, id=id_),
        ),
        (call(Op.UPDATE, session(), f"{URN}logs", acl="y"), Reply(failures=(Failure("quota exceeded"),))),
        (call(Op.INVOKE, session(), type_="cloud:index:zone"), answer(zone="eu")),
    )


def in_terminal(monkeypatch, width, show, **options):
    """What a terminal of this width gets."""
    console = Console(file=io.StringIO(), width=width, force_terminal=True, color_system="standard", highlight=False, **options)
    monkeypatch.setattr(screen, "terminal", lambda: console)
    show()
    return console.file.getvalue()


# Calls


def test_the_calls_in_a_pipe(path):
    """A pipe gets a title and a line for each call, without colours, in columns."""
    write(path, *three())

    assert run("show", path) == (
        "it.json: cloud, 3 calls.\n"
        "#  session  op      type                resource  result\n"
        "1  1        invoke  cloud:index:zone              answered\n"
        "2  1        create  cloud:index:Bucket  logs      created b-1\n"
        "3  1        update  cloud:index:Bucket  logs      failed: quota exceeded\n",
        0,
    )


def test_the_story_in_a_pipe(path):
    """The story has a title for each session, and a line for what happened with the calls that it was."""
    write(path, *three())

    assert run("show", "--timeline", path) == (
        "it.json: cloud, 3 calls.\n"
        "\n"
        "Session 1\n"
        "        2  creates cloud:index:Bucket logs → b-1\n"
        "        3  update of cloud:index:Bucket logs failed: quota exceeded\n"
        "        1  also: invoke\n",
        0,
    )


def test_titles_of_several_sessions():
    """Two quiet sessions are named both, many by the first and the last, with the provider's name where there are several."""
    together = run("show", "--timeline", CASSETTES / "terraform-together/tofu.json")[0].splitlines()
    quiet = run("show", "--timeline", CASSETTES / "fake-terraform/tofu.json")[0].splitlines()

    assert {"Sessions 1 and 5, local", "Session 10, local"} <= set(together)
    assert "Sessions 1 to 18" in quiet


def test_filters_on_the_command_line(path):
    """Filters say how many of the calls are shown."""
    write(path, *three())

    assert run("show", "--op", "create", "--op", "update", "--failed", path)[0].splitlines() == [
        "it.json: cloud, 1 of 3 calls.",
        "#  session  op      type                resource  result",
        "3  1        update  cloud:index:Bucket  logs      failed: quota exceeded",
    ]
    assert run("show", "--type", "ZONE", path)[0].count("\n") == 3
    assert run("show", "--urn", "::logs", path)[0] == run("show", "--resource", "logs", path)[0]


@pytest.mark.parametrize(
    ("options", "hint"),
    [
        (["--op", "creat"], "No call of it.json fits. Did you mean 'create'?"),
        (["--op", "zzz"], "No call of it.json fits. Its ops are: create, invoke, update."),
        (["--type", "zzz"], "No call of it.json fits. Its types are: cloud:index:Bucket, cloud:index:zone."),
        (["--resource", "lgos"], "No call of it.json fits. Did you mean 'logs'?"),
        (["--op", "create", "--failed"], "No call of it.json fits."),
        (["--call", "4"], "it.json has no call 4: its calls are 1 to 3."),
        (["--call", "0"], "it.json has no call 0: its calls are 1 to 3."),
    ],
)
def test_nothing_fits(path, options, hint):
    """What is not in the cassette is an error that says what was nearest, or what there is."""
    write(path, *three())

    assert run("show", *options, path) == (f"Error: {hint}\n", 1)


def test_nothing_failed(path):
    """Where no call failed at all, that is what is said."""
    write(path, *three()[:1])

    assert run("show", "--failed", path) == ("Error: No call of it.json fits. Nothing in it failed.\n", 1)


@pytest.mark.parametrize("options", [["--timeline"], ["--op", "read"], ["--failed"], ["--type", "x"], ["--urn", "x"]])
def test_one_call_and_many(path, options):
    """A filter or the story with --call is refused: one of them would be ignored."""
    said, code = run("show", "--call", "1", *options, path)

    assert (code, "--call shows one call whole" in said) == (2, True)


def test_an_empty_cassette(path):
    """A cassette without calls says so."""
    write(path)

    assert run("show", path) == ("it.json: cloud, 0 calls.\n", 0)
    assert run("show", "--call", "1", path) == ("Error: it.json has no call 1: it is empty.\n", 1)
    assert run("show", "--timeline", path) == ("it.json: cloud, 0 calls.\n", 0)


# One call


def test_one_call_whole(path):
    """A call is shown with all of its request and answer, and its secrets are placeholders."""
    write(
        path,
        (
            call(Op.CREATE, session(), f"{URN}logs", word=secret("hunter2-hunter2"), text="x" * 2000),
            Reply(value={"id": "b-1"}, id="b-1"),
        ),
    )
    said, code = run("show", "--call", "1", path)

    assert said.splitlines()[:8] == [
        "Call 1: Create (create) cloud:index:Bucket",
        "session   1",
        "instance  east",
        f"resource  {URN}logs",
        "id        b-1",
        "result    created b-1",
        "",
        "request",
    ]
    assert ("hunter2" in said, '"$secret": 1' in said, "x" * 2000 in said, code) == (False, True, True, 0)
    assert said.endswith('response\n{\n  "id": "b-1"\n}\n')


def test_one_call_that_failed(path):
    """Of a failed call the status is shown in place of an answer."""
    write(path, *three())

    assert '\nstatus\n{\n  "code": "UNKNOWN",\n  "message": "quota exceeded",' in run("show", "--call", "3", path)[0]


# JSON


def test_calls_as_json(path):
    """--json has the calls' fields, those that say nothing too."""
    write(path, *three())
    shown = json.loads(run("show", "--op", "create", "--json", path)[0])

    assert {key: shown[key] for key in ("name", "protocol", "ended")} == {
        "name": "it.json",
        "protocol": "pulumi",
        "ended": True,
    }
    assert shown["calls"] == [
        {
            "n": 2,
            "session": 1,
            "op": "create",
            "method": "Create",
            "provider": "",
            "phase": "",
            "direction": "provider",
            "parent": None,
            "preview": False,
            "type": TYPE,
            "urn": f"{URN}logs",
            "address": "",
            "name": "logs",
            "id": "b-1",
            "result": "created b-1",
            "failed": False,
            "changes": [],
            "replaces": [],
            "idle": False,
        }
    ]


def test_the_story_and_a_call_as_json(path):
    """The story is chapters with lines; a call has its request and answer beside its fields."""
    write(path, *three())
    shown = json.loads(run("show", "--timeline", "--json", path)[0])

    assert shown["timeline"][0]["sessions"] == [1]
    assert shown["timeline"][0]["lines"][0] == {
        "kind": "change",
        "text": "creates cloud:index:Bucket logs → b-1",
        "calls": [2],
    }
    one = json.loads(run("show", "--call", "1", "--json", path)[0])
    assert (one["op"], one["request"], one["response"]) == ("invoke", {}, {"zone": "eu"})


# What is no cassette


@pytest.mark.parametrize(
    ("content", "word"),
    [
        (b"", "empty"),
        (b"[]", "cassette"),
        (b'{"a": 1}', "cassette"),
        (b"\x00\xff\xfe", "cassette"),
        (None, "There is no cassette"),
    ],
)
@pytest.mark.parametrize("command", ["show", "diff"])
def test_no_cassette(path, content, word, command):
    """What is no cassette is one clear error: 1 of show, and 2 of diff, as of diff(1)."""
    if content is not None:
        path.write_bytes(content)
    said, code = run(command, *([path] if command == "show" else [PULUMI, path]))

    assert (said.startswith("Error: "), word in said, "Traceback" in said, code) == (
        True,
        True,
        False,
        1 if command == "show" else 2,
    )


def test_a_recording_that_never_ended(path):
    """A torn recording is shown with what it has, and it is said that it never ended."""
    write(path, *three())
    path.write_bytes(path.read_bytes()[:-30])
    said, code = run("show", path)

    assert said.splitlines()[:2] == [
        "it.json: cloud, 2 calls.",
        "This recording never ended: these are the calls that it has until then.",
    ]
    assert (code, json.loads(run("show", "--json", path)[0])["ended"]) == (0, False)


def test_a_draft_is_shown(path):
    """The draft of a recording that broke off can be shown by its own name."""
    recorder = tape.record(path, Spoken(), protocol="pulumi", provider="cloud")
    recorder(three()[0][0], lambda _: three()[0][1])
    recorder._sink.abandon()
    said, code = run("show", f"{path}.new")

    assert (said.splitlines()[0], "never ended" in said, code) == ("it.json.new: cloud, 1 call.", True, 0)


# Diff


def test_equal_cassettes(path):
    """Equal cassettes end with 0, also where generated ids are others."""
    write(path, *three("b-1234"))
    other = path.with_name("other.json")
    write(other, *three("b-9876"))

    assert run("diff", path, path) == ("3 calls equal.\n", 0)
    assert run("diff", path, other) == ("3 calls equal. 2 generated values differ, which is no difference.\n", 0)


def test_different_cassettes(path):
    """Differences end with 1: what is only in one, and the places of what is in both."""
    write(path, *three())
    other = path.with_name("other.json")
    write(other, *three(size=2)[:2], (call(Op.DELETE, session(), f"{URN}logs"), answer()))

    assert run("diff", path, other) == (
        "Only in it.json:\n"
        "#  op      type              resource  result\n"
        "1  invoke  cloud:index:zone            answered\n"
        "Only in other.json:\n"
        "#  op      type                resource  result\n"
        "3  delete  cloud:index:Bucket  logs      deleted\n"
        "In both, and different:\n"
        "  2 → 1  create cloud:index:Bucket logs\n"
        "      response.properties.size\n"
        "        + 2\n"
        "1 call equal, 1 only in the old one, 1 only in the new one, 1 different.\n",
        1,
    )


def test_the_difference_as_json(path):
    """--json has all of it, with whether they are equal."""
    write(path, *three())
    other = path.with_name("other.json")
    write(other, *three(size=2))
    said, code = run("diff", "--json", path, other)
    shown = json.loads(said)

    assert (shown["equal"], shown["old"], shown["new"], shown["same"], code) == (False, "it.json", "other.json", 2, 1)
    assert shown["differing"][0]["places"] == [{"path": "response.properties.size", "there": "new", "old": None, "new": 2}]


def test_headers_that_differ(path):
    """What the recordings say of themselves is compared, and nothing is called nothing."""
    write(path)
    other = path.with_name("other.json")
    with tape.record(other, Spoken(), protocol="pulumi", provider="mail", provider_version="2.0"):
        pass

    assert run("diff", path, other) == ("provider: cloud → mail\nprovider_version: nothing → 2.0\n0 calls equal.\n", 1)


def test_a_call_with_many_differences(path):
    """Of many places of one call the first ten are shown, and how many more there are."""
    write(path, (call(Op.UPDATE, session(), f"{URN}logs"), answer(**{f"a{n:02}": 1 for n in range(12)})))
    other = path.with_name("other.json")
    write(other, (call(Op.UPDATE, session(), f"{URN}logs"), answer(**{f"a{n:02}": 2 for n in range(12)})))
    said, _ = run("diff", path, other)

    assert said.count("        + 2\n") == 10
    assert "      and 2 places more (--json has them)\n" in said


def test_the_two_protocols(path):
    """Recordings of two protocols have nothing in common, and are compared all the same."""
    said, code = run("diff", PULUMI, CASSETTES / "fake-terraform/tofu.json")

    assert (said.splitlines()[0], code) == ("protocol: pulumi → tfplugin6", 1)


# Terminals


def test_a_narrow_terminal(monkeypatch):
    """In 80 columns no line is longer, and long results go on below themselves before types lose their beginnings."""
    shown = in_terminal(
        *(monkeypatch, 80),
        lambda: showing.show_file(
            CASSETTES / "pulumi-sites/embedded.json",
            CallFilter(ops=("create", "update")),
            timeline=False,
            number=None,
            as_json=False,
        ),
        no_color=True,
    )
    lines = showing_only(shown)

    assert max(map(len, lines)) <= 80
    assert lines[1:3] == [
        "#    session  op      type              resource     result",
        "22   1        create  sites:index:Page  home-about   created home-about.txt",
    ]


def showing_only(text):
    """The lines of a terminal without what makes them bold."""
    return [line.replace("\x1b[1m", "").replace("\x1b[2m", "").replace("\x1b[0m", "") for line in text.splitlines()]


@pytest.mark.parametrize("width", [80, 160])
def test_the_story_and_differences_in_a_terminal(monkeypatch, width):
    """Every line fits into the terminal, goes on below its own beginning, and has the colour of what it is."""
    tls = CASSETTES / "terraform-tls"
    told = in_terminal(
        *(monkeypatch, width),
        lambda: showing.show_file(PULUMI, CallFilter(), timeline=True, number=None, as_json=False),
    )
    differing = in_terminal(
        monkeypatch, width, lambda: diffing.diff_files(tls / "terraform.json", tls / "tofu.json", as_json=False)
    )
    assert max(len(re.sub(r"\x1b\[[0-9;]*m", "", line)) for line in [*told.splitlines(), *differing.splitlines()]) <= width
    assert "\x1b[32m        8  creates cloud:index:Bucket logs → 43ec04af" in told
    assert "\x1b[33m       65  finds that" in told
    assert "\x1b[1mSession 1\x1b[0m" in told
    assert "\x1b[31m        - " in differing
    assert "\x1b[32m        + " in differing


def test_no_colour(monkeypatch):
    """Without colours a terminal gets none."""
    told = in_terminal(
        *(monkeypatch, 80),
        lambda: showing.show_file(PULUMI, CallFilter(), timeline=True, number=None, as_json=False),
        no_color=True,
    )
    assert not any(f"\x1b[3{colour}m" in told for colour in range(8))


@pytest.mark.parametrize(
    ("width", "expected"),
    [
        (None, ["one:type:Token  name  a result of words"]),
        (39, ["one:type:Token  name  a result of words"]),
        (38, ["…e:type:Token  name  a result of words"]),
        (36, ["…:type:Token  name  a result of", "                    words"]),
    ],
)
def test_the_layout_of_a_table(width, expected):
    """A column of types gives up its beginnings before a result goes on below itself."""
    table = screen.ShownTable(("type", "n", "result"), [("one:type:Token", "name", "a result of words")], [""])

    assert [line for line, _ in screen.laid(table, width)][1:] == expected


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain text", "plain text"),
        ("\x1b[31mred\x07", "\\x1b[31mred\\x07"),
        ("two\nlines\tand\rmore", "two\\nlines\\tand\\rmore"),
        ("\u202egnp.exe\u200b", "\\u202egnp.exe\\u200b"),
        ("grüße 桶", "grüße 桶"),
        ("\x9b2J", "\\x9b2J"),
        ("\ud800", "\\ud800"),
    ],
)
def test_what_would_spoil_a_terminal(text, shown):
    """Control characters and those that turn the direction are escaped; letters of any script stay."""
    assert screen.printable(text) == shown


def test_hostile_recordings_in_a_pipe(path):
    """Nothing that a recording has reaches a terminal as a control character, in a table, a story, a call or a diff."""
    evil = "\x1b]0;owned\x07\nnew line\u202e" + "x" * 5000
    write(
        path,
        (call(Op.CREATE, session(), f"{URN}logs", type_=f"t\x1b[2J{evil[:9]}", note=evil), Reply(failures=(Failure(evil),))),
    )
    other = path.with_name("other.json")
    write(other, (call(Op.CREATE, session(), f"{URN}logs", type_=f"t\x1b[2J{evil[:9]}", note="x"), answer()))

    for arguments in (
        ["show", path],
        ["show", "--timeline", path],
        ["show", "--call", "1", path],
        ["diff", path, other],
        ["show", "--json", path],
        ["diff", "--json", path, other],
    ):
        said, code = run(*arguments)
        assert (code in (0, 1), [mark for mark in said if not mark.isprintable() and mark != "\n"]) == (True, [])
    assert "characters more)" in run("show", path)[0]
    assert json.loads(run("show", "--call", "1", "--json", path)[0])["request"]["note"] == evil


def test_a_terminal_is_one(monkeypatch):
    """A pipe and a dumb terminal get plain text; any other gets rich."""

    class Terminal(io.StringIO):
        def isatty(self):
            return True

    assert screen.terminal() is None
    monkeypatch.setattr("sys.stdout", Terminal())
    monkeypatch.setenv("TERM", "dumb")
    assert screen.terminal() is None
    monkeypatch.setenv("TERM", "xterm-256color")
    assert isinstance(screen.terminal(), Console)


def test_the_real_protocol_reads_it():
    """What is shown is read by the protocol's own transcriber."""
    assert isinstance(showing.transcribers(tape.load(PULUMI))[""], PulumiTranscript)


@pytest.mark.parametrize("width", [80, 160])
def test_the_report_and_the_check_in_a_terminal(monkeypatch, width):
    """Reports and findings have the manner of the others: they fit, their titles are bold, and what fails is red."""
    report = in_terminal(
        monkeypatch, width, lambda: reporting.report_file(CASSETTES / "terraform-tls-equal/terraform.json", as_json=False)
    )
    check = in_terminal(monkeypatch, width, lambda: checking.check_files([PULUMI], ["acl", "nowhere"], ["private"]))
    lines = [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in [*report.splitlines(), *check.splitlines()]]

    assert max(map(len, lines)) <= width
    assert report.startswith("\x1b[1m")
    assert " ".join(line.strip() for line in lines).count("no other one may get it.") == 1
    assert "\x1b[1;31m" in check
    assert "\x1b[33mwarning: --secret: 'nowhere' is nowhere" in check


def test_a_message_of_several_lines():
    """A sentence of ours is never cut, and each of its lines is one."""
    shown = screen.sentences("a" * 500 + "\nb", "failure", "> ")

    assert [line for line, _ in screen.laid(screen.sentences("one two three")[0], 12)] == ["one two", "  three"]
    assert [line for part in shown for line in screen.laid(part)] == [(f"> {'a' * 500}", "failure"), ("> b", "failure")]

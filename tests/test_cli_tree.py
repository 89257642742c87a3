"""How an operation is shown: as users of ``pulumi`` know it, in a terminal's width, with nothing secret in it."""

from __future__ import annotations

import io
import re
import textwrap

import pulumi
import pytest
from engine_toolbox import Bucket, Component, make
from policy_toolbox import pack
from pulumi import ResourceOptions
from rich.console import Console

from mockprovider.calls import Op
from mockprovider.cli import running
from mockprovider.cli.changes import differences, listed, names_of_differences
from mockprovider.cli.columns import in_short
from mockprovider.cli.tree import WORDS, OperationShown
from mockprovider.engine.registrations.decision import StepOp
from mockprovider.errors import ProgramError
from mockprovider.values import UNKNOWN, Archive, Asset, Output, ResourceReference, Secret

WIDE = 160


class Shown:
    """A stack whose operations are shown."""

    def __init__(self) -> None:
        self.stack, self.double, self.breaking = make()

    def run(self, operation, *arguments, details=False, width=WIDE, **options):
        """What is shown of an operation, without how long it took."""
        shown = OperationShown(details=details)
        self.stack.on_event = shown.tell
        getattr(self.stack, operation)(*arguments, **options)
        lines = [re.sub(r"\(\d+\.\d\ds\)", "(0.00s)", line.text) for line in shown.lines(width)]
        return "\n".join(line for line in lines if not line.startswith("Duration")).strip()


@pytest.fixture
def shown():
    """A stack whose operations are shown."""
    return Shown()


def program_of(wanted):
    """A component with a bucket, a bucket, and one that depends on it."""

    def program():
        site = Component("site")
        Bucket("logs", ResourceOptions(parent=site), acl=wanted.get("acl", "x"), tags=wanted.get("tags", {"a": "1"}))
        assets = Bucket("assets", name=wanted.get("name", "n"), token=pulumi.Output.secret(wanted.get("token", "hush")))
        if "extra" in wanted:
            Bucket("extra", acl="y")
        pulumi.export("arn", assets.arn)

    return program


def said(text):
    """A text as it is written in a test."""
    return textwrap.dedent(text).strip("\n")


def test_a_preview_of_a_new_stack(shown):
    """The tree has each resource below what it stands in, with its mark and what is planned."""
    assert shown.run("preview", program_of({})) == said("""
        Previewing update (dev):

            Type                      Name         Plan    Info
         +  pulumi:pulumi:Stack       project-dev  create
         +  ├─ my:index:Component     site         create
         +  │  └─ cloud:index:Bucket  logs         create
         +  └─ cloud:index:Bucket     assets       create

        Outputs:
            arn: [unknown]

        Resources:
            + 4 to create
    """)


def test_changes_are_told_by_property(shown):
    """What changes has its mark and the names of its properties; what stays is not shown, unless something in it changes."""
    shown.run("up", program_of({"extra": True}))
    text = shown.run("up", program_of({"acl": "y", "name": "m", "tags": {"b": "1"}}))
    assert text.partition("Outputs:")[0].rstrip() == said("""
        Updating (dev):

            Type                      Name         Status            Info
            pulumi:pulumi:Stack       project-dev
            ├─ my:index:Component     site
         ~  │  └─ cloud:index:Bucket  logs         updated (0.00s)   [diff: ~acl,tags]
         +- ├─ cloud:index:Bucket     assets       replaced (0.00s)  [diff: ~name]
         -  └─ cloud:index:Bucket     extra        deleted (0.00s)
    """)
    assert text.partition("Resources:")[2] == "\n    ~ 1 updated\n    - 1 deleted\n    +-1 replaced\n    3 changes. 2 unchanged"


def test_details_show_each_property(shown):
    """With details each change of a property stands below its resource, with its own mark, at every depth."""
    shown.run("up", program_of({}))
    text = shown.run("preview", program_of({"tags": {"a": "2", "c": "d"}, "token": "other"}), details=True)
    assert "\n".join(line for line in text.partition("Resources:")[0].rstrip().splitlines() if "[id=" not in line) == said("""
        Previewing update (dev):
          pulumi:pulumi:Stack: (same)
            [urn=urn:pulumi:dev::project::pulumi:pulumi:Stack::project-dev]
                ~ cloud:index:Bucket: (update)
                    [urn=urn:pulumi:dev::project::my:index:Component$cloud:index:Bucket::logs]
                  ~ tags: {
                      ~ a: "1" => "2"
                      + c: "d"
                    }
            ~ cloud:index:Bucket: (update)
                [urn=urn:pulumi:dev::project::cloud:index:Bucket::assets]
              ~ token: [secret] => [secret]
    """)


def test_nothing_secret_is_shown(shown):
    """No secret of inputs or outputs is in any line, whether it is created, changed or deleted."""

    def program(token):
        bucket = Bucket("b", token=pulumi.Output.secret(token))
        pulumi.export("token", bucket.token)

    texts = [
        shown.run(*run, details=details)
        for run in (("up", lambda: program("hush")), ("up", lambda: program("other")), ("destroy",))
        for details in (True,)
    ]
    assert [("hush" in text, "other" in text, "[secret]" in text) for text in texts] == [(False, False, True)] * 3


def test_what_fails_is_marked(shown):
    """A failure stands in the tree, in the diagnostics and in the summary."""
    shown.breaking.fail(Op.CREATE, "logs")
    screen = OperationShown()
    shown.stack.on_event = screen.tell
    with pytest.raises(ProgramError):
        shown.stack.up(program_of({}))
    text = "\n".join(line.text for line in screen.lines())

    assert " **creating failed**  1 error" in text
    assert "Diagnostics:\n  cloud:index:Bucket (logs):\n    error: no create of logs" in text
    assert "  pulumi:pulumi:Stack (project-dev):\n    error: update failed" in text
    assert "    2 errored" in text


def test_what_fails_before_its_step_is_marked(shown):
    """A resource that its provider refuses has a line of its own in the stack, and is counted."""
    shown.breaking.fail(Op.CHECK, "logs")
    screen = OperationShown()
    shown.stack.on_event = screen.tell
    shown.stack.up(lambda: Bucket("logs"), expect_failure=True)
    lines = [line.text for line in screen.lines()]
    assert "    └─ cloud:index:Bucket  logs         **failed**       1 error" in lines
    assert "    1 errored" in lines


def test_a_program_that_fails(shown):
    """What is about no resource is said of the stack, which has failed then; in a preview it is only counted."""
    shown.stack.up(lambda: Bucket("logs", acl="x"))
    for operation, status in (("up", "  **failed**  1 error"), ("preview", "  1 error")):
        screen = OperationShown()
        shown.stack.on_event = screen.tell
        with pytest.raises(ProgramError, match="no luck"):
            getattr(shown.stack, operation)(broken)
        lines = [line.text for line in screen.lines()]
        assert next(line for line in lines if "Stack" in line).endswith(status)
        assert "    1 errored" in lines


def broken():
    """A program that raises."""
    raise ValueError("no luck")


def test_refresh_shows_what_was_found(shown):
    """Drift is shown by the properties that were read, and what is gone as deleted."""
    shown.run("up", program_of({"extra": True}))
    objects = shown.double.cloud.objects("cloud:index:Bucket")
    shown.double.cloud.drift("cloud:index:Bucket", objects[0].id, acl="drifted")
    shown.double.cloud.vanish("cloud:index:Bucket", objects[-1].id)
    text = shown.run("refresh")
    assert text.startswith("Refreshing (dev):")
    assert "[diff: ~acl]" in text
    assert "\n    ~ 1 updated\n    - 1 deleted\n" in text


@pytest.mark.parametrize("width", [50, 80, WIDE])
def test_the_tree_fits(shown, width):
    """No line of the tree is wider than the terminal, and names can be read all the same."""
    names = ["a-bucket-for-the-logs-of-today", "a-bucket-for-the-logs-of-tomorrow"]
    text = shown.run("preview", lambda: [Bucket(name, acl="x") for name in names], width=width)
    tree = text.partition("Resources:")[0].splitlines()
    assert max(map(len, tree)) <= width
    today, tomorrow = (line for line in tree if "a-b" in line)
    assert "today " in today
    assert "tomorrow " in tomorrow
    assert (names[0] in today, "…" in today) == (width > 50, width == 50)


def test_types_are_written_in_short():
    """The file of a module is left out where it is called as the type is, and only there."""
    types = ("aws:s3/bucket:Bucket", "aws:s3/other:Bucket", "aws:index:Bucket", "aws:a/b/bucketV2:BucketV2", "odd")
    assert [in_short(type_) for type_ in types] == [
        *("aws:s3:Bucket", "aws:s3/other:Bucket", "aws:index:Bucket", "aws:a/b:BucketV2", "odd")
    ]


class Screen:
    """A terminal, as far as live trees use one: lines are written, the cursor goes up, lines are cleared."""

    def __init__(self, height: int) -> None:
        self._height = height
        self.lines = [""]
        self._row = 0

    def write(self, text: str) -> None:
        """Take what a program prints."""
        for command, number, line, character in re.findall(r"\x1b\[(?:([0-9;?]*)([A-Za-z]))|(\n)|([^\r])|\r", text):
            if number == "A":
                self._row = max(self._row - int(command or 1), len(self.lines) - self._height, 0)
            elif number == "K":
                self.lines[self._row] = ""
            elif line:
                self._row += 1
                self.lines += [""] * (self._row >= len(self.lines))
            elif character:
                self.lines[self._row] += character


@pytest.mark.parametrize("height", [5, 12, 60])
def test_a_tree_that_is_higher_than_the_terminal(shown, monkeypatch, height):
    """While it goes on, as much of it is shown as there is room for; in the end it stands there whole, and once."""
    out = io.StringIO()
    console = Console(file=out, force_terminal=True, width=80, height=height, color_system=None, highlight=False)
    monkeypatch.setattr(running, "terminal", lambda: console)
    names = [f"bucket-{number}" for number in range(30)]
    operation = OperationShown()
    with running._screen(operation) as shown.stack.on_event:
        shown.stack.up(lambda: [Bucket(name, acl="x") for name in names])
    screen = Screen(height)
    screen.write(out.getvalue())
    text = "\n".join(screen.lines)
    assert text.count("Updating (dev):") == text.count("Resources:") == 1
    assert [text.count(f" {name} ") for name in names] == [1] * 30
    frame = [line.text for line in operation.now(80, height)]
    assert len(frame) == min(height, 34)
    assert any(" more" in line for line in frame) == (height == 12)


def test_hidden_differences(shown):
    """What the option ``hideDiffs`` names is not shown where it changes, and the state keeps the option."""

    def program(value):
        Bucket("logs", ResourceOptions(hide_diffs=["acl", "tags.a"]), acl=value, tags={"a": value, "b": value})

    shown.run("up", lambda: program("x"))
    text = shown.run("up", lambda: program("y"), details=True)
    assert ("acl" in text, 'b: "x" => "y"' in text, "a: " in text.partition("tags")[2].partition("}")[0]) == (
        False,
        True,
        False,
    )
    assert shown.stack.export()["deployment"]["resources"][-1]["hideDiff"] == ["acl", "tags.a"]


def test_every_op_has_its_words():
    """Each kind of step is marked and named."""
    assert set(WORDS) == {op.value for op in StepOp}


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "<null>"),
        (UNKNOWN, "[unknown]"),
        (Output("x", secret=True), "[secret]"),
        (Output(3), "3"),
        (True, "true"),
        (1.0, "1"),
        (0.5, "0.5"),
        ('a"\n\x1b[31m', r'"a\"\n\u001b[31m"'),
        ({}, "{}"),
        ([], "[]"),
        (Asset(text="a", hash="1234567890"), "asset(text:1234567) { <contents elided> }"),
        (Archive(path="site", hash="1234567890"), "archive(file:1234567) { site }"),
        (ResourceReference("urn:x"), '"urn:x"'),
    ],
)
def test_how_values_are_written(value, text):
    """A value of one line is written as users of pulumi know it, and cannot steer a terminal."""
    assert [str(line) for line in listed({"k": value})] == [f"    k: {text}"]


def test_nested_values():
    """Maps, lists and archives of assets go on below their names."""
    bag = {"list": [1, {"a": Secret("x")}], "site": Archive(assets={"i": Asset(text="a", hash="1234567890")}, hash="abc")}
    assert "\n".join(map(str, listed(bag))) == (
        "    list: [\n        [0]: 1\n        [1]: {\n            a: [secret]\n        }\n    ]\n"
        "    site: archive(assets:abc) {\n        i: asset(text:1234567) { <contents elided> }\n    }"
    )


def test_differences_of_lists_and_kinds():
    """Items of lists are compared by their place, and a value of another kind is the old one and the new one."""
    old, new = {"a": [1, 2], "b": {"x": 1}, "c": 1}, {"a": [1, 3, 4], "b": "text", "d": 2}
    assert "\n".join(map(str, differences(old, new))) == (
        '  ~ a: [\n      ~ [1]: 2 => 3\n      + [2]: 4\n    ]\n  - b: {\n      - x: 1\n  - }\n  + b: "text"\n  - c: 1\n  + d: 2'
    )
    assert names_of_differences(old, new) == "+d-c~a,b"


def test_policies_stand_before_diagnostics(shown):
    """What policies have found is a block of its own; where a mandatory one is broken, nothing is counted."""
    shown.stack.policies = [pack()]
    text = shown.run("up", lambda: [Bucket(name, tags={"owner": "me"}) for name in "abc"] and None)
    found, _, rest = text.partition("Policies:\n")[2].partition("\n\n")
    assert said(found) == said("""
        ⚠️ rules@v1.2.3
            - [advisory]  few  (cloud:index:Bucket: c)
              Few buckets.
              3 buckets
    """)
    assert "4 created" in rest
    text = shown.run("up", lambda: Bucket("d", acl="public") and None, expect_failure=True)
    assert "- [mandatory]  [high]  private  (cloud:index:Bucket: d)" in text
    assert "Resources:" not in text

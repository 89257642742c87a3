"""The embedded engine against the real CLI: what a user is told of failures, word for word, as each run compares it."""

from __future__ import annotations

import component_toolbox
import pytest
from component_toolbox import SITE
from engine_toolbox import BUCKET, NET, Bucket, Cloud, Existing, Remote, Thing
from pulumi import Alias, Output, ResourceOptions

from mockprovider.calls import Failure, Op, Reply
from mockprovider.pulumi.stacks.imports import Import

pytestmark = pytest.mark.pulumi_cli


def refuse(both, op, name, *failures):
    """Let the next call of ``op`` for ``name`` be answered with these failures."""
    for breaking in both.breaking:
        breaking.replace(op, name, lambda *_: Reply(failures=failures))


@pytest.mark.parametrize(
    "failures",
    [
        [Failure("bad", path="acl")],
        [Failure("as a whole")],
        [Failure("bad", path="tags"), Failure("inside", path="tags.team"), Failure("missing", path="nope")],
    ],
    ids=["one", "whole", "several"],
)
def test_inputs_that_check_refuses(both, failures):
    """Each complaint is told by itself, with the value of the property, in an up and in a preview."""

    def program():
        Bucket("a", acl="x", tags={"team": "t"})

    for operation in ("preview", "up"):
        refuse(both, Op.CHECK, "a", *failures)
        both.run(operation, program, fails=True)
    assert len(both.said()[0].split("\n")) == len(failures)


def test_providers_that_fail(both):
    """What a provider says against its configuration, against a change of it, and where it cannot be configured."""
    inputs = {"region": "r"}

    def program():
        Bucket("a", ResourceOptions(provider=Cloud("p", **inputs)))

    for op in ("check_config", "configure"):
        both.breaks(lambda on, op=op: getattr(on, op)().error("no way"))
        both.run("up", program, fails=True)
    both.run("up", program)
    inputs["region"] = "q"
    for status in ("unknown", "cancelled", "out_of_range"):
        both.breaks(lambda on, status=status: on.diff_config().rpc_error(status, "no way"))
        both.run("up", program, fails=True)
    both.breaks(lambda on: on.configure().error("no way"))
    both.run("refresh", fails=True)


@pytest.mark.parametrize(
    "failures", [[Failure("no way")], [Failure("bad", path="name"), Failure("missing", path="nope")]], ids=["whole", "inputs"]
)
def test_components_that_are_not_constructed(make_both, failures):
    """The component is named, and not blamed by its URN, which nobody knows; each complaint has the input's value."""
    both = make_both(package=component_toolbox.package)

    def program():
        Remote(SITE, "site", domain="d", name="n")

    for operation in ("preview", "up"):
        refuse(both, Op.CONSTRUCT, "site", *failures)
        both.run(operation, program, fails=True)
        ours, theirs = ([each.message for each in result.diagnostics if SITE in each.message] for result in both.results)
        assert ours == theirs != []


def test_steps_that_fail(both):
    """What a provider says in several lines, and the reasons of half-made creates and updates."""
    wanted = {"acl": "1"}

    def program():
        Bucket("a", **wanted)

    def broken(operation, rule, *programs):
        both.breaks(rule)
        both.run(operation, *programs, fails=True)

    broken("up", lambda on: on.create(BUCKET).error("it\nis 'so'"), program)
    broken("up", lambda on: on.create(BUCKET).partial(reasons=["one", "two\nlines"]), program)
    broken("up", lambda on: on.update(BUCKET).partial(reasons=["three"]), program)
    both.run("up", program)
    broken("refresh", lambda on: on.read(BUCKET).error("unreadable"))
    broken("refresh", lambda on: on.read(BUCKET).rpc_error("unavailable", "away"))
    wanted["acl"] = "2"
    broken("up", lambda on: on.diff(BUCKET).error("no idea"), program)
    broken("destroy", lambda on: on.delete(BUCKET).error("it stays"))


def test_the_command_import_that_fails(both):
    """What is not there, is there already or cannot be read is told with the step that failed, in previews, too."""
    for id_ in ("x", "y"):
        both.create(BUCKET, id_, acl="1")

    def importing(id_, fails=True, **options):
        both.run("import_resources", imports=[Import(type=BUCKET, name="a", id=id_, version="1.0.0")], fails=fails, **options)

    importing("nowhere")
    importing("nowhere", preview=True)
    both.breaks(lambda on: on.read(BUCKET).error("no way"))
    importing("x")
    refuse(both, Op.CHECK, "a", Failure("bad", path="acl"), Failure("worse"))
    importing("x", fails=False)
    importing("y")


def test_options_that_do_not_fit(both):
    """Imports that differ, that would be lost by a replacement or are not there, reads of nothing, and protection."""
    for id_ in ("x", "y"):
        both.create(BUCKET, id_, acl="1")

    def bucket(**options):
        return lambda: Bucket("a", ResourceOptions(**options), acl="1")

    def named():
        Bucket("a", ResourceOptions(import_="x"), acl="2", name="n")

    both.run("preview", lambda: Existing("read", "nowhere") and None, fails=True)
    both.run("preview", bucket(import_="nowhere"), fails=True)
    both.run("up", bucket(import_="nowhere"), fails=True)
    both.run("preview", named, fails=None)
    both.run("up", named, fails=True)
    both.run("up", bucket(import_="x", protect=True), fails=None)
    both.run("up", bucket(import_="x", replacement_trigger="1"), fails=None)
    both.run("up", bucket(import_="x", replacement_trigger="2"), fails=None)
    both.run("preview", bucket(import_="y", protect=True), fails=None)
    both.run("up", lambda: None, fails=None)
    both.run("up", lambda: [Bucket("a", acl="1"), Bucket("b", ResourceOptions(aliases=[Alias(name="a")]))], fails=None)
    both.run("up", lambda: [Bucket("q"), Thing(NET, "n", cidr="1")], target=["q"], fails=None)
    both.run("destroy", fails=None)


def test_paths_that_cannot_be_ignored(both):
    """What an ignored path cannot reach, because elements come or go, is told with the path in quotes."""

    def program(**wanted):
        ignored = ["list[1]", 'tags["team"]', "list[*].k", "tags.team.deep", "nope.x"]
        Thing("cloud:index:Free", "b", ResourceOptions(ignore_changes=ignored), **wanted)

    both.run("up", lambda: program(tags={"team": "a"}, list=[{"k": "1"}, {"k": "2"}]))
    both.run("up", lambda: program(tags={"team": "b", "new": "1"}, list=[{"k": "3"}]))
    both.run("up", lambda: program(list="text", tags=["x"]), fails=None)
    both.run("up", lambda: program(tags=Output.secret({"team": "c"})), fails=None)


@pytest.mark.parametrize("refresh", [False, True])
def test_what_is_protected_when_it_goes(both, refresh):
    """A preview says that it failed over what is protected and would be deleted; the operation itself says why alone."""
    both.run("up", lambda: Bucket("a", opts=ResourceOptions(protect=True)))
    for operation in ("preview", "up"):
        both.run(operation, lambda: None, refresh=refresh, fails=True)
    assert "cannot be deleted" in both.said()[0]


def test_what_is_protected_under_a_new_name(both):
    """What may not be replaced is called by its new name."""

    def program(name, value):
        Bucket(name, ResourceOptions(protect=True, aliases=[Alias(name="a")]), name=value)

    both.run("up", lambda: program("a", "one"))
    for operation in ("preview", "up"):
        both.run(operation, lambda: program("b", "two"), fails=True)
    assert "Bucket::b" in both.said()[0]

"""The embedded engine against the real CLI: stories of a stack in which features meet that seldom do."""

from __future__ import annotations

from typing import Any

import pulumi
import pytest
from engine_toolbox import BUCKET, NET, Bucket, Cloud, Component, Thing, one_by_one
from hook_toolbox import Noted
from pulumi import Alias, Output, ResourceHookBinding, ResourceOptions

from mockprovider.calls import Op
from mockprovider.pulumi.stacks.imports import Import

pytestmark = pytest.mark.pulumi_cli

FREE = "cloud:index:Free"


def mark(both, method, *names):
    """Mark resources in the states of both engines."""
    for engine in (both.stack, both.cli):
        for name in names:
            getattr(engine, method)(name)


# Replacements ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("type_", [BUCKET, NET], ids=["create-first", "delete-first"])
@pytest.mark.parametrize("case", ["kept", "protected", "linked-at-once"])
def test_a_chain_of_what_is_deleted_with_the_next(serial, type_, case):
    """What is deleted with an owner that is replaced, in a chain, protected, or tied to it in the same run."""
    key, wanted, linked = ("name" if type_ == BUCKET else "cidr"), "a", case != "linked-at-once"

    @one_by_one
    def program():
        owner = Thing(type_, "owner", **{key: wanted})
        yield owner
        options = ResourceOptions(deleted_with=owner if linked else None, protect=case == "protected")
        middle = Thing(type_, "middle", options)
        yield middle
        yield Thing(type_, "last", ResourceOptions(deleted_with=middle if linked else None))

    serial.run("up", program)
    wanted, linked = "b", True
    serial.run("preview", program, fails=None)
    serial.run("up", program, fails=None)
    serial.run("destroy", target=["owner"], target_dependents=True, fails=None)


def test_targets_among_what_is_replaced_together(serial):
    """``replace_with`` and ``deleted_with`` across the border of targets and exclusions."""
    wanted = {"name": "1"}

    @one_by_one
    def program():
        first = Bucket("first", **wanted)
        yield first
        second = Bucket("second", ResourceOptions(replace_with=[first], deleted_with=first))
        yield second
        third = Bucket("third", ResourceOptions(replace_with=[second]), acl=second.arn)
        yield third
        yield Bucket("fourth", ResourceOptions(deleted_with=third))

    serial.run("up", program)
    limits: list[dict[str, Any]] = [
        {"target": ["first"]},
        {"target": ["first"], "target_dependents": True},
        {"exclude": ["third"]},
    ]
    for number, limit in enumerate(limits, 2):
        wanted["name"] = str(number)
        serial.run("up", program, fails=None, **limit)
    serial.run("up", program, fails=None)
    serial.run("destroy", target=["third"], target_dependents=True, fails=None)
    serial.run("destroy", exclude=["second"], fails=None)


def test_a_provider_that_is_replaced_under_all_kinds_of_resources(serial):
    """Retained, protected and owned resources of a provider whose region changes; a destroy that ignores protection."""
    wanted = {"region": "1"}

    @one_by_one
    def program():
        provider = Cloud("provider", **wanted)
        yield provider
        owner = Bucket("owner", ResourceOptions(provider=provider))
        yield owner
        yield Bucket("owned", ResourceOptions(provider=provider, deleted_with=owner, retain_on_delete=True))
        yield Thing(NET, "net", ResourceOptions(provider=provider, protect=True), cidr=owner.arn)

    serial.run("up", program)
    wanted["region"] = "2"
    serial.run("preview", program, fails=None)
    serial.run("up", program, fails=None)
    serial.run("up", program, continue_on_error=True, fails=None)
    serial.run("destroy", ignore_protect=True, fails=None)


@pytest.mark.parametrize("paths", [["*"], ["tags.*"], ["[*]"], ["nope"]], ids=str)
def test_paths_that_replace(serial, paths):
    """A new tag, and another value, under a path of ``replace_on_changes`` with and without wildcards."""
    wanted: dict[str, Any] = {"acl": "1", "tags": {"a": "1"}}

    def program():
        Bucket("a", ResourceOptions(replace_on_changes=paths), **wanted)

    serial.run("up", program)
    wanted["tags"] = {"a": "1", "b": "2"}
    serial.run("up", program)
    wanted["acl"] = "2"
    serial.run("up", program)


def test_a_half_made_object_that_any_change_replaces(serial):
    """The next run mends it by a replacement, over a protected one that is deleted with it."""

    @one_by_one
    def program():
        made = Bucket("made", ResourceOptions(replace_on_changes=["*"]), acl="1")
        yield made
        yield Bucket("owned", ResourceOptions(deleted_with=made, protect=True), acl=made.arn)

    serial.breaks(lambda on: on.create(BUCKET).partial(reasons=["timed out"]))
    serial.run("up", program, fails=True)
    serial.run("preview", program, fails=None)
    serial.run("up", program, fails=None)
    serial.run("up", program, fails=None)


def test_taints_and_protection_between_renames(serial):
    """What is tainted or protected by hand, and renamed, retyped in its order of replacement, or tied to what is."""
    name = "a"

    @one_by_one
    def program():
        first = Bucket(name, ResourceOptions(aliases=[Alias(name="a")] if name != "a" else None), acl="1")
        yield first
        net = Thing(NET, "net", ResourceOptions(delete_before_replace=False), cidr=first.arn)
        yield net
        yield Bucket("last", ResourceOptions(deleted_with=net, replace_with=[first]))

    serial.run("up", program)
    mark(serial, "taint", "net")
    name = "z"
    serial.run("preview", program, fails=None)
    serial.run("up", program, fails=None)
    mark(serial, "taint", "z")
    mark(serial, "protect", "last")
    serial.run("refresh", fails=None)
    serial.run("up", program, fails=None)
    mark(serial, "unprotect", "last")
    serial.run("up", program, fails=None)
    serial.run("destroy", fails=None)


def test_plans_of_replacements(serial):
    """A plan with ``replace_with``, ``deleted_with`` and a deletion holds an up that replaces more than planned."""
    wanted = {"name": "1", "cidr": "1"}

    @one_by_one
    def program():
        net = Thing(NET, "net", cidr=wanted["cidr"])
        yield net
        bucket = Bucket("bucket", ResourceOptions(replace_with=[net]), name=wanted["name"])
        yield bucket
        yield Thing(NET, "owned", ResourceOptions(deleted_with=net), peer=bucket.arn)
        if wanted["cidr"] == "1":
            yield Bucket("gone", ResourceOptions(depends_on=[net]))

    def planned(**options):
        serial.run("preview", program, save_plan=True, **options)
        return tuple(result.plan for result in serial.results)

    serial.run("up", program, plan=planned())
    wanted["cidr"] = "2"
    plan = planned()
    wanted["name"] = "2"
    serial.run("up", program, plan=plan, fails=None)
    wanted["name"] = "1"
    serial.run("up", program, plan=plan, fails=None)
    wanted["name"] = "3"
    plan = planned(replace=["net"])
    serial.run("up", program, plan=plan, fails=None)
    serial.run("up", program, plan=plan, replace=["net"], fails=None)


# Imports and reads -----------------------------------------------------------------------------------------------------


def test_imports_under_aliases(serial):
    """An import that is renamed, gets another id under protection and without it, and is retained in the end."""
    for id_ in ("x-1", "x-2", "x-3"):
        serial.create(BUCKET, id_, acl="private", name=id_)
    versions = [
        ("old", "x-1", {"protect": True}, {}),
        ("new", "x-1", {"protect": True, "aliases": [Alias(name="old")]}, {}),
        ("new", "x-2", {"protect": True, "aliases": [Alias(name="old")]}, {}),
        ("new", "x-2", {"aliases": [Alias(name="old")]}, {}),
        ("newer", "x-3", {"protect": True, "aliases": [Alias(name="new")], "retain_on_delete": True}, {"acl": "other"}),
        ("newer", "x-3", {"retain_on_delete": True}, {}),
    ]
    for name, id_, options, properties in versions:

        def program(name=name, id_=id_, options=options, properties=properties):
            Bucket(name, ResourceOptions(import_=id_, **options), **{"name": id_, **properties})

        serial.run("preview", program, fails=None)
        serial.run("up", program, fails=None)
    serial.run("destroy", fails=None)


def test_an_import_that_ignores_and_is_triggered(serial):
    """``import`` with ``ignore_changes``, ``replace_on_changes`` and a trigger that changes, and becomes a secret."""
    serial.create(BUCKET, "x", acl="1", name="n", tags={"a": "1"})
    wanted = {"name": "m", "acl": "2"}
    trigger: Any = 1

    def program():
        ignored, imported = ["name", 'tags["a"]'], "x" if trigger in (1, 2) else None
        options = {"replacement_trigger": trigger, "replace_on_changes": ["acl"], "import_": imported}
        Bucket("b", ResourceOptions(ignore_changes=ignored, **options), tags={"b": "1"}, **wanted)

    serial.run("preview", program, fails=None)
    serial.run("up", program, fails=None)
    wanted["acl"] = "1"
    serial.run("up", program, fails=None)
    for number in (2, 3):
        trigger = number
        serial.run("preview", program, fails=None)
        serial.run("up", program, fails=None)


@pytest.mark.parametrize("generation", ["current", "no-detailed-diff"])
def test_an_imported_value_that_the_program_hides(make_both, generation):
    """A value that ``pulumi import`` wrote in the open is a secret of the program, and a change of it would replace."""
    both = make_both(generation)
    both.create(BUCKET, "b-1", acl="bar", name="n")
    both.run("import_resources", imports=[Import(type=BUCKET, name="logs", id="b-1", protect=False)])

    def program():
        Bucket("logs", ResourceOptions(replace_on_changes=["acl", "name"]), acl=Output.secret("bar"), name="n")

    both.run("preview", program)
    both.run("up", program)
    both.run("up", program)


def test_reads_with_secrets_that_drift_and_go(serial):
    """A read hides an output, another resource depends on it, and what it reads changes and vanishes."""
    serial.create(BUCKET, "x", acl="1")

    @one_by_one
    def program():
        read = Bucket("read", ResourceOptions(id="x", additional_secret_outputs=["acl", "nope"]))
        yield read
        bucket = Bucket("bucket", ResourceOptions(additional_secret_outputs=["arn", "nope"]), acl=read.arn)
        yield bucket
        pulumi.export("arn", bucket.arn)

    serial.run("up", program)
    serial.drift(BUCKET, acl="3")
    serial.run("refresh")
    serial.run("up", program)
    serial.vanish(BUCKET, 1)
    serial.run("up", program, fails=None)
    serial.run("refresh", fails=None)
    serial.run("destroy", fails=None)


def test_read_imported_managed_and_read_again(serial):
    """One resource in all four roles, with a dependent that is deleted with it."""
    serial.create(BUCKET, "x", acl="1")
    roles: list[dict[str, Any]] = [{"id": "x", "protect": True}, {"import_": "x"}, {"retain_on_delete": True}, {"id": "x"}]
    for role in roles:

        @one_by_one
        def program(role=role):
            bucket = Bucket("b", ResourceOptions(**role))
            yield bucket
            yield Bucket("c", ResourceOptions(depends_on=[bucket], deleted_with=bucket), acl=bucket.arn)

        serial.run("preview", program, fails=None)
        serial.run("up", program, fails=None)
    serial.run("destroy", fails=None)


# Failures, hooks and limits --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "fault",
    [(Op.CREATE, "net"), (Op.CREATE, "dependent"), (Op.DELETE, "plain"), (Op.UPDATE, "updated")],
    ids=lambda fault: fault[1],
)
def test_going_on_where_what_is_deleted_first_has_dependents(serial, fault):
    """A chain that is deleted first, and what is beside it, where one step fails and the run goes on."""
    wanted = {"cidr": "1", "acl": "1"}

    @one_by_one
    def program():
        yield Bucket("updated", acl=wanted["acl"])
        net = Thing(NET, "net", cidr=wanted["cidr"])
        yield net
        dependent = Thing(NET, "dependent", ResourceOptions(depends_on=[net]), peer=net.id)
        yield dependent
        yield Bucket("plain", acl=dependent.id)
        if wanted["acl"] == "1":
            yield Bucket("gone", acl=net.id)

    serial.run("up", program)
    wanted = {"cidr": "2", "acl": "2"}
    serial.fail(*fault)
    serial.run("up", program, continue_on_error=True, fails=None)
    serial.run("up", program, continue_on_error=True, fails=None)
    serial.run("destroy", fails=None)


def test_hooks_that_fail_while_the_program_refreshes(serial):
    """Every hook of one resource fails: in a refresh with the program, an up that refreshes, and destroys."""
    noted = Noted()

    @one_by_one
    def program():
        hooks = noted.everywhere()
        for name in ("a", "b"):
            yield Bucket(name, ResourceOptions(hooks=hooks), acl="1")

    serial.run("up", program)
    serial.drift(BUCKET, acl="x")
    noted.broken = {f"{when}_{op} b": "no" for when in ("before", "after") for op in ("create", "update", "delete")}
    serial.run("refresh", program, run_program=True, fails=None)
    serial.run("up", program, refresh=True, run_program=True, fails=None)
    serial.run("up", program, fails=None)
    serial.vanish(BUCKET, 0)
    serial.run("refresh", program, run_program=True, fails=None)
    serial.run("destroy", program, run_program=True, continue_on_error=True, fails=None)


def test_retries_of_what_is_deleted_first(serial):
    """An error hook tries a create again, and a hook before a deletion fails, while a net is replaced with its dependent."""
    noted = Noted()
    wanted = {"cidr": "1"}

    @one_by_one
    def program():
        again = noted.error_hook("again", lambda args: len(args.errors) < 2)
        hooks = ResourceHookBinding(on_error=[again], before_delete=[noted.hook("before")], after_create=[noted.hook("after")])
        net = Thing(NET, "net", ResourceOptions(hooks=hooks), **wanted)
        yield net
        yield Thing(NET, "dependent", ResourceOptions(hooks=hooks, deleted_with=net), peer=net.id)

    serial.run("up", program)
    wanted["cidr"] = "2"
    serial.breaks(lambda on: on.create(name="net").error("try later").times(2))
    serial.run("up", program, fails=None)
    serial.run("up", program, fails=None)
    noted.broken = {"before dependent": "no"}
    serial.run("destroy", program, run_program=True, continue_on_error=True, fails=None)


def test_limited_runs_on_what_is_gone(serial):
    """A parent of others vanishes: refreshes and ups with targets see it, or do not."""

    @one_by_one
    def program():
        component = Component("c")
        yield component
        first = Bucket("a", ResourceOptions(parent=component))
        yield first
        yield Bucket("b", ResourceOptions(parent=first, deleted_with=first), acl=first.arn)
        yield Bucket("d", ResourceOptions(depends_on=[component]))

    serial.run("up", program)
    serial.vanish(BUCKET, 0)
    serial.run("refresh", target=["a"], fails=None)
    serial.run("refresh", target=["c"], target_dependents=True, fails=None)
    serial.run("up", program, target=["d"], refresh=True, fails=None)
    serial.run("up", program, refresh=True, fails=None)
    serial.run("destroy", exclude=["d"], fails=None)
    serial.run("destroy", target=["**b"], fails=None)


def test_limited_ups_that_refresh(serial):
    """Targets with dependents and exclusions, refreshed first or as the program registers them, across providers."""
    wanted = {"acl": "1"}

    @one_by_one
    def program():
        provider = Cloud("p", tag=wanted["acl"])
        yield provider
        first = Bucket("a", ResourceOptions(provider=provider), **wanted)
        yield first
        second = Bucket("b", ResourceOptions(provider=provider, depends_on=[first]), **wanted)
        yield second
        yield Bucket("c", acl=second.arn)
        if wanted["acl"] != "1":
            yield Bucket("new", ResourceOptions(provider=provider), acl=second.arn)

    serial.run("up", program)
    serial.drift(BUCKET, acl="z")
    wanted["acl"] = "2"
    serial.run("up", program, refresh=True, target=["a"], target_dependents=True, fails=None)
    wanted["acl"] = "3"
    serial.drift(BUCKET, acl="y")
    serial.run("up", program, refresh=True, exclude=["a"], exclude_dependents=True, fails=None)
    serial.run("up", program, refresh=True, run_program=True, exclude=["b"], fails=None)
    serial.run("up", program, refresh=True, run_program=True, target=["c"], target_dependents=True, fails=None)
    serial.run("destroy", program, run_program=True, target=["p"], target_dependents=True, fails=None)


def test_old_instances_that_stay(serial):
    """A replacement whose old object cannot be deleted, in runs with targets, refreshes and without protection."""
    wanted, names = {"name": "1"}, ["first", "second", "third"]

    @one_by_one
    def program():
        first = Bucket("first", **wanted)
        yield first
        second = Bucket("second", ResourceOptions(deleted_with=first, protect=True), name=first.arn)
        yield second
        if "third" in names:
            yield Bucket("third", ResourceOptions(depends_on=[second], aliases=[Alias(name="3")]))

    serial.run("up", program)
    wanted["name"] = "2"
    serial.fail(Op.DELETE, "first")
    serial.run("up", program, ignore_protect=True, fails=None)
    names.remove("third")
    serial.run("preview", program, fails=None)
    serial.run("up", program, target=["second"], ignore_protect=True, fails=None)
    serial.run("refresh", target=["first"], fails=None)
    serial.run("up", program, fails=None)
    serial.run("destroy", target=["first"], target_dependents=True, fails=None)
    serial.run("destroy", ignore_protect=True, fails=None)


# Values ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ignored", ["tags.*", "tags.inner.*", "list[*].k", "list[0]", "tags.inner"])
def test_ignoring_inside_of_nested_secrets(serial, ignored):
    """A path through secrets inside of secrets, with wildcards, whose values change and come into the open."""

    def hidden(value):
        inner = {"inner": Output.secret({"k": value}), "tier": value}
        return {"tags": Output.secret(inner), "list": [Output.secret({"k": value, "v": value})]}

    def program(properties):
        return lambda: Thing(FREE, "b", ResourceOptions(ignore_changes=[ignored]), **properties()) and None

    serial.run("up", program(lambda: hidden("1")))
    serial.run("up", program(lambda: hidden("2")))
    serial.run("up", program(lambda: {"tags": {"inner": {"k": "3"}}, "list": [{"k": "3", "v": "3"}]}))


def test_outputs_of_previews_and_of_a_program_that_stops(serial):
    """Outputs that are unknown, secret or nested, through a replacement, and where the program raises after exporting."""
    wanted = {"name": "1"}

    @one_by_one
    def program():
        bucket = Bucket("a", **wanted)
        yield bucket
        pulumi.export("secret", Output.secret(bucket.arn))
        pulumi.export("nested", {"x": [bucket.arn, None], "y": wanted["name"]})
        if wanted["name"] == "3":
            raise ValueError("stop")

    for name in ("1", "2", "3"):
        wanted["name"] = name
        if name != "3":
            serial.run("preview", program)
        serial.run("up", program, fails=name == "3")
        assert serial.results[0].outputs == serial.results[1].outputs

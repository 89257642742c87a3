"""The embedded engine against the real CLI: refreshes and destroys that run the program, found by chance and made small."""

from __future__ import annotations

from contextlib import nullcontext

import pytest
from both_engines import UnanswerableError
from engine_toolbox import BUCKET, NET, Bucket, Cloud, Component, Thing, one_by_one
from pulumi import Alias, ResourceOptions

pytestmark = pytest.mark.pulumi_cli

BUCKETS = "urn:pulumi:dev::project::cloud:index:Bucket::"


@pytest.mark.parametrize("renamed", [False, True])
def test_dependents_of_what_a_program_s_refresh_has_read(make_both, renamed):
    """Where a refresh runs the program, what depends on a replaced resource goes before it, unless that was renamed as well."""
    both = make_both(serial=True)
    wanted = {"cidr": "1", "name": "net"}

    @one_by_one
    def program():
        old = [Alias(name="net")] if wanted["name"] != "net" else []
        net = Thing(NET, wanted["name"], ResourceOptions(aliases=old), cidr=wanted["cidr"])
        yield net
        yield Cloud("cloud", tag=net.id)
        yield Thing(NET, "inner", cidr=net.id)

    both.run("up", program)
    wanted |= {"cidr": "2"} | ({"name": "network"} if renamed else {})
    both.run("preview", program, refresh=True, run_program=True)
    asked = both.run("up", program, refresh=True, run_program=True)
    assert ("Read" in asked["inner"]) is renamed
    both.run("up", program)


def test_a_destroy_of_nothing_that_runs_the_program(make_both):
    """What is registered over an empty state, a component, a provider or the stack, is only deleted by the next destroy."""
    both = make_both(serial=True)

    @one_by_one
    def program():
        component = Component("component")
        yield component
        provider = Cloud("provider")
        yield provider
        yield Bucket("bucket", ResourceOptions(parent=component, provider=provider))

    both.run("destroy", program, run_program=True)
    assert len(both.stack.state.every) == 3
    both.run("destroy", program, run_program=True)
    assert both.stack.state.every == ()


def test_what_failed_spares_what_it_needed_before(make_both):
    """After a refresh by the program, a failed update also spares what the program no longer gives the resource as a need."""
    both = make_both(serial=True)

    def version(cidr, *, more):
        @one_by_one
        def program():
            net = Thing(NET, "net", ResourceOptions(delete_before_replace=True), cidr=cidr)
            yield net
            needed = net
            if more:
                needed = Thing(NET, "between", cidr=net.id)
                yield needed
            yield Bucket("bucket", acl=needed.id)

        return program

    both.run("up", version("1", more=True))
    both.breaks(lambda on: on.update(BUCKET).partial(reasons=["slow"]))
    options = {"run_program": True, "refresh": True, "continue_on_error": True}
    both.run("up", version("2", more=False), fails=True, **options)
    assert "between" in both.results[0].state.names()
    both.mend()
    both.run("up", version("2", more=False))


@pytest.mark.parametrize("option", [None, "target", "exclude"])
@pytest.mark.parametrize("kind", ["component", "provider", "read", "read again"])
def test_what_a_destroy_fails_to_register(make_both, kind, option):
    """A destroy that runs the program, and goes on after errors, lists what is new, and fails to be registered, as deleted, and
    spares what it needs; where the real engine crashes, because that has no id, ours goes on.
    """
    both = make_both(serial=True)
    both.create(BUCKET, "kept")
    limits = {"target": {"target": [f"{BUCKETS}first"], "target_dependents": True}, "exclude": {"exclude": [f"{BUCKETS}free"]}}
    complete = [kind == "read again"]

    @one_by_one
    def program():
        first = Bucket("first")
        yield first
        second = Bucket("second", token=first.id)
        yield second
        yield Bucket("free")
        if complete[-1]:
            failing = ResourceOptions(depends_on=[second], hooks=both.hooks("last", "before_create!"))
            if kind in ("component", "provider"):
                last = {"component": Component, "provider": Cloud}[kind]("last", failing)
            else:
                last = Bucket("last", ResourceOptions(depends_on=[second], id="kept"))
            yield last
            yield Component("dependent", ResourceOptions(depends_on=[last]))

    both.run("up", program)
    complete.append(True)
    both.breaks(lambda on: on.read(BUCKET).error("no").always().optional())
    crashes = kind == "provider" and option != "target"
    with pytest.raises(UnanswerableError, match="must have an ID") if crashes else nullcontext():
        both.run("destroy", program, run_program=True, continue_on_error=True, fails=None, **limits.get(option, {}))
    # A new component is no target, and fails nothing.
    spared = set() if (kind, option) == ("component", "target") else {"first", "second"}
    assert both.stack.state.names() & {"first", "second"} == spared


@pytest.mark.parametrize("refresh", [False, True])
def test_what_the_program_needs_no_more_is_not_spared(make_both, refresh):
    """A protected resource without a version now has the newest default provider of its package; the one that it had goes."""
    both = make_both(serial=True)

    @one_by_one
    def program():
        yield Bucket("plain", ResourceOptions(protect=True))
        yield Bucket("versioned", ResourceOptions(protect=True, version="1.2.3"))

    both.run("up", program)
    both.run("destroy", program, run_program=True, refresh=refresh, continue_on_error=True, fails=True)
    assert [step for step in both.results[0].steps if step[0] == "delete"] == [
        ("delete", "urn:pulumi:dev::project::pulumi:providers:cloud::default")
    ]


def test_a_provider_that_a_refresh_has_seen_stands_before_what_is_left(make_both):
    """A refresh by the program that ends at a protected provider leaves that without a dependency on what stands behind it."""
    both = make_both(serial=True)
    names = ["first"]

    @one_by_one
    def program():
        first = Bucket(names[-1])
        yield first
        yield Cloud("provider", ResourceOptions(protect=True), region=first.id)

    both.run("up", program)
    names.append("second")
    both.breaks(lambda on: on.create(BUCKET, name="second").partial(reasons=["slow"]))
    both.run("up", program, continue_on_error=True, fails=True)
    both.mend()
    both.run("refresh", program, run_program=True, fails=True)
    assert [urn.rpartition("::")[2] for urn in both.results[0].state][-2:] == ["provider", "first"]


def test_the_old_instance_of_what_a_refresh_has_read_spares_nothing(make_both):
    """A replaced resource that cannot be deleted keeps nothing that it needed, once the program's refresh has read it."""
    both = make_both(serial=True)
    version = [1]

    @one_by_one
    def program():
        first = Bucket("first", ResourceOptions(replace_on_changes=["*"]), source=str(version[-1] // 3))
        yield first
        options = ResourceOptions(depends_on=[first], version="1.2.3" if version[-1] > 1 else None)
        yield Bucket("second", options, name="x" if version[-1] == 3 else first.arn)

    both.run("up", program)
    version.append(2)
    both.run("up", program)
    version.append(3)
    both.breaks(lambda on: on.delete(BUCKET, name="second").error("no").always().optional())
    both.run("up", program, run_program=True, refresh=True, continue_on_error=True, fails=True)


def test_a_half_made_replacement_spares_what_its_old_instance_needed(make_both):
    """Once the program's refresh has read it; what the program no longer has stays, because the old instance needs it."""
    both = make_both(serial=True)
    version = [1]

    @one_by_one
    def program():
        if version[-1] == 1:
            first = Bucket("first")
            yield first
        yield Bucket("second", ResourceOptions(replace_on_changes=["acl"]), acl=first.arn if version[-1] == 1 else "x")

    both.run("up", program)
    version.append(2)
    both.breaks(lambda on: on.create(BUCKET, name="second").partial(reasons=["slow"]))
    both.run("up", program, run_program=True, refresh=True, continue_on_error=True, fails=True)
    assert "first" in both.stack.state.names()


@pytest.mark.parametrize(("protect", "preview"), [(True, True), (True, False), (False, True)])
def test_a_leftover_spares_nothing_that_a_destroys_program_has(make_both, protect, preview):
    """What the program no longer has, and cannot be deleted, keeps nothing from being deleted, or refused, that it has."""
    both = make_both(serial=True)
    with_last = [True]

    @one_by_one
    def program():
        first = Bucket("first", ResourceOptions(protect=protect))
        yield first
        if with_last[-1]:
            yield Bucket("last", ResourceOptions(protect=True), token=first.id)

    both.run("up", program)
    with_last.append(False)
    both.run("destroy", program, run_program=True, preview=preview, continue_on_error=True, fails=True)

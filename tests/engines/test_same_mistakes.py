"""The embedded engine against the real CLI: what programs write wrongly, and what looks wrong and is taken."""

from __future__ import annotations

from typing import Any

import pulumi
import pytest
from engine_toolbox import NET, Bucket, Thing
from pulumi import Alias, ResourceOptions

from mockprovider.calls import Failure, Op, Reply

pytestmark = pytest.mark.pulumi_cli


class Named(pulumi.ComponentResource):
    """A component of any type."""

    def __init__(self, type_: str, name: str, opts: ResourceOptions | None = None) -> None:
        super().__init__(type_, name, {}, opts)


@pytest.mark.parametrize(
    "options",
    [
        {"custom_timeouts": pulumi.CustomTimeouts(create="5 parsecs")},
        {"aliases": ["nonsense"]},
        {"aliases": [Alias(parent="nonsense")]},
        {"version": "garbage"},
        {"replace_on_changes": ["["]},
    ],
    ids=lambda options: next(iter(options)),
)
def test_misspelt_options(both, options: dict[str, Any]):
    """What is no duration, URN, version or path fails the run, and nothing is created or updated."""
    # The embedded engine says where a path is wrong.
    both.compares_words = "replace_on_changes" not in options
    both.run("up", lambda: Bucket("b", acl="x"))
    both.run("up", lambda: Bucket("b", ResourceOptions(**options), acl="y"), fails=True)


@pytest.mark.parametrize("type_", ["Foo", "cloud:Foo"])
def test_types_that_are_none(both, type_: str):
    """A managed resource needs a whole type token."""
    both.run("up", lambda: Thing(type_, "b"), fails=True)


@pytest.mark.parametrize("op", [Op.GET_PLUGIN_INFO, Op.CREATE])
def test_a_method_that_a_provider_lacks(both, op: Op):
    """A provider without a method that is needed fails the run; without GetPluginInfo, nothing else is asked of it."""
    # The embedded engine names the method.
    both.compares_words = False
    lacking = Failure("Method not implemented!", status="unimplemented")
    for breaking in both.breaking:
        breaking.replace(op, "b" if op is Op.CREATE else "", lambda *_: Reply(failures=(lacking,)))
    both.run("up", lambda: Bucket("b"), fails=True)
    both.run("up", lambda: Bucket("b"))


def test_types_of_components(both):
    """A component may have any type, even one that a URN cannot be read back with (TestComponentToCustomUpdate, and others)."""
    type_ = "prog::myType"

    def program():
        component = Named(type_, "component", ResourceOptions(aliases=[Alias(type_="prog::myType")]))
        Bucket("child", ResourceOptions(parent=component))
        Named("Foo", "other", ResourceOptions(parent=component))

    both.run("up", program)
    both.run("up", program)
    type_ = "prog:index:myType"
    both.run("up", program)
    both.run("destroy")


def test_a_provider_that_fails_when_asked_what_goes_along(both):
    """A limited destroy fails where the provider cannot say what has to be replaced, and nothing is deleted."""

    def program():
        first = Thing(NET, "first", cidr="a")
        Thing(NET, "second", cidr="x", peer=first.id)

    both.run("up", program)
    both.fail(Op.DIFF, "second")
    both.run("destroy", target=["first"], target_dependents=True, fails=True)
    both.run("destroy", target=["first"], target_dependents=True)

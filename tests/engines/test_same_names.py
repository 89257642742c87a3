"""The embedded engine against the real CLI: stories of names, parents and providers that change while other things happen."""

from __future__ import annotations

from typing import Any

import component_toolbox
import pulumi
import pytest
from component_toolbox import SITE
from engine_toolbox import BUCKET, NET, Bucket, Cloud, Component, Remote, Thing, one_by_one
from pulumi import Alias, ResourceOptions, ResourceTransformResult

from mockprovider.calls import Op

pytestmark = pytest.mark.pulumi_cli


def test_components_that_are_renamed_and_left(serial):
    """Children leave a component, come back under its new name, lose their parent, and fail on the way."""

    def version(number):
        @one_by_one
        def program():
            if number == 3:
                yield Bucket("b")
                return
            component = Component("d", ResourceOptions(aliases=[Alias(name="c")])) if number == 2 else Component("c")
            yield component
            aliases = [None, [Alias(parent=component)], [Alias(parent=pulumi.ROOT_STACK_RESOURCE), Alias(name="x")]][number]
            first = Bucket("a", ResourceOptions(parent=None if number == 1 else component, aliases=aliases))
            yield first
            below = [{"parent": first}, {"parent": first, "delete_before_replace": True}, {"aliases": [Alias(parent=first)]}]
            yield Bucket("b", ResourceOptions(**below[number]), acl=first.arn, name=str(number))

        return program

    for number in range(4):
        serial.run("preview", version(number), fails=None)
        if number == 2:
            serial.fail(Op.CREATE, "b")
        serial.run("up", version(number), fails=None)
        serial.run("refresh", fails=None)
    serial.run("destroy", fails=None)


def test_a_provider_inside_of_a_renamed_component(serial):
    """Component, provider and what it serves are renamed at once; a destroy runs the program."""
    new = ""

    @one_by_one
    def program():
        component = Component(f"c{new}", ResourceOptions(aliases=[Alias(name="c")]))
        yield component
        provider = Cloud(f"p{new}", ResourceOptions(parent=component, aliases=[Alias(name="p")]), region="r")
        yield provider
        bucket = Bucket(f"b{new}", ResourceOptions(parent=component, provider=provider, aliases=[Alias(name="b")]))
        yield bucket
        yield Bucket("child", ResourceOptions(parent=bucket))

    serial.run("up", program)
    new = "-2"
    serial.run("preview", program)
    serial.run("up", program)
    serial.run("destroy", program, run_program=True)


def test_a_parent_that_is_renamed_while_an_update_fails(serial):
    """With ``continue_on_error``: the child that failed keeps all that it was under its new name."""
    new = False

    @one_by_one
    def program():
        component = Component("new" if new else "old", ResourceOptions(aliases=[Alias(name="old")]))
        yield component
        acl = "2" if new else "1"
        first = Bucket("first", ResourceOptions(parent=component), acl=acl)
        yield first
        second = Bucket("second", ResourceOptions(parent=first), acl=first.arn)
        yield second
        yield Bucket("third", ResourceOptions(depends_on=[component], deleted_with=second), acl=acl)

    serial.run("up", program)
    new = True
    serial.fail(Op.UPDATE, "first")
    serial.run("up", program, continue_on_error=True, fails=True)
    serial.run("up", program)
    serial.fail(Op.DELETE, "third")
    serial.run("destroy", continue_on_error=True, fails=None)


def test_who_is_deleted_with_whom_turns_round(serial):
    """Two resources swap their roles, which no cycle in the state may show."""
    names = ["a", "b"]

    @one_by_one
    def program():
        owner = Bucket(names[0])
        yield owner
        yield Bucket(names[1], ResourceOptions(deleted_with=owner))

    serial.run("up", program)
    names.reverse()
    serial.run("up", program, fails=None)
    serial.run("destroy", target=["b"], target_dependents=True, fails=None)


def test_one_name_for_several_types(serial):
    """Names that types share, an alias of another type, a name twice, and a target of several resources."""
    serial.run("up", lambda: [Bucket("x"), Thing(NET, "x", cidr="1")])
    serial.run("up", lambda: Thing(NET, "y", ResourceOptions(aliases=[Alias(name="x", type_=BUCKET)]), cidr="1"), fails=None)
    serial.run("up", one_by_one(lambda: (Bucket("x") for _ in range(2))), fails=True)
    serial.run("destroy", target=["x"], fails=None)


def test_transforms_that_change_providers(serial):
    """A transform of a component gives its children another provider in the next run."""
    chosen = "p"

    @one_by_one
    def program():
        providers = {name: Cloud(name, region=name) for name in ("p", "q")}
        yield from providers.values()

        def choose(args):
            options = ResourceOptions.merge(args.opts, ResourceOptions(provider=providers[chosen]))
            return ResourceTransformResult(args.props, options)

        component = Component("c", ResourceOptions(transforms=[choose]))
        yield component
        yield Bucket("a", ResourceOptions(parent=component, transforms=[choose]))
        yield Bucket("b", ResourceOptions(parent=component), name="x")

    serial.run("up", program)
    chosen = "q"
    serial.run("preview", program)
    serial.run("up", program)
    serial.run("destroy", target=["p"], target_dependents=True, fails=None)


def test_versions_and_addresses_of_plugins(serial):
    """Default and explicit providers, and those of components, whose version and ``plugin_download_url`` change and go."""
    plugin: dict[str, Any] = {"version": "1.0.0", "plugin_download_url": "https://example.com/a/"}

    @one_by_one
    def program():
        yield Bucket("a", ResourceOptions(**plugin))
        provider = Cloud("p", ResourceOptions(**plugin))
        yield provider
        yield Bucket("b", ResourceOptions(provider=provider))
        component = Component("c", ResourceOptions(providers=[provider]))
        yield component
        yield Bucket("d", ResourceOptions(parent=component, **plugin))

    serial.run("up", program)
    plugin["version"] = "2.0.0"
    serial.run("up", program)
    plugin["plugin_download_url"] = "https://example.com/b"
    serial.run("up", program)
    serial.run("refresh")
    serial.run("destroy")


def test_a_remote_component_that_is_retained_and_protected(make_both):
    """Its options change between runs, and a destroy meets its protected children."""
    both = make_both(serial=True, package=component_toolbox.package)
    options: dict[str, Any] = {"retain_on_delete": True}

    def program():
        Remote(SITE, "site", ResourceOptions(**options), name="n", domain="d")

    both.run("up", program)
    options["protect"] = True
    both.run("up", program)
    both.run("destroy", fails=True)
    options.clear()
    both.run("up", program)
    both.run("destroy")

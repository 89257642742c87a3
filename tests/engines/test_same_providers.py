"""The embedded engine against the real CLI: what providers are asked, and what is asked of which."""

from __future__ import annotations

from typing import Any

import pytest
from engine_toolbox import BUCKET, Bucket, Cloud, Component, Existing
from pulumi import Output, ResourceOptions

from mockprovider.calls import Op

pytestmark = pytest.mark.pulumi_cli


def test_a_certain_replacement_asks_no_provider(both):
    """What is replaced in any case is not asked about a change of providers."""
    regions = ["eu"]

    def program():
        provider = Cloud(f"p-{regions[-1]}", region=regions[-1])
        own = ResourceOptions(provider=provider)
        first = Bucket("first", ResourceOptions(provider=provider, replacement_trigger=regions[-1]))
        Bucket("second", ResourceOptions.merge(own, ResourceOptions(replace_with=[first])))
        Bucket("third", own)
        Bucket("fourth", own)

    both.run("up", program)
    regions.append("us")
    both.run("up", program, replace=["third"])
    both.run("destroy")


def test_imports_and_their_secrets(both):
    """A secret input does not hide what the imported object had, and a refused replacement is told as the real engine does."""
    for id_ in ("b-1", "b-2"):
        both.create(BUCKET, id_, acl="public")
    wanted: dict[str, Any] = {"import_": "b-1"}

    def program():
        Bucket("b", ResourceOptions(**wanted), acl=Output.secret("public"), name=name)

    name = None
    both.run("preview", program)
    both.run("up", program)
    wanted["import_"] = "b-2"
    name = "other"
    both.run("preview", program)
    both.run("up", program, fails=True)
    name = None
    both.run("up", program)


def test_children_of_what_has_gone(both):
    """Where a refresh finds no parent any more, its children have none."""

    def program():
        parent = Bucket("parent", ResourceOptions(parent=Component("component")))
        Bucket("child", ResourceOptions(parent=parent))

    both.run("up", program)
    for double in both.doubles:
        gone = next(each for each in double.cloud.objects(BUCKET) if each.id == both_id(double, "parent"))
        double.cloud.vanish(BUCKET, gone.id)
    both.run("refresh")
    both.run("up", program)


def both_id(double: Any, name: str) -> str:
    """The id that the object of a resource was created with."""
    return next(entry.reply.id for entry in double.journal.entries(op="create") if entry.call.name == name)


def test_unknown_configuration_is_warned_of(both):
    """Where a preview cannot ask a provider, because its configuration is unknown, the user is told."""
    names = ["a"]

    def program():
        first = Bucket("first", name=names[-1])
        own = ResourceOptions(provider=Cloud("p", tag=first.arn))
        Bucket("second", own, acl="x")
        Bucket("third", ResourceOptions.merge(own, ResourceOptions(depends_on=[Existing("existing", "b-1")])))

    both.create(BUCKET, "b-1")
    both.run("up", program)
    names.append("b")
    both.run("preview", program)
    assert [diagnostic.severity for diagnostic in both.results[0].diagnostics] == ["warning", "warning"]
    both.run("up", program)


def test_states_from_before_providers(make_both):
    """A state without provider references, as the CLI wrote in 2018, gets a default provider, whatever follows."""
    names = ["a"]

    def program():
        for name in names:
            Bucket(name, acl="x")

    first = make_both()
    first.run("up", program)
    exported = first.stack.export()
    kept = [each for each in exported["deployment"]["resources"] if not each["type"].startswith("pulumi:providers:")]
    for resource in kept:
        resource.pop("provider", None)
    exported["deployment"]["resources"] = kept
    second = make_both(cloud__region="eu")
    second.adopt(exported)
    names.append("b")
    second.fail(Op.CREATE, "b")
    second.run("up", program, fails=True)
    second.run("up", program)
    third = make_both()
    third.adopt(exported)
    third.run("refresh")
    third.run("destroy")


def test_providers_without_outputs(make_both):
    """A provider whose state has no outputs is asked with its inputs in their place."""

    def program():
        Bucket("b", ResourceOptions(provider=Cloud("p", region="eu", tag="1")))

    first = make_both()
    first.run("up", program)
    exported = first.stack.export()
    for resource in exported["deployment"]["resources"]:
        if resource["type"].startswith("pulumi:providers:"):
            resource.pop("outputs", None)
    second = make_both()
    second.adopt(exported)
    second.run("up", program)

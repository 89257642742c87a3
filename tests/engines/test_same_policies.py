"""The embedded engine against the real CLI: policy packs, by violations, remediations, and what they stop."""

from __future__ import annotations

import pulumi
import pytest
from engine_toolbox import Bucket, Component
from msgspec.structs import replace
from policy_toolbox import pack
from pulumi import ResourceOptions

from mockprovider.pulumi.policies import PolicyPack, ResourcePolicy, StackPolicy
from mockprovider.values import UNKNOWN, Secret, map_value

pytestmark = pytest.mark.pulumi_cli


def buckets(acl="private", *more):
    """A program with a bucket in a component, and others."""

    def program():
        component = Component("c")
        Bucket("a", ResourceOptions(parent=component), acl=acl, token=pulumi.Output.secret("hush"))
        for name in more:
            Bucket(name, tags={"owner": "me"})

    return program


def masked(remediations):
    """What changed, with the content of secrets unknown, as the CLI tells it."""

    def mask(value):
        return Secret(UNKNOWN) if isinstance(value, Secret) else value

    sides = ("before", "after")
    return [replace(each, **{side: map_value(getattr(each, side), mask) for side in sides}) for each in remediations]


def judged(both, operation, program, *packs, fails=False):
    """Run one operation with these packs, and compare what they found. Returns what the embedded engine's found."""
    both.stack.policies = both.cli.policies = packs
    both.run(operation, program, fails=fails)
    ours, theirs = both.results
    assert sorted(ours.policy_violations, key=repr) == sorted(theirs.policy_violations, key=repr)
    if len(packs) == 1:
        # The CLI asks packs in the order in which they happen to start.
        assert masked(ours.policy_remediations) == theirs.policy_remediations
    assert sorted(ours.policy_packs) == sorted(theirs.policy_packs)
    return [(found.policy, found.level) for found in ours.policy_violations]


def test_violations_stop_an_up_and_a_preview_shows_all(both):
    """Advisory ones are told; a mandatory one fails a preview at its end, and an up at the resource."""
    assert judged(both, "preview", buckets(), pack()) == [("tagged", "advisory"), ("few", "advisory")]
    assert judged(both, "up", buckets(), pack()) == [("tagged", "advisory")]
    public = buckets("public", "b", "d")
    judged(both, "preview", public, pack(), fails=True)
    assert ("private", "mandatory") in judged(both, "up", public, pack(), fails=True)
    judged(both, "up", buckets("private", "b", "d"), pack(("mandatory", "advisory", "mandatory")), fails=True)
    judged(both, "up", buckets("public", "b", "d"), pack(("disabled", "disabled", "disabled")))
    both.run("refresh")
    both.run("destroy")


def test_remediations_change_inputs(both):
    """What a policy changes is what the provider gets and the state keeps; a replacement is made without it."""
    levels = ("advisory", "remediate", "advisory")
    judged(both, "preview", buckets(), pack(levels))
    judged(both, "up", buckets(), pack(levels))
    assert both.stack.state["a"].inputs["tags"] == {"owner": "nobody"}
    judged(both, "up", buckets(), pack(levels))
    judged(both, "up", lambda: Bucket("a", name="other"), pack(levels))
    judged(both, "up", lambda: Bucket("a", name="third"), pack(levels))


def test_several_packs(both):
    """Each pack sees what another has remedied, in whatever order, and a policy that raises fails the operation."""

    def numbering(number):
        def remediate(resource):
            if not resource.type.endswith(":Bucket"):
                return None
            return {**resource.props, "tags": {**(resource.props.get("tags") or {}), number: "seen"}}

        policy = ResourcePolicy("number", None, remediate, level="remediate")
        return PolicyPack(f"pack-{number}", [policy, StackPolicy("all", seen)], version="1.0.0")

    def seen(resources, report):
        report(" ".join(sorted(resource.name for resource in resources)))

    judged(both, "up", buckets("x"), numbering("1"), numbering("2"))
    assert both.stack.state["a"].inputs["tags"] == {"1": "seen", "2": "seen"}

    def broken(resource, report):
        raise ValueError(f"no {resource.name}")

    judged(both, "up", buckets("y"), PolicyPack("broken", [ResourcePolicy("broken", broken)]), fails=True)

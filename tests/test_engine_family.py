"""What children inherit from their parents."""

from __future__ import annotations

import pytest

from mockprovider.engine.registrations.family import Family
from mockprovider.engine.registrations.goal import Goal

PARENT = "urn:pulumi:dev::project::cloud:index:Bucket::parent"
OLD = "urn:pulumi:dev::project::pulumi:providers:cloud::default_1_2_3::1"
OTHER = "urn:pulumi:dev::project::pulumi:providers:cloud::other::2"
NETS = "urn:pulumi:dev::project::pulumi:providers:net::default::3"


@pytest.mark.parametrize(
    ("parent", "child", "expected"),
    [
        ({"provider": OLD}, {}, OLD),
        ({"provider": OLD}, {"version": "3.2.1"}, OLD),
        ({"provider": OLD}, {"provider": OTHER}, OTHER),
        ({"provider": NETS}, {}, ""),
        ({"provider": OLD}, {"custom": False}, ""),
        ({"provider": OLD}, {"custom": False, "remote": True, "providers": {"cloud": OTHER}}, OLD),
        ({"custom": False, "providers": {"cloud": OTHER}}, {}, OTHER),
        ({"custom": False, "providers": {"cloud": OTHER}}, {"providers": {"cloud": OLD}, "remote": True, "custom": False}, OLD),
        ({"provider": OLD}, {"type": "pulumi:providers:cloud"}, ""),
        (None, {"custom": False, "remote": True, "providers": {"cloud": OTHER}}, OTHER),
        (None, {}, ""),
    ],
)
def test_the_provider_of_a_child(parent, child, expected):
    """It is its own, else its parent's of the same package, else what it or its component has for the package."""
    family = Family()
    if parent is not None:
        family.note(PARENT, Goal(type="cloud:index:Bucket", name="parent", **parent), exists=True)
    goal = Goal(**{"type": "cloud:index:Thing", "name": "child", "parent": PARENT, **child})
    assert family.heir(goal).provider == expected


@pytest.mark.parametrize(("custom", "expected"), [(False, OTHER), (True, "")])
def test_the_provider_of_a_function(custom, expected):
    """A component has providers for the functions that are called below it, a custom resource has none."""
    family = Family()
    family.note(PARENT, Goal(type="my:index:C", name="parent", custom=custom, providers={"cloud": OTHER}), exists=True)
    assert family.inside(PARENT, "cloud") == expected
    assert family.inside("nobody", "cloud") == ""


@pytest.mark.parametrize(
    ("goal", "provider", "providers"),
    [
        ({"provider": OLD}, OLD, {}),
        ({"provider": OLD, "type": "pulumi:providers:cloud"}, "", {}),
        ({"provider": OLD, "custom": False, "remote": True}, OLD, {}),
        ({"provider": OLD, "custom": False, "providers": {"net": NETS}}, "", {"cloud": OTHER, "net": NETS}),
    ],
)
def test_what_transforms_have_decided(goal, provider, providers):
    """It stays, but for a provider that there cannot be; a component of the program has its parent's providers, too."""
    family = Family()
    family.note(PARENT, Goal(type="my:index:C", name="parent", custom=False, providers={"cloud": OTHER}), exists=True)
    settled = family.heir(Goal(**{"type": "cloud:index:Thing", "name": "child", "parent": PARENT, "transformed": True, **goal}))
    assert (settled.provider, settled.providers) == (provider, providers)

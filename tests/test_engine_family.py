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

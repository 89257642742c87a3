"""Tainted and protected resources, and the times in the states of the embedded engine."""

from __future__ import annotations

import pytest
from engine_toolbox import BUCKET, Bucket, Component, make

from mockprovider.clock import StillClock
from mockprovider.errors import DefinitionError


def test_taint_is_kept_until_the_replacement():
    """A mark in an imported state is exported again, and is gone with the object."""
    stack, double, _ = make()
    stack.up(lambda: Bucket("a"))
    stack.taint("a")
    exported = stack.export()
    other, _, _ = make()
    other.import_(exported, cloud=None)
    assert [bool(each.get("taint")) for each in other.export()["deployment"]["resources"]] == [False, False, True]
    assert stack.up(lambda: Bucket("a")).summary == {"replace": 1}
    assert not stack.state["a"].taint
    assert len(double.cloud.objects(BUCKET)) == 1


def test_a_tainted_resource_that_is_protected():
    """Protection speaks against its replacement; ``ignore_protect`` does not care."""
    stack, _, _ = make()
    stack.up(lambda: Bucket("a"))
    stack.protect("a")
    stack.taint("a")
    assert stack.destroy(expect_failure=True).summary == {}
    assert stack.destroy(ignore_protect=True).summary == {"delete": 1}


@pytest.mark.parametrize(
    ("names", "why"),
    [((), "No resource is named"), (("b",), "there is no resource 'b'"), (("twin",), "several resources")],
)
def test_marking_what_is_not_there(names, why):
    """A name of no resource, or of several, is refused with those that there are."""
    stack, _, _ = make()
    stack.up(lambda: [Bucket("a"), Component("twin"), Bucket("twin")])
    with pytest.raises(DefinitionError, match=why):
        stack.taint(*names)


def test_a_refresh_ignores_no_protection():
    """A refresh deletes nothing, so it does not take the option."""
    stack, _, _ = make()
    with pytest.raises(DefinitionError, match="ignore_protect"):
        stack.refresh(ignore_protect=True)


def test_times_count_operations():
    """Without a clock, equal runs have equal times: those of their operations."""
    exports = []
    for _ in range(2):
        stack, _, _ = make()
        stack.up(lambda: Bucket("a", acl="1"))
        stack.up(lambda: Bucket("a", acl="2"))
        exports.append(stack.export())
    assert exports[0] == exports[1]
    assert (stack.state["a"].created, stack.state["a"].modified) == ("2000-01-01T00:00:01Z", "2000-01-01T00:00:02Z")


def test_times_of_a_clock():
    """With a clock, times are read from that, and are kept by an update that changes nothing."""
    clock = StillClock(86_400.0)
    stack, _, _ = make(clock=clock)
    stack.up(lambda: Bucket("a"))
    clock.advance(60)
    stack.up(lambda: Bucket("a"))
    assert stack.state["a"].modified == "1970-01-02T00:00:00Z"

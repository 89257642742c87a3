"""What an operation has done so far, and the state that it leaves if it is cut off there."""

from __future__ import annotations

import threading
from types import SimpleNamespace

import pytest

from mockprovider.engine.state.ledger import Ledger
from mockprovider.engine.state.renaming import renamed
from mockprovider.engine.steps.dependents import Dependents
from mockprovider.pulumi.stacks.state import PendingOperation, ResourceState, State

URN = "urn:pulumi:dev::p::cloud:index:Bucket::"


def state(name, **fields):
    """A resource called ``name``."""
    return ResourceState(urn=URN + name, type="cloud:index:Bucket", custom=True, id=name, **fields)


def names(resources):
    """What they are called."""
    return [resource.name for resource in resources]


@pytest.mark.parametrize(("only_looks", "kept"), [(False, ["creating"]), (True, ["creating", "updating"])])
def test_what_an_earlier_operation_left_pending(only_looks, kept):
    """Objects that may have been created are remembered; the rest is known again, unless the operation changes nothing."""
    pending = (PendingOperation("creating", state("a")), PendingOperation("updating", state("b")))
    ledger = Ledger(State((), pending), only_looks=only_looks)
    assert [operation.kind for operation in ledger.snapshot().pending] == kept


def test_what_was_never_mended_stays():
    """A snapshot leaves a reference to nothing as it is; what a refresh found gone is taken out of what is left."""
    ledger = Ledger(State((state("gone"), state("b", dependencies=(URN + "gone", URN + "never")))))
    assert ledger.snapshot().resources[1].dependencies == (URN + "gone", URN + "never")
    ledger.found(ledger.base[0], None)
    [left] = ledger.snapshot().resources
    assert left.dependencies == ()


def test_views_go_with_their_owner():
    """A snapshot has no view of what is gone, whether the view is old or new."""
    ledger = Ledger(State((state("a"), state("view", view_of=URN + "a"), state("b"))))
    assert names(ledger.snapshot().resources) == ["a", "view", "b"]
    ledger.finish(ledger.base[0])
    assert names(ledger.snapshot().resources) == ["b"]
    ledger.grow(ledger.base[2], state("new", view_of=URN + "b"))
    assert names(ledger.snapshot().resources) == ["b", "new"]


def test_what_has_ended_is_not_waited_for(monkeypatch):
    """An operation is pending while it is under way, and as soon as nothing is, nothing is waited for."""
    ledger = Ledger(State(()))
    with ledger.under_way("creating", state("a")), ledger.under_way("", state("b")):
        assert [(operation.kind, operation.resource.name) for operation in ledger.pending] == [("creating", "a")]
    assert ledger.pending == ()
    monkeypatch.setattr(threading.Condition, "wait", lambda *_: pytest.fail("there is nothing to wait for"))
    ledger.settle(30)


def test_properties_without_dependencies_are_not_written_anew():
    """Where a dependency has a new name, the properties that depend on nothing are left out."""
    new = state("new", aliases=(URN + "old",))
    child = state("child", dependencies=(URN + "old",), property_dependencies={"x": (URN + "old",), "y": ()})
    other = state("other", property_dependencies={"y": ()})
    resources = renamed([new, child, other])
    assert [resource.property_dependencies for resource in resources] == [{}, {"x": (URN + "new",)}, {"y": ()}]


def test_what_is_still_to_be_replaced_with_another():
    """What says so, and was neither registered nor deleted yet."""
    ledger = Ledger(State((*(state(name, replace_with=(URN + "a",)) for name in "bcd"), state("e"))))
    identities = SimpleNamespace(registered={URN + "b": state("b")})
    assert names(Dependents(SimpleNamespace(ledger=ledger), identities, {URN + "c"}).replaced_with(URN + "a")) == ["d"]

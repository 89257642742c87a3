"""The garbage collector while the embedded engine works on many resources."""

from __future__ import annotations

import gc

import pytest
from engine_toolbox import Bucket, make

from mockprovider.calls import Op
from mockprovider.engine import heap
from mockprovider.errors import ProgramError


def frozen_during_destroys(monkeypatch: pytest.MonkeyPatch, *, many: int) -> set[bool]:
    """Whether objects are passed over at the events of a destroy, where so many resources are many."""
    monkeypatch.setattr(heap, "MANY", many)
    stack, double, _ = make()
    stack.up(lambda: [Bucket("a"), Bucket("b")])
    seen: set[bool] = set()
    stack.on_event = lambda _: seen.add(gc.get_freeze_count() > 0)
    assert stack.destroy().summary == {"delete": 2}
    assert double.cloud.objects() == []
    return seen


def test_what_is_there_is_passed_over_in_large_operations_alone(monkeypatch):
    """While many resources are worked on, the collector passes over what was there; afterwards, and for few, it does not."""
    assert True in frozen_during_destroys(monkeypatch, many=2)
    assert gc.get_freeze_count() == 0
    assert frozen_during_destroys(monkeypatch, many=1000) == {False}


def test_an_operation_that_fails_leaves_the_collector_as_it_was(monkeypatch):
    """Nothing stays passed over after an error."""
    monkeypatch.setattr(heap, "MANY", 0)
    stack, _, breaking = make()
    stack.up(lambda: Bucket("a"))
    breaking.fail(Op.DELETE, "a")
    with pytest.raises(ProgramError, match="no delete of a"):
        stack.destroy()
    assert gc.get_freeze_count() == 0


def test_what_a_process_has_frozen_itself_stays_frozen(monkeypatch):
    """Whoever has frozen objects finds them frozen after an operation."""
    gc.freeze()
    try:
        assert frozen_during_destroys(monkeypatch, many=0) == {True}
        assert gc.get_freeze_count() > 0
    finally:
        gc.unfreeze()

"""What runs of programs are spared: settings of the process that are changed while they run, and are back afterwards."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator

import pytest
from engine_toolbox import Bucket, make
from pulumi.runtime import resource

from mockprovider.engine.programs.sparing import RARER, sparing
from mockprovider.errors import ProgramError


def settings() -> tuple[tuple[int, ...], object]:
    """What a run changes."""
    return gc.get_threshold(), resource._get_stack_trace


@pytest.fixture
def before() -> Iterator[tuple[tuple[int, ...], object]]:
    """The settings before a test, which must be those after it."""
    started = settings()
    yield started
    assert settings() == started


def test_a_program_runs_with_rarer_collections_and_without_traces(before):
    """Inside of a program the collector runs less often and no stack is walked; afterwards all is as it was."""
    stack, _, _ = make()
    inside = []

    def program():
        inside.append((gc.get_threshold(), len(resource._get_stack_trace().frames)))
        Bucket("b")

    assert stack.up(program).summary == {"create": 1}
    (first, second, *others), _ = before
    assert inside == [((first * RARER, second * RARER, *others), 0)]


def test_a_program_that_fails_leaves_the_settings_as_they_were(before):
    """An error in the program, and one of the provider, put back what was changed."""
    stack, _, _ = make()

    def program():
        raise RuntimeError("no")

    with pytest.raises(ProgramError, match="no"):
        stack.up(program)
    assert settings() == before
    assert stack.up(lambda: Bucket("b", acl=7) and None, expect_failure=True).error


def test_overlapping_runs_change_the_settings_once(before):
    """The settings stay changed until the last of several runs has ended."""
    (first, second, *others), _ = before
    inside, leave = threading.Event(), threading.Event()

    def run() -> None:
        with sparing():
            inside.set()
            leave.wait()

    other = threading.Thread(target=run)
    other.start()
    inside.wait()
    with sparing():
        assert gc.get_threshold() == (first * RARER, second * RARER, *others)
    assert gc.get_threshold() == (first * RARER, second * RARER, *others)
    leave.set()
    other.join()


def test_settings_of_others_are_left_alone(before):
    """What a program itself sets meanwhile is kept."""
    threshold = gc.get_threshold()
    try:
        with sparing():
            gc.set_threshold(123, 4, 5)
        assert gc.get_threshold() == (123, 4, 5)
    finally:
        gc.set_threshold(*threshold)


def test_an_sdk_without_that_function_is_run_all_the_same(before, monkeypatch):
    """The function is the SDK's own: a version that has none is spared nothing, and fails in nothing."""
    with monkeypatch.context() as patched:
        patched.delattr(resource, "_get_stack_trace")
        with sparing():
            assert not hasattr(resource, "_get_stack_trace")

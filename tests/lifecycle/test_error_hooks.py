"""Error hooks (Pulumi's ``error_hooks_test.go``), served over gRPC by programs without an SDK."""

from __future__ import annotations

import pytest
from hook_toolbox import CallbackServer, bound
from lifecycle_toolbox import A, Lifecycle, Monitor, echoing, errors, failing, names, urn

OPS = ["create", "update", "delete"]
ATTEMPTS = 100


class Trying:
    """A stack with one resource whose ``op`` fails ``times``, for as often as it is tried.

    ``hooks`` are functions of what an error hook is told, by their names. ``told`` are all calls of them.
    """

    def __init__(self, op, times, hooks, *, partial=False, resources=("resA",)):
        self.op, self.times, self.hooks, self.resources = op, times, hooks, resources
        self.partial, self.attempts, self.told = partial, [], []
        self.there, self.value, self.fields = True, "a", {}
        self.stack = Lifecycle(echoing(**{op: self._answer}))
        if op != "create":
            self.stack.up(self)
        self.value, self.there = "b", op != "delete"

    def _answer(self, call):
        if call.preview or (self.value == "a" and self.op != "create"):
            return None
        self.attempts.append(call.name)
        if self.attempts.count(call.name) > self.times:
            return None
        return failing(f"{self.op} failed", id="half", value={}) if self.partial else failing(f"{self.op} failed")

    def __call__(self, monitor: Monitor) -> None:
        """Register the hooks and the resources, and wait for the deletions."""
        with CallbackServer(monitor) as server:
            hooks = [server.error_hook(name, self._noting(name, function)) for name, function in self.hooks.items()]
            for name in self.resources if self.there else ():
                monitor.register(A, name, inputs={"v": self.value}, hooks=bound(on_error=hooks), **self.fields)
            monitor.raw.SignalAndWaitForShutdown(None)

    def _noting(self, name, function):
        def note(told):
            self.told.append((name, told))
            return function(told)

        return note

    def up(self, *, fails=False, **options):
        """Carry out the operation that fails."""
        return self.stack.up(self, expect_failure=fails, **options)


def always(_):
    """Try again."""
    return True


def never(_):
    """Give up."""
    return False


@pytest.mark.parametrize("op", OPS)
@pytest.mark.parametrize("partial", [False, True])
def test_all_hooks_are_asked(op, partial):
    """All error hooks are asked, told which operation failed; one that wants another attempt is enough."""
    trying = Trying(op, 1, {"one": always, "two": never}, partial=partial and op != "delete")
    trying.up()
    assert [(name, told.failed_operation) for name, told in trying.told] == [("one", op), ("two", op)]
    assert {(told.urn, told.name, told.type) for _, told in trying.told} == {(urn(A, "resA"), "resA", A)}
    assert all(told.errors for _, told in trying.told)
    assert len(trying.attempts) == 2


@pytest.mark.parametrize("op", OPS)
def test_without_hooks(op):
    """Without error hooks nothing is tried again."""
    trying = Trying(op, 1, {})
    assert f"{op} failed" in errors(trying.up(fails=True))
    assert len(trying.attempts) == 1


@pytest.mark.parametrize("op", OPS)
def test_no_hook_wants_another_attempt(op):
    """If no hook wants another attempt, the operation has failed with its own error."""
    trying = Trying(op, 1, {"one": never, "two": never})
    assert errors(trying.up(fails=True)) == f"{op} failed"
    assert (len(trying.attempts), len(trying.told)) == (1, 2)


@pytest.mark.parametrize("op", OPS)
def test_success(op):
    """Nobody asks error hooks where nothing fails."""
    trying = Trying(op, 0, {"hook": always})
    trying.up()
    assert (trying.told, len(trying.attempts)) == ([], 1)


@pytest.mark.parametrize("op", OPS)
def test_the_limit(op):
    """What is never given up is tried a hundred times; after the last time, no hook is asked any more."""
    trying = Trying(op, 1000, {"hook": always})
    failed = trying.up(fails=True)
    assert errors(failed) == "maximum number of error hook retries reached"
    assert (len(trying.attempts), len(trying.told)) == (ATTEMPTS, ATTEMPTS - 1)
    warnings = [line.message for line in failed.diagnostics if line.severity == "warning"]
    assert warnings[0] == f"retrying {op} due to on-error hook request (1/100)"
    assert warnings[-1] == "maximum number of error hook retries (100) reached"
    assert len(warnings) == ATTEMPTS


@pytest.mark.parametrize("op", OPS)
def test_giving_up_after_a_while(op):
    """A hook is told all failures so far, the last one first, and may give up at any time."""
    trying = Trying(op, 1000, {"hook": lambda told: len(told.errors) < 3})
    trying.up(fails=True)
    assert [len(told.errors) for _, told in trying.told] == [1, 2, 3]
    assert len(trying.attempts) == 3


@pytest.mark.parametrize("op", OPS)
def test_each_resource_has_its_attempts(op):
    """The attempts for one resource do not count for another."""
    trying = Trying(op, 2, {"hook": always}, resources=("resA", "resB"))
    trying.up()
    assert sorted(trying.attempts) == ["resA"] * 3 + ["resB"] * 3
    assert sorted((told.name, len(told.errors)) for _, told in trying.told) == [
        ("resA", 1),
        ("resA", 2),
        ("resB", 1),
        ("resB", 2),
    ]


def test_options_of_an_update():
    """An error hook is told the options of before and of now, and the bags that there are."""
    trying = Trying("update", 1, {"hook": always})
    trying.fields = {"ignoreChanges": ["x"]}
    trying.up()
    ((_, told),) = trying.told
    assert (list(told.old_options.ignore_changes), list(told.new_options.ignore_changes)) == ([], ["x"])
    assert (told.new_inputs, told.old_inputs, told.old_outputs) == ({"v": "b"}, {"v": "a"}, {"v": "a"})


def test_a_hook_that_fails():
    """A hook that fails ends the attempts, and is the error; of a deletion, its own failure is."""

    def broken(_):
        raise ValueError("Oh no")

    for op in OPS:
        trying = Trying(op, 1, {"hook": broken})
        said = "delete failed" if op == "delete" else 'error hooks execution failed: error hook "hook" failed: Oh no'
        assert errors(trying.up(fails=True)) == said
        assert len(trying.attempts) == 1
        assert names(trying.up()) == ([] if op == "delete" else ["resA"])

"""Hooks for tests: each notes what it is told, in a form that can be compared, and may fail or ask for another attempt."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pulumi
from pulumi import ErrorHook, ErrorHookArgs, ResourceHook, ResourceHookArgs, ResourceHookBinding, ResourceHookOptions
from pulumi.output import Unknown

BAGS = ("new_inputs", "old_inputs", "new_outputs", "old_outputs")
KINDS = {pulumi.Output: "secret", Unknown: "unknown"}
"""How values are noted that cannot be compared."""
WHEN = ("before_create", "after_create", "before_update", "after_update", "before_delete", "after_delete")


class Noted:
    """What the hooks of a run were told, in order: the hook's name, the resource's name, and more by name."""

    def __init__(self) -> None:
        self.calls: list[dict[str, Any]] = []
        self.broken: dict[str, str] = {}
        """The messages of the hooks that are to fail, by the name of hook and resource, ``"hook resource"``."""

    def hook(self, name: str, **options: bool) -> ResourceHook:
        """A hook around steps."""

        def note(args: ResourceHookArgs) -> None:
            self._note(name, args)

        return ResourceHook(name, note, ResourceHookOptions(**options) if options else None)

    def error_hook(self, name: str, again: Callable[[ErrorHookArgs], bool] | bool = True) -> ErrorHook:
        """A hook that is asked whether to try again."""

        def note(args: ErrorHookArgs) -> bool:
            self._note(name, args, op=args.failed_operation, errors=list(args.errors))
            return again(args) if callable(again) else again

        return ErrorHook(name, note)

    def everywhere(self, **options: bool) -> ResourceHookBinding:
        """A hook before and after each op, named after when it is called."""
        return ResourceHookBinding(**{when: [self.hook(when, **options)] for when in WHEN})

    def _note(self, name: str, args: Any, **more: Any) -> None:
        bags = {bag: _readable(value) for bag in BAGS if (value := getattr(args, bag, None)) is not None}
        self.calls.append({"hook": name, "of": args.name, "type": args.type, "id": args.id, **bags, **more})
        if message := self.broken.get(f"{name} {args.name}"):
            raise ValueError(message)

    def taken(self, count: int = 1) -> list[dict[str, Any]]:
        """What was noted since the last time, in ``count`` runs that must have noted the same of each resource.

        It is sorted by resource, as the order between resources is an engine's own affair.
        """
        calls, self.calls = self.calls, []
        size = len(calls) // count
        runs = [sorted(calls[size * run : size * (run + 1)], key=lambda call: str(call["of"])) for run in range(count)]
        for run in runs:
            assert run == runs[0], f"{run}\n{runs[0]}"
        assert len(calls) == size * count
        return runs[0]

    def names(self, count: int = 1) -> list[str]:
        """What was noted since the last time, as ``"hook resource"``."""
        return [f"{call['hook']} {call['of']}" for call in self.taken(count)]


def _readable(bag: Any) -> dict[str, Any]:
    return {key: KINDS.get(type(value), value) for key, value in bag.items()}

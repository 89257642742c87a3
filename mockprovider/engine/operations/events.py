"""What happens in an operation, as data: ``Stack(on_event=...)`` is told while it happens.

An event is an ``OperationBegun``, a ``StepEvent`` (twice a step: when it has begun, and when it is done or has failed), a
``Diagnostic``, or, last, an ``OperationEnded``. All are told one after the other, also where steps run at the same time.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TypeAlias

from msgspec import Struct

from mockprovider.engine.operation import Operation
from mockprovider.engine.steps.kinds import EngineStep
from mockprovider.pulumi.diff import Diff
from mockprovider.pulumi.result import Diagnostic, Result
from mockprovider.pulumi.stacks.state import ResourceState, copied
from mockprovider.urn import Urn


class OperationBegun(Struct, frozen=True):
    """An operation has begun: ``kind`` is ``up``, ``refresh`` or ``destroy``, ``preview`` says that it changes nothing."""

    kind: str
    project: str
    stack: str
    preview: bool


class StepEvent(Struct, frozen=True):
    """A step has begun, is done, or has failed (``phase``).

    Args:
        phase: ``begun``, ``done`` or ``failed``.
        op: what the step is, as ``Result.steps`` spell it; a refresh that is done tells what it came to.
        urn: the resource.
        old: what was remembered, a copy; ``None`` for what is new.
        new: what it becomes, a copy as of now; ``None`` for what goes.
        diff: what the provider said of the changes, where it was asked.
        seconds: how long the step took; 0 when it begins, and in a preview.
    """

    phase: str
    op: str
    urn: str
    old: ResourceState | None = None
    new: ResourceState | None = None
    diff: Diff | None = None
    seconds: float = 0.0

    @property
    def type(self) -> str:
        """The type of the resource."""
        return Urn.parse(self.urn).type

    @property
    def name(self) -> str:
        """The name that the program gave it."""
        return Urn.parse(self.urn).name


class OperationEnded(Struct, frozen=True):
    """An operation has ended, well or not, after so many seconds."""

    result: Result
    seconds: float


EngineEvent: TypeAlias = OperationBegun | StepEvent | Diagnostic | OperationEnded
OnEvent: TypeAlias = Callable[[EngineEvent], object]


class EventTeller:
    """Tells ``on_event`` what happens in one operation, one event at a time, until that raises an error. Thread-safe.

    Without ``on_event`` it does nothing.
    """

    def __init__(self, on_event: OnEvent | None = None) -> None:
        self._on_event = on_event
        self._lock = threading.Lock()
        self._began = time.monotonic()
        self._since: dict[int, float] = {}
        self._error: Exception | None = None

    def begin(self, kind: str, operation: Operation) -> None:
        """The operation begins."""
        if self._on_event:
            self._tell(OperationBegun(kind, operation.project, operation.stack, operation.preview))

    def step(self, phase: str, step: EngineStep, op: str) -> None:
        """A step begins, is done, or has failed."""
        if not self._on_event:
            return
        if phase == "begun":
            self._since[id(step)] = time.monotonic()
        since = self._since.get(id(step)) if phase == "begun" else self._since.pop(id(step), None)
        seconds = 0.0 if since is None else time.monotonic() - since
        old, new = (state and copied(state) for state in (step.old, step.new))
        self._tell(StepEvent(phase, op, step.resource.urn, old, new, step.diff, seconds if phase != "begun" else 0.0))

    def diagnostic(self, diagnostic: Diagnostic) -> None:
        """The user is told something."""
        if self._on_event:
            self._tell(diagnostic)

    def end(self, result: Result) -> None:
        """The operation has ended. Raises what the listener has raised meanwhile, which is no failure of a step."""
        if self._on_event:
            self._tell(OperationEnded(result, time.monotonic() - self._began))
        if self._error is not None:
            raise self._error

    def _tell(self, event: EngineEvent) -> None:
        with self._lock:
            if self._on_event is None or self._error is not None:
                return
            try:
                self._on_event(event)
            except Exception as error:  # noqa: BLE001 - it is raised when the operation has ended
                self._error = error


__all__ = ["EngineEvent", "EventTeller", "OnEvent", "OperationBegun", "OperationEnded", "StepEvent"]

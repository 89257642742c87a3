"""Resource views: what a provider publishes, during a call, of the parts of an object that have no calls of their own."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from mockprovider.calls import Call, Native, Reply, Status
from mockprovider.engine.registrations.decision import RefusedError, StepOp
from mockprovider.engine.state.ledger import Ledger
from mockprovider.pulumi.stacks.state import ResourceState, copied
from mockprovider.urn import Urn, make

UNKNOWN = 2
OTHER_NAMES = {"READ_DISCARD": "discard"}
"""The ops that the protocol calls something else than the state and the events do."""
ADDRESS = "in-process"
"""The address of the way back, for a provider that needs none: it is given a handler."""


class ViewListener:
    """The way back of one call for the resource ``owner``: the steps that are published become ``steps``, for afterwards."""

    def __init__(self, ledger: Ledger, owner: ResourceState, *, shows_old: bool = False) -> None:
        self._ledger = ledger
        self._shows_old = shows_old
        self._owner = owner
        self.token = hashlib.sha256(owner.urn.encode()).hexdigest()[:32]
        self.steps: list[ViewChange] = []

    @property
    def extra(self) -> dict[str, Any]:
        """What the request of the call says of it."""
        views = tuple(_shown(view) for view in self._ledger.views(self._owner.urn)) if self._shows_old else ()
        where = {"resource_status_address": ADDRESS, "resource_status_token": self.token}
        return {**where, "old_views": views} if views else where

    def __call__(self, call: Call) -> Reply:
        """Take published steps."""
        from google.protobuf.empty_pb2 import Empty  # noqa: PLC0415 - only providers with views need it

        request = call.native.message if call.native else None
        try:
            if request is None or request.token != self.token:
                raise RefusedError(f"token {request.token if request else ''} not found")
            self.steps += [self._step(step) for step in request.steps]
        except RefusedError as error:
            return Reply(status=Status(UNKNOWN, str(error)))
        answer = Empty()
        return Reply(native=Native(answer.SerializeToString(), answer))

    def _step(self, step: Any) -> ViewChange:
        name = next((name for name, number in type(step).Op.items() if number == step.op), str(step.op))
        op = OTHER_NAMES.get(name, name.lower().replace("_", "-"))
        if op not in set(StepOp):
            raise RefusedError(f"unmarshaling steps: unknown step op {name}")
        published = self._state(step.old) if step.HasField("old") else None
        old = self._remembered(published) if published else None
        return ViewChange(StepOp(op), old, self._state(step.new) if step.HasField("new") else None, step.error)

    def _remembered(self, published: ResourceState) -> ResourceState:
        known = next((view for view in self._ledger.views(self._owner.urn) if view.urn == published.urn), None)
        if known is None:
            raise RefusedError(f"unmarshaling steps: old resource state {published.urn} not found")
        known.inputs, known.outputs = published.inputs, published.outputs
        return known

    def _state(self, state: Any) -> ResourceState:
        from mockprovider.pulumi.values import decode  # noqa: PLC0415 - as above

        owner = Urn.parse(self._owner.urn)
        urn = str(make(owner.stack, owner.project, owner, state.type, state.name))
        # As in the real engine, a view of a view is shown beneath the resource, too.
        view = ResourceState(urn=urn, type=state.type, parent=self._owner.urn, view_of=self._owner.urn)
        return copied(view, inputs=decode(state.inputs), outputs=decode(state.outputs))


def _shown(view: ResourceState) -> Any:
    """A view that is remembered, as the message of a request."""
    from mockprovider.pulumi.sdk import provider_pb2  # noqa: PLC0415 - as above
    from mockprovider.pulumi.values import encode  # noqa: PLC0415 - as above

    return provider_pb2.View(type=view.type, name=view.name, inputs=encode(view.inputs), outputs=encode(view.outputs))


class ViewChange(Struct, frozen=True):
    """What a provider published of one view: the step, and what went wrong, or an empty text."""

    op: StepOp
    old: ResourceState | None = None
    new: ResourceState | None = None
    error: str = ""


def gone(views: Sequence[ResourceState]) -> list[ViewChange]:
    """The steps of views whose owner goes without its provider being asked."""
    return [ViewChange(StepOp.DELETE, view) for view in views]


def remember(ledger: Ledger, change: ViewChange, *, behind: ResourceState | None) -> None:
    """Take ``change`` into the state; if the owner stands where it stood, its views stand ``behind`` it."""
    old, new = change.old, change.new
    if change.op is StepOp.REPLACE:
        # As with resources, that is only reported: its parts are steps of their own.
        return
    if behind is not None and new is not None and change.op is not StepOp.CREATE_REPLACEMENT:
        if old is None:
            ledger.grow(behind, new)
        else:
            ledger.found(old, new)
        return
    if old is not None and change.op is StepOp.CREATE_REPLACEMENT:
        old.delete = True
    elif old is not None:
        ledger.finish(old)
    if new is not None:
        ledger.add(new)

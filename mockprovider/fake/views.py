"""Pulumi's resource views: parts of a resource that the engine's state shows beneath it, without calls of their own.

They are declared as templates over the object, so their steps follow from the object before and after a call (reference 2.18).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct, field

from mockprovider.calls import Call, Op, Reply
from mockprovider.errors import DefinitionError
from mockprovider.fake.computing import fill_all
from mockprovider.values import UNKNOWN, Bag, Value, same

SHOWING = frozenset({Op.CREATE, Op.READ, Op.UPDATE, Op.DELETE})
"""The ops during which views are published."""


class View(Struct, frozen=True):
    """A resource view of each object of a type: ``pulumi.ResourceTraits(views=(View("cloud:index:Disk", "{name}-disk"),))``.

    Args:
        type: its type token.
        name: a template over the object's properties, its ``id``, and ``name`` (the resource's name).
        inputs, outputs: bags of values and such templates.
        parent: the type of the view beneath which it is shown; the resource itself, if empty.
    """

    type: str
    name: str = "{name}"
    inputs: Mapping[str, Value] = field(default_factory=dict)
    outputs: Mapping[str, Value] = field(default_factory=dict)
    parent: str = ""


class ViewState(Struct, frozen=True):
    """One view as it is or was."""

    type: str
    name: str
    parent_type: str = ""
    parent_name: str = ""
    inputs: Bag = field(default_factory=dict)
    outputs: Bag = field(default_factory=dict)


class ViewStep(Struct, frozen=True):
    """A step of one view: ``op`` is ``same``, ``create``, ``update``, ``delete`` or ``refresh``, as engines name steps."""

    op: str
    old: ViewState | None = None
    new: ViewState | None = None


Publish: TypeAlias = Callable[[Call, Sequence[ViewStep]], None]
"""Publishes view steps to the engine of a call, during the call."""


def unpublished(_: Call, __: Sequence[ViewStep]) -> None:
    """Publish nothing: for a fake without a way to its engine."""


def steps(views: Sequence[View], call: Call, reply: Reply) -> list[ViewStep]:
    """The steps of a resource's views in a call that was answered with ``reply``."""
    before = _states(views, call, call.prior, call.id) if call.op is not Op.CREATE else {}
    after = _states(views, call, reply.value, reply.id or call.id) if call.op is not Op.DELETE else {}
    keys = [*after, *(key for key in before if key not in after)]
    return [_step(call, before.get(key), after.get(key)) for key in keys]


def _step(call: Call, old: ViewState | None, new: ViewState | None) -> ViewStep:
    if call.op is Op.READ:
        return ViewStep("refresh", old, new)
    if old is None or new is None:
        return ViewStep("create" if old is None else "delete", old, new)
    return ViewStep("same" if _equal(old, new) else "update", old, new)


def _equal(old: ViewState, new: ViewState) -> bool:
    return same(dict(old.inputs), dict(new.inputs)) and same(dict(old.outputs), dict(new.outputs))


def _states(views: Sequence[View], call: Call, bag: Bag | None, id_: str) -> dict[tuple[str, str], ViewState]:
    """The views of an object by type and name; none of no object."""
    if bag is None:
        return {}
    context = {**bag, "name": call.name, "id": id_ or UNKNOWN}
    states: list[ViewState] = []
    for view in views:
        parent = next((other for other in states if other.type == view.parent), ViewState("", ""))
        name = fill_all(view.name, context)
        if not isinstance(name, str):
            raise DefinitionError(
                f"{call.type}: the name {view.name!r} of a view cannot be known in a preview, or is secret; a view that"
                " changes its name is another one. Make it of what is known: {name}, or an input."
            )
        inputs, outputs = fill_all(view.inputs, context), fill_all(view.outputs, context)
        states.append(ViewState(view.type, name, parent.type, parent.name, inputs, outputs))
    return {(state.type, state.name): state for state in states}

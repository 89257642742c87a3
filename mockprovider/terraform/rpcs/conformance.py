"""Checks answers before they are sent. An error names the type, the path and the broken rule.

Engines check every answer, too, but their messages often lack the type or the path. Answers of real and recorded providers
are not checked. To send a wrong answer on purpose, use ``layers.unchecked(reply)``, or the layer ``layers.send_as_is``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

from google.protobuf.message import Message

from mockprovider.calls import Call, Reply, Session
from mockprovider.errors import ContractError
from mockprovider.terraform.rpcs.replies import ERROR
from mockprovider.terraform.rpcs.requests import Shape, codec
from mockprovider.terraform.rules import kept, planned
from mockprovider.terraform.rules.places import equal, unknowns, written
from mockprovider.terraform.rules.planned import Problem, Promise
from mockprovider.terraform.schema.objects import ObjectSchema
from mockprovider.terraform.schema.tree import Place
from mockprovider.terraform.values import packing
from mockprovider.values import Value

Respond = Callable[[Shape, type[Message], Reply, Call], Any]
KNOWN = "it is unknown, and only plans may say so"
SHOWN = 3
"""How many of several changes are listed."""
WRITTEN = "a write-only attribute has a value, and has to be null"


def checked(respond: Respond, shape: Shape, cls: type[Message], reply: Reply, call: Call) -> Any:
    """The answer of ``respond``. Raises ``ContractError`` if an engine would reject it."""
    message = respond(shape, cls, reply, call)
    coder = codec(call.session, shape.of, call.type)
    if reply.unchecked or call.native is None or not isinstance(coder, ObjectSchema):
        return message
    request = call.native.message
    problem = next(Answer(shape, message, request, call.session, coder.tree).problems(), None)
    if problem is not None:
        raise ContractError(_error(problem, getattr(request, "type_name", "") or call.type, call.method))
    return message


def _error(problem: Problem, name: str, method: str) -> str:
    where = f"{name}.{problem.path}" if problem.path else name
    return (
        f"{where}: this answer to {method} breaks the contract: {problem.rule}. Mend what answered; "
        "where it is wrong on purpose, send it with mockprovider.layers.unchecked(reply)."
    )


class Answer:
    """One answer and its request."""

    def __init__(self, shape: Shape, message: Any, request: Any, session: Session, tree: Place) -> None:
        self._shape, self._message, self._request, self._session, self._tree = shape, message, request, session, tree
        self._failed = any(diagnostic.severity == ERROR for diagnostic in message.diagnostics)
        self._put_off = "deferred" in message.DESCRIPTOR.fields_by_name and message.HasField("deferred")

    def problems(self) -> Iterator[Problem]:
        """The violations, in the order in which engines check."""
        yield from self.deferral()
        yield from self.content()

    def content(self) -> Iterator[Problem]:
        """What is wrong with the value of the answer."""
        check = CHECKS.get(self._shape.value)
        if check is not None:
            yield from check(self)

    def deferral(self) -> Iterator[Problem]:
        """An answer is put off only where the engine allows that."""
        if self._put_off and not (self._failed or self._request.client_capabilities.deferral_allowed):
            yield Problem("", "it is put off, and the engine does not allow that", Promise.DEFERRAL)

    def _value(self, dynamic: Any) -> Value:
        return self.unpacked(dynamic.msgpack, self._tree)

    @staticmethod
    def unpacked(data: bytes, tree: Place) -> Value:
        """The object in a DynamicValue's bytes; none where there are no bytes."""
        return tree.unpacked(data) if data else None

    def changes(self) -> list[str]:
        """The attributes that a plan changes, as far as they are to be listed."""
        prior, plan = self._value(self._request.prior_state), self._value(self._message.planned_state)
        if not isinstance(prior, dict) or not isinstance(plan, dict):
            return []
        names = (name for name, place in self._tree.members.items() if not equal(prior.get(name), plan.get(name), place.type))
        return [*islice(names, SHOWN)]

    def plan(self) -> Iterator[Problem]:
        """A plan keeps configured values, and the paths that force a replacement exist."""
        if self._failed:
            return
        asked = self._request
        prior, config = self._value(asked.prior_state), self._value(asked.config)
        plan = self._value(self._message.planned_state)
        yield from self._hidden(plan)
        if not self._message.legacy_type_system or config is None:
            yield from planned.problems(self._tree, prior, config, plan)
        for replacing in self._message.requires_replace:
            steps = [getattr(step, step.WhichOneof("selector")) for step in replacing.steps]
            if not (_leads(prior, steps) or _leads(plan, steps)):
                shown = ".".join(map(str, steps))
                what = "a replacement is asked for because of a path that is not there"
                yield Problem(shown, what, Promise.REPLACEMENT)

    def applied(self) -> Iterator[Problem]:
        """An applied state has no unknown values and agrees with the plan."""
        value = self._value(self._message.new_state)
        yield from self._settled(value)
        if self._failed:
            return
        plan = self._value(self._request.planned_state)
        # Engines excuse values of an old type system, but not an object that is there, or is not, against the plan.
        if not self._message.legacy_type_system or (plan is None) is not (value is None):
            yield from kept.broken(self._tree, plan, value)

    def state(self) -> Iterator[Problem]:
        """Any other state has no unknown and no write-only values."""
        if not self._failed:
            yield from self._settled(self._value(getattr(self._message, self._shape.value)))
            yield from self._same_identity()

    def moved(self) -> Iterator[Problem]:
        """A move brings an object."""
        if not (self._failed or self._put_off) and self._value(self._message.target_state) is None:
            yield Problem("", "there is no object, and no error that says why", Promise.OBJECT)
        yield from self.state()

    def imported(self) -> Iterator[Problem]:
        """An import brings objects, which have no unknown and no write-only values."""
        if self._failed:
            return
        if not (self._message.imported_resources or self._put_off):
            yield Problem("", "there is no object, and no error that says why", Promise.OBJECT)
        for resource in self._message.imported_resources:
            tree = self._tree_of(resource.type_name)
            if tree is not None:
                value = self.unpacked(resource.state.msgpack, tree)
                if value is None and not self._put_off:
                    yield Problem("", "an object is null, and no error says why", Promise.OBJECT)
                yield from (Problem(path, KNOWN, Promise.KNOWN) for path in unknowns(value))
                yield from (Problem(path, WRITTEN, Promise.WRITE_ONLY) for path in written(value, tree))

    def _tree_of(self, name: str) -> Place | None:
        """The schema of an imported object, which may be of another type than was asked for."""
        coder = codec(self._session, self._shape.of, name)
        return coder.tree if isinstance(coder, ObjectSchema) else self._tree if name == self._request.type_name else None

    def data(self) -> Iterator[Problem]:
        """A data source answers an object without unknown values."""
        if self._failed or self._put_off:
            return
        value = self._value(self._message.state)
        if value is None:
            yield Problem("", "there is no object, and no error that says why", Promise.OBJECT)
        yield from self._settled(value)

    def opened(self) -> Iterator[Problem]:
        """An ephemeral resource keeps configured values."""
        if not (self._failed or self._put_off):
            config, value = self._value(self._request.config), self._value(self._message.result)
            yield from planned.problems(self._tree, None, config, value)

    def _same_identity(self) -> Iterator[Problem]:
        """A read finds the object that it was asked for, by its identity."""
        if "current_identity" not in self._request.DESCRIPTOR.fields_by_name:
            return
        before, now = (data.identity_data.msgpack for data in (self._request.current_identity, self._message.new_identity))
        if before and now and packing.unpack_any(before) != packing.unpack_any(now):
            yield Problem("", "it is of another object: the identity has changed", Promise.IDENTITY)

    def _settled(self, value: Value) -> Iterator[Problem]:
        yield from (Problem(path, KNOWN, Promise.KNOWN) for path in unknowns(value))
        yield from self._hidden(value)

    def _hidden(self, value: Value) -> Iterator[Problem]:
        yield from (Problem(path, WRITTEN, Promise.WRITE_ONLY) for path in written(value, self._tree))


def _leads(value: Value, steps: list[Any]) -> bool:
    for step in steps:
        there = step in value if isinstance(value, dict) else isinstance(value, list) and step in range(len(value))
        if not there:
            return False
        value = value[step]
    return True


def _read_or_applied(answer: Answer) -> Iterator[Problem]:
    applied = "planned" in answer._shape.bags  # noqa: SLF001 - a function of this module's table
    return answer.applied() if applied else answer.state()


CHECKS: dict[str, Callable[[Answer], Iterator[Problem]]] = {
    "planned_state": Answer.plan,
    "new_state": _read_or_applied,
    "upgraded_state": Answer.state,
    "target_state": Answer.moved,
    "imported_resources": Answer.imported,
    "state": Answer.data,
    "result": Answer.opened,
}
"""The checks, by the answer's field that holds the value."""

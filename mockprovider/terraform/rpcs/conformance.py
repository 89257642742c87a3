"""Checks answers before they are sent. An error names the type, the path and the broken rule.

Engines check every answer, too, but their messages often lack the type or the path. Answers of real and recorded providers
are not checked. To send a wrong answer on purpose, use ``layers.unchecked(reply)``, or the layer ``layers.send_as_is``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from google.protobuf.message import Message

from mockprovider.calls import Call, Reply, Session
from mockprovider.errors import ContractError
from mockprovider.terraform.rpcs.replies import ERROR
from mockprovider.terraform.rpcs.requests import Shape, codec
from mockprovider.terraform.rules import kept, planned
from mockprovider.terraform.rules.places import unknowns, written
from mockprovider.terraform.rules.planned import Problem
from mockprovider.terraform.schema.objects import ObjectSchema
from mockprovider.terraform.schema.tree import Place
from mockprovider.terraform.values import packing
from mockprovider.values import Value

Respond = Callable[[Shape, type[Message], Reply, Call], Any]
KNOWN = "it is unknown, and only plans may say so"
WRITTEN = "a write-only attribute has a value, and has to be null"


def checked(respond: Respond, shape: Shape, cls: type[Message], reply: Reply, call: Call) -> Any:
    """The answer of ``respond``. Raises ``ContractError`` if an engine would reject it."""
    message = respond(shape, cls, reply, call)
    coder = codec(call.session, shape.of, call.type)
    if reply.unchecked or call.native is None or not isinstance(coder, ObjectSchema):
        return message
    request = call.native.message
    problem = next(_Answer(shape, message, request, call.session, coder.tree).problems(), None)
    if problem is not None:
        raise ContractError(_error(problem, getattr(request, "type_name", "") or call.type, call.method))
    return message


def _error(problem: Problem, name: str, method: str) -> str:
    where = f"{name}.{problem.path}" if problem.path else name
    return (
        f"{where}: this answer to {method} breaks the contract: {problem.rule}. Mend what answered; "
        "where it is wrong on purpose, send it with mockprovider.layers.unchecked(reply)."
    )


class _Answer:
    """One answer and its request."""

    def __init__(self, shape: Shape, message: Any, request: Any, session: Session, tree: Place) -> None:
        self._shape, self._message, self._request, self._session, self._tree = shape, message, request, session, tree
        self._failed = any(diagnostic.severity == ERROR for diagnostic in message.diagnostics)

    def problems(self) -> Iterator[Problem]:
        """The violations, in the order in which engines check."""
        yield from self._deferral()
        check = CHECKS.get(self._shape.value)
        if check is not None:
            yield from check(self)

    def _deferral(self) -> Iterator[Problem]:
        put_off = "deferred" in self._message.DESCRIPTOR.fields_by_name and self._message.HasField("deferred")
        if put_off and not (self._failed or self._request.client_capabilities.deferral_allowed):
            yield Problem("", "it is put off, and the engine does not allow that")

    def _value(self, dynamic: Any) -> Value:
        return packing.unpack(dynamic.msgpack, self._tree.type) if dynamic.msgpack else None

    def plan(self) -> Iterator[Problem]:
        """A plan keeps configured values, and the paths that force a replacement exist."""
        if self._failed:
            return
        asked = self._request
        prior, config = self._value(asked.prior_state), self._value(asked.config)
        plan = self._value(self._message.planned_state)
        yield from (Problem(path, WRITTEN) for path in written(plan, self._tree))
        if not self._message.legacy_type_system or config is None:
            yield from planned.problems(self._tree, prior, config, plan)
        for replacing in self._message.requires_replace:
            steps = [getattr(step, step.WhichOneof("selector")) for step in replacing.steps]
            if not (_leads(prior, steps) or _leads(plan, steps)):
                shown = ".".join(map(str, steps))
                yield Problem(shown, "a replacement is asked for because of a path that is not there")

    def applied(self) -> Iterator[Problem]:
        """An applied state has no unknown values and agrees with the plan."""
        value = self._value(self._message.new_state)
        yield from self._settled(value)
        if self._failed or self._message.legacy_type_system:
            return
        yield from kept.broken(self._tree, self._value(self._request.planned_state), value)

    def state(self) -> Iterator[Problem]:
        """Any other state has no unknown and no write-only values."""
        yield from self._settled(self._value(getattr(self._message, self._shape.value)))

    def imported(self) -> Iterator[Problem]:
        """Imported objects have no unknown values."""
        for resource in self._message.imported_resources:
            coder = codec(self._session, self._shape.of, resource.type_name)
            value = packing.unpack(resource.state.msgpack, coder.type) if isinstance(coder, ObjectSchema) else None
            yield from (Problem(path, KNOWN) for path in unknowns(value))

    def data(self) -> Iterator[Problem]:
        """A data source answers an object without unknown values."""
        value = self._value(self._message.state)
        if value is None and not self._failed:
            yield Problem("", "there is no object, and no error that says why")
        yield from self._settled(value)

    def opened(self) -> Iterator[Problem]:
        """An ephemeral resource keeps configured values."""
        if not self._failed:
            config, value = self._value(self._request.config), self._value(self._message.result)
            yield from planned.problems(self._tree, None, config, value)

    def _settled(self, value: Value) -> Iterator[Problem]:
        yield from (Problem(path, KNOWN) for path in unknowns(value))
        yield from (Problem(path, WRITTEN) for path in written(value, self._tree))


def _leads(value: Value, steps: list[Any]) -> bool:
    for step in steps:
        there = step in value if isinstance(value, dict) else isinstance(value, list) and step in range(len(value))
        if not there:
            return False
        value = value[step]
    return True


def _read_or_applied(answer: _Answer) -> Iterator[Problem]:
    applied = "planned" in answer._shape.bags  # noqa: SLF001 - a function of this module's table
    return answer.applied() if applied else answer.state()


CHECKS: dict[str, Callable[[_Answer], Iterator[Problem]]] = {
    "planned_state": _Answer.plan,
    "new_state": _read_or_applied,
    "upgraded_state": _Answer.state,
    "target_state": _Answer.state,
    "imported_resources": _Answer.imported,
    "state": _Answer.data,
    "result": _Answer.opened,
}
"""The checks, by the answer's field that holds the value."""

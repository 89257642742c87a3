"""What the provider's side of a run has seen, as the rules about providers need it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from mockprovider.calls import Call, Op, Reply
from mockprovider.contract import ValueMarks
from mockprovider.pulumi.contract import history
from mockprovider.pulumi.contract.history import FOLLOWS, Follow, PulumiHistory, PulumiMoment
from mockprovider.pulumi.contract.repeated import Repeated
from mockprovider.schema import ResourceType
from mockprovider.values import Bag

USUAL: Mapping[str, type] = {"string": str, "integer": int, "number": float, "boolean": bool, "array": list, "map": dict}
"""The Python types that values of most kinds have."""


class ProvidersHistory(PulumiHistory):
    """What a provider of Pulumi's has answered, and which defaults, previews and diffs it has to stand by."""

    def __init__(self, issued: Callable[[str], bool], marks: ValueMarks) -> None:
        super().__init__(issued, marks)
        self.checks = AnsweredChecks()
        """The answers to Check, by all that they depend on."""
        self.repeated = Repeated()
        """What was answered before about the same resources."""
        self._usual: dict[int, tuple[ResourceType, dict[str, type]]] = {}

    def usual(self, declared: ResourceType) -> Mapping[str, type]:
        """The Python types that the properties of a type usually have."""
        known = self._usual.get(id(declared))
        if known is None or known[0] is not declared:
            types = {name: USUAL[item.kind.name] for name, item in declared.properties.items() if item.kind.name in USUAL}
            known = self._usual[id(declared)] = (declared, types)
        return known[1]

    def check(self, now: PulumiMoment, reply: Reply) -> None:
        """Inputs are checked."""
        if reply.ok and reply.inputs is not None:
            self.checks.add(now.call, reply.inputs)
            self.repeated.check(now.call, reply.inputs)

    def diff(self, now: PulumiMoment, reply: Reply) -> None:
        """An object is compared."""
        if reply.ok:
            self.repeated.compare(now.call, now.diff)

    def create(self, now: PulumiMoment, reply: Reply) -> None:
        """An object is there."""
        self.repeated.change(now.call, reply)
        history.create(self, now, reply)

    def update(self, now: PulumiMoment, reply: Reply) -> None:
        """An object has changed."""
        self.repeated.change(now.call, reply)
        history.update(self, now, reply)

    def delete(self, now: PulumiMoment, reply: Reply) -> None:
        """An object is gone."""
        self.repeated.delete(now.call, reply)
        history.delete(self, now, reply)

    follows: ClassVar[Mapping[Op, Follow]] = {
        **FOLLOWS,
        Op.CHECK: check,
        Op.DIFF: diff,
        Op.CREATE: create,
        Op.UPDATE: update,
        Op.DELETE: delete,
    }


class AnsweredChecks:
    """Answers to Check. Most questions differ in what takes no time to compare; others are spelled out."""

    def __init__(self) -> None:
        self._firsts: dict[tuple[Any, ...], tuple[tuple[Any, ...], Bag]] = {}
        """The first answer to those that are alike at a glance, with all that it depends on."""
        self._spelled: dict[tuple[Any, ...], Bag] = {}
        """The answers to those that are like an earlier one at a glance, that one included."""

    def before(self, call: Call) -> Bag | None:
        """The last answer to the same question."""
        glance = _glance(call)
        first = self._firsts.get(glance)
        if first is None:
            return None
        self._spelled.setdefault((glance, *map(repr, first[0])), first[1])
        return self._spelled.get((glance, *map(repr, _question(call))))

    def add(self, call: Call, inputs: Bag) -> None:
        """The question has been answered again."""
        glance = _glance(call)
        if glance not in self._firsts:
            self._firsts[glance] = (_question(call), inputs)
        else:
            self._spelled[(glance, *map(repr, _question(call)))] = inputs


def _question(call: Call) -> tuple[Any, ...]:
    return (call.inputs, call.prior_inputs, call.prior, call.autonaming)


def _glance(call: Call) -> tuple[Any, ...]:
    sizes = [None if bag is None else len(bag) for bag in (call.inputs, call.prior_inputs, call.prior)]
    return (call.urn, call.session.instance, call.seed, *sizes)

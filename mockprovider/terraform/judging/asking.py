"""Questions to a judge about one type, without an engine: what is wrong with these inputs, and what comes of this change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from mockprovider.calls import Call, Failure, Handler, Op, Plan, Session
from mockprovider.paths import Path, parse
from mockprovider.schema import Package, ResourceType
from mockprovider.terraform.judging.settling import settled
from mockprovider.terraform.schema.objects import ObjectSchema
from mockprovider.terraform.schema.provider import provider_schema
from mockprovider.terraform.schema.tree import BLOCK, Place
from mockprovider.values import UNKNOWN, Bag, Value, same

ID = "b-1a2b3c4d"
"""The id of the objects that are asked about."""


class Judgement(Struct, frozen=True):
    """What comes of inputs: failures, or a plan. ``action`` is ``refused``, ``create``, ``nothing``, ``update`` or ``replace``.

    ``replaced`` are the property paths that force a replacement, without indices; ``private`` is what the provider keeps, and
    ``unjudged`` says why there is no judgement.
    """

    action: str
    failures: tuple[Failure, ...] = ()
    plan: Plan | None = None
    replaced: frozenset[tuple[str, ...]] = frozenset()
    private: bytes = b""
    unjudged: str = ""


class Lived(Struct, frozen=True):
    """An object that was made of some inputs."""

    id: str
    bag: Bag
    private: bytes


class Asking:
    """Asks ``answer`` (a double, or a judge alone) about the type ``declared`` of ``package``."""

    def __init__(self, answer: Handler, package: Package, declared: ResourceType, major: int) -> None:
        self._answer, self._declared = answer, declared
        self._session = Session(f"tfplugin{major}")
        self._session.schema = package
        self.coder: ObjectSchema = provider_schema(package, major).resource(declared.terraform)

    def failures(self, inputs: Bag) -> tuple[Failure, ...]:
        """What is wrong with these inputs; nothing is planned."""
        return self._answer(self._call(Op.CHECK, "ValidateResourceConfig", inputs)).failures

    def create(self, inputs: Bag) -> Judgement:
        """What comes of a new object."""
        return self._verdict(self._call(Op.PLAN, "PlanResourceChange", inputs), {})

    def change(self, lived: Lived, inputs: Bag) -> Judgement:
        """What comes of other inputs for an object."""
        call = self._call(Op.PLAN, "PlanResourceChange", inputs)
        call.prior, call.id, call.private = lived.bag, lived.id, lived.private
        return self._verdict(call, lived.bag)

    def made(self, verdict: Judgement) -> Lived:
        """The object of a plan."""
        planned = verdict.plan.planned if verdict.plan else {}
        return Lived(*settled(self.coder.tree, planned, ID), verdict.private)

    def _call(self, op: Op, method: str, inputs: Bag) -> Call:
        rpc = {"ValidateResourceConfig": "ValidateResourceTypeConfig"} if self._session.protocol.version == 5 else {}
        return Call(op=op, session=self._session, method=rpc.get(method, method), type=self._declared.token, inputs=inputs)

    def _verdict(self, call: Call, prior: Bag) -> Judgement:
        inputs = call.inputs or {}
        wrong = self.failures(inputs)
        if wrong:
            return Judgement("refused", wrong)
        call.proposed = proposed(self.coder.tree, prior, inputs, fresh=not prior)
        reply = self._answer(call)
        if not reply.ok or reply.plan is None:
            return Judgement("refused", reply.failures, unjudged=reply.unjudged)
        replaced = frozenset(_named(parse(change.path)) for change in reply.plan.changes if change.replaces)
        action = "create" if call.prior is None else "replace" if replaced else _changed(prior, reply.plan.planned)
        return Judgement(action, (), reply.plan, replaced, reply.private, reply.unjudged)


def _named(path: Path) -> tuple[str, ...]:
    return tuple(step for step in path if isinstance(step, str))


def _changed(prior: Bag, planned: Bag) -> str:
    names = prior.keys() | planned.keys()
    return "nothing" if all(same(prior.get(name), planned.get(name)) for name in names) else "update"


def proposed(place: Place, prior: Mapping[str, Any], config: Mapping[str, Any], *, fresh: bool = False) -> dict[str, Value]:
    """What engines propose: the configuration, with the prior values of what it leaves to the provider.

    In a ``fresh`` object these are unknown.
    """
    merged: dict[str, Value] = {}
    for own, name in place.attributes.items():
        member, wanted, before = place.members[name], config.get(own), prior.get(own)
        if wanted is None and member.computed:
            wanted = UNKNOWN if fresh else before
        elif member.form == BLOCK and wanted is not None:
            wanted = _block(member, before, wanted, fresh=fresh)
        if wanted is not None:
            merged[own] = wanted
    return merged


def _block(member: Place, before: Value, wanted: Value, *, fresh: bool) -> Value:
    if isinstance(wanted, Mapping) and member.element is None:
        return proposed(member, before if isinstance(before, Mapping) else {}, wanted, fresh=fresh)
    if isinstance(wanted, list) and member.element is not None and member.nesting == "list":
        old = [*(before if isinstance(before, list) else ()), *[{}] * len(wanted)]
        pairs = zip(old, wanted, strict=False)
        return [proposed(member.element, one, other, fresh=fresh or not one) for one, other in pairs]
    return wanted

"""What the provider's side of a run has seen, as the rules about providers need it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from mockprovider.calls import EFFECTS, Call, Op, Reply
from mockprovider.contract import ValueMarks
from mockprovider.errors import MalformedError
from mockprovider.terraform.contract.comparing import frozen
from mockprovider.terraform.contract.history import TerraformHistory, TerraformMoment, answered, request
from mockprovider.terraform.contract.repeated import Repeated
from mockprovider.terraform.rpcs.conformance import Answer
from mockprovider.terraform.rpcs.methods import APPLY, DATA, IMPORT, MOVE, OPEN, PLAN, READ, UPGRADE
from mockprovider.terraform.rpcs.requests import Shape
from mockprovider.terraform.rules.planned import Problem, Promise
from mockprovider.terraform.schema.tree import Place

SHAPES: Mapping[Op, Shape] = {
    Op.PLAN: PLAN,
    Op.READ: READ,
    Op.UPGRADE: UPGRADE,
    Op.MOVE: MOVE,
    Op.IMPORT: IMPORT,
    Op.INVOKE: DATA,
    Op.OPEN: OPEN,
    **dict.fromkeys(EFFECTS, APPLY),
}
"""How the answer to each op is read."""


class ProviderMoment(TerraformMoment):
    """A call of a provider, its answer if it is a message about a type that the schema has, and what is wrong with that.

    It is read once, and each of the rules about it takes its part.
    """

    answer: Answer | None = None
    problems: tuple[Problem, ...] = ()


class ProvidersHistory(TerraformHistory):
    """What a provider of Terraform's has planned, applied and computed."""

    def __init__(self, _: Callable[[str], bool], __: ValueMarks) -> None:
        # No rule about providers is about what there is, or about what is in values but for their problems.
        super().__init__()
        self.repeated = Repeated()
        """What was answered before to the same question."""

    def at(self, call: Call, reply: Reply | None) -> ProviderMoment:
        """A call as it looks from here."""
        now = ProviderMoment(call, reply, request(call), self)
        now.answer = self._answer(now)
        if now.answer is not None:
            now.problems = tuple(_read(now.answer))
        return now

    def _answer(self, now: ProviderMoment) -> Answer | None:
        reply, shape = now.reply, SHAPES.get(now.call.op)
        if shape is None or now.message is None or reply is None or reply.status is not None:
            return None
        sent = reply.message
        tree = self.tree_of(now, shape.of) if sent is not None and sent.message is not None else None
        return None if sent is None or tree is None else Answer(shape, sent.message, now.message, now.call.session, tree)

    def tree_of(self, now: TerraformMoment, of: str) -> Place | None:
        """The schema of the type that a call is about."""
        return self.tree(now.call, of, getattr(now.message, "type_name", "") or now.call.type)

    def begin(self, now: ProviderMoment) -> None:
        """A call starts."""

    def end(self, now: ProviderMoment) -> None:
        """A call has ended."""
        call, reply = now.call, now.reply
        if reply is None:
            return
        if call.op is Op.FUNCTION and reply.ok:
            self.repeated.results[call.type, frozen(call.inputs)] = frozen(reply.value)
        answer = answered(call, reply)
        if answer is not None:
            self.repeated.follow(call, now.message, reply, answer)
            self.learn(call, reply, answer)


def _read(answer: Answer) -> Iterator[Problem]:
    yield from answer.deferral()
    try:
        yield from answer.content()
    except MalformedError as error:
        yield Problem("", f"{error}", Promise.FORM)

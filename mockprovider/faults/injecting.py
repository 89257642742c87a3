"""The layer: at each call the first rule that fits and has shots left decides; then, outside the lock, its fault acts."""

from __future__ import annotations

import threading
from collections import defaultdict, deque
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from operator import itemgetter
from pathlib import Path
from typing import Any, Protocol

from msgspec import Struct
from msgspec.structs import replace

from mockprovider.calls import Call, Handler, Op, Reply
from mockprovider.clock import StillClock
from mockprovider.cloud import Cloud
from mockprovider.errors import DefinitionError
from mockprovider.faults import naming
from mockprovider.faults.ending import ended
from mockprovider.faults.engines import EnginesAtWork
from mockprovider.faults.fault import EVERY, Fault, FaultWorld, Phase
from mockprovider.faults.plan import FaultPlan, FaultRule, load, word
from mockprovider.faults.rules import Rule
from mockprovider.faults.when import When
from mockprovider.hints import did_you_mean


class Selector(Protocol):
    """``faults.on.create(type)``: the start of a rule about the calls of one op.

    ``When`` says what the arguments select. Raises ``DefinitionError`` for a type that can only be misspelt: no token, one
    letter off a declared type, not declared on a strict double, or not in the recording that is replayed.
    """

    def __call__(
        self,
        type_: str | None = None,
        *,
        name: str | None = None,
        address: str = "",
        id: str = "",  # noqa: A002 - the field's word
        instance: str = "",
        method: str = "",
        provider: str = "",
        inputs: Mapping[str, Any] | None = None,
        preview: str = "no",
    ) -> Rule:
        """At calls of ``type_`` (any, if left out)."""


class On:
    """The ops at which faults can be injected: ``faults.on.create(...)``. There is one for each that an engine may ask."""

    handshake: Selector
    attach: Selector
    get_plugin_info: Selector
    parameterize: Selector
    get_schema: Selector
    get_mapping: Selector
    get_mappings: Selector
    check_config: Selector
    diff_config: Selector
    configure: Selector
    check: Selector
    upgrade: Selector
    upgrade_identity: Selector
    diff: Selector
    plan: Selector
    create: Selector
    read: Selector
    update: Selector
    delete: Selector
    import_: Selector
    move: Selector
    list: Selector
    invoke: Selector
    call: Selector
    construct: Selector
    open: Selector
    renew: Selector
    close: Selector
    function: Selector
    cancel: Selector
    raw: Selector

    def __init__(self, begin: Callable[..., Rule]) -> None:
        for op in EVERY:
            setattr(self, method(op), partial(begin, op))

    def __getattr__(self, name: str) -> Selector:
        __tracebackhide__ = True
        said = did_you_mean(name, [method(op) for op in EVERY], "There are")
        raise AttributeError(f"Faults cannot be injected at {name!r}: no engine asks that. {said}")


def method(op: Op) -> str:
    """What an op is called where Python has the word for itself."""
    return "import_" if op is Op.IMPORT else op.value


REMEMBERED = 500
"""As many calls of an op are looked at to say what a rule missed."""

ALONE = FaultWorld(StillClock(), EnginesAtWork(), Cloud())
"""What faults may use that belong to no double."""


class Surroundings(Struct, frozen=True, kw_only=True):
    """What the faults of a double know of it.

    Args:
        declared: the resource types that are declared by now, with their names in Terraform.
        steps: the steps of each type that has some.
        check_asked: raises ``DefinitionError`` for a type at which nothing can fire, and for an op that nothing asks of it.
        world: what faults may use.
        name: what rules call the double; empty for one that they cannot tell from others.
        check_properties: raises ``DefinitionError`` for properties that the type does not have.
    """

    declared: Callable[[], Mapping[str, str]] = dict
    steps: Callable[[], Mapping[str, Sequence[str]]] = dict
    check_asked: Callable[[Op, str], None] = lambda _, type_: naming.check(type_, {})
    world: Callable[[], FaultWorld] = lambda: ALONE
    name: str = ""
    check_properties: Callable[[str, Collection[str], Collection[str]], None] = lambda *_: None


class Faults:
    """The faults of one double; ``layer`` is where they act."""

    def __init__(self, surroundings: Surroundings | None = None) -> None:
        self._surroundings = surroundings or Surroundings()
        self._rules: list[Rule] = []
        self._shelves: dict[tuple[Op, str, str], list[tuple[int, Rule]]] | None = None
        """The rules by op and by what is most special about each, with their places; made when they are first asked."""
        self._asked: dict[Op, deque[Call]] = {}
        """The last calls of each op that a rule is about, in the order in which they came."""
        self._lock = threading.Lock()
        self.on = On(self.begin)

    def begin(self, op: Op, type_: str | None = None, *, name: str | None = None, **selecting: Any) -> Rule:
        """A new rule after those that exist. Raises ``DefinitionError`` for a type that can only be misspelt."""
        given = {key: value for key, value in selecting.items() if value is not None}
        return self._add(When(op=op, type=self._known(op, type_), name="" if name is None else name, **given))

    def use(self, plan: FaultPlan | str | Path | Mapping[str, Any]) -> list[Rule]:
        """Add the rules of a plan: data, a ``.json`` or ``.toml`` file or its path, or JSON.

        Raises ``DefinitionError`` for what is no plan, and for one that cannot fire; then none of its rules is added.
        """
        loaded = load(plan).faults
        rules = [
            self._made(replace(rule.when, type=self._known(rule.when.op, rule.when.type or None)), rule.fault)
            for rule in loaded
        ]
        with self._lock:
            self._rules += rules
            self._shelves = None
        return rules

    @property
    def rules(self) -> list[Rule]:
        """The rules, in the order in which they are asked."""
        with self._lock:
            return list(self._rules)

    @property
    def plan(self) -> FaultPlan:
        """The rules that were given a fault, as data."""
        return FaultPlan(tuple(rule.data for rule in self.rules if rule.fault is not None))

    def clear(self) -> None:
        """Remove all rules."""
        with self._lock:
            self._rules.clear()
            self._shelves = None

    def rewind(self) -> None:
        """Count from the start again, so that the same plan can be run once more."""
        with self._lock:
            for rule in self._rules:
                rule.forget()

    def _add(self, when: When) -> Rule:
        rule = self._made(when)
        with self._lock:
            self._rules.append(rule)
            self._shelves = None
        return rule

    def _made(self, when: When, fault: Fault | None = None) -> Rule:
        return Rule(when, fault, self._check, self._asked.setdefault(when.op, deque(maxlen=REMEMBERED)))

    def _known(self, op: Op, type_: str | None) -> str:
        if type_ is None:
            return ""
        self._surroundings.check_asked(op, type_)
        return type_

    def _check(self, rule: FaultRule) -> None:
        """Raise ``DefinitionError`` for a rule that cannot fire here."""
        if type(rule.fault).of_the_fake and self._surroundings.world().cloud is None:
            raise DefinitionError(f"{word(rule.fault)}() changes the fake's cloud, and what answers here is no fake.")
        if self._surroundings.name and rule.when.provider not in ("", self._surroundings.name):
            raise DefinitionError(
                f"The rule is about the provider {rule.when.provider!r}: this is {self._surroundings.name!r}."
            )
        self._surroundings.check_properties(rule.when.type, rule.fault.named, ("id",))
        steps = self._surroundings.steps()
        known = {step for type_, names in steps.items() for step in names if rule.when.type in ("", type_)}
        # A type may be declared later; one that is declared now has all the steps that it will have.
        declared = rule.when.type in self._surroundings.declared() if rule.when.type else bool(self._surroundings.declared())
        if rule.phase is Phase.MID and declared and rule.when.step not in known:
            of = rule.when.type or "any type"
            raise DefinitionError(
                f"No step {rule.when.step!r} is declared by {of}, so nothing can happen in the middle of it. "
                f"{did_you_mean(rule.when.step, known, 'Steps are')} Declare it: ResourceType(..., steps=[Step('allocate')])."
            )

    # While calls come ------------------------------------------------------------------------------------------------

    def layer(self, call: Call, proceed: Handler) -> Reply:
        """Have the first fault act that is due at this call, or let it through."""
        if call.session.gone:
            return ended("unavailable", call.session.gone)
        due = self._due(call) if self._rules else None
        return proceed(call) if due is None else self._acted(due, call, proceed)

    def _due(self, call: Call) -> FaultRule | None:
        with self._lock:
            if call.op in self._asked:
                self._asked[call.op].append(call)
            if self._shelves is None:
                self._shelves = defaultdict(list)
                for place, rule in enumerate(self._rules):
                    self._shelves[rule.when.op, *rule.when.special].append((place, rule))
            op, shelves = call.op, self._shelves
            words = (("name", call.name), ("address", call.address), ("type", call.type), ("", ""))
            about = [placed for word in words if (shelf := shelves.get((op, *word))) for placed in shelf]
            if not about:
                return None
            fitting = [rule for _, rule in sorted(about, key=itemgetter(0)) if rule.fits(call)]
            for rule in fitting:
                if (fault := rule.take(call)) is not None:
                    return FaultRule(rule.when, fault)
        return None

    def _acted(self, rule: FaultRule, call: Call, proceed: Handler) -> Reply:
        world = self._surroundings.world()
        if rule.phase is Phase.MID:

            def midway(step: str, half: Reply, finish: Handler) -> Reply:
                return _played(rule, call, finish, replace(world, done=half)) if step == rule.when.step else finish(call)

            reply = proceed(replace(call, midway=midway))
        elif rule.phase is Phase.AFTER:
            done = proceed(call)
            reply = _played(rule, call, lambda _: done, replace(world, done=done))
        else:
            reply = _played(rule, call, proceed, world)
        if reply.delivery is not None and reply.delivery.how == "crash":
            call.session.gone = reply.failures[0].reason
        return reply


def _played(rule: FaultRule, call: Call, proceed: Handler, world: FaultWorld) -> Reply:
    with world.engine.holding(call, str(rule)) if rule.fault.hangs else nullcontext():
        return rule.fault(call, proceed, world)


def spread(plan: FaultPlan, doubles: Mapping[str, Faults]) -> list[Rule]:
    """Give the rules of a plan to the doubles by name: each to the one that it names, or to all.

    Raises ``DefinitionError`` for a double that there is not, and for what cannot fire.
    """
    for rule in plan.faults:
        if (name := rule.when.provider) and name not in doubles:
            raise DefinitionError(f"There is no provider {name!r} here. {did_you_mean(name, doubles, 'There are')}")
    return [
        rule
        for name, faults in doubles.items()
        for rule in faults.use(FaultPlan(tuple(rule for rule in plan.faults if rule.when.provider in ("", name))))
    ]

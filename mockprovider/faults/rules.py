"""Rules in force: which calls a rule has seen, how often its fault has fired, and why it has not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from typing import NoReturn

from msgspec.structs import replace

from mockprovider.calls import Call, Op
from mockprovider.errors import DefinitionError
from mockprovider.faults import naming
from mockprovider.faults.fault import Fault, Phase
from mockprovider.faults.kinds import KINDS, Words
from mockprovider.faults.plan import FaultRule
from mockprovider.faults.when import When, written
from mockprovider.hints import did_you_mean
from mockprovider.values import reveal


def _anywhere(_: FaultRule) -> None:
    """A rule of no double can fire anywhere."""


class Rule(Words):
    """One fault of a double: ``provider.faults.on.create("cloud:index:Bucket").error("over quota").times(2)``.

    The words for the kinds of faults set what happens, and the other methods say when. Each returns the rule, and raises
    ``DefinitionError`` for what makes no sense.

    Args:
        when: at which calls.
        fault: what happens there.
        check: raises ``DefinitionError`` for a rule that cannot fire on the double whose rule it is.
        asked: the last calls of its op, in the order in which they came: what a misspelt rule missed.
    """

    def __init__(
        self,
        when: When,
        fault: Fault | None = None,
        check: Callable[[FaultRule], None] = _anywhere,
        asked: Sequence[Call] = (),
    ) -> None:
        self.when = when
        self.fault: Fault | None = None
        self._check = check
        self._others = asked
        self.forget()
        if fault is not None:
            self.give(fault)

    def forget(self) -> None:
        """Count from the start again."""
        self.fired = 0
        """How often it has fired."""
        self._asked = 0
        self._fitting = 0
        self._previewed = False
        self._seen: Counter[tuple[str, ...]] = Counter()
        self._twins: dict[tuple[int, str, str], bool] = {}
        """Whether it fired at the creates without a name, by session, type and inputs."""

    @property
    def data(self) -> FaultRule:
        """The rule as data, without what it has counted. Raises ``DefinitionError`` if it was given no fault."""
        if self.fault is None:
            raise DefinitionError(f"{self!r} was given no fault, such as .{next(iter(KINDS))}().")
        return FaultRule(self.when, self.fault)

    def give(self, fault: Fault) -> Rule:
        """Have this happen."""
        return self._become(self.when, fault)

    def times(self, count: int) -> Rule:
        """Fire at this many calls, by default at one; a test in which fewer came fails, unless it is ``optional``."""
        return self._become(replace(self.when, times=count))

    def always(self) -> Rule:
        """Fire at every call from the first on, or from the one after those that ``after`` lets through."""
        return self._become(replace(self.when, always=True))

    def after(self, calls: int) -> Rule:
        """Let this many matching calls through first."""
        return self._become(replace(self.when, after=calls))

    def at(self, phase: Phase | str, step: str = "") -> Rule:
        """Act ``before`` the call is done, ``after`` it, on the ``reply``, or in the ``mid`` of it, after that step."""
        return self._become(replace(self.when, phase=phase, step=step))

    def sometimes(self, probability: float, *, seed: int = 0) -> Rule:
        """Fire with this probability at each call. Equal seeds fire at equal calls."""
        return self._become(replace(self.when, probability=probability, seed=seed))

    def optional(self) -> Rule:
        """It may fire less often than it says, or never; otherwise a test in which it did fails."""
        return self._become(replace(self.when, optional=True))

    def whichever(self) -> Rule:
        """Fire at whichever of several equal creates comes first; a rule that would break only some is refused otherwise."""
        return self._become(replace(self.when, whichever=True))

    def __getattr__(self, name: str) -> NoReturn:
        __tracebackhide__ = True
        said = did_you_mean(name, KINDS, "There are")
        raise AttributeError(f"There is no fault {name!r}. {said} .times(), .always(), .after(), .at(), .sometimes() say when.")

    def _become(self, when: When, fault: Fault | None = None) -> Rule:
        fault = fault or self.fault
        if fault is not None:
            # It is checked as a whole, and a rule that would be wrong stays as it was.
            self._check(FaultRule(when, fault))
        self.when, self.fault = when, fault
        return self

    # While calls come ------------------------------------------------------------------------------------------------

    def fits(self, call: Call) -> bool:
        """Whether the fault may fire at this call; if it may not, or never does, the rule can then say why."""
        if not self.when.is_about(call):
            return False
        if not self.when.fits(call):
            self._previewed = True
            return False
        self._fitting += 1
        return True

    def take(self, call: Call) -> Fault | None:
        """The fault, if this fitting call is one that it fires at.

        Raises ``DefinitionError`` where scheduling alone decides at which of several equal calls it fires.
        """
        fault = self._taken(call)
        if not (self.when.address or self.when.whichever or call.session.protocol.names_resources) and call.op is Op.CREATE:
            self._refuse_twins(call, fires=fault is not None)
        return fault

    def _refuse_twins(self, call: Call, *, fires: bool) -> None:
        """Two creates of one session that are equal in all that is told, of which one is broken, and one is not."""
        twin = (call.session.number, call.type, repr(reveal(call.inputs)))
        if self._twins.setdefault(twin, fires) is not fires:
            raise DefinitionError(
                f"{written(self.when)}: several equal calls fit, it breaks only some, and nothing tells which is which. "
                f"{_TELLING}"
            )

    def _taken(self, call: Call) -> Fault | None:
        when = self.when
        self._asked += 1
        if self._asked <= when.after or self.fault is None or (self.fired >= when.times and not when.always):
            return None
        if when.probability < 1 and self._chance(call) >= when.probability:
            return None
        self.fired += 1
        return self.fault

    def _chance(self, call: Call) -> float:
        """A number from 0 to 1: of the seed and the call, and not of the order in which different resources come."""
        about = (call.type, call.name or call.address or call.id, str(sorted((call.inputs or {}).items(), key=str)))
        self._seen[about] += 1
        text = repr((self.when.seed, self.when.op.value, *about, self._seen[about]))
        return int.from_bytes(sha256(text.encode()).digest()[:8]) / 2**64

    @property
    def unfired(self) -> str:
        """Why it has not fired as often as it is to, with the nearest call that there was; empty if it has."""
        if self.fired:
            return "" if self.when.always or self.fired >= self.when.times else self._left()
        if self.fault is None:
            return f"it was given no fault, such as .{next(iter(KINDS))}()"
        if self._fitting:
            return self._let_through()
        if self._previewed:
            return _PREVIEWS[self.when.preview]
        return naming.missed(self.when, self._others)

    def _left(self) -> str:
        return f"it fired {self.fired} of {self.when.times} times, and no more calls fitted"

    @property
    def complaint(self) -> str:
        """What a test or a command that needed the fault is told at its end; empty if it fired, or may be left unfired."""
        if self.when.optional or not self.unfired:
            return ""
        return f"{self} {'fired too seldom' if self.fired else 'never fired'}: {self.unfired}."

    def _let_through(self) -> str:
        if self._fitting > self._asked:
            return "an earlier rule fired instead at a call that it fits"
        if self.when.probability < 1:
            return f"{self._fitting} fitted, and chance let them through"
        return f"{self._fitting} fitted, and it lets {self.when.after} through first"

    def __repr__(self) -> str:
        wanted = "always" if self.when.always else f"of {self.when.times}"
        return f"Rule({written(self.when)}, fired {self.fired} {wanted})"

    def __str__(self) -> str:
        return repr(self)


_TELLING = (
    "Run serially (parallelism = 1) and select one by address='...', break all with .always(), or, if it does not matter "
    "which, add .whichever()."
)
_PREVIEWS: Mapping[str, str] = {
    "no": "it fits previews alone, in which nothing is done",
    "only": "it was to fire in previews, and fits none",
    "also": "",
}

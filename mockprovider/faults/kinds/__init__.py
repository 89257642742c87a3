"""The kinds of faults, one file each. A new kind is a file, and a line in this table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Generic, ParamSpec, Protocol, TypeAlias, TypeVar, Union, cast

from msgspec import Meta

from mockprovider.faults.fault import Fault
from mockprovider.faults.kinds.absent import NotFound
from mockprovider.faults.kinds.altered import Altered
from mockprovider.faults.kinds.cancel import Cancel
from mockprovider.faults.kinds.crash import Crash
from mockprovider.faults.kinds.drift import Drift
from mockprovider.faults.kinds.duplicate import Duplicate
from mockprovider.faults.kinds.error import Error
from mockprovider.faults.kinds.hang import Hang
from mockprovider.faults.kinds.kill_engine import KillEngine
from mockprovider.faults.kinds.latency import Latency
from mockprovider.faults.kinds.lose_reply import LoseReply
from mockprovider.faults.kinds.lose_state import LoseState
from mockprovider.faults.kinds.malformed import Malformed
from mockprovider.faults.kinds.null import Null
from mockprovider.faults.kinds.partial import Partial
from mockprovider.faults.kinds.rpc_error import RpcError
from mockprovider.faults.kinds.stale import StaleRead
from mockprovider.faults.kinds.throttle import Throttle
from mockprovider.faults.kinds.vanish import Vanish
from mockprovider.faults.kinds.warning import Warned

P = ParamSpec("P")
Made = TypeVar("Made")
Made_co = TypeVar("Made_co", covariant=True)


class FaultWord(Generic[P]):
    """A method of rules that is named like its kind of fault, takes what the kind takes, and returns the rule."""

    def __init__(self, kind: Callable[P, Fault]) -> None:
        self.kind = kind
        self.__doc__ = kind.__doc__

    def __get__(self, rule: Giving[Made], _: type | None = None) -> Callable[P, Made]:
        """The method of this rule."""

        def give(*args: P.args, **kwargs: P.kwargs) -> Made:
            return rule.give(self.kind(*args, **kwargs))

        return give


class Giving(Protocol[Made_co]):
    """What can be given a fault: a rule."""

    def give(self, fault: Any) -> Made_co:
        """Become a rule with this fault."""


class Words:
    """The table: a word for each kind. A rule has them as its methods, and an editor completes them."""

    error = FaultWord(Error)
    rpc_error = FaultWord(RpcError)
    warning = FaultWord(Warned)
    partial = FaultWord(Partial)
    lose_reply = FaultWord(LoseReply)
    duplicate = FaultWord(Duplicate)
    latency = FaultWord(Latency)
    throttle = FaultWord(Throttle)
    hang = FaultWord(Hang)
    cancel = FaultWord(Cancel)
    crash = FaultWord(Crash)
    kill_engine = FaultWord(KillEngine)
    lose_state = FaultWord(LoseState)
    stale = FaultWord(StaleRead)
    absent = FaultWord(NotFound)
    altered = FaultWord(Altered)
    null = FaultWord(Null)
    malformed = FaultWord(Malformed)
    drift = FaultWord(Drift)
    vanish = FaultWord(Vanish)


KINDS: Mapping[str, type[Fault]] = {
    name: cast("type[Fault]", word.kind) for name, word in vars(Words).items() if isinstance(word, FaultWord)
}
"""The kinds of faults by the words for them, which are their tags in data, too."""

if TYPE_CHECKING:
    Kind: TypeAlias = Fault
else:
    Kind = Annotated[Union[tuple(KINDS.values())], Meta(extra={"what": "kind of fault"})]  # noqa: UP007 - made of a table

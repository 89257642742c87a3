"""What a fault is: when within a call it acts, on which ops, and what it is given beside the call.

A fault is a small struct that is called like a behaviour: with the call, the way onward, and a world. The *phase* decides
what the way onward still does, so one fault serves several phases:

==========  ================================================================  ================================
phase       what was done when the fault is called                            what ``proceed`` does then
==========  ================================================================  ================================
``before``  nothing                                                           the whole call
``mid``     the steps of the type up to the chosen one                        the steps that are left
``after``   everything; the answer is not sent                                gives that answer
``reply``   nothing: the fault asks for the answer itself, and changes it     the whole call
==========  ================================================================  ================================
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from enum import StrEnum
from operator import attrgetter
from typing import ClassVar

from msgspec import Struct

from mockprovider import document
from mockprovider.calls import EFFECTS, Call, Handler, Op, Reply
from mockprovider.clock import Clock
from mockprovider.cloud import Cloud
from mockprovider.faults.engines import EnginesAtWork


class Phase(StrEnum):
    """When within a call a fault acts."""

    BEFORE = "before"
    MID = "mid"
    AFTER = "after"
    REPLY = "reply"


class FaultWorld(Struct, frozen=True):
    """What a fault may use beside the call.

    Args:
        clock: the double's clock.
        engine: what can be done to the engine that asks.
        cloud: the fake's cloud; ``None`` in front of a real or recorded provider.
        done: what was made by then: the answer of the steps that were done (``mid``), or of the whole call (``after``).
        limit: how many seconds a call may take: as the engine says, else as its type is declared, else 0.
    """

    clock: Clock
    engine: EnginesAtWork
    cloud: Cloud | None = None
    done: Reply | None = None
    limit: Callable[[Call], float] = attrgetter("timeout")


WAY_BACK = frozenset({Op.REGISTER, Op.REGISTER_OUTPUTS, Op.ENGINE, Op.VIEWS, Op.LOG})
"""What a provider asks of its engine: these calls do not pass the faults."""

EVERY = frozenset(Op) - WAY_BACK
"""The ops of all calls that an engine makes."""

WRITES = frozenset({Op.CREATE, Op.UPDATE})
"""The ops that leave an object, which can be half-made."""

READS = frozenset({Op.READ, Op.IMPORT})
"""The ops that look at an object."""

OBJECTS = EFFECTS | READS
"""The ops about one object."""

ANSWERS = EVERY - {Op.CANCEL, Op.DELETE}
"""The ops whose answers say more than that it was done."""

AROUND = (Phase.BEFORE, Phase.AFTER, Phase.MID)
"""The phases of a fault that may act at any time."""

WAITING = (Phase.AFTER, Phase.BEFORE, Phase.MID)
"""The phases of a fault that waits: usually it is made, and not ready yet."""

REASON = "injected by mockprovider"
"""What a failure says unless it is told what to say."""


class Fault(Struct, frozen=True, tag_field="kind"):
    """One kind of failure, called like a layer that also gets a world. This one does nothing.

    What it is given is checked by the types of its fields, which are the schema of fault plans, too; ``DefinitionError`` says
    what does not fit. ``ops`` are the ops at which it makes sense, and ``phases`` the phases, the usual one first. One that is
    ``of_the_fake`` needs the fake's cloud; at the ops in ``idle_in_previews`` it has nothing to do there.
    """

    ops: ClassVar[frozenset[Op]] = EVERY
    phases: ClassVar[tuple[Phase, ...]] = AROUND
    of_the_fake: ClassVar[bool] = False
    idle_in_previews: ClassVar[frozenset[Op]] = frozenset()

    @property
    def hangs(self) -> bool:
        """Whether it may keep a call without an answer until somebody ends it."""
        return False

    def __post_init__(self) -> None:
        document.fit(self, f"{self.__struct_config__.tag}()")

    @property
    def named(self) -> Collection[str]:
        """The properties that the type has to have for it to do anything."""
        return ()

    def __call__(self, call: Call, proceed: Handler, world: FaultWorld) -> Reply:  # noqa: ARG002 - for the kinds
        """The answer to ``call``."""
        return proceed(call)

"""Somebody changes an object behind the engine's back.

People change objects in the console, and other tools do. An engine sees it at the next refresh, if it reads what was changed.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, ClassVar

from mockprovider.calls import Call, Handler, Op, Reply
from mockprovider.errors import DefinitionError
from mockprovider.faults.fault import OBJECTS, Fault, FaultWorld, Phase


class Drift(Fault, frozen=True, tag="drift"):
    """Somebody changes the object behind the engine's back, right before or after this call.

    Args:
        changes: the properties with their new values; ``None`` removes one.
    """

    changes: Mapping[str, Any]

    ops: ClassVar[frozenset[Op]] = OBJECTS - {Op.DELETE}
    phases: ClassVar[tuple[Phase, ...]] = (Phase.AFTER, Phase.BEFORE)
    of_the_fake: ClassVar[bool] = True
    idle_in_previews: ClassVar[frozenset[Op]] = frozenset({Op.CREATE})

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.changes:
            raise DefinitionError('drift() changes nothing: say what, as in drift({"acl": "public"}).')

    @property
    def named(self) -> Collection[str]:
        """Those that are changed."""
        return self.changes

    def __call__(self, call: Call, proceed: Handler, world: FaultWorld) -> Reply:
        """Change the object, and go on."""
        reply = proceed(call) if not call.id else None
        id_ = call.id or (reply.id if reply else "")
        if world.cloud is not None and world.cloud.read(call.type, id_) is not None:
            world.cloud.drift(call.type, id_, **self.changes)
        return proceed(call) if reply is None else reply

"""Somebody changes an object behind the engine's back.

People change objects in the console, and other tools do. An engine sees it at the next refresh, if it reads what was changed.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, ClassVar

from mockprovider.calls import Op
from mockprovider.cloud import Cloud
from mockprovider.errors import DefinitionError
from mockprovider.faults.behind import Behind
from mockprovider.faults.fault import OBJECTS, Phase


class Drift(Behind, frozen=True, tag="drift"):
    """Somebody changes the object behind the engine's back, right before or after this call.

    Args:
        changes: the properties with their new values; ``None`` removes one.
    """

    changes: Mapping[str, Any]

    ops: ClassVar[frozenset[Op]] = OBJECTS - {Op.DELETE}
    phases: ClassVar[tuple[Phase, ...]] = (Phase.AFTER, Phase.BEFORE)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.changes:
            raise DefinitionError('drift() changes nothing: say what, as in drift({"acl": "public"}).')

    @property
    def named(self) -> Collection[str]:
        """Those that are changed."""
        return self.changes

    def happen(self, cloud: Cloud, type_: str, id_: str) -> None:
        """Change it."""
        cloud.drift(type_, id_, **self.changes)

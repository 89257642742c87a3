"""Somebody deletes an object behind the engine's back.

Somebody deletes an object in the console, or a lifetime is over. A delete that finds nothing must be no failure.
"""

from __future__ import annotations

from typing import ClassVar

from mockprovider.calls import Op
from mockprovider.cloud import Cloud
from mockprovider.faults.behind import Behind
from mockprovider.faults.fault import OBJECTS, Phase


class Vanish(Behind, frozen=True, tag="vanish"):
    """Somebody deletes the object behind the engine's back, right before or after this call."""

    ops: ClassVar[frozenset[Op]] = OBJECTS
    phases: ClassVar[tuple[Phase, ...]] = (Phase.BEFORE, Phase.AFTER)

    def happen(self, cloud: Cloud, type_: str, id_: str) -> None:
        """Remove it."""
        cloud.vanish(type_, id_)

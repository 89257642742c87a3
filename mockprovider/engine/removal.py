"""The end of an operation: what has to go is deleted, dependents before what they depend on."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mockprovider.engine.graph import deletion_batches, transitive_dependencies
from mockprovider.engine.threads import executor
from mockprovider.pulumi.state import ResourceState


class Removal:
    """Deletes resources of the state ``base`` in batches, ``parallel`` at once. ``delete`` says whether one is gone."""

    def __init__(self, base: Sequence[ResourceState], delete: Callable[[ResourceState], bool], parallel: int) -> None:
        self._base = base
        self._delete = delete
        self._parallel = parallel

    def carry_out(self, condemned: Sequence[ResourceState], stopped: Callable[[], bool]) -> None:
        """Delete ``condemned`` until ``stopped``. Where a deletion fails, the resource's dependencies stay."""
        spared: set[int] = set()
        for batch in deletion_batches(self._base, condemned):
            for resource in self._failures([resource for resource in batch if id(resource) not in spared]):
                spared |= transitive_dependencies(self._base, resource)
            if stopped():
                return

    def _failures(self, batch: Sequence[ResourceState]) -> list[ResourceState]:
        with executor(min(self._parallel, len(batch)) or 1) as pool:
            outcomes = list(pool.map(self._delete, batch))
        return [resource for resource, deleted in zip(batch, outcomes, strict=True) if not deleted]

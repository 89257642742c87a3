"""The state during an operation: new resources, finished old ones, and calls under way."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from mockprovider.engine.state.graph import repaired
from mockprovider.engine.state.renaming import renamed
from mockprovider.pulumi.stacks.state import PendingOperation, ResourceState, State, copied


class Ledger:
    """The resources of one operation, before and after. ``base`` are copies: the state that it started from is not touched.

    Of the operations that an earlier run was cut off in, only creates stay pending, since nobody knows what they have made; the
    others are seen to be done or not by what this operation does next. One that ``only_looks`` keeps all.
    """

    def __init__(self, state: State, *, only_looks: bool = False) -> None:
        self._lock = threading.Lock()
        self._changed = threading.Condition(self._lock)
        self._running: set[int] = set()
        self._found: dict[int, ResourceState | None] = {}
        """What a refresh found of old resources, ``None`` of those that are gone."""
        self._grown: dict[int, list[ResourceState]] = {}
        """New views of old resources, which stand behind these."""
        kept = (operation for operation in state.pending if only_looks or operation.kind == "creating")
        self._pending: dict[int, PendingOperation] = dict(enumerate(kept))
        self._next = len(state.pending)
        self._news: list[ResourceState] = []
        self._done: set[int] = set()
        self._reread: list[ResourceState] = []
        self._origins: dict[int, ResourceState] = {}
        self._mended = self._rebuilt = False
        self._secrets_providers = state.secrets_providers
        self.extensions = dict(state.extensions)
        """All that are known, by their references: those of the state, and what the program registers."""
        self.base: tuple[ResourceState, ...] = tuple(copied(resource) for resource in state.resources)
        self.live: dict[str, ResourceState] = {resource.urn: resource for resource in self.base if not resource.delete}
        self._views = _by_owner(self.base)

    def views(self, owner: str) -> list[ResourceState]:
        """The old views of the resource with the URN ``owner``."""
        return self._views.get(owner, [])

    def grow(self, owner: ResourceState, view: ResourceState) -> None:
        """``view`` is new, and stands behind the old resource ``owner``."""
        with self._lock:
            self._grown.setdefault(id(owner), []).append(view)

    def has(self, new: ResourceState | None) -> bool:
        """Whether ``new`` was added by this operation."""
        return any(resource is new for resource in self._news)

    def found(self, old: ResourceState, new: ResourceState | None) -> None:
        """A refresh found ``new`` where ``old`` was remembered, ``None`` if it is gone. Snapshots know it from now on."""
        with self._lock:
            self._found[id(old)] = new
            self._rebuilt = True

    def rebuild(self) -> None:
        """The old resources that remain are a refresh's, whether it has found them changed or not."""
        with self._lock:
            self._mended = self._rebuilt = True

    def reread(self, old: ResourceState, new: ResourceState | None) -> None:
        """As ``found``, where the program that runs has registered ``new``, which is among its resources from now on."""
        with self._lock:
            self._mended = True
            self._done.add(id(old))
            if new is not None:
                self._news.append(new)
                self._reread.append(new)
                self._origins[id(new)] = old

    def origin(self, resource: ResourceState) -> ResourceState:
        """Where ``resource`` was reread, what the operation started from in its place: what depends on it refers to that."""
        return self._origins.get(id(resource), resource)

    def review(self, old: ResourceState | None, new: ResourceState | None) -> None:
        """What was read again while the program runs has the view ``new`` where it had ``old``; ``None`` is no view."""
        with self._lock:
            kept = [new if resource is old else resource for resource in self.base]
            self.base = tuple(resource for resource in [*kept, None if old else new] if resource is not None)
            self._views = _by_owner(self.base)
            self.live = {resource.urn: resource for resource in self.base if not resource.delete}

    def rebase(self) -> None:
        """Go on from what the refresh found."""
        with self._lock:
            self.base, self._found, self._grown = self._refreshed(), {}, {}
            self._views = _by_owner(self.base)
            self.live = {resource.urn: resource for resource in self.base if not resource.delete}

    def _refreshed(self) -> tuple[ResourceState, ...]:
        remaining = [
            now
            for old in self.base
            if id(old) not in self._done
            for now in (self._found.get(id(old), old), *self._grown.get(id(old), ()))
            if now is not None
        ]
        urns = {resource.urn for resource in remaining}
        return tuple(repaired([resource for resource in remaining if not resource.view_of or resource.view_of in urns]))

    def add(self, new: ResourceState) -> None:
        """``new`` exists from now on; what it depends on has been added before."""
        with self._lock:
            self._news.append(new)

    def finish(self, old: ResourceState) -> None:
        """``old`` is gone, or has become something else."""
        with self._lock:
            self._done.add(id(old))

    @contextmanager
    def under_way(self, kind: str, resource: ResourceState) -> Iterator[None]:
        """Inside the block, snapshots list ``resource`` as a pending operation; an empty ``kind`` lists nothing."""
        with self._lock:
            number, self._next = self._next, self._next + 1
            self._running.add(number)
            if kind:
                self._pending[number] = PendingOperation(kind, resource)
        try:
            yield
        finally:
            with self._lock:
                self._pending.pop(number, None)
                self._running.discard(number)
                self._changed.notify_all()

    def settle(self, seconds: float) -> None:
        """Wait until nothing of this operation is under way any more, or nothing has ended for so many ``seconds``."""
        with self._changed:
            while self._running and self._changed.wait(seconds):
                pass

    @property
    def pending(self) -> tuple[PendingOperation, ...]:
        """The operations that are, or were, under way."""
        with self._lock:
            return tuple(self._pending.values())

    def leftovers(self) -> list[ResourceState]:
        """The old resources that this operation has not replaced, deleted or kept, those too that it has read and replaced."""
        with self._lock:
            replaced = [resource for resource in self._reread if resource.delete]
            return [resource for resource in (*self.base, *replaced) if id(resource) not in self._done]

    def remaining(self, tried: Sequence[ResourceState] = ()) -> list[ResourceState]:
        """What this operation has registered, or ``tried`` to, and not deleted, then what is left of the old resources."""
        with self._lock:
            news = dict.fromkeys(map(id, self._news))
            failed = [resource for resource in tried if id(resource) not in news]
            return [resource for resource in (*self._news, *failed, *self.base) if id(resource) not in self._done]

    def snapshot(self) -> State:
        """A copy of the current state: new resources in the order of their creation, then the remaining old ones."""
        with self._lock:
            remaining = [resource for resource in (*self._news, *self.base) if id(resource) not in self._done]
            present = [
                now
                for old in remaining
                for now in (self._found.get(id(old), old), *self._grown.get(id(old), ()))
                if now is not None
            ]
            # What an earlier run has deleted is forgotten with its replacement, though Pulumi deletes it once more.
            kept = [resource for resource in present if not (resource.delete and resource.pending_replacement)]
            if self._views or self._grown:
                urns = {resource.urn for resource in kept}
                kept = [resource for resource in kept if not resource.view_of or resource.view_of in urns]
            if self._found or self._mended:
                whole = self._news if self._rebuilt else kept
                kept = repaired(kept, {id(resource) for resource in whole})
            # An operation whose end is noted is over, though its thread may not have said so yet.
            noted = self._done | {id(resource) for resource in self._news}
            pending = tuple(
                PendingOperation(operation.kind, copied(operation.resource))
                for operation in self._pending.values()
                if id(operation.resource) not in noted
            )
        used = {resource.extension_ref for resource in kept} if self.extensions else set()
        extensions = {key: extension for key, extension in self.extensions.items() if key in used}
        return State(renamed(kept), pending, self._secrets_providers, extensions=extensions)


def _by_owner(resources: Sequence[ResourceState]) -> dict[str, list[ResourceState]]:
    views: dict[str, list[ResourceState]] = {}
    for resource in resources:
        if resource.view_of and not resource.delete:
            views.setdefault(resource.view_of, []).append(resource)
    return views

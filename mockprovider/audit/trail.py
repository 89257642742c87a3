"""What a provider's calls and answers say was made, changed and deleted: all that is known of a cloud that is not ours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from msgspec.structs import replace

from mockprovider.audit.objects import CutOff, Evidence, ExistingObject
from mockprovider.calls import STATUS_NAMES, Call, Op, Reply
from mockprovider.values import Bag, reveal, same

Key: TypeAlias = tuple[str, str]
KINDS: Mapping[Op, str] = {Op.CREATE: "creating", Op.UPDATE: "updating", Op.DELETE: "deleting"}
"""The ops that change something, and what they are called while nobody knows how they ended."""

NO_ANSWER = frozenset(STATUS_NAMES.index(name) for name in ("cancelled", "deadline_exceeded", "unavailable"))
"""The gRPC statuses that say nothing of what the provider did."""


class Trail:
    """Follows a provider's calls, in the order in which they began."""

    def __init__(self) -> None:
        self._objects: dict[Key, list[ExistingObject]] = {}
        self._gone: set[Key] = set()
        self._cut_off: list[CutOff] = []

    def follow(self, call: Call, reply: Reply | None) -> None:
        """One more call; without a ``reply`` it still runs, or broke."""
        if call.preview:
            return
        if reply is None or (reply.status is not None and reply.status.code in NO_ANSWER and reply.value is None):
            if call.op in KINDS:
                self._cut_off.append(CutOff(KINDS[call.op], call.type, call.id, _resource(call), is_remembered=False))
        elif call.op is Op.CREATE:
            self._created(call, reply)
        elif call.op in (Op.UPDATE, Op.READ, Op.IMPORT):
            self._seen(call, reply)
        elif call.op is Op.MOVE and reply.ok:
            self._moved(call, reply)
        elif call.op is Op.DELETE and reply.ok:
            self._deleted(call)

    @property
    def evidence(self) -> Evidence:
        """What is known by now."""
        objects = [existing for several in self._objects.values() for existing in several]
        return Evidence(objects, is_whole=False, gone=frozenset(self._gone), cut_off=tuple(self._cut_off))

    def _created(self, call: Call, reply: Reply) -> None:
        if reply.value is None and not reply.id:
            return
        inputs = reveal(call.inputs) if call.inputs is not None else None
        self._keep(ExistingObject(call.type, reply.id, reveal(reply.value or {}), _resource(call), inputs))

    def _seen(self, call: Call, reply: Reply) -> None:
        """An answer that shows an object as it is now, or that there is none."""
        before, now = (call.type, call.id), (call.type, reply.id or call.id)
        if reply.value is not None:
            known = self._take(before, call.prior) or ExistingObject(*now, {}, _resource(call), is_ours=False)
            self._keep(replace(known, id=now[1], properties=reveal(reply.value)))
        elif reply.ok and call.op is Op.READ:
            self._deleted(call)

    def _moved(self, call: Call, reply: Reply) -> None:
        """A resource that goes on as one of another type: its object is the same."""
        former = call.stored.type if call.stored else ""
        known = self._take((former, reply.id or call.id), None)
        if known is not None:
            self._keep(replace(known, type=call.type))

    def _keep(self, existing: ExistingObject) -> None:
        key = existing.type, existing.id
        self._objects.setdefault(key, []).append(existing)
        self._gone.discard(key)

    def _deleted(self, call: Call) -> None:
        key = call.type, call.id
        self._take(key, call.prior)
        if not self._objects.get(key):
            self._gone.add(key)

    def _take(self, key: Key, prior: Bag | None) -> ExistingObject | None:
        """The object of this id, which some types give to several: then the one that was as the engine remembered it."""
        several = self._objects.get(key)
        if not several:
            return None
        like = next((existing for existing in several if prior is not None and same(existing.properties, prior)), several[-1])
        several.remove(like)
        return like


def _resource(call: Call) -> str:
    return call.urn or call.address

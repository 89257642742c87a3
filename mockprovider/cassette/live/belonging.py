"""Whose object a call is about: one of the cassette's, or one that this run has made with the live provider."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

from mockprovider.calls import Call, Op, Reply
from mockprovider.cassette.verifying.correspondence import Values
from mockprovider.cassette.verifying.generated import is_time, leaves, looks_made_up

MAKING = frozenset({Op.CREATE, Op.UPDATE, Op.PLAN})
"""Ops whose recorded answers have values that the recorded provider made up for an object of the cassette."""
LASTING = frozenset({Op.RENEW, Op.CLOSE})
"""Ops about what was opened before, which only its private bytes name."""
ENDING = frozenset({Op.UPGRADE, Op.READ, Op.DIFF, Op.PLAN, Op.DELETE})
"""What an engine asks in order to delete an object."""


class Belonging:
    """What was given out by the cassette, and what was made live, in one run."""

    def __init__(self) -> None:
        self._recorded = Values()
        self._live = Values()
        self._ids: set[tuple[str, str]] = set()
        self._urns: set[str] = set()
        self._privates: set[bytes] = set()
        self._lock = threading.Lock()

    def replayed(self, call: Call, request: Any, answer: Any) -> None:
        """Note an answer of the cassette's. The trees are as they travel, with secrets and stand-ins for them."""
        if call.op in MAKING:
            with self._lock:
                _note(self._recorded, request, answer)
                self._urns.discard(call.urn)

    def answered(self, call: Call, request: Any, reply: Reply, answer: Any) -> None:
        """Note an answer of the live provider's."""
        with self._lock:
            _note(self._live, request, answer)
            self._privates |= {reply.private} - {b""}
            if call.op is Op.DELETE and reply.ok:
                self._urns.discard(call.urn)
            elif reply.ok or reply.partial:
                self._ids |= {(call.type, id_) for id_ in (reply.id, call.id) if id_}
                self._urns |= {call.urn} - {""} if call.op in (Op.CREATE, Op.IMPORT, Op.READ) else set()

    def is_live(self, call: Call, request: Any) -> bool:
        """Whether a call is about an object that this run has made, or found, with the live provider."""
        with self._lock:
            return (
                (call.type, call.id) in self._ids
                or call.urn in self._urns
                or call.private in self._privates
                or next(_mentions(request, self._live), None) is not None
            )

    def refusal(self, call: Call, request: Any) -> str:
        """Why a call may not reach the live provider; empty if it may."""
        with self._lock:
            mentioned = next((value for value in _mentions(request, self._recorded) if not self._is_own(value)), None)
        if mentioned is not None:
            return f"it has {mentioned!r}, which the cassette gave out for an object of its own"
        if _has_object(call) and not self.is_live(call, request):
            return "it is about an object that was not made in this run"
        return ""

    def _is_own(self, value: Any) -> bool:
        """Whether the live provider has given this value out, too, as some give the same id to all."""
        return value in self._live.texts or any(value == other for _, other in self._live.short)


def _has_object(call: Call) -> bool:
    """Whether a call is about an object that exists already; an import asks for one by an id that the user knows."""
    if call.op in LASTING:
        return True
    return bool(call.prior or call.prior_inputs or call.stored) or (bool(call.id) and call.op not in (Op.IMPORT, Op.READ))


def _note(values: Values, request: Any, answer: Any) -> None:
    """Note what an answer has that its request had not, and that looks made up."""
    brought = {(key, value) for key, value in leaves(request)}
    for key, value in leaves(answer):
        if (key, value) not in brought and looks_made_up(value, key) and not is_time(value):
            values.note(key, value, value)


def _mentions(tree: Any, values: Values) -> Iterator[Any]:
    """The values that stand somewhere in a tree."""
    for key, leaf in leaves(tree):
        if values.of(key, leaf) is not None:
            yield leaf
        elif isinstance(leaf, str):
            yield from (text for text in values.texts if text in leaf)

"""The handler that answers from a cassette alone."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from mockprovider.calls import Call, Handler, Op, Reply
from mockprovider.cassette import misses
from mockprovider.cassette.bindings import Bindings, Pair
from mockprovider.cassette.choice import Candidate, Choice, Entry, Verdict, choose, narrowed
from mockprovider.cassette.instances import note_instance
from mockprovider.cassette.model import Cassette, Interaction, status_of
from mockprovider.cassette.order import ANYWHERE, answer_digest, canonical, request_digest
from mockprovider.cassette.transcriber import Transcriber
from mockprovider.errors import AmbiguousError, CassetteError, MissError, UnsupportedError
from mockprovider.matching import digest, encode
from mockprovider.redaction import Redactor, is_plain, neutral

LOOKING = frozenset({Op.READ.value, Op.IMPORT.value})
"""Ops that tell what exists: their answers grow old when the object is changed."""


class _Bucket(Struct):
    """The interactions of one instance, method, type and URN, also by the digest of their requests."""

    entries: list[Entry]
    by_digest: dict[str, list[Entry]]


class Replayer:
    """Answers calls from a cassette, and refuses what it does not hold; also usable as a layer, which then never proceeds.

    A call is matched by provider instance, method and request. The session's number does not count, so an engine may open
    more sessions or fewer than were recorded.

    Args:
        cassette: what to answer from.
        transcriber: the protocol's views.
        redactor: with the names that the recording declared secret; it keeps them out of messages.

    ``phase`` may be set to one of the recording's phases; where answers differ, that phase's are then taken.
    Raises ``UnsupportedError`` at once for a cassette with calls from the provider to the engine.
    """

    def __init__(self, cassette: Cassette, transcriber: Transcriber, redactor: Redactor | None = None) -> None:
        self.phase = ""
        self.repeats = 0
        """How many answers were given again, beyond the number of times that they were recorded."""
        self.cassette = canonical(cassette)
        self._transcriber = transcriber
        self._redactor = redactor or Redactor()
        self._bindings = Bindings(self._redactor.vault)
        self._buckets: dict[tuple[str, str, str, str], _Bucket] = {}
        self._entries: list[Entry] = []
        self._now: dict[str, int] = defaultdict(int)
        self._changed: dict[tuple[str, ...], tuple[int, int]] = {}
        self._lock = threading.Lock()
        self._index()

    def _index(self) -> None:
        sessions = {each.number: each for each in self.cassette.header.sessions}
        for place, each in enumerate(self.cassette.interactions):
            if each.direction != "provider":
                raise UnsupportedError(
                    f"{self.cassette.name}: interaction {each.n} ({each.method}) is a call from the provider to the engine, "
                    "which this version cannot replay."
                )
            session = sessions[each.session]
            entry = Entry(
                each,
                place,
                session.wave,
                session.preview,
                request_digest(each),
                answer_digest(each),
                secret=not is_plain(encode(each.request)),
                filled=not is_plain(encode(_views(each))),
            )
            where = each.instance if each.op not in ANYWHERE else "", each.method, each.type, each.urn
            bucket = self._buckets.setdefault(where, _Bucket([], {}))
            bucket.entries.append(entry)
            bucket.by_digest.setdefault(entry.digest, []).append(entry)
            self._entries.append(entry)

    def __call__(self, call: Call, proceed: Handler | None = None) -> Reply:  # noqa: ARG002  a layer that never proceeds
        """The recorded answer.

        Raises ``MissError`` for a call that the cassette does not hold (any more), ``AmbiguousError`` where recorded answers
        cannot be told apart, ``UnsupportedError`` for what cannot be replayed.
        """
        call = self._transcriber.named(call)
        self._admit(call)
        names = self._redactor.names(call.type, self._transcriber.secrets(call))
        request = self._transcriber.request(call)
        with self._lock:
            self._redactor.learn([request], names)
            live = self._transcriber.key(call, self._redactor.hide(request, names).view)
            if call.op is Op.CONFIGURE:
                note_instance(call, live)
            candidate = self._find(call, live)
            interaction = candidate.entry.interaction
            answer = self._answer(candidate)
        if interaction.status is None:
            return self._transcriber.restore(call.method, answer, call)
        details = self._transcriber.pack(answer["details"]) if answer["details"] is not None else b""
        return self._transcriber.failed(status_of(interaction.status, answer["message"], details), call)

    def _admit(self, call: Call) -> None:
        if call.session.protocol != self.cassette.header.protocol:
            raise CassetteError(
                f"{self.cassette.name} was recorded over {self.cassette.header.protocol}, and the engine speaks "
                f"{call.session.protocol}. Replay it with an engine of that protocol, or record it again."
            )
        # Only now: a transcriber knows the calls of its own protocol alone.
        reason = self._transcriber.refuses(call)
        if reason:
            raise UnsupportedError(f"{call} cannot be replayed yet: {reason}.")

    def _find(self, call: Call, live: Any) -> Candidate:
        instance = call.session.instance if call.op.value not in ANYWHERE else ""
        candidates = self._candidates((instance, call.method, self._transcriber.type(call), call.urn), live)
        if not candidates:
            raise MissError(self._redactor.mask(misses.unknown(self.cassette, self._entries, call, live)))
        once = self._transcriber.mutates(call.method) and not call.preview
        choice = choose(self._aligned(candidates, call), once=once, urn=call.urn, now=self._now[instance])
        if choice.verdict is Verdict.AMBIGUOUS:
            raise AmbiguousError(self._redactor.mask(misses.ambiguous(self.cassette, choice.candidates, call)))
        if choice.verdict in (Verdict.EXHAUSTED, Verdict.PAST) or self._is_stale(choice, instance):
            raise MissError(self._redactor.mask(misses.used(self.cassette, choice, call)))
        return self._use(choice, instance, candidates, once=once)

    def _candidates(self, where: tuple[str, str, str, str], live: Any) -> list[Candidate]:
        bucket = self._buckets.get(where)
        if bucket is None:
            return []
        found = self._fitting(bucket.by_digest.get(digest(neutral(live)), ()), live)
        # A secret that is not recognised as one (not declared this time, or seen here first) still matches its placeholder.
        return found or self._fitting([each for each in bucket.entries if each.secret], live)

    def _fitting(self, entries: Sequence[Entry], live: Any) -> list[Candidate]:
        paired = [(each, self._pairs(each, live)) for each in entries]
        fitting = [(each, pairs) for each, pairs in paired if pairs is not None and self._bindings.fit(pairs)]
        strongest = max((self._bindings.strength(pairs) for _, pairs in fitting), default=0)
        return [
            Candidate(each, tuple(pairs), self._compared(each, pairs))
            for each, pairs in fitting
            if self._bindings.strength(pairs) == strongest
        ]

    def _pairs(self, entry: Entry, live: Any) -> list[Pair] | None:
        # Without placeholders, equal digests have said it all.
        return self._bindings.pairs(entry.interaction.request, live) if entry.secret else []

    def _compared(self, entry: Entry, pairs: Sequence[Pair]) -> str:
        if not pairs or entry.interaction.response_blob:
            return entry.answer
        return digest([self._bindings.compared(_views(entry.interaction), pairs), entry.interaction.withheld])

    def _aligned(self, candidates: Sequence[Candidate], call: Call) -> Sequence[Candidate]:
        """Where answers differ, those of the same phase and of the same kind of session, if there are such."""
        if len({each.answer for each in candidates}) > 1:
            candidates = narrowed(candidates, lambda each: bool(self.phase) and each.entry.interaction.phase == self.phase)
            preview = call.session.preview
            candidates = narrowed(
                candidates, lambda each: None not in (preview, each.entry.preview) and each.entry.preview == preview
            )
        return candidates

    def _is_stale(self, choice: Choice, instance: str) -> bool:
        entry = choice.candidates[0].entry
        if choice.verdict is not Verdict.REPEATED or entry.interaction.op not in LOOKING:
            return False
        changed = self._changed.get(_object(entry.interaction, instance))
        return changed is not None and changed > _moment(entry)

    def _use(self, choice: Choice, instance: str, candidates: Sequence[Candidate], *, once: bool) -> Candidate:
        chosen = choice.candidates[0]
        entry = chosen.entry
        if len({each.pairs for each in candidates}) == 1:
            self._bindings.bind(chosen.pairs)
        entry.used += 1
        self.repeats += choice.verdict is Verdict.REPEATED
        if once:
            key = _object(entry.interaction, instance)
            self._changed[key] = max(self._changed.get(key, (0, 0)), _moment(entry))
        if once or choice.ordered:
            self._now[instance] = max(self._now[instance], entry.wave)
        return chosen

    def _answer(self, candidate: Candidate) -> Any:
        interaction = candidate.entry.interaction
        if interaction.withheld:
            raise UnsupportedError(
                f"{self.cassette.name}: the answer of interaction {interaction.n} ({interaction.method}) cannot be replayed, "
                f"it was withheld when it was recorded: {interaction.withheld}."
            )
        if interaction.response_blob:
            return self.cassette.response(interaction)
        if not candidate.entry.filled:
            return _views(interaction)
        return self._bindings.filled(_views(interaction), candidate.pairs)

    def unused(self) -> list[Interaction]:
        """What was recorded, changes the cloud, and has not been asked for yet."""
        with self._lock:
            return [
                each.interaction
                for each in self._entries
                if not each.used and not each.interaction.preview and self._transcriber.mutates(each.interaction.method)
            ]


def _views(interaction: Interaction) -> Any:
    """The parts of an answer that may hold secrets."""
    if interaction.status is None:
        return interaction.response
    return {"message": interaction.status.message, "details": interaction.status.details}


def _object(interaction: Interaction, instance: str) -> tuple[str, ...]:
    """What names the object that an interaction is about; within one provider instance."""
    return (
        (instance, interaction.urn) if interaction.urn else (instance, interaction.type, interaction.id or f"#{interaction.n}")
    )


def _moment(entry: Entry) -> tuple[int, int]:
    """When an interaction was recorded, as far as the cassette's order tells: calls without a URN are in no order in a wave."""
    return entry.wave, entry.place if entry.interaction.urn else 0

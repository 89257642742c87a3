"""The handler that answers from a cassette alone."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from mockprovider.calls import Call, Handler, Op, Reply
from mockprovider.cassette import misses
from mockprovider.cassette.bindings import Bindings, Pair
from mockprovider.cassette.casting import Casting, Where
from mockprovider.cassette.choice import Candidate, Choice, RecordedEntry, Verdict, choose, narrowed
from mockprovider.cassette.instances import note_instance
from mockprovider.cassette.model import Cassette, Interaction, status_of
from mockprovider.cassette.order import ANYWHERE, answer_digest, canonical, request_digest
from mockprovider.cassette.renaming import Pairing, Renaming
from mockprovider.cassette.transcriber import Transcriber
from mockprovider.cassette.wayback import TOLD, Playing, Refused, back_of
from mockprovider.errors import AmbiguousError, CassetteError, MissError, UnsupportedError
from mockprovider.matching import digest, encode
from mockprovider.redaction import Redactor, is_plain, neutral

LOOKING = frozenset({Op.READ.value, Op.IMPORT.value})
"""Ops that read an object: their answers are outdated once it is changed."""


Arrange: TypeAlias = Callable[[str, str, Any], Any]
Cast: TypeAlias = tuple[RecordedEntry, Pairing, Renaming | None]
"""An entry that a call may be answered from, with the generated values that the call has in place of the recording's."""


class _Bucket(Struct):
    """The interactions of one instance, method, type and URN, also by the digest of their requests."""

    entries: list[RecordedEntry]
    by_digest: dict[str, list[RecordedEntry]]


class Replayer:
    """Answers calls from a cassette, and refuses what it does not hold; also usable as a layer, which then never proceeds.

    A call is matched by provider instance, method and request. The session's number does not count, so an engine may open
    more sessions or fewer than were recorded.

    Args:
        cassette: what to answer from.
        transcriber: the protocol's trees.
        redactor: with the names that the recording declared secret; it keeps them out of messages.
        arrange: given a method, a type and a tree of a request or an answer, the tree with its sets in one order.

    ``phase`` may be set to one of the recording's phases; where answers differ, that phase's are then taken.
    What the recorded provider asked its engine during a call is asked again before that call is answered (``wayback``).
    """

    def __init__(
        self,
        cassette: Cassette,
        transcriber: Transcriber,
        redactor: Redactor | None = None,
        arrange: Arrange = lambda _method, _type, tree: tree,
    ) -> None:
        self.phase = ""
        self._arrange = arrange
        self.repeats = 0
        """How many answers were given again, beyond the number of times that they were recorded."""
        self.cassette = canonical(cassette)
        self._transcriber = transcriber
        self._back = back_of(transcriber)
        self._redactor = redactor or Redactor()
        self._redactor.marks = transcriber.marks
        self._redactor.declare(cassette.header.secrets)
        self._bindings = Bindings(self._redactor.vault)
        self._buckets: dict[Where, _Bucket] = {}
        self._entries: list[RecordedEntry] = []
        self._now: dict[str, int] = defaultdict(int)
        self._changed: dict[tuple[str, ...], tuple[int, int]] = {}
        self._lock = threading.Lock()
        self._asked: dict[int, list[Interaction]] = defaultdict(list)
        self._instances = {session.number: session.instance for session in self.cassette.header.sessions}
        self._index()
        self._casting = Casting(
            ((_where(entry.interaction), entry) for entry in self._entries), self._makes, self._redactor.vault
        )

    def _index(self) -> None:
        sessions = {session.number: session for session in self.cassette.header.sessions}
        for interaction in self.cassette.interactions:
            if interaction.parent is not None:
                self._asked[interaction.parent].append(interaction)
        for place, interaction in enumerate(self.cassette.interactions):
            if interaction.direction != "provider":
                continue
            session = sessions[interaction.session]
            arranged = self._arranged(interaction)
            entry = RecordedEntry(
                interaction,
                arranged.request,
                place,
                session.wave,
                session.preview,
                request_digest(arranged),
                self._answered(arranged),
                secret=not is_plain(encode(interaction.request)),
                filled=not is_plain(encode(_trees(interaction))),
            )
            bucket = self._buckets.setdefault(_where(interaction), _Bucket([], {}))
            bucket.entries.append(entry)
            bucket.by_digest.setdefault(entry.digest, []).append(entry)
            self._entries.append(entry)

    def _arranged(self, interaction: Interaction) -> Interaction:
        trees = interaction.request, interaction.response
        request, response = (self._arrange(interaction.method, interaction.type, tree) for tree in trees)
        return replace(interaction, request=request, response=response)

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
            live = self._transcriber.key(call, self._redactor.hide(request, names).tree)
            live = self._arrange(call.method, self._transcriber.type(call), live)
            if call.op is Op.CONFIGURE:
                note_instance(call, live)
            candidate = self._find(call, live)
            interaction = candidate.entry.interaction
            answer = self._answer(candidate)
        if asked := self._asked.get(interaction.n):
            try:
                answer = self._played_again(call, candidate, asked)
            except Refused as refused:
                return refused.reply
        if interaction.status is None:
            return self._transcriber.restore(call.method, answer, call)
        details = self._transcriber.pack(answer["details"]) if answer["details"] is not None else b""
        return self._transcriber.failed(status_of(interaction.status, answer["message"], details), call)

    def _answered(self, interaction: Interaction) -> str:
        """Equal for equal answers, and with them for equal questions to the engine."""
        # Lines of log do not count: they are for people, and may contain times.
        asked = [question for question in self._asked.get(interaction.n, ()) if question.op != Op.LOG]
        if not asked:
            return answer_digest(interaction)
        return digest([answer_digest(interaction), [request_digest(question) for question in asked]])

    def _played_again(self, call: Call, candidate: Candidate, asked: Sequence[Interaction]) -> Any:
        """The answer, after the recorded calls to the engine have been repeated."""
        if self._back is None:
            raise UnsupportedError(f"{self.cassette.name}: what {call} asked its engine cannot be replayed in this protocol.")
        playing = Playing(call, self._back, self._bindings, self.cassette, redactor=self._redactor, lock=self._lock)
        playing.play([_renamed(question, candidate.renaming) for question in asked], candidate.pairs)
        with self._lock:
            answer = self._answer(candidate)
        return playing.mapped(answer, candidate.entry.interaction)

    def _admit(self, call: Call) -> None:
        if call.session.protocol.name != self.cassette.header.protocol:
            raise CassetteError(
                f"{self.cassette.name} was recorded over {self.cassette.header.protocol}, and the engine speaks "
                f"{call.session.protocol}. Replay it with an engine of that protocol, or record it again."
            )
        # After the check above, because a transcriber knows only its own protocol's calls.
        reason = self._transcriber.refuses(call)
        if reason:
            raise UnsupportedError(f"{call} cannot be replayed yet: {reason}.")

    def _makes(self, entry: RecordedEntry) -> bool:
        return self._transcriber.mutates(entry.interaction.method) or entry.interaction.op == Op.PLAN.value

    def _find(self, call: Call, live: Any) -> Candidate:
        instance = call.session.instance if call.op.value not in ANYWHERE else ""
        where = (instance, call.method, self._transcriber.type(call), call.urn)
        candidates = self._candidates(where, live)
        if not candidates:
            raise MissError(self._redactor.mask(misses.unknown(self.cassette, self._entries, call, live)))
        once = self._transcriber.mutates(call.method) and not call.preview
        choice = self._chosen(candidates, call, where, live)
        if choice.verdict is Verdict.AMBIGUOUS:
            raise AmbiguousError(self._redactor.mask(misses.ambiguous(self.cassette, choice.candidates, call, live)))
        if choice.verdict in (Verdict.EXHAUSTED, Verdict.PAST) or self._is_stale(choice, instance):
            raise MissError(self._redactor.mask(misses.used(self.cassette, choice, call)))
        return self._use(choice, instance, candidates, once=once)

    def _chosen(self, candidates: Sequence[Candidate], call: Call, where: Where, live: Any) -> Choice:
        # An answer that created an object is used once, even that of a plan, which may generate a name.
        creates = any(self._casting.makes(candidate.entry) for candidate in candidates)
        once = creates or (self._transcriber.mutates(call.method) and not call.preview)
        preferred = self._casting.preferred(self._aligned(candidates, call))
        choice = choose(preferred, once=once, urn=call.urn, now=self._now[where[0]])
        if not once or not any(candidate.pairing for candidate in candidates) or choice.verdict is Verdict.AMBIGUOUS:
            return choice
        if self._casting.spent(where, live, candidates):
            return Choice(Verdict.EXHAUSTED, candidates)
        if choice.verdict is Verdict.EXHAUSTED:
            spare = self._casting.spare(preferred[0], self._buckets[where].entries)
            if spare is not None:
                spare.used += 1
                return Choice(Verdict.FOUND, preferred[:1])
        return choice

    def _candidates(self, where: Where, live: Any) -> list[Candidate]:
        bucket = self._buckets.get(where)
        if bucket is None:
            return []
        cast = self._casting.matches(where, live)
        if cast is not None:
            return self._fitting(cast, live)
        candidates = self._fitting(_as_recorded(bucket.by_digest.get(digest(neutral(live)), ())), live)
        # A secret that is not declared this time, or not yet known, still matches its placeholder.
        return candidates or self._fitting(_as_recorded(entry for entry in bucket.entries if entry.secret), live)

    def _fitting(self, entries: Iterable[Cast], live: Any) -> list[Candidate]:
        paired = [(cast, self._pairs(cast, live)) for cast in entries]
        fitting = [(cast, pairs) for cast, pairs in paired if pairs is not None and self._bindings.fit(pairs)]
        strongest = max((self._bindings.strength(pairs) for _, pairs in fitting), default=0)
        return [
            Candidate(cast[0], tuple(pairs), self._compared(cast, pairs), cast[1], cast[2])
            for cast, pairs in fitting
            if self._bindings.strength(pairs) == strongest
        ]

    def _pairs(self, cast: Cast, live: Any) -> list[Pair] | None:
        entry, _, renaming = cast
        if renaming is not None and (entry.secret or not renaming.is_whole):
            where = entry.interaction.method, entry.interaction.type
            return self._bindings.pairs(self._arrange(*where, renaming(entry.request)), live)
        # Without placeholders, equal digests and marks are enough.
        return self._bindings.pairs(entry.request, live) if entry.secret else []

    def _compared(self, cast: Cast, pairs: Sequence[Pair]) -> str:
        entry, _, renaming = cast
        creates = self._casting.makes(entry)
        if entry.interaction.response_blob or not (pairs or creates or renaming):
            return entry.answer
        trees = self._casting.blank(entry) if creates else _trees(entry.interaction)
        renamed = self._arrange(entry.interaction.method, entry.interaction.type, renaming(trees) if renaming else trees)
        return digest([self._bindings.compared(renamed, pairs) if pairs else renamed, entry.interaction.withheld])

    def _aligned(self, candidates: Sequence[Candidate], call: Call) -> Sequence[Candidate]:
        """Where answers differ, those of the same phase and of the same kind of session, if there are such."""
        if len({candidate.answer for candidate in candidates}) > 1 or any(
            self._casting.makes(candidate.entry) for candidate in candidates
        ):
            candidates = narrowed(
                candidates, lambda candidate: bool(self.phase) and candidate.entry.interaction.phase == self.phase
            )
            preview = call.session.preview
            candidates = narrowed(
                candidates,
                lambda candidate: None not in (preview, candidate.entry.preview) and candidate.entry.preview == preview,
            )
            candidates = narrowed(candidates, lambda candidate: self._is_of_package(candidate, call))
        return candidates

    def _is_of_package(self, candidate: Candidate, call: Call) -> bool:
        """Whether the recorded session later became a provider of the package of this call's session."""
        instance = self._instances.get(candidate.entry.interaction.session, "")
        return self._transcriber.is_for(instance, getattr(call.session.schema, "name", ""))

    def _is_stale(self, choice: Choice, instance: str) -> bool:
        entry = choice.candidates[0].entry
        if choice.verdict is not Verdict.REPEATED or entry.interaction.op not in LOOKING:
            return False
        changed = self._changed.get(_object(choice.candidates[0], instance))
        return changed is not None and changed > _moment(entry)

    def _use(self, choice: Choice, instance: str, candidates: Sequence[Candidate], *, once: bool) -> Candidate:
        entry = choice.candidates[0].entry
        chosen = replace(choice.candidates[0], renaming=self._casting.settle(choice.candidates[0], candidates))
        if len({candidate.pairs for candidate in candidates}) == 1:
            self._bindings.bind(chosen.pairs)
        entry.used += 1
        self.repeats += choice.verdict is Verdict.REPEATED
        if once:
            key = _object(chosen, instance)
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
        trees = candidate.renaming(_trees(interaction)) if candidate.renaming else _trees(interaction)
        return self._bindings.filled(trees, candidate.pairs) if candidate.entry.filled else trees

    def unused(self) -> list[Interaction]:
        """What was recorded, changes the cloud, and has not been asked for yet."""
        with self._lock:
            return [
                entry.interaction
                for entry in self._entries
                if not entry.used and not entry.interaction.preview and self._transcriber.mutates(entry.interaction.method)
            ]


def _trees(interaction: Interaction) -> Any:
    """The parts of an answer that may hold secrets."""
    if interaction.status is None:
        return interaction.response
    return {"message": interaction.status.message, "details": interaction.status.details}


def _renamed(interaction: Interaction, renaming: Callable[[Any], Any] | None) -> Interaction:
    """An interaction that reports about an object, with the generated values that it has now."""
    return replace(interaction, request=renaming(interaction.request)) if renaming and interaction.op in TOLD else interaction


def _where(interaction: Interaction) -> Where:
    instance = interaction.instance if interaction.op not in ANYWHERE else ""
    return instance, interaction.method, interaction.type, interaction.urn


def _as_recorded(entries: Iterable[RecordedEntry]) -> Iterable[Cast]:
    return ((entry, (), None) for entry in entries)


def _object(candidate: Candidate, instance: str) -> tuple[str, ...]:
    """What names the object that a call is about; within one provider instance."""
    interaction = candidate.entry.interaction
    if interaction.urn:
        return instance, interaction.urn
    id_ = candidate.renaming(interaction.id) if candidate.renaming else interaction.id
    return instance, interaction.type, id_ or f"#{interaction.n}"


def _moment(entry: RecordedEntry) -> tuple[int, int]:
    """When an interaction was recorded, as far as the cassette's order tells: calls without a URN are in no order in a wave."""
    return entry.wave, entry.place if entry.interaction.urn else 0

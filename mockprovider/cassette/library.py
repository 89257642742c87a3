"""Recordings that are replayed: what a call is answered with, and why it is refused."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from mockprovider.calls import Call, Op, Reply
from mockprovider.cassette import misses
from mockprovider.cassette.bindings import Bindings
from mockprovider.cassette.choice import Candidate, Verdict
from mockprovider.cassette.decided import take_decisions
from mockprovider.cassette.instances import note_instance
from mockprovider.cassette.lookup import LiveCall, Lookup
from mockprovider.cassette.matching import Comparison, Matching, Order, check_methods
from mockprovider.cassette.model import DAMAGE, Cassette, Interaction, damaged, status_of
from mockprovider.cassette.modes import LookResult
from mockprovider.cassette.objects.explaining import answer_of
from mockprovider.cassette.order import ANYWHERE
from mockprovider.cassette.recorded import RecordedCall
from mockprovider.cassette.rehearsal import rehearsed
from mockprovider.cassette.replay import Replay
from mockprovider.cassette.sequence import RecordedSequence
from mockprovider.cassette.shelf import Reader, Shelf
from mockprovider.cassette.tally import Tally
from mockprovider.cassette.transcriber import Transcriber
from mockprovider.cassette.unplayed import REQUIRED, Unplayed, listed
from mockprovider.cassette.wayback import TOLD, Playing, Refused, back_of
from mockprovider.errors import AmbiguousError, CassetteError, MissError, UnsupportedError
from mockprovider.redaction import Policy, Redactor, fill, placeholder

FORGOTTEN = frozenset({Op.OPEN, Op.RENEW})
"""What engines ask for anew whenever they need it."""


class Sought(Struct, frozen=True):
    """A call, and what the recording holds for it.

    ``sent`` is the call's key with what is masked in it, ``names`` says which places are secret and which are masked.
    """

    call: Call
    lookup: Lookup
    sent: Any
    names: Policy

    @property
    def outcome(self) -> LookResult:
        """Found, missing or ambiguous."""
        return self.lookup.outcome


class TakenAnswer:
    """What is given for a call: ``tree`` is the recorded answer as it is now, and calling this makes the reply.

    ``candidate`` is what was chosen, ``recorded`` its call, and ``hidden`` its answer about the live objects, with placeholders
    for secrets.
    """

    def __init__(self, candidate: Candidate, hidden: Any, tree: Any, reply: Callable[[Call | None], Reply]) -> None:
        self.candidate = candidate
        self.recorded = candidate.call
        self.hidden = hidden
        self.tree = tree
        self._reply = reply

    def __call__(self, call: Call | None = None) -> Reply:
        """The reply, to this ``call`` instead of the one that was looked for, where something listens to its way back.

        Raises what the way back raises (``wayback.Playing.play``).
        """
        return self._reply(call)


class Library:
    """A recording and how far its replay has come. ``look`` moves nothing, ``take`` moves everything.

    A call is matched by provider, provider instance, method and request. The session's number does not count, so an engine may
    open more sessions or fewer than were recorded. One library serves all providers that were recorded together.

    Args:
        cassette: what to answer from.
        readers: by the provider's name in the cassette: ``""`` where it holds one provider.
        redactor: with the names that the recording declared secret; it keeps them out of messages.
        matching: what is decided about which calls match, beside what the recording decides.

    Raises ``CassetteError`` where the readers are of other providers than the cassette has.

    ``phase`` may be set to one of the recording's phases; where answers differ, that phase's are then taken.
    What the recorded provider asked its engine during a call is asked again before that call is answered (``wayback``).
    """

    def __init__(
        self,
        cassette: Cassette,
        readers: Mapping[str, Reader],
        redactor: Redactor | None = None,
        matching: Matching | None = None,
    ) -> None:
        self.phase = ""
        self.repeats = 0
        """How many answers were given again, beyond the number of times that they were recorded."""
        self.policy = Unplayed.FAIL
        """Whether all recorded changes have to be played."""
        self.turn = threading.RLock()
        """Held from a look until what it found is taken, so that no other call takes it."""
        self._spoken = cassette.header.spoken
        if readers.keys() != self._spoken.keys():
            held = ", ".join(cassette.header.providers) or "one provider"
            raise CassetteError(f"{cassette.name} holds {held}: replay it with replaying_all(path).")
        self.redactor = redactor or Redactor()
        """What is secret, and what is masked."""
        self.redactor.marks = next(iter(readers.values())).transcriber.marks
        take_decisions(self.redactor, cassette)
        self._matching = (matching or Matching()).with_kept(cassette.header.matching)
        comparison = Comparison(self._matching)
        self._comparison = None if comparison.whole else comparison
        self.shelf = Shelf(cassette, readers, self._compared if self.redactor.masks.known else None, self._comparison)
        self.cassette = self.shelf.cassette
        self._replay = Replay(self.shelf, self.redactor.vault, cache(lambda family: rehearsed(self.shelf, family)))
        if self._matching.repeat:
            check_methods(self._matching, {call.interaction.method for call in self.shelf.calls})
        if self._matching.order == Order.STRICT:
            self._replay.sequence = self._sequence()

    def _compared(self, type_: str, tree: Any) -> Any:
        """A recorded tree without what is masked in it."""
        return self.redactor.compared(tree, self.redactor.names(type_))

    def transcriber(self, provider: str) -> Transcriber:
        """How this provider's messages are written down."""
        return self.shelf.readers[provider].transcriber

    def _sequence(self) -> RecordedSequence:
        if not all(call.interaction.at for call in self.shelf.calls):
            raise CassetteError(
                f"{self.cassette.name} was recorded without the order in which its calls came, so it cannot be replayed in "
                f"strict order. Record it with that: matching={{'order': 'strict'}}."
            )
        return RecordedSequence(self.shelf.calls)

    def request(self, call: Call, provider: str) -> Any:
        """The tree of a call's request, with its secrets."""
        transcriber = self.transcriber(provider)
        return transcriber.request(transcriber.named(call))

    # Looking -------------------------------------------------------------------------------------------------------------

    def look(self, call: Call, provider: str = "", as_recorded: Callable[[Any], Any] | None = None) -> Sought:
        """What the recording holds for a call of this provider. It learns which values are secret, and moves nothing.

        ``as_recorded`` turns the tree of a request into what the recorded provider would have been asked.
        Raises ``CassetteError`` for a call of another protocol, ``UnsupportedError`` for what cannot be replayed.
        """
        reader = self.shelf.readers[provider]
        transcriber = reader.transcriber
        call = transcriber.named(call)
        self._admit(call, transcriber, provider)
        type_ = transcriber.type(call)
        names = self.redactor.names(call.type, transcriber.secrets(call), type_)
        request = transcriber.request(call)
        if as_recorded is not None:
            request = as_recorded(request)
        with self.turn:
            hidden = self.redactor.learnt(request, names)
            sent = transcriber.key(call, hidden.tree)
            tree = reader.arrange(call.method, type_, self.redactor.compared(sent, names))
            if self._comparison is not None:
                tree = self._comparison(provider, call.op.value, call.method, type_, tree)
            instance = call.session.instance if call.op not in ANYWHERE else ""
            live = LiveCall(
                where=(provider, instance, call.method, type_, call.urn),
                tree=tree,
                session=(provider, call.session.number),
                once=transcriber.mutates(call.method) and not call.preview,
                forgotten=call.op in FORGOTTEN,
                address=call.address,
                phase=self.phase,
                preview=call.session.preview,
                fits=lambda recorded: self._is_of_package(recorded.interaction, call, transcriber),
                repeat=self._matching.repeat.get(call.method, ""),
                encoded=hidden.encoded if tree is request else b"",
            )
            return Sought(call, self._replay.look(live), sent, names)

    def _admit(self, call: Call, transcriber: Transcriber, provider: str) -> None:
        spoken = self._spoken[provider]
        if call.session.protocol.name != spoken:
            raise CassetteError(
                f"{self.cassette.name} was recorded over {spoken}, and the engine speaks "
                f"{call.session.protocol}. Replay it with an engine of that protocol, or record it again."
            )
        # After the check above, because a transcriber knows only its own protocol's calls.
        reason = transcriber.refuses(call)
        if reason:
            raise UnsupportedError(f"{call} cannot be replayed yet: {reason}.")

    def _is_of_package(self, interaction: Interaction, call: Call, transcriber: Transcriber) -> bool:
        """Whether the recorded session later became a provider of the package of this call's session."""
        instance = self.shelf.instances.get(interaction.session, "")
        return transcriber.is_for(instance, getattr(call.session.schema, "name", ""))

    def absent(self, type_: str) -> str:
        """What to say to whoever asks for a type that the recording has nothing about; empty if it has something."""
        why = " ".join(misses.absent(self.shelf, type_))
        return f"The provider is replayed from {self.cassette.name}. {why} {misses.again(self.cassette)}" if why else ""

    def why(self, sought: Sought) -> MissError | AmbiguousError:
        """Why a call is refused that was not found, in words."""
        lookup, call = sought.lookup, sought.call
        error = AmbiguousError if sought.outcome is LookResult.AMBIGUOUS else MissError
        message = misses.told(self.shelf, self._replay.used, lookup, call)
        return error(self.redactor.mask(message))

    # The recording's own calls, asked again ----------------------------------------------------------------------------------

    def look_again(self, recorded: RecordedCall, call: Call) -> Sought:
        """What the recording holds for a call that it has, asked with what this replay gives out for each secret.

        ``call`` is what messages call it. Its request is the recorded one.
        """
        interaction = recorded.interaction
        live = LiveCall(
            where=recorded.where,
            tree=self._replay.bindings.sent(recorded.request),
            session=(interaction.provider, interaction.session),
            once=recorded.once,
            address=interaction.address,
            phase=interaction.phase,
            preview=recorded.preview,
        )
        names = self.redactor.names(interaction.type)
        return Sought(call, self._replay.look(live), self._replay.bindings.sent(self.cassette.request(interaction)), names)

    def answer_to(self, recorded: RecordedCall) -> Any:
        """The answer that a call had, with what this replay gives out for each secret. Raises as ``take`` does."""
        return self._answer(Candidate(recorded, (), recorded.answer))

    # Taking --------------------------------------------------------------------------------------------------------------

    def take(self, sought: Sought) -> TakenAnswer:
        """Everything moves on by what was found. The reply is made by calling what comes back, after ``turn`` is let go.

        Raises ``UnsupportedError`` where the answer was withheld, ``CassetteBrokenError`` where it is damaged.
        """
        call = sought.call
        with self.turn:
            if call.op is Op.CONFIGURE:
                note_instance(call, sought.lookup.call.tree, sought.lookup.call.where[3])
            candidate = self._replay.take(sought.lookup)
            self.repeats += sought.lookup.decision.verdict is Verdict.REPEATED
            if self.redactor.masks.known:
                # What is masked is not compared, but secrets there are still those that the answer has.
                request = self.cassette.request(candidate.call.interaction)
                for recorded, live in self.redactor.masked(request, sought.sent, sought.names):
                    self._replay.bindings.note(recorded, live)
            try:
                # Until somebody asks for its tree, the text of an answer tells fast whether it has placeholders.
                filled = candidate.call.filled
                hidden = self._hidden_answer(candidate)
                answer = self._filled(candidate, hidden) if filled else hidden
            except DAMAGE as error:
                raise damaged(self.cassette.name, candidate.call.interaction, error) from error
        return TakenAnswer(candidate, hidden, answer, partial(self._reply, sought, candidate, answer))

    def _reply(self, sought: Sought, candidate: Candidate, answer: Any, call: Call | None = None) -> Reply:
        call, interaction = call or sought.call, candidate.call.interaction
        transcriber = self.shelf.readers[interaction.provider].transcriber
        if asked := self.shelf.asked.get(interaction.n):
            try:
                answer = self._played_again(call, candidate, asked, transcriber)
            except Refused as refused:
                return refused.reply
        if self.redactor.masks.known:
            answer = self._as_sent(answer, sought, candidate)
        try:
            if interaction.status is None:
                return self._restored(transcriber, candidate.call, answer, call)
            details = transcriber.pack(answer["details"]) if answer["details"] is not None else b""
            return transcriber.failed(status_of(interaction.status, answer["message"], details), call)
        except DAMAGE as error:
            raise damaged(self.cassette.name, interaction, error) from error

    def _restored(self, transcriber: Transcriber, recorded: RecordedCall, answer: Any, call: Call) -> Reply:
        """The reply of an answer. An answer as it was recorded was found to be sound when it was given for the first time."""
        as_it_was = answer is recorded.interaction.response
        if as_it_was and recorded.sent:
            return transcriber.restored_again(call.method, answer, call, recorded.sent)
        reply = transcriber.restore(call.method, answer, call)
        if as_it_was and reply.native and transcriber.timeless(call.method):
            recorded.sent = reply.native.data
        return reply

    def _as_sent(self, answer: Any, sought: Sought, candidate: Candidate) -> Any:
        """An answer with what the engine sent today where the recording has what it sent under a mask."""
        with self.turn:
            recorded = self._replay.bindings.filled(self.cassette.request(candidate.call.interaction), candidate.pairs)
        live = fill(sought.sent, lambda number, _: self.redactor.vault.value(number))
        return self.redactor.answered(answer, recorded, live, sought.names)

    def _played_again(self, call: Call, candidate: Candidate, asked: Sequence[Interaction], transcriber: Transcriber) -> Any:
        """The answer, after the recorded calls to the engine have been repeated."""
        back = back_of(transcriber)
        if back is None:
            raise UnsupportedError(f"{self.cassette.name}: what {call} asked its engine cannot be replayed in this protocol.")
        playing = Playing(call, back, self._replay.bindings, self.cassette, redactor=self.redactor, lock=self.turn)
        playing.play([_renamed(question, candidate.renaming) for question in asked], candidate.pairs)
        with self.turn:
            answer = self._answer(candidate)
        return playing.mapped(answer, candidate.call.interaction)

    def _answer(self, candidate: Candidate) -> Any:
        return self._filled(candidate, self._hidden_answer(candidate))

    def _hidden_answer(self, candidate: Candidate) -> Any:
        """The answer about the live objects, with placeholders for secrets."""
        interaction = candidate.call.interaction
        if interaction.withheld:
            raise UnsupportedError(
                f"{self.cassette.name}: the answer of interaction {interaction.n} ({interaction.method}) cannot be replayed, "
                f"it was withheld when it was recorded: {interaction.withheld}."
            )
        if interaction.response_blob:
            return self.cassette.response(interaction)
        return candidate.renaming(answer_of(candidate.call)) if candidate.renaming else answer_of(candidate.call)

    def _filled(self, candidate: Candidate, answer: Any) -> Any:
        if candidate.call.interaction.response_blob or not candidate.call.filled:
            return answer
        return self._replay.bindings.filled(answer, candidate.pairs)

    def secret(self, number: int, kind: str) -> Any:
        """The value that this replay has for a placeholder: what the engine sent, or a stand-in."""
        with self.turn:
            return self._replay.bindings.filled(placeholder(number, kind))

    def sent(self, tree: Any) -> Any:
        """A recorded tree with the numbers that its secrets have in this replay, in the vault of the redactor."""
        with self.turn:
            return self._replay.bindings.sent(tree)

    # The provider's own code, run again -------------------------------------------------------------------------------------

    @property
    def bindings(self) -> Bindings:
        """What stands for the recorded secrets until now. It changes under ``turn`` only."""
        return self._replay.bindings

    def answer_again(self, taken: TakenAnswer) -> Any:
        """The tree of an answer that was taken, with what has been learnt of secrets since. Raises as ``take`` does."""
        with self.turn:
            return self._answer(taken.candidate)

    def unused(self) -> list[Interaction]:
        """What was recorded, changes the cloud, and has not been asked for yet."""
        with self.turn:
            return [call.interaction for call in self.shelf.calls if call.once and not self._replay.used[call.place]]

    def tally(self) -> Tally:
        """How many of its calls were played, repeated and never played until now."""
        with self.turn:
            return Tally(sum(self._replay.used.values()), self.repeats, len(self.unused()))

    def unplayed(self, provider: str = "") -> list[str]:
        """The changes that this provider was to be asked for and was not, a line each; none where that is allowed."""
        missed = [one for one in self.unused() if one.op in REQUIRED and one.provider == provider]
        return [] if self.policy is Unplayed.ALLOW else [*listed(missed)]


def _renamed(interaction: Interaction, renaming: Callable[[Any], Any] | None) -> Interaction:
    """An interaction that reports about an object, with the generated values that it has now."""
    return replace(interaction, request=renaming(interaction.request)) if renaming and interaction.op in TOLD else interaction

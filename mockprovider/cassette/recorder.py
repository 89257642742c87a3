"""The layer that writes down what a provider was asked and what it answered."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Mapping
from itertools import count
from types import TracebackType
from typing import Any, Self

from msgspec.structs import replace

from mockprovider.calls import Call, Handler, Op, Reply, Session, Status
from mockprovider.cassette.decided import note_decisions, notices
from mockprovider.cassette.http.recording import HttpRecording
from mockprovider.cassette.instances import note_instance
from mockprovider.cassette.listening import Asked, Line, Listener, Speaker
from mockprovider.cassette.matching import Order
from mockprovider.cassette.merging import Earlier
from mockprovider.cassette.model import Cassette, Header, Interaction, RecordedStatus, Sent, code_name
from mockprovider.cassette.order import DESCRIBING, STARTING, canonical
from mockprovider.cassette.scrubbing import WITHHELD, Scrubber
from mockprovider.cassette.sink import Memory, Sink
from mockprovider.cassette.transcriber import Transcriber
from mockprovider.cassette.wayback import Back, back_of
from mockprovider.errors import CassetteError, UnsupportedError
from mockprovider.redaction import Hidden, Redactor

BROKEN_OFF = "the provider's stream broke off after some of its messages"


class Recorder:
    """A layer in front of a provider, or of each of several. Each answer is in the sink before it is handed on.

    Args:
        transcriber: the protocol's trees; of several providers, that of each by its name in the header.
        header: of the cassette; its sessions are filled at ``close``.
        sink: where the interactions go.
        redactor: what is secret; Pulumi's secret objects are, in any case.
        finishing: what is to be done to the cassette before it is kept, such as making it smaller.
        earlier: the cassette that this adds to. Without anything new, it stays as it is.

    ``phase`` may be set to a name for what happens next (``up``, ``refresh``); it is recorded with each call that begins then.
    A call that cannot be recorded yet raises ``UnsupportedError`` before it reaches the provider.
    """

    def __init__(
        self,
        transcriber: Transcriber | Mapping[str, Transcriber],
        header: Header,
        sink: Sink | None = None,
        redactor: Redactor | None = None,
        finishing: Callable[[Cassette], Cassette] = lambda cassette: cassette,
        *,
        earlier: Earlier | None = None,
    ) -> None:
        self.phase = ""
        self.http: HttpRecording | None = None
        """What hears the HTTP of the providers' own code, where that is recorded, too."""
        self._earlier = earlier
        self._repeats: dict[int, int] = {}
        """Which call of the earlier cassette each of these repeats, by their numbers."""
        transcribers = transcriber if isinstance(transcriber, Mapping) else {"": transcriber}
        self._speakers = {name: Speaker(name, one, back_of(one)) for name, one in transcribers.items()}
        self._count = 0
        self._header = header
        self._arrivals = count(1) if header.matching.get("order") == Order.STRICT else None
        self._sink = sink or Memory()
        self._redactor = redactor or Redactor()
        self._redactor.marks = next(iter(transcribers.values())).marks
        self._finishing = finishing
        self._interactions: list[Interaction] = []
        self._sessions: dict[tuple[str, int], int] = {}
        """The number of each session in the recording: those of several doubles have the same."""
        self._previews: dict[int, bool | None] = {}
        self._types: set[str] = set()
        self._about: dict[int, tuple[str, ...]] = {}
        """Each interaction's type, in its spellings."""
        self._listeners: dict[int, tuple[Session, Listener]] = {}
        self._scrubber = Scrubber(self._redactor, self._sink.blobs)
        self._lock = threading.Lock()
        self._faults: dict[str, Any] = {}
        """The fault plan of each provider that has been ended."""
        self._cassette: Cassette | None = None
        self._notices: list[str] = []
        self._failed: CassetteError | None = None
        self._broke_off = False
        """Whether the run that is recorded ended in an error."""

    def declare(self, secrets: Mapping[str, Collection[str]]) -> None:
        """Hide what is declared secret, by type token, whether or not the provider marks it; in earlier calls, too."""
        self._redactor.declare(secrets)

    def __call__(self, call: Call, proceed: Handler, provider: str = "", repeats: int = 0) -> Reply:
        """Record the call and the answer that ``proceed`` gives; what it raises is no answer and is not recorded.

        ``provider`` says whose call it is, where several are recorded; ``repeats``, which call of the earlier cassette gives
        the answer.
        """
        speaker = self._speakers[provider]
        transcriber = speaker.transcriber
        call = transcriber.named(call)
        reason = transcriber.refuses(call)
        if reason:
            raise UnsupportedError(f"{call} cannot be recorded yet: {reason}.")
        asked = self._asked(call, transcriber, speaker)
        if call.op is Op.CONFIGURE:
            key = transcriber.key(call, self._hidden(asked).tree)
            note_instance(call, self._redactor.compared(key, asked.names), asked.type)
            asked.instance = call.session.instance
        if self.http is not None:
            proceed = self.http.heard(asked, proceed)
        asked.repeats = repeats
        asked.at = next(self._arrivals) if self._arrivals else 0
        if repeats or call.preview or not transcriber.mutates(call.method):
            self._sink.ready()
        else:
            asked.note = self._noted(asked, call)
        if speaker.back is None:
            reply = transcriber.encoded(proceed(call), call)
            self._append(asked, reply, transcriber)
            return reply
        return self._overhear(speaker.back, asked, call, proceed)

    def _noted(self, asked: Asked, call: Call) -> int:
        sent = Sent(
            op=call.op.value,
            method=call.method,
            type=asked.type,
            urn=call.urn,
            address=self._scrubber.address(call.address) if call.address else "",
            name=call.name,
            provider=asked.speaker.name,
            id=self._scrubber.text(call.id) if call.id else "",
            instance=asked.instance,
            request=asked.hidden.tree if asked.hidden else None,
        )
        if self._redactor.vault.count:
            sent = replace(self._scrubber.nameless(sent), name=self._redactor.name(sent.name))
        return self._sink.sending(sent)

    def _hidden(self, asked: Asked) -> Hidden:
        """The request without its secrets, redacted again only if more are known than the last time."""
        if asked.hidden is None or asked.secrets != self._redactor.vault.count:
            asked.hidden = self._redactor.hide(asked.request, asked.names)
            asked.secrets = self._redactor.vault.count
        return asked.hidden

    def _overhear(self, back: Back, asked: Asked, call: Call, proceed: Handler) -> Reply:
        """Record a call, and the provider's own calls to its engine during it."""
        if call.monitor is not None:
            call = replace(call, monitor=self._overheard(back, call.monitor, asked))
        listener = self._listener(call.session, back)
        if listener is not None:
            listener.begin(asked)
        lines: list[Line] = []
        answered = False
        try:
            reply = asked.speaker.transcriber.encoded(proceed(call), call)
            self._append(asked, reply, asked.speaker.transcriber)
            answered = True
        finally:
            if listener is not None:
                lines = listener.end(asked, answered=answered)
        for line in lines:
            self._append_line(back, asked, line)
        return reply

    def _listener(self, session: Session, back: Back) -> Listener | None:
        with self._lock:
            _, listener = self._listeners.get(id(session), (None, None))
            if listener is None and session.engine is not None:
                listener = Listener(session.engine, lambda asked, line: self._append_line(back, asked, line))
                session.engine = listener
                # Keeping the session keeps its ``id()`` from being reused.
                self._listeners[id(session)] = session, listener
            return listener

    def _append_line(self, back: Back, parent: Asked, line: Line) -> None:
        asked = self._asked(back.logged(parent.call.session, *line), back, parent.speaker)
        asked.instance, asked.phase, asked.parent = parent.instance, parent.phase, self._number_of(parent)
        self._append(asked, Reply(), back)

    def _asked(self, call: Call, transcriber: Transcriber, speaker: Speaker) -> Asked:
        type_ = transcriber.type(call)
        self._types |= {call.type, type_}
        names = self._redactor.names(call.type, transcriber.secrets(call), type_)
        request = transcriber.request(call)
        self._redactor.learn([request], names)
        asked = Asked(speaker, call, call.session.instance, self.phase, request, names, type_)
        self._redactor.origins.noted.append((self._hidden(asked).tree, False))
        return asked

    def _overheard(self, back: Transcriber, monitor: Handler, parent: Asked) -> Handler:
        """``monitor``, with each call recorded."""

        def handle(call: Call) -> Reply:
            call = back.named(call)
            asked = self._asked(call, back, parent.speaker)
            asked.phase, asked.parent = parent.phase, self._number_of(parent)
            reply = monitor(call)
            self._append(asked, reply, back)
            return reply

        return handle

    def _number_of(self, asked: Asked) -> int:
        with self._lock:
            if not asked.number:
                self._count += 1
                asked.number = self._count
            return asked.number

    def _number_in_recording(self, asked: Asked) -> int:
        session = asked.speaker.name, asked.call.session.number
        with self._lock:
            return self._sessions.setdefault(session, len(self._sessions) + 1)

    def _append(self, asked: Asked, reply: Reply, transcriber: Transcriber) -> None:
        call = asked.call
        outcome = reply.status or transcriber.reply(reply, call)
        tree = _tree_of(outcome, asked.speaker.transcriber) if isinstance(outcome, Status) else outcome
        described = call.op in DESCRIBING and not isinstance(outcome, Status)
        if self.http is not None:
            self.http.learn(asked)
        if not described:
            self._redactor.learn([tree], asked.names)
        request = self._hidden(asked)
        answer = Redactor().hide(tree) if described else self._redactor.hide(tree, asked.names)
        if not described:
            self._redactor.origins.noted.append((answer.tree, True))
        if self._redactor.masks.known:
            self._redactor.compared([request.tree, answer.tree], asked.names)
        interaction = Interaction(
            n=self._number_of(asked),
            session=self._number_in_recording(asked),
            op=call.op.value,
            method=call.method,
            phase=asked.phase,
            direction="provider" if asked.parent is None else "engine",
            parent=asked.parent,
            provider=asked.speaker.name,
            instance=asked.instance,
            type=asked.type,
            urn=call.urn,
            # A provider's own id is a fresh UUID in each stack.
            id="" if call.op.value in STARTING else self._scrubber.text(call.id or reply.id),
            address=self._scrubber.address(call.address) if call.address else "",
            at=asked.at,
            preview=call.preview,
            request=transcriber.key(call, request.tree),
            withheld=WITHHELD if answer.broken else BROKEN_OFF if reply.stream and reply.status else "",
            http=self.http.written(asked) if self.http is not None else [],
        )
        if self._redactor.vault.count:
            interaction = self._scrubber.nameless(interaction)
        if not interaction.withheld and isinstance(outcome, Status):
            details = answer.tree.get("details", answer.tree.get("$details"))
            interaction.status = RecordedStatus(code=code_name(outcome.code), message=answer.tree["message"], details=details)
        elif not interaction.withheld:
            interaction.response = answer.tree
        self._keep(interaction, asked)

    def _keep(self, interaction: Interaction, asked: Asked) -> None:
        with self._lock:
            if self._cassette is not None and asked.call.op is Op.LOG:
                return  # A provider may still log while it shuts down.
            if self._cassette is not None:
                raise CassetteError(
                    f"{asked.call} came after the recording of {self._sink.name} had ended. "
                    "Stop the provider's server first, then close the recorder."
                )
            self._about[interaction.n] = asked.names.types
            if asked.repeats:
                self._repeats[interaction.n] = asked.repeats
            self._interactions.append(self._sink.append(interaction, asked.note))
            self._previews[interaction.session] = asked.call.session.preview

    @property
    def notices(self) -> list[str]:
        """What whoever made the recording should know of what it hides, in plain sentences; ask when it is closed."""
        return self._notices

    @property
    def _openly(self) -> bool:
        return any(speaker.transcriber.openly for speaker in self._speakers.values())

    @property
    def recorded(self) -> int:
        """The number of interactions so far, without those that repeat the earlier cassette's."""
        with self._lock:
            return self._new

    @property
    def unchanged(self) -> bool:
        """Whether this was to add to an earlier cassette, and has nothing new until now: then that stays as it is."""
        return self._earlier is not None and not self._new

    @property
    def _new(self) -> int:
        return sum(self._repeats.keys().isdisjoint({one.n, one.parent}) for one in self._interactions)

    def end(self, provider: str = "", faults: Any = None, *, failed: bool = False) -> None:
        """This provider is asked no more: with the last one the recording ends, as with ``close``. Safe to call again.

        ``faults`` is the fault plan that it was recorded under, as JSON-able data; it is kept in the header. A run that
        ``failed`` replaces no cassette.
        """
        self._broke_off = self._broke_off or failed
        self._faults[provider] = faults
        if self._faults.keys() == self._speakers.keys():
            plans = {name: self._faults[name] for name in self._speakers if self._faults[name]}
            self._header.faults = (plans if self._header.providers else faults) or None
            self.close()

    def close(self) -> Cassette:
        """End the recording and return the cassette in canonical order. Closing again returns it again.

        Raises ``CassetteError`` where it cannot be kept, each time: what was answered is then in the draft.
        """
        with self._lock:
            if self._failed is not None:
                raise self._failed
            if self._cassette is None and self._earlier is not None and self.unchanged:
                self._sink.forget()
                self._cassette = self._earlier.cassette
            if self._cassette is None:
                cassette = self._ended()
                # What makes it smaller may leave out places, and the blobs are moved when it is finished.
                self._notices = notices(self._redactor, cassette, openly=self._openly)
                self._notices += self.http.notices if self.http is not None else []
                cassette = self._finishing(cassette)
                try:
                    self._sink.finish(cassette, failed=self._broke_off)
                except CassetteError as error:
                    self._failed = error
                    raise
                self._cassette = cassette
            return self._cassette

    def _ended(self) -> Cassette:
        """All that was recorded, and what an earlier cassette has besides, in canonical order."""
        note_decisions(self._header, self._redactor, self._types | (self._earlier.types if self._earlier else set()))
        interactions = [self._scrubbed(interaction, self._about[interaction.n]) for interaction in self._interactions]
        cassette = Cassette(self._header, interactions, self._sink.blobs, self._sink.name)
        if self._earlier is not None:
            # The numbers of its calls are those of other calls here.
            kept = self._earlier.merged(cassette, self._repeats, self._previews, lambda one: self._scrubbed(one, (one.type,)))
            return canonical(*kept)
        return canonical(cassette, self._previews)

    def _scrubbed(self, interaction: Interaction, types: tuple[str, ...]) -> Interaction:
        return self._scrubber.scrubbed(interaction, self._redactor.names(types[0], (), types[-1]))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._broke_off = self._broke_off or kind is not None
        self.close()


def _tree_of(status: Status, transcriber: Transcriber) -> dict[str, Any]:
    details = transcriber.details(status.details) if status.details else None
    # A text is base64 here, and such keys begin with ``$``: see Transcriber.
    return {"message": status.message, "$details" if isinstance(details, str) else "details": details}

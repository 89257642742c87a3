"""Runs that are over, judged by the contract: what a cassette holds, or the journal that was kept of a test."""

from __future__ import annotations

import json
import os
from collections import defaultdict
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

from msgspec import Struct, ValidationError, convert, field
from msgspec.structs import replace

from mockprovider import tape
from mockprovider.calls import Call, Op, Reply, Session
from mockprovider.cassette import Transcriber
from mockprovider.cassette.compacting import COUNTED
from mockprovider.cassette.model import DAMAGE, Interaction, damaged, status_of
from mockprovider.cassette.order import STARTING, answer_digest
from mockprovider.cassette.shelf import Shelf
from mockprovider.cassette.verifying import Starts, scheduled
from mockprovider.contract import Breach, Party, Watch
from mockprovider.double.keptcalls import KeptCall
from mockprovider.double.opening import opened, transcriber
from mockprovider.errors import CassetteBrokenError, DefinitionError
from mockprovider.protocols import by_name
from mockprovider.redaction import Redactor, fill, stand_in

SIDES = tuple(party.value for party in Party)


class JudgedCall(Struct):
    """One call of a run that is over, at one side."""

    n: int
    side: str
    call: Call
    reply: Reply | None
    began: int
    ended: int


class JudgedRun(Struct):
    """What came of it. ``calls`` counts those that were judged, ``unjudged`` those of which too little was written down."""

    breaches: list[Breach]
    calls: int
    unjudged: int = 0


def judged_file(path: str | os.PathLike[str]) -> JudgedRun:
    """Judge a cassette, or the ``journal.json`` that was kept of a test.

    Raises as ``tape.load`` does, and ``DefinitionError`` for a file that is neither.
    """
    path = Path(path)
    rows = _rows(path)
    try:
        return _of_journal(path, rows) if rows is not None else _of_cassette(path)
    except CassetteBrokenError as error:
        raise CassetteBrokenError(f"{error} It is no journal.json of a test either.") from error
    except RecursionError as error:
        raise CassetteBrokenError(f"{path}: it is nested too deep to be read.") from error


# Cassettes -------------------------------------------------------------------------------------------------------------


def _of_cassette(path: Path) -> JudgedRun:
    """A recording stands at one place, which is where both parties meet. It tells no times, so nothing overlaps."""
    library = opened(tape.load(path), Redactor(), whole_schema=True)
    recording = _Recording(library.shelf)
    # Whatever was there before the recording began is in none of its answers. Two providers may have types of one name.
    watches = {name: Watch(lambda _: True) for name in library.shelf.readers}
    for provider, is_known, both in recording.entries():
        if is_known:
            for entry in both:
                watches[provider].recall(entry)
        else:
            watches[provider].look(both, both[-1].ended)
    breaches = [breach for watch in watches.values() for breach in watch.breaches if not breach.rule.counts]
    return JudgedRun(_once(breaches), len(recording.order), recording.withheld)


def _once(breaches: list[Breach]) -> list[Breach]:
    """Each breach of a call once: a call that starts several sessions is kept once, and stands in each of them."""
    return [*{(breach.rule.id, breach.n): breach for breach in breaches}.values()]


class _Recording:
    """The calls of a cassette in an order in which they can have been asked."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf
        self.order = _of_one_version(scheduled(shelf.cassette, self._mutates))
        self.withheld = sum(bool(one.withheld) for one in self.order)
        self._starts = Starts(self.order)
        self._previews = {session.number: session.preview for session in shelf.cassette.header.sessions}
        self._sessions: dict[int, Session] = {}
        self._kept_once: dict[tuple[Any, ...], list[Interaction]] = defaultdict(list)
        for one in self.order:
            if not (one.urn or one.op in COUNTED or one.op in STARTING or self._mutates(one)):
                self._kept_once[self._group(one)].append(one)
        self._moments = count(1)

    def _mutates(self, interaction: Interaction) -> bool:
        transcriber = self._shelf.readers[interaction.provider].transcriber
        return not interaction.preview and transcriber.mutates(interaction.method)

    @staticmethod
    def _group(one: Interaction) -> tuple[Any, ...]:
        return one.provider, one.instance, one.phase, one.preview

    def entries(self) -> Iterator[tuple[str, bool, list[JudgedCall]]]:
        """Whose call it is, whether it is only known, and not judged here; and the call at both sides."""
        waiting: dict[int, bool] = {}
        for one in self.order:
            if one.session not in self._sessions:
                self._sessions[one.session] = self._opened(one)
                waiting[one.session] = True
                for start in self._starts.missing(one):
                    yield one.provider, False, self._sides(replace(start, session=one.session))
            if one.op not in STARTING and waiting.pop(one.session, False):
                # A question that was always answered alike is kept once, so another session may have asked it, too.
                for other in self._kept_once[self._group(one)]:
                    if other.session != one.session:
                        yield one.provider, True, self._sides(replace(other, session=one.session))
            yield one.provider, False, self._sides(one)

    def _opened(self, one: Interaction) -> Session:
        session = Session(by_name(self._shelf.cassette.header.spoken[one.provider]), one.session, "recorded")
        session.preview = self._previews.get(one.session)
        return session

    def _sides(self, one: Interaction) -> list[JudgedCall]:
        cassette, session = self._shelf.cassette, self._sessions[one.session]
        reader = self._shelf.readers[one.provider]
        whole = replace(one, request=cassette.request(one), response=cassette.response(one))
        call, reply = _restored(whole, session, reader.transcriber, cassette.name)
        session.instance = one.instance or session.instance
        began, ended = next(self._moments), next(self._moments)
        return [JudgedCall(one.n, side, call, reply, began, ended) for side in SIDES]


def _of_one_version(order: list[Interaction]) -> list[Interaction]:
    """The calls without the schemas of a provider that changed its version: nothing tells which of them holds where."""
    answers: dict[tuple[str, str], set[str]] = defaultdict(set)
    for one in order:
        if one.op == Op.GET_SCHEMA:
            answers[one.provider, one.method].add(answer_digest(one))
    return [one for one in order if one.op != Op.GET_SCHEMA or len(answers[one.provider, one.method]) == 1]


def _restored(
    one: Interaction, session: Session, transcriber: Transcriber, name: str, *, whole: bool = False
) -> tuple[Call, Reply | None]:
    """A recorded call and its answer, with stand-ins for secrets; ``None`` for an answer that was withheld or never came.

    The request is ``whole`` if nothing was left out of it.

    Raises ``CassetteBrokenError`` for what cannot be read.
    """
    try:
        call = transcriber.again(one.method, fill(one.request, stand_in), session, whole=whole)
        call = replace(call, address=one.address)
        if one.withheld:
            return call, None
        if one.status is None:
            return call, transcriber.restore(one.method, fill(one.response, stand_in), call)
        details = fill(one.status.details, stand_in)
        packed = transcriber.pack(details) if details is not None else b""
        return call, transcriber.failed(status_of(one.status, fill(one.status.message, stand_in), packed), call)
    except DAMAGE as error:
        raise damaged(name, one, error) from error


# Journals --------------------------------------------------------------------------------------------------------------


class _Row(Struct, kw_only=True):
    """What is read of an entry of a kept journal."""

    n: int
    side: str
    session: int
    wire: KeptCall | None
    call: dict[str, Any] = field(default_factory=dict)


def _rows(path: Path) -> list[_Row] | None:
    """The entries of a kept journal; ``None`` for a file that is none. A cassette is a list, too, with its header first."""
    try:
        content = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None
    if not (isinstance(content, list) and content and all(isinstance(row, dict) and "side" in row for row in content)):
        return None
    try:
        return convert(content, list[_Row])
    except ValidationError as error:
        raise DefinitionError(
            f"{path} is a journal that cannot be judged: {error}. It is damaged, or of another version: run the test again."
        ) from error


def _of_journal(path: Path, rows: list[_Row]) -> JudgedRun:
    transcribers: dict[str, Transcriber] = {}
    sessions: dict[tuple[str, int], Session] = {}
    entries: list[JudgedCall] = []
    there: set[str] = set()
    for row in rows:
        kept = row.wire
        if kept is None:
            continue
        session = sessions.setdefault((kept.protocol, row.session), Session(kept.protocol, row.session, "kept"))
        session.instance, session.preview = kept.instance, kept.preview
        if kept.protocol not in transcribers:
            transcribers[kept.protocol] = transcriber(kept.protocol)
        call, reply = _restored(_interaction(row, kept), session, transcribers[kept.protocol], str(path), whole=True)
        there |= {call.id} if kept.there else set()
        entries.append(JudgedCall(row.n, row.side, call, reply, kept.began, kept.ended))
    watch = Watch(there.__contains__)
    watch.look(entries, max((entry.ended for entry in entries), default=0))
    return JudgedRun(watch.breaches, len(entries), len(rows) - len(entries))


def _interaction(row: _Row, kept: KeptCall) -> Interaction:
    return Interaction(
        n=row.n,
        session=row.session,
        op="",
        method=kept.method,
        request=kept.request,
        response=kept.response,
        status=kept.status,
        address=row.call.get("address", ""),
        withheld="" if kept.answered else "no answer came",
    )

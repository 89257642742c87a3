"""Whether a recording replays: everything that it was asked is asked again, in its own order, and must get its own answer.

No engine takes part. What the recorded provider asked its engine during a call is not asked again, but it is said if it could
not be.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from msgspec import Struct

from mockprovider.calls import Call, Op, Session
from mockprovider.cassette.library import Library
from mockprovider.cassette.misses import shown
from mockprovider.cassette.model import DAMAGE, RecordedSession, damaged
from mockprovider.cassette.modes import LookResult
from mockprovider.cassette.recorded import RecordedCall
from mockprovider.cassette.report.contents import NAMED, OUT_OF_NAMES, nameless
from mockprovider.cassette.wayback import back_of
from mockprovider.errors import MockProviderError
from mockprovider.matching import Difference, differences


class FailedProof(Struct, frozen=True):
    """A recorded call that a replay does not answer as recorded, and what it says instead."""

    interaction: int
    message: str


def prove(library: Library, opened: Callable[[RecordedSession], Session]) -> list[FailedProof]:
    """What a replay gets wrong of what it was recorded to answer; empty if nothing.

    Args:
        library: a replay that has not begun.
        opened: given a recorded session, one of the same protocol.
    """
    sessions = {session.number: opened(session) for session in library.cassette.header.sessions}
    outcomes = ((recorded, _asked_again(library, recorded, sessions)) for recorded in library.shelf.calls)
    return [FailedProof(recorded.interaction.n, message) for recorded, message in outcomes if message]


def _asked_again(library: Library, recorded: RecordedCall, sessions: dict[int, Session]) -> str:
    """What is wrong with the answer to a call; empty if nothing is."""
    call = _call(recorded, sessions[recorded.interaction.session])
    if nameless(recorded.interaction):
        return f"{call} cannot be replayed: {NAMED}. {OUT_OF_NAMES}"
    try:
        sought = library.look_again(recorded, call)
        if sought.outcome is not LookResult.FOUND:
            return str(library.why(sought))
        taken = library.take(sought)
        if library.shelf.asked.get(recorded.interaction.n):
            _check_way_back(library, recorded, call)
        else:
            taken()
    except MockProviderError as error:
        return str(error)
    except DAMAGE as error:
        return str(damaged(library.cassette.name, recorded.interaction, error))
    places = differences(library.answer_to(recorded), taken.tree)
    return "\n".join(_differing(recorded, places)) if places else ""


def _differing(recorded: RecordedCall, places: list[Difference]) -> Iterator[str]:
    interaction = recorded.interaction
    about = f" of {interaction.urn or interaction.type}" if interaction.urn or interaction.type else ""
    yield f"Interaction {interaction.n} ({interaction.method}{about}) gets another answer than was recorded:"
    yield from shown(places, "recorded", "replayed")


def _call(recorded: RecordedCall, session: Session) -> Call:
    """The call as messages name it."""
    interaction = recorded.interaction
    session.instance, session.preview = interaction.instance, recorded.preview
    return Call(
        op=Op(interaction.op),
        method=interaction.method,
        session=session,
        type=interaction.type,
        urn=interaction.urn,
        address=interaction.address,
        preview=interaction.preview,
    )


def _check_way_back(library: Library, recorded: RecordedCall, call: Call) -> None:
    """Raise ``UnsupportedError`` for what the recorded provider asked its engine, and a replay cannot."""
    back = back_of(library.shelf.readers[recorded.interaction.provider].transcriber)
    for question in library.shelf.asked[recorded.interaction.n]:
        if back is not None and question.op != Op.LOG:
            back.played(question.method, library.cassette.request(question) or {}, call)

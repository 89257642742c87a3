"""The provider's own code, run for a recorded call: its HTTP comes from the cassette, its answer must be the recorded one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from mockprovider.calls import Call, Handler, Reply, Status
from mockprovider.cassette.http.matching import SAFE, HttpMatching
from mockprovider.cassette.http.talks import Hearing, PlayedTalk
from mockprovider.cassette.misses import again, shown
from mockprovider.cassette.model import HttpExchange, code_name
from mockprovider.cassette.order import DESCRIBING
from mockprovider.cassette.transcriber import Transcriber
from mockprovider.errors import ProviderChangedError
from mockprovider.matching import Difference, aligned

if TYPE_CHECKING:
    from mockprovider.cassette.library import Library, Sought, TakenAnswer

MADE_UP = "Where the provider makes up a value in each run, name its property in masks=[...]."


class OwnCode:
    """What answers beside a cassette where the provider's own code runs on replay: the layer's ``LiveSide``."""

    def __init__(self, library: Library, hearing: Hearing) -> None:
        self._library = library
        self._hearing = hearing

    def as_recorded(self, tree: Any) -> Any:
        """The request as it is: what the code is given has the recorded values."""
        return tree

    def held(self, call: Call, provider: str, proceed: Handler, sought: Sought, taken: TakenAnswer) -> Reply:  # noqa: ARG002
        """The reply of the provider's own code, or the recorded one where a provider says what it is."""
        return taken() if call.op in DESCRIBING else rerun(self._library, sought, taken, proceed, self._hearing)

    def missing(self, call: Call, provider: str, proceed: Handler, sought: Sought) -> Reply:  # noqa: ARG002
        """Nobody is asked: raises ``MissError`` or ``AmbiguousError``."""
        raise self._library.why(sought)


def rerun(library: Library, sought: Sought, taken: TakenAnswer, proceed: Handler, hearing: Hearing) -> Reply:
    """The reply of the provider's own code, which must be what was recorded of the call that was taken.

    Raises ``HttpMissError`` and ``ProviderChangedError`` where the code asks or answers something else.
    """
    return _Rerun(library, sought, taken).reply(proceed, hearing)


class _Rerun:
    """A recorded call for which the provider's code runs."""

    def __init__(self, library: Library, sought: Sought, taken: TakenAnswer) -> None:
        self._library = library
        self._call = sought.call
        self._names = sought.names
        self._taken = taken
        self._interaction = taken.candidate.call.interaction
        self._reader = library.shelf.readers[self._interaction.provider]
        self._matching = HttpMatching(library.bindings, library.redactor, library.turn)

    def reply(self, proceed: Handler, hearing: Hearing) -> Reply:
        """The provider's own reply."""
        about = f"{self._call} (interaction {self._interaction.n})"
        talk = PlayedTalk(self._exchanges(), self._matching, about, self._again)
        try:
            with hearing(talk):
                reply = self._reader.transcriber.encoded(proceed(self._call), self._call)
        except Exception as error:
            if talk.error is not None and talk.error is not error:
                raise talk.error from error
            raise
        finally:
            left = talk.close()
        if talk.error is not None:
            raise talk.error
        problems = [*self._problems(about, self._differences(reply), [one for one in left if one.method not in SAFE])]
        if problems:
            raise ProviderChangedError("\n".join([*map(self._library.redactor.mask, problems), self._again]))
        return reply

    def _exchanges(self) -> list[HttpExchange]:
        """What was recorded, with the generated values that the call's object has now."""
        exchanges, renaming = self._interaction.http, self._taken.candidate.renaming
        return [exchange.rewritten(renaming) for exchange in exchanges] if renaming else exchanges

    @property
    def _again(self) -> str:
        cassette = self._library.cassette
        heard = any(interaction.http for interaction in cassette.interactions)
        never = "" if heard else "No HTTP at all is in this cassette: it was recorded without http=True. "
        return f"{never}{again(cassette)}"

    def _differences(self, reply: Reply) -> list[Difference]:
        recorded = self._library.answer_again(self._taken)
        if self._interaction.status is not None:
            recorded = {"status": {"code": self._interaction.status.code, **recorded}}
        live = _outcome(reply, self._call, self._reader.transcriber)
        return aligned(self._compared(recorded), self._compared(live))

    def _compared(self, answer: Any) -> Any:
        tree = self._library.redactor.compared(answer, self._names)
        return self._reader.arrange(self._call.method, self._interaction.type, tree)

    def _problems(self, about: str, places: Sequence[Difference], left: Sequence[HttpExchange]) -> Iterator[str]:
        if places:
            yield f"The provider answers {about} in another way than was recorded:"
            yield from shown(places)
            yield MADE_UP
        if left:
            yield f"The provider has not asked what was recorded of {about}:"
            yield from self._matching.listed(left)


def _outcome(reply: Reply, call: Call, transcriber: Transcriber) -> Any:
    """The tree of an answer, as it would be recorded."""
    outcome = reply.status or transcriber.reply(reply, call)
    if not isinstance(outcome, Status):
        return outcome
    details = transcriber.details(outcome.details) if outcome.details else None
    return {"status": {"code": code_name(outcome.code), "message": outcome.message, "details": details}}

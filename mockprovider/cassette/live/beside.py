"""A live provider is asked what the cassette holds, and its answers are compared with the recorded ones."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from typing import Any

from mockprovider.calls import Call, Handler, Reply
from mockprovider.cassette.library import Library, Sought, TakenAnswer
from mockprovider.cassette.live.belonging import ENDING, Belonging
from mockprovider.cassette.misses import again
from mockprovider.cassette.order import DESCRIBING
from mockprovider.cassette.shelf import Reader
from mockprovider.cassette.verifying.answers import AnswerComparison, answer_tree
from mockprovider.cassette.verifying.correspondence import Correspondence, Values
from mockprovider.cassette.verifying.generated import STANDS_ALONE, leaves, looks_made_up
from mockprovider.cassette.verifying.handing import Handed, own_values
from mockprovider.cassette.verifying.report import AnswerOutcome, VerifiedCall, about
from mockprovider.errors import DifferentAnswersError
from mockprovider.redaction import MASK, PLACEHOLDER, fill, stand_in


class Beside:
    """What has been learnt of one run.

    Args:
        library: the replay.
    """

    def __init__(self, library: Library) -> None:
        self._library = library
        self._redactor = redactor = library.redactor
        self._today = Correspondence()
        self._recorded = Correspondence()
        """The same the other way round: the values of the replay by today's."""
        self._answers = AnswerComparison(redactor, self._today)
        self._belonging = Belonging()
        self._lock = threading.Lock()
        self.noticed: list[BaseException] = []
        """What the test is to be told, and no engine was."""

    def as_recorded(self, tree: Any) -> Any:
        """Today's request with the replay's values."""
        with self._lock:
            return self._replaced(tree, "", own_values(tree, self._recorded))

    def _replaced(self, tree: Any, key: str, own: Values) -> Any:
        part = self._recorded.part(tree)
        if part is not None:
            return part
        if isinstance(tree, dict):
            return {self._recorded.renamed(name, "", own): self._replaced(item, name, own) for name, item in tree.items()}
        if isinstance(tree, list):
            return [self._replaced(item, key, own) for item in tree]
        return self._recorded.renamed(tree, key, own)

    def held(self, call: Call, provider: str, proceed: Handler, sought: Sought, taken: TakenAnswer) -> Reply:
        """Today's answer, after a look at the recorded one."""
        transcriber = self._library.transcriber(provider)
        request = self._library.request(call, provider)
        reply = transcriber.encoded(proceed(call), call)
        now = answer_tree(transcriber, reply, call)
        self._belonging.answered(call, request, reply, now)
        difference = self._difference(call, self._library.shelf.readers[provider], sought, taken, (request, now))
        if difference is not None:
            self._note(difference)
        return reply

    def missing(self, call: Call, provider: str, proceed: Handler, sought: Sought) -> Reply:
        """What becomes of a call that the cassette does not hold: what this run has made is deleted all the same.

        Raises ``MissError`` or ``AmbiguousError`` for any other call.
        """
        error = self._library.why(sought)
        if call.op not in ENDING or not self._belonging.is_live(call, self._library.request(call, provider)):
            raise error
        self.noticed.append(error)
        return proceed(call)

    def _note(self, answer: VerifiedCall) -> None:
        """One error tells of all answers that differ."""
        known = next((error for error in self.noticed if isinstance(error, DifferentAnswersError)), None)
        if known is None:
            cassette = self._library.cassette
            self.noticed.append(DifferentAnswersError(cassette.name, [answer], again(cassette)))
        else:
            known.answers.append(answer)

    def _difference(
        self, call: Call, reader: Reader, sought: Sought, taken: TakenAnswer, today: tuple[Any, Any]
    ) -> VerifiedCall | None:
        asked, now = today
        interaction = taken.recorded.interaction
        hidden = taken.hidden if interaction.status is None else {"code": interaction.status.code, **taken.hidden}
        policy = self._redactor.names(call.type, reader.transcriber.secrets(call), interaction.type)
        with self._lock:
            given = self._given(self._library.cassette.request(interaction), sought)
            differences = self._answers.differences(interaction, (hidden, now), reader, given, policy)
            if interaction.op not in DESCRIBING:
                self._learn(taken, now, self._redactor.compared(now, policy), frozenset(_standing(asked)))
                self._recorded.keep(now, taken.tree)
            if not differences:
                return None
            shown = self._answers.shown(differences, now, policy)
        named = interaction.n, interaction.op, interaction.method, about(interaction)
        return VerifiedCall(*named, AnswerOutcome.DIFFERS, interaction.provider, shown)

    def _given(self, request: Any, sought: Sought) -> Handed:
        """What the request brings. The secrets in it are those that this run has sent."""
        fill(request, self._know)
        own = own_values(request, self._today)
        return Handed(sought.sent, own, frozenset((type(value), value) for _, value in leaves(sought.sent)))

    def _know(self, number: int, kind: str) -> Any:
        value = self._library.secret(number, kind)
        if value != stand_in(number, kind):
            self._today.secret(number, kind, value)
        return value

    def _learn(self, taken: TakenAnswer, now: Any, masked: Any, brought: AbstractSet[tuple[str, Any]]) -> None:
        """Note which value of the replay stands for each of today's that was made up, and was not ``brought`` by the request.

        ``masked`` is the answer without what masks take out.
        """
        for hidden, given_out, today, key in _beside(taken.hidden, taken.tree, (now, masked), ""):
            is_secret = isinstance(hidden, dict) and PLACEHOLDER in hidden
            if today != given_out and (is_secret or (looks_made_up(today, key) and _standing_at(key, today) not in brought)):
                self._recorded.values.note(key, today, given_out)


def _beside(hidden: Any, given_out: Any, today: tuple[Any, Any], key: str) -> Iterator[tuple[Any, Any, Any, str]]:
    """The leaves of two answers at the same places, with what the recording has there and the key."""
    now, masked = today
    if isinstance(given_out, dict) and isinstance(now, dict) and isinstance(hidden, dict):
        for name, item in given_out.items():
            if name in now:
                seen = masked[name] if isinstance(masked, dict) else masked
                yield from _beside(hidden.get(name), item, (now[name], seen), name)
    elif isinstance(given_out, list) and isinstance(now, list):
        if masked == MASK and len(now) > 1:
            # It may have any order, so its items do not stand for each other.
            return
        items = hidden if isinstance(hidden, list) else [None] * len(given_out)
        seen = masked if isinstance(masked, list) else [masked] * len(now)
        for one, other, *pair in zip(items, given_out, now, seen, strict=False):
            yield from _beside(one, other, (pair[0], pair[1]), key)
    elif isinstance(now, (str, int)) and type(now) is type(given_out):
        yield hidden, given_out, now, key


def _standing(tree: Any) -> Iterator[tuple[str, Any]]:
    return (_standing_at(key, value) for key, value in leaves(tree))


def _standing_at(key: str, value: Any) -> tuple[str, Any]:
    """A leaf with what makes it this one: a longer text is the same under any name."""
    return ("", value) if isinstance(value, str) and len(value) >= STANDS_ALONE else (key, value)

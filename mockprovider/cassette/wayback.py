"""The way back in cassettes: what a provider asked or told its engine during a call.

A provider calls its engine while it constructs a component or runs a method, reports views while it works on their resource,
and logs at any time. These interactions have the direction ``engine`` and the number of the call that they belong to. A replay
repeats them in the recorded order and waits for each answer, so that the engine gets the same resources. What the engine
answered at the recording (URNs, ids, outputs) is mapped onto what it answers now, in everything that follows. Where the mapping
is not certain, the replay says so and gives no answer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

from mockprovider.calls import Call, Op, Reply, Session, Status
from mockprovider.cassette.bindings import Bindings, Pair
from mockprovider.cassette.model import Cassette, Interaction
from mockprovider.cassette.transcriber import Transcriber
from mockprovider.errors import MissError, UnsupportedError
from mockprovider.matching import digest, encode, show, step
from mockprovider.redaction import PLACEHOLDER, SHORTEST, TEXT, Redactor, neutral

ENGINE = "engine"
RANK = {Op.ENGINE.value: 0, Op.REGISTER_OUTPUTS.value: 2, Op.LOG.value: 3}
"""The order of calls that do not depend on each other: questions first, then a component's outputs, then lines of log."""

TOLD = frozenset({Op.VIEWS.value, Op.LOG.value})
"""Reports, which keep the order in which they were made."""


class Back(Transcriber, Protocol):
    """What a protocol does for the way back, beside writing it down."""

    def logged(self, session: Session, severity: str, message: str, urn: str) -> Call:
        """The call for a line of log."""

    def shown(self, tree: dict[str, Any]) -> tuple[str, str, str]:
        """Severity, message and URN of the tree of a line of log."""

    def played(self, method: str, tree: dict[str, Any], during: Call) -> bool:
        """Whether a recorded call is made again. Raises ``UnsupportedError`` where it would have to be, and cannot."""

    def asked(self, method: str, tree: dict[str, Any], during: Call) -> Call:
        """The call of a request tree."""

    def heard(self, method: str, tree: dict[str, Any]) -> dict[str, Any]:
        """The part of an answer's tree that the provider used."""

    def references(self, call: Call, method: str = "", answer: Mapping[str, Any] | None = None) -> dict[str, str]:
        """The provider references that a call brings, or that an answer makes, by what recordings have in their place."""

    def with_provider_ids(self, tree: Any, references: Mapping[str, str]) -> Any:
        """A request tree with these references in place."""


def back_of(transcriber: Transcriber) -> Back | None:
    """How a protocol writes the way back down; ``None`` for one that has none."""
    back: Back | None = getattr(transcriber, "back", None)
    return back


# Recording -------------------------------------------------------------------------------------------------------------


def ordered(cassette: Cassette, asked: Sequence[Interaction]) -> list[Interaction]:
    """One call's calls to the engine, in an order that all recordings share: each after those whose answers it uses."""
    requests = {interaction.n: encode(cassette.request(interaction)).decode() for interaction in asked}
    new_texts = {interaction.n: _new_texts(cassette.response(interaction), requests[interaction.n]) for interaction in asked}
    pending = [(interaction, _place(cassette, interaction)) for interaction in asked]
    in_order: list[Interaction] = []
    while pending:
        # An answer can only be used by a later call.
        ready = [
            item
            for item in pending
            if not any(
                other.n < item[0].n and any(text in requests[item[0].n] for text in new_texts[other.n]) for other, _ in pending
            )
        ]
        chosen = min(ready, key=lambda item: item[1])
        pending.remove(chosen)
        in_order.append(chosen[0])
    return in_order


def _place(cassette: Cassette, interaction: Interaction) -> tuple[Any, ...]:
    rank = RANK.get(interaction.op, 1)
    if interaction.op in TOLD:
        return rank, interaction.method, "", "", interaction.n
    content = digest(neutral(cassette.request(interaction)))
    return rank, interaction.method, interaction.type, content, interaction.n


def _new_texts(response: Any, request: str) -> set[str]:
    """The texts that are new in an answer: not in the request, and long enough to be no coincidence."""
    texts: set[str] = set()
    _collect(response, texts)
    spelled = {encode(text)[1:-1].decode() for text in texts if len(text) >= SHORTEST}
    return {text for text in spelled if text not in request}


def _collect(tree: Any, texts: set[str]) -> None:
    if isinstance(tree, str):
        texts.add(tree)
    for item in tree.values() if isinstance(tree, dict) else tree if isinstance(tree, list) else ():
        _collect(item, texts)


# Replaying -------------------------------------------------------------------------------------------------------------


class Refused(Exception):  # noqa: N818 - it is the engine's answer, and no error of ours
    """The engine did not do what the recorded provider asked; ``reply`` is what the provider's call now fails with."""

    def __init__(self, reply: Reply) -> None:
        super().__init__()
        self.reply = reply


class Playing:
    """One call whose way back is played again.

    Args:
        call: the live call; its ``monitor`` is asked.
        back: the protocol's side.
        bindings: the values of the recording's placeholders.
        cassette: what is played from.
        redactor: keeps secrets out of messages.
        lock: guards ``bindings`` and ``redactor``; never held while the engine is asked.
    """

    def __init__(
        self,
        call: Call,
        back: Back,
        bindings: Bindings,
        cassette: Cassette,
        *,
        redactor: Redactor,
        lock: AbstractContextManager[Any],
    ) -> None:
        self._call = call
        self._back = back
        self._bindings = bindings
        self._cassette = cassette
        self._redactor = redactor
        self._lock = lock
        self._references = back.references(call)
        self._mapped: dict[str, str] = {}
        self._unsure: dict[str, str] = {}
        self._same: set[str] = set()

    def play(self, asked: Sequence[Interaction], pairs: Sequence[Pair]) -> None:
        """Repeat the recorded calls to the engine and the lines of log.

        Raises:
            Refused: the engine refused, where it had not when this was recorded.
            MissError: it answered what cannot be mapped.
            UnsupportedError: the call brought no way back, or it cannot be played.
        """
        for interaction in asked:
            if interaction.op == Op.LOG:
                self._show(interaction, pairs)
            elif self._back.played(interaction.method, self._cassette.request(interaction) or {}, self._call):
                self._ask(interaction, pairs)

    def _show(self, interaction: Interaction, pairs: Sequence[Pair]) -> None:
        """Log a line. It is for people, so what cannot be mapped stays as it was recorded."""
        if self._call.session.engine is None:
            return
        with self._lock:
            filled = self._bindings.filled(self._cassette.request(interaction), pairs)
        severity, message, urn = self._back.shown(filled)
        pattern = self._pattern()
        self._call.session.engine.log(severity, self._replaced(message, pattern), self._replaced(urn, pattern))

    def _ask(self, interaction: Interaction, pairs: Sequence[Pair]) -> None:
        if self._call.monitor is None:
            raise UnsupportedError(f"{self._call} registers resources, and brought no way back to an engine that would.")
        with self._lock:
            filled = self._bindings.filled(self._cassette.request(interaction), pairs)
        request = self._back.with_provider_ids(self.mapped(filled, interaction), self._references)
        call = self._back.asked(interaction.method, request, self._call)
        reply = self._call.monitor(call)
        answer = reply.status or self._back.reply(reply, call)
        if isinstance(answer, Status):
            if interaction.status is None:
                raise Refused(reply)
            return
        if interaction.status is not None or interaction.withheld:
            raise self._cannot(
                interaction, interaction.withheld or "the engine refused it when it was recorded, and does it now"
            )
        live = self._back.heard(interaction.method, answer)
        self._references |= self._back.references(call, interaction.method, live)
        with self._lock:
            self._redactor.learn([live])
            self._learn(interaction, self._back.heard(interaction.method, self._cassette.response(interaction) or {}), live, "")

    def _learn(self, interaction: Interaction, recorded: Any, live: Any, path: str) -> None:
        if isinstance(recorded, dict) and (PLACEHOLDER in recorded or TEXT in recorded):
            self._bind(interaction, recorded, live, path)
        elif isinstance(recorded, dict) and isinstance(live, dict) and recorded.keys() == live.keys():
            for key, item in recorded.items():
                self._learn(interaction, item, live[key], step(path, key))
        elif isinstance(recorded, list) and isinstance(live, list) and len(recorded) == len(live):
            for index, (item, live_item) in enumerate(zip(recorded, live, strict=True)):
                self._learn(interaction, item, live_item, f"{path}[{index}]")
        elif isinstance(recorded, str) and isinstance(live, str):
            self._learn_text(interaction, recorded, live, path)
        elif recorded != live or type(recorded) is not type(live):
            raise self._cannot(interaction, f"{path}: recorded {show(recorded)}, now {show(live)}")

    def _bind(self, interaction: Interaction, recorded: Any, live: Any, path: str) -> None:
        pairs = self._bindings.pairs(recorded, live)
        if pairs is None or not self._bindings.fit(pairs):
            raise self._cannot(interaction, f"{path}: another secret is there now than where the recording has it elsewhere")
        self._bindings.bind(pairs)

    def _learn_text(self, interaction: Interaction, recorded: str, live: str, path: str) -> None:
        known = recorded if recorded in self._same else self._mapped.get(recorded, self._unsure.get(recorded, live))
        if recorded != live and not self._redactor.marks.unknowns.isdisjoint({recorded, live}):
            raise self._cannot(
                interaction, f"{path}: one of the recorded {show(recorded)} and the present {show(live)} is not known yet"
            )
        if known != live:
            raise self._cannot(
                interaction, f"{path}: {show(recorded)} was one value, and is now both {show(known)} and {show(live)}"
            )
        if recorded == live:
            self._same.add(recorded)
        else:
            (self._mapped if len(recorded) >= SHORTEST and live else self._unsure)[recorded] = live

    def mapped(self, tree: Any, interaction: Interaction) -> Any:
        """``tree`` with what the engine answered at recording replaced by what it answered now.

        Raises ``MissError`` where a text is too short to be told from one that only looks the same.
        """
        if not self._mapped and not self._unsure:
            return tree
        return self._walk(tree, self._pattern(), interaction)

    def _pattern(self) -> re.Pattern[str] | None:
        longest_first = sorted(self._mapped, key=len, reverse=True)
        return re.compile("|".join(map(re.escape, longest_first))) if longest_first else None

    def _replaced(self, text: str, pattern: re.Pattern[str] | None) -> str:
        replace: Callable[[re.Match[str]], str] = lambda match: self._mapped[match[0]]  # noqa: E731 - only to be typed
        return pattern.sub(replace, text) if pattern else text

    def _walk(self, tree: Any, pattern: re.Pattern[str] | None, interaction: Interaction) -> Any:
        if isinstance(tree, dict):
            return {key: self._walk(item, pattern, interaction) for key, item in tree.items()}
        if isinstance(tree, list):
            return [self._walk(item, pattern, interaction) for item in tree]
        if not isinstance(tree, str):
            return tree
        if tree in self._unsure:
            raise self._cannot(
                interaction,
                f"it has {show(tree)}, which the engine now answers as {show(self._unsure[tree])}, and may mean another",
            )
        return self._replaced(tree, pattern)

    def _cannot(self, interaction: Interaction, why: str) -> MissError:
        what = f"{interaction.method}{f' of {interaction.type}' if interaction.type else ''} (interaction {interaction.n})"
        return MissError(
            self._redactor.mask(
                f"{self._cassette.name}: {self._call} cannot be replayed. The engine answers {what} otherwise than it was "
                f"recorded, and what the provider would have made of that nobody knows: {why}. "
                "Bring the engine to the state of the recording, or record again."
            )
        )

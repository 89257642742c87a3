"""A recorded answer beside today's: where they differ, for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mockprovider.calls import Call, Op, Reply, Status
from mockprovider.cassette.model import Interaction, RecordedStatus, code_name
from mockprovider.cassette.order import DESCRIBING
from mockprovider.cassette.shelf import Reader
from mockprovider.cassette.transcriber import Transcriber
from mockprovider.cassette.verifying.comparing import SECRET, as_json, compared
from mockprovider.cassette.verifying.correspondence import Correspondence
from mockprovider.cassette.verifying.handing import Handed
from mockprovider.cassette.verifying.report import AnswerDifference
from mockprovider.matching import Difference, show
from mockprovider.redaction import Policy, Redactor, fill, numbers

VERSIONED: Mapping[str, frozenset[str]] = {
    Op.GET_PLUGIN_INFO.value: frozenset({"version"}),
    Op.GET_SCHEMA.value: frozenset({"schema.version"}),
}
"""What differs in each version of a provider, and says nothing."""
SHOWN = 120
"""So many characters of a value are shown."""
TREES = (str, dict, list)


class AnswerComparison:
    """Compares answers, and learns from them which value of today stands for which recorded one.

    Args:
        redactor: what is secret, and what is masked.
        correspondence: what has been learnt until now.
    """

    def __init__(self, redactor: Redactor, correspondence: Correspondence) -> None:
        self._redactor = redactor
        self._correspondence = correspondence

    def differences(
        self, interaction: Interaction, answers: tuple[Any, Any], reader: Reader, given: Handed, policy: Policy
    ) -> list[Difference]:
        """Where ``answers``, the recorded one and today's, differ."""
        recorded, now = answers
        trees = [self._redactor.compared(tree, policy) for tree in answers]
        one, other = (reader.arrange(interaction.method, interaction.type, tree) for tree in trees)
        if interaction.op in DESCRIBING:
            one, other = _in_use(one, other)
        differences = compared(one, other, given, self._correspondence)
        if interaction.op not in DESCRIBING:
            self._correspondence.keep(recorded, now)
        ignored = VERSIONED.get(interaction.op, frozenset())
        return [difference for difference in differences if difference.path not in ignored]

    def shown(self, differences: list[Difference], now: Any, policy: Policy) -> tuple[AnswerDifference, ...]:
        """The differences without secrets."""
        self._redactor.learn([now], policy)
        for (_, kind), value in self._correspondence.secrets.items():
            self._redactor.vault.number(value, kind)
        hidden = {self._redactor.vault.value(number) for number in numbers(self._redactor.hide(now, policy).tree)}

        def shown(value: Any) -> str:
            if isinstance(value, (str, int, float)) and value in hidden:
                return SECRET
            if value == SECRET or (isinstance(value, str) and value.endswith(SECRET)):
                return str(value)
            public = fill(self._redactor.hide(value, again=True).tree, lambda *_: SECRET) if isinstance(value, TREES) else value
            return show(public, SHOWN)

        return tuple(AnswerDifference(one.path, shown(one.recorded), shown(one.actual)) for one in differences)


def answer_tree(transcriber: Transcriber, reply: Reply, call: Call) -> Any:
    """An answer of today as it is compared."""
    outcome = reply.status or transcriber.reply(reply, call)
    if not isinstance(outcome, Status):
        return outcome
    details = transcriber.details(outcome.details) if outcome.details else None
    return {"code": code_name(outcome.code), "message": outcome.message, "details": details}


def status_tree(status: RecordedStatus) -> dict[str, Any]:
    """A recorded status as it is compared."""
    return {"code": status.code, "message": status.message, "details": status.details}


def _in_use(recorded: Any, now: Any, depth: int = 2) -> tuple[Any, Any]:
    """What a provider says of itself, then and now, without what the recording has nothing about: a new type breaks nobody."""
    if isinstance(recorded, str) and isinstance(now, str) and (one := as_json(recorded)) and (other := as_json(now)):
        return _in_use(one, other)
    if not (depth and isinstance(recorded, dict) and isinstance(now, dict)):
        return recorded, now
    pairs = {name: _in_use(item, now[name], depth - 1) for name, item in recorded.items() if name in now}
    return {name: pairs.get(name, (item,))[0] for name, item in recorded.items()}, {
        name: one for name, (_, one) in pairs.items()
    }

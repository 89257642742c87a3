"""A recording's calls are asked of a provider, one after the other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from mockprovider.calls import Call, Op, Reply, Session
from mockprovider.cassette.model import Interaction
from mockprovider.cassette.shelf import Shelf
from mockprovider.cassette.transcriber import Transcriber
from mockprovider.cassette.verifying.answers import AnswerComparison, answer_tree, status_tree
from mockprovider.cassette.verifying.correspondence import Correspondence
from mockprovider.cassette.verifying.handing import Handed, handed
from mockprovider.cassette.verifying.lost import Lost
from mockprovider.cassette.verifying.report import AnswerDifference, AnswerOutcome, LeftObject, Verified, VerifiedCall, about
from mockprovider.cassette.verifying.schedule import scheduled
from mockprovider.cassette.verifying.secrets import check_secrets
from mockprovider.cassette.verifying.starts import Starts
from mockprovider.protocols import by_name
from mockprovider.redaction import Redactor, fill, stand_in

ASKING = frozenset({Op.CONSTRUCT.value, Op.CALL.value})
"""Calls during which a provider asks its engine, whose answers nobody can give."""


class Opened(Protocol):
    """A provider of today, with a process for each session."""

    def __call__(self, call: Call) -> Reply:
        """Answer a call."""

    def end(self, session: Session) -> None:
        """The session is asked no more."""


class Verification:
    """The play of one recording.

    Args:
        shelf: the recording, with its readers.
        providers: what to ask today, by the provider's name in the cassette.
        redactor: what is secret, and what is masked.
        secrets: today's values of secrets that the user sent, by their number in the cassette.

    ``verified`` says what came of it until now, also when it breaks off. Raises ``UnknownSecretError`` for secrets that the
    user sent and that are not given, and for numbers that the recording does not have.
    """

    def __init__(
        self, shelf: Shelf, providers: Mapping[str, Opened], redactor: Redactor, secrets: Mapping[int, str] | None = None
    ) -> None:
        self.verified = Verified(shelf.cassette.name)
        self._shelf = shelf
        self._providers = providers
        self._redactor = redactor
        self._correspondence = Correspondence(secrets)
        self._answers = AnswerComparison(redactor, self._correspondence)
        for value in (secrets or {}).values():
            redactor.vault.number(value, "string")
        self.asking = ""
        """The change that waits for its answer, in words; what came of it is not known where the play breaks off here."""
        self._sessions: dict[int, Session] = {}
        self._order = scheduled(shelf.cassette, self._mutates)
        check_secrets(shelf.cassette, self._order, secrets or {})
        self._left_to_ask = Counter(interaction.session for interaction in self._order)
        self._lost = Lost()
        self._starts = Starts(self._order)
        self._left: dict[int, tuple[Interaction, LeftObject]] = {}

    def _mutates(self, interaction: Interaction) -> bool:
        transcriber = self._shelf.readers[interaction.provider].transcriber
        return not interaction.preview and transcriber.mutates(interaction.method)

    def __len__(self) -> int:
        return len(self._order)

    def play(self) -> Iterator[VerifiedCall]:
        """Ask call by call, with what came of each. Raises ``PluginError`` where a provider does not start,
        ``UnknownSecretError`` for a secret whose value of today nobody knows.
        """
        for interaction in self._order:
            self.asking = _named(interaction) if self._mutates(interaction) else ""
            asked = self._asked(interaction)
            self.asking = ""
            self.verified.calls.append(asked)
            self.verified.made_up = self._correspondence.count
            self._left_to_ask[interaction.session] -= 1
            if not self._left_to_ask[interaction.session] and interaction.session in self._sessions:
                self._providers[interaction.provider].end(self._sessions[interaction.session])
            yield asked

    # One call --------------------------------------------------------------------------------------------------------------

    def _asked(self, interaction: Interaction) -> VerifiedCall:
        request = self._shelf.cassette.request(interaction)
        if reason := self._refused(interaction) or self._lost.needed(interaction, request):
            self._lost.add(interaction, self._shelf.cassette.response(interaction), reason)
            return _said(interaction, AnswerOutcome.NOT_ASKED, reason=reason)
        reader = self._shelf.readers[interaction.provider]
        transcriber = reader.transcriber
        call, reply, given = self._reply(interaction, self._session(interaction))
        now = answer_tree(transcriber, reply, call)
        policy = self._redactor.names(call.type, transcriber.secrets(call), interaction.type)
        differences = self._answers.differences(interaction, (self._recorded(interaction), now), reader, given, policy)
        self._follow(interaction, transcriber, call, reply, now)
        if not differences:
            return _said(interaction, AnswerOutcome.EQUAL)
        failed = not reply.ok and self._answered_well(interaction, transcriber, call)
        outcome = AnswerOutcome.FAILED if failed else AnswerOutcome.DIFFERS
        return _said(interaction, outcome, self._answers.shown(differences, now, policy))

    def _recorded(self, interaction: Interaction) -> Any:
        status = interaction.status
        return self._shelf.cassette.response(interaction) if status is None else status_tree(status)

    def _refused(self, interaction: Interaction) -> str:
        """Why a call cannot be asked at all; empty if it can."""
        if interaction.withheld:
            return f"its answer was withheld when it was recorded: {interaction.withheld}"
        if interaction.op in ASKING:
            return "components and methods ask their engine meanwhile, and there is none"
        return ""

    def _session(self, interaction: Interaction) -> Session:
        if interaction.session not in self._sessions:
            spoken = by_name(self._shelf.cassette.header.spoken[interaction.provider])
            self._sessions[interaction.session] = Session(spoken, interaction.session, "verify")
            for starting in self._starts.missing(interaction):
                self._reply(starting, self._sessions[interaction.session])
        return self._sessions[interaction.session]

    def _reply(self, interaction: Interaction, session: Session) -> tuple[Call, Reply, Handed]:
        """What the provider says today to a recorded call."""
        transcriber = self._shelf.readers[interaction.provider].transcriber
        request = self._shelf.cassette.request(interaction)
        given = handed(request, self._correspondence, f"interaction {interaction.n} ({_named(interaction)})")
        call = transcriber.again(interaction.method, given.tree, session)
        return call, self._providers[interaction.provider](call), given

    # What follows ----------------------------------------------------------------------------------------------------------

    def _follow(self, interaction: Interaction, transcriber: Transcriber, call: Call, reply: Reply, now: Any) -> None:
        """Note what exists now, and what was to exist and does not."""
        if interaction.preview or not transcriber.mutates(interaction.method):
            return
        if interaction.op == Op.CREATE and (reply.ok or reply.id):
            id_ = reply.id or str(next(iter(_ids(now)), ""))
            left = LeftObject(interaction.type or call.type, id_, about(interaction), interaction.provider)
            self._left[interaction.n] = interaction, left
        elif interaction.op == Op.CREATE and self._answered_well(interaction, transcriber, call):
            why = f"what interaction {interaction.n} ({_named(interaction)}) made when it was recorded was not made today"
            self._lost.add(interaction, self._shelf.cassette.response(interaction), why)
        elif interaction.op == Op.DELETE and reply.ok:
            self._left.pop(self._made_by(interaction), None)
        self.verified.left = [left for _, left in self._left.values()]

    def _made_by(self, deleting: Interaction) -> int:
        """The number of the interaction that made what this one deletes; 0 if none did."""
        return next(
            (
                number
                for number, (creating, _) in self._left.items()
                if (creating.provider, creating.type, creating.urn, creating.id)
                == (deleting.provider, deleting.type, deleting.urn, deleting.id)
            ),
            0,
        )

    def _answered_well(self, interaction: Interaction, transcriber: Transcriber, call: Call) -> bool:
        """Whether the recorded answer is no error."""
        if interaction.status is not None:
            return False
        tree = fill(self._shelf.cassette.response(interaction), stand_in)
        return transcriber.restore(interaction.method, tree, call).ok


def _ids(tree: Any) -> Iterator[Any]:
    if isinstance(tree, dict):
        if isinstance(tree.get("id"), (str, int)):
            yield tree["id"]
        for subtree in tree.values():
            yield from _ids(subtree)


def _named(interaction: Interaction) -> str:
    return f"{interaction.op} {about(interaction)}".rstrip()


def _said(
    interaction: Interaction, outcome: AnswerOutcome, differences: tuple[AnswerDifference, ...] = (), reason: str = ""
) -> VerifiedCall:
    return VerifiedCall(
        interaction.n,
        interaction.op,
        interaction.method,
        about(interaction),
        outcome,
        interaction.provider,
        differences,
        reason,
    )

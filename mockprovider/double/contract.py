"""The contract of a double's protocols: what its engines and providers broke, and what a test allows them to break."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from mockprovider.cloud import Cloud
from mockprovider.contract import Allowed, Breach, Contract, ContractRule, Watch
from mockprovider.journal import Journal
from mockprovider.protocols import families, loaded


def contracts() -> dict[str, Contract]:
    """The contracts of all installed protocols that have one, by family."""
    return {family: loaded(versions[0].contract) for family, versions in families().items() if versions[0].contract}


def rules() -> Iterator[ContractRule]:
    """The rules of all installed protocols."""
    for contract in contracts().values():
        yield from contract.rules


class DoubleContract:
    """Which rules of the contract were broken in the calls of a double.

    It looks at the journal when it is asked, so that it costs a call nothing.
    """

    def __init__(self, journal: Journal, cloud: Cloud, scrub: Callable[[str], str], *, of_the_world: bool) -> None:
        """``scrub`` takes secrets out of a text; ``of_the_world`` says that what answers is, or was, a real provider: its
        objects may be older than the run.
        """
        self._journal, self._cloud, self._of_the_world = journal, cloud, of_the_world
        self.scrub = scrub
        """Takes the secrets of the run out of a text about a breach."""
        self._allowed = Allowed()
        self._adopted: set[str] = set()
        self._watch = Watch(self.is_there)
        journal.leaving.append(self._look)

    def allow(self, id: str, *, because: str) -> None:  # noqa: A002 - the field's word
        """Let the rules of an id be broken, ``PULUMI-INPUTS-ARE-CHECKED`` or ``PULUMI-*``, for a reason.

        ``*`` turns the contract off: from then on nothing is judged, and nothing remembered of any call.

        Raises ``DefinitionError`` for an id that no rule has, and without a reason.
        """
        self._allowed.allow(id, because, rules())

    def adopt(self, *ids: str) -> None:
        """Say that engines may remember other things, from here on, than what they were told: a test has edited or restored a
        state, or handed one over with objects that have these ``ids``. ``import_`` of stacks says so itself.
        """
        self.doubt(ids)

    def doubt(self, ids: Iterable[str]) -> None:
        """``adopt``, for the engines at work."""
        self._look()
        self._adopted.update(ids)
        self._watch.doubt()

    @property
    def allowed(self) -> Mapping[str, str]:
        """The reasons, by what is allowed, in capitals."""
        return {**self._allowed.reasons}

    @property
    def unneeded(self) -> list[str]:
        """What is allowed, and has covered no breach until now. Where nothing is judged, nobody knows."""
        self.since(0)
        return [id_ for id_ in self._allowed.reasons if id_ not in self._allowed.needed and not self._allowed.everything]

    @property
    def breaches(self) -> list[Breach]:
        """The breaches until now that are not allowed, in the order in which they happened."""
        return self.since(0)[0]

    def since(self, position: int) -> tuple[list[Breach], int]:
        """The breaches from a position on that are not allowed, and the position of the next ones."""
        self._look()
        # Others may look, too, and find more meanwhile.
        until = len(self._watch.breaches)
        return [breach for breach in self._watch.breaches[position:until] if not self._allowed.covers(breach.rule)], until

    def _look(self, *leaving: Any) -> None:
        if not self._allowed.everything:
            self._watch.look(*(leaving or self._journal.so_far(self._watch.until)))

    def is_there(self, id_: str) -> bool:
        """Whether an object may be there without an answer's telling of it: a test made it, or it is older than the run."""
        return self._of_the_world or id_ in self._adopted or any(event.id == id_ for event in self._cloud.events)

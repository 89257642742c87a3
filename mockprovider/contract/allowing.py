"""Breaches that a test has reasons to allow."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase

from mockprovider.contract.rules import ContractRule, chosen
from mockprovider.errors import DefinitionError

EVERYTHING = "*"
"""What allows all rules to be broken, those of every protocol."""


class Allowed:
    """Which rules may be broken, each with a reason. An id may have wildcards, and is in any case: ``PULUMI-*``.

    Where everything may be, nothing has to be judged.
    """

    def __init__(self) -> None:
        self.reasons: dict[str, str] = {}
        self.needed: set[str] = set()
        """What covered a breach until now."""

    def allow(self, id: str, because: str, known: Iterable[ContractRule]) -> None:  # noqa: A002 - the field's word
        """Allow the rules of an id. Raises ``DefinitionError`` for an id that no rule has, and without a reason."""
        chosen(id, known)
        if not isinstance(because, str) or not because.strip():
            raise DefinitionError(
                f"{id} is allowed without a reason. Say why it is right here: "
                f"allow({id!r}, because='the state comes from another test')."
            )
        self.reasons[id.upper()] = because

    @property
    def everything(self) -> bool:
        """Whether all rules may be broken."""
        return EVERYTHING in self.reasons

    def covers(self, rule: ContractRule) -> bool:
        """Whether a rule that was broken may be."""
        covering = [id_ for id_ in self.reasons if fnmatchcase(rule.id, id_)]
        self.needed.update(covering)
        return bool(covering)

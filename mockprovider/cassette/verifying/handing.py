"""A recorded request as it is asked today."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from mockprovider.cassette.verifying.correspondence import Correspondence, Values, is_marked
from mockprovider.cassette.verifying.generated import leaves
from mockprovider.cassette.verifying.pairing import Pairs
from mockprovider.matching import step
from mockprovider.redaction import LITERAL


class Handed(Struct):
    """A request as it is asked today. ``own`` are the values of the objects that it is about, ``given`` all that it brings."""

    tree: Any
    own: Values
    given: frozenset[tuple[type, Any]]


def handed(request: Any, correspondence: Correspondence, about: str) -> Handed:
    """A recorded request with today's values. ``about`` is what errors call it.

    Raises ``UnknownSecretError`` for a secret whose value of today nobody knows.
    """
    own = own_values(request, correspondence)
    given = frozenset((type(value), value) for _, value in leaves(request))
    return Handed(_Handing(correspondence, own, about).tree(request, "", ""), own, given)


def own_values(tree: Any, correspondence: Correspondence) -> Values:
    """Today's values of what the request has as a whole: they count wherever else these values stand in it."""
    pairs = Pairs()
    _collect(tree, correspondence, pairs)
    return pairs.values()


def _collect(tree: Any, correspondence: Correspondence, pairs: Pairs) -> None:
    part = correspondence.part(tree)
    if part is not None:
        pairs.add(tree, part)
    elif isinstance(tree, (dict, list)):
        for subtree in tree.values() if isinstance(tree, dict) else tree:
            _collect(subtree, correspondence, pairs)


class _Handing:
    """One walk over a request."""

    def __init__(self, correspondence: Correspondence, own: Values, about: str) -> None:
        self._correspondence = correspondence
        self._own = own
        self._about = about

    def tree(self, tree: Any, key: str, path: str) -> Any:
        """The tree with today's values."""
        part = self._correspondence.part(tree)
        if part is not None:
            return part
        if is_marked(tree):
            if LITERAL in tree:
                return self._members(tree[LITERAL], path)
            return self._correspondence.filled(tree, f"{self._about}: {path}")
        if isinstance(tree, dict):
            return self._members(tree, path)
        if isinstance(tree, list):
            return [self.tree(item, key, f"{path}[{index}]") for index, item in enumerate(tree)]
        return self._correspondence.renamed(tree, key, self._own)

    def _members(self, tree: dict[str, Any], path: str) -> dict[str, Any]:
        return {
            self._correspondence.renamed(name, "", self._own): self.tree(item, name, step(path, name))
            for name, item in tree.items()
        }

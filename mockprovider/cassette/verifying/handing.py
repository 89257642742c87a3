"""A recorded request as it is asked today."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from mockprovider.cassette.verifying.correspondence import Correspondence, Values, is_marked
from mockprovider.cassette.verifying.generated import leaves
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
    own = Values()
    _collect(request, correspondence, own)
    given = frozenset((type(value), value) for _, value in leaves(request))
    return Handed(_Handing(correspondence, own, about).tree(request, "", ""), own, given)


def _collect(tree: Any, correspondence: Correspondence, own: Values) -> None:
    """Note today's values of what the request has as a whole: they count wherever else these values stand in it."""
    part = correspondence.part(tree)
    if part is not None:
        _pair(tree, part, "", own)
    elif isinstance(tree, dict):
        for subtree in tree.values():
            _collect(subtree, correspondence, own)
    elif isinstance(tree, list):
        for subtree in tree:
            _collect(subtree, correspondence, own)


def _pair(recorded: Any, now: Any, key: str, own: Values) -> None:
    if isinstance(recorded, dict) and isinstance(now, dict):
        for name in recorded.keys() & now.keys():
            _pair(recorded[name], now[name], name, own)
    elif isinstance(recorded, list) and isinstance(now, list):
        for one, other in zip(recorded, now, strict=False):
            _pair(one, other, key, own)
    elif isinstance(recorded, (str, int)) and type(recorded) is type(now) and recorded != now:
        own.note(key, recorded, now)


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

"""Places in messages that somebody names: ``password``, ``database.password``, ``aws_ssm_parameter.value``.

A name is a property, or the end of a path with dots; with the type's token before it, it counts for that type alone. List
indexes do not count, and neither does the message's field around a value (``olds``, ``planned_state``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct

from mockprovider.errors import DefinitionError
from mockprovider.redaction.declared import Name, Names, Steps, steps

EVERY = "*"
"""Stands for every type where names are kept by type."""


NAMED = "Name properties, such as 'password' or 'aws_ssm_parameter.value'."


class Places:
    """What somebody named, as it was ``given``, and by type. ``used`` has the names that were met, with the call's types.

    Raises ``DefinitionError`` for what is no name.
    """

    def __init__(self, names: Names = ()) -> None:
        self.given: list[str] = []
        self.used: set[tuple[Steps, str]] = set()
        self.known = False
        """Whether anything is named."""
        self._by_type: dict[str, frozenset[str]] = {}
        self._of: dict[Steps, frozenset[str]] = {}
        self.add(names)

    def add(self, names: Names = (), by_type: Mapping[str, Names] | None = None) -> None:
        """Name more: as users write them, or by type (``EVERY`` for all). Raises as the class does."""
        if isinstance(names, str) or not all(isinstance(name, str) and name.strip() for name in names):
            raise DefinitionError(f"{names!r} is no list of names. {NAMED}")
        self.given += [name for name in dict.fromkeys(names) if name not in self.given]
        for token, more in (by_type or {}).items():
            self._by_type[token] = self._by_type.get(token, frozenset()).union(more)
        self.known = bool(self.given or any(self._by_type.values()))
        self._of.clear()

    @property
    def by_type(self) -> Mapping[str, frozenset[str]]:
        """What is named by type."""
        return self._by_type

    def of(self, types: Iterable[str]) -> frozenset[str]:
        """The names that count in a message about these types: one type in its spellings."""
        key = tuple(types)
        if key not in self._of:
            kept = (self._by_type.get(token, frozenset()) for token in (*key, EVERY))
            self._of[key] = frozenset().union(*kept, (_within(name, key) for name in self.given))
        return self._of[key]

    def kept(self, types: Iterable[str]) -> dict[str, list[str]]:
        """All names that may count in messages about these types, by type, in order; what ``add`` takes."""
        known = sorted(set(types))
        names = {token: set(self._by_type.get(token, ())) for token in (*known, EVERY)}
        for given in self.given:
            owners = [token for token in known if _within(given, (token,)) != given]
            for token in owners or [EVERY]:
                names[token].add(_within(given, (token,)))
        return {token: sorted(names[token]) for token in sorted(names) if names[token]}

    def unused(self) -> list[str]:
        """What was named and never met."""
        met = {spelled for types, name in self.used for spelled in (name, *(f"{token}.{name}" for token in types))}
        return [name for name in self.given if name not in met]


def check_decisions(secret: Places, public: Places) -> None:
    """Raise ``DefinitionError`` if somebody named one place as secret and as public."""
    readable = {steps(name) for name in public.given}
    for name in secret.given:
        if steps(name) in readable:
            raise DefinitionError(
                f"{name!r} is named as secret and as public. Decide for one: secrets=[...] (--secret) takes its values out, "
                "public=[...] (--public) leaves them readable."
            )


def _within(name: str, types: Steps) -> str:
    return next((name.removeprefix(f"{token}.") for token in types if token and name.startswith(f"{token}.")), name)


class Policy(Struct, frozen=True):
    """What is decided about the places in messages about one type (``types`` are its spellings).

    ``secret`` are all names that are declared, by a schema or by somebody; ``decided`` those of somebody, ``public`` what
    somebody decided to be readable in spite of a declaration.
    """

    secret: frozenset[Name] = frozenset()
    decided: frozenset[str] = frozenset()
    public: frozenset[str] = frozenset()
    types: Steps = ()

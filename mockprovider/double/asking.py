"""Refuses what a test asks of a type or property that can only be misspelt: the answer would be empty, and test nothing."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Protocol

from mockprovider.calls import EFFECTS, Op
from mockprovider.double.declared import DeclaredPackages
from mockprovider.errors import DefinitionError
from mockprovider.faults import naming
from mockprovider.hints import did_you_mean, misspelt, suggest
from mockprovider.schema import declared_type
from mockprovider.urn import STACK_TYPE

_OF_OBJECTS = EFFECTS | {Op.IMPORT}
STRANGERS: Mapping[str, tuple[str, frozenset[Op]]] = {
    "functions": ("function", _OF_OBJECTS),
    "methods": ("method", _OF_OBJECTS),
    "resources": ("resource type", frozenset({Op.INVOKE})),
}
"""The ops that cannot be about what a package declares, by its section."""


class Declaring(Protocol):
    """What declares types: a ``Double``."""

    is_fake: bool
    packages: DeclaredPackages

    @property
    def strict(self) -> bool:
        """Whether there are no other types."""

    def absent(self, type_: str) -> str:
        """Why there is no such type in a recording; empty if there may be."""


class Spelling:
    """What a double knows of how types and properties are spelled.

    ``named`` tells the other name of each resource type that it declares, by token.
    """

    def __init__(self, double: Declaring, named: Callable[[], Mapping[str, str]]) -> None:
        self._double, self._named = double, named

    def check_type(self, type_: str) -> None:
        """Raise ``DefinitionError`` for a type, or a function, that can only be misspelt.

        Real and recorded providers have types that nobody declares here, under the names of their own protocol.
        """
        if not isinstance(type_, str) or type_.partition(":")[0] != STACK_TYPE.partition(":")[0]:
            naming.check(type_, self._declared(), strict=self._double.strict, foreign=not self._double.is_fake)

    def check_asked(self, op: Op, type_: str) -> None:
        """Raise ``DefinitionError`` for what no engine can ask here: a replay has only the types that were recorded, and
        not every op is about everything that has a token.
        """
        self.check_type(type_)
        if absent := self._double.absent(type_):
            raise DefinitionError(absent)
        for section, (what, ops) in STRANGERS.items():
            if op in ops and any(type_ in getattr(package, section) for package in self._double.packages.values()):
                raise DefinitionError(f"{type_!r} is a {what}, and no engine asks for {op.value} of one.")

    def check_properties(self, type_: str, names: Iterable[str], present: Collection[str]) -> None:
        """Raise ``DefinitionError`` for a property that the type does not declare, nor the object have.

        Of a type that nobody declared, objects may get any property but one that is almost one that they have.
        """
        declared = declared_type(self._double.packages, type_)
        known = {*present, *(declared.properties if declared else ())}
        for name in names:
            if name not in known and declared is not None and declared.properties:
                raise DefinitionError(f"{type_} has no property {name!r}. {did_you_mean(name, known, 'It has')}")
            if meant := misspelt(name, known):
                raise DefinitionError(f"This {type_} has no property {name!r}. {suggest(meant)}")

    def _declared(self) -> Mapping[str, str]:
        """The other name of each type by token; of what else has a token, the token."""
        packages = self._double.packages.values()
        sections = (section for one in packages for section in (one.functions, one.components, one.methods, one.offers))
        return {**{token: token for section in sections for token in section}, **self._named()}

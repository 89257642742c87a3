"""Answers that somebody gives for a part of what a schema declares: checked against it, spelled as properties, completed."""

from __future__ import annotations

from collections.abc import Mapping

from mockprovider.errors import DefinitionError
from mockprovider.fake.checks import fits, kind_name
from mockprovider.hints import did_you_mean
from mockprovider.paths import Path, show
from mockprovider.properties import Kind, Property, snake_case
from mockprovider.values import Secret, Value, is_unknown

Properties = Mapping[str, Property]


class Fitting:
    """Fits what is given to what is declared.

    Args:
        owner: whose answer it is, for errors.
        what: what its names are: ``output``.
        lenient: what the declaration does not have, or has as another kind, is left out: a preset is for many versions.
    """

    def __init__(self, owner: str, what: str = "output", *, lenient: bool = False) -> None:
        self._owner = owner
        self._what = what
        self._lenient = lenient

    def bag(self, properties: Properties, given: Value, at: Path = ()) -> dict[str, Value]:
        """``given`` with property names for attribute names, at every depth.

        Raises ``DefinitionError`` for a name that is not declared, with the nearest, and for a value of another kind.
        """
        if not isinstance(given, Mapping):
            raise DefinitionError(f"{self._place(at)} is {given!r}. Give a mapping of {self._what}s to values.")
        bag: dict[str, Value] = {}
        for key, value in given.items():
            name = named(properties, key)
            if name is not None:
                bag |= self._member(name, properties[name].kind, value, (*at, name))
            elif not self._lenient:
                hint = did_you_mean(str(key), [*properties], "It has")
                raise DefinitionError(f"{self._place(at)} has no {self._what} {key!r}. {hint}")
        return bag

    def _member(self, name: str, kind: Kind, value: Value, at: Path) -> dict[str, Value]:
        try:
            return {name: self._value(kind, value, at)}
        except DefinitionError:
            if self._lenient:
                return {}
            raise

    def _value(self, kind: Kind, value: Value, at: Path) -> Value:
        if isinstance(value, Secret):
            return Secret(self._value(kind, value.value, at))
        if value is None or is_unknown(value) or kind.name == "any":
            return value
        if not fits(kind, value):
            given = kind_name(value, hidden=False)
            raise DefinitionError(f"{self._place(at)} is {value!r} ({given}), and is declared as {kind}.")
        if kind.name == "object":
            return self.bag(kind.properties, value, at)
        if kind.items is not None and isinstance(value, Mapping):
            return {key: self._value(kind.items, item, (*at, key)) for key, item in value.items()}
        if kind.items is not None:
            return [self._value(kind.items, item, (*at, index)) for index, item in enumerate(value)]
        return value

    def _place(self, at: Path) -> str:
        return f"{self._owner}: {show(at)}" if at else self._owner


def named(properties: Properties, name: str) -> str | None:
    """The property of this name, in either ecosystem's spelling."""
    if name in properties:
        return name
    return next((own for own, item in properties.items() if name == (item.terraform or snake_case(own))), None)

"""A type with outputs that somebody states: computed as before, of the stated value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from mockprovider.errors import DefinitionError
from mockprovider.fake.fitting import Fitting, named
from mockprovider.fake.inventing.stated import Stated
from mockprovider.properties import Kind, Property
from mockprovider.schema import ResourceType
from mockprovider.values import Bag, Value, has_unknown

ID = "id"


class StatedId(str):
    """An id that was stated: where an object has it already, the next one's has a hash behind it."""

    __slots__ = ()


class Stating:
    """States outputs of a type.

    Args:
        declared: the type.
        lenient: whether what the type does not have is left out, and not refused.
        inside: whether parts of what a program sets may be stated, too, as a provider may under Pulumi.
        wins: whether these parts count where the program says something else of them.
    """

    def __init__(self, declared: ResourceType, *, lenient: bool = False, inside: bool = True, wins: bool = False) -> None:
        self._declared = declared
        self._lenient = lenient
        self._inside = inside
        self._wins = wins

    def check(self, given: Any) -> dict[str, Value]:
        """What is stated, by property. Raises ``DefinitionError`` for what is not declared, or is the program's to set."""
        declared = self._declared
        own_id = isinstance(given, Mapping) and ID in given and named(declared.properties, ID) is None
        rest = {key: value for key, value in given.items() if key != ID} if own_id else given
        stated = Fitting(declared.token, lenient=self._lenient).bag(declared.properties, rest)
        for name in stated:
            item = declared.properties[name]
            if not (item.computed or item.kind.name == "object" or self._lenient):
                raise DefinitionError(
                    f"{declared.token}: {name!r} is no output: the program sets it, or nobody. Say it of a computed property."
                )
        return {**stated, ID: given[ID]} if own_id else stated

    def applied(self, given: Any, planned: Bag | None) -> ResourceType:
        """The type that computes what is stated, except what a plan knows already."""
        stated = {
            name: value
            for name, value in self.check(given).items()
            if planned is None or name == ID or has_unknown(planned.get(name))
        }
        properties = {
            name: self._stated(item, stated[name]) if name in stated and name != ID else item
            for name, item in self._declared.properties.items()
        }
        words = {"id": StatedId(str(stated[ID]).replace("{", "{{").replace("}", "}}"))} if ID in stated else {}
        return replace(self._declared, properties=properties, **words)

    def _stated(self, item: Property, value: Value) -> Property:
        if item.is_input and self._inside and isinstance(value, Mapping) and item.kind.name in ("object", "map"):
            item = replace(item, type=_filling(item.kind, value, wins=self._wins))
            fills = not item.required
        else:
            # Terraform's engines take back only what the schema calls computed.
            is_left = self._lenient and self._inside and not (item.required or item.has_default)
            fills = bool(item.computed) or is_left
        whole = not item.is_input
        return replace(item, computed=Stated(value, fill=whole), optional=item.is_input) if fills else item


def replaced_by_any_input(declared: ResourceType) -> ResourceType:
    """The type, of which another object is made wherever a program wants anything else, as of what is drawn."""
    items = declared.properties.items()
    return replace(declared, properties={name: replace(item, forces_new=item.is_input) for name, item in items})


def _filling(kind: Kind, value: Mapping[str, Value], *, wins: bool) -> Kind:
    """An object or map of which the provider fills in what is stated, where the program leaves it out, or always."""
    if kind.name == "map":
        item = Property(kind.items or Kind("any"))
        return replace(kind, properties={key: _filled(item, part, wins=wins) for key, part in value.items()})
    inside = {name: _filled(item, value[name], wins=wins) if name in value else item for name, item in kind.properties.items()}
    return replace(kind, properties=inside)


def _filled(item: Property, value: Value, *, wins: bool) -> Property:
    settled = item.required or item.has_default
    return item if settled else replace(item, computed=Stated(value, fill=False, wins=wins), optional=item.is_input)

"""Objects that move to another type: the types that they may come from, and their properties under the new one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from msgspec import Struct

from mockprovider.errors import DefinitionError
from mockprovider.schema import TOKEN, Kind, ResourceType, snake_case, terraform_type_name
from mockprovider.values import Bag, Value, reveal

Convert = Callable[[dict[str, Any]], dict[str, Any]]
CONVERTED = "converted"
"""The note of an object that was updated under its new type, and so has the new type's properties."""


class Former(Struct, frozen=True):
    """An entry of ``moved_from``: the type's declared name, and its provider's address or the end of it.

    ``convert`` converts the old type's attributes to the new one's; with ``None``, attributes of the same name stay.
    """

    type: str
    provider: str = ""
    convert: Convert | None = None

    def named(self, types: Mapping[str, ResourceType]) -> str:
        """The type's Terraform name; ``types`` are the declared types by token."""
        known = types.get(self.type)
        if known is not None:
            return known.terraform
        return terraform_type_name(self.type) if ":" in self.type else self.type

    def of_provider(self, address: str) -> bool:
        """Whether the type belongs to the provider at ``address``; engines differ in the host, so its end is enough."""
        return not self.provider or f"/{address}".endswith(f"/{self.provider}")


def formers(declared: ResourceType) -> Iterator[Former]:
    """The entries of ``declared.moved_from``, in its order."""
    given = declared.moved_from
    for source in given:
        provider, _, name = ("", "", source) if TOKEN.fullmatch(source) else source.rpartition("/")
        yield Former(name, provider, given[source] if isinstance(given, Mapping) else None)


def converted(declared: ResourceType, convert: Convert, raw: Mapping[str, Any], source: str) -> dict[str, Any]:
    """A state's attributes after ``convert``. Raises ``DefinitionError`` if it returns no dict."""
    attributes = convert(dict(raw))
    if not isinstance(attributes, dict):
        raise DefinitionError(
            f"{declared.token}: the function that converts objects of {source} returned a {type(attributes).__name__}. "
            "Return the attributes of the new type in a dict."
        )
    return attributes


def properties_after(declared: ResourceType, former: ResourceType, convert: Convert, id_: str, properties: Bag) -> Bag:
    """The properties of an object of ``former`` under its new type, converted like a state's attributes."""
    raw = {"id": id_, **_outward(reveal(properties), Kind("object", properties=former.properties))}
    attributes = converted(declared, convert, raw, former.terraform)
    inward: Bag = _inward(attributes, Kind("object", properties=declared.properties))
    return inward


def _attributes(kind: Kind) -> dict[str, str]:
    return {name: item.terraform or snake_case(name) for name, item in kind.properties.items()}


def _outward(value: Value, kind: Kind) -> Any:
    if isinstance(value, Mapping) and kind.properties:
        names = _attributes(kind)
        return {names[name]: _outward(value.get(name), item.kind) for name, item in kind.properties.items()}
    return _each(value, kind, _outward)


def _inward(value: Any, kind: Kind) -> Any:
    if isinstance(value, Mapping) and kind.properties:
        names = _attributes(kind)
        there = {name: value.get(names[name]) for name in kind.properties}
        return {name: _inward(part, kind.properties[name].kind) for name, part in there.items() if part is not None}
    return _each(value, kind, _inward)


def _each(value: Any, kind: Kind, turn: Callable[[Any, Kind], Any]) -> Any:
    if kind.items is None:
        return value
    if isinstance(value, Mapping):
        return {key: turn(element, kind.items) for key, element in value.items()}
    return [turn(element, kind.items) for element in value] if isinstance(value, list | tuple) else value

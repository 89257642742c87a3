"""Azure's names: what the provider calls a thing that the program gives no name, and ids that are paths of names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import UNSET
from msgspec.structs import replace

from mockprovider.fake.inventing.arns import endings
from mockprovider.fake.inventing.forms import SUBSCRIPTION
from mockprovider.fake.stating import StatedId
from mockprovider.properties import Property, snake_case

PACKAGES = frozenset({"azure", "azure-native"})
GROUP = "resourceGroupName"
AUTOMATIC = "{name}{random:8}"


def named(token: str, properties: Mapping[str, Property]) -> tuple[dict[str, Property], StatedId]:
    """The properties of a type of Azure with names as its provider makes them, and the template of its ids."""
    _, module, member = token.split(":")
    own = _own_name(member, properties)
    known = dict(properties)
    if own:
        known[own] = replace(properties[own], computed=False, optional=False, default=UNSET, auto_name=AUTOMATIC)
    answered = known.get("name")
    if own and answered is not None and not answered.is_input:
        known["name"] = replace(answered, computed=f"{{{own}}}")
    return known, StatedId("/".join(_segments(module.split("/")[0], member, own, known)))


def _own_name(member: str, properties: Mapping[str, Property]) -> str:
    """The input that is a thing's own name; those of what it is part of are required. Empty if there is none."""
    optional = {snake_case(name): name for name, item in properties.items() if _is_name(name, item) and not item.required}
    usual = (*(f"{words}_name" for words in endings(snake_case(member))), "name", "resource_name")
    return next((optional[word] for word in usual if word in optional), next(iter(optional.values()), ""))


def _is_name(name: str, item: Property) -> bool:
    return name.lower().endswith("name") and name != "displayName" and item.is_input and item.kind.name == "string"


def _segments(module: str, member: str, own: str, properties: Mapping[str, Property]) -> Iterator[str]:
    yield f"/subscriptions/{SUBSCRIPTION}"
    last = f"{{{own}}}" if own else "{name}-{hash}"
    if member == "ResourceGroup":
        yield f"resourceGroups/{last}"
        return
    if GROUP in properties and properties[GROUP].required:
        yield f"resourceGroups/{{{GROUP}}}"
    yield f"providers/Microsoft.{module[:1].upper()}{module[1:]}"
    for name, item in properties.items():
        if item.required and name != GROUP and _is_name(name, item):
            yield f"{_plural(name[:-4])}/{{{name}}}"
    yield f"{_plural(member)}/{last}"


def _plural(thing: str) -> str:
    word = f"{thing[:1].lower()}{thing[1:]}"
    return f"{word[:-1]}ies" if word.endswith("y") else f"{word}es" if word.endswith("s") else f"{word}s"

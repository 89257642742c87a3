"""What a package schema does not have: which properties the provider fills in, also inside of what a program sets."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from msgspec import UNSET, Struct
from msgspec.structs import replace

from mockprovider.fake.computing import literally
from mockprovider.fake.inventing import Inventor
from mockprovider.properties import Kind
from mockprovider.schema import Property, snake_case
from mockprovider.values import Secret, Value

OUTPUT = re.compile(r"\(Output\)|\bOutput only\b")
"""What GCP's descriptions begin with where only the provider sets a property, of ten in 387 wrongly."""
ADDRESS = re.compile(r"(nat|network|private|public|external|internal)_ip(v[46])?(_address)?")
"""Names of addresses that a machine is given. In bridged schemas, 18 of 24 such texts are always answered."""


class Remade(Struct, frozen=True):
    """Makes a value anew each time that the provider is asked: an asset, of which engines do not send back what is in it."""

    token: str
    name: str
    item: Property

    def __call__(self, known: Mapping[str, Any]) -> Value:
        """The value, of an object with this ``id``."""
        return invented(self.item, self.name, known["id"], self.token)


def computed(token: str, name: str, item: Property, *, optional: bool = False) -> Property:
    """``item`` as a computed property; ``optional`` if the program may also set it."""
    how: Any = Remade(token, name, item) if _has_files(item.kind) else True
    if item.enum and item.enum[0] and isinstance(item.enum[0], str):
        # A template's value is known in plans.
        how = literally(item.enum[0])
    return replace(item, default=UNSET, required=False, computed=how, optional=optional)


def _has_files(kind: Kind) -> bool:
    inside = (*(item.kind for item in kind.properties.values()), *([kind.items] if kind.items else ()))
    return kind.name in ("asset", "archive") or any(map(_has_files, inside))


def filled_in(token: str, name: str, argument: Kind, output: Kind) -> Kind:
    """The kind of an argument, with what the provider adds inside of it: the properties that its output has besides.

    Where the output is of another kind, that is the ``answer``, also of what is around it.
    """
    if argument is output or output.name == "any" or {argument.name, output.name} == {"integer", "number"}:
        return argument
    if argument.name != output.name:
        return replace(argument, answer=output)
    if argument.items is not None and output.items is not None:
        items = filled_in(token, name, argument.items, output.items)
        differs = output if items.answer is not None else None
        return argument if items is argument.items else replace(argument, items=items, answer=differs)
    if argument.name != "object":
        return argument
    given, answered = argument.properties, output.properties
    # Kubernetes' packages call all that an object of theirs may have certain, which says nothing of what a program left out.
    tells = not (given.keys() >= answered.keys() and all(item.required for item in answered.values()))
    members = {own: _filled_in(token, f"{name}.{own}", given.get(own), item, tells=tells) for own, item in answered.items()}
    changed = {own: item for own, item in members.items() if item is not given.get(own)}
    differs = output if any(item.kind.answer is not None for item in changed.values()) else None
    return replace(argument, properties={**given, **changed}, answer=differs) if changed else argument


def _filled_in(token: str, name: str, given: Property | None, output: Property, *, tells: bool) -> Property:
    if given is None:
        return computed(token, name, output)
    kind = filled_in(token, name, given.kind, output.kind)
    item = given if kind is given.kind else replace(given, type=kind)
    certain = tells and output.required and not (item.required or item.has_default)
    return computed(token, name, item, optional=True) if certain else item


def likely_answered(name: str, spec: Mapping[str, Any]) -> bool:
    """Whether the provider answers a property inside of an argument, as far as name and description tell.

    It is for types that do not say so themselves: those of Python SDKs.
    """
    is_address = spec.get("type") == "string" and ADDRESS.fullmatch(snake_case(name))
    return bool(is_address or OUTPUT.search(spec.get("description", "")))


def invented(item: Property, name: str, of: str, token: str) -> Value:
    """A generated value for the property, always the same for the owner ``of`` it, a thing of the type ``token``."""
    return Inventor(token, of).value(replace(item, optional=False), name)


def answer(token: str, name: str, item: Property, inputs: Mapping[str, Property]) -> Value:
    """A method's result: the argument of that name, if it always has a value, else a generated value."""
    given = inputs.get(name)
    if given and (given.required or given.has_default) and given.kind == item.kind == Kind("string") and name.isidentifier():
        value: Value = f"{{{name}}}"
    else:
        value = literally(invented(item, name, token, token))
    return Secret(value) if item.secret else value

"""Components and methods in a types file."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, TypeVar

from mockprovider.document import Node
from mockprovider.errors import DefinitionError
from mockprovider.fake.definitions.properties import read_inputs, read_properties
from mockprovider.schema import Child, Component, Method
from mockprovider.values import Value

T = TypeVar("T")
Check = Callable[[Value, set[str], Node], None]
"""Raises ``DefinitionError`` for a template that asks for what is not there."""


class _Known(set[str]):
    """The names that a template may ask for: ``logs.arn`` where there is something called ``logs``."""

    def __init__(self, names: Collection[str], whole: Collection[str]) -> None:
        super().__init__(names)
        self._whole = frozenset(whole)

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or str(name).partition(".")[0] in self._whole


def read_component(token: str, node: Node, check: Check) -> Component:
    """A component. Raises ``DefinitionError``."""
    members = node.members(("description", "inputs", "outputs", "children"))
    inputs = read_inputs(members["inputs"]) if "inputs" in members else {}
    children: dict[str, Child] = {}
    for key, each in (members["children"].members() if "children" in members else {}).items():
        children[key] = _child(each, _Known({"name", *inputs}, children), check)
    outputs = read_properties(members["outputs"]) if "outputs" in members else {}
    for name, item in outputs.items():
        if isinstance(item.computed, str):
            check(item.computed, _Known({"name", *inputs}, children), members["outputs"].members()[name].members()["computed"])
    description = members["description"].text() if "description" in members else ""
    return _made(node, lambda: Component(token, inputs, outputs, children, description=description))


def _child(node: Node, known: _Known, check: Check) -> Child:
    members = node.members(("type", "name", "properties"), needed=("type",))
    properties = members["properties"].plain() if "properties" in members else {}
    if "properties" in members:
        members["properties"].members()
        check(properties, known, members["properties"])
    name = members["name"].text(empty=False) if "name" in members else ""
    if name:
        check(name, known, members["name"])
    return Child(members["type"].text(empty=False), properties, name)


def read_method(token: str, node: Node, check: Check) -> Method:
    """A method. Raises ``DefinitionError``."""
    members = node.members(("inputs", "returns"))
    inputs = read_inputs(members["inputs"]) if "inputs" in members else {}
    returns = members["returns"].plain() if "returns" in members else {}
    if "returns" in members:
        members["returns"].members()
        check(returns, _Known(inputs, ("self",)), members["returns"])
    return _made(node, lambda: Method(token, inputs, returns))


def _made(node: Node, make: Callable[[], T]) -> T:
    try:
        return make()
    except DefinitionError as error:
        raise node.error(str(error)) from error


def dump_component(declared: Component, properties: Callable[[Any, str], dict[str, Any]]) -> dict[str, Any]:
    """A component as data. Raises ``DefinitionError`` for one that is built by a Python function."""
    if declared.construct is not None:
        raise DefinitionError(f"{declared.token} is built by a Python function, which data cannot hold. List its children.")
    found = {
        "description": declared.description,
        "inputs": properties(declared.inputs, declared.token),
        "outputs": properties(declared.outputs, declared.token),
        "children": {key: _dump_child(each) for key, each in declared.children.items()},
    }
    return {key: value for key, value in found.items() if value}


def _dump_child(child: Child) -> dict[str, Any]:
    found = {"type": child.type, "name": child.name, "properties": dict(child.properties)}
    return {key: value for key, value in found.items() if value}


def dump_method(declared: Method, properties: Callable[[Any, str], dict[str, Any]]) -> dict[str, Any]:
    """A method as data. Raises ``DefinitionError`` for one that is a Python function."""
    if callable(declared.returns):
        raise DefinitionError(f"{declared.token} is a Python function, which data cannot hold. Write values and templates.")
    found = {"inputs": properties(declared.inputs, declared.token), "returns": dict(declared.returns)}
    return {key: value for key, value in found.items() if value}

"""What a component of a schema makes, of which only the outputs are known: those that are resources are its children."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, NamedTuple

from msgspec.structs import replace

from mockprovider.properties import Property
from mockprovider.values import Bag, Value


class Shown(NamedTuple):
    """A resource that a component shows: its type, which is empty for another component, and whether it stands in a list."""

    type: str
    listed: bool


def constructing(outputs: Mapping[str, Property], shown: Mapping[str, Shown], echoed: Collection[str]) -> Callable[[Any], Bag]:
    """A component whose outputs are the inputs ``echoed``, or generated: those that are resources (``shown``) as children.

    Of a list of resources there is one, ``vpcId`` beside a child ``vpc`` is its id, and what an object shows that the component
    shows itself, too, is the same child. There is no value for another component: only code knows what it has.
    """
    outside_in = sorted(shown, key=lambda path: path.count("."))

    def construct(site: Any) -> Bag:
        given = {name: site.output(name) for name in echoed if site.inputs.get(name) is not None}
        children: dict[str, Any] = {}
        for path in outside_in:
            if shown[path].type and path.partition(".")[0] not in given:
                same = _same(path, shown, children)
                children[path] = same or site.shown_child(path.replace(".", "-"), shown[path].type)
        references = {path: _reference(children.get(path), shown[path]) for path in shown}
        for name, item in outputs.items():
            if name in given:
                continue
            named = children.get(name.removesuffix("Id"))
            made_up = named.output("id") if named and name not in shown else site.invent(replace(item, optional=False), name)
            given[name] = references[name] if name in shown else _with(made_up, name, references)
        return given

    return construct


def _same(path: str, shown: Mapping[str, Shown], children: Mapping[str, Any]) -> Any:
    """The child that the component shows itself: of this type and name, or the only one of this type."""
    alike = [own for own in children if "." in path and "." not in own and shown[own] == shown[path]]
    named = [own for own in alike if own == path.rpartition(".")[2]]
    chosen = named or (alike if len(alike) == 1 else [])
    return children[chosen[0]] if chosen else None


def _reference(child: Any, shown: Shown) -> Value:
    if child is None:
        return [] if shown.listed else None
    return [child.reference] if shown.listed else child.reference


def _with(value: Value, at: str, references: Mapping[str, Value]) -> Value:
    """``value`` with the resources that are inside of it."""
    if not isinstance(value, dict):
        return value
    paths = {name: f"{at}.{name}" for name in value}
    return {
        name: references[path] if (path := paths[name]) in references else _with(value[name], path, references)
        for name in value
    }

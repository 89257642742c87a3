"""The rules of applied states: known values stay as planned, unknown ones are filled in, and the number of blocks stays."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from mockprovider.terraform.rules.places import elements
from mockprovider.terraform.rules.planned import Problem, Promise
from mockprovider.terraform.schema.tree import BLOCK, Place
from mockprovider.terraform.values.refinements import refused
from mockprovider.terraform.values.types import Type
from mockprovider.values import LEAVES, Unknown, Value, same

HIDDEN = "another sensitive value than was planned"


def broken(place: Place, planned: Value, actual: Value, path: str = "") -> Iterator[Problem]:
    """The violations of ``actual``, the applied state of an object (or of one of the objects) at a place, against its plan."""
    if planned is None or actual is None:
        if not (planned is None and actual is None):
            what = "it was planned, and is now absent" if actual is None else "it was planned to be absent, and is there"
            yield Problem(path, what, Promise.APPLIED_BLOCKS if path else Promise.APPLIED_EXISTENCE)
        return
    if isinstance(planned, Unknown) or isinstance(actual, Unknown):
        return
    for name, member in place.inside.items():
        where = f"{path}.{name}" if path else name
        before, after = planned.get(name), actual.get(name)
        is_block = member.form == BLOCK
        if not is_block and type(before) is type(after) and type(before) in LEAVES and before == after:
            # Most values stay as they were planned, and no more is to be said of them.
            continue
        problems = _blocks(member, before, after, where) if is_block else _values(member.type, before, after, where)
        # Messages must not show sensitive values.
        yield from (Problem(where, HIDDEN, problem.promise) for problem in problems) if member.sensitive else problems


def _blocks(place: Place, planned: Value, actual: Value, path: str) -> Iterator[Problem]:
    if isinstance(planned, Unknown):
        return
    if place.element is None:
        yield from broken(place, planned, actual, path)
    elif planned is None or actual is None:
        return
    elif place.nesting == "set":
        yield from _sets(planned, actual, path, lambda one, other: not any(broken(place, one, other)), Promise.APPLIED_BLOCKS)
    elif len(planned) != len(actual) or (isinstance(planned, dict) and planned.keys() != actual.keys()):
        yield Problem(path, f"{len(planned)} blocks were planned, and now there are {len(actual)}", Promise.APPLIED_BLOCKS)
    else:
        after = dict(elements(actual, place, path))
        for where, item in elements(planned, place, path):
            yield from broken(place, item, after[where], where)


def _values(declared: Type, planned: Value, actual: Value, path: str) -> Iterator[Problem]:
    if isinstance(planned, Unknown):
        broken_promise = "" if planned.refinement is None else refused(planned.refinement, actual)
        if broken_promise:
            yield Problem(path, f"it was planned as unknown, {broken_promise}", Promise.APPLIED)
    elif isinstance(actual, Unknown):
        yield Problem(path, "it was planned as a known value, and is now unknown", Promise.APPLIED)
    elif isinstance(planned, dict) and isinstance(actual, dict):
        yield from _members(declared, planned, actual, path)
    elif isinstance(planned, list) and isinstance(actual, list):
        yield from _elements(declared, planned, actual, path)
    elif not same(planned, actual):
        what = f"{_shown(planned)} was planned, and now it is {_shown(actual)}"
        yield Problem(path, what, Promise.APPLIED, "another value was planned")


def _members(declared: Type, planned: dict[str, Value], actual: dict[str, Value], path: str) -> Iterator[Problem]:
    for key in planned.keys() | actual.keys():
        where = f"{path}.{key}"
        if key not in actual:
            yield Problem(where, "it was planned, and has vanished", Promise.APPLIED)
        elif key not in planned:
            yield Problem(where, "it was not planned, and has appeared", Promise.APPLIED)
        else:
            yield from _values(declared.attributes.get(key, declared.element), planned[key], actual[key], where)


def _elements(declared: Type, planned: list[Value], actual: list[Value], path: str) -> Iterator[Problem]:
    if declared.name == "set":
        yield from _sets(planned, actual, path, lambda one, other: not any(_values(declared.element, one, other, path)))
    elif len(planned) != len(actual):
        yield Problem(path, f"{len(planned)} elements were planned, and now there are {len(actual)}", Promise.APPLIED)
    else:
        kinds = declared.elements or (declared.element,) * len(planned)
        for index, (kind, before, after) in enumerate(zip(kinds, planned, actual, strict=True)):
            yield from _values(kind, before, after, f"{path}[{index}]")


def _sets(
    planned: list[Value],
    actual: list[Value],
    path: str,
    fits: Callable[[Value, Value], bool],
    promise: Promise = Promise.APPLIED,
) -> Iterator[Problem]:
    if any(not any(fits(one, other) for other in actual) for one in planned):
        yield Problem(path, "an element that was planned is not there", promise)
    elif any(not any(fits(one, other) for one in planned) for other in actual):
        yield Problem(path, "an element is there that was not planned", promise)
    elif len(actual) > len(planned):
        yield Problem(path, f"{len(planned)} elements were planned, and now there are {len(actual)}", promise)


def _shown(value: Value) -> str:
    return "null" if value is None else repr(value)

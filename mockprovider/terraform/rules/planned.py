"""The rules of planned states, given the configuration and the prior state, as engines check them.

A planned value equals the configured one, or the prior one (which then means the same). The provider chooses computed values
that are not configured. Nested blocks are exactly the configured ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from mockprovider.terraform.rules.places import elements, equal
from mockprovider.terraform.schema.tree import BLOCK, NESTED, Place
from mockprovider.values import Unknown, Value

HIDDEN = "a sensitive value"


class Problem(Struct, frozen=True):
    """A violation in an answer: the path, in Terraform's names, and the broken rule."""

    path: str
    rule: str


def problems(place: Place, prior: Value, config: Value, planned: Value, path: str = "") -> Iterator[Problem]:
    """The violations in the plan of the object (or of one of the objects) at a place."""
    if isinstance(config, Unknown) or (config is None and planned is None):
        return
    if config is None or planned is None:
        planned_only = "nothing is configured, and an object is planned"
        yield Problem(path, planned_only if config is None else "it is configured, and planned for absence")
        return
    if isinstance(planned, Unknown):
        yield Problem(path, "it is configured, and planned as unknown; only what is in it may be unknown")
        return
    for name, member in place.inside.items():
        where = f"{path}.{name}" if path else name
        before = prior.get(name) if isinstance(prior, dict) else None
        check = _block if member.form == BLOCK else _attribute
        yield from check(member, before, config.get(name), planned.get(name), where)


def _attribute(place: Place, prior: Value, config: Value, planned: Value, path: str) -> Iterator[Problem]:
    if place.write_only:
        # Another check, which comes first, looks whether it is null.
        return
    if equal(planned, config, place.type):
        return
    if prior is not None and config is not None and equal(planned, prior, place.type):
        return
    if place.computed and (config is None or not place.optional):
        return
    elif config is None:
        yield Problem(path, f"{_shown(place, planned)} is planned for an attribute that is neither configured nor computed")
    elif place.form == NESTED:
        yield from _nested(place, prior, config, planned, path)
    else:
        or_prior = "" if prior is None else f", nor what was there before, {_shown(place, prior)}"
        configured = f"which is not what is configured, {_shown(place, config)}{or_prior}"
        yield Problem(path, f"{_shown(place, planned)} is planned, {configured}")


def _nested(place: Place, prior: Value, config: Value, planned: Value, path: str) -> Iterator[Problem]:
    if planned is None or isinstance(planned, Unknown) or isinstance(config, Unknown):
        yield Problem(path, f"{_shown(place, planned)} is planned, and nested objects are configured")
    elif place.element is None:
        yield from problems(place, prior, config, planned, path)
    elif place.nesting == "set":
        # Engines cannot tell which element became which, so they do not check the elements.
        if len(planned) > len(config):
            yield Problem(path, f"{len(planned)} elements are planned, and {len(config)} are configured")
    else:
        yield from _counted(place, prior, config, planned, path)


def _block(place: Place, prior: Value, config: Value, planned: Value, path: str) -> Iterator[Problem]:
    if equal(planned, config, place.type):
        return
    if isinstance(config, Unknown):
        yield Problem(path, "blocks are planned, and how many there are is not known yet")
    elif isinstance(planned, Unknown):
        yield Problem(path, "blocks cannot be unknown themselves; make the attributes in them unknown")
    elif place.element is None:
        yield from problems(place, prior, config, planned, path)
    elif planned is None:
        yield Problem(path, f"where there are no blocks, a {place.nesting} of them is empty, and never null")
    elif place.nesting == "set":
        yield from _known_elements(place, planned, path)
    else:
        yield from _counted(place, prior, config, planned, path)


def _known_elements(place: Place, planned: Value, path: str) -> Iterator[Problem]:
    for where, item in elements(planned, place, path):
        if isinstance(item, Unknown):
            yield Problem(where, "a block cannot be unknown itself; make the attributes in it unknown")


def _counted(place: Place, prior: Value, config: Value, planned: Value, path: str) -> Iterator[Problem]:
    """Lists by index and maps by key: they have the same elements, and each follows the rules."""
    if not isinstance(config, (dict, list)):
        # No engine sends null or unknown blocks.
        config = type(planned)()
    if len(planned) != len(config) or (isinstance(config, dict) and planned.keys() != config.keys()):
        yield Problem(path, f"{_count(planned)} planned, and {_count(config)} configured: their number never changes")
        return
    yield from _known_elements(place, planned, path)
    wanted = dict(elements(config, place, path))
    before = dict(elements(prior, place, path)) if isinstance(prior, (dict, list)) else {}
    for where, item in elements(planned, place, path):
        if not isinstance(item, Unknown):
            yield from problems(place, before.get(where), wanted[where], item, where)


def _count(value: Any) -> str:
    one = len(value) == 1
    return f"{len(value)} {'is' if one else 'are'}"


def _shown(place: Place, value: Value) -> str:
    if place.sensitive:
        return HIDDEN
    if isinstance(value, Unknown):
        return "an unknown value"
    return "null" if value is None else repr(value)

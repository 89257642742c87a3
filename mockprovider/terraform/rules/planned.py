"""The rules of planned states, given the configuration and the prior state, as engines check them.

A planned value equals the configured one, or the prior one (which then means the same). The provider chooses computed values
that are not configured. Nested blocks are exactly the configured ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import Any

from msgspec import Struct

from mockprovider.terraform.rules.places import elements, equal
from mockprovider.terraform.schema.tree import BLOCK, NESTED, Place
from mockprovider.values import LEAVES, Unknown, Value

HIDDEN = "a sensitive value"


class Promise(StrEnum):
    """What an answer has to keep, one thing each: the rules of the contract are about these."""

    FORM = "form"
    """It can be read with the schema."""
    DEFERRAL = "deferral"
    CONFIGURATION = "configuration"
    """A plan has the configured values."""
    BLOCKS = "blocks"
    """A plan has the configured blocks."""
    EXISTENCE = "existence"
    """What is configured is planned, and nothing else is."""
    REPLACEMENT = "replacement"
    """What forces a replacement is there."""
    WRITE_ONLY = "write-only"
    KNOWN = "known"
    """What is no plan leaves nothing unknown."""
    APPLIED = "applied"
    """A new state has the planned values."""
    APPLIED_BLOCKS = "applied blocks"
    APPLIED_EXISTENCE = "applied existence"
    """What was planned is there, and nothing else is."""
    OBJECT = "object"
    """There is an object in the answer."""
    IDENTITY = "identity"


class Problem(Struct, frozen=True):
    """A violation in an answer: the path, in Terraform's names, the broken rule, and what it is about.

    ``rule`` shows values, but no sensitive ones. ``bare`` shows none; it is empty where ``rule`` does not, either.
    """

    path: str
    rule: str
    promise: Promise = Promise.CONFIGURATION
    bare: str = ""

    @property
    def without_values(self) -> str:
        """The place and the rule, and no value: any of them may be a secret."""
        return f"{self.path or 'the whole object'}: {self.bare or self.rule}."


def problems(place: Place, prior: Value, config: Value, planned: Value, path: str = "") -> Iterator[Problem]:
    """The violations in the plan of the object (or of one of the objects) at a place."""
    if isinstance(config, Unknown) or (config is None and planned is None):
        return
    if config is None or planned is None:
        planned_only = "nothing is configured, and an object is planned"
        what = planned_only if config is None else "it is configured, and planned for absence"
        yield Problem(path, what, Promise.BLOCKS if path else Promise.EXISTENCE)
        return
    if isinstance(planned, Unknown):
        what = "it is configured, and planned as unknown; only what is in it may be unknown"
        yield Problem(path, what, Promise.BLOCKS if path else Promise.EXISTENCE)
        return
    for name, member in place.inside.items():
        where = f"{path}.{name}" if path else name
        before = prior.get(name) if isinstance(prior, dict) else None
        wanted, outcome = config.get(name), planned.get(name)
        if member.form != BLOCK and type(wanted) is type(outcome) and type(wanted) in LEAVES and wanted == outcome:
            # Most values are planned as they are configured, and no more is to be said of them.
            continue
        check = _block if member.form == BLOCK else _attribute
        yield from check(member, before, wanted, outcome, where)


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
        what = "is planned for an attribute that is neither configured nor computed"
        yield Problem(path, f"{_shown(place, planned)} {what}", bare=f"{_sort(planned)} {what}")
    elif place.form == NESTED:
        yield from _nested(place, prior, config, planned, path)
    else:
        or_prior = "" if prior is None else f", nor what was there before, {_shown(place, prior)}"
        configured = f"which is not what is configured, {_shown(place, config)}{or_prior}"
        bare = f"{_sort(planned)} is planned, which is not what is configured"
        yield Problem(path, f"{_shown(place, planned)} is planned, {configured}", bare=bare)


def _nested(place: Place, prior: Value, config: Value, planned: Value, path: str) -> Iterator[Problem]:
    if planned is None or isinstance(planned, Unknown) or isinstance(config, Unknown):
        what = "is planned, and nested objects are configured"
        yield Problem(path, f"{_shown(place, planned)} {what}", Promise.BLOCKS, f"{_sort(planned)} {what}")
    elif place.element is None:
        yield from problems(place, prior, config, planned, path)
    elif place.nesting == "set":
        # Engines cannot tell which element became which, so they do not check the elements.
        if len(planned) > len(config):
            yield Problem(path, f"{len(planned)} elements are planned, and {len(config)} are configured", Promise.BLOCKS)
    else:
        yield from _counted(place, prior, config, planned, path)


def _block(place: Place, prior: Value, config: Value, planned: Value, path: str) -> Iterator[Problem]:
    if equal(planned, config, place.type):
        return
    if isinstance(config, Unknown):
        yield Problem(path, "blocks are planned, and how many there are is not known yet", Promise.BLOCKS)
    elif isinstance(planned, Unknown):
        yield Problem(path, "blocks cannot be unknown themselves; make the attributes in them unknown", Promise.BLOCKS)
    elif place.element is None:
        yield from problems(place, prior, config, planned, path)
    elif planned is None:
        yield Problem(path, f"where there are no blocks, a {place.nesting} of them is empty, and never null", Promise.BLOCKS)
    elif place.nesting == "set":
        yield from _known_elements(place, planned, path)
    else:
        yield from _counted(place, prior, config, planned, path)


def _known_elements(place: Place, planned: Value, path: str) -> Iterator[Problem]:
    for where, item in elements(planned, place, path):
        if isinstance(item, Unknown):
            yield Problem(where, "a block cannot be unknown itself; make the attributes in it unknown", Promise.BLOCKS)


def _counted(place: Place, prior: Value, config: Value, planned: Value, path: str) -> Iterator[Problem]:
    """Lists by index and maps by key: they have the same elements, and each follows the rules."""
    if not isinstance(config, (dict, list)):
        # No engine sends null or unknown blocks.
        config = type(planned)()
    if len(planned) != len(config) or (isinstance(config, dict) and planned.keys() != config.keys()):
        what = f"{_count(planned)} planned, and {_count(config)} configured: their number never changes"
        yield Problem(path, what, Promise.BLOCKS)
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


def _sort(value: Value) -> str:
    if isinstance(value, Unknown):
        return "an unknown value"
    return "null" if value is None else "another value"


def _shown(place: Place, value: Value) -> str:
    if place.sensitive:
        return HIDDEN
    if isinstance(value, Unknown):
        return "an unknown value"
    return "null" if value is None else repr(value)

"""What a real provider decides, harvested by asking it: what forces a replacement, defaults, and which values it accepts.

The result is a package that needs no plugin: a types file can hold it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from itertools import chain, pairwise
from typing import Any, Protocol

from msgspec import Struct
from msgspec.structs import replace

from mockprovider.calls import Call, Reply
from mockprovider.errors import DefinitionError
from mockprovider.hints import did_you_mean
from mockprovider.schema import Kind, Package, Property, ResourceType
from mockprovider.terraform.judging.asking import Asking
from mockprovider.terraform.judging.trying import Trying
from mockprovider.values import Bag, Value, has_unknown

Place = tuple[str, ...]


class Judging(Protocol):
    """What is asked: a judge."""

    package: Package
    major: int

    def answer(self, call: Call) -> Reply:
        """The real provider's judgement."""


class Harvested(Struct):
    """What was learned of one type: by property path, and ``notes`` for people of what a types file cannot hold."""

    forces_new: set[Place] = set()
    defaults: dict[Place, Value] = {}
    enums: dict[Place, tuple[Any, ...]] = {}
    notes: list[str] = []


def harvest(judge: Judging, only: Collection[str] = (), say: Callable[[str], object] = str) -> Package:
    """The package of the judge's provider with what it decides, as data.

    ``only`` are the types' names in Terraform; all unless given. ``say`` is told of each type. Raises ``DefinitionError`` for a
    name that the provider does not have.
    """
    known = {declared.terraform: declared for declared in judge.package.resources.values()}
    for name in only:
        if name not in known:
            raise DefinitionError(f"The provider has no type {name!r}. {did_you_mean(name, known, 'It has')}")
    source = judge.package
    package = Package(source.name, source.version, dict(source.config))
    for name, declared in known.items():
        if only and name not in only:
            continue
        learned = learn(judge, declared)
        say(f"{name}: {_counted(learned)}")
        package.add(_with(declared, learned))
    for function in source.functions.values() if not only else ():
        package.add(function)
    if "provider" in source.terraform_schema:
        package.terraform_schema = {"provider": source.terraform_schema["provider"]}
    return package


def _counted(learned: Harvested) -> str:
    counts = f"{len(learned.forces_new)} that force a replacement, {len(learned.defaults)} defaults, {len(learned.enums)} lists"
    return "; ".join([counts, *learned.notes])


def learn(judge: Judging, declared: ResourceType) -> Harvested:
    """What the provider decides about one type."""
    asking = Asking(judge.answer, judge.package, declared, judge.major)
    trying = Trying(asking, declared)
    learned = Harvested(set(), {}, {}, [])
    if trying.base is None:
        learned.notes.append("no inputs were found that it accepts, so nothing is known of it")
        return learned
    for path in trying.paths():
        _learn_place(asking, trying, path, learned)
    _learn_defaults(trying, learned)
    learned.enums = {path: values for path, values in trying.enums.items() if values}
    return learned


def _learn_place(asking: Asking, trying: Trying, path: Place, learned: Harvested) -> None:
    """Whether a change at one place forces a replacement."""
    good = trying.good(path)
    seen = _seen(asking, trying, pairwise(good))
    if not any(seen.values()):
        # One value alone: what comes of setting it, and of leaving it out.
        without = [{name: value for name, value in inputs.items() if name != path[0]} for inputs in good[:1]]
        seen = _seen(asking, trying, [pair for pair in zip(good, without, strict=False) if len(path) == 1])
    if seen[True]:
        learned.forces_new.add(path)
    if all(seen.values()):
        learned.notes.append(f"{'.'.join(path)} forces a replacement only sometimes")
    if not good:
        learned.notes.append(f"no value of {'.'.join(path)} was found that it accepts")


def _seen(asking: Asking, trying: Trying, pairs: Iterable[tuple[Bag, Bag]]) -> dict[bool, int]:
    """How many changes of one of a pair to the other, and back, are replacements, and how many are not."""
    seen = {True: 0, False: 0}
    for before, after in chain.from_iterable(((one, other), (other, one)) for one, other in pairs):
        verdict = trying.accepted(before)
        change = asking.change(asking.made(verdict), after) if verdict else None
        if change is not None and change.action in ("update", "replace") and not change.unjudged:
            seen[change.action == "replace"] += 1
    return seen


def _learn_defaults(trying: Trying, learned: Harvested) -> None:
    """The values that it plans where nothing is said, if they are the same whatever else is said."""
    verdicts = [trying.accepted(trying.base or {})]
    verdicts += [trying.accepted(inputs) for path in trying.paths() if len(path) == 1 for inputs in trying.good(path)[:2]]
    for name, item in trying.inputs.items():
        if not (item.computed and item.optional):
            continue
        planned = [verdict.plan.planned for verdict in verdicts if verdict and verdict.plan]
        first = planned[0].get(name) if planned else None
        # Where it was said, it is what was said.
        values = [plan.get(name) for plan in planned]
        if first is not None and not has_unknown(first) and values.count(first) >= len(values) - len(trying.good((name,))):
            learned.defaults[(name,)] = first


def _with(declared: ResourceType, learned: Harvested) -> ResourceType:
    properties = {name: _property(item, (name,), learned) for name, item in declared.properties.items()}
    return replace(declared, properties=properties)


def _property(item: Property, path: Place, learned: Harvested) -> Property:
    kind = _kind(item.kind, path, learned)
    words: dict[str, Any] = {"type": kind}
    if path in learned.forces_new:
        words["forces_new"] = True
    if path in learned.enums and kind.items is not None:
        words["type"] = replace(kind, items=replace(kind.items, enum=learned.enums[path]))
    elif path in learned.enums:
        words["enum"] = learned.enums[path]
    if path in learned.defaults:
        words |= {"default": learned.defaults[path], "computed": False, "optional": False}
    if callable(item.computed):
        words["computed"] = True
    return replace(item, **words)


def _kind(kind: Kind, path: Place, learned: Harvested) -> Kind:
    if kind.properties:
        return replace(
            kind, properties={name: _property(item, (*path, name), learned) for name, item in kind.properties.items()}
        )
    return replace(kind, items=_kind(kind.items, path, learned)) if kind.items is not None else kind

"""Finding inputs that a provider accepts, by asking it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from mockprovider.calls import Failure
from mockprovider.paths import parse
from mockprovider.schema import Property, ResourceType
from mockprovider.terraform.judging.asking import Asking, Judgement
from mockprovider.terraform.judging.candidates import absurd, around, candidates, holds_text, inside
from mockprovider.values import Bag, Value

QUOTED = re.compile(r'"([^"]*)"')
LISTED = re.compile(r"one of:?\s*[\[(]([^\])]*)[\])]", re.IGNORECASE)
"""How refusals list what would have been right; what a list claims is asked again."""

MOST = 200
"""How many inputs are tried until a type is given up."""

GOOD = 3
"""How many accepted values of a property are enough."""


class Trying:
    """Searches for inputs of one type. ``base`` is the least that is accepted; ``None`` where nothing was found."""

    def __init__(self, asking: Asking, declared: ResourceType) -> None:
        self._asking = asking
        self.inputs = {name: item for name, item in declared.properties.items() if item.is_input and name != "timeouts"}
        self._good: dict[tuple[str, ...], list[dict[str, Value]]] = {}
        self.enums: dict[tuple[str, ...], tuple[str, ...]] = {}
        self.base = self._base()

    def accepted(self, inputs: Bag) -> Judgement | None:
        """The plan of a new object of these inputs, if they are accepted."""
        verdict = self._asking.create(inputs)
        return verdict if verdict.action == "create" and not verdict.unjudged else None

    def _base(self) -> dict[str, Value] | None:
        inputs: dict[str, Value] = {
            name: next(candidates(item.kind, name=name)) if not inside(item) else around(item, _least(inside(item)))
            for name, item in self.inputs.items()
            if item.required
        }
        verdict, left = self._asking.create(inputs), MOST
        while verdict.action == "refused" and left > 0:
            best = None
            for tried in self._mended(inputs, verdict.failures):
                left -= 1
                other = self._asking.create(tried)
                if other.action == "create" or len(other.failures) < len(verdict.failures):
                    best = (tried, other)
                    break
            if best is None:
                return None
            inputs, verdict = best
        return inputs if verdict.action == "create" else None

    def _mended(self, inputs: Bag, failures: tuple[Failure, ...]) -> Iterator[dict[str, Value]]:
        """Inputs with one value changed: first of the properties that a failure is about, then with one more."""
        named = [name for failure in failures for name in parse(failure.path)[:1] if name in self.inputs]
        for name in dict.fromkeys(map(str, named)):
            for value in self.values((name,), failures):
                yield {**inputs, name: value}
        for name, item in self.inputs.items():
            if name not in inputs:
                for value in self.values((name,), ()) if not inside(item) else [around(item, _least(inside(item)))]:
                    yield {**inputs, name: value}
                    break

    def values(self, path: tuple[str, ...], failures: tuple[Failure, ...]) -> Iterator[Value]:
        """Values to try at a path; those that a refusal lists come first."""
        item = self.item(path)
        listed = [text for failure in failures for text in listed_in(failure)]
        yield from candidates(item.kind, tuple(listed) if holds_text(item.kind) else (), path[-1])

    def item(self, path: tuple[str, ...]) -> Property:
        """The declaration at a path."""
        item = self.inputs[path[0]]
        for name in path[1:]:
            item = inside(item)[name]
        return item

    def paths(self) -> Iterator[tuple[str, ...]]:
        """The places of all inputs, two deep."""
        for name, item in self.inputs.items():
            yield (name,)
            yield from ((name, inner) for inner, part in inside(item).items() if part.is_input)

    def put(self, path: tuple[str, ...], value: Value) -> dict[str, Value]:
        """The base with a value at a path; what is around it is as little as can be."""
        base = self.base or {}
        if len(path) == 1:
            return {**base, path[0]: value}
        item = self.inputs[path[0]]
        known = base.get(path[0])
        known = known[0] if isinstance(known, list) and known else known
        least = known if isinstance(known, dict) else _least(inside(item))
        return {**base, path[0]: around(item, {**least, path[1]: value})}

    def good(self, path: tuple[str, ...]) -> list[dict[str, Value]]:
        """Accepted inputs that differ at ``path`` alone."""
        if path in self._good:
            return self._good[path]
        listed = self.listed(path)
        enough = max(GOOD, len(listed))
        item = self.item(path)
        values = candidates(item.kind, listed, path[-1]) if not inside(item) else [around(item, _least(inside(item)))]
        accepted: list[dict[str, Value]] = []
        for value in values:
            inputs = self._accepting(path, self.put(path, value))
            if inputs is not None and inputs not in accepted:
                accepted.append(inputs)
            if len(accepted) >= enough:
                break
        self._good[path] = accepted
        return accepted

    def _accepting(self, path: tuple[str, ...], inputs: dict[str, Value]) -> dict[str, Value] | None:
        """``inputs``, if need be without one other value, which may exclude this one; ``None`` where that does not help."""
        if self.accepted(inputs):
            return inputs
        spare = [name for name in inputs if name != path[0] and not self.inputs[name].required]
        fewer = ({name: value for name, value in inputs.items() if name != left_out} for left_out in spare)
        return next((inputs for inputs in fewer if self.accepted(inputs)), None)

    def listed(self, path: tuple[str, ...]) -> tuple[str, ...]:
        """The values that a refusal of an absurd one lists, as far as they are accepted there."""
        kind = self.item(path).kind
        if not holds_text(kind):
            return ()
        if path not in self.enums:
            failures = self._asking.failures(self.put(path, absurd(kind)))
            listed = dict.fromkeys(text for failure in failures for text in listed_in(failure))
            one = {text: text if kind.name == "string" else [text] for text in listed}
            refused = [text for text in listed if self._about(path, self._asking.failures(self.put(path, one[text])))]
            self.enums[path] = tuple(text for text in listed if text not in refused) if self._about(path, failures) else ()
        return self.enums[path]

    @staticmethod
    def _about(path: tuple[str, ...], failures: tuple[Failure, ...]) -> bool:
        return any(path[-1] in parse(failure.path) for failure in failures)


def _least(properties: Mapping[str, Property]) -> dict[str, Value]:
    """An object of these properties that has what is required."""
    return {
        name: next(candidates(item.kind, name=name)) if not inside(item) else around(item, _least(inside(item)))
        for name, item in properties.items()
        if item.required
    }


def listed_in(failure: Failure) -> list[str]:
    """The values that a failure lists as right."""
    match = LISTED.search(f"{failure.reason}: {failure.detail}")
    return [text for text in QUOTED.findall(match[1]) if text] if match else []

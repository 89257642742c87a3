"""What somebody decided about which calls match: per cassette, where it is kept in the header, and per test.

Everything here is about requests, since these are compared. What is left out of a request is left out of the recorded one
and of today's, before either is looked at. So ``ignore`` and ``matchers`` need no search: equal requests have equal digests.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from enum import StrEnum
from typing import Any, TypeAlias

from msgspec import Struct, ValidationError, convert, field, to_builtins

from mockprovider import paths
from mockprovider.errors import DefinitionError, MalformedError
from mockprovider.hints import did_you_mean
from mockprovider.matching import encode
from mockprovider.redaction import RESERVED

EVERY_TYPE = "*"
ANY, DEEP = "*", "**"
"""Steps of a path: one of any name or index, and any number of them."""
Pattern: TypeAlias = tuple[str, ...]


class Repeat(StrEnum):
    """How often one recorded answer answers."""

    RECORDED = "recorded"
    """As often as it was recorded."""
    ALWAYS = "always"
    """Any number of times, also where the method changes something."""


class Order(StrEnum):
    """In which order recorded calls may be asked for."""

    FREE = "free"
    """Each resource's own calls in theirs, resources in any order."""
    STRICT = "strict"
    """As they were recorded."""


class ComparedRequest(Struct, frozen=True):
    """A request as a matcher gets it, recorded or of today: ``request`` is its tree, without what is ignored and with
    placeholders for secrets.
    """

    provider: str
    op: str
    method: str
    type: str
    request: Any


Matcher: TypeAlias = Callable[[ComparedRequest], Any]


class Matching(Struct, frozen=True):
    """Which calls match, beyond the ordinary rules.

    Args:
        ignore: paths in requests that do not count, as a miss shows them (``news.tags.owner``, ``config.msgpack.rules[*].id``);
            ``*`` is any one step, ``**`` any number of them. A mapping gives those of each type, as the cassette spells it;
            ``"*"`` is every type.
        matchers: functions of a ``ComparedRequest`` that return what is compared in its place: any JSON-able tree. They are
            asked about recorded requests and today's alike, and must not change what they get. They are never kept.
        repeat: by method, how often one recorded answer answers: ``recorded`` or ``always``. Other methods: once where they
            change something, else until a change makes the answer stale.
        order: ``free``, or ``strict``: as recorded, all of them. A cassette that is to be replayed so is recorded so.

    Raises ``DefinitionError`` for a path, a word or a function that is none.
    """

    ignore: Collection[str] | Mapping[str, Collection[str]] = ()
    matchers: tuple[Matcher, ...] = ()
    repeat: Mapping[str, str] = field(default_factory=dict)
    order: str = Order.FREE

    def __post_init__(self) -> None:
        for type_, names in self.by_type.items():
            if isinstance(names, str) or not all(isinstance(name, str) and name for name in names):
                raise DefinitionError(f"ignore: {names!r} of {type_!r} is no list of paths, such as ['news.tags.owner'].")
            for name in names:
                pattern(name)
        for matcher in self.matchers:
            if not callable(matcher):
                raise DefinitionError(f"matchers: {matcher!r} is no function of a ComparedRequest.")
        for method, word in self.repeat.items():
            if word not in list(Repeat):
                raise DefinitionError(f"repeat: {word!r} of {method!r} is none of 'recorded' and 'always'.")
        if self.order not in list(Order):
            raise DefinitionError(f"order={self.order!r} is none of 'free' and 'strict'.")

    @property
    def by_type(self) -> Mapping[str, Collection[str]]:
        """The ignored paths by type."""
        return self.ignore if isinstance(self.ignore, Mapping) else {EVERY_TYPE: self.ignore}

    @property
    def data(self) -> dict[str, Any]:
        """What a cassette keeps of it; empty where there is nothing."""
        ignored = {type_: sorted(names) for type_, names in sorted(self.by_type.items()) if names}
        order = self.order if self.order != Order.FREE else ""
        kept = {"ignore": ignored, "repeat": dict(sorted(self.repeat.items())), "order": order}
        return {name: to_builtins(value) for name, value in kept.items() if value}

    def with_kept(self, data: Mapping[str, Any]) -> Matching:
        """This and what a cassette keeps: the paths of both, and this one's words where both have some."""
        kept = matching_of(data)
        types = [*dict.fromkeys([*kept.by_type, *self.by_type])]
        return Matching(
            {type_: [*dict.fromkeys([*kept.by_type.get(type_, ()), *self.by_type.get(type_, ())])] for type_ in types},
            self.matchers,
            {**kept.repeat, **self.repeat},
            self.order if self.order != Order.FREE else kept.order,
        )


def matching_of(given: Matching | Mapping[str, Any] | None) -> Matching:
    """The matching that a marker or a header gives as data. Raises ``DefinitionError`` for what is none."""
    if isinstance(given, Matching):
        return given
    data = dict(given or {})
    fields = Matching.__struct_fields__
    for name in data:
        if name not in fields:
            raise DefinitionError(f"matching: there is no {name!r}. {did_you_mean(str(name), fields, 'There are')}")
    return Matching(**{name: _checked(name, value) for name, value in data.items()})


SHAPES: Mapping[str, Any] = {"repeat": dict[str, str], "order": str, "ignore": list[str] | dict[str, list[str]]}
"""What the data of each argument is."""


def _checked(name: str, value: Any) -> Any:
    try:
        return convert(value, SHAPES[name]) if name in SHAPES else tuple(value)
    except (ValidationError, TypeError) as error:
        raise DefinitionError(f"matching: {name}: {error}") from error


def pattern(path: str) -> Pattern:
    """The steps of an ignored path, which is not empty. Raises ``DefinitionError`` for text that is none."""
    try:
        steps = tuple(str(step) for step in paths.parse(path))
    except MalformedError as error:
        raise DefinitionError(f"ignore: {path!r} is no path: {error}") from error
    # Whatever is below a place is the place.
    return (*steps, ANY) if steps[-1] == DEEP else steps


class Comparison:
    """What of requests is compared, by what was decided about a recording."""

    def __init__(self, matching: Matching) -> None:
        self._matchers = matching.matchers
        self._ignored = {type_: [pattern(path) for path in names] for type_, names in matching.by_type.items() if names}
        self.whole = not self._matchers and not self._ignored
        """Whether requests are compared as they are."""

    def __call__(self, provider: str, op: str, method: str, type_: str, tree: Any) -> Any:
        """What is compared of a request. Raises ``DefinitionError`` where a matcher fails, or gives what is no tree."""
        patterns = [*self._ignored.get(EVERY_TYPE, ()), *self._ignored.get(type_, ())]
        compared = _without(tree, patterns) if patterns else tree
        for matcher in self._matchers:
            compared = _matched(matcher, ComparedRequest(provider, op, method, type_, compared))
        return compared


def _matched(matcher: Matcher, request: ComparedRequest) -> Any:
    name = getattr(matcher, "__name__", repr(matcher))
    try:
        compared = matcher(request)
        encode(compared)
    except Exception as error:
        problem = f"{type(error).__name__}: {error}"
        raise DefinitionError(f"The matcher {name} failed for {request.method} of {request.type or '-'}: {problem}") from error
    return compared


def _without(tree: Any, patterns: Iterable[Pattern]) -> Any:
    """The tree without the places that the patterns are about."""
    if isinstance(tree, list):
        kept = [(item, _inside(patterns, str(index))) for index, item in enumerate(tree)]
        return [_without(item, inside) for item, inside in kept if () not in inside]
    if not isinstance(tree, dict) or RESERVED & tree.keys():
        return tree
    inside = {key: _inside(patterns, key) for key in tree}
    return {key: _without(item, inside[key]) if inside[key] else item for key, item in tree.items() if () not in inside[key]}


def _inside(patterns: Iterable[Pattern], step: str) -> list[Pattern]:
    """What is left of the patterns one step further; an empty one is about the place there."""
    left: list[Pattern] = []
    for one in patterns:
        if one[0] == DEEP:
            left += [one, *_inside([one[1:]], step)]
        elif one[0] in (ANY, step):
            left.append(one[1:])
    return left


def check_methods(matching: Matching, methods: Collection[str]) -> None:
    """Raise ``DefinitionError`` where it names a method that a recording does not have."""
    for method in matching.repeat:
        if method not in methods:
            raise DefinitionError(f"repeat: {method!r} was not recorded. {did_you_mean(method, sorted(methods), 'There are')}")

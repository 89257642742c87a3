"""What a recording holds, as data: everything that is worth knowing when it is made, and not when a replay fails."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

import msgspec
from msgspec import Struct, field

from mockprovider.calls import Op
from mockprovider.cassette.misses import SERIAL, why_untellable
from mockprovider.cassette.model import Interaction
from mockprovider.cassette.naming import RecordedPlaces, effective
from mockprovider.cassette.objects import RecordedObject
from mockprovider.cassette.rehearsal import rehearsed
from mockprovider.cassette.report.places import KeptPlace, places
from mockprovider.cassette.scrubbing import WITHHELD
from mockprovider.cassette.shelf import Shelf
from mockprovider.matching import encode
from mockprovider.redaction import NAMELESS

NAMED = "a secret is part of a URN, where a replay cannot put it back"
OUT_OF_NAMES = "Leave secrets out of names, or decide that this is none (public=[...], --public), and record again."
AGAIN = "Record again."
ALIKE = "equal requests made these objects, and nothing tells them apart."
DIFFER = "Or give the resources inputs that differ."


class CallCount(Struct, frozen=True):
    """How often a method was called for a type (empty where it is about none). ``op`` is what it asks for."""

    op: str
    method: str
    type: str
    count: int


class VerbatimPlace(Struct, frozen=True):
    """A place whose content is kept as bytes under ``key``, so that only equal bytes match; ``count`` times."""

    type: str
    path: str
    key: str
    count: int


class EqualObjects(Struct, frozen=True):
    """Objects that equal requests made at one time.

    ``interactions`` made them. ``told_apart``: a replay tells them apart by what is asked about them; ``why`` is empty then,
    and says otherwise what it cannot answer. ``addressed``: each was recorded with an address of its own, by which a replay
    that knows addresses tells them apart, too.
    """

    type: str
    interactions: list[int]
    told_apart: bool
    addressed: bool
    why: str = ""

    @property
    def refused(self) -> bool:
        """Whether nothing at all tells them apart."""
        return not (self.told_apart or self.addressed)


class InlineSchema(Struct, frozen=True):
    """A schema that stands in the file itself. ``bytes`` is the size of its JSON."""

    interaction: int
    method: str
    bytes: int


class RefusedCalls(Struct, frozen=True):
    """Recorded calls that a replay refuses, why, and what to do about it."""

    interactions: list[int]
    why: str
    way_out: str


class CassetteReport(Struct, frozen=True, kw_only=True):
    """What a recording holds; ``lines`` in ``report.words`` says it to people.

    Sizes are in bytes, of the file and of the blobs that it uses, 0 for what is not on disk. Numbers of interactions are those
    of the file. ``secrets`` counts different values; ``secret_places``, ``undecided``, ``public`` and ``masks`` name places by
    type, ``""`` where there is none, never values: of ``public`` what is readable there, of ``masks`` what is not compared.
    """

    name: str
    protocol: str
    provider: str
    calls: int
    methods: list[CallCount]
    file_bytes: int = 0
    blob_bytes: int = 0
    withheld: list[RefusedCalls] = field(default_factory=list)
    verbatim: list[VerbatimPlace] = field(default_factory=list)
    secrets: int = 0
    secret_places: dict[str, list[str]] = field(default_factory=dict)
    undecided: dict[str, list[str]] = field(default_factory=dict)
    public: dict[str, list[str]] = field(default_factory=dict)
    masks: dict[str, list[str]] = field(default_factory=dict)
    families: list[EqualObjects] = field(default_factory=list)
    schemas: list[InlineSchema] = field(default_factory=list)
    refused: list[RefusedCalls] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    """What only the recording itself could tell: names of places that it never met, and the like."""

    def to_json(self) -> dict[str, Any]:
        """The report as what ``json.dumps`` takes, with the fields' names."""
        built: dict[str, Any] = msgspec.to_builtins(self)
        return built


def report(shelf: Shelf, *, notices: Sequence[str] = (), file_bytes: int = 0, blob_bytes: int = 0) -> CassetteReport:
    """The report on a recording, given what only its recorder knew and its sizes on disk."""
    cassette = shelf.cassette
    kept = _places(shelf)
    families = [_family(shelf, members) for members in shelf.families.values() if len(members) > 1]
    withheld = _withheld(cassette.interactions)
    named = _named(shelf)
    return CassetteReport(
        name=cassette.name,
        protocol=cassette.header.protocol,
        provider=cassette.header.provider or ", ".join(cassette.header.providers),
        calls=len(cassette.interactions),
        methods=_methods(cassette.interactions),
        file_bytes=file_bytes,
        blob_bytes=blob_bytes,
        withheld=withheld,
        verbatim=_verbatim(kept),
        secrets=len({number for _, place in kept for number in place.secrets}),
        secret_places=_secret_places(kept),
        undecided=cassette.header.undecided,
        public=named(cassette.header.public, readable=True),
        masks=named(cassette.header.masks),
        families=families,
        schemas=_schemas(cassette.interactions),
        refused=[*withheld, *_nameless(cassette.interactions), *_equal(families)],
        notices=list(notices),
    )


def _named(shelf: Shelf) -> Callable[..., dict[str, list[str]]]:
    """What keeps of names by type those that have an effect in this recording."""
    header = shelf.cassette.header
    if not (header.public or header.masks):
        return lambda _, **__: {}
    marks = next(iter(shelf.readers.values())).transcriber.marks
    return partial(effective, RecordedPlaces(shelf.cassette, marks))


def _methods(interactions: Iterable[Interaction]) -> list[CallCount]:
    counts = Counter((interaction.op, interaction.method, interaction.type) for interaction in interactions)
    return [CallCount(*what, count) for what, count in sorted(counts.items())]


def _withheld(interactions: Iterable[Interaction]) -> list[RefusedCalls]:
    numbers: dict[str, list[int]] = defaultdict(list)
    for interaction in interactions:
        if interaction.withheld:
            numbers[interaction.withheld].append(interaction.n)
    return [RefusedCalls(kept, why, OUT_OF_NAMES if why == WITHHELD else AGAIN) for why, kept in numbers.items()]


def _nameless(interactions: Iterable[Interaction]) -> list[RefusedCalls]:
    numbers = [interaction.n for interaction in interactions if nameless(interaction)]
    return [RefusedCalls(numbers, NAMED, OUT_OF_NAMES)] if numbers else []


def nameless(interaction: Interaction) -> bool:
    """Whether a secret was in the URN of a call to a provider, or in that of the provider."""
    return interaction.direction == "provider" and NAMELESS in interaction.urn + interaction.instance


def _equal(families: Iterable[EqualObjects]) -> list[RefusedCalls]:
    return [RefusedCalls(one.interactions, f"{ALIKE} {one.why}", f"{SERIAL} {DIFFER}") for one in families if one.refused]


def _family(shelf: Shelf, members: Sequence[RecordedObject]) -> EqualObjects:
    interactions = [shelf.cassette.interactions[member.place] for member in members]
    reason = rehearsed(shelf, members[0].number)
    addresses = {interaction.address for interaction in interactions} - {""}
    return EqualObjects(
        type=interactions[0].type,
        interactions=[interaction.n for interaction in interactions],
        told_apart=reason is None,
        addressed=len(addresses) == len(interactions),
        why="" if reason is None else why_untellable(reason),
    )


def _schemas(interactions: Iterable[Interaction]) -> list[InlineSchema]:
    return [
        InlineSchema(interaction.n, interaction.method, len(encode(interaction.response)))
        for interaction in interactions
        if interaction.op == Op.GET_SCHEMA and interaction.response is not None
    ]


# Places ------------------------------------------------------------------------------------------------------------------


def _places(shelf: Shelf) -> list[tuple[str, KeptPlace]]:
    return [(one.type, place) for one in shelf.cassette.interactions for place in _places_of(shelf, one)]


def _places_of(shelf: Shelf, interaction: Interaction) -> Iterator[KeptPlace]:
    marks = shelf.readers[interaction.provider].transcriber.marks
    # What is a blob has neither secrets nor, but for schemas, bytes.
    yield from places(interaction.request, marks)
    if interaction.op != Op.GET_SCHEMA:
        yield from places(interaction.response, marks)
    if interaction.status is not None:
        yield from places({"message": interaction.status.message, "details": interaction.status.details}, marks)


def _verbatim(kept: Iterable[tuple[str, KeptPlace]]) -> list[VerbatimPlace]:
    counts = Counter((type_, place.path, place.key) for type_, place in kept if place.key)
    return [VerbatimPlace(*where, count) for where, count in sorted(counts.items())]


def _secret_places(kept: Iterable[tuple[str, KeptPlace]]) -> dict[str, list[str]]:
    named: dict[str, set[str]] = defaultdict(set)
    for type_, place in kept:
        if place.secrets:
            named[type_].add(place.path)
    return {type_: sorted(named[type_]) for type_ in sorted(named)}

"""A report for people: a line or two where nothing is wrong, and a line with the way out for each thing that is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from mockprovider.calls import Op
from mockprovider.cassette.report.contents import CassetteReport, EqualObjects, RefusedCalls

MOST_SHOWN = 5
LARGE = 64 * 1024
"""A schema with more bytes than this belongs into a blob."""
SHOWN = (Op.CREATE, Op.UPDATE, Op.DELETE, Op.READ)

UNDECIDED = (
    "{place} is declared secret, and holds what the provider shows openly elsewhere, so it stays readable. Decide with "
    "public=[...] or secrets=[...] (--public, --secret)."
)
VERBATIM = (
    "Kept as bytes, in which no secret can be found, and which match equal bytes alone: {places}. Look there before you commit."
)
TOLD = "{objects} are told apart by their addresses alone, so a replay needs our fixture of the command line. {why}"
UNTOLD = "{objects} cannot be told apart, so each replay refuses them. {why} {way_out}"
INLINE = (
    "The schema in interaction {number} stands in the file itself, with {size}: it holds what was taken for a secret. Name "
    "what is public there (public=[...], --public), or record with compact."
)


def lines(report: CassetteReport) -> list[str]:
    """The report in plain text, the most important first."""
    return [
        _summary(report),
        *_secrets(report),
        *(_refused(calls, report) for calls in report.refused),
        *(TOLD.format(objects=_objects(objects), why=objects.why) for objects in _by_address(report)),
        *(UNDECIDED.format(place=place) for place in named(report.undecided)),
        *([VERBATIM.format(places=_some(_verbatim(report)))] if report.verbatim else []),
        *(
            INLINE.format(number=schema.interaction, size=size(schema.bytes))
            for schema in report.schemas
            if schema.bytes > LARGE
        ),
        *report.notices,
    ]


def _summary(report: CassetteReport) -> str:
    counts = Counter[str]()
    for method in report.methods:
        counts[method.op] += method.count
    ops = ", ".join(f"{counts[op]} {op}" for op in SHOWN if counts[op])
    sizes = f", {size(report.file_bytes)}" if report.file_bytes else ""
    blobs = f" and {size(report.blob_bytes)} in blobs" if report.blob_bytes else ""
    return f"{report.name}: {number_of(report.calls, 'call')}{f' ({ops})' if ops else ''}{sizes}{blobs}."


def _secrets(report: CassetteReport) -> Iterator[str]:
    if report.secrets:
        yield f"{number_of(report.secrets, 'secret')} taken out, at {_some(named(report.secret_places))}."
    if report.public:
        yield f"Readable, since it was decided so: {_some(named(report.public))}."
    if report.masks:
        yield f"Not compared: {_some(named(report.masks))}."


def _refused(calls: RefusedCalls, report: CassetteReport) -> str:
    for objects in report.families:
        if objects.refused and objects.interactions == calls.interactions:
            return UNTOLD.format(objects=_objects(objects), why=objects.why, way_out=calls.way_out)
    return f"A replay refuses {numbered(calls.interactions)}: {calls.why}. {calls.way_out}"


def _by_address(report: CassetteReport) -> list[EqualObjects]:
    return [objects for objects in report.families if objects.addressed and not objects.told_apart]


def _objects(objects: EqualObjects) -> str:
    return f"{len(objects.interactions)} equal {objects.type or 'objects'} ({numbered(objects.interactions)})"


def _verbatim(report: CassetteReport) -> list[str]:
    return [f"{_place(place.type, place.path)} {place.key} ({place.count})" for place in report.verbatim]


def numbered(interactions: Sequence[int]) -> str:
    """``interaction 3``, ``interactions 3, 4``; of many, the first few."""
    noun = "interaction" if len(interactions) == 1 else "interactions"
    return f"{noun} {_some(list(map(str, interactions)))}"


def named(places: Mapping[str, Iterable[str]]) -> list[str]:
    """Places by type, each as somebody would name it."""
    return [_place(type_, path) for type_, paths in places.items() for path in paths]


def _place(type_: str, path: str) -> str:
    return f"{type_}.{path}" if type_ not in ("", "*") else path


def _some(words: Sequence[str]) -> str:
    more = len(words) - MOST_SHOWN
    return ", ".join(words[:MOST_SHOWN]) + (f" and {more} more" if more > 0 else "")


def number_of(count: int, noun: str) -> str:
    """``1 call``, ``2 calls``."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def size(count: int) -> str:
    """So many bytes, in the unit that people read."""
    if count < 1000:
        return number_of(count, "byte")
    return f"{count / 1000:.0f} KB" if count < 999_500 else f"{count / 1_000_000:.1f} MB"

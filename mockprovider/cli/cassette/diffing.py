"""``cassette diff``: how two recordings differ."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
from msgspec.structs import asdict, replace

from mockprovider.cassette.report.words import number_of
from mockprovider.cassette.telling import CallFacts, CassetteDifference, DifferingCalls, compared, facts
from mockprovider.cassette.telling.differences import PlaceDifference
from mockprovider.cli.cassette.progress import progress
from mockprovider.cli.cassette.screen import ShownLine, ShownTable, in_json, op_of, show
from mockprovider.double.opening import transcribers
from mockprovider.double.reporting import from_here, readable
from mockprovider.matching import show as shown

WIDTH = 100
"""So many characters of a value are shown."""
MOST = 10
"""So many places of a call are shown."""


def diff_files(old: Path, new: Path, *, as_json: bool) -> bool:
    """Show how the second cassette differs from the first, and return whether it does not. Raises as ``tape.load`` does."""
    with progress(f"Reading {old} and {new}", quiet=as_json) as line:
        (before, one), (after, other) = readable(old), readable(new)
        line(f"Comparing {old} and {new}")
        result = compared(before, after, facts(before, transcribers(before)), facts(after, transcribers(after)))
    result = replace(result, old=from_here(old), new=from_here(new))
    if as_json:
        click.echo(in_json({"equal": result.equal, **asdict(result)}))
    else:
        torn = [ShownLine(f"{from_here(file)}: {notice}", "failure") for file, notice in ((old, one), (new, other)) if notice]
        show([*torn, *_parts(result)])
    return result.equal


def _parts(result: CassetteDifference) -> Iterator[ShownLine | ShownTable]:
    for line in result.header:
        yield ShownLine(f"{line.what}: {line.old or 'nothing'} → {line.new or 'nothing'}", "title")
    yield from _calls(f"Only in {result.old}:", result.only_old, "old")
    yield from _calls(f"Only in {result.new}:", result.only_new, "new")
    if result.differing:
        yield ShownLine("In both, and different:", "title")
        for calls in result.differing:
            yield from _differing(calls)
    yield ShownLine(_summary(result), "title")


def _calls(title: str, calls: list[CallFacts], kind: str) -> Iterator[ShownLine | ShownTable]:
    if calls:
        yield ShownLine(title, "title")
        rows = [(str(call.n), op_of(call), call.type, call.name or call.id, call.result) for call in calls]
        yield ShownTable(("#", "op", "type", "resource", "result"), rows, [kind] * len(rows))


def _differing(calls: DifferingCalls) -> Iterator[ShownLine]:
    old, new = calls.old, calls.new
    numbers = str(new.n) if old.n == new.n else f"{old.n} → {new.n}"
    yield ShownLine(f"{numbers}  {op_of(new).strip()} {new.resource}".rstrip(), lead="  ")
    for place in calls.places[:MOST]:
        yield from _place(place)
    if len(calls.places) > MOST:
        yield ShownLine(f"and {len(calls.places) - MOST} places more (--json has them)", "rest", "      ")


def _place(place: PlaceDifference) -> Iterator[ShownLine]:
    yield ShownLine(place.path or "all of it", lead="      ")
    if place.there != "new":
        yield ShownLine(shown(place.old, WIDTH), "old", "        - ")
    if place.there != "old":
        yield ShownLine(shown(place.new, WIDTH), "new", "        + ")


def _summary(result: CassetteDifference) -> str:
    counts = {
        "only in the old one": len(result.only_old),
        "only in the new one": len(result.only_new),
        "different": len(result.differing),
    }
    generated = (
        f" {number_of(len(result.generated), 'generated value')} differ, which is no difference." if result.generated else ""
    )
    said = ", ".join(f"{count} {words}" for words, count in counts.items() if count)
    return f"{number_of(result.same, 'call')} equal{f', {said}' if said else ''}.{generated}"

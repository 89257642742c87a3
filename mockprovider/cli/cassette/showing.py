"""``cassette show``: the calls of a cassette, one of them whole, or the story of its run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import click
from msgspec.structs import asdict

from mockprovider.cassette import Cassette
from mockprovider.cassette.report.words import number_of
from mockprovider.cassette.telling import CallFacts, CallFilter, Chapter, facts, story
from mockprovider.cassette.telling.facts import whole
from mockprovider.cli.cassette.progress import progress
from mockprovider.cli.cassette.screen import ShownLine, ShownTable, in_json, op_of, show
from mockprovider.double.opening import transcribers
from mockprovider.double.reporting import from_here, readable
from mockprovider.errors import DefinitionError
from mockprovider.hints import did_you_mean

RANGE = 3
"""From so many sessions on, a chapter names the first and the last."""


def show_file(file: Path, wanted: CallFilter, *, timeline: bool, number: int | None, as_json: bool) -> None:
    """Show the wanted calls of a cassette. Raises as ``tape.load`` does, and ``DefinitionError`` for what is not in it."""
    with progress(f"Reading {file}", quiet=as_json):
        cassette, notice = readable(file)
        calls = facts(cassette, transcribers(cassette))
    if number is not None:
        _show_call(cassette, _numbered(calls, number, file), as_json=as_json)
        return
    kept = [call for call in calls if wanted(call)]
    if calls and not kept:
        raise DefinitionError(_nothing(calls, wanted, file))
    title = f"{from_here(file)}: {cassette.header.provider or ', '.join(cassette.header.providers) or 'a provider'}"
    if as_json:
        parts = {"timeline": story(kept)} if timeline else {"calls": kept}
        click.echo(in_json({"name": from_here(file), "protocol": cassette.header.protocol, "ended": not notice, **parts}))
        return
    lines = [ShownLine(f"{title}, {_counted(calls, kept)}.", "title"), *([ShownLine(notice, "failure")] if notice else [])]
    show([*lines, *(_told(story(kept)) if timeline else _table(kept))])


def _counted(calls: Sequence[CallFacts], kept: Sequence[CallFacts]) -> str:
    return number_of(len(calls), "call") if len(kept) == len(calls) else f"{len(kept)} of {number_of(len(calls), 'call')}"


def _nothing(calls: Sequence[CallFacts], wanted: CallFilter, file: Path) -> str:
    """What to say where no call is wanted, with what may have been meant."""
    ops, types = sorted({call.op for call in calls}), sorted({call.type for call in calls} - {""})
    resources = sorted({call.name for call in calls} - {""})
    hints = [
        *(did_you_mean(op, ops, "Its ops are") for op in wanted.ops if op not in ops),
        *(did_you_mean(word, types, "Its types are") for word in wanted.types if not _is_part(word, types)),
        *(did_you_mean(word, resources, "Its resources are") for word in wanted.resources if not _is_part(word, resources)),
    ]
    only = "Nothing in it failed." if wanted.failed and not any(call.failed for call in calls) else ""
    return " ".join(filter(None, [f"No call of {from_here(file)} fits.", *hints, only]))


def _is_part(word: str, known: Sequence[str]) -> bool:
    return any(word.lower() in one.lower() for one in known)


# The calls ---------------------------------------------------------------------------------------------------------------


def kind_of(call: CallFacts) -> str:
    """What a call is to the eye."""
    if call.failed:
        return "failure"
    changes = call.op in ("create", "update", "delete", "import") and not call.preview
    return "change" if changes else "drift" if call.op == "read" and call.changes else "rest" if not call.name + call.id else ""


def _table(calls: Sequence[CallFacts]) -> Iterator[ShownTable]:
    rows = [(str(call.n), str(call.session), op_of(call), call.type, call.name or call.id, call.result) for call in calls]
    if calls:
        yield ShownTable(("#", "session", "op", "type", "resource", "result"), rows, [*map(kind_of, calls)])


# The story ---------------------------------------------------------------------------------------------------------------


def _told(chapters: Sequence[Chapter]) -> Iterator[ShownLine]:
    for chapter in chapters:
        yield ShownLine("")
        yield ShownLine(_titled(chapter), "title")
        yield from (ShownLine(line.text, line.kind, f"{_numbers(line.calls):>9}  ") for line in chapter.lines)


def _titled(chapter: Chapter) -> str:
    sessions = chapter.sessions
    numbers = f"{sessions[0]} to {sessions[-1]}" if len(sessions) >= RANGE else " and ".join(map(str, sessions))
    about = "".join(f", {word}" for word in (chapter.provider, chapter.phase) if word)
    return f"{'Session' if len(sessions) == 1 else 'Sessions'} {numbers}{about}"


def _numbers(calls: Sequence[int]) -> str:
    return str(calls[0]) if len(calls) == 1 else f"{min(calls)}…{max(calls)}"


# One call ----------------------------------------------------------------------------------------------------------------


def _numbered(calls: Sequence[CallFacts], number: int, file: Path) -> CallFacts:
    for call in calls:
        if call.n == number:
            return call
    held = f"its calls are 1 to {calls[-1].n}" if calls else "it is empty"
    raise DefinitionError(f"{from_here(file)} has no call {number}: {held}.")


def _show_call(cassette: Cassette, call: CallFacts, *, as_json: bool) -> None:
    interaction = next(one for one in cassette.interactions if one.n == call.n)
    trees = whole(cassette, interaction)
    if as_json:
        click.echo(in_json({**asdict(call), **trees}))
        return
    fields = {
        "session": str(call.session),
        "provider": call.provider,
        "phase": call.phase,
        "instance": interaction.instance,
        "resource": call.urn or call.address,
        "id": call.id,
    }
    show([
        ShownLine(f"Call {call.n}: {call.method} ({op_of(call).strip()}) {call.type}".rstrip(), "title"),
        *(ShownLine(value, lead=f"{name:<9} ") for name, value in fields.items() if value),
        ShownLine(call.result, kind_of(call), "result    "),
    ])  # fmt: skip
    for name, tree in trees.items():
        show([ShownLine(""), ShownLine(name, "title")])
        # Whole, and with the blanks that it has: it is for reading, and for copying.
        click.echo(in_json(tree, indent=2))

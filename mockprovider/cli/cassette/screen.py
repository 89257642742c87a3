"""How commands show tables and stories: in colour in a terminal, as plain text elsewhere."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from textwrap import wrap
from typing import TYPE_CHECKING, Any, TypeAlias

import click
import msgspec
from msgspec import Struct

from mockprovider.cassette.telling import CallFacts

if TYPE_CHECKING:
    from rich.console import Console

MOST = 300
"""So many characters of a text of a recording are shown in a line."""
GAP = "  "
ENOUGH = 20
"""A last column with so much room may go on below itself, before others are shortened."""
NARROWEST = 12
"""No column is made narrower than this, whatever the terminal's width."""
STYLES = {
    "change": "green",
    "failure": "bold red",
    "drift": "yellow",
    "plan": "cyan",
    "look": "",
    "rest": "dim",
    "title": "bold",
    "old": "red",
    "new": "green",
    "": "",
}
"""The colours of what is shown, by what it is."""


class ShownLine(Struct, frozen=True):
    """A line: what it is (a key of ``STYLES``), and what stands before it, below which nothing of it goes on.

    One that is ``whole`` is not cut, however long it is: it is our own sentence.
    """

    text: str
    kind: str = ""
    lead: str = ""
    whole: bool = False


class ShownTable(Struct, frozen=True):
    """Titles, rows of equally many cells, and what the rows are (``kinds``).

    Where a terminal is too narrow, the columns in ``shortened`` lose their beginnings, and the last one goes on below.
    """

    titles: Sequence[str]
    rows: Sequence[Sequence[str]]
    kinds: Sequence[str]
    shortened: Sequence[str] = ("type", "resource")


Shown: TypeAlias = ShownLine | ShownTable


def sentences(text: str, kind: str = "", lead: str = "") -> list[ShownLine]:
    """A message of ours, which may have several lines, as what is shown."""
    return [ShownLine(line, kind, lead, whole=True) for line in text.splitlines()]


def printable(text: str) -> str:
    """A text of a recording as a terminal may get it: what would move the cursor or turn the direction is escaped."""
    if text.isprintable():
        return text
    return "".join(mark if mark.isprintable() else mark.encode("unicode_escape").decode() for mark in text)


def in_json(tree: Any, indent: int = 1) -> str:
    """A tree of structs, maps and lists as JSON that a terminal may get, too."""
    text = json.dumps(msgspec.to_builtins(tree), indent=indent, ensure_ascii=False)
    return "\n".join(line if line.isprintable() else _escaped(line) for line in text.split("\n"))


def _escaped(line: str) -> str:
    return "".join(mark if mark.isprintable() else json.dumps(mark)[1:-1] for mark in line)


def cut(text: str, most: int = MOST) -> str:
    """A text without its end, if it is too long, and how much that is."""
    return text if len(text) <= most else f"{text[:most]}… ({len(text) - most:,} characters more)"


def terminal() -> Console | None:
    """The terminal that this command writes to; ``None`` for a pipe or a file. ``NO_COLOR`` takes its colours."""
    if not sys.stdout.isatty() or os.environ.get("TERM") == "dumb":
        return None
    from rich.console import Console  # noqa: PLC0415 - slow to import, and a pipe does not need it

    return Console(highlight=False)


def show(parts: Iterable[Shown]) -> None:
    """Print lines and tables: in a terminal's width and in colour, or plain into a pipe."""
    console = terminal()
    if console is None:
        for part in parts:
            click.echo("\n".join(line for line, _ in laid(part)))
        return
    from rich.text import Text  # noqa: PLC0415 - slow to import, and a pipe does not need it

    for part in parts:
        lines = [Text(line, STYLES[kind]) for line, kind in laid(part, console.width)]
        console.print(Text("\n").join(lines), soft_wrap=True)


def laid(part: Shown, width: int | None = None) -> list[tuple[str, str]]:
    """The lines of a part and what they are, at most so many characters wide; of any width for a pipe."""
    if isinstance(part, ShownTable):
        return list(_rows(part, width))
    # One sentence under another must be seen to begin.
    further = "  " if part.whole else ""
    text = printable(part.text) if part.whole else _safe(part.text)
    return [(line, part.kind) for line in _hanging(part.lead, text, width, further)]


def _hanging(lead: str, text: str, width: int | None, further: str = "") -> list[str]:
    """A text after ``lead``, going on below its own beginning, or ``further`` in."""
    room = None if width is None else max(width - len(lead), NARROWEST)
    if room is None or len(text) <= room:
        return [(lead + text).rstrip()]
    first, *more = wrap(text, room, break_on_hyphens=False, subsequent_indent=further)
    return [lead + first, *(" " * len(lead) + line for line in more)]


def _rows(table: ShownTable, width: int | None) -> Iterator[tuple[str, str]]:
    rows = [list(table.titles), *([_safe(cell) for cell in row] for row in table.rows)]
    widths = _widths(table, rows, width)
    for row, kind in zip(rows, ("title", *table.kinds), strict=True):
        cells = [_end(cell, most).ljust(most) for cell, most in zip(row[:-1], widths, strict=False)]
        yield from ((line, kind) for line in _hanging("".join(cell + GAP for cell in cells), row[-1], width))


def _widths(table: ShownTable, rows: Sequence[Sequence[str]], width: int | None) -> list[int]:
    """The columns' widths: those of their content, if there is room for it."""
    widths = [max(map(len, cells)) for cells in zip(*rows, strict=True)]
    widths[-1] = min(widths[-1], ENOUGH)
    lacking = sum(widths) + len(GAP) * (len(widths) - 1) - width if width is not None else 0
    for title in table.shortened:
        if title in table.titles and lacking > 0:
            place = table.titles.index(title)
            less = min(lacking, max(widths[place] - NARROWEST, 0))
            widths[place] -= less
            lacking -= less
    return widths


def _end(text: str, most: int) -> str:
    """The end of a text, which tells more than its beginning: types and paths have what they share in front."""
    return text if len(text) <= most else f"…{text[len(text) - most + 1 :]}"


def _safe(text: str) -> str:
    return printable(cut(text))


def op_of(call: CallFacts) -> str:
    """What a call asks for; the provider's own calls to its engine stand below the call during which they were made."""
    if call.direction == "engine":
        return f"  {call.op}"
    return call.op

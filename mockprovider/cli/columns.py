"""Columns in a terminal's width: what is shortened where there is no room, and how types are written."""

from __future__ import annotations

from collections.abc import Sequence

GAP = "  "
LEAD = len(" +- ")
NARROWEST = 12
"""No column is made narrower than this, whatever the terminal's width."""


def in_short(type_: str) -> str:
    """A type as users of ``pulumi`` read it: without the file of its module that is called as it is."""
    package, _, rest = type_.partition(":")
    module, _, name = rest.rpartition(":")
    folder, _, file = module.rpartition("/")
    return f"{package}:{folder}:{name}" if folder and file == name[:1].lower() + name[1:] else type_


def widths_of(cells: Sequence[Sequence[str]], width: int | None) -> list[int]:
    """How wide the columns before the last one are: as their content; without the room, less of types, and then of names."""
    widths = [max(map(len, column)) for column in list(zip(*cells, strict=True))[1:-1]]
    lacking = 0 if width is None else LEAD + sum(widths) + len(GAP) * (len(widths) - 1) - width
    for place in range(len(widths) - 1):
        less = max(min(lacking, widths[place] - NARROWEST), 0)
        widths[place] -= less
        lacking -= less
    return widths


def without_middle(text: str, most: int) -> str:
    """A text without its middle, if it is too long: types begin alike, and names end in what tells them apart."""
    if len(text) <= most:
        return text
    end = (most - 1) * 2 // 3
    return f"{text[: most - 1 - end]}…{text[len(text) - end :]}"


def fitting(text: str, width: int | None) -> str:
    """A text without its end, if it is wider than there is room."""
    return text if width is None or len(text) <= width else f"{text[: width - 1]}…"

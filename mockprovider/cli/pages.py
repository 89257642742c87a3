"""``mockprovider docs``: the pages of the documentation, as they came with this version.

A message or a help names a page by the command that prints it, since a user who has installed the package has no ``docs/``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from mockprovider.cli.options import example
from mockprovider.errors import DefinitionError
from mockprovider.hints import did_you_mean


@click.command()
@click.argument("page", required=False)
@example("  mockprovider docs answers#what-is-not-checked")
def docs(page: str | None) -> None:
    """Print a page of the documentation, or list all pages.

    PAGE#SECTION is a part of a page.
    """
    if page:
        click.echo(read(page).rstrip())
        return
    for name, path in _pages().items():
        click.echo(f"{name:<20}{next(title for _, _, title in _headings(_lines(path)))}")


def read(place: str) -> str:
    """A page, or one of its sections, spelled as in links to it. Raises ``DefinitionError`` if there is none."""
    name, _, anchor = place.partition("#")
    if name not in _pages():
        raise DefinitionError(f"There is no page {name!r}. {did_you_mean(name, _pages(), 'There are')}")
    lines = _lines(_pages()[name])
    headings = list(_headings(lines)) if anchor else [(0, 0, "")]
    anchors = [re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for _, _, title in headings]
    if anchor not in anchors:
        raise DefinitionError(f"The page {name!r} has no section {anchor!r}. {did_you_mean(anchor, anchors, 'It has')}")
    (first, level, _), *further = headings[anchors.index(anchor) :]
    end = next((number for number, depth, _ in further if depth <= level), len(lines))
    return "\n".join(lines[first:end])


def _pages() -> dict[str, Path]:
    installed = Path(__file__).parents[1] / "docs"
    folder = installed if installed.is_dir() else Path(__file__).parents[2] / "docs"
    return {page.stem: page for page in sorted(folder.glob("*.md"))}


def _lines(page: Path) -> list[str]:
    return page.read_text(encoding="utf-8").splitlines()


def _headings(lines: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """The line, level and text of each heading."""
    code = False
    for number, line in enumerate(lines):
        code ^= line.startswith("```")
        if not code and (heading := re.match(r"(#+) (.+)", line)):
            yield number, len(heading[1]), heading[2]

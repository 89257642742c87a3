"""The sentences of a document that oblige somebody: those that say must, may not, guaranteed, or the like.

Documents come as text, Markdown or reStructuredText, some of them with a column of line numbers, or without the line breaks
between the items of a list. Code is left out, but for its comments.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

WORDS = re.compile(r"\b(must|may not|cannot|never|guarantee[sd]?|required to|permitted)\b", re.I)
"""What makes a sentence normative."""
NUMBERED = re.compile(r"^ *(\d+)(?:  (.*))?$")
FENCE = re.compile(r"^\s*```")
CODE = re.compile(r"^\s*[{}\]\"~]|[{};]$")
HEADING = re.compile(r"^#+ ")
BEGINS = re.compile(r"^\s*(?:[-*]|\d+\.)\s+|\((?:[a-z]+-?)+\)=")
"""An item of a list, or an anchor."""
ENDS = re.compile(r"(?<!\be\.g)(?<!\bi\.e)(?<!\betc)[.!?][\"'*_`)]*\s+(?=[^a-z\s])|[.!?](?=[a-z]\w*: )")
"""Where a sentence ends: before a capital, or where a list was run together, before the word that an item explains."""
MARKUP = (
    (re.compile(r"!?\[([^\]]*)\]\([^)]*\)"), r"\1"),
    (re.compile(r"`"), ""),
    (re.compile(r"\*+"), ""),
    (re.compile(r"(?<!\w)_+(?=\S)|(?<=\S)_+(?!\w)"), ""),
    (re.compile(r"\s+"), " "),
)


class Sentence(Struct, frozen=True):
    """A sentence without its markup, and the line that it begins in."""

    line: int
    says: str


def normative(text: str) -> list[Sentence]:
    """The sentences of a document that oblige somebody, in its order."""
    return [
        Sentence(line, says) for paragraph in _paragraphs(text) for line, says in _sentences(paragraph) if WORDS.search(says)
    ]


def written(text: str) -> int:
    """How often a text says one of the words, wherever that is: also in code, and across lines."""
    plain = " ".join(line for _, line in _numbered(text.splitlines())).replace("_", " ")
    return len(WORDS.findall(" ".join(plain.split())))


def _paragraphs(text: str) -> Iterator[list[tuple[int, str]]]:
    """The lines that belong together, with their numbers: an item, a paragraph, or a comment."""
    paragraph: list[tuple[int, str]] = []
    is_code = False
    for number, written in _numbered(text.splitlines()):
        line = re.sub(r"^\s*// ?", "", written)
        is_comment = line != written
        if FENCE.match(line):
            is_code = not is_code
        code, _, comment = (line, "", "") if is_comment else line.partition(" // ")
        stands_alone = HEADING.match(line) or (not is_comment and CODE.search(code.rstrip()))
        if is_code or not line.strip() or stands_alone or BEGINS.search(line):
            yield paragraph
            paragraph = []
        if is_code or FENCE.match(line):
            continue
        if stands_alone:
            yield [(number, comment)]
        else:
            paragraph.append((number, BEGINS.sub("", line)))
    yield paragraph


def _numbered(lines: list[str]) -> Iterator[tuple[int, str]]:
    """The lines with their numbers: those that the document has itself, or else its own."""
    matches = [NUMBERED.match(line) for line in lines]
    if sum(map(bool, matches)) * 2 > len(lines):
        yield from ((int(match[1]), match[2] or "") for match in matches if match)
    else:
        yield from enumerate(lines, 1)


def _sentences(paragraph: list[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    begins, text = [], ""
    for number, line in paragraph:
        begins.append((len(text), number))
        text += line.strip() + " "
    start = 0
    for end in [*(match.end() for match in ENDS.finditer(text)), len(text)]:
        part = text[start:end]
        blank = len(part) - len(part.lstrip())
        line = next((number for at, number in reversed(begins) if at <= start + blank), 0)
        for pattern, plain in MARKUP:
            part = pattern.sub(plain, part)
        yield line, part.strip()
        start = end

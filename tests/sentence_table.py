"""Every sentence of the protocols' documents that obliges somebody, with its rules of the contract, or why it has none.

``python tests/sentence_table.py`` writes the page about them. The table is compared with the documents themselves where
CONTRACT_DOCUMENTS names their folder; they are not in this repository.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path

import msgspec
from msgspec import Struct
from normative import Sentence, normative, written

from mockprovider.contract import ContractRule

HERE = Path(__file__).resolve().parent
PAGE = HERE.parent / "docs" / "contract-sentences.md"
VARIABLE = "CONTRACT_DOCUMENTS"
"""The environment variable that names the folder of the documents."""


class Document(Struct, frozen=True, forbid_unknown_fields=True):
    """A document: its file, what it is called, and how many normative sentences it has, with a digest of these."""

    file: str
    title: str
    edition: str
    sentences: int
    digest: str


class Row(Struct, frozen=True, forbid_unknown_fields=True, rename={"lines": "in"}):
    """A sentence: its lines in each document, the rules that stand for it, and why there are none, or no more.

    ``tests`` are those that show what the reason says.
    """

    says: str
    lines: dict[str, list[int]]
    rules: list[str] = []
    reason: str = ""
    tests: list[str] = []


class Unsaid(Struct, frozen=True, forbid_unknown_fields=True):
    """A rule whose source is one of the documents, in a place that uses none of the words."""

    rule: str
    why: str


class Table(Struct, frozen=True, forbid_unknown_fields=True):
    """The documents, their sentences, and the rules that are drawn from other sentences."""

    documents: dict[str, Document]
    sentence: list[Row]
    unsaid: list[Unsaid]

    def of(self, document: str) -> list[Sentence]:
        """The sentences that the table has of a document, in the order of their lines."""
        rows = [Sentence(line, row.says) for row in self.sentence for line in row.lines.get(document, ())]
        # Several sentences may begin in one line; the table has them in their order.
        return sorted(rows, key=lambda sentence: sentence.line)

    def sources(self, rule: ContractRule) -> bool:
        """Whether a rule says that it comes from one of the documents."""
        return any(document.title in rule.source for document in self.documents.values())


def table() -> Table:
    """The table as it is kept."""
    return msgspec.convert(tomllib.loads((HERE / "contract_sentences.toml").read_text(encoding="utf-8")), Table)


def digest(sentences: Iterable[Sentence]) -> str:
    """What tells a list of sentences, with their lines, from any other."""
    return sha256("\n".join(f"{sentence.line} {sentence.says}" for sentence in sentences).encode()).hexdigest()[:16]


def in_documents(known: Table) -> dict[str, list[Sentence]] | None:
    """The sentences as the documents have them; ``None`` where no folder of documents is given.

    A document that the folder lacks is an error, and so is one that the table does not know.
    """
    if not os.environ.get(VARIABLE):
        return None
    folder = Path(os.environ[VARIABLE])
    names = {document.file: name for name, document in known.documents.items()}
    texts = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.txt")}
    if texts.keys() != names.keys():
        raise LookupError(f"{folder} and the table differ in {', '.join(sorted(texts.keys() ^ names.keys()))}")
    for file, text in texts.items():
        lost = written(text) - sum(written(sentence.says) for sentence in normative(text))
        if lost:
            raise LookupError(f"{file}: {lost} of the words are in no sentence")
    return {names[file]: normative(text) for file, text in texts.items()}


# The page ------------------------------------------------------------------------------------------------------------


def page(known: Table) -> str:
    """All sentences in Markdown, by document."""
    return "\n".join(_lines(known)) + "\n"


def _lines(known: Table) -> Iterator[str]:
    yield from (
        "# Sentences and rules",
        "",
        "Each sentence of these documents that says *must*, *may not* or *guaranteed*, or one of their like (*cannot*,",
        "*never*, *permitted*, *required to*), with the [rules](contract-rules.md) that stand for it, or the reason why none",
        "does. A sentence that several editions share stands here once.",
        "",
        "`python tests/sentence_table.py` writes this page from `tests/contract_sentences.toml`. Tests prove that no sentence",
        f"is missing, and that each rule and each test exists. {_counted(known)}",
    )
    titles = dict.fromkeys(document.title for document in known.documents.values())
    for title in titles:
        editions = {name: document.edition for name, document in known.documents.items() if document.title == title}
        yield from ("", f"## {title}")
        for row in known.sentence:
            if row.lines.keys() & editions.keys():
                yield from _shown(row, editions)
    yield from (
        "",
        "## Rules that no such sentence says",
        "",
        "They name one of the documents as their source, and the place there uses none of the words.",
        "",
    )
    for unsaid in known.unsaid:
        yield f"- {_link(unsaid.rule)}: {unsaid.why}"


def _counted(known: Table) -> str:
    ruled = sum(bool(row.rules) for row in known.sentence)
    return f"Of {len(known.sentence)} sentences, {ruled} have rules, and {len(known.sentence) - ruled} have a reason."


def _shown(row: Row, editions: dict[str, str]) -> Iterator[str]:
    where = [f"{editions[name]}: {_numbered(lines)}" for name, lines in row.lines.items() if name in editions]
    said = [f"({'; '.join(where)}.)", ", ".join(map(_link, row.rules)) + "." if row.rules else "**No rule.**", row.reason]
    said += [f"Shown by {', '.join(f'`{test}`' for test in row.tests)}."] if row.tests else []
    yield from ("", f"> {row.says}", "", " ".join(part for part in said if part))


def _numbered(lines: list[int]) -> str:
    return f"line{'s' if len(lines) > 1 else ''} {', '.join(map(str, lines))}"


def _link(rule: str) -> str:
    return f"[`{rule}`](contract-rules.md#{rule.lower()})"


if __name__ == "__main__":
    PAGE.write_text(page(table()), encoding="utf-8")

"""The documents' sentences: each that obliges somebody stands in a rule of the contract, or in the table with a reason."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from normative import WORDS, normative, written
from sentence_table import PAGE, VARIABLE, Row, digest, in_documents, page, table

from mockprovider.double.contract import rules

HOUSE = Path(__file__).resolve().parents[1]
TABLE = table()
RULES = {rule.id: rule for rule in rules()}
ROWS = [pytest.param(row, id=row.says[:60]) for row in TABLE.sentence]

SAMPLE = """\
A first line that [`must`](#not) wrap
over two lines, e.g. The one here. "It" may
not be **lost**! Nothing here.
# You must leave headings out
- `one`: this _must not_ be `split_here`. Nor that.
- two, which is guaranteed to be
  an item of its own
```
this must be left out;
```
Text.(an-anchor)=
After an anchor, it is permitted.one: it cannot be glued.
// A comment must
// go on.
message Thing { // and this one never ends.
"""


@pytest.mark.parametrize(
    ("sample", "sentences"),
    [
        (
            SAMPLE,
            [
                (1, "A first line that must wrap over two lines, e.g. The one here."),
                (2, '"It" may not be lost!'),
                (5, "one: this must not be split_here."),
                (6, "two, which is guaranteed to be an item of its own"),
                (12, "After an anchor, it is permitted."),
                (12, "one: it cannot be glued."),
                (13, "A comment must go on."),
                (15, "and this one never ends."),
            ],
        ),
        ("title (about)\n\n     7  * It\n     8    must be **7**.\n     9  \n    10  Done.\n", [(7, "It must be 7.")]),
        ("It should be mustard, and may be nothing.", []),
    ],
)
def test_sentences_of_a_document(sample: str, sentences: list[tuple[int, str]]) -> None:
    """Sentences go over lines, end with an item, and lose their markup; code is none, its comments are."""
    assert [(sentence.line, sentence.says) for sentence in normative(sample)] == sentences


def test_words_that_are_in_no_sentence_are_noticed() -> None:
    """Every word is counted wherever it stands, so that code which was left out, or a heading, shows."""
    assert written(SAMPLE) - sum(written(sentence.says) for sentence in normative(SAMPLE)) == 2


@pytest.mark.parametrize("row", ROWS)
def test_a_sentence_has_a_rule_or_a_reason(row: Row) -> None:
    """A row says one of the words and has rules that exist, or a reason; the tests that it names exist, too."""
    assert WORDS.search(row.says)
    assert row.rules or len(row.reason.split()) > 5
    assert [rule for rule in row.rules if rule not in RULES] == []
    assert row.lines
    assert row.lines.keys() <= TABLE.documents.keys()
    for test in row.tests:
        file, _, name = test.partition("::")
        assert re.search(rf"^def {name}\(", (HOUSE / file).read_text(encoding="utf-8"), re.M), f"there is no test {test}"


def test_no_sentence_stands_twice() -> None:
    """A sentence that several documents share is one row."""
    assert [says for says, count in Counter(row.says for row in TABLE.sentence).items() if count > 1] == []


@pytest.mark.parametrize("name", TABLE.documents)
def test_the_table_has_every_sentence(name: str) -> None:
    """A document's sentences and lines are those that were found in it: their number and digest, or, where the documents
    are there, each of them.
    """
    document, kept = TABLE.documents[name], TABLE.of(name)
    in_files = in_documents(TABLE)
    if in_files is not None:
        assert kept == in_files[name]
    assert (len(kept), digest(kept)) == (document.sentences, document.digest)


def test_documents_that_are_given_are_compared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a folder of documents, one that is missing is told, and so is a sentence that the table has not."""
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    with pytest.raises(LookupError, match="guide-2023"):
        in_documents(TABLE)
    for document in TABLE.documents.values():
        (tmp_path / document.file).write_text("It must be new.", encoding="utf-8")
    answer = in_documents(TABLE)
    assert answer is not None
    assert {sentence.says for sentences in answer.values() for sentence in sentences} == {"It must be new."}
    (tmp_path / document.file).write_text("```\nIt must be code.\n```", encoding="utf-8")
    with pytest.raises(LookupError, match="1 of the words are in no sentence"):
        in_documents(TABLE)


def test_every_rule_of_the_documents_is_reached() -> None:
    """A rule whose source is one of the documents stands at a sentence, or among those that none of the words says."""
    said = {rule for row in TABLE.sentence for rule in row.rules}
    unsaid = [row.rule for row in TABLE.unsaid]
    assert sorted(id_ for id_, rule in RULES.items() if TABLE.sources(rule) and id_ not in said) == sorted(unsaid)
    assert [row.rule for row in TABLE.unsaid if len(row.why.split()) < 5] == []


def test_the_page_is_up_to_date() -> None:
    """docs/contract-sentences.md is what ``python tests/sentence_table.py`` writes."""
    assert PAGE.read_text(encoding="utf-8") == page(TABLE)

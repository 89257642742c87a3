"""The documentation on the command line: what messages name is there, for whoever installed the package alone."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

import mockprovider
from mockprovider.cli import main, pages
from mockprovider.errors import DefinitionError

PACKAGE = Path(mockprovider.__file__).parent
SOURCES = [source for source in sorted(PACKAGE.rglob("*.py")) if "docs" in source.read_text(encoding="utf-8")]


def texts(source):
    """The strings of a module that are no docstrings, and the docstrings of its commands, which are their help."""
    tree = ast.parse(source.read_text(encoding="utf-8"))
    bare = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and (id(node) not in bare or "cli" in source.parts)
    ]


def test_messages_name_pages_by_the_command_that_prints_them():
    """No message or help names a file of the checkout."""
    assert [(source.name, text) for source in SOURCES for text in texts(source) if re.search(r"docs/[\w-]+\.md", text)] == []
    assert "docs/" not in (PACKAGE / "definitions.schema.json").read_text(encoding="utf-8")


def test_pages_that_messages_name_are_there():
    """Each page and section that a message names can be read, and a section is less than its page."""
    said = [text for source in SOURCES for text in texts(source)]
    named = {place for text in said for place in re.findall(r"mockprovider docs ([a-z-]+(?:#[a-z-]+)?)", text)}
    assert {"answers#what-is-not-checked", "cassettes", "faults", "resource-types"} <= named
    for place in named:
        assert pages.read(place).startswith("#")
    assert 0 < len(pages.read("answers#what-is-not-checked")) < len(pages.read("answers")) / 2


def test_a_page_is_printed():
    """The command prints a page, a section with what stands below its heading, or the list of pages."""
    runner = CliRunner()
    assert runner.invoke(main, ["docs", "answers"]).output.strip() == pages.read("answers").strip()
    section = runner.invoke(main, ["docs", "answers#what-is-not-checked"]).output
    assert section.startswith("## What is not checked\n")
    assert "\n## " not in section
    assert re.search(r"^cassettes +\w", runner.invoke(main, ["docs"]).output, re.M)


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("anwers", r"no page 'anwers'\. Did you mean 'answers'\?"),
        ("xyz", r"no page 'xyz'\. There are: answers, api, "),
        ("answers#what-is-not-cheked", r"no section .*'\. Did you mean 'what-is-not-checked'\?"),
    ],
)
def test_a_page_that_there_is_not(place, said):
    """A misspelt page or section is told with what is nearest."""
    with pytest.raises(DefinitionError, match=said):
        pages.read(place)
    assert CliRunner().invoke(main, ["docs", place]).exit_code == 1

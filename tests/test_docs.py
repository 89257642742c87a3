"""The examples of the documents run, and print what the documents show.

A Python block whose first line is ``# name.py`` is that file. Any other block with a test is a test file without a name, and
has the names of the block before it. All files of a page lie in one folder, and each test file runs. The ``text`` blocks after
it that begin with ``$ pytest`` are what these commands print, one after another; ``...`` stands for anything. Where there are
none, all tests of the file pass. A block of another language that begins with a comment with a file's path is that file.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from glob import escape
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from pkgutil import walk_packages

import pytest
from language_stage import beside_packages, node_modules
from msgspec import Struct, field

import mockprovider

# What is loaded in a run of pytester is loaded anew in the next one, as another copy: so everything is loaded beforehand.
for module in walk_packages(mockprovider.__path__, "mockprovider."):
    import_module(module.name)
if find_spec("pulumi_random"):
    import_module("pulumi_random")

HOUSE = Path(__file__).resolve().parent.parent
PAGES = [HOUSE / "README.md", *sorted((HOUSE / "docs").glob("*.md"))]
ALONE = {"first-test.md"}
"""Pages for who has installed the package, and has no checkout."""
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)
ENGINES = {"pulumi_cli": pytest.mark.pulumi_cli, "terraform": pytest.mark.terraform_cli, "tofu": pytest.mark.tofu_cli}
"""The fixtures, and their parameters, that need a real engine."""

GO_ON = """\
import {0} as before
globals().update({{name: value for name, value in vars(before).items() if not name.startswith(("test_", "_"))}})
"""


class Example(Struct):
    """One Python block of a page: the file that it is, and the runs that are shown after it."""

    page: str
    file: str
    code: str
    shown: list[str] = field(default_factory=list)

    @property
    def tests(self) -> list[tuple[str, set[str]]]:
        """Each test's name and fixtures."""
        signatures = re.findall(r"^def (test_\w+)\((.*?)\)", self.code, re.M | re.S)
        return [(name, set(re.findall(r"\w+", parameters))) for name, parameters in signatures]


def examples(page: Path) -> list[Example]:
    """The Python blocks of a page that are files."""
    files: list[Example] = []
    latest: Example | None = None
    for number, block in enumerate(BLOCK.finditer(page.read_text(encoding="utf-8"))):
        language, code = block[1], block[2]
        if language == "python":
            named = re.match(r"# (\w+\.py)\n", code)
            is_file = named or re.search(r"^def test_", code, re.M)
            before = GO_ON.format(files[-1].file.removesuffix(".py")) if files and not named else ""
            latest = Example(page.name, named[1] if named else f"test_block_{number}.py", before + code) if is_file else None
            files += [latest] if latest else []
        elif language == "text" and code.startswith("$ pytest") and latest:
            latest.shown += re.split(r"^(?=\$ pytest)", code, flags=re.M)[1:]
    return files


def lines_of(test: str) -> int:
    """How many lines of code a test file has."""
    return len([line for line in test.splitlines() if line.strip() and not line.startswith("#")])


def anchors(page: Path) -> set[str]:
    """What a link may name of a page: its headings, spelled as GitHub does."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.M)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def runs() -> Iterator[object]:
    """A parameter for each file of tests, marked with the real engines that it needs."""
    for page in PAGES:
        for example in [example for example in examples(page) if example.tests]:
            used = set().union(*(fixtures for _, fixtures in example.tests))
            marks = [mark for word, mark in ENGINES.items() if word in used or f'"{word}"' in example.code]
            marks += [pytest.mark.node_cli] if for_node(page, example) else []
            yield pytest.param(page, example, marks=marks, id=f"{page.name}-{example.file}")


def for_node(page: Path, example: Example) -> bool:
    """Whether it runs a folder in which the page has a program in TypeScript."""
    folders = {name.partition("/")[0] for name, _ in data_files(page) if name.endswith(".ts")}
    return any(f'Path("{folder}")' in example.code for folder in folders)


def data_files(page: Path) -> Iterator[tuple[str, str]]:
    """The files of data that a page shows beside its tests: blocks that begin with their name."""
    for block in BLOCK.finditer(page.read_text(encoding="utf-8")):
        named = re.match(r"(?:#|//) ([\w./-]+\.(?:toml|yaml|ts|tf|hcl))\n", block[2])
        if named:
            yield named[1], block[2]


@pytest.fixture
def at_home(page, example):
    """Where the npm packages are is asked before pytester has a home of its own."""
    if for_node(page, example):
        node_modules()


@pytest.mark.usefixtures("at_home")
@pytest.mark.parametrize(("page", "example"), list(runs()))
def test_an_example_does_what_its_page_says(page, example, pytester, monkeypatch, request):
    """The tests of a document pass, or print what the document shows."""
    monkeypatch.setenv("COLUMNS", "80")
    for sibling in examples(page):
        (pytester.path / sibling.file).write_text(sibling.code, encoding="utf-8")
        # Another test of this process may have loaded a module of that name.
        monkeypatch.delitem(sys.modules, sibling.file.removesuffix(".py"), raising=False)
    for name, data in data_files(page):
        (pytester.path / name).parent.mkdir(parents=True, exist_ok=True)
        (pytester.path / name).write_text(data, encoding="utf-8")
    if for_node(page, example):
        beside_packages(pytester.path, request.config)
        monkeypatch.setenv("PULUMI_NODEJS_TRANSPILE_ONLY", "true")
    # The SDK's own mocks are for a whole process, and would stay in this one.
    mocked = "set_mocks(" in example.code
    run = pytester.runpytest_subprocess if mocked else pytester.runpytest_inprocess
    # On Python 3.12 and later they take an event loop that is not there yet, which Python warns of.
    quiet = ("-W", "ignore:There is no current event loop:DeprecationWarning") if mocked else ()
    if page.name not in ALONE:
        (pytester.path / "examples").symlink_to(HOUSE / "examples")
    pytester.makeini("[pytest]\npythonpath = .\naddopts = --import-mode=importlib -W error")
    for shown in example.shown:
        command, *lines = shown.splitlines()
        result = run(*command.split()[2:], "-p", "no:randomly")
        result.stdout.fnmatch_lines([escape(line).replace("...", "*") for line in lines if line.strip()])
    if not example.shown:
        result = run(example.file, "-p", "no:randomly", *quiet)
        outcomes = result.parseoutcomes()
        if set(outcomes) == {"skipped"} and not request.config.getoption("--require-engines"):
            pytest.skip("the page's own tests are skipped where what they ask for is not on PATH")
        assert set(outcomes) == {"passed"}
        assert outcomes["passed"] >= len(example.tests)


def test_the_examples_are_found():
    """Every page but those that hold no code has examples that run."""
    run = {example.page for page in PAGES for example in examples(page) if example.tests}

    assert {page.name for page in PAGES} - run == {
        "architecture.md",
        "contract-rules.md",
        "contract-sentences.md",
        "glossary.md",
        "mutants.md",
        "proofs.md",
    }


@pytest.mark.parametrize("page", sorted({page for page in PAGES if examples(page)}), ids=lambda page: page.name)
def test_a_page_begins_with_an_example(page):
    """Whoever opens a page sees code within the first screen."""
    first = page.read_text(encoding="utf-8").splitlines()[:25]

    assert "```python" in first


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_to_headings(page):
    """A link to a part of a page names a heading that the page has."""
    linked = re.findall(r"\]\(([^)#\s]*)#([\w-]+)\)", page.read_text(encoding="utf-8"))

    assert [
        link for link in linked if "://" not in link[0] and link[1] not in anchors(page.parent / link[0] if link[0] else page)
    ] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_each_example_is_a_file_of_its_own(page):
    """No example of a page overwrites another one, which would then never run."""
    files = [example.file for example in examples(page)]

    assert sorted(files) == sorted(set(files))


def test_first_tests_have_ten_lines():
    """Whoever begins has a test of ten lines or fewer for each thing that can be tested."""
    tests = {example.file: lines_of(example.code) for example in examples(HOUSE / "docs" / "first-test.md") if example.tests}

    assert {name: lines for name, lines in tests.items() if lines > 10} == {}
    assert len(tests) == 5


def test_the_cookbook_has_twenty_tasks():
    """Each task of the cookbook has a heading and a test of its own."""
    page = HOUSE / "docs" / "cookbook.md"
    tasks = re.split(r"^## ", page.read_text(encoding="utf-8"), flags=re.M)[1:]

    assert len(tasks) >= 20
    assert [task.splitlines()[0] for task in tasks if not re.search(r"^def test_", task, re.M)] == []

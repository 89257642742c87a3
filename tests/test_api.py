"""docs/api.md lists the public names: all of them, and nothing else."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import click

import mockprovider
from mockprovider import pytest_plugin
from mockprovider.cli import main
from mockprovider.double import marked

HOUSE = Path(__file__).resolve().parent.parent
PAGE = (HOUSE / "docs/api.md").read_text(encoding="utf-8")
LISTED = re.findall(r"^- `(mockprovider[\w.]*\.\w+)`: \S", PAGE, re.M)
SHOWN = [*HOUSE.glob("*.md"), *HOUSE.glob("docs/*.md"), *HOUSE.glob("examples/**/*.py"), *HOUSE.glob("plugins/*/*-mock")]
"""What a user copies from."""


def imports(text: str) -> Iterator[str]:
    """The names of ours that a text imports, from a page's code or a script within it."""
    for module, names in re.findall(r"^\s*from (mockprovider[\w.]*) import (\([^)]*\)|.+)$", text, re.M):
        yield from (f"{module}.{name}" for name in re.findall(r"\w+", names))


def commands(group: click.Group, path: str) -> Iterator[tuple[str, set[str]]]:
    """Each command's words, with its options."""
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from commands(command, f"{path} {name}")
        else:
            options = (option for option in command.params if isinstance(option, click.Option))
            yield f"{path} {name}", {word for option in options for word in option.opts if word.startswith("--")}


class Options(list[str]):
    """A parser of pytest's that keeps the options which a plugin adds."""

    def __init__(self) -> None:
        super().__init__()
        self.inis: list[str] = []

    def getgroup(self, *_: str) -> Options:
        """Itself, as the one group."""
        return self

    def addoption(self, name: str, **_: object) -> None:
        """Keep an option."""
        self.append(name)

    def addini(self, name: str, *_: object, **__: object) -> None:
        """Keep an option of the ini file."""
        self.inis.append(name)


def test_listed_names_can_be_imported():
    """Each name on the page exists where the page says."""
    places = [name.rpartition(".") for name in LISTED]

    assert [f"{module}.{member}" for module, _, member in places if not hasattr(import_module(module), member)] == []


def test_a_name_is_listed_once():
    """No name has two lines."""
    assert sorted(LISTED) == sorted(set(LISTED))


def test_what_the_package_exports_is_listed():
    """The package's own names are on the page, and the page names no others as the package's own."""
    assert sorted(name for name in LISTED if name.count(".") == 1) == sorted(
        f"mockprovider.{name}" for name in mockprovider.__all__
    )


def test_what_a_reader_copies_is_listed():
    """Whatever a page or an example imports is public, or a module with public names."""
    public = {*LISTED, *(name.rpartition(".")[0] for name in LISTED)}
    imported = {file.relative_to(HOUSE).as_posix(): {*imports(file.read_text(encoding="utf-8"))} for file in SHOWN}

    assert {file: names - public for file, names in imported.items() if names - public} == {}


def test_fixtures_and_options_of_pytest_are_listed():
    """The page names each fixture of the plugin, each option and the marker's arguments."""
    tree = ast.parse(Path(pytest_plugin.__file__).read_text(encoding="utf-8"))
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    fixtures = {node.name for node in functions if any("pytest.fixture" in ast.unparse(made) for made in node.decorator_list)}
    section = PAGE.partition("\n## pytest\n")[2].partition("\n## ")[0]
    options = Options()
    pytest_plugin.pytest_addoption(options)

    assert set(re.findall(r"^\| (?:`(\w+)` )?\|", section, re.M)) | set(re.findall(r"^\|.*?\| `(\w+)` \|", section, re.M)) == {
        "",
        *fixtures,
    }
    assert set(re.findall(r"`(--[\w-]+)`", section)) == set(options)
    assert set(re.findall(r"ini option `(\w+)`", section)) == set(options.inis)
    assert f"`@pytest.mark.cassette({', '.join(marked.ARGUMENTS)})`" in section


def test_commands_and_options_are_listed():
    """The page has a row for each command, with its options, and none for others."""
    rows = re.findall(r"^\| `(mockprovider [\w -]+)` \| (.*) \|$", PAGE, re.M)

    assert {command: set(re.findall(r"`(--[\w-]+)`", options)) for command, options in rows} == dict(
        commands(main, "mockprovider")
    )


def test_commands_that_pages_show_exist():
    """Each option that a page writes after a command is an option of that command."""
    known = dict(commands(main, "mockprovider"))
    pages = {file.name: file.read_text(encoding="utf-8") for file in SHOWN if file.suffix == ".md"}
    options = [
        (page, command, option)
        for page, text in pages.items()
        for command, rest in re.findall(r"(mockprovider (?:plugin |cassette )?[a-z]+) ([^`\n#]*)", text)
        for option in re.findall(r"--[a-z-]+", rest.partition(" -- ")[0])
    ]

    assert [(page, command, option) for page, command, option in options if option not in known.get(command, ())] == []


def test_variables_are_listed():
    """The page names each environment variable that the package reads."""
    package = Path(mockprovider.__file__).parent
    read = {
        name for path in package.rglob("*.py") for name in re.findall(r'"(MOCKPROVIDER_\w+)"', path.read_text(encoding="utf-8"))
    }

    assert set(re.findall(r"`(MOCKPROVIDER_\w+)`", PAGE)) == read

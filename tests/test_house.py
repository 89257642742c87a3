"""The house rules that no linter knows: budgets, words with one meaning, a light import, documents that hold."""

from __future__ import annotations

import ast
import os
import re
import statistics
import subprocess
import sys
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

import pytest

HOUSE = Path(__file__).resolve().parent.parent
PACKAGE = HOUSE / "mockprovider"
MODULES = sorted(path for path in PACKAGE.rglob("*.py") if "_pb2" not in path.name)
PAGES = [*sorted(HOUSE.glob("*.md")), *sorted((HOUSE / "docs").rglob("*.md"))]
SLOW = ("cryptography", "deepdiff", "google.protobuf", "grpc", "pulumi", "rich", "sqlite3", "zstandard")
DEPTH = 22
"""How many modules of the package the longest chain of imports may have: the rings alone are fifteen, equal objects seven."""
AT_HOME = {"pulumi", "terraform", "engine", "drivers", "demo"}
"""Folders that may name a family: its own, the engine that is Pulumi's by nature, and what drives real command lines."""

FAMILY = re.compile("pulumi|terraform|tfplugin|tofu", re.IGNORECASE)
DECLARES = "whoever declares a type may say its name in Terraform, and not every name is free in Pulumi"
NAMING = {
    "__init__.py": "the readers of both ecosystems' schemas, and the packages that traits come from",
    "cli/commands.py": "commands, their examples and their help",
    "cli/cassette/commands.py": "examples",
    "cli/comparing.py": "an example: the logs that it reads are Pulumi's",
    "cli/contract.py": "an example",
    "cli/harvesting.py": "an example, and the help of an option",
    "cli/options.py": "the help of an option",
    "cli/plugin.py": "an example, and the help of an option",
    "cli/executing.py": "the engines that are known by name",
    "cli/running.py": "it runs a Pulumi project",
    "cli/tree.py": "it shows what users of pulumi know",
    "cli/schema.py": "the ways to a schema are called after who is asked",
    "cli/types.py": "a package schema is the one file that may be YAML",
    "double/artefacts.py": "values are written as JSON as Pulumi's state has them",
    "double/double.py": DECLARES,
    "redaction/credentials.py": "tokens are called after who gives them out",
    "errors.py": "the extras that bring optional dependencies",
    "callables.py": DECLARES,
    "fake/adopting.py": DECLARES,
    "fake/answers.py": DECLARES,
    "fake/catalogue.py": DECLARES,
    "fake/definitions/dumping.py": DECLARES,
    "fake/definitions/properties.py": DECLARES,
    "fake/definitions/reading.py": DECLARES,
    "fake/definitions/shapes.py": DECLARES,
    "fake/fitting.py": DECLARES,
    "fake/moving.py": DECLARES,
    "offers.py": DECLARES,
    "properties.py": DECLARES,
    "pytest_marks.py": "the words of a marker",
    "pytest_plugin.py": "the names of fixtures",
    "schema.py": DECLARES,
    "urn.py": "URNs are Pulumi's names of resources",
}
"""Modules elsewhere whose code names a family, with the reason: this only gets shorter."""

VAGUE = {"each", "found", "made", "told"}
"""Names that tell nothing of what they stand for: ``resource``, ``match``, ``reply`` and ``reasons`` do."""

MADE_HERE = {"build", "dist", "demo-output", "__pycache__"}
MACHINE_PATH = re.compile(rb"(?<![\w.])/(?:work|farm|root|home)/[A-Za-z0-9._-]+")


def name_of(path: Path) -> str:
    """A file's path as one writes it: from the house's door."""
    return path.relative_to(HOUSE).as_posix()


def said(nodes: Sequence[ast.AST]) -> Iterator[str]:
    """Every word of a module's code, of which these are all nodes: names, and texts that are no documentation."""
    documentation = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    for node in nodes:
        if isinstance(node, ast.Constant):
            yield node.value if isinstance(node.value, str) and id(node) not in documentation else ""
        else:
            yield from (word for _, word in ast.iter_fields(node) if isinstance(word, str))


class Written:
    """What counts of the package's syntax: each function's length in lines and place, ``global``s, the names of classes, vague
    names of locals, and public classes with their docstrings.

    A class is public if neither it nor its module has an underscore in front: ``calls.Op``.
    """

    def __init__(self) -> None:
        self.functions: list[tuple[int, str]] = []
        self.globals: list[str] = []
        self.named: dict[str, list[str]] = defaultdict(list)
        """The folders, or modules, of the classes of each name."""
        self.classes: dict[str, str] = {}
        self.vague: list[str] = []
        self.naming: set[str] = set()
        """Modules away from home whose code, documentation left out, says the name of a family of protocols."""
        self.extra: list[str] = []
        """Where a module away from home reads a protocol's own words."""
        self.imports: dict[str, set[str]] = {}
        """What each module imports when it is imported itself."""
        for path in MODULES:
            name = name_of(path)
            tree = ast.parse(path.read_text(encoding="utf-8"), name)
            place = path.relative_to(PACKAGE)
            nodes = [*ast.walk(tree)]
            self.imports[module_of(path)] = {*imported(tree)}
            if place.parts[0] not in AT_HOME and any(map(FAMILY.search, said(nodes))):
                self.naming.add(place.as_posix())
            for node in nodes:
                if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                    length = (node.end_lineno or node.lineno) - node.lineno + 1
                    self.functions.append((length, f"{name}:{node.lineno} {node.name}"))
                if isinstance(node, ast.ClassDef):
                    self.named[node.name].append(path.relative_to(PACKAGE).parts[0])
                if isinstance(node, ast.Attribute) and node.attr == "extra" and place.parts[0] not in {*AT_HOME, "document.py"}:
                    self.extra.append(f"{name}:{node.lineno}")
                word = node.id if isinstance(node, ast.Name) else node.arg if isinstance(node, ast.arg) else ""
                self.vague += [f"{name}:{node.lineno} {word}"] if word in VAGUE else []
                if isinstance(node, ast.Global):
                    self.globals.append(f"{name}:{node.lineno}")
            if not path.stem.startswith("_") or path.stem == "__init__":
                module = ".".join(path.relative_to(PACKAGE).with_suffix("").parts).removesuffix(".__init__")
                classes = [node for node in tree.body if isinstance(node, ast.ClassDef) and not node.name.startswith("_")]
                self.classes |= {f"{module}.{node.name}": ast.get_docstring(node) or "" for node in classes}


def module_of(path: Path) -> str:
    """A module's dotted name."""
    return ".".join(path.relative_to(HOUSE).with_suffix("").parts).removesuffix(".__init__")


def imported(node: ast.AST) -> Iterator[str]:
    """What a module imports when it is imported itself: modules, and names in modules."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ImportFrom):
            yield from (f"{child.module}.{alias.name}" for alias in child.names)
        elif isinstance(child, ast.Import):
            yield from (alias.name for alias in child.names)
        elif isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            yield from (name for other in child.orelse for name in imported(other))
        elif not isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.expr)):
            yield from imported(child)


def longest_chain(imports: Mapping[str, set[str]]) -> list[str]:
    """The longest chain of modules of the package that import each other when they are imported.

    Raises ``RecursionError`` for a circle.
    """
    graph = {
        name: {other if other in imports else other.rpartition(".")[0] for other in others} & imports.keys() - {name}
        for name, others in imports.items()
    }

    @cache
    def below(name: str) -> list[str]:
        return [name, *max(map(below, sorted(graph[name])), key=len, default=[])]

    return max(map(below, sorted(graph)), key=len)


@pytest.fixture(scope="session")
def written() -> Written:
    """The package, parsed once."""
    return Written()


def lines(path: Path) -> list[str]:
    """A file's lines."""
    return path.read_text(encoding="utf-8").splitlines()


def links(page: Path) -> set[Path]:
    """The files of the house that a page links to."""
    targets = re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8"))
    return {(page.parent / target).resolve() for target in targets if "://" not in target}


def files() -> Iterator[Path]:
    """Every file of the checkout that somebody wrote."""
    for folder, inner, names in os.walk(HOUSE):
        inner[:] = [name for name in inner if name not in MADE_HERE and (name == ".ci" or not name.startswith("."))]
        # In a worktree .git is a file, with the path of its repository.
        yield from (Path(folder, name) for name in names if name != ".git")


def code_blocks(language: str) -> Iterator[tuple[str, str]]:
    """The place and text of each fenced block of one language in the documents."""
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for match in re.finditer(rf"^( *)```{language}\n(.*?)^ *```", text, re.M | re.S):
            line = text.count("\n", 0, match.start()) + 1
            yield f"{name_of(page)}:{line}", re.sub(rf"^{match[1]}", "", match[2], flags=re.M)


def test_modules_stay_small():
    """No module has 400 lines or more, and none is a drawer for whatever has no place."""
    assert [name_of(path) for path in MODULES if len(lines(path)) >= 400] == [], "is there a room that wants to be two?"
    assert [name_of(path) for path in MODULES if path.stem in ("utils", "util", "helpers", "misc", "common")] == []


def test_functions_stay_small(written):
    """Half of all functions have less than 10 lines, and of twenty at most one has 30."""
    lengths = sorted(written.functions)
    longest = "\n".join(f"{length:>4} {place}" for length, place in lengths[-20:])

    assert statistics.median(length for length, _ in lengths) < 10
    assert lengths[int(len(lengths) * 0.95)][0] < 30, longest


def test_imports_are_not_deep(written):
    """Whoever reads the module at the top of the longest chain of imports has so many below: the rings, and hardly more."""
    chain = longest_chain(written.imports)

    assert len(chain) <= DEPTH, "\n  ".join(["the longest chain of imports:", *chain])


def test_one_name_is_one_class(written):
    """No two classes share a name, except a pair in the two protocols' folders."""
    pair = ["pulumi", "terraform"]
    double = {name for name, folders in written.named.items() if len(folders) > 1 and sorted(folders) != pair}

    assert sorted(double) == [], "there is such a class already: what else is this one?"


def test_local_names_say_what_a_thing_is(written):
    """No local is called ``each``, ``found``, ``made`` or ``told``."""
    assert written.vague == [], "\n".join(["what is it: a resource, a match, a reply, the reasons?", *written.vague[:40]])


def test_only_a_protocols_folder_says_its_name(written):
    """No other folder names a family of protocols in code: what is asked of one is a trait or an adapter of ``protocols``."""
    assert sorted(written.naming - NAMING.keys()) == [], "ask the protocol's value instead, or say here why not"
    assert sorted(NAMING.keys() - written.naming) == [], "these say no family's name any more: strike them out of NAMING"


def test_a_protocols_other_words_are_read_at_home(written):
    """What no folder of a protocol, nor Pulumi's engine, reads is in ``extra``: it has a field of ``Call`` or ``Reply``."""
    assert sorted(written.extra) == [], "give calls or replies a field for it"


def test_no_global_statement(written):
    """No function rebinds a module's name: what changes belongs to an object that somebody was handed."""
    assert written.globals == []


def test_late_imports_have_a_reason():
    """An import inside a function says beside it what makes it late: slow, or optional."""
    numbered = [(path, number, line) for path in MODULES for number, line in enumerate(lines(path), 1)]

    assert [(name_of(path), n) for path, n, line in numbered if re.search(r"noqa: PLC0415(?! - \w)", line)] == []


def test_every_public_class_says_what_it_is(written):
    """Each public class has a docstring, and no two have the same one."""
    texts = [text for text in written.classes.values() if text]

    assert sorted(name for name, text in written.classes.items() if not text) == []
    assert sorted(text for text in set(texts) if texts.count(text) > 1) == []


def test_the_glossary_holds_words_in_use():
    """Each word of the glossary stands there once, and is used in the code or on another page."""
    glossary = HOUSE / "docs/glossary.md"
    entries = re.findall(r"^- \*\*(.+?)\*\*: \S", glossary.read_text(encoding="utf-8"), re.M)
    words = [word for entry in entries for word in entry.split(", ")]
    used = "\n".join(path.read_text(encoding="utf-8").lower() for path in [*MODULES, *PAGES] if path != glossary)

    assert sorted(words) == sorted(set(words))
    assert [word for word in words if not re.search(rf"\b{word}(s|es)?\b", used)] == []


@pytest.mark.parametrize("named", ["", ".ResourceType", ".pulumi.ResourceTraits", ".terraform.ResourceTraits"])
def test_the_import_is_light(named):
    """``import mockprovider``, and what types are declared with, load nothing slow: nobody waits for what is not used."""
    code = f"import sys, mockprovider; mockprovider{named}; print(*[name for name in {SLOW!r} if name in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], cwd=HOUSE, capture_output=True, text=True, check=True)

    assert run.stdout.split() == []


def test_python_in_the_documents_compiles():
    """What a reader may copy is at least Python."""
    for place, code in code_blocks("python"):
        compile(code, place, "exec")


def test_the_readme_opens_with_two_commands():
    """Whoever opens the README sees at once what to type."""
    first = (HOUSE / "README.md").read_text(encoding="utf-8").splitlines()[:60]

    assert "make demo" in "\n".join(first)
    assert "make test" in "\n".join(first)


def test_every_page_is_linked():
    """Each page in docs/ can be reached from the README, directly or through other pages."""
    reached: set[Path] = set()
    ahead = {HOUSE / "README.md"}
    while ahead:
        page = ahead.pop()
        reached.add(page)
        ahead |= {target for target in links(page) if target.suffix == ".md" and target.exists()} - reached

    assert sorted(name_of(page) for page in set(PAGES) - reached if page.parent != HOUSE) == []


def test_links_lead_somewhere():
    """No link inside the house is broken."""
    assert sorted(f"{name_of(page)}: {target}" for page in PAGES for target in links(page) if not target.exists()) == []


def test_no_machine_paths():
    """No file names a folder of the machine that it was written on."""
    machine_paths = {name_of(path): MACHINE_PATH.findall(path.read_bytes()) for path in files()}

    assert {name: paths for name, paths in machine_paths.items() if paths} == {}


def test_every_inner_ring_is_kept_from_the_world():
    """The contract against input and output covers the line of ``journal`` and every line below it."""
    tables = tomllib.loads((HOUSE / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]
    contracts = {contract["name"]: contract for contract in tables}
    rings = contracts["Rings"]["layers"]
    isolation = contracts["No input or output, time or chance inside"]["source_modules"]
    first = next(index for index, ring in enumerate(rings) if "journal" in ring)
    inner = {f"mockprovider.{name}" for ring in rings[first:] for name in re.findall(r"(?<!\()\b\w+\b(?!\))", ring)}

    assert sorted(inner ^ set(isolation)) == []

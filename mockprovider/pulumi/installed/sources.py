"""The source files of a Python SDK: found without importing it, and parsed a class at a time.

A nested type may stand in a file of 50,000 lines. So a file is cut at its top-level classes and functions, and only those in
use become syntax trees.
"""

from __future__ import annotations

import ast
import json
import re
from functools import cached_property, lru_cache
from pathlib import Path

from mockprovider.pulumi.installed.document import not_understood

LISTED = re.compile(r'resource_modules="""(.*?)"""', re.DOTALL)
"""Where an SDK lists its resources for whoever is handed a reference to one."""

BEGINS = re.compile(r"^(?:@[^\n]*\n)*(?:class|def) (\w+)", re.MULTILINE)
METHOD = re.compile(r"^((?:    @[^\n]*\n)*)    (?:def|(class)) \w+", re.MULTILINE)
IMPORTED = re.compile(r"^from (\.+)([\w.]*) import ([^\n(]+)$", re.MULTILINE)
"""``from ... import meta as _meta``, ``from ._inputs import *``."""

Definition = ast.ClassDef | ast.FunctionDef


class SourceFile:
    """One file, cut into its definitions."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.text = path.read_text(encoding="utf-8")
        begins = [*BEGINS.finditer(self.text)]
        ends = [*(match.start() for match in begins[1:]), len(self.text)]
        # Of several of one name, Python has the last.
        self.places = {match[1]: (match.start(), end) for match, end in zip(begins, ends, strict=True)}

    def block(self, name: str) -> str:
        """The text of a class or function."""
        start, end = self.places[name]
        return self.text[start:end]

    def definition(self, name: str) -> Definition:
        """The class or function of this name. Raises ``DefinitionError`` where the file is no Python, or lacks it."""
        try:
            block = self.block(name)
            node = _first(_cut(block), name) or _first(block, name) or _first(self.text, name)
        except KeyError:
            node = None
        if node is None:
            raise not_understood(str(self.path), f"there is no class or function {name} that can be read")
        return node

    @cached_property
    def imports(self) -> dict[str, tuple[int, str, str]]:
        """Names that come from files beside this one: levels up (1 is this folder), the module there, the name in it."""
        known: dict[str, tuple[int, str, str]] = {}
        head = min((start for start, _ in self.places.values()), default=len(self.text))
        for dots, module, names in IMPORTED.findall(self.text, 0, head):
            for name in names.split(","):
                word, _, alias = name.strip().partition(" as ")
                if word != "*":
                    known[(alias or word).strip()] = (len(dots), module, word)
        return known


def _cut(block: str) -> str:
    """A class without those of its methods that say nothing of a schema, which are most of its text."""
    begins = [] if block.startswith("def ") else [*METHOD.finditer(block)]
    if not begins:
        return block
    ends = [*(match.start() for match in begins[1:]), len(block)]
    pieces = ((match[1], match[2], block[match.start() : end]) for match, end in zip(begins, ends, strict=True))
    wanted = [piece for marks, inner, piece in pieces if inner or "getter" in marks or "runtime.call" in piece]
    return block[: begins[0].start()] + "".join(wanted) + "\n    pass"


def _first(text: str, name: str) -> Definition | None:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return None
    named = (node for node in ast.walk(tree) if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and node.name == name)
    return next(named, None)


@lru_cache(maxsize=8)
def source_file(path: Path) -> SourceFile | None:
    """The file, read once while it is in use; ``None`` if there is none."""
    try:
        return SourceFile(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise not_understood(str(path), f"it cannot be read: {error}") from error


@lru_cache(maxsize=16)
def resources_of(path: Path) -> dict[tuple[str, str], str]:
    """The tokens of an SDK's resources by module and class, as its first file lists them; none where there is no such file."""
    listed = LISTED.search(path.read_text(encoding="utf-8")) if path.is_file() else None
    return {
        (module["fqn"], owner): token
        for module in (json.loads(listed[1]) if listed else [])
        for token, owner in module.get("classes", {}).items()
    }

"""The ``.d.ts`` files of an npm SDK: found without Node.js, and parsed a declaration at a time.

A nested type may stand in a file of 120,000 lines. So a file is cut at its declarations, by the indentation that the TypeScript
compiler writes, and only those in use are parsed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property, lru_cache
from pathlib import Path
from typing import NamedTuple

from mockprovider.pulumi.installed.document import not_understood

SUFFIX = ".d.ts"
BEGINS = re.compile(
    r"^(?P<indent> *)(?:export )?(?:declare )?"
    r"(?P<word>namespace|interface|class|function|const|enum|type) (?P<name>[\w$]+)(?=[^\w$\n]*[^\n]*(?:[{;=|(]|$))",
    re.MULTILINE,
)
STAR = re.compile(r"^import \* as ([\w$]+) from [\"']([^\"']+)[\"']", re.MULTILINE)
NAMED = re.compile(r"^import (?:type )?\{([^}]*)\} from [\"']([^\"']+)[\"']", re.MULTILINE)
TOKEN = re.compile(
    r"/\*.*?\*/|//[^\n]*|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|`[^`]*`|=>|\.\.\.|-?\d[\w.]*|[\w$]+|[^\s\w$]", re.DOTALL
)
MODIFIERS = frozenset({"readonly", "static", "private", "protected", "public", "declare", "abstract"})
PAIRS = {"(": ")", "{": "}", "[": "]", "<": ">"}


class Place(NamedTuple):
    """A declaration in a file: what it is, where its name ends, and where it ends."""

    word: str
    start: int
    end: int


class Member(NamedTuple):
    """A property of an interface or class, with the tokens of its type; of a method, those of its parameters and result."""

    name: str
    optional: bool
    description: str
    tokens: list[str]
    is_method: bool = False


class Declarations:
    """One file, cut into its declarations, whose names are those of their namespaces and their own (``meta.v1.ObjectMeta``)."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.text = path.read_text(encoding="utf-8")

    @cached_property
    def places(self) -> dict[str, Place]:
        """Where each declaration is. Of a constant and a type of one name, the constant."""
        known: dict[str, Place] = {}
        around: list[tuple[int, str]] = []
        for match in BEGINS.finditer(self.text):
            indent, word, name = len(match["indent"]), match["word"], match["name"]
            while around and around[-1][0] >= indent:
                around.pop()
            full = ".".join([*(outer for _, outer in around), name])
            if word == "namespace":
                around.append((indent, name))
                continue
            line = self.text.find("\n", match.end())
            line = len(self.text) if line < 0 else line
            opened = self.text[line - 1] == "{"
            close = self.text.find(f"\n{match['indent']}}}", line) if opened else -1
            known.setdefault(full, Place(word, match.end(), line if close < 0 else close + len(match["indent"]) + 2))
        return known

    @cached_property
    def imports(self) -> dict[str, tuple[str, str]]:
        """Names that come from other modules: the module, and the name in it, empty for all of it."""
        known = {alias: (module, "") for alias, module in STAR.findall(self.text)}
        for names, module in NAMED.findall(self.text):
            for one in names.split(","):
                word, _, alias = one.strip().partition(" as ")
                if word:
                    known[alias.strip() or word] = (module, word)
        return known

    def tokens(self, name: str) -> list[str]:
        """What stands after the name of a declaration, comments included."""
        place = self.places[name]
        # An alias may go on for lines.
        end = self.text.find(";", place.start) if place.word == "type" else place.end
        return TOKEN.findall(self.text[place.start : end])

    def members(self, name: str) -> list[Member]:
        """The members of an interface, class or constant. Raises ``DefinitionError`` where there is none of the name."""
        if name not in self.places:
            raise not_understood(str(self.path), f"there is no declaration of {name}")
        tokens = self.tokens(name)
        return list(_members(tokens[tokens.index("{") + 1 : -1]))


def _members(tokens: list[str]) -> Iterator[Member]:
    position, description = 0, ""
    while position < len(tokens):
        token = tokens[position]
        if token.startswith(("/*", "//")):
            description = _plain(token)
            position += 1
            continue
        end = _end(tokens, position)
        member = _member(tokens[position:end], description)
        if member:
            yield member
        position, description = end + 1, ""


def _member(tokens: list[str], description: str) -> Member | None:
    shared = False
    while len(tokens) > 1 and tokens[0] in MODIFIERS and tokens[1][0] not in ":?(":
        shared = shared or tokens[0] != "readonly"
        tokens = tokens[1:]
    if not tokens or shared or not re.match(r"[\w$\"']", tokens[0]):
        return None
    name, rest = tokens[0].strip("\"'"), tokens[1:]
    optional = bool(rest) and rest[0] == "?"
    rest = rest[optional:]
    if not rest or rest[0] not in (":", "("):
        return None
    is_method = rest[0] == "("
    return Member(name, optional, description, rest if is_method else rest[1:], is_method)


def _end(tokens: list[str], position: int) -> int:
    """Where the member that begins at ``position`` ends: at its semicolon or comma, outside of all brackets."""
    depth = 0
    for index in range(position, len(tokens)):
        token = tokens[index]
        if token in PAIRS:
            depth += 1
        elif token in PAIRS.values():
            depth -= 1
        elif token in (";", ",") and depth == 0:
            return index
    return len(tokens)


def split(tokens: list[str]) -> list[list[str]]:
    """Tokens cut at the commas outside of all brackets."""
    parts, position = [], 0
    while position < len(tokens):
        end = _end(tokens, position)
        parts.append(tokens[position:end])
        position = end + 1
    return parts


def closing(tokens: list[str], position: int) -> int:
    """Where the bracket at ``position`` is closed. Raises ``ValueError`` if it is not."""
    depth = 0
    for index in range(position, len(tokens)):
        depth += (tokens[index] in PAIRS) - (tokens[index] in PAIRS.values())
        if depth == 0:
            return index
    raise ValueError(f"{tokens[position]} is never closed")


def _plain(comment: str) -> str:
    lines = (line.strip().removeprefix("*").strip() for line in comment.removeprefix("/**").removesuffix("*/").splitlines())
    return "\n".join(lines).strip()


@lru_cache(maxsize=8)
def declarations(path: Path) -> Declarations | None:
    """The file, read once while it is in use; ``None`` if there is none."""
    try:
        return Declarations(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise not_understood(str(path), f"it cannot be read: {error}") from error

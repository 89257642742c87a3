"""What stands in a tree for a secret, and how it gets there and back."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias
from urllib.parse import quote, quote_plus

import msgspec

Tree: TypeAlias = Any

PLACEHOLDER, TEXT, LITERAL = "$secret", "$text", "$literal"
RESERVED = frozenset({PLACEHOLDER, TEXT, LITERAL})
UNKNOWN, PLAIN_BYTES = "$unknown", "$bytes"
"""Keys of trees: an unknown value, which hides nothing; and bytes that may be replaced as a whole."""
SHORTEST = 6
MARKED = re.compile("|".join(f'"{re.escape(mark)}"' for mark in sorted(RESERVED)).encode())
KINDS = ("string", "number", "bool", "base64")
MOST = 10**9
"""No recording has so many secrets."""
STAND_IN = "mockprovider-secret-"


def encode(tree: Tree) -> bytes:
    """The tree as JSON, maps sorted."""
    return msgspec.json.encode(tree, order="deterministic")


def _escape(text: str) -> str:
    return encode(text)[1:-1].decode()


def _escape_html(text: str) -> str:
    return _escape(text).replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


SPELLINGS: Mapping[str, Callable[[str], str]] = {
    "": str,
    "json": _escape,
    "html": _escape_html,
    "ascii": lambda text: json.dumps(text)[1:-1],
    "url": lambda text: quote(text, safe=""),
    "form": quote_plus,
    "uri": lambda text: quote(text, safe="!'()*"),
    "path": quote,
    "loose": lambda text: quote(text, safe="/!$&'()*+,;=:@"),
    "hex": lambda text: text.encode().hex(),
    "HEX": lambda text: text.encode().hex().upper(),
}
"""How a secret may be spelled inside another string.

As it is; inside JSON as JavaScript, Go or Python writes it; percent-encoded as in a part of a path, in a form, by JavaScript,
as a path, and as clients do it that only replace what no path may have; as the hexadecimal digits of its UTF-8.
"""


def is_plain(encoded: bytes) -> bool:
    """Whether the tree of this JSON has none of our marks (it may say no where there is none)."""
    # Each mark has a dollar, most texts have none, and to look for one character is much faster.
    return b"$" not in encoded or not MARKED.search(encoded)


def placeholder(number: int, kind: str = "string") -> dict[str, Any]:
    """What stands for a secret in a tree."""
    return {PLACEHOLDER: number} if kind == "string" else {PLACEHOLDER: number, "kind": kind}


def stand_in(number: int, kind: str = "string") -> Any:
    """What a replay gives out for a secret that only the recorded provider knew: of the same type, the same each time."""
    text = f"{STAND_IN}{number}"
    if kind == "bool":
        return False
    return number if kind == "number" else base64.b64encode(text.encode()).decode() if kind == "base64" else text


def check(tree: Tree) -> None:
    """Raise ``ValueError`` for a placeholder that no recorder writes: without it, none stands for the wrong value later."""
    if isinstance(tree, list):
        for item in tree:
            check(item)
    elif isinstance(tree, dict) and not (RESERVED & tree.keys()):
        for item in tree.values():
            check(item)
    elif isinstance(tree, dict) and not _is_ours(tree):
        raise ValueError(f"{encode(tree)[:80].decode(errors='replace')} is no placeholder of a secret")


def _is_ours(tree: dict[str, Any]) -> bool:
    if PLACEHOLDER in tree:
        return _is_number(tree[PLACEHOLDER]) and tree.get("kind", "string") in KINDS and tree.keys() <= {PLACEHOLDER, "kind"}
    (value,) = tree.values() if len(tree) == 1 else (None,)
    if TEXT in tree:
        return isinstance(value, list) and all(isinstance(part, str) or _is_spelled(part) for part in value)
    if isinstance(value, dict):
        for item in value.values():
            check(item)
    return isinstance(value, dict)


def _is_spelled(part: Any) -> bool:
    return isinstance(part, dict) and _is_number(part.get(PLACEHOLDER)) and part.get("as", "") in SPELLINGS


def _is_number(value: Any) -> bool:
    return type(value) is int and 0 < value < MOST


def numbers(tree: Tree) -> list[int]:
    """The numbers of the placeholders in ``tree``, in the order of its sorted keys."""
    ordered: list[int] = []

    def note(number: int) -> int:
        ordered.append(number)
        return number

    renumber(tree, note)
    return ordered


def renumber(tree: Tree, change: Callable[[int], int]) -> Tree:
    """``tree`` with each placeholder's number changed, visited in the order of the sorted keys."""
    if isinstance(tree, list):
        return [renumber(item, change) for item in tree]
    if not isinstance(tree, dict):
        return tree
    if PLACEHOLDER in tree:
        return {**tree, PLACEHOLDER: change(tree[PLACEHOLDER])}
    if LITERAL in tree:
        return {LITERAL: {key: renumber(item, change) for key, item in sorted(tree[LITERAL].items())}}
    return {key: renumber(item, change) for key, item in sorted(tree.items())}


def neutral(tree: Tree) -> Tree:
    """``tree`` with all placeholders of a kind alike: what two requests have in common that differ in secrets only."""
    return tree if is_plain(encode(tree)) else renumber(tree, lambda _: 0)


def fill(tree: Tree, value_of: Callable[[int, str], Any]) -> Tree:
    """``tree`` with the values back in: ``value_of`` is given a number and a kind."""
    if isinstance(tree, list):
        return [fill(item, value_of) for item in tree]
    if not isinstance(tree, dict):
        return tree
    if PLACEHOLDER in tree:
        return value_of(tree[PLACEHOLDER], tree.get("kind", "string"))
    if TEXT in tree:
        return "".join(_spelled(part, value_of) for part in tree[TEXT])
    inner = tree.get(LITERAL, tree)
    return {key: fill(item, value_of) for key, item in inner.items()}


def _spelled(part: Any, value_of: Callable[[int, str], Any]) -> str:
    if isinstance(part, str):
        return part
    spell: Callable[[str], str] = SPELLINGS[part.get("as", "")]
    return spell(str(value_of(part[PLACEHOLDER], "string")))

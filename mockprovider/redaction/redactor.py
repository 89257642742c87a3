"""The walk that takes declared secrets out of trees."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any, TypeAlias

import msgspec
from msgspec import Struct

from mockprovider.redaction.marks import UNMARKED, Marks
from mockprovider.redaction.placeholders import (
    LITERAL,
    PLACEHOLDER,
    PLAIN_BYTES,
    RESERVED,
    SHORTEST,
    TEXT,
    UNKNOWN,
    Tree,
    encode,
    fill,
    is_plain,
    placeholder,
)
from mockprovider.redaction.vault import SecretText, Vault

Names: TypeAlias = Collection[str]
"""Property names, or ends of paths with dots or colons (``database.password``, ``aws:key``); list indexes do not count."""

STEPS = re.compile("[.:]")
OPENED = frozenset({PLAIN_BYTES, UNKNOWN})
"""Keys in which a secret can be replaced."""


class Hidden(Struct, frozen=True):
    """A tree without its secrets. ``broken``: a secret sat where only the verbatim bytes would do, so it cannot be restored."""

    tree: Tree
    broken: bool = False


class Redactor:
    """Takes declared secrets out of trees.

    Args:
        names: names declared secret in every tree (see ``Names``).
        vault: where the secrets are kept while this runs.
        marks: how values are marked; a recorder and a replay set what their protocol says.
    """

    def __init__(self, names: Names = (), vault: Vault | None = None, marks: Marks = UNMARKED) -> None:
        self.vault = vault or Vault()
        self.marks = marks
        self._names = frozenset(names)
        self._types: dict[str, frozenset[str]] = {}

    def declare(self, secrets: Mapping[str, Collection[str]]) -> None:
        """Take over what is declared secret: names by type token, as the ``secrets`` of a resource type or a package."""
        for token, names in secrets.items():
            self._types[token] = self._types.get(token, frozenset()).union(names)

    def declared(self, tokens: Iterable[str]) -> dict[str, list[str]]:
        """What is declared for these types, in order; types without secrets are left out."""
        return {token: sorted(self._types[token]) for token in sorted(set(tokens)) if self._types.get(token)}

    def names(self, token: str, more: Names = ()) -> frozenset[str]:
        """What is declared secret for a type: its own names, those of every tree, and ``more``."""
        return self._names.union(self._types.get(token, ()), more)

    def learn(self, trees: Iterable[Tree], names: Names = ()) -> None:
        """Collect the secrets that these trees declare, so that ``hide`` also finds them elsewhere."""
        for tree in trees:
            if _may_declare(encode(tree), names, self.marks):
                _Pass(self.vault, names, self.marks).walk(tree, (), "")

    def hide(self, tree: Tree, names: Names = (), *, again: bool = False) -> Hidden:
        """``tree`` with placeholders. ``again``: it was redacted before; only secrets learnt since then are hidden."""
        encoded = encode(tree)
        known = self.vault.found(encoded)
        if not known and not _may_declare(encoded, names, self.marks) and (again or is_plain(encoded)):
            return Hidden(tree)
        current = _Pass(self.vault, names, self.marks, known, again=again)
        hidden = current.walk(tree, (), "")
        if current.verbatim and current.unfindable:
            # A secret that cannot be searched for may be in the bytes as well, so they are hidden as a whole.
            current = _Pass(self.vault, names, self.marks, known, again=again, blind=True)
            hidden = current.walk(tree, (), "")
        return Hidden(hidden, current.broken)

    def mask(self, text: str, mark: str = "(secret)") -> str:
        """``text``, for a message, with ``mark`` in place of the secrets that are known so far."""
        hidden = self.hide(text).tree
        return text if hidden == text else str(fill(hidden, lambda *_: mark))


def _may_declare(encoded: bytes, names: Names, marks: Marks) -> bool:
    """Whether the tree of this JSON may declare a secret: a look at its text, which spares most trees the walk."""
    signed = bool(marks.secret) and (marks.secret.encode() in encoded or marks.output.encode() in encoded)
    return signed or (bool(names) and any(encode(_steps(name)[-1])[1:] in encoded for name in names))


def _steps(name: str) -> tuple[str, ...]:
    return tuple(STEPS.split(name))


class _Pass:
    """One walk over one tree."""

    def __init__(
        self,
        vault: Vault,
        names: Names,
        marks: Marks,
        known: Collection[SecretText] = (),
        *,
        again: bool = False,
        blind: bool = False,
    ) -> None:
        self.broken = False
        self.verbatim = False
        """The tree has verbatim bytes."""
        self.unfindable = False
        """The tree has secrets that cannot be searched for: too short, or no texts."""
        self._blind = blind
        self._vault = vault
        self._marks = marks
        self._again = again
        self._cores = [core for secret in known for core in secret.cores]
        self._spellings = {spelling: (encoding, secret) for secret in known for spelling, encoding in secret.spellings}
        longest_first = sorted(self._spellings, key=len, reverse=True)
        self._pattern = re.compile("|".join(map(re.escape, longest_first))) if known else None
        self._declared: dict[str, list[tuple[str, ...]]] = {}
        for name in names:
            path = _steps(name)
            self._declared.setdefault(path[-1], []).append(path)

    def walk(self, value: Tree, path: tuple[str, ...], inside: str) -> Tree:
        """``inside`` is the kind of the strings of the declared place that we are in; empty outside."""
        if isinstance(value, dict):
            return self._walk_object(value, path, inside)
        if isinstance(value, (list, tuple)):
            return [self.walk(item, path, inside) for item in value]
        return self._secret(value, inside) if inside else self._plain(value, path)

    def _walk_object(self, value: dict[str, Any], path: tuple[str, ...], inside: str) -> Tree:
        reserved = not RESERVED.isdisjoint(value)
        if self._again and reserved:
            return self._rewalk(value, path)
        marks = self._marks
        signature = value.get(marks.signature) if marks.signature else None
        declares = signature in (marks.secret, marks.output) and (signature == marks.secret or value.get("secret") is True)
        redacted: dict[str, Any] = {}
        for key, item in value.items():
            if key in (marks.signature, UNKNOWN):
                redacted[key] = self._refined(item, (*path, key)) if isinstance(item, dict) else item
                continue
            place = (*path, key) if ":" not in key and "." not in key else (*path, *_steps(key))
            within = inside or ("string" if (declares and key == "value") or self._is_declared(place) else "")
            if within and ((signature is not None and signature == marks.bytes) or key.startswith("$")):
                within = "base64"
            redacted[key] = self.walk(item, place, within)
        return {LITERAL: redacted} if reserved else redacted

    def _refined(self, said: dict[str, Any], path: tuple[str, ...]) -> Tree:
        """What is known of an unknown value: a text's beginning may hold a secret that is known from elsewhere."""
        return {name: self._plain(part, path) if isinstance(part, str) else part for name, part in said.items()}

    def _rewalk(self, value: dict[str, Any], path: tuple[str, ...]) -> Tree:
        if LITERAL in value:
            return {LITERAL: {key: self.walk(item, (*path, key), "") for key, item in value[LITERAL].items()}}
        if TEXT in value:
            return {
                TEXT: [part for piece in value[TEXT] for part in (isinstance(piece, str) and self._split(piece)) or [piece]]
            }
        return value

    def _is_declared(self, path: tuple[str, ...]) -> bool:
        return any(path[-len(end) :] == end for end in self._declared.get(path[-1], ()))

    def _secret(self, value: Any, kind: str) -> Tree:
        if value is None or value == "" or value in self._marks.unknowns:
            return value
        kind = kind if isinstance(value, str) else "bool" if isinstance(value, bool) else "number"
        self.unfindable = self.unfindable or kind != "string" or len(value) < SHORTEST
        return placeholder(self._vault.number(value, kind), kind)

    def _plain(self, value: Any, path: tuple[str, ...]) -> Tree:
        if isinstance(value, str) and any(key.startswith("$") and key not in OPENED for key in path):
            return self._verbatim(value)
        if self._pattern is None or value is None or isinstance(value, bool):
            return value
        if not isinstance(value, str):
            return self._secret(value, "number") if self._pattern.search(str(value)) else value
        if any(core in value for core in self._cores):
            kind = "base64" if _is_base64(value) else "string"
            return placeholder(self._vault.number(value, kind), kind)
        parts = self._split(value)
        if not parts:
            return value
        return parts[0] if len(parts) == 1 and parts[0].keys() == {PLACEHOLDER} else {TEXT: parts}

    def _verbatim(self, value: str) -> Tree:
        self.verbatim = self.verbatim or bool(value)
        if not (self._blind and value) and not any(core in value for core in self._cores):
            return value
        # Bytes contain their own lengths, so a part of them cannot be replaced by one of another length.
        self.broken = True
        return placeholder(self._vault.number(value, "base64"), "base64")

    def _split(self, text: str) -> list[Any]:
        # Inside JSON, a replay's secret may need escapes where this one needs none.
        default = "json" if _is_json(text) else ""
        parts: list[Any] = []
        end = 0
        for match in self._pattern.finditer(text) if self._pattern else ():
            encoding, secret = self._spellings[match[0]]
            encoding = encoding or default
            parts += [text[end : match.start()]] if match.start() > end else []
            parts.append({PLACEHOLDER: secret.number, "as": encoding} if encoding else {PLACEHOLDER: secret.number})
            end = match.end()
        return [*parts, text[end:]] if parts and end < len(text) else parts


def _is_base64(text: str) -> bool:
    try:
        return bool(base64.b64decode(text, validate=True))
    except (binascii.Error, ValueError):
        return False


def _is_json(text: str) -> bool:
    if text[:1] not in ("{", "["):
        return False
    try:
        msgspec.json.decode(text)
    except msgspec.DecodeError:
        return False
    return True

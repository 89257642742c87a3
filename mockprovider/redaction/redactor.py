"""The walk that takes declared secrets out of trees."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Collection, Iterable, Mapping
from itertools import count
from typing import Any

import msgspec
from msgspec import Struct

from mockprovider.redaction.credentials import known_form
from mockprovider.redaction.declared import Declarations, Name, Names, Steps, declared, of_secret, steps
from mockprovider.redaction.marks import UNMARKED, Marks
from mockprovider.redaction.masks import Masks
from mockprovider.redaction.origins import Origins
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
from mockprovider.redaction.places import Places, Policy, check_decisions
from mockprovider.redaction.vault import SecretText, Vault

OPENED = frozenset({PLAIN_BYTES, UNKNOWN})
"""Keys in which a secret can be replaced."""
OPEN, MARKED, DECIDED, PUBLIC, BYTES = "", "marked", "decided", "public", "base64"
"""How a place is treated: it is not declared; a protocol declares it secret; somebody does; somebody says that it is public in
spite of that; it is declared, and holds base64.
"""

NAMELESS = "mockprovider-secret"
"""What stands for a secret in a name."""


class Hidden(Struct, frozen=True):
    """A tree without its secrets. ``broken``: a secret sat where only the verbatim bytes would do, so it cannot be restored.

    ``encoded`` is the JSON of a tree that had none, and nothing that looks like a placeholder.
    """

    tree: Tree
    broken: bool = False
    encoded: bytes = b""


class Redactor:
    """Takes declared secrets out of trees, and keeps what somebody has decided about places (see ``Places``).

    Args:
        names: names declared secret in every tree, or in those of a type (``aws_ssm_parameter.value``).
        vault: where the secrets are kept while this runs.
        marks: how values are marked; a recorder and a replay set what their protocol says.
        public: names whose values stay readable in spite of what declares them.
        masks: names whose values do not count when calls are compared.

    Raises ``DefinitionError`` for what is no name, and for one that is named as secret and as public.
    """

    def __init__(
        self,
        names: Names = (),
        vault: Vault | None = None,
        marks: Marks = UNMARKED,
        *,
        public: Names = (),
        masks: Names = (),
    ) -> None:
        self.vault = vault or Vault()
        self.marks = marks
        self.secret, self.public, self.masks = Places(names), Places(public), Places(masks)
        check_decisions(self.secret, self.public)
        self._policies: dict[tuple[str, str, frozenset[Name]], Policy] = {}
        self.origins = Origins(lambda: self.marks)
        self.undecided: dict[tuple[str, str], set[str]] = {}
        """By type and name, the declared places where texts stayed readable because the provider itself had shown them."""

    def decide(self, kind: Places, names: Names = (), by_type: Mapping[str, Names] | None = None) -> None:
        """Name more places of this ``kind``: ``secret``, ``public`` or ``masks``. Raises as the class does."""
        kind.add(names, by_type)
        check_decisions(self.secret, self.public)
        self._policies.clear()

    def declare(self, secrets: Mapping[str, Collection[str]]) -> None:
        """Take over what is declared secret: names by type token, as the ``secrets`` of a resource type or a package."""
        self.decide(self.secret, by_type=secrets)

    def names(self, token: str, more: Declarations = (), spelled: str = "") -> Policy:
        """What is declared for a type (``spelled`` by the protocol): its names, those of every tree, and ``more``."""
        key = token, spelled, frozenset(more)
        if key not in self._policies:
            types = tuple(dict.fromkeys(filter(None, (token, spelled)))) or ("",)
            decided = self.secret.of(types)
            self._policies[key] = Policy(decided | key[2], decided, self.public.of(types), types)
        return self._policies[key]

    def still_open(self) -> dict[str, list[str]]:
        """The declared places that hold something readable, by type, as long as nobody has decided about them."""
        places: dict[str, list[str]] = {}
        for (token, name), texts in sorted(self.undecided.items()):
            if not all(map(self.vault.seeks, texts)):
                places.setdefault(token, []).append(name)
        return places

    def compared(self, tree: Tree, names: Policy) -> Tree:
        """``tree``, a request or an answer, without what masks take out of comparisons."""
        if not self.masks.known:
            return tree
        return self._masks(names).compared(tree, lambda name: self.masks.used.add((names.types, name)))

    def answered(self, answer: Tree, recorded: Tree, live: Tree, names: Policy) -> Tree:
        """A recorded answer with what the live request has under a mask where the recorded request had the same value.

        In all three, secrets are back in.
        """
        return self._masks(names).answered(answer, recorded, live)

    def masked(self, recorded: Tree, live: Tree, names: Policy) -> list[tuple[Tree, Tree]]:
        """What a recorded and a live request have under the same masks."""
        return [*self._masks(names).pairs(recorded, live)] if self.masks.known else []

    def _masks(self, names: Policy) -> Masks:
        return Masks(declared(self.masks.of(names.types), self.marks.wrappers), self.marks)

    def learn(self, trees: Iterable[Tree], names: Declarations | Policy = ()) -> None:
        """Collect the secrets that these trees declare, so that ``hide`` also finds them elsewhere."""
        policy = names if isinstance(names, Policy) else Policy(frozenset(names))
        for tree in trees:
            if _may_declare(encode(tree), policy.secret, self.marks):
                _Pass(self, policy).walk(tree, (), OPEN)

    def learnt(self, tree: Tree, names: Policy) -> Hidden:
        """``tree`` with placeholders, after the secrets that it declares were learnt."""
        encoded = encode(tree)
        declares = _may_declare(encoded, names.secret, self.marks)
        if declares:
            _Pass(self, names).walk(tree, (), OPEN)
        return self._hidden(tree, encoded, names, declares=declares)

    def hide(self, tree: Tree, names: Declarations | Policy = (), *, again: bool = False) -> Hidden:
        """``tree`` with placeholders. ``again``: it was redacted before; only secrets learnt since then are hidden."""
        policy = names if isinstance(names, Policy) else Policy(frozenset(names))
        encoded = encode(tree)
        return self._hidden(tree, encoded, policy, declares=_may_declare(encoded, policy.secret, self.marks), again=again)

    def _hidden(self, tree: Tree, encoded: bytes, policy: Policy, *, declares: bool, again: bool = False) -> Hidden:
        known = self.vault.found(encoded)
        if not (known or declares):
            if again and not self.vault.may_compose(encoded):
                return Hidden(tree)
            if not again and is_plain(encoded):
                return Hidden(tree, encoded=encoded)
        current = _Pass(self, policy, known, again=again)
        hidden = current.walk(tree, (), OPEN)
        if current.verbatim and current.unfindable:
            # A secret that cannot be searched for may be in the bytes as well, so they are hidden as a whole.
            current = _Pass(self, policy, known, again=again, blind=True)
            hidden = current.walk(tree, (), OPEN)
        return Hidden(hidden, current.broken)

    def name(self, text: str) -> str:
        """``text``, a URN, without the secrets in it. It is another name then, which is never given back."""
        known = self.vault.found(encode(text))
        return _Pass(self, Policy(), known).name(text) if known else text

    def mask(self, text: str, mark: str = "(secret)") -> str:
        """``text``, for a message, with ``mark`` in place of the secrets that are known so far."""
        hidden = self.hide(text).tree
        return text if hidden == text else str(fill(hidden, lambda *_: mark))


def _may_declare(encoded: bytes, names: Declarations, marks: Marks) -> bool:
    """Whether the tree of this JSON may declare a secret: a look at its text, which spares most trees the walk."""
    signed = bool(marks.secret) and (marks.secret.encode() in encoded or marks.output.encode() in encoded)
    return signed or (bool(names) and declared(frozenset(names), marks.wrappers).may_be_in(encoded))


class _Pass:
    """One walk over one tree."""

    def __init__(
        self,
        redactor: Redactor,
        policy: Policy,
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
        self._redactor = redactor
        self._vault = redactor.vault
        self._marks = redactor.marks
        self._again = again
        self._cores = [core for secret in known for core in secret.cores]
        self._spellings = {spelling: (encoding, secret) for secret in known for spelling, encoding in secret.spellings}
        self._pattern = _pattern(self._spellings)
        self._names = _pattern(spelling for spelling, (_, secret) in self._spellings.items() if not secret.is_word)
        self._types = policy.types
        self._declared, self._decided, self._public = (
            declared(names, self._marks.wrappers) for names in (policy.secret, policy.decided, policy.public)
        )

    def walk(self, value: Tree, path: Steps, inside: str) -> Tree:
        """``inside`` is how the place that we are in is treated."""
        if isinstance(value, dict):
            return self._walk_object(value, path, inside)
        if isinstance(value, (list, tuple)):
            return [self.walk(item, path, inside) for item in value]
        return self._declared_leaf(value, path, inside) if inside else self._plain(value, path)

    def _walk_object(self, value: dict[str, Any], path: Steps, inside: str) -> Tree:
        reserved = not RESERVED.isdisjoint(value)
        if self._again and reserved:
            return self._rewalk(value, path, inside)
        marks = self._marks
        signature = value.get(marks.signature) if marks.signature else None
        declares = signature in (marks.secret, marks.output) and (signature == marks.secret or value.get("secret") is True)
        redacted: dict[str, Any] = {}
        for key, item in value.items():
            if (key and key == marks.signature) or (key in marks.words and marks.wrappers.isdisjoint(path)):
                redacted[key] = item
                continue
            if key == UNKNOWN:
                redacted[key] = self._refined(item, (*path, key)) if inside in (OPEN, PUBLIC) else of_secret(item)
                continue
            # A wrapper's value is in the place of the wrapper.
            wrapped = signature is not None and key == "value"
            place = path if wrapped else (*path, key) if ":" not in key and "." not in key else (*path, *steps(key))
            within = self._treated(place, inside or (MARKED if declares and key == "value" else OPEN))
            if within in (MARKED, DECIDED) and ((signature is not None and signature == marks.bytes) or key.startswith("$")):
                within = BYTES
            redacted[self._key(key, redacted)] = self.walk(item, place, within)
        return {LITERAL: redacted} if reserved else redacted

    def _refined(self, said: Any, path: Steps) -> Tree:
        """What is known of an unknown value: a text's beginning may hold a secret that is known from elsewhere."""
        if not isinstance(said, dict):
            return said
        return {name: self._plain(part, path) if isinstance(part, str) else part for name, part in said.items()}

    def _rewalk(self, value: dict[str, Any], path: Steps, inside: str) -> Tree:
        if LITERAL in value:
            literal: dict[str, Any] = {}
            for key, item in value[LITERAL].items():
                literal[self._key(key, literal)] = self.walk(item, (*path, key), self._treated((*path, key), inside))
            return {LITERAL: literal}
        if TEXT in value and inside == DECIDED:
            return placeholder(self._vault.composed(value[TEXT]))
        if TEXT in value:
            parts = self._vault.with_composed(value[TEXT])
            parts = [part for piece in parts for part in (isinstance(piece, str) and self._split(piece)) or [piece]]
            return _of_parts(parts)
        return value

    def name(self, text: str) -> str:
        """``text`` with a word in place of the secrets in it."""
        return self._names.sub(NAMELESS, text) if self._names else text

    def _key(self, key: str, taken: Collection[str]) -> str:
        nameless = self.name(key) if self._names else key
        if nameless == key:
            return key
        # No placeholder can be a key, so what is given back would be another object.
        self.broken = True
        return next(name for number in count(1) if (name := f"{nameless}-{number}" if number > 1 else nameless) not in taken)

    def _treated(self, place: Steps, inside: str) -> str:
        """How a place is treated that lies in one that is treated so: what somebody decided counts before what is declared."""
        if place and place[0] in self._marks.paths:
            return inside
        if self._decided and (name := self._decided.of(place)):
            self._redactor.secret.used.add((self._types, name))
            return DECIDED
        if inside == OPEN and self._declared.of(place):
            inside = MARKED
        if inside != OPEN and self._public and (name := self._public.of(place)):
            self._redactor.public.used.add((self._types, name))
            return PUBLIC
        return inside

    def _declared_leaf(self, value: Any, path: Steps, inside: str) -> Tree:
        if value is None or value == "" or value in self._marks.unknowns or (inside == BYTES and self._is_word(value)):
            return value
        if self._stays(value, path, inside):
            return self._plain(value, path)
        return self._secret(value, BYTES if inside == BYTES else "string")

    def _stays(self, value: Any, path: Steps, inside: str) -> bool:
        """Whether the value of a declared place is readable there."""
        if not isinstance(value, str):
            return inside == PUBLIC
        origins = self._redactor.origins
        if inside == BYTES or self._vault.seeks(value):
            return False
        if inside == PUBLIC or origins.is_readable(value):
            return origins.is_readable(value) or not known_form(value)
        stays = inside == MARKED and origins.is_own(value)
        if stays:
            place = self._types[-1] if self._types else "", self._marks.named(path)
            self._redactor.undecided.setdefault(place, set()).add(value)
        return stays

    def _secret(self, value: Any, kind: str) -> Tree:
        kind = kind if isinstance(value, str) else "bool" if isinstance(value, bool) else "number"
        self.unfindable = self.unfindable or kind != "string" or len(value) < SHORTEST
        return placeholder(self._vault.number(value, kind), kind)

    def _plain(self, value: Any, path: Steps) -> Tree:
        if isinstance(value, str) and any(key.startswith("$") and key not in OPENED for key in path):
            return self._verbatim(value)
        if self._pattern is None or value is None or isinstance(value, bool) or (PLAIN_BYTES in path and self._is_word(value)):
            return value
        if not isinstance(value, str):
            return self._secret(value, "string") if self._pattern.search(str(value)) else value
        if any(core in value for core in self._cores):
            kind = "base64" if _is_base64(value) else "string"
            return placeholder(self._vault.number(value, kind), kind)
        parts = self._split(value)
        return _of_parts(parts) if parts else value

    def _is_word(self, value: Any) -> bool:
        return isinstance(value, str) and self._marks.is_word(value)

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


def _of_parts(parts: list[Any]) -> Tree:
    """A text in parts; one that is a secret in its plain spelling is that secret."""
    whole = len(parts) == 1 and not isinstance(parts[0], str) and parts[0].keys() == {PLACEHOLDER}
    return parts[0] if whole else {TEXT: parts}


def _pattern(texts: Iterable[str]) -> re.Pattern[str] | None:
    longest_first = sorted(texts, key=len, reverse=True)
    return re.compile("|".join(map(re.escape, longest_first))) if longest_first else None


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

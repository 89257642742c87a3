"""Secrets out of views before they are kept, and back into them when they are used.

Declared secret are the ``value`` of Pulumi's secret objects (and of outputs marked secret), and what stands under a
declared name. In a declared place every string, number and boolean becomes a placeholder; the keys of objects stay, so
that a reader sees the shape. A secret of six characters or more is also taken out wherever else it turns up: as a whole
string, inside a string, inside JSON in a string, inside base64. Shorter ones go from their declared places only: ``prod``
elsewhere is hardly ever the secret. Keys are names, and are never taken for secrets.

- ``{"$secret": 3}`` is the third secret; ``kind`` says ``number``, ``bool`` or ``base64`` where it is no plain string;
- ``{"$text": ["a", {"$secret": 3}]}`` is a string with a secret in it; ``as`` says how it is spelled there (``json``,
  ``html``: inside JSON as Python or as Go writes it);
- ``{"$literal": {...}}`` is an object that has one of these three keys of its own.

Placeholders are numbers and not digests, because the digest of a weak password can be guessed.
"""

from __future__ import annotations

import base64
import binascii
import re
import threading
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, TypeAlias

import msgspec
from msgspec import Struct

from mockprovider.schema import ResourceType, snake_case

View: TypeAlias = Any
Names: TypeAlias = Collection[str]
"""Property names, or ends of paths with dots or colons (``database.password``, ``aws:key``); list indexes do not count."""

SIGNATURE = "4dabf18193072939515e22adb298388d"
SECRET = "1b47061264138c4ac30d75fd1eb44270"  # noqa: S105  a signature of Pulumi's protocol (its reference, 3.1)
OUTPUT = "d0e6a833031e9bbcd3f4e8bde6ca49a4"
BYTES = "803fd3297a5875dc03ca845dda5d2a98"
UNKNOWNS = frozenset({
    "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
    "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
    "04da6b54-80e4-46f7-96ec-b56ff0331ba9",
    "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
    "030794c1-ac77-496b-92df-f27374a8bd58",
    "e48ece36-62e2-4504-bad9-02848725956a",
    "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
})  # fmt: skip
"""Pulumi's sentinels for values not yet known: an unknown secret hides nothing."""

PLACEHOLDER, TEXT, LITERAL = "$secret", "$text", "$literal"
RESERVED = frozenset({PLACEHOLDER, TEXT, LITERAL})
UNKNOWN, PLAIN_BYTES = "$unknown", "$bytes"
"""Keys of views: an unknown value, which hides nothing; and bytes that may be replaced as a whole."""
SHORTEST = 6
STAND_IN = "mockprovider-secret-"
STEPS = re.compile("[.:]")
MANY = 32
CHUNK = 1 << 16


def encode(view: View) -> bytes:
    """The view as JSON, maps sorted."""
    return msgspec.json.encode(view, order="deterministic")


def _escape(text: str) -> str:
    return encode(text)[1:-1].decode()


def _escape_html(text: str) -> str:
    return _escape(text).replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


SPELLINGS: Mapping[str, Callable[[str], str]] = {"": str, "json": _escape, "html": _escape_html}
"""How a secret may be spelled inside another string: as it is, or inside JSON as Python or as Go writes it."""


class _Known(Struct, frozen=True):
    """A secret text that is looked for: its number, its spellings, and the parts of its base64 that no neighbour touches."""

    number: int
    spellings: tuple[tuple[str, str], ...]
    cores: tuple[str, ...]
    needles: tuple[bytes, ...]


def _known(number: int, text: str) -> _Known:
    # The plainest name of a spelling wins, so the table is read backwards.
    spelled = {spell(text): how for how, spell in reversed(list(SPELLINGS.items()))}
    raw = text.encode()
    cores = [base64.b64encode(bytes(shift) + raw)[(shift * 8 + 5) // 6 : (shift + len(raw)) * 8 // 6] for shift in range(3)]
    needles = (*(encode(spelling)[1:-1] for spelling in spelled), *cores)
    return _Known(number, tuple(spelled.items()), tuple(core.decode() for core in cores), needles)


class Vault:
    """The secrets of one recording or of one replay, numbered from 1 in the order in which they came. In memory only."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[str, Any], int] = {}
        self._values: list[Any] = []
        self._known: list[_Known] = []
        self._endings: dict[bytes, list[_Known]] = {}
        self._lock = threading.Lock()

    def number(self, value: Any, kind: str) -> int:
        """The number of this secret, the same each time."""
        with self._lock:
            number = self._numbers.setdefault((kind, value), len(self._values) + 1)
            if number > len(self._values):
                self._values.append(value)
                if kind == "string" and len(value) >= SHORTEST:
                    self._look_for(_known(number, value))
            return number

    def _look_for(self, known: _Known) -> None:
        self._known.append(known)
        for needle in known.needles:
            self._endings.setdefault(needle[-SHORTEST:], []).append(known)

    def value(self, number: int) -> Any:
        """The secret of this number."""
        return self._values[number - 1]

    def found(self, encoded: bytes) -> list[_Known]:
        """The known texts that the view of this JSON may hold."""
        with self._lock:
            known = list(self._known) if len(self._known) < MANY else self._promising(encoded)
        return [each for each in known if any(needle in encoded for needle in each.needles)]

    def _promising(self, encoded: bytes) -> list[_Known]:
        """Those of which a needle's end is there: one look at the text instead of one for each of many needles.

        Ends, because generated names differ there.
        """
        found: dict[int, _Known] = {}
        for start in range(0, len(encoded), CHUNK):
            chunk = encoded[start : start + CHUNK + SHORTEST - 1]
            there = {chunk[index : index + SHORTEST] for index in range(len(chunk) - SHORTEST + 1)}
            for ending in there & self._endings.keys():
                found.update((each.number, each) for each in self._endings[ending])
        return list(found.values())


class Hidden(Struct, frozen=True):
    """A view without its secrets. ``broken``: a secret sat where only the verbatim bytes would do, so it cannot be restored."""

    view: View
    broken: bool = False


class Redactor:
    """Takes declared secrets out of views.

    Args:
        names: names declared secret in every view (see ``Names``).
        vault: where the secrets are kept while this runs.
    """

    def __init__(self, names: Names = (), vault: Vault | None = None) -> None:
        self.vault = vault or Vault()
        self._names = frozenset(names)
        self._types: dict[str, frozenset[str]] = {}

    def declare(self, *types: ResourceType) -> None:
        """Take over the ``secret=True`` of these types' properties, in both ecosystems' spelling."""
        for each in types:
            secret = {name: item.terraform or snake_case(name) for name, item in each.properties.items() if item.secret}
            self._types[each.token] = frozenset({*secret, *secret.values()})

    def names(self, token: str, more: Names = ()) -> frozenset[str]:
        """What is declared secret for a type: its own names, those of every view, and ``more``."""
        return self._names.union(self._types.get(token, ()), more)

    def learn(self, views: Iterable[View], names: Names = ()) -> None:
        """Get to know the secrets that these views declare, so that ``hide`` also finds them elsewhere."""
        for view in views:
            if _may_declare(encode(view), names):
                _Pass(self.vault, names).walk(view, (), "")

    def hide(self, view: View, names: Names = (), *, again: bool = False) -> Hidden:
        """``view`` with placeholders. ``again``: it has been through here, only what was learnt since is still to be hidden."""
        encoded = encode(view)
        known = self.vault.found(encoded)
        if not known and not _may_declare(encoded, names) and (again or is_plain(encoded)):
            return Hidden(view)
        current = _Pass(self.vault, names, known, again=again)
        hidden = current.walk(view, (), "")
        if current.verbatim and current.unfindable:
            # A secret that cannot be looked for may be in the bytes as well: they have to go unseen.
            current = _Pass(self.vault, names, known, again=again, blind=True)
            hidden = current.walk(view, (), "")
        return Hidden(hidden, current.broken)

    def mask(self, text: str) -> str:
        """``text``, for a message, without the secrets that are known so far."""
        hidden = self.hide(text).view
        return text if hidden == text else str(fill(hidden, lambda *_: "(secret)"))


def _may_declare(encoded: bytes, names: Names) -> bool:
    """Whether the view of this JSON may declare a secret: a look at its text, which spares most views the walk."""
    signed = SECRET.encode() in encoded or OUTPUT.encode() in encoded
    return signed or any(encode(_steps(name)[-1])[1:] in encoded for name in names)


def _steps(name: str) -> tuple[str, ...]:
    return tuple(STEPS.split(name))


def is_plain(encoded: bytes) -> bool:
    """Whether the view of this JSON has none of our marks (it may say no where there is none)."""
    return not any(f'"{mark}"'.encode() in encoded for mark in RESERVED)


class _Pass:
    """One walk over one view."""

    def __init__(
        self, vault: Vault, names: Names, known: Collection[_Known] = (), *, again: bool = False, blind: bool = False
    ) -> None:
        self.broken = False
        self.verbatim = False
        """There are bytes that count only as a whole."""
        self.unfindable = False
        """There are secrets that are too short to be looked for, or no texts."""
        self._blind = blind
        self._vault = vault
        self._again = again
        self._cores = [core for each in known for core in each.cores]
        self._spellings = {spelling: (how, each) for each in known for spelling, how in each.spellings}
        longest_first = sorted(self._spellings, key=len, reverse=True)
        self._pattern = re.compile("|".join(map(re.escape, longest_first))) if known else None
        self._declared: dict[str, list[tuple[str, ...]]] = {}
        for name in names:
            path = _steps(name)
            self._declared.setdefault(path[-1], []).append(path)

    def walk(self, value: View, path: tuple[str, ...], inside: str) -> View:
        """``inside`` is the kind of the strings of the declared place that we are in; empty outside."""
        if isinstance(value, dict):
            return self._walk_object(value, path, inside)
        if isinstance(value, (list, tuple)):
            return [self.walk(item, path, inside) for item in value]
        return self._secret(value, inside) if inside else self._plain(value, path)

    def _walk_object(self, value: dict[str, Any], path: tuple[str, ...], inside: str) -> View:
        reserved = not RESERVED.isdisjoint(value)
        if self._again and reserved:
            return self._rewalk(value, path)
        signature = value.get(SIGNATURE)
        declares = signature == SECRET or (signature == OUTPUT and value.get("secret") is True)
        found: dict[str, Any] = {}
        for key, item in value.items():
            if key in (SIGNATURE, UNKNOWN):
                found[key] = item
                continue
            here = (*path, key) if ":" not in key and "." not in key else (*path, *_steps(key))
            within = inside or ("string" if (declares and key == "value") or self._is_declared(here) else "")
            if within and (signature == BYTES or key.startswith("$")):
                within = "base64"
            found[key] = self.walk(item, here, within)
        return {LITERAL: found} if reserved else found

    def _rewalk(self, value: dict[str, Any], path: tuple[str, ...]) -> View:
        if LITERAL in value:
            return {LITERAL: {key: self.walk(item, (*path, key), "") for key, item in value[LITERAL].items()}}
        if TEXT in value:
            return {TEXT: [part for each in value[TEXT] for part in (isinstance(each, str) and self._split(each)) or [each]]}
        return value

    def _is_declared(self, path: tuple[str, ...]) -> bool:
        return any(path[-len(end) :] == end for end in self._declared.get(path[-1], ()))

    def _secret(self, value: Any, kind: str) -> View:
        if value is None or value == "" or value in UNKNOWNS:
            return value
        kind = kind if isinstance(value, str) else "bool" if isinstance(value, bool) else "number"
        self.unfindable = self.unfindable or kind != "string" or len(value) < SHORTEST
        return placeholder(self._vault.number(value, kind), kind)

    def _plain(self, value: Any, path: tuple[str, ...]) -> View:
        if isinstance(value, str) and any(key.startswith("$") and key != PLAIN_BYTES for key in path):
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

    def _verbatim(self, value: str) -> View:
        self.verbatim = self.verbatim or bool(value)
        if not (self._blind and value) and not any(core in value for core in self._cores):
            return value
        # Bytes are framed by their lengths: what is cut out of them cannot be put back in another length.
        self.broken = True
        return placeholder(self._vault.number(value, "base64"), "base64")

    def _split(self, text: str) -> list[Any]:
        # In JSON another secret may need escapes where this one needs none.
        default = "json" if _is_json(text) else ""
        parts: list[Any] = []
        end = 0
        for match in self._pattern.finditer(text) if self._pattern else ():
            how, known = self._spellings[match[0]]
            how = how or default
            parts += [text[end : match.start()]] if match.start() > end else []
            parts.append({PLACEHOLDER: known.number, "as": how} if how else {PLACEHOLDER: known.number})
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


def placeholder(number: int, kind: str = "string") -> dict[str, Any]:
    """What stands for a secret in a view."""
    return {PLACEHOLDER: number} if kind == "string" else {PLACEHOLDER: number, "kind": kind}


def stand_in(number: int, kind: str = "string") -> Any:
    """What a replay gives out for a secret that only the recorded provider knew: of the same type, the same each time."""
    text = f"{STAND_IN}{number}"
    if kind == "bool":
        return False
    return number if kind == "number" else base64.b64encode(text.encode()).decode() if kind == "base64" else text


def numbers(view: View) -> list[int]:
    """The numbers of the placeholders in ``view``, in the order of its sorted keys."""
    found: list[int] = []

    def note(number: int) -> int:
        found.append(number)
        return number

    renumber(view, note)
    return found


def renumber(view: View, change: Callable[[int], int]) -> View:
    """``view`` with each placeholder's number changed, visited in the order of the sorted keys."""
    if isinstance(view, list):
        return [renumber(item, change) for item in view]
    if not isinstance(view, dict):
        return view
    if PLACEHOLDER in view:
        return {**view, PLACEHOLDER: change(view[PLACEHOLDER])}
    if LITERAL in view:
        return {LITERAL: {key: renumber(item, change) for key, item in sorted(view[LITERAL].items())}}
    return {key: renumber(item, change) for key, item in sorted(view.items())}


def neutral(view: View) -> View:
    """``view`` with all placeholders of a kind alike: what two requests have in common that differ in secrets only."""
    return view if is_plain(encode(view)) else renumber(view, lambda _: 0)


def fill(view: View, value_of: Callable[[int, str], Any]) -> View:
    """``view`` with the values back in: ``value_of`` is given a number and a kind."""
    if isinstance(view, list):
        return [fill(item, value_of) for item in view]
    if not isinstance(view, dict):
        return view
    if PLACEHOLDER in view:
        return value_of(view[PLACEHOLDER], view.get("kind", "string"))
    if TEXT in view:
        return "".join(_spelled(part, value_of) for part in view[TEXT])
    inner = view.get(LITERAL, view)
    return {key: fill(item, value_of) for key, item in inner.items()}


def _spelled(part: Any, value_of: Callable[[int, str], Any]) -> str:
    if isinstance(part, str):
        return part
    spell: Callable[[str], str] = SPELLINGS[part.get("as", "")]
    return spell(str(value_of(part[PLACEHOLDER], "string")))

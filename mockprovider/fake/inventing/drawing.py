"""What the random provider draws, within what a program asks for; always the same for the same resource."""

from __future__ import annotations

import base64
import string
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from typing import Any
from uuid import UUID

from msgspec import Struct

SPECIAL = "!@#$%&*()-_=+[]{}<>:?"
"""What the random provider takes for special characters."""
ADVERBS = ("barely", "deeply", "early", "freely", "lively", "neatly", "openly", "vastly")
ADJECTIVES = (
    "able",
    "brave",
    "calm",
    "eager",
    "fair",
    "glad",
    "keen",
    "mild",
    "noble",
    "proud",
    "quick",
    "sharp",
    "warm",
    "wise",
)
ANIMALS = ("bison", "crane", "dingo", "egret", "gecko", "heron", "koala", "lemur", "moose", "otter", "quail", "robin", "tapir")

Inputs = Mapping[str, Any]


class Drawing(Struct, frozen=True):
    """Works outputs out of what a program says, and of what tells one resource from another."""

    draw: Callable[[Inputs, str], Mapping[str, Any]]

    def __call__(self, inputs: Inputs, point: str = "") -> Mapping[str, Any]:
        """The outputs of the resource of this ``point``. Other keepers draw anew."""
        return self.draw(inputs, f"{point}\x1f{sorted((inputs.get('keepers') or {}).items())}")


def _number(point: str, below: int) -> int:
    return int.from_bytes(sha256(point.encode()).digest()) % below


def _shuffled(point: str, items: Sequence[Any]) -> list[Any]:
    return [items[at] for at in sorted(range(len(items)), key=lambda at: sha256(f"{point}\x1f{at}".encode()).digest())]


def _bytes(point: str, size: int) -> bytes:
    blocks = (sha256(f"{point}\x1f{at}".encode()).digest() for at in range(size // 32 + 1))
    return b"".join(blocks)[:size]


def _text(inputs: Inputs, point: str) -> str:
    numeric = inputs.get("numeric", inputs.get("number"))
    special = inputs.get("overrideSpecial") or SPECIAL
    kinds = (
        (inputs.get("lower"), string.ascii_lowercase, inputs.get("minLower")),
        (inputs.get("upper"), string.ascii_uppercase, inputs.get("minUpper")),
        (numeric, string.digits, inputs.get("minNumeric")),
        (inputs.get("special"), special, inputs.get("minSpecial")),
    )
    every = "".join(alphabet for wanted, alphabet, _ in kinds if wanted is not False)
    alphabets = [alphabet for _, alphabet, least in kinds for _ in range(int(least or 0))]
    alphabets += [every] * (int(inputs.get("length") or 0) - len(alphabets))
    drawn = [alphabet[_number(f"{point}\x1f{at}", len(alphabet))] for at, alphabet in enumerate(alphabets) if alphabet]
    return "".join(_shuffled(point, drawn))


def _password(inputs: Inputs, point: str) -> Mapping[str, Any]:
    kinds = {name: inputs.get(name) is not False for name in ("lower", "upper", "numeric", "number", "special")}
    return {**kinds, "result": _text(inputs, point)}


def _string(inputs: Inputs, point: str) -> Mapping[str, Any]:
    drawn = _password(inputs, point)
    # Nothing can be remembered that has no id.
    return {**drawn, "id": drawn["result"]} if drawn["result"] else drawn


def _pet(inputs: Inputs, point: str) -> Mapping[str, Any]:
    length = int(inputs.get("length") or 2)
    lists = [*[ADVERBS] * (length - 2), *[ADJECTIVES] * (length > 1), ANIMALS]
    words = [words[_number(f"{point}\x1f{at}", len(words))] for at, words in enumerate(lists)]
    given = inputs.get("separator")
    separator = "-" if given is None else given
    return {"id": separator.join([*filter(None, [inputs.get("prefix")]), *words]), "length": length, "separator": separator}


def _integer(inputs: Inputs, point: str) -> Mapping[str, Any]:
    least, most = int(inputs.get("min") or 0), int(inputs.get("max") or 0)
    result = least + _number(point, max(most - least + 1, 1))
    return {"id": str(result), "result": result}


def _shuffle(inputs: Inputs, point: str) -> Mapping[str, Any]:
    items = [*(inputs.get("inputs") or inputs.get("input") or ())]
    count = inputs.get("resultCount")
    wanted = len(items) if count is None else int(count)
    rounds = range(-(-wanted // len(items)) if items else 0)
    drawn = [one for turn in rounds for one in _shuffled(f"{point}\x1f{turn}", items)][:wanted]
    return {"results": drawn, "result": drawn}


def _id(inputs: Inputs, point: str) -> Mapping[str, Any]:
    drawn = _bytes(point, int(inputs.get("byteLength") or 8))
    standard, prefix = base64.b64encode(drawn).decode(), inputs.get("prefix") or ""
    address = base64.urlsafe_b64encode(drawn).decode().rstrip("=")
    # Python writes no number of more than 4,300 digits.
    number = {"dec": str(int.from_bytes(drawn))} if len(drawn) < 1024 else {}
    shown = {"hex": drawn.hex(), **number, "b64Std": standard, "b64Url": address}
    own = {"id": address} if address else {}
    return {**own, **{name: prefix + text for name, text in shown.items()}}


def _raw(inputs: Inputs, point: str) -> Mapping[str, Any]:
    drawn = _bytes(point, int(inputs.get("length") or 8))
    return {"base64": base64.b64encode(drawn).decode(), "hex": drawn.hex()}


def _uuid(version: int, point: str) -> Mapping[str, Any]:
    drawn = f"{UUID(bytes=_bytes(point, 16), version=4)}"
    result = f"{drawn[:14]}{version}{drawn[15:]}"
    return {"id": result, "result": result}


DRAWINGS: Mapping[str, Drawing] = {
    "random bytes": Drawing(_raw),
    "random id": Drawing(_id),
    "random integer": Drawing(_integer),
    "random password": Drawing(_password),
    "random pet": Drawing(_pet),
    "random shuffle": Drawing(_shuffle),
    "random string": Drawing(_string),
    "random uuid": Drawing(lambda _, point: _uuid(4, point)),
    "random uuid 7": Drawing(lambda _, point: _uuid(7, point)),
}

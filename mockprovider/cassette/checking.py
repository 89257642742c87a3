"""Whether a cassette may be committed: declared secrets that are readable, places without a decision, and look-alikes."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from msgspec import Struct

from mockprovider.calls import Op
from mockprovider.cassette.model import Cassette
from mockprovider.matching import differences, encode, step
from mockprovider.redaction import Marks, Names, Policy, Redactor, known_form, looks_random

READABLE = "a declared secret is readable. Record again"
OPEN = (
    "it is declared secret and holds what the provider shows openly elsewhere. Decide with public=[...] or secrets=[...], and "
    "record again; or move it to public in the file's header"
)
ALIKE = "it looks like {}. If it is one, revoke it, name its property with secrets=[...], and record again"
RANDOM = "a random text"


class Finding(Struct, frozen=True):
    """Something that a reader of the file may learn. ``fails``: it must not be committed. The value itself is not told."""

    place: str
    problem: str
    fails: bool


class Part(Struct, frozen=True):
    """The header or an interaction: where it stands, what it holds, and what is decided about it."""

    place: str
    tree: dict[str, Any]
    names: Policy


def check(cassette: Cassette, marks: Marks, *, names: Names = (), values: Collection[str] = ()) -> list[Finding]:
    """What is wrong with a cassette, what fails first.

    Args:
        cassette: as it is on disk. Schemas are not looked at: they are the provider's published text.
        marks: how its protocol marks secrets.
        names: more properties that are secret.
        values: secrets, which are looked for in every spelling.

    Raises ``CassetteBrokenError`` for a blob that cannot be read.
    """
    redactor = Redactor(names, marks=marks)
    redactor.declare(cassette.header.secrets)
    for readable in (cassette.header.public, cassette.header.undecided):
        redactor.decide(redactor.public, by_type=readable)
    for value in values:
        redactor.vault.number(value, "string")
    parts = list(_parts(cassette, redactor))
    # Twice, since a later part may declare what an earlier one has.
    for part in parts:
        redactor.hide(part.tree, part.names, again=True)
    undecided = (f"{token}.{name}" for token, names in cassette.header.undecided.items() for name in names)
    return [
        *(Finding(place, READABLE, fails=True) for part in parts for place in _readable(part, redactor)),
        *(Finding(place, OPEN, fails=True) for place in undecided),
        *_alike(parts),
    ]


def _parts(cassette: Cassette, redactor: Redactor) -> Iterator[Part]:
    header = cassette.header
    yield Part("the header", {"created_by": header.created_by, "faults": header.faults}, redactor.names(""))
    for interaction in cassette.interactions:
        tree = {
            "instance": interaction.instance,
            "urn": interaction.urn,
            "id": interaction.id,
            "request": cassette.request(interaction),
            "response": None if interaction.op == Op.GET_SCHEMA else cassette.response(interaction),
            "status": interaction.status and {"message": interaction.status.message, "details": interaction.status.details},
        }
        yield Part(f"interaction {interaction.n}", tree, redactor.names(interaction.type))


def _readable(part: Part, redactor: Redactor) -> Iterator[str]:
    hidden = redactor.hide(part.tree, part.names, again=True).tree
    if hidden is not part.tree:
        # A key may be the secret.
        yield from (redactor.mask(f"{part.place}, {difference.path}") for difference in differences(part.tree, hidden))


def _alike(parts: Collection[Part]) -> Iterator[Finding]:
    seen: set[str] = set()
    for part in parts:
        text = encode(part.tree).decode(errors="replace")
        if not (known_form(text) or looks_random(text)):
            continue
        for path, leaf in _texts(part.tree, ""):
            kind = known_form(leaf) or (RANDOM if looks_random(leaf) else "")
            if kind and leaf not in seen:
                seen.add(leaf)
                yield Finding(f"{part.place}, {path}", ALIKE.format(kind), fails=False)


def _texts(tree: Any, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(tree, str):
        yield path, tree
    elif isinstance(tree, list):
        for index, item in enumerate(tree):
            yield from _texts(item, f"{path}[{index}]")
    elif isinstance(tree, dict):
        for key, item in tree.items():
            yield from _texts(item, step(path, key))

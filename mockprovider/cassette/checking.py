"""Whether a cassette may be committed: declared secrets that are readable, places without a decision, and look-alikes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from typing import Any, TypeAlias

from msgspec import Struct, to_builtins

from mockprovider.calls import Op
from mockprovider.cassette.model import Cassette
from mockprovider.matching import differences, encode, step
from mockprovider.redaction import Marks, Names, Policy, Redactor, known_form, looks_random, steps

READABLE = "a declared secret is readable. Record again"
OPEN = (
    "it is declared secret and holds what the provider shows openly elsewhere. Decide with public=[...] or secrets=[...], and "
    "record again; or move it to public in the file's header"
)
ALIKE = "it looks like {}. If it is one, revoke it, name its property with secrets=[...], and record again"
RANDOM = "a random text"


class Finding(Struct, frozen=True):
    """Something that a reader of the file may learn. ``fails``: it must not be committed. The value itself is not told.

    ``place`` is a property as somebody would name it, and ``interactions`` are the numbers of those that have it there.
    """

    place: str
    problem: str
    fails: bool
    interactions: tuple[int, ...] = ()


class Part(Struct, frozen=True):
    """An interaction, or the header as number 0: what it is about, what it holds, and what is decided about it."""

    number: int
    type: str
    tree: dict[str, Any]
    names: Policy


Seen: TypeAlias = tuple[Part, str, str]
"""Where something was seen: the path in the part's tree, and what it is."""


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
    shown = [(part, path, READABLE) for part in parts for path in _readable(part, redactor)]
    return [
        *_grouped(shown, marks, fails=True),
        *(Finding(place, OPEN, fails=True) for place in undecided),
        *_grouped(_alike(parts), marks, fails=False),
    ]


def _grouped(seen: Iterable[Seen], marks: Marks, *, fails: bool) -> list[Finding]:
    """What was seen by property and kind: a provider that makes a token for each object has one line and not hundreds."""
    numbers: dict[tuple[str, str], list[int]] = defaultdict(list)
    for part, path, problem in seen:
        field, *inside = steps(path)
        place = marks.named(inside) if inside else field
        numbers[f"{part.type}.{place}" if part.type else place, problem].append(part.number)
    return [
        Finding(place if any(kept) else f"the header, {place}", problem, fails, tuple(filter(None, dict.fromkeys(kept))))
        for (place, problem), kept in numbers.items()
    ]


def _parts(cassette: Cassette, redactor: Redactor) -> Iterator[Part]:
    header = cassette.header
    yield Part(0, "", {"created_by": header.created_by, "faults": header.faults}, redactor.names(""))
    for interaction in cassette.interactions:
        tree = {
            "instance": interaction.instance,
            "urn": interaction.urn,
            "id": interaction.id,
            "request": cassette.request(interaction),
            "response": None if interaction.op == Op.GET_SCHEMA else cassette.response(interaction),
            "status": interaction.status and {"message": interaction.status.message, "details": interaction.status.details},
            "http": [to_builtins(exchange) for exchange in interaction.http],
        }
        yield Part(interaction.n, interaction.type, tree, redactor.names(interaction.type))


def _readable(part: Part, redactor: Redactor) -> Iterator[str]:
    hidden = redactor.hide(part.tree, part.names, again=True).tree
    if hidden is not part.tree:
        # A key may be the secret.
        yield from (redactor.mask(difference.path) for difference in differences(part.tree, hidden))


def _alike(parts: Collection[Part]) -> Iterator[Seen]:
    for part in parts:
        text = encode(part.tree).decode(errors="replace")
        if not (known_form(text) or looks_random(text)):
            continue
        for path, leaf in _texts(part.tree, ""):
            kind = known_form(leaf) or (RANDOM if looks_random(leaf) else "")
            if kind:
                yield part, path, ALIKE.format(kind)


def _texts(tree: Any, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(tree, str):
        yield path, tree
    elif isinstance(tree, list):
        for index, item in enumerate(tree):
            yield from _texts(item, f"{path}[{index}]")
    elif isinstance(tree, dict):
        for key, item in tree.items():
            yield from _texts(item, step(path, key))

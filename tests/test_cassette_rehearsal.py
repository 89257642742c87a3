"""Whether the objects of a family can be told apart, as a table: what is refused if they were made in another order."""

from __future__ import annotations

from typing import Any

import pytest
from cassette_toy import Toy, answer, call, recorded, secret, session
from msgspec.structs import replace

from mockprovider.calls import Call, Op, Reply, Status
from mockprovider.cassette import LookResult, Reader
from mockprovider.cassette.choice import Verdict
from mockprovider.cassette.rehearsal import rehearsed
from mockprovider.cassette.shelf import Shelf

KEYS = ("k-8d1f2a", "k-77c3b0", "k-e05a91")
DISKS = ("d-4a1b2c", "d-5b2c3d", "d-6c3d4e")
PEM = "MIIB8zCCAZ2g4f"
Conversation = list[tuple[Call, Reply]]


def create(type_: str, number: int = 2, **inputs: Any) -> Call:
    return call(Op.CREATE, session(number), type_=type_, **inputs)


def keys(count: int = 2) -> Conversation:
    return [(create("Key", 1), answer(id=id_)) for id_ in KEYS[:count]]


def reads(*answers: Reply) -> Conversation:
    """A read of each key, in their order."""
    return [(call(Op.READ, session(2), type_="Key", id=id_), reply) for id_, reply in zip(KEYS, answers, strict=False)]


def disks(count: int = 2) -> Conversation:
    """A disk of each key, from equal requests."""
    return [(create("Disk", key=KEYS[n]), answer(id=DISKS[n])) for n in range(count)]


def refused(conversation: Conversation) -> tuple[str, str] | None:
    """What is refused of the first family: its type, and whether it is opaque, ambiguous or missing."""
    asked = ((replace(one, address=f"a[{n}]"), reply) for n, (one, reply) in enumerate(conversation))
    shelf = Shelf(recorded(*asked), {"": Reader(Toy())})
    reason = rehearsed(shelf, 0)
    if reason is None:
        return None
    opaque = reason.choice is not None and reason.choice.verdict is Verdict.OPAQUE
    return reason.call.where[3], "opaque" if opaque else str(reason.outcome)


MISSING, AMBIGUOUS = str(LookResult.MISSING), str(LookResult.AMBIGUOUS)
USE = create("Use", 3, name="u", key=KEYS[0])

FAMILIES: dict[str, tuple[Conversation, tuple[str, str] | None]] = {
    "nothing was asked of them": (keys(), None),
    "all were read, with one answer": ([*keys(), *reads(answer(ok=True), answer(ok=True))], None),
    "all were read, each with its own": ([*keys(), *reads(answer(n=1), answer(n=2))], None),
    "one was read": ([*keys(), *reads(answer(ok=True))], None),
    "one was read, with a fingerprint": ([*keys(), *reads(answer(print=PEM))], ("Key", "opaque")),
    "all were read, each with its fingerprint": ([*keys(), *reads(answer(print=PEM), answer(print="9f1c2ab07e"))], None),
    "one was used": ([*keys(), (USE, answer(of=KEYS[0]))], None),
    "each was used": ([*keys(), *((create("Use", name=f"u{n}", key=KEYS[n]), answer()) for n in range(2))], None),
    "read, each with its own, and one was used": (
        [*keys(), *reads(answer(n=1), answer(n=2)), (USE, answer())],
        ("Use", MISSING),
    ),
    "one was used for something opaque": ([*keys(), (USE, answer(pem=PEM))], ("Use", "opaque")),
    "one was used, and that failed": ([*keys(), (USE, Reply(status=Status(2, f"no {PEM}")))], ("Use", "opaque")),
    "one was used for bytes": ([*keys(), (USE, answer(**{"$raw": "eA=="}))], ("Use", MISSING)),
    "one was used for a secret": ([*keys(), (USE, answer(p=secret("generated-1")))], ("Use", "opaque")),
    "both were used together": ([*keys(), (create("Use", keys=[*KEYS[:2]]), answer(text="-".join(KEYS[:2])))], None),
    "both were used together, for something opaque": (
        [*keys(), (create("Use", keys=[*KEYS[:2]]), answer(pem=PEM))],
        ("Use", "opaque"),
    ),
    "two of three were used together": ([*keys(3), (create("Use", keys=[*KEYS[:2]]), answer(text="-".join(KEYS[:2])))], None),
    "the third was used for something opaque": (
        [*keys(3), (create("Use", 3, key=KEYS[2]), answer(pem=PEM))],
        ("Use", "opaque"),
    ),
    "something else is opaque": ([*keys(), (create("Cert", name="c"), answer(pem=PEM))], None),
    "each has a disk": ([*keys(), *disks()], None),
    "each has a disk, and one disk a use": ([*keys(), *disks(), (create("Use", 3, disk=DISKS[1]), answer(of=DISKS[1]))], None),
    "each has a disk, and one disk an opaque use": (
        [*keys(), *disks(), (create("Use", 3, disk=DISKS[1]), answer(pem=PEM))],
        ("Use", "opaque"),
    ),
    "each has a disk, and that a disk, and one of these an opaque use": (
        [
            *keys(),
            *disks(),
            *((create("Part", 3, disk=DISKS[n]), answer(id=f"p-{n}a{n}b{n}c")) for n in range(2)),
            (create("Use", 4, part="p-0a0b0c"), answer(pem=PEM)),
        ],
        ("Use", "opaque"),
    ),
    "one has a disk with a generated name": ([*keys(), *disks(1)], ("Disk", "opaque")),
    "a disk and its key, in one use": (
        [*keys(), *disks(), (create("Use", 3, disk=DISKS[0], key=KEYS[0]), answer(text=f"{DISKS[0]}-{KEYS[0]}"))],
        None,
    ),
    "a disk and the other key, in one use": (
        [*keys(), *disks(), (create("Use", 3, disk=DISKS[0], key=KEYS[1]), answer(text=f"{DISKS[0]}-{KEYS[1]}"))],
        None,
    ),
    "asked twice, in two sessions, with two answers": (
        [*keys(), *((call(Op.READ, session(number), type_="Key", id=KEYS[0]), answer(n=number)) for number in (2, 3))],
        None,
    ),
    "asked twice, in one session, with two answers": (
        [*keys(), *((call(Op.READ, session(2), type_="Key", id=KEYS[0]), answer(n=n)) for n in (2, 3))],
        ("Key", AMBIGUOUS),
    ),
}


@pytest.mark.parametrize(("conversation", "reason"), [pytest.param(*row, id=rule) for rule, row in FAMILIES.items()])
def test_families(conversation: Conversation, reason: tuple[str, str] | None) -> None:
    """A family is refused if the calls about its objects would not get their answers, had these been made in another order."""
    assert refused(conversation) == reason

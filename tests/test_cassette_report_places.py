"""Where secrets and bytes of a message are, and how often a report says so, as tables."""

from __future__ import annotations

from typing import Any

import pytest
from cassette_toy import Toy, answer, call, header, recorded, reported, secret, session
from msgspec.structs import replace

from mockprovider.calls import Call, Op
from mockprovider.cassette import Cassette, Interaction
from mockprovider.cassette.report.contents import CassetteReport, nameless
from mockprovider.cassette.report.places import places
from mockprovider.cassette.report.words import lines, number_of, size
from mockprovider.redaction import NAMELESS, Marks

ONE, TWO = {"$secret": 1}, {"$secret": 2, "kind": "number"}

PLACES: dict[str, tuple[Any, list[tuple[str, tuple[int, ...], str]]]] = {
    "nothing": ({"a": [1, "x", None]}, []),
    "a secret": ({"a": ONE}, [("a", (1,), "")]),
    "the whole": (ONE, [("inputs", (1,), "")]),
    "deep inside": ({"a": {"b": {"c": TWO}}}, [("a.b.c", (2,), "")]),
    "in lists, which have no names": ({"a": [ONE, [TWO]]}, [("a", (1,), ""), ("a", (2,), "")]),
    "in a text": ({"a": {"$text": ["x", ONE, {"$secret": 3, "as": "hex"}]}}, [("a", (1, 3), "")]),
    "where a marked value is": ({"a": secret(ONE)}, [("a", (1,), "")]),
    "a key called value elsewhere": ({"a": {"value": ONE}}, [("a.value", (1,), "")]),
    "another key of a marked value": ({"a": {**secret("x"), "b": ONE}}, [("a.b", (1,), "")]),
    "inside of odd keys": ({"a": {"$literal": {"$secret": ONE, "b": TWO}}}, [("a.$secret", (1,), ""), ("a.b", (2,), "")]),
    "a key that looks odd beside others": ({"a": {"$literal": {"x": ONE}, "b": 1}}, [("a.$literal.x", (1,), "")]),
    "bytes of no known form": ({"a": {"$msgpack": "eA=="}}, [("a", (), "$msgpack")]),
    "bytes beside other things": ({"a": {"$raw": "eA==", "b": ONE}}, [("a", (), "$raw"), ("a.b", (1,), "")]),
    "bytes in odd keys": ({"a": {"$literal": {"$raw": "eA=="}}}, [("a", (), "$raw")]),
    "bytes that are known": ({"a": {"$bytes": "eA=="}}, []),
    "what is not known yet": ({"a": {"$unknown": ""}}, []),
    "what is not known in a form of its own": ({"a": {"$unknown": "eA=="}}, [("a", (), "$unknown")]),
    "what is known of it": ({"a": {"$unknown": {"prefix": ONE}}}, [("a.$unknown.prefix", (1,), "")]),
    "a key of ours that holds no text": ({"a": {"$raw": {"b": ONE}}}, [("a.$raw.b", (1,), "")]),
}


@pytest.mark.parametrize(("tree", "kept"), [pytest.param(*row, id=rule) for rule, row in PLACES.items()])
def test_places(tree: Any, kept: list[tuple[str, tuple[int, ...], str]]) -> None:
    """A place has the name that users give it, with the secrets there, or the key of the bytes."""
    assert [(one.path, one.secrets, one.key) for one in places({"inputs": tree}, Toy.marks)] == kept


def test_places_without_marked_values() -> None:
    """A protocol that does not mark values has no wrappers."""
    assert [one.path for one in places({"": 1, "value": ONE}, Marks())] == ["value"]


def create(type_: str = "T", **inputs: Any) -> Call:
    return call(Op.CREATE, session(), type_=type_, **inputs)


def test_the_places_of_a_report() -> None:
    """Places are listed by type and name, each once, and bytes with how often they were there."""
    raw = {"$raw": "eA=="}
    report = reported(
        recorded(
            *((create("B", z=raw, n=n, p=secret("correct horse")), answer(a=raw, p=secret("correct horse"))) for n in (1, 2)),
            (create("A", p=secret("another horse"), c=secret("correct horse")), answer()),
        )
    )
    assert [(one.type, one.path, one.key, one.count) for one in report.verbatim] == [
        ("B", "a", "$raw", 2),
        ("B", "z", "$raw", 2),
    ]
    assert report.secret_places == {"A": ["c", "p"], "B": ["p"]}
    assert [*report.secret_places] == ["A", "B"]
    assert report.secrets == 2


@pytest.mark.parametrize(
    ("urn", "instance", "direction", "is_nameless"),
    [
        ("urn:a", "east", "provider", False),
        (f"urn:{NAMELESS}", "east", "provider", True),
        ("urn:a", f"x{NAMELESS}", "provider", True),
        (f"urn:{NAMELESS}", "east", "engine", False),
    ],
)
def test_secrets_in_names(urn: str, instance: str, direction: Any, is_nameless: bool) -> None:
    """A call to a provider cannot be repeated if a secret was in its URN, or in the provider's."""
    asked = Interaction(n=1, session=1, op="read", method="Read", urn=urn, instance=instance, direction=direction)
    assert nameless(asked) is is_nameless


def withheld(*reasons: str) -> CassetteReport:
    """The report on calls that were withheld for these reasons."""
    asked = [
        Interaction(n=n, session=1, op="read", method="Read", type="T", request={"n": n}, withheld=reason)
        for n, reason in enumerate(reasons, 1)
    ]
    return reported(Cassette(header(), asked))


def test_what_was_withheld_is_listed_by_reason() -> None:
    """Calls with one reason stand together, and each reason has a way out."""
    report = withheld("broke off", "no bytes", "broke off")
    assert sorted(len(one.interactions) for one in report.withheld) == [1, 2]
    assert {one.why for one in report.withheld} == {"broke off", "no bytes"}
    assert all(one.way_out for one in report.withheld)
    assert len([line for line in lines(report) if "refuses" in line]) == 2


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0 bytes"),
        (1, "1 byte"),
        (999, "999 bytes"),
        (1000, "1 KB"),
        (1499, "1 KB"),
        (999_499, "999 KB"),
        (999_500, "1.0 MB"),
        (2_540_000, "2.5 MB"),
    ],
)
def test_sizes_in_words(count: int, text: str) -> None:
    """A size has the unit that people read."""
    assert size(count) == text


def test_numbers_in_words() -> None:
    """One is singular, all else is not."""
    assert [number_of(count, "call") for count in (0, 1, 2)] == ["0 calls", "1 call", "2 calls"]


def test_a_report_of_one_kind_of_op() -> None:
    """Calls are counted by op, method and type, and the changes and reads among them are said."""
    asked = [(create("A"), answer()), (create("B"), answer()), (call(Op.READ, session(), type_="A"), answer())]
    report = reported(recorded(*asked), file_bytes=10)
    assert [(one.op, one.method, one.type, one.count) for one in report.methods] == [
        ("create", "Create", "A", 1),
        ("create", "Create", "B", 1),
        ("read", "Read", "A", 1),
    ]
    (line,) = lines(report)
    assert "3 calls (2 create, 1 read), 10 bytes" in line
    assert "blobs" not in line


def test_the_changes_that_are_said() -> None:
    """Creates, updates, deletes and reads are said, in this order, and no other ops."""
    ops = (Op.READ, Op.DELETE, Op.CHECK, Op.UPDATE, Op.CREATE)
    (line,) = lines(reported(recorded(*((call(op, session()), answer()) for op in ops))))
    assert "5 calls (1 create, 1 update, 1 delete, 1 read)" in line


@pytest.mark.parametrize(("opaque", "count"), [(False, 1), (True, 2)])
def test_objects_that_need_their_addresses(opaque: bool, count: int) -> None:
    """Objects with addresses are said only where nothing else tells them apart."""
    ids = ("k-8d1f2a", "k-77c3b0")
    makes = [(replace(create("Key"), address=f"key.k[{n}]"), answer(id=id_)) for n, id_ in enumerate(ids)]
    use = create("Use", name="u", key=ids[0]), answer(**({"pem": "MIIB8zCCAZ2g4f"} if opaque else {}))
    report = reported(recorded(*makes, use))
    assert [(one.addressed, one.told_apart, one.refused) for one in report.families] == [(True, not opaque, False)]
    assert len(lines(report)) == count

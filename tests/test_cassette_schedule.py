"""In which order ``cassette verify`` asks, and what it takes for made up."""

from __future__ import annotations

import pytest
from cassette_toy import header
from msgspec.structs import replace

from mockprovider.cassette import Cassette, Interaction, RecordedSession
from mockprovider.cassette.verifying.generated import is_made_up
from mockprovider.cassette.verifying.schedule import scheduled

KEYS = "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2Vw\n-----END PUBLIC KEY-----\n"


def order(*calls, waves=None):
    """The names of these calls in the order in which they are asked; each is (name, op, request, response, more)."""
    interactions = [
        Interaction(n=n, op=op, method=op, request=request, response=response, **{"session": 1, "type": "t", **more})
        for n, (_, op, request, response, more) in enumerate(calls, 1)
    ]
    sessions = [RecordedSession(number=number, wave=wave) for number, wave in (waves or {1: 1}).items()]
    cassette = Cassette(replace(header(), sessions=sessions), interactions)
    asked = scheduled(cassette, lambda one: one.op in ("create", "update", "delete"))
    return [calls[one.n - 1][0] for one in asked]


def test_what_is_needed_comes_first():
    """A call waits for the answer in which a value of its request was made up, wherever the cassette has that."""
    later = ("file", "create", {"content": "of 9f8e7d6c5b"}, {"id": "file-1"}, {})
    first = ("pet", "create", {}, {"id": "9f8e7d6c5b"}, {})
    assert order(later, first) == ["pet", "file"]


def test_a_secret_is_needed_too():
    """A call whose request has a provider's password waits for the answer that brought it."""
    later = ("user", "check", {"password": {"$secret": 1}}, {}, {})
    assert order(later, ("password", "create", {}, {"result": {"$secret": 1}}, {})) == ["password", "user"]


def test_a_short_word_that_stands_there_by_chance():
    """A call waits for the long word that it needs, also if whoever makes that word has another's short id in its request."""
    shuffled = ("shuffled", "create", {"input": ["right-mantis"]}, {"id": "-"}, {})
    pet = ("pet", "create", {"separator": "-"}, {"id": "right-mantis"}, {})
    assert order(pet, shuffled) == order(shuffled, pet) == ["pet", "shuffled"]


def test_a_short_id():
    """A call waits for the short id that it needs, where nothing else says otherwise."""
    assert order(("mount", "create", {"disk": "7"}, {"id": "x"}, {}), ("disk", "create", {}, {"id": "7"}, {})) == [
        "disk",
        "mount",
    ]


def test_deletes_come_last_and_backwards():
    """What depends on others is deleted before them, and both after all else."""
    one = ("one", "create", {}, {"id": "id-000001"}, {"id": "id-000001"})
    two = ("two", "create", {"on": "id-000001"}, {"id": "id-000002"}, {"id": "id-000002"})
    gone = ("-one", "delete", {"id": "id-000001"}, {}, {"id": "id-000001"})
    gone_too = ("-two", "delete", {"id": "id-000002", "on": "id-000001"}, {}, {"id": "id-000002"})
    assert order(gone, gone_too, one, two, ("read", "read", {"id": "id-000002"}, {}, {})) == [
        "one",
        "two",
        "read",
        "-two",
        "-one",
    ]


def test_what_is_replaced_is_deleted_first():
    """Where a session deletes an object of an earlier one and makes one of its type, the old one goes first."""
    old = ("old", "create", {}, {"id": "id-000001"}, {"id": "id-000001"})
    new = ("new", "create", {"size": 2}, {"id": "id-000002"}, {"id": "id-000002", "session": 2})
    gone = ("-old", "delete", {"id": "id-000001"}, {}, {"id": "id-000001", "session": 2})
    assert order(new, gone, old, waves={1: 1, 2: 2}) == ["old", "-old", "new"]


def test_a_session_is_started_before_anything_else():
    """Configure is asked before the calls of its session, and a wave before the next one."""
    calls = (
        ("late", "read", {}, {}, {"session": 2}),
        ("read", "read", {}, {}, {}),
        ("configure", "configure", {}, {}, {}),
        ("cancel", "cancel", {}, {}, {}),
    )
    assert order(*calls, waves={1: 1, 2: 2}) == ["configure", "read", "late"]


def test_what_waits_for_itself_is_asked_all_the_same():
    """Two calls whose values seem to need each other are asked in the cassette's order, each once."""
    one = ("one", "create", {"a": "ffff0001"}, {"b": "ffff0002"}, {})
    two = ("two", "create", {"b": "ffff0002"}, {"a": "ffff0001"}, {})
    assert sorted(order(one, two)) == ["one", "two"]


@pytest.mark.parametrize(
    ("recorded", "now", "key", "expected"),
    [
        ("happy-cat", "sad-dog", "id", True),
        ("happy-cat", "sad-dog", "name", False),
        ("eu-west-1", "us-west-2", "region", False),
        ("arn:aws:s3:::b-4fa81c0d", "arn:aws:s3:::b-77e1a2b3", "arn", True),
        ("arn:aws:s3:::b-4fa81c0d", "arn:aws-cn:s3:::b-77e1a2b3", "arn", False),
        ("5f6c8a1e-3b1d-4c55-9d1e-aabbccddeeff", "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee", "token", True),
        ("2026-01-02T03:04:05Z", "2027-11-12T13:14:15Z", "made_at", True),
        ("2026-01-02T03:04:05Z", "yesterday", "made_at", False),
        (KEYS, KEYS.replace("MCow", "QQow"), "key", True),
        (KEYS, KEYS.replace("PUBLIC", "EC"), "key", True),
        ("adedc2dd", "eecceaaa", "etag", True),
        ("decade", "facade", "word", False),
        ("E+SZUQ0=", "z5fT0pQ=", "b64", True),
        ("1.20.3", "1.21.0", "version", False),
        (5432, 5433, "port", False),
        (1760000000, 1770000000, "at", True),
        (7, 9, "id", True),
        (True, False, "id", False),
        ("", "x", "id", False),
        ("9f8e7d6c", 7, "id", False),
        ("größe-ß1ü2ö3", "größe-ä", "name", False),
    ],
)
def test_what_is_made_up(recorded, now, key, expected):
    """Ids, and words that look made up in one way, may stand for each other; words, versions, ports and sizes may not."""
    assert is_made_up(recorded, now, key) is expected

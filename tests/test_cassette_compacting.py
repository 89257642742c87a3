"""What a compact recording leaves out, and that it answers as before."""

import pytest
from cassette_toy import Toy, answer, call, header, recorded, replayer, session

from mockprovider.calls import Op
from mockprovider.cassette import Cassette, Interaction, RecordedStatus, Recorder
from mockprovider.cassette.compacting import without_repeats
from mockprovider.errors import MissError


def check(number=1, **inputs):
    return call(Op.CHECK, session(number), **inputs)


def compact(*conversation):
    return without_repeats(recorded(*conversation), Toy().mutates)


def test_a_question_that_was_always_answered_alike_is_kept_once():
    """Repeated checks become one, numbers have no gaps, and the replay answers as often as it is asked."""
    cassette = compact(*[(check(n), answer(ok=True)) for n in (1, 2, 3)], (check(2, size=1), answer(ok=False)))
    assert [each.n for each in cassette.interactions] == [1, 2]
    replay = replayer(cassette)
    assert [replay(check(5)).value for _ in range(4)] == [{"ok": True}] * 4
    assert replay(check(6, size=1)).value == {"ok": False}


def test_what_was_answered_differently_stays_in_full():
    """Answers that changed over time all stay, in their order."""
    conversation = [(check(n), answer(size=size)) for n, size in ((1, 1), (2, 1), (3, 2))]
    cassette = compact(*conversation)
    assert len(cassette.interactions) == 3
    replay = replayer(cassette)
    assert [(replay(check(9)).value or {})["size"] for _ in range(3)] == [1, 1, 2]


@pytest.mark.parametrize("op", [Op.CREATE, Op.UPDATE, Op.DELETE, Op.READ])
def test_changes_and_looks_stay_as_often_as_they_were(op):
    """What changes the cloud, and what looks at it, is kept each time: there the number counts."""
    cassette = compact(*[(call(op, session(n)), answer()) for n in (1, 2)])
    assert len(cassette.interactions) == 2


def test_a_recorder_is_given_what_is_to_be_done_at_the_end():
    """The cassette that a recorder keeps is the finished one."""
    recorder = Recorder(Toy(), header(), finishing=lambda cassette: without_repeats(cassette, Toy().mutates))
    for number in (1, 2):
        recorder(check(number), lambda _: answer())
    assert len(recorder.close().interactions) == 1
    with pytest.raises(MissError):
        replayer(recorder.close())(check(1, size=1))


def question(n, **more):
    """A question, which was asked as often as there are numbers for it."""
    asked = {"op": "check", "method": "Check", "session": n, "type": "T", "request": {"a": 1}, "response": {"ok": True}}
    return Interaction(**{"n": n, **asked, **more})


def kept(*interactions):
    """The numbers that are left, by those of before."""
    cassette = without_repeats(Cassette(header(), [*interactions]), lambda method: method == "Create")
    assert [each.n for each in cassette.interactions] == list(range(1, len(cassette.interactions) + 1))
    return [each.session for each in cassette.interactions]


@pytest.mark.parametrize(
    ("other", "left"),
    [
        ({}, [1]),
        ({"request": {"a": 2}}, [1, 2]),
        ({"provider": "p"}, [1, 2]),
        ({"instance": "east"}, [1, 2]),
        ({"method": "Diff"}, [1, 2]),
        ({"type": "U"}, [1, 2]),
        ({"phase": "up"}, [1, 2]),
        ({"preview": True}, [1, 2]),
        ({"id": "x"}, [1]),
        ({"response": {"ok": False}}, [1, 2]),
        ({"response": None, "status": RecordedStatus(code="UNKNOWN")}, [1, 2]),
        ({"response": None, "withheld": "no"}, [1, 2]),
        ({"request": None, "request_blob": "b"}, [1, 2]),
    ],
    ids=str,
)
def test_what_is_the_same_question(other, left):
    """A question is repeated if the same provider was asked it of the same type, in the same phase, and answered alike."""
    assert kept(question(1), question(2, **other)) == left


@pytest.mark.parametrize(
    ("more", "left"),
    [
        ({"urn": "urn:a"}, [1, 2, 3]),
        ({"op": "read"}, [1, 2, 3]),
        ({"op": "import"}, [1, 2, 3]),
        ({"op": "cancel"}, [1, 2, 3]),
        ({"op": "raw"}, [1, 2, 3]),
        ({"op": "create", "method": "Create"}, [1, 2, 3]),
        ({"op": "create", "method": "Other"}, [1]),
        ({"request": None, "request_blob": "b"}, [1]),
    ],
    ids=str,
)
def test_what_is_kept_each_time(more, left):
    """What changes the cloud, what looks at it, and what has a URN, is kept as often as it was asked."""
    assert kept(*(question(n, **more) for n in (1, 2, 3))) == left


def test_requests_that_are_kept_beside_the_file():
    """Large requests are the same if their blobs are."""
    assert kept(*(question(n, request=None, request_blob=blob) for n, blob in ((1, "a"), (2, "b"), (3, "a")))) == [1, 2]


def test_what_was_asked_meanwhile_goes_with_its_question():
    """Calls to the engine are kept with the question that is kept, under its new number, and answer no question themselves."""
    inner = {"direction": "engine", "method": "Log", "op": "log"}
    interactions = [
        question(1, type="first"),
        question(2),
        question(3, parent=2, **inner),
        question(4),
        question(5, parent=4, **inner),
        question(6, type="last"),
        question(7, parent=6, **inner),
    ]
    cassette = without_repeats(Cassette(header(), interactions), lambda _: False)
    assert [(each.n, each.session, each.parent) for each in cassette.interactions] == [
        (1, 1, None),
        (2, 2, None),
        (3, 3, 2),
        (4, 6, None),
        (5, 7, 4),
    ]

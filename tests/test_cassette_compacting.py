"""What a compact recording leaves out, and that it answers as before."""

import pytest
from cassette_toy import Toy, answer, call, header, recorded, replayer, session

from mockprovider.calls import Op
from mockprovider.cassette import Recorder
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

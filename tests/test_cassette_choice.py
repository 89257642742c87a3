"""The choice among recorded answers, as a table: equal answers need none, time decides, and what is left is refused."""

from __future__ import annotations

import itertools
import re
from collections import Counter

import pytest
from cassette_toy import TYPE
from msgspec.structs import replace

from mockprovider.cassette import Interaction
from mockprovider.cassette.choice import EQUAL_ANSWER, Candidate, alone, choose, narrowed, own_first
from mockprovider.cassette.recorded import RecordedCall, RequestKey

ONCE = {"once": True}
"""A call that changes something."""
AGAIN = {"once": False}
"""A question, which may be asked again."""
URN = {"urn": "urn:a"}


def candidate(text, place):
    """The candidate of ``answer@wave``, ``used`` or not, for the object after ``of``: ``a@2 used of x``."""
    answer, wave, used, of = re.fullmatch(r"(\w)@(\d)( used)?(?: of (\w))?", text).groups()
    recorded = Interaction(n=place, session=int(wave), op="create", method="Create", type=TYPE)
    where = "", "", "Create", TYPE, ""
    asked = RequestKey({}, "request", secret=False)
    entry = RecordedCall(recorded, where, place, int(wave), None, once=True, asking=lambda _: asked, answering=lambda _: answer)
    return Candidate(entry, (), answer, used=bool(used), pairing=((1, ord(of)),) if of else ())


def chosen(candidates, *, once, urn="", now=1, forgotten=False):
    """What came of it: the verdict, the places of the candidates that it is about, and whether time had to decide."""
    choice = choose(
        [candidate(text, place) for place, text in enumerate(candidates, 1)], once=once, urn=urn, now=now, forgotten=forgotten
    )
    places = " ".join(str(each.call.place) for each in choice.candidates)
    return f"{choice.verdict} {places}{' by time' if choice.ordered else ''}"


CHOICES = {
    # Equal answers need no choice.
    "the only answer": (["a@1"], ONCE, "found 1"),
    "the first of equal answers": (["a@1", "a@1"], ONCE, "found 1"),
    "the first that is not used": (["a@1 used", "a@1"], ONCE, "found 2"),
    "of equal answers the one ahead, since the replay has left out the one before": (
        ["a@1", "a@2"],
        {**ONCE, "now": 2},
        "found 2",
    ),
    "what is now is not past": (["a@2", "a@3"], {**ONCE, "now": 2}, "found 1"),
    "of equal answers a past one, if none is ahead": (["a@1", "a@2"], {**ONCE, "now": 3}, "found 1"),
    "a change answers once": (["a@1 used", "a@2 used"], ONCE, "exhausted 1 2"),
    "a question is answered again, by the last": (["a@1 used", "a@2 used"], AGAIN, "repeated 2"),
    "equal answers about different objects are equal answers": (["a@1 of x", "a@1 of y"], ONCE, "found 1"),
    # Where answers differ, time decides.
    "the earlier session's answer comes first": (["a@1", "b@2"], ONCE, "found 1 by time"),
    "and then the later one's": (["a@1 used", "b@2"], ONCE, "found 2 by time"),
    "so also for a question": (["a@1 used", "b@2"], AGAIN, "found 2 by time"),
    "time does not go back": (["a@1", "b@2"], {**ONCE, "now": 2}, "found 2 by time"),
    "what was left out is past": (["a@1", "b@2 used"], {**ONCE, "now": 2}, "past 1 2 by time"),
    "nothing is left of a change": (["a@1 used", "b@2 used"], ONCE, "exhausted 1 2 by time"),
    "nor of a question, whose last answer could be out of date": (["a@1 used", "b@2 used"], AGAIN, "exhausted 1 2 by time"),
    "equal answers of one session are in any order": (["a@1", "a@1", "b@2"], ONCE, "found 1 by time"),
    "what nobody remembers is answered again, by the last": (
        ["a@1 used", "b@2 used"],
        {**AGAIN, "forgotten": True},
        "repeated 2 by time",
    ),
    "so also a change that nobody remembers": (["a@1 used"], {**ONCE, "forgotten": True}, "repeated 1"),
    "but in time's order first": (["a@1 used", "b@2"], {**AGAIN, "forgotten": True}, "found 2 by time"),
    # What time cannot tell apart is refused, not guessed.
    "different answers of one time": (["a@1", "b@1"], ONCE, "ambiguous 1 2 by time"),
    "so also for a question of one time": (["a@1", "b@1"], AGAIN, "ambiguous 1 2 by time"),
    "only those of the first time are rivals": (["a@1", "a@1", "b@1", "c@2"], ONCE, "ambiguous 1 3 by time"),
    "a used answer is no rival": (["a@1", "b@1 used"], ONCE, "found 1 by time"),
    "a past answer is no rival": (["a@1", "b@2", "c@2"], {**ONCE, "now": 2}, "ambiguous 2 3 by time"),
    "answers about different objects, whatever the time": (["a@1 of x", "b@2 of y"], ONCE, "ambiguous 1 2 by time"),
    "the object that is used is no rival": (["a@1 of x", "b@2 used of y"], ONCE, "found 1 by time"),
    "answers about one object are in time's order": (["a@1 of x", "b@2 of x"], ONCE, "found 1 by time"),
    "rivals of one time are named before other objects": (["a@1 of x", "b@1 of x", "c@2 of y"], ONCE, "ambiguous 1 2 by time"),
    # A URN's calls keep their order.
    "of one time, with a URN": (["a@1", "b@1"], {**ONCE, **URN}, "found 1 by time"),
    "of different objects, with a URN": (["a@1 of x", "b@2 of y"], {**ONCE, **URN}, "found 1 by time"),
}


@pytest.mark.parametrize(("candidates", "asked", "verdict"), [pytest.param(*row, id=rule) for rule, row in CHOICES.items()])
def test_choices(candidates, asked, verdict):
    """Equal answers need no choice, time decides between different ones, and what time cannot tell apart is refused."""
    assert chosen(candidates, **asked) == verdict


@pytest.mark.parametrize(
    ("waves", "left"),
    [
        ("12", "2"),
        ("123", "23"),
        ("1", "1"),
        ("11", "11"),
    ],
)
def test_narrowing(waves, left):
    """Those that fit are what is chosen from; where none does, all of them are."""
    candidates = [candidate(f"a@{wave}", place) for place, wave in enumerate(waves, 1)]
    found = narrowed(candidates, lambda each: each.call.wave > 1)
    assert "".join(str(each.call.wave) for each in found) == left


@pytest.mark.parametrize(("again", "once", "forgotten"), [*itertools.product([False, True], repeat=3)])
def test_a_call_that_is_alone(again, once, forgotten):
    """For a call that alone was recorded so, the short way ends as the choice does, and says nothing of one that is used up."""
    one = candidate("a@1", 1)
    among = Candidate(one.call, (), EQUAL_ANSWER, used=int(again))
    chosen_of_one = choose([among], once=once, urn="", now=2, forgotten=forgotten)
    short = alone(one.call, again=again, once=once, forgotten=forgotten)
    if short is None:
        assert chosen_of_one.verdict == "exhausted"
    else:
        assert (short.verdict, short.ordered) == (chosen_of_one.verdict, chosen_of_one.ordered)
        (given,) = short.candidates
        assert (given.call, given.used, given.answer) == (among.call, among.used, among.answer)


def order(*texts, used):
    """The places of candidates as ``own_first`` gives them. Live object 120 is ``x``, and stands for itself or for another."""
    listed = [candidate(text, place) for place, text in enumerate(texts, 1)]
    candidates = [replace(one, pairing=((one.pairing[0][1], ord("x")),)) for one in listed]
    return "".join(str(one.call.place) for one in own_first(candidates, Counter(used)))


def test_whose_answer_comes_first():
    """Equal answers: an object's own, then what is unused, then the rest. Different ones: its own alone, if there are such."""
    assert order("a@1 of y", "a@1 of z", "a@1 of x", used=[1]) == "321"
    assert order("a@1 of y", "a@1 of z", used=[1]) == "21"
    assert order("a@1 of y", "b@1 of x", "b@1 of z", used=[]) == "2"
    assert order("a@1 of y", "b@1 of z", used=[1]) == "12"

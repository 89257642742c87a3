"""Which recorded object each live one stands for, as stories: what the calls told, and what is left open then."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from mockprovider.cassette.objects import Assignment, Link, RecordedObject
from mockprovider.cassette.objects.assignment import FEW


def objects(kins: str, waves: str = "") -> list[RecordedObject]:
    """Objects of these kins and waves, a digit each."""
    pairs = zip(kins, waves or "1" * len(kins), strict=True)
    return [
        RecordedObject(number, number, int(wave), int(kin), int(kin), (), (), None) for number, (kin, wave) in enumerate(pairs)
    ]


def options(text: str) -> list[tuple[int, ...]]:
    """``01 10``: two lives that stand for 0 and 1, or for 1 and 0."""
    return [tuple(map(int, option)) for option in text.split()]


def born(assignment: Assignment, count: int) -> None:
    """So many live objects, each with the values of the recorded one of its number."""
    for live in range(count):
        assert assignment.link(
            Link([live], lambda live=live: [(one,) for one in assignment.cohort(live)]), telling=False, born=live
        )  # type: ignore[misc]


def tell(assignment: Assignment, lives: str, said: str) -> bool:
    """A call about these lives that was recorded for these objects."""
    return assignment.link(Link([*map(int, lives)], lambda: options(said)), telling=True)


def domains(assignment: Assignment, count: int) -> str:
    """What each live object may stand for."""
    return " ".join("".join(map(str, sorted(assignment.domain(live)))) for live in range(count))


Story = list[tuple[str, str, bool]]
STORIES: dict[str, tuple[str, Story, str]] = {
    "nothing was told": ("000", [], "012 012 012"),
    "one is told, and the others are not it": ("000", [("0", "2", True)], "2 01 01"),
    "of the last one nothing need be told": ("000", [("0", "2", True), ("1", "0 2", True)], "2 0 1"),
    "told in two halves": ("000", [("0", "0 1", True), ("0", "1 2", True)], "1 02 02"),
    "told what is known": ("000", [("0", "2", True), ("0", "2", True)], "2 01 01"),
    "told what says nothing": ("00", [("0", "0 1", True)], "01 01"),
    "two that would be one": ("000", [("0", "2", True), ("1", "2", False)], "2 01 01"),
    "one that would be two": ("000", [("0", "2", True), ("0", "1", False)], "2 01 01"),
    "one that would be nothing": ("00", [("0", "", False)], "01 01"),
    "one of another kin": ("0022", [("0", "2", False)], "01 01 23 23"),
    "halves that have nothing in common": ("0000", [("0", "0 1", True), ("0", "2 3", False)], "01 0123 0123 0123"),
    "two together": ("000", [("01", "01 10", True)], "01 01 012"),
    "two together, then one": ("000", [("01", "01 10", True), ("0", "0", True)], "0 1 2"),
    "one, then two together": ("000", [("0", "0", True), ("01", "01 10", True)], "0 1 2"),
    "two together that do not go with one": ("000", [("0", "2", True), ("01", "01 10", False)], "2 01 01"),
    "a kin that is whole does not touch another": ("0022", [("0", "1", True)], "1 0 23 23"),
    "a child follows its parent": ("0022", [("02", "02 13", True), ("13", "02 13", True), ("0", "1", True)], "1 0 3 2"),
    "a parent follows its child": ("0022", [("02", "02 13", True), ("13", "02 13", True), ("3", "3", True)], "0 1 2 3"),
    "a grandchild follows": (
        "002244",
        [("02", "02 13", True), ("13", "02 13", True), ("24", "24 35", True), ("35", "24 35", True), ("0", "1", True)],
        "1 0 3 2 5 4",
    ),
    "a child of two parents": ("002244", [("024", "034", True)], "0 1 3 2 4 5"),
    "what a chain excludes": (
        "0022",
        [("02", "02 13", True), ("13", "02 13", True), ("0", "1", True), ("2", "2", False)],
        "1 0 3 2",
    ),
    # Each two of the three can have these two, and all three cannot.
    "three for two": ("000", [("01", "01 10", True), ("12", "01 10", False)], "01 01 012"),
    "three in a ring": (
        "0000",
        [("01", "01 12 20 10 21 02", True), ("12", "01 12 20 10 21 02", True), ("20", "01 12 20 10 21 02", True)],
        "012 012 012 0123",
    ),
    "a ring that does not close": (
        "000222",
        [("03", "03 14", True), ("14", "03 14", True), ("25", "03 14", False)],
        "01 01 012 34 34 345",
    ),
    "all but one are taken": (
        "0000",
        [("0", "0", True), ("1", "1", True), ("2", "2", True), ("3", "0 1 2", False), ("3", "2 3", True)],
        "0 1 2 3",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("kins", "story", "left"), [pytest.param(*row, id=rule) for rule, row in STORIES.items()])
def test_stories(kins: str, story: Story, left: str) -> None:
    """Each call narrows what its objects stand for, and with them the others; what contradicts is refused and forgotten."""
    assignment = Assignment(objects(kins))
    born(assignment, len(kins))
    for lives, said, explained in story:
        before = domains(assignment, len(kins))
        assert tell(assignment, lives, said) is explained
        assert explained or domains(assignment, len(kins)) == before
    assert domains(assignment, len(kins)) == left
    roles = [int(domain) if len(domain) == 1 and story else None for domain in left.split()]
    assert [assignment.role(live) for live in range(len(kins))] == roles


@pytest.mark.parametrize(("kins", "story", "left"), [pytest.param(*row, id=rule) for rule, row in STORIES.items()])
def test_a_trial_leaves_no_trace(kins: str, story: Story, left: str) -> None:
    """After a trial all is as it was: what is told then comes to the same, in whatever order it was tried."""
    assignment = Assignment(objects(kins))
    born(assignment, len(kins))
    at_first = domains(assignment, len(kins))
    for tried in (story, story[::-1]):
        with assignment.trial():
            for lives, said, _ in tried:
                tell(assignment, lives, said)
        assert domains(assignment, len(kins)) == at_first
        assert assignment.is_open(range(len(kins)))
    for lives, said, explained in story:
        assert tell(assignment, lives, said) is explained
    assert domains(assignment, len(kins)) == left


def test_an_object_stands_for_what_was_made_at_its_time() -> None:
    """Until something is told, a live object may stand for those of its kin that were made at the time of its own values."""
    assignment = Assignment(objects("00003", "11224"))
    assert [sorted(assignment.cohort(number)) for number in range(5)] == [[0, 1], [0, 1], [2, 3], [2, 3], [4]]
    assert domains(assignment, 5) == "01 01 23 23 4"
    assert [assignment.role(number) for number in range(5)] == [None] * 5, "nothing was told of the last one, either"
    assert assignment.allows(0, 1)
    assert not assignment.allows(0, 2)


def test_who_is_given() -> None:
    """A recorded object is given once a live one has its values, and not if that birth was refused or tried only."""
    assignment = Assignment(objects("000"))
    with assignment.trial():
        born(assignment, 1)
        assert assignment.is_given(0)
    assert not assignment.is_given(0)
    assert not assignment.link(Link([0], list), telling=True, born=0)
    assert not assignment.is_given(0)
    born(assignment, 2)
    assert [assignment.is_given(number) for number in range(3)] == [True, True, False]


def test_what_was_refused_is_no_rival() -> None:
    """A live object whose birth was refused takes nothing from the others, and holds nothing."""
    assignment = Assignment(objects("000"))
    born(assignment, 2)
    assert not assignment.link(Link([2], list), telling=True, born=2)
    assert tell(assignment, "0", "0")
    assert domains(assignment, 3) == "0 12 012"


def test_nothing_is_worked_out_while_all_are_alike() -> None:
    """Calls that tell nothing are only noted until something of their kin is told, and worked out then."""
    assignment, asked = Assignment(objects("0022")), []

    def said(text: str) -> Iterable[tuple[int, ...]]:
        asked.append(text)
        return options(text)

    for live in range(2):
        assignment.link(Link([live], lambda: said("0 1")), telling=False, born=live)
        assignment.link(Link([live, live + 2], lambda: said("02 13")), telling=False, born=live + 2)
    assert asked == []
    assert assignment.is_open([0, 1, 2, 3])
    assert tell(assignment, "2", "3")
    assert sorted(asked) == ["0 1", "0 1", "02 13", "02 13"]
    assert not any(assignment.is_open([live]) for live in range(4))
    assert domains(assignment, 4) == "1 0 3 2"
    assert not assignment.link(Link([0], lambda: said("0")), telling=False), "what is told apart is worked out at once"


def test_a_late_birth_knows_what_is_settled() -> None:
    """What is born when its kin is told apart already, may only be what is left."""
    assignment = Assignment(objects("000"))
    born(assignment, 2)
    assert tell(assignment, "0", "2")
    assert not assignment.allows(2, 2)
    assert assignment.link(Link([2], lambda: options("0 1 2")), telling=False, born=2)
    assert domains(assignment, 3) == "2 01 01"


@pytest.mark.parametrize("count", [FEW, FEW + 1])
def test_of_many_it_is_seen_when_it_matters(count: int) -> None:
    """Of very many objects that may be anything, it is not worked out at once that one is taken, but it is not given twice."""
    assignment = Assignment(objects("0" * count))
    born(assignment, count)
    assert assignment.link(Link([0], lambda: [(5,)]), telling=True)
    assert (5 in assignment.domain(1)) is (count > FEW)
    assert not assignment.allows(1, 5)
    assert not assignment.link(Link([1], lambda: [(5,)]), telling=True)
    assert assignment.link(Link([1], lambda: [(5,), (6,)]), telling=True)
    assert assignment.role(1) == 6
    assert not assignment.link(Link([2, 3], lambda: [(7, 7)]), telling=True)


def test_a_link_that_only_its_second_object_narrows() -> None:
    """An option is left only if each of its objects may be what it says."""
    assignment = Assignment(objects("0022"))
    born(assignment, 4)
    assert tell(assignment, "3", "3")
    assert tell(assignment, "02", "03 12")
    assert domains(assignment, 4) == "1 0 2 3"

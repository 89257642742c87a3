"""What a refused call is told, as facts: which recorded call is nearest, what differs, how often it was used, what to do."""

from __future__ import annotations

from typing import Any

import pytest
from cassette_toy import TYPE, Toy, answer, call, recorded, replayer, secret, session
from msgspec.structs import replace

from mockprovider.calls import Call, Op, Reply, Status
from mockprovider.cassette import Cassette, CassetteLayer, Library, Mode, Reader
from mockprovider.cassette.matching import Matching
from mockprovider.cassette.misses import EXCHANGED
from mockprovider.errors import AmbiguousError, MissError

URN, OTHER = (f"urn:pulumi:dev::shop::{TYPE}::{name}" for name in ("a", "b"))
KEYS = ("k-8d1f2a", "k-77c3b0")
RECORD = "To record it again: --provider-record=all (pytest), or mockprovider record."
SHOWN = 8
"""So many of a long list are shown."""


def create(urn: str = "", type_: str = TYPE, instance: str = "east", **inputs: Any) -> Call:
    return call(Op.CREATE, session(1, instance), urn, type_, **inputs)


def cassette(*asked: Call) -> Cassette:
    """A recording of these calls, which are known by their numbers in it."""
    return recorded(*((one, answer()) for one in asked))


def miss(kept: Cassette, asked: Call) -> str:
    """What a call is told that is not in the recording."""
    with pytest.raises(MissError) as refused:
        replayer(kept)(asked)
    return str(refused.value)


def nearest(kept: Cassette, told: str) -> dict[str, Any]:
    """The request of the recorded call that is named as the nearest."""
    number = int(told.partition("Nearest is interaction ")[2].partition(" ")[0])
    request: dict[str, Any] = next(one.request for one in kept.interactions if one.n == number)
    return request


NEAREST: dict[str, tuple[list[Call], Call]] = {
    # The nearest one is the first, though the second has more in common with what is asked.
    "of its URN and instance": ([create(URN, x=1, y=1), create(URN, instance="west", size=1)], create(URN, size=2)),
    "of its URN": ([create(URN, instance="west", x=1, y=1), create(OTHER, size=1)], create(URN, size=2)),
    "of its type and instance": ([create(OTHER, x=1, y=1), create(OTHER, instance="west", size=1)], create(URN, size=2)),
    "of its type": ([create(OTHER, instance="west", x=1, y=1), create("urn:c", "T", size=1)], create(URN, size=2)),
    "without a URN, of its type and instance": ([create(x=1, y=1), create(instance="west", size=1)], create(size=2)),
    "without a URN, of its type": ([create(instance="west", x=1, y=1), create(type_="T", size=1)], create(size=2)),
    "of its method": ([create(type_="T", x=1, y=1), call(Op.UPDATE, session(), type_="U", size=1)], create(size=2)),
    "the one with fewest differences": ([create(OTHER, size=1, x=1), create(OTHER, size=1, x=1, y=1)], create(URN, size=2)),
}


@pytest.mark.parametrize(("kept", "asked"), [pytest.param(*row, id=rule) for rule, row in NEAREST.items()])
def test_which_call_is_nearest(kept: list[Call], asked: Call) -> None:
    """Calls of the same URN, type and provider instance come before others, and then the one that differs least."""
    both = cassette(*kept)
    assert nearest(both, miss(both, asked)) == kept[0].inputs


def test_the_next_ones_after_the_nearest() -> None:
    """Two more are told, each with its use and where it differs, of the same type first and never of another type."""
    several = [create(OTHER, size=1, **dict.fromkeys("abcd", n), **{"x": 1} if n else {}) for n in range(4)]
    told = miss(cassette(*several, create(type_="T", size=2)), create(URN, size=2)).splitlines()
    after = [line.partition(",")[2] for line in told[told.index("Next are:") + 1 : -1]]
    assert after == [" session 1), used 0 times, which differs in a, b, c and 3 more"] * 2
    assert "Next are:" not in miss(cassette(several[0], create(type_="T", size=2)), create(URN, size=2))


def test_at_most_three_are_told() -> None:
    """There are three in all, from the nearest on, however near the others are; of another type there is one alone."""
    near = [create(URN, size=n, instance=where) for n, where in ((1, "east"), (3, "east"), (4, "west"), (5, "west"))]
    far = [create(OTHER, size=n) for n in (6, 7)]
    told = miss(cassette(*near, *far), create(URN, size=2)).splitlines()
    assert [line.count("used 0 times") for line in told].count(1) == 3
    strange = miss(cassette(*(create(type_="T", size=n) for n in (1, 3))), create(type_="U", size=2))
    assert strange.count("used 0 times") == 1


def test_another_method_of_the_same_op_is_not_near() -> None:
    """Only calls of the method that was asked are near, also where another one has the same op."""
    one = replace(create(URN, size=2), method="CreateOnce")
    told = miss(cassette(one, create(OTHER, size=1)), create(URN, size=2))
    assert "Nearest is interaction" in told
    assert "CreateOnce" not in told


NEVER = [*((Op.UPDATE, op) for op in (Op.CREATE, Op.READ, Op.DELETE)), (Op.CREATE, Op.UPDATE)]


@pytest.mark.parametrize(("recorded_op", "asked_op"), NEVER)
def test_an_op_that_was_never_recorded_of_it(recorded_op: Op, asked_op: Op) -> None:
    """Where something else was recorded of the resource, and of others what is asked, that is said; and of no type, nothing."""
    kept = [call(recorded_op, session(1, "east"), URN, TYPE, size=1), call(asked_op, session(1, "east"), OTHER, "T", size=1)]
    told = miss(cassette(*kept), call(asked_op, session(1, "east"), URN, TYPE, size=2)).splitlines()
    assert told[1].startswith(f"No {asked_op.value} of {URN} is in it, only {recorded_op.value}:")
    assert told[2].startswith("Nearest is interaction 2 (")
    kept.append(call(recorded_op, session(1, "east"), "", "", size=1))
    for nothing in (call(asked_op, session(1, "east"), "", "", size=2), call(asked_op, session(1, "east"), "", "U", size=2)):
        assert "is in it, only" not in miss(cassette(*kept), nothing)


def test_a_question_that_was_never_recorded_of_it() -> None:
    """Of a check that is missing nothing is said but what is near: engines check as often as they like."""
    kept = create(URN, size=1), call(Op.CHECK, session(1, "east"), OTHER, size=1)
    assert "is in it, only" not in miss(cassette(*kept), call(Op.CHECK, session(1, "east"), URN, size=2))


def applied(op: Op, type_: str, size: int) -> Call:
    """A call by a method that serves several ops, without a URN."""
    return replace(call(op, session(1, "east"), "", type_, size=size), method="Apply")


EAST = "(provider instance east)"
NOTHING_NEAR: dict[str, tuple[list[Call], Call, str]] = {
    "nothing was recorded": ([], create(URN), f"Create of {URN} {EAST}. It is empty: nothing was recorded. "),
    "not this op, by a method of several": (
        [applied(Op.UPDATE, "U", 1)],
        applied(Op.CREATE, "V", 2),
        f"Apply of V {EAST}. No create was recorded by Apply. ",
    ),
    "not this op of it, by a method of several": (
        [applied(Op.UPDATE, "U", 1)],
        applied(Op.CREATE, "U", 2),
        f"Apply of U {EAST}.\nNo create of U is in it, only update: that create was never recorded, or was removed.\n",
    ),
    "not this method": (
        [create(URN), call(Op.READ, session(), URN), call(Op.DELETE, session(), OTHER)],
        call(Op.UPDATE, session(1, ""), URN),
        f"Update of {URN}. No Update was recorded at all, only Create, Delete, Read. ",
    ),
}


@pytest.mark.parametrize(("kept", "asked", "told"), [pytest.param(*row, id=rule) for rule, row in NOTHING_NEAR.items()])
def test_where_nothing_is_near(kept: list[Call], asked: Call, told: str) -> None:
    """A miss says what is asked, what the recording has instead, and how it is recorded again; it names no nearest call."""
    assert miss(cassette(*kept), asked) == f"the recording holds no answer to {told}{RECORD}"


def test_a_recording_without_types() -> None:
    """Where nothing was recorded about any type, none is listed."""
    configured = call(Op.CONFIGURE, session(1, "east"), region="a")
    assert "only about" not in miss(cassette(configured), create(URN, size=2))


def test_equal_requests_are_told_once() -> None:
    """Of several equal requests, the first stands for all."""
    several = [create(OTHER, size=1), create(OTHER, size=1), create(OTHER, size=3), create(OTHER, size=1)]
    lines = miss(cassette(*several), create(URN, size=2)).splitlines()
    assert [line for line in lines if "used 0 times" in line] == [
        "Nearest is interaction 1 (Create of " + OTHER + ", session 1), used 0 times.",
        "  interaction 3 (Create of " + OTHER + ", session 1), used 0 times, which differs in size",
    ]


def test_a_whole_message() -> None:
    """What is nearest has its type and id where it has no URN; both values of what differs follow, and then what to do."""
    one, other = (replace(call(Op.READ, session(), type_="Key", name=name, size=1), id=name) for name in ("k-1", "k-2"))
    assert miss(cassette(one, other), call(Op.READ, session(), type_="Key", name="k-2", size=2)).splitlines() == [
        f"the recording holds no answer to Read of Key {EAST}.",
        "Nearest is interaction 2 (Read of Key k-2, session 1), used 0 times.",
        "Its request differs:",
        "  size: recorded 1, now 2",
        "Next are:",
        "  interaction 1 (Read of Key k-1, session 1), used 0 times, which differs in name, size",
        f"Make the engine send what was recorded. {RECORD}",
    ]


def matched(kept: Cassette, asked: Call, **matching: Any) -> list[str]:
    """The lines of a miss where something was decided about which calls match."""
    with pytest.raises(MissError) as refused:
        CassetteLayer(Mode.NONE, Library(kept, {"": Reader(Toy())}, matching=Matching(**matching)), None)(asked)
    return str(refused.value).splitlines()


def test_requests_that_a_function_made_one_value_of() -> None:
    """Where what is compared has no places, all of it is what differs."""
    told = matched(cassette(*(create(size=n) for n in (1, 2))), create(size=3), matchers=(lambda one: one.request["size"],))
    assert told[3].startswith("  (all of it): recorded ")
    assert told[-2].endswith("which differs in (all of it)")


@pytest.mark.parametrize(("ignore", "places"), [([], ["note", "size"]), (["note"], ["size"])])
def test_a_large_request(ignore: list[str], places: list[str]) -> None:
    """A request that is kept beside the cassette is shown as it was recorded, without what is ignored."""
    kept = cassette(create(size=1, note="then"))
    (one,) = kept.interactions
    kept = Cassette(kept.header, [replace(one, request=None, request_blob="b")], {"b": one.request}, kept.name)
    told = matched(kept, create(size=2, note="now"), ignore=ignore)
    assert [line.strip().partition(":")[0] for line in told if line.startswith("  ")] == places


def test_next_ones_that_differ_in_their_instance_only() -> None:
    """A call whose request is the same on another provider instance is told as one."""
    told = miss(cassette(create(URN, size=2, x=1), create(OTHER, instance="west", size=2)), create(URN, size=2))
    assert told.splitlines()[-2].endswith("used 0 times, which differs in nothing but secrets or its instance")


def test_how_often_the_nearest_was_used() -> None:
    """The nearest call is told with how often it has answered."""
    kept = recorded(*[(call(Op.READ, session(), "urn:a", size=1), answer())] * 1)
    replay = replayer(kept)
    for times in ("0 times", "once", "twice", "3 times", "4 times"):
        with pytest.raises(MissError, match=rf"used {times}\b"):
            replay(call(Op.READ, session(), "urn:a", size=2))
        replay(call(Op.READ, session(), "urn:a", size=1))


INSTANCES = {
    "another one": ("east", "west", ["east", "west"]),
    "none now": ("east", "", ["east", "(not configured)"]),
    "none then": ("", "east", ["(not configured)", "east"]),
}


@pytest.mark.parametrize(("then", "now", "names"), [pytest.param(*row, id=rule) for rule, row in INSTANCES.items()])
def test_a_call_of_another_instance(then: str, now: str, names: list[str]) -> None:
    """Where only the provider instance differs, both are named, and nothing is said of the request."""
    told = miss(cassette(create(instance=then, size=1)), create(instance=now, size=1))
    (line,) = (line for line in told.splitlines() if line.startswith("It was recorded on the provider instance"))
    assert [name for name in names if name in line] == names
    assert "request differs" not in told


def test_what_has_no_instance_is_of_none() -> None:
    """Of what means the same on every instance, none is told."""
    told = miss(
        cassette(call(Op.GET_SCHEMA, session(1, "east"), type_="", size=1)),
        call(Op.GET_SCHEMA, session(1, "west"), type_="", size=2),
    )
    assert "size" in told
    assert "It was recorded on" not in told


def test_requests_that_differ_in_secrets_only() -> None:
    """Where the recording has one secret twice and this run has two, the values are not told, but that they differ is."""
    told = miss(cassette(create(a=secret("secret-1"), b=secret("secret-1"))), create(a=secret("today-1"), b=secret("today-2")))
    assert "differs in secrets only" in told
    assert "today" not in told


STACKS = {
    "of another stack": (URN.replace("dev", "prod"), True),
    "of another project": (URN.replace("shop", "store"), True),
    "of another name": (OTHER, False),
    "without a URN": ("", False),
}


@pytest.mark.parametrize(("urn", "hint"), [pytest.param(*row, id=rule) for rule, row in STACKS.items()])
def test_a_run_of_another_stack(urn: str, hint: bool) -> None:
    """Where the recording is of another stack or project, both names of both are told."""
    told = miss(cassette(create(URN, size=1)), create(urn, size=2))
    assert ("'dev'" in told and "'shop'" in told) is hint
    assert hint is any(name in told for name in ("'prod'", "'store'"))


def test_a_long_list_of_differences_is_cut() -> None:
    """So many differences are shown, and how many there are more."""
    for more in (0, 1, 3):
        names = [f"p{n:02}" for n in range(SHOWN + more)]
        told = miss(cassette(create(URN, **dict.fromkeys(names, 1))), create(URN, **dict.fromkeys(names, 2)))
        assert [name in told for name in names].count(True) == SHOWN
        assert (f"and {more} more" in told) is bool(more)


@pytest.mark.parametrize("count", [SHOWN, SHOWN + 2])
def test_the_types_that_were_recorded(count: int) -> None:
    """A type that was never recorded is told with those that were: some of many, and how many there are more."""
    types = [f"T{n:02}" for n in range(count)]
    kept = cassette(*(create(type_=type_) for type_ in types), create(type_=""))
    told = miss(kept, create(type_="U"))
    assert "Nothing about U was recorded" in told
    assert [type_ in told for type_ in types].count(True) == SHOWN
    assert ("and 2 more" in told) is (count > SHOWN)
    assert "and 0 more" not in told
    for silent in (create(type_="T00", x=1), create(type_="", x=1)):
        assert "Nothing about" not in miss(kept, silent)


def keys(count: int = 2, address: str = "") -> list[tuple[Call, Reply]]:
    made = [(create(type_="Key"), answer(id=id_)) for id_ in KEYS[:count]]
    return [(replace(asked, address=f"{address}[{n}]" if address else ""), reply) for n, (asked, reply) in enumerate(made)]


@pytest.mark.parametrize(("count", "exchanged"), [(1, False), (2, True)])
def test_a_miss_that_comes_from_an_exchange(count: int, exchanged: bool) -> None:
    """Where the nearest call is about one of several equal objects, it is told that they may have been exchanged."""
    use = (create(type_="Use", name="u", key=KEYS[0]), answer())
    later = (call(Op.CREATE, session(2), type_="Key"), answer(id="k-e05a91"))
    kept = recorded(*keys(count), use, later)
    assert (EXCHANGED in miss(kept, create(type_="Use", name="v", key=KEYS[0]))) is exchanged
    assert EXCHANGED not in miss(kept, create(type_="Key", name="v"))


def ambiguous(kept: Cassette, asked: Call) -> str:
    with pytest.raises(AmbiguousError) as refused:
        replayer(kept)(asked)
    return str(refused.value)


def test_answers_that_cannot_be_told_apart() -> None:
    """What cannot be told apart is named by number, with what was asked, and where the answers differ."""
    kept = recorded(*((call(Op.INVOKE, session(), zone="a"), answer(size=size, alike=1)) for size in (1, 2)))
    told = ambiguous(kept, call(Op.INVOKE, session(), zone="a"))
    first, second = (one.response["size"] for one in kept.interactions)
    assert "interactions 1, 2" in told
    assert '{"zone":"a"}' in told
    assert f"size: in 1 {first}, in 2 {second}" in told
    assert "alike" not in told
    assert "at the same time" in told
    assert "Give the resources inputs that differ" in told


def test_what_was_asked_is_cut() -> None:
    """Of a long request, three hundred characters are shown."""
    asked = call(Op.INVOKE, session(), zone="a" * 400)
    (line,) = (
        line for line in ambiguous(recorded(*((asked, answer(size=n)) for n in (1, 2))), asked).splitlines() if "asks:" in line
    )
    assert len(line) == len("It asks: ") + 300


def test_failures_that_cannot_be_told_apart() -> None:
    """Where one of them failed, its status is what differs."""
    kept = recorded(
        (call(Op.INVOKE, session(), zone="a"), answer(size=1)),
        (call(Op.INVOKE, session(), zone="a"), Reply(status=Status(14, "busy"))),
    )
    told = ambiguous(kept, call(Op.INVOKE, session(), zone="a"))
    assert '"busy"' in told
    assert "status: in " in told
    assert '"UNAVAILABLE"' in told
    assert "size" in told


def test_failures_of_other_codes() -> None:
    """Of two failures, the code is what differs."""
    kept = recorded(*((call(Op.INVOKE, session(), zone="a"), Reply(status=Status(code, "busy"))) for code in (8, 14)))
    assert "  status.code: in 1 " in ambiguous(kept, call(Op.INVOKE, session(), zone="a"))


@pytest.mark.parametrize(("one", "other", "where"), [("busy", "full", "status.message"), ("busy", "busy", "status.details")])
def test_failures_that_differ(one: str, other: str, where: str) -> None:
    """Of two failures, the message or the details are what differs."""
    statuses = Status(14, one, details=b"\n\x01a"), Status(14, other, details=b"\n\x01a" if one != other else b"\n\x01b")
    kept = recorded(*((call(Op.INVOKE, session(), zone="a"), Reply(status=status)) for status in statuses))
    assert f"  {where}: in " in ambiguous(kept, call(Op.INVOKE, session(), zone="a"))


def test_instances_that_cannot_be_told_apart() -> None:
    """Sessions of equally configured instances are named, and that these should be configured differently."""
    asked = [call(Op.INVOKE, session(number), zone="a") for number in (1, 2, 1)]
    told = ambiguous(recorded(*((one, answer(size=size)) for size, one in enumerate(asked))), asked[0])
    assert "sessions 1, 2" in told
    assert "Give the provider instances configurations that differ" in told


def test_equal_objects_are_named_by_number_and_address() -> None:
    """Objects that nothing tells apart are named, with their addresses where this call has another one."""
    cert = (create(type_="Cert", key=KEYS[0]), answer(pem="MIIB8zCCAZ2g4f"))
    told = ambiguous(recorded(*keys(), cert), create(type_="Key"))
    assert "interactions " in told
    assert "pem" in told
    assert "recorded at" not in told
    addressed = recorded(*keys(address="key.k"), cert)
    there = ambiguous(addressed, replace(create(type_="Key"), address="key.other"))
    assert "key.k[0], key.k[1]" in there
    assert "key.other" in there
    assert "recorded at" not in ambiguous(addressed, create(type_="Key"))


REASONS: dict[str, tuple[list[tuple[Call, Reply]], str]] = {
    "it would ask for what was never recorded": (
        [
            *((call(Op.READ, session(2), type_="Key", id=id_), answer(size=n)) for n, id_ in enumerate(KEYS)),
            (call(Op.CREATE, session(3), type_="Use", key=KEYS[0]), answer()),
        ],
        "If they were made in another order, Create of Use would ask for what was never recorded.",
    ),
    "an answer is opaque": (
        [(create(type_="Cert", key=KEYS[0]), answer(pem="MIIB8zCCAZ2g4f"))],
        "(Create of Cert, session 1) is about one of them",
    ),
    "an answer could be either": (
        [(call(Op.INVOKE, session(2), type_="Zone", key=KEYS[0]), answer(size=n)) for n in (1, 2)],
        "it could not be said which answer Invoke of Zone gets (interaction 3)",
    ),
}


@pytest.mark.parametrize(("later", "about"), [pytest.param(*row, id=rule) for rule, row in REASONS.items()])
def test_why_equal_objects_cannot_be_told_apart(later: list[tuple[Call, Reply]], about: str) -> None:
    """The call is named that another order would not get its own answer for."""
    assert about in ambiguous(recorded(*keys(), *later), create(type_="Key"))


def test_an_answer_about_another_one_of_equal_objects() -> None:
    """What was recorded about the object at one address is not told of the one at the other, and the message says why."""
    replay = replayer(recorded(*keys(address="key.k"), (create(type_="Cert", key=KEYS[1]), answer(pem="MIIB8zCCAZ2g4f"))))
    first, _ = (dict(replay(asked).value or {})["id"] for asked, _ in keys(address="key.k"))
    with pytest.raises(MissError) as refused:
        replay(create(type_="Cert", key=first))
    message = str(refused.value)
    assert message.startswith(
        "the recording holds no answer to Create of Cert (provider instance east).\nNearest is interaction 1 ("
    )
    assert "pem may have been computed from that object." in message


USED: dict[str, tuple[Op, int, str]] = {
    "a change": (Op.CREATE, 1, "recorded once"),
    "two changes": (Op.CREATE, 2, "recorded twice"),
    "three changes": (Op.CREATE, 3, "recorded 3 times"),
}


@pytest.mark.parametrize(("op", "count", "times"), [pytest.param(*row, id=rule) for rule, row in USED.items()])
def test_what_was_used_already(op: Op, count: int, times: str) -> None:
    """A call that was answered as often as it was recorded is told how often that was, and where."""
    replay = replayer(recorded(*[(call(op, session()), answer())] * count))
    for _ in range(count):
        replay(call(op, session()))
    with pytest.raises(MissError) as refused:
        replay(call(op, session()))
    assert times in str(refused.value)
    assert f"(interaction {', '.join(map(str, range(1, count + 1)))})" in str(refused.value)


@pytest.mark.parametrize(("command", "told"), [("make cassettes", "make cassettes"), ("", "--provider-record=all")])
def test_how_it_is_recorded_again(command: str, told: str) -> None:
    """The command that made the cassette is named, or the ways that there are."""
    kept = cassette(create(size=1))
    kept.header.created_by = command
    assert told in miss(kept, create(size=2))

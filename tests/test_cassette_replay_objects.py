"""What a replay makes of calls about objects that equal requests made, rule by rule."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from cassette_toy import Toy, answer, call, header, recorded, replayer, secret, session
from msgspec.structs import replace

from mockprovider.calls import Call, Op, Reply, Status
from mockprovider.cassette import Cassette, CassetteLayer, Interaction, Memory, Recorder
from mockprovider.errors import AmbiguousError, MissError
from mockprovider.redaction import Redactor

KEYS = ("k-8d1f2a", "k-77c3b0", "k-e05a91")
Conversation = list[tuple[Call, Reply]]


def create(type_: str = "Key", number: int = 1, address: str = "", **inputs: Any) -> Call:
    return replace(call(Op.CREATE, session(number), type_=type_, **inputs), address=address)


def read(type_: str = "Key", number: int = 2, **inputs: Any) -> Call:
    return call(Op.READ, session(number), type_=type_, **inputs)


def delete(number: int = 3, **inputs: Any) -> Call:
    return call(Op.DELETE, session(number), type_="Key", **inputs)


def keys(count: int = 2, **more: Any) -> Conversation:
    """So many equal keys."""
    return [(create(), answer(id=id_, **more)) for id_ in KEYS[:count]]


def value(reply: Reply) -> dict[str, Any]:
    assert reply.ok
    return dict(reply.value or {})


def begun(conversation: Conversation, count: int = 2) -> tuple[CassetteLayer, list[str]]:
    """A replay in which so many keys were made, and their ids."""
    replay = replayer(recorded(*conversation))
    return replay, [value(replay(create()))["id"] for _ in range(count)]


# How often ---------------------------------------------------------------------------------------------------------------


def planned(op: Op, names: tuple[str, ...]) -> Cassette:
    """A recording of equal calls that were answered with these names, in sessions that followed each other."""
    cassette = recorded()
    cassette.interactions.extend(
        Interaction(n=n, session=n, instance="east", op=op, method=op, type="Key", request={}, response={"name": name})
        for n, name in enumerate(names, 1)
    )
    return cassette


def asked(op: Op, number: int = 1) -> Call:
    return Call(op=op, method=op, session=session(number), type="Key", inputs={})


def test_a_generated_name_is_planned_once() -> None:
    """A plan may generate a name, and no two resources get the same one, though plans may be asked again."""
    replay = replayer(planned(Op.PLAN, KEYS))
    names = [value(replay(asked(Op.PLAN, number)))["name"] for number in (1, 2, 3)]
    assert sorted(names) == sorted(KEYS)
    with pytest.raises(MissError):
        replay(asked(Op.PLAN, 4))


@pytest.mark.parametrize("op", [Op.OPEN, Op.RENEW])
def test_what_no_engine_remembers_is_opened_as_often_as_asked(op: Op) -> None:
    """An ephemeral resource gives its recorded results in their order, and then the last one again."""
    replay = replayer(planned(op, KEYS[:2]))
    assert [value(replay(asked(op)))["name"] for _ in range(4)] == [KEYS[0], KEYS[1], KEYS[1], KEYS[1]]


def test_within_a_session_there_is_at_most_what_a_session_had() -> None:
    """Objects that are not alike in number either: two keys in one session and one in another are never three in one."""
    conversation = [*keys(2), (create(number=2), answer(id=KEYS[2]))]
    replay, ids = begun(conversation)
    assert sorted(ids) == sorted(KEYS[:2])
    with pytest.raises(MissError, match="but in no session more often"):
        replay(create())
    assert value(replay(create(number=2)))["id"] == KEYS[2]


def test_a_question_may_be_asked_more_often_in_a_session() -> None:
    """What changes nothing is not counted by session."""
    replay, ids = begun([*keys(2), *((read(id=id_), answer(id=id_)) for id_ in KEYS[:2])])
    for _ in range(3):
        assert [value(replay(read(id=id_)))["id"] for id_ in ids] == ids


# Secrets -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("made", [("generated-1", "generated-2"), (4711, 4712)], ids=["texts", "numbers"])
def test_generated_secrets_tell_objects_apart(made: tuple[Any, Any]) -> None:
    """Objects that differ in a generated secret alone keep theirs, and what was made for one of them knows which one it is."""
    users = [(create("User"), answer(pin=secret(pin))) for pin in made]
    logins = [
        (create("Login", 2, name=f"l{n}", pins=[secret(pin)]), answer(of=n, pin=secret(pin))) for n, pin in enumerate(made)
    ]
    replay = replayer(recorded(*users, *logins))
    pins = [value(replay(create("User")))["pin"]["value"] for _ in made]
    assert len({*pins}) == 2
    for n, pin in enumerate(reversed(pins)):
        assert value(replay(create("Login", 2, name=f"l{n}", pins=[secret(pin)]))) == {"of": n, "pin": secret(pin)}
    # A pin of somebody's own fits the placeholder as well, but the one recorded login has been made.
    with pytest.raises(MissError, match="used already"):
        replay(create("Login", 2, name="l0", pins=[secret(made[0])]))


def test_an_open_value_is_answered_before_a_placeholder() -> None:
    """A request that was recorded as it is now has its own answer, though one with a secret in that place would fit as well."""
    conversation = [
        (create(pin="open-pin", n=1), answer(of="open")),
        (create(pin=secret("closed-pin"), n=1), answer(of="secret")),
    ]
    cassette = recorded(*conversation, redactor=Redactor())
    for interaction in cassette.interactions:
        interaction.request = {**interaction.request, "pin": interaction.request["pin"]}
        if isinstance(interaction.request["pin"], dict):
            interaction.request["pin"] = interaction.request["pin"]["value"]
    assert value(replayer(cassette)(create(pin="open-pin", n=1))) == {"of": "open"}
    assert value(replayer(cassette)(create(pin="another", n=1))) == {"of": "secret"}


def in_blobs(*conversation: tuple[Call, Reply]) -> Cassette:
    """A recording whose answers stand beside it."""
    sink = Memory()
    blobs: dict[str, Any] = {}
    sink.blobs = blobs

    def kept(interaction: Interaction, note: int = 0) -> Interaction:
        name = f"blob-{interaction.response}"
        blobs[name] = interaction.response
        return replace(interaction, response=None, response_blob=name)

    sink.append = kept  # type: ignore[method-assign]
    recorder = Recorder(Toy(), header(), sink)
    for one, reply in conversation:
        recorder(one, lambda _, reply=reply: reply)  # type: ignore[misc]
    return recorder.close()


def test_large_answers_are_compared_by_name() -> None:
    """Answers beside the cassette are equal where their blobs are: equal ones need no choice, different ones are refused."""

    def check(pin: str) -> Call:
        return call(Op.CHECK, session(), pin=secret(pin))

    alike = in_blobs((check("secret-1"), answer(size=1)), (check("secret-2"), answer(size=1)))
    assert value(replayer(alike)(check("secret-3"))) == {"size": 1}
    differ = in_blobs((check("secret-1"), answer(size=1)), (check("secret-2"), answer(size=2)))
    with pytest.raises(AmbiguousError):
        replayer(differ)(check("secret-3"))


def test_secrets_of_two_requests_choose_the_object() -> None:
    """Of calls about objects, too, those are meant that agree with what is known of their secrets."""
    conversation = [
        (create("A", urn_="a", pin=secret("secret-1")), answer()),
        (create("A", urn_="b", pin=secret("secret-2")), answer()),
        *keys(2),
        *((create("Use", 2, key=KEYS[0], pin=secret(f"secret-{n}")), answer(of=n)) for n in (1, 2)),
    ]
    replay = replayer(recorded(*conversation))
    replay(create("A", urn_="a", pin=secret("today-1")))
    replay(create("A", urn_="b", pin=secret("today-2")))
    ids = [value(replay(create()))["id"] for _ in range(2)]
    assert value(replay(create("Use", 2, key=ids[1], pin=secret("today-2")))) == {"of": 2}
    assert value(replay(create("Use", 2, key=ids[1], pin=secret("today-1")))) == {"of": 1}


# Who is who --------------------------------------------------------------------------------------------------------------


def test_what_nobody_was_asked_of_an_object() -> None:
    """A request about a generated object that was never recorded of any is a miss."""
    replay, ids = begun(keys(2))
    with pytest.raises(MissError, match="holds no answer"):
        replay(create("Use", 2, key=ids[0]))


def test_reads_with_answers_of_their_own_tell_objects_apart() -> None:
    """An object that was read with its own answer is that object, so what was recorded of another one is not about it."""
    reads = [(read(id=id_), answer(id=id_, size=n)) for n, id_ in enumerate(KEYS[:2])]
    use = (create("Use", 3, name="u", key=KEYS[0]), answer())
    makes = [(create(address=f"key.k[{n}]"), answer(id=id_)) for n, id_ in enumerate(KEYS[:2])]
    for looked in ([], [0], [1], [0, 1]):
        replay = replayer(recorded(*makes, *reads, use))
        for make, _ in makes:
            replay(make)
        for n in looked:
            assert value(replay(read(id=KEYS[n])))["size"] == n
        if looked:
            with pytest.raises(MissError):
                replay(create("Use", 3, name="u", key=KEYS[1]))
        assert replay(create("Use", 3, name="u", key=KEYS[0])).ok


def test_a_read_of_some_says_who_the_others_are_not() -> None:
    """Where only some of the objects were read, one that is read is one of these."""
    reads = [(read(id=id_), answer(id=id_)) for id_ in KEYS[:2]]
    use = (create("Use", 3, name="u", key=KEYS[2]), answer())
    replay, ids = begun([*keys(3), *reads, use], 3)
    assert replay(read(id=ids[0])).ok
    assert replay(read(id=ids[2])).ok
    with pytest.raises(MissError):
        replay(create("Use", 3, name="u", key=ids[0]))
    assert replay(create("Use", 3, name="u", key=ids[1])).ok


def test_one_of_them_that_has_failed() -> None:
    """A failure about one object is answered for the object that stands for it, and the other one has its answer."""
    uses = [
        (create("Use", 2, name="u0", key=KEYS[0]), Reply(status=Status(14, f"{KEYS[0]} is busy"))),
        (create("Use", 2, name="u1", key=KEYS[1]), answer(of=KEYS[1])),
    ]
    replay, ids = begun([*keys(2), *uses])
    refused = replay(create("Use", 2, name="u0", key=ids[1]))
    assert refused.status == Status(14, f"{ids[1]} is busy")
    assert value(replay(create("Use", 2, name="u1", key=ids[0]))) == {"of": ids[0]}


def test_a_read_is_out_of_date_once_its_own_object_was_changed() -> None:
    """What an object looked like is not told again after it was deleted; another one of the family may still be looked at."""
    reads = [(read(id=id_), answer(id=id_)) for id_ in KEYS[:2]]
    gone = [(delete(id=id_), answer()) for id_ in KEYS[:2]]
    replay, ids = begun([*keys(2), *reads, *gone])
    for id_ in ids:
        replay(read(id=id_))
    replay(delete(id=ids[1]))
    assert replay(read(id=ids[0])).ok
    with pytest.raises(MissError, match="out of date"):
        replay(read(id=ids[1]))


def test_an_update_about_two_objects_touches_both() -> None:
    """What changed two objects at once makes what was read of them both out of date."""
    bond = call(Op.UPDATE, session(3), type_="Key", one=KEYS[0], other=KEYS[1])
    again = (read(both=[*KEYS[:2]]), answer(ok=True))
    replay, ids = begun([*keys(2), again, (bond, answer())])
    assert replay(read(both=ids)).ok
    replay(call(Op.UPDATE, session(3), type_="Key", one=ids[0], other=ids[1]))
    with pytest.raises(MissError, match="out of date"):
        replay(read(both=ids))


def chained(count: int) -> Conversation:
    """Keys, a disk for each from equal requests, and a use of each disk with a name of its own."""
    disks = [f"d-{n}{n}4a{n}1" for n in range(count)]
    return [
        *keys(count),
        *((create("Disk", 2, key=key), answer(id=disk, of=key)) for key, disk in zip(KEYS, disks, strict=False)),
        *((create("Use", 3, name=f"u{n}", disk=disk), answer(of=disk)) for n, disk in enumerate(disks)),
    ]


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
def test_a_disk_of_a_key_stays_that_keys_disk(order: tuple[int, ...]) -> None:
    """What is made from an object is of that object, and what its dependents tell counts for the object, too."""
    replay, ids = begun(chained(3), 3)
    disks = {}
    for n in order:
        made = value(replay(create("Disk", 2, key=ids[n])))
        assert made["of"] == ids[n]
        disks[n] = made["id"]
    assert len({*disks.values()}) == 3
    for n in order:
        assert value(replay(create("Use", 3, name=f"u{order.index(n)}", disk=disks[n]))) == {"of": disks[n]}
    with pytest.raises(MissError):
        replay(create("Use", 3, name="u0", disk=disks[order[1]]))


def test_each_key_has_one_disk() -> None:
    """A second disk of one key is refused, though another key has none yet."""
    replay, ids = begun(chained(2))
    replay(create("Disk", 2, key=ids[0]))
    with pytest.raises(MissError):
        replay(create("Disk", 2, key=ids[0]))
    assert value(replay(create("Disk", 2, key=ids[1])))["of"] == ids[1]


# Addresses, phases, previews ---------------------------------------------------------------------------------------------

Told = Callable[[int], dict[str, Any]]


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_an_address_chooses_what_is_made(order: tuple[int, int]) -> None:
    """Equal creates with equal shapes are answered for their addresses, and the address is the first thing that counts."""
    conversation = [(create(address=f"key.k[{n}]"), answer(id=id_)) for n, id_ in enumerate(KEYS[:2])]
    replay = replayer(recorded(*conversation))
    assert {n: value(replay(create(address=f"key.k[{n}]")))["id"] for n in order} == {0: KEYS[0], 1: KEYS[1]}


@pytest.mark.parametrize(
    ("recorded_as", "now", "told"),
    [
        ((True, False), True, 0),
        ((True, False), False, 1),
        ((False, True), True, 1),
        ((None, None), True, None),
        ((True, False), None, None),
        ((None, True), True, 1),
        ((None, True), False, None),
        ((None, True), None, None),
    ],
)
def test_the_kind_of_session_chooses(recorded_as: tuple[bool | None, ...], now: bool | None, told: int | None) -> None:
    """Of different answers of one time, that of a preview is given to a preview, where both sides know what they are."""
    conversation = [
        (call(Op.READ, session(number, preview=preview), id="x"), answer(of=number - 1))
        for number, preview in enumerate(recorded_as, 1)
    ]
    cassette = recorded(*conversation, conversation[0])
    sessions = [replace(one, wave=1) for one in cassette.header.sessions]
    cassette = replace(cassette, header=replace(cassette.header, sessions=sessions))
    replay, looked = replayer(cassette), call(Op.READ, session(9, preview=now), id="x")
    if told is None:
        with pytest.raises(AmbiguousError):
            replay(looked)
    else:
        assert value(replay(looked)) == {"of": told}


# Which of the recorded calls it is ---------------------------------------------------------------------------------------


def policies(*groups: tuple[int, ...], **more: Any) -> Conversation:
    """Policies about several keys each."""
    return [
        (
            create("Policy", 3, name=f"p{n}", keys=[KEYS[one] for one in group], **more),
            answer(text="+".join(KEYS[one] for one in group)),
        )
        for n, group in enumerate(groups)
    ]


def settled(count: int = 3) -> Conversation:
    """Uses that say which key is which."""
    return [(create("Use", 2, name=f"u{n}", key=KEYS[n]), answer()) for n in range(count)]


@pytest.mark.parametrize("order", [(0, 1, 2), (1, 2, 0), (2, 1, 0)])
def test_a_list_of_settled_objects_has_its_own_answer(order: tuple[int, ...]) -> None:
    """Once it is settled which object is which, a list of them is answered in its own order, and no other list is."""
    replay, ids = begun([*keys(3), *settled(), *policies((0, 1), (2,))], 3)
    live = {n: ids[at] for n, at in enumerate(order)}
    for n, id_ in live.items():
        replay(create("Use", 2, name=f"u{n}", key=id_))
    with pytest.raises(MissError):
        replay(create("Policy", 3, name="p0", keys=[live[0], live[2]]))
    with pytest.raises(MissError):
        replay(create("Policy", 3, name="p0", keys=[live[0]]))
    with pytest.raises(MissError):
        replay(create("Policy", 3, name="p1", keys=[live[0]]))
    assert value(replay(create("Policy", 3, name="p1", keys=[live[2]]))) == {"text": live[2]}
    assert value(replay(create("Policy", 3, name="p0", keys=[live[0], live[1]]))) == {"text": f"{live[0]}+{live[1]}"}


@pytest.mark.parametrize("order", [(0, 1, 2), (1, 2, 0), (2, 1, 0), (0, 2, 1)])
@pytest.mark.parametrize("known", [0, 1, 2])
def test_a_list_settles_what_was_open(order: tuple[int, ...], known: int) -> None:
    """A list of objects of which only some are settled says which the others are."""
    replay, ids = begun([*keys(3), *settled(), *policies((0, 1, 2))], 3)
    live = {n: ids[at] for n, at in enumerate(order)}
    for n in range(known):
        replay(create("Use", 2, name=f"u{n}", key=live[n]))
    text = "+".join(live.values())
    assert value(replay(create("Policy", 3, name="p0", keys=[*live.values()]))) == {"text": text}
    for n in range(known, 3):
        with pytest.raises(MissError):
            replay(create("Use", 2, name=f"u{n}", key=live[(n + 1) % 3]))
        assert replay(create("Use", 2, name=f"u{n}", key=live[n])).ok


def test_equal_answers_about_objects_are_each_given_once() -> None:
    """As many deletes as objects: each is answered once, in any order, with its own name or another's."""
    gone = [(delete(id=id_), answer(gone=id_)) for id_ in KEYS]
    replay, ids = begun([*keys(3), *settled(), *gone], 3)
    replay(create("Use", 2, name="u0", key=ids[2]))
    for id_ in (ids[1], ids[2], ids[0]):
        assert value(replay(delete(id=id_))) == {"gone": id_}
    assert [one.type for one in replay.library.unused()] == ["Use", "Use"]  # type: ignore[union-attr]
    with pytest.raises(MissError):
        replay(delete(id=ids[0]))


def test_an_opaque_answer_is_given_to_its_own_object_only() -> None:
    """Each key has a fingerprint that only its own read tells: a key that stands for another one still has its own."""
    reads = [(read(id=id_), answer(id=id_, print=f"9f1c2ab{n}e7{n}")) for n, id_ in enumerate(KEYS[:2])]
    makes = [(create(address=f"key.k[{n}]"), answer(id=id_)) for n, id_ in enumerate(KEYS[:2])]
    replay = replayer(recorded(*makes, *reads))
    for make, _ in makes:
        replay(make)
    for n in (1, 0, 1):
        assert value(replay(read(id=KEYS[n])))["print"] == f"9f1c2ab{n}e7{n}"


def test_an_update_gives_an_object_new_values() -> None:
    """What an update generated is the object's from then on, and goes with it into what follows."""

    def update(id_: str, tag: str = "") -> Call:
        return call(Op.UPDATE, session(2), type_="Key", id=id_, tag=tag)

    tags = ("etag-1a2b3c", "etag-4d5e6f")
    updates = [(update(id_), answer(id=id_, tag=tag)) for id_, tag in zip(KEYS, tags, strict=False)]
    uses = [(create("Use", 3, name=f"u{n}", key=KEYS[n], tag=tags[n]), answer(of=[KEYS[n], tags[n]])) for n in range(2)]
    for order in ((0, 1), (1, 0)):
        replay, ids = begun([*keys(2), *updates, *uses])
        now = {id_: value(replay(update(id_)))["tag"] for id_ in ids}
        assert sorted(now.values()) == sorted(tags)
        for name, at in enumerate(order):
            id_ = ids[at]
            asked = create("Use", 3, name=f"u{name}", key=id_, tag=now[id_])
            assert value(replay(asked)) == {"of": [id_, now[id_]]}
        with pytest.raises(MissError):
            replay(create("Use", 3, name="u0", key=ids[0], tag=now[ids[1]]))


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_an_update_of_a_settled_object(order: tuple[int, int]) -> None:
    """What an update generates is of the object that the updated one stands for, though it has values of its own."""

    def update(id_: str) -> Call:
        return call(Op.UPDATE, session(3), type_="Key", id=id_)

    tags = ("etag-1a2b3c", "etag-4d5e6f")
    updates = [(update(id_), answer(id=id_, tag=tag)) for id_, tag in zip(KEYS, tags, strict=False)]
    uses = [(create("Tagged", 4, name=f"t{n}", tag=tags[n]), answer(of=tags[n])) for n in range(2)]
    replay, ids = begun([*keys(2), *settled(2), *updates, *uses])
    live = [ids[at] for at in order]
    for n, id_ in enumerate(live):
        replay(create("Use", 2, name=f"u{n}", key=id_))
    now = [value(replay(update(id_)))["tag"] for id_ in live]
    with pytest.raises(MissError):
        replay(create("Tagged", 4, name="t0", tag=now[1]))
    for n in (1, 0):
        assert value(replay(create("Tagged", 4, name=f"t{n}", tag=now[n]))) == {"of": now[n]}


# Times -------------------------------------------------------------------------------------------------------------------


def test_equal_questions_are_counted_by_time() -> None:
    """A change that was answered alike in two sessions is given as often as each had it, and what was left out is past."""
    conversation = [(call(Op.CREATE, session(number), n=1), answer()) for number in (1, 1, 2)]
    replay = replayer(recorded(*conversation))
    for number in (1, 1, 2):
        assert replay(call(Op.CREATE, session(number), n=1)).ok
    with pytest.raises(MissError, match="used already"):
        replay(call(Op.CREATE, session(3), n=1))


def test_a_change_makes_time_pass_for_its_own_instance() -> None:
    """After a later change, earlier answers are past; on another provider instance they are not."""
    conversation = []
    for instance in ("east", "west"):
        first = 1 if instance == "east" else 4
        for number, size in ((first, 1), (first + 1, 2)):
            conversation.append((call(Op.READ, session(number, instance), id="x"), answer(size=size)))
        conversation.append((call(Op.UPDATE, session(first + 1, instance), id="x"), answer()))
    replay = replayer(recorded(*conversation))
    assert replay(call(Op.UPDATE, session(8, "east"), id="x")).ok
    assert value(replay(call(Op.READ, session(8, "east"), id="x"))) == {"size": 2}
    assert value(replay(call(Op.READ, session(9, "west"), id="x"))) == {"size": 1}


def test_what_was_chosen_by_time_makes_time_pass() -> None:
    """A question whose later answer was given is not answered with an earlier one, nor is another question of that time."""
    conversation = [
        (call(Op.READ, session(number), id=id_), answer(size=size)) for number, size in ((1, 1), (2, 2)) for id_ in "xy"
    ]
    replay = replayer(recorded(*conversation))
    assert [value(replay(call(Op.READ, session(9), id="x")))["size"] for _ in range(2)] == [1, 2]
    assert value(replay(call(Op.READ, session(9), id="y"))) == {"size": 2}


def test_reads_of_objects_without_a_urn_are_known_by_id() -> None:
    """Where nothing was generated, the object that a call is about is known by its id; without one, by the call itself."""

    def about(op: Op, id_: str, number: int = 1, **inputs: Any) -> Call:
        return replace(call(op, session(number), type_="Key", **inputs), id=id_)

    for id_, stale in (("a", True), ("", False)):
        replay = replayer(recorded((about(Op.READ, id_, n=1), answer()), (about(Op.UPDATE, id_, 2, n=2), answer())))
        replay(about(Op.READ, id_, n=1))
        replay(about(Op.UPDATE, id_, 2, n=2))
        if stale:
            with pytest.raises(MissError, match="out of date"):
                replay(about(Op.READ, id_, 3, n=1))
        else:
            assert replay(about(Op.READ, id_, 3, n=1)).ok


def test_a_read_that_was_left_out_may_still_be_told() -> None:
    """A read that has not been told before its object was changed is told once, and then it is out of date."""
    asked = call(Op.READ, session(1), "urn:a")
    changed = call(Op.UPDATE, session(2), "urn:a")
    replay = replayer(recorded((asked, answer(n=1)), (changed, answer())))
    replay(changed)
    assert value(replay(asked)) == {"n": 1}
    with pytest.raises(MissError, match="out of date"):
        replay(asked)


def test_what_is_no_look_at_an_object_is_never_out_of_date() -> None:
    """A check of an object's inputs is answered after its change as before."""
    asked = call(Op.CHECK, session(1), "urn:a")
    changed = call(Op.UPDATE, session(2), "urn:a")
    replay = replayer(recorded((asked, answer(n=1)), (changed, answer())))
    replay(asked)
    replay(changed)
    assert value(replay(asked)) == {"n": 1}


def test_a_read_after_the_change_is_not_out_of_date() -> None:
    """What was recorded after the object's last change may be told again, also where an earlier change comes late."""
    urn = "urn:a"
    conversation = [
        (call(Op.UPDATE, session(1), urn, n=1), answer()),
        (call(Op.UPDATE, session(1), urn, n=2), answer()),
        (call(Op.READ, session(1), urn), answer(n=2)),
    ]
    replay = replayer(recorded(*conversation))
    replay(conversation[0][0])
    replay(conversation[1][0])
    for _ in range(2):
        assert value(replay(call(Op.READ, session(1), urn))) == {"n": 2}
    late = replayer(recorded(*conversation))
    late(conversation[1][0])
    late(conversation[0][0])
    for _ in range(2):
        assert value(late(call(Op.READ, session(1), urn))) == {"n": 2}


def test_a_list_with_one_object_twice() -> None:
    """A list that named one object twice is not answered for three, whatever is settled; nor for another order of two."""
    listed = create("Policy", 3, name="p", keys=[KEYS[0], KEYS[0], KEYS[1]]), answer(text=f"{KEYS[0]}+{KEYS[1]}")
    for known in (0, 1):
        replay, ids = begun([*keys(3), *settled(1), listed], 3)
        if known:
            replay(create("Use", 2, name="u0", key=ids[0]))
        for wrong in ([ids[0], ids[1], ids[2]], [ids[0], ids[1], ids[1]]):
            with pytest.raises(MissError):
                replay(create("Policy", 3, name="p", keys=wrong))
        assert value(replay(create("Policy", 3, name="p", keys=[ids[0], ids[0], ids[2]]))) == {"text": f"{ids[0]}+{ids[2]}"}

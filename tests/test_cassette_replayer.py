"""Replaying: the recorded answer, or a refusal that explains itself; never a wrong answer."""

import random

import pytest
from cassette_toy import Opened, Toy, answer, call, header, recorded, replayer, session
from msgspec.structs import replace

from mockprovider.calls import Op, Reply, Status
from mockprovider.cassette import Cassette, Interaction, Recorder
from mockprovider.errors import AmbiguousError, CassetteError, MissError, UnsupportedError
from mockprovider.matching import encode
from mockprovider.protocols import by_name


def create(number=1, instance="east", urn="", **inputs):
    return call(Op.CREATE, session(number, instance), urn, **inputs)


def read(number=1, instance="east", urn="", preview=None, **inputs):
    return call(Op.READ, session(number, instance, preview=preview), urn, **inputs)


def id_of(found):
    return found.value["id"]


def test_an_answer_replays_equal():
    """A recorded answer comes back as the message that it was, on whatever session of that instance."""
    replay = replayer(recorded((create(1, name="a", tags=["x", "y"], seed=1), answer(id="1", none=None, list=[]))))
    reply = replay(create(7, name="a", tags=["y", "x"], seed=2))
    assert reply.value == {"id": "1", "none": None, "list": []}
    assert reply.native.data == encode({"id": "1", "none": None, "list": []})


def test_a_status_replays_with_its_details():
    """A call that ended in a status ends in it again: code, message and details."""
    status = Status(14, "gone for lunch", b"\x00\xff")
    replay = replayer(recorded((create(name="a"), Reply(status=status)), (create(name="b"), Reply(status=Status(99)))))
    assert replay(create(name="a")).status == status
    assert replay(create(name="b")).status == Status(99)


def test_a_layer_that_replays_never_proceeds():
    """Used as a layer, a replayer answers by itself."""
    replay = replayer(recorded((read(), answer(id="1"))))
    assert id_of(replay(read(), lambda _: pytest.fail("proceeded"))) == "1"


@pytest.mark.parametrize("op", [Op.CREATE, Op.UPDATE, Op.DELETE])
def test_a_change_answers_once(op):
    """One recorded change answers one call; the next is told how often it was recorded, and that all were used."""
    replay = replayer(recorded((call(op, session()), answer()), (call(op, session()), answer())))
    replay(call(op, session()))
    replay(call(op, session()))
    with pytest.raises(MissError, match=r"recorded twice \(interaction 1, 2\), and all were used already"):
        replay(call(op, session()))


def test_a_change_in_a_preview_may_be_asked_again():
    """A previewed create changes nothing, so its answer may be given again; the real one is another call."""
    asked = call(Op.CREATE, session(), "urn:a", preview=True, dry=True)
    replay = replayer(recorded((asked, answer(id=""))))
    assert [id_of(replay(asked)) for _ in range(3)] == ["", "", ""]
    assert replay.library.unused() == []


def test_a_question_may_be_asked_again_if_the_answer_was_always_the_same():
    """What changes nothing and was always answered alike is answered as often as it is asked, and counted."""
    replay = replayer(recorded((read(1), answer(id="1")), (read(2), answer(id="1"))))
    assert [id_of(replay(read(number))) for number in range(1, 6)] == ["1"] * 5
    assert replay.library.repeats == 3


def test_drift_replays_in_order_and_ends():
    """Different answers of later sessions come in their order, and then no more: the last one could be out of date."""
    conversation = [(read(number), answer(id=str(number))) for number in (1, 2, 3)]
    replay = replayer(recorded(*conversation))
    assert [id_of(replay(read(4))) for _ in range(3)] == ["1", "2", "3"]
    with pytest.raises(MissError, match="recorded 3 times"):
        replay(read(4))


def test_calls_of_one_urn_keep_their_order():
    """A create that failed and then went well replays as that: an engine has one operation at a time on a URN."""
    conversation = [(create(urn="urn:a"), Reply(status=Status(14, "busy"))), (create(urn="urn:a"), answer(id="1"))]
    replay = replayer(recorded(*conversation))
    assert not replay(create(urn="urn:a")).ok
    assert id_of(replay(create(urn="urn:a"))) == "1"


def test_equal_creates_of_which_one_failed_are_refused():
    """Two creates of one session that no URN tells apart, one of which failed, are never guessed."""
    busy = Reply(status=Status(14, "busy"))
    replay = replayer(recorded((create(prefix="b-"), answer(id="b-1")), (create(prefix="b-"), busy)))
    with pytest.raises(AmbiguousError) as caught:
        replay(create(prefix="b-"))
    assert "2 answers to Create of cloud:index:Bucket" in str(caught.value)
    assert "cannot be told apart: interactions 1, 2" in str(caught.value)
    assert 'It asks: {"prefix":"b-"}' in str(caught.value)
    assert 'id: in 1 nothing, in 2 "b-1"' in str(caught.value)


def test_equal_creates_with_equal_answers_need_no_choice():
    """Two creates that were answered alike may be answered in any order."""
    replay = replayer(recorded(*[(create(prefix="b-"), answer())] * 2))
    assert replay(create(prefix="b-")).ok
    assert replay(create(prefix="b-")).ok


def test_creates_of_sessions_at_the_same_time_are_refused_too():
    """Two aliases with one configuration, at work at the same time, are no order either."""
    conversation = [(create(1), answer(id="1")), (create(2), answer(id="2")), (read(1), answer())]
    with pytest.raises(AmbiguousError, match="equally configured provider instances at the same time"):
        replayer(recorded(*conversation))(create(1))


def test_creates_of_sessions_after_each_other_are_in_order():
    """The same create in a later session, after a destroy, has the later answer."""
    conversation = [
        (create(1), answer(id="1")),
        (call(Op.DELETE, session(2), id="1"), answer()),
        (create(3), answer(id="3")),
    ]
    replay = replayer(recorded(*conversation))
    assert id_of(replay(create(11))) == "1"
    replay(call(Op.DELETE, session(12), id="1"))
    assert id_of(replay(create(13))) == "3"


def test_provider_instances_are_never_mixed_up():
    """The same request on two provider instances has each instance's answer, whatever the order."""
    conversation = [(read(1, "east"), answer(id="e")), (read(2, "west"), answer(id="w"))]
    replay = replayer(recorded(*conversation))
    assert id_of(replay(read(1, "west"))) == "w"
    assert id_of(replay(read(2, "east"))) == "e"
    with pytest.raises(MissError, match="recorded on the provider instance east; this call comes from north"):
        replay(read(3, "north"))


def test_calls_before_configuration_belong_to_no_instance():
    """A schema may be asked for before or after Configure, whenever it was recorded."""
    replay = replayer(recorded((call(Op.GET_SCHEMA, session(1, "")), answer(types=[]))))
    assert replay(call(Op.GET_SCHEMA, session(4, "east"))).value == {"types": []}


def test_sessions_left_out_do_not_bring_back_the_past():
    """After a change was replayed, answers of the sessions before it are past, also where one of them was never asked for."""
    conversation = [
        (read(1), answer(id="first plan")),
        (read(2), answer(id="second plan")),
        (call(Op.UPDATE, session(3), "", size=2), answer()),
        (read(4), answer(id="after the update")),
    ]
    replay = replayer(recorded(*conversation))
    assert id_of(replay(read(1))) == "first plan"
    replay(call(Op.UPDATE, session(2), "", size=2))
    assert id_of(replay(read(3))) == "after the update"


def test_an_answer_of_the_past_is_refused():
    """Where only answers from before a replayed change are left, the call is refused and told why."""
    conversation = [
        (read(1), answer(id="1")),
        (read(2), answer(id="2")),
        (call(Op.UPDATE, session(3), "", size=2), answer()),
    ]
    replay = replayer(recorded(*conversation))
    replay(call(Op.UPDATE, session(1), "", size=2))
    with pytest.raises(MissError, match="an answer of the past"):
        replay(read(2))


@pytest.mark.parametrize("op", [Op.READ, Op.IMPORT])
@pytest.mark.parametrize("urn", ["", "urn:a"])
def test_a_read_is_not_repeated_after_its_object_was_changed(urn, op):
    """What an object looked like is not told again after it was deleted; another object may still be looked at."""

    def looked(number, name):
        asked = call(op, session(number), urn and f"urn:{name}", id=name)
        asked.id = name
        return asked

    gone = call(Op.DELETE, session(2), urn, id="a")
    gone.id = "a"
    replay = replayer(recorded((looked(1, "a"), answer()), (looked(1, "b"), answer()), (gone, answer())))
    replay(looked(1, "a"))
    replay(looked(1, "a"))
    replay(gone)
    replay(looked(3, "b"))
    with pytest.raises(MissError, match="out of date"):
        replay(looked(3, "a"))


def test_phases_and_previews_choose_among_different_answers():
    """Where answers differ, those of the named phase and of the same kind of session are taken."""
    recorder = Recorder(Toy(), header())
    for number, phase in enumerate(("plan", "refresh"), 1):
        recorder.phase = phase
        recorder(read(number, urn="urn:a"), lambda _, phase=phase: answer(id=phase))
    recorder(read(3, urn="urn:b", preview=True), lambda _: answer(id="previewed"))
    recorder(read(4, urn="urn:b", preview=False), lambda _: answer(id="real"))
    replay = replayer(recorder.close())
    replay.library.phase = "refresh"
    assert id_of(replay(read(1, urn="urn:a"))) == "refresh"
    assert id_of(replay(read(1, urn="urn:b", preview=False))) == "real"


@pytest.mark.trial("interleavings", pinned=10, cases=2000)
def test_the_interleaving_does_not_matter(seeds):
    """Any order that keeps each URN's calls in theirs replays the same answers per URN."""
    urns = [f"urn:{name}" for name in "abcdef"]
    conversation = [(create(urn=urn, size=n), answer(id=f"{urn}/{n}")) for urn in urns for n in (1, 1, 2)]
    for seed in seeds:
        replay = replayer(recorded(*conversation))
        calls = [(urn, n) for urn in urns for n in (1, 1, 2)]
        order = random.Random(seed).sample(calls, len(calls))
        assert {id_of(replay(create(urn=urn, size=n))) for urn, n in order} == {f"{urn}/{n}" for urn, n in calls}
        assert replay.library.unused() == []


def test_a_miss_names_the_nearest_call():
    """A call that was never recorded is told what was nearest, where it differs, how often that was used, and what to do."""
    conversation = [
        (create(urn="urn:b", name="b", size=1), answer()),
        (create(urn="urn:a", name="a", size=1, tags=["x"]), answer()),
        (read(urn="urn:a"), answer()),
    ]
    with pytest.raises(MissError) as caught:
        replayer(recorded(*conversation))(create(urn="urn:a", name="a", size=2))
    assert str(caught.value).splitlines() == [
        "the recording holds no answer to Create of urn:a (provider instance east).",
        "Nearest is interaction 1 (Create of urn:a, session 1), used 0 times.",
        "Its request differs:",
        "  size: recorded 1, now 2",
        '  tags: recorded ["x"], now nothing',
        "Next are:",
        "  interaction 3 (Create of urn:b, session 1), used 0 times, which differs in name, size",
        "Make the engine send what was recorded. To record it again: --provider-record=all (pytest), or mockprovider record.",
    ]


def test_a_miss_prefers_the_same_type_to_another():
    """Without the URN, the nearest call is one of the same type, even if another type's request is more alike."""
    conversation = [
        (call(Op.CREATE, session(), type_="cloud:index:Queue", size=1), answer()),
        (call(Op.CREATE, session(), size=9, name="x"), answer()),
    ]
    with pytest.raises(MissError, match="cloud:index:Bucket, session 1"):
        replayer(recorded(*conversation))(create(size=2))


def test_a_miss_shows_a_bounded_number_of_differences():
    """A call that differs everywhere is told the first few places, and how many there are more."""
    many = {f"key{n:02}": n for n in range(20)}
    with pytest.raises(MissError, match="and 12 more"):
        replayer(recorded((create(**many), answer())))(create())


@pytest.mark.parametrize("urn", ["", "urn:a"])
def test_a_removed_create_is_named(urn):
    """Where the create was taken out of a cassette, the miss says so, and does not go by the delete of the same method."""
    created, deleted = (
        replace(call(op, session(), urn, **inputs), method="Apply")
        for op, inputs in ((Op.CREATE, {"name": "a"}), (Op.DELETE, {"id": "a"}))
    )
    cassette = recorded((created, answer(id="a")), (deleted, answer()))
    cassette.interactions = [kept for kept in cassette.interactions if kept.op != Op.CREATE]
    with pytest.raises(MissError) as caught:
        replayer(cassette)(created)
    whose = urn or "cloud:index:Bucket"
    assert f"No create of {whose} is in it, only delete: that create was never recorded, or was removed." in str(caught.value)
    assert "Nearest" not in str(caught.value)


def test_a_create_that_is_not_recorded_for_this_urn():
    """A create of another object is still the nearest call, beside the line that this one's is not there."""
    other = call(Op.CREATE, session(), "urn:b", name="b"), answer()
    cassette = recorded(other, (call(Op.DELETE, session(), "urn:a", id="a"), answer()))
    with pytest.raises(MissError, match=r"No create of urn:a is in it, only delete: .*\n.*Nearest is .*urn:b"):
        replayer(cassette)(call(Op.CREATE, session(), "urn:a", name="a"))


def test_an_empty_cassette_says_so():
    """A call that meets a cassette in which nothing was recorded is told just that."""
    with pytest.raises(MissError, match="It is empty: nothing was recorded"):
        replayer(recorded())(create())


def test_a_method_that_was_never_recorded_is_named():
    """A call of a method that the cassette has not at all is told which methods it has."""
    with pytest.raises(MissError, match="No Delete was recorded at all, only Create, Read"):
        replayer(recorded((create(), answer()), (read(), answer())))(call(Op.DELETE, session()))


def test_what_was_not_used_is_told():
    """The recorded changes that no one asked for can be listed at the end."""
    replay = replayer(recorded((create(name="a"), answer()), (create(name="b"), answer()), (read(), answer())))
    replay(create(name="b"))
    assert [each.request for each in replay.library.unused()] == [{"name": "a"}]


def test_another_protocol_is_refused():
    """A cassette of one protocol does not answer another's calls."""
    replay = replayer(recorded((read(), answer())))
    asked = read()
    asked.session.protocol = by_name("tfplugin6")
    with pytest.raises(CassetteError, match="recorded over toy, and the engine speaks tfplugin6"):
        replay(asked)


def test_what_cannot_be_replayed_is_refused():
    """Calls that the protocol cannot replay, and withheld answers, are refused with their reason."""
    withheld = Interaction(n=1, session=1, op="read", method="Read", type="t", request={}, withheld="it holds a secret")
    with pytest.raises(UnsupportedError, match=r"interaction 1 \(Read\) cannot be replayed.*it holds a secret"):
        replayer(Cassette(header(), [withheld]))(call(Op.READ, session(1, ""), type_="t"))
    with pytest.raises(UnsupportedError, match="cannot be replayed yet: the way back is not built"):
        replayer(recorded())(call(Op.CONSTRUCT, session()))


def test_details_that_the_protocol_opens_come_back():
    """Details that were recorded as a tree are packed again."""
    status = Status(2, "half made", encode({"id": "1"}))
    cassette = recorded((create(), Reply(status=status)), transcriber=Opened())
    assert replayer(cassette, Opened())(create()).status == status

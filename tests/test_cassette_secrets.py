"""Secrets on replay: what the engine sends comes back, what only the provider knew has a stand-in, and nothing is mixed up."""

import pytest
from cassette_toy import Opened, Toy, answer, call, recorded, replayer, secret, session

from mockprovider.calls import Op, Reply, Status
from mockprovider.errors import AmbiguousError, MissError
from mockprovider.matching import encode
from mockprovider.redaction import Redactor

OLD, NEW, LIVE, OTHER = "recorded-password", "recorded-successor", "live-password", "live-successor"


def create(urn="", **inputs):
    return call(Op.CREATE, session(), urn, **inputs)


def diff(old, new, urn="urn:a"):
    return call(Op.DIFF, session(), urn, olds={"password": secret(old)}, news={"password": secret(new)})


def test_what_the_engine_sends_comes_back():
    """A secret of today's run is matched by the recorded one's placeholder, and stands wherever that stood in the answer."""
    echo = answer(password=secret(OLD), url=f"db://user:{OLD}@host", json=encode({"p": OLD}).decode())
    replay = replayer(recorded((create(password=secret(OLD)), echo)))
    reply = replay(create(password=secret('li"ve')))
    assert reply.value == {"password": secret('li"ve'), "url": 'db://user:li"ve@host', "json": encode({"p": 'li"ve'}).decode()}


def test_later_answers_know_it_too():
    """A secret that came with one call is filled into the answers of others, where the recording had the same."""
    conversation = [
        (create("urn:a", password=secret(OLD)), answer()),
        (call(Op.READ, session(), "urn:a"), answer(url=f"db://{OLD}@host")),
    ]
    replay = replayer(recorded(*conversation))
    replay(create("urn:a", password=secret(LIVE)))
    assert replay(call(Op.READ, session(), "urn:a")).value == {"url": f"db://{LIVE}@host"}


def test_a_secret_of_the_provider_has_a_stand_in_of_its_type():
    """A generated secret replays as a value of the same type, the same in every replay, and the engine may send it back."""
    made = answer(result=secret("generated-1"), port=secret(4711), on=secret(True), all=secret({"a": ["generated-2"]}))
    conversation = [(create("urn:a"), made), (create("urn:b", password="generated-1"), answer(url="x:generated-1"))]
    cassette = recorded(*conversation)
    one, other = (replayer(cassette)(create("urn:a")).value for _ in range(2))
    assert one == other
    assert [type(one[name]["value"]) for name in ("result", "port", "on", "all")] == [str, int, bool, dict]
    replay = replayer(cassette)
    result = replay(create("urn:a")).value["result"]["value"]
    assert replay(create("urn:b", password=result)).value == {"url": f"x:{result}"}


def test_an_undeclared_secret_still_matches():
    """A request that no longer declares what the recording hid matches by its other parts, and the value comes back."""
    cassette = recorded((create(password=OLD, url=f"db:{OLD}"), answer(echo=OLD)), redactor=Redactor(["password"]))
    cassette.header.secrets = {}
    replay = replayer(cassette)
    assert replay(create(password=LIVE, url=f"db:{LIVE}")).value == {"echo": LIVE}


def test_a_text_that_is_not_like_the_recorded_one_does_not_match():
    """Around a secret inside a string, the rest of the string counts."""
    cassette = recorded((create(password=OLD, url=f"db:{OLD}"), answer()), redactor=Redactor(["password"]))
    cassette.header.secrets = {}
    with pytest.raises(MissError, match="url: recorded"):
        replayer(cassette)(create(password=LIVE, url=f"dx:{LIVE}"))


def test_one_placeholder_is_one_value():
    """Where the recording had one secret twice, two different values are another request."""
    cassette = recorded((diff(OLD, OLD), answer(changes=False)))
    assert replayer(cassette)(diff(LIVE, LIVE)).value == {"changes": False}
    with pytest.raises(MissError, match="differs in secrets only"):
        replayer(cassette)(diff(LIVE, OTHER))


def test_two_placeholders_are_two_values():
    """Where the recording had two secrets, one value for both is another request: its diff would be wrong."""
    cassette = recorded((diff(OLD, NEW), answer(changes=True)))
    assert replayer(cassette)(diff(LIVE, OTHER)).value == {"changes": True}
    with pytest.raises(MissError, match="differs in secrets only"):
        replayer(cassette)(diff(LIVE, LIVE))


def test_a_rotated_secret_is_another_one():
    """After the password was changed in the recording, a value that was bound before does not stand for its successor."""
    conversation = [(diff(OLD, OLD), answer(changes=False)), (diff(OLD, NEW), answer(changes=True))]
    replay = replayer(recorded(*conversation))
    assert replay(diff(LIVE, LIVE)).value == {"changes": False}
    assert replay(diff(LIVE, OTHER)).value == {"changes": True}
    with pytest.raises(MissError):
        replay(diff(OTHER, LIVE))


@pytest.mark.parametrize("on", [True, False])
def test_secret_booleans_are_told_apart(on):
    """There are two booleans, and a recorded change from one to the other is not taken for none."""
    cassette = recorded((diff(True, False), answer(changes=True)))
    assert replayer(cassette)(diff(on, not on)).value == {"changes": True}
    with pytest.raises(MissError):
        replayer(cassette)(diff(on, on))


def test_requests_that_differ_in_secrets_are_told_apart_once_bound():
    """Two creates that differ in their passwords get each its answer, when earlier calls have shown which password is whose."""
    conversation = [
        (create("urn:a", password=secret(OLD)), answer()),
        (create("urn:b", password=secret(NEW)), answer()),
        (create(password=secret(OLD)), answer(id="old")),
        (create(password=secret(NEW)), answer(id="new")),
    ]
    replay = replayer(recorded(*conversation))
    replay(create("urn:b", password=secret(OTHER)))
    replay(create("urn:a", password=secret(LIVE)))
    assert replay(create(password=secret(OTHER))).value == {"id": "new"}
    assert replay(create(password=secret(LIVE))).value == {"id": "old"}


def test_requests_that_differ_in_secrets_only_are_refused_unbound():
    """Without such a hint, two creates that differ in their passwords alone and have different answers are not guessed."""
    conversation = [(create(password=secret(value)), answer(id=value[-3:])) for value in (OLD, NEW)]
    with pytest.raises(AmbiguousError):
        replayer(recorded(*conversation))(create(password=secret(LIVE)))


def test_answers_that_only_echo_their_secrets_need_no_choice():
    """Two validations that differ in their passwords and only echo them are answered in any order, each with its own."""
    conversation = [(call(Op.CHECK, session(), password=secret(value)), answer(password=secret(value))) for value in (OLD, NEW)]
    replay = replayer(recorded(*conversation))
    for value in (LIVE, OTHER, LIVE):
        assert replay(call(Op.CHECK, session(), password=secret(value))).value == {"password": secret(value)}


def test_messages_hold_no_secrets():
    """A miss shows neither the recorded secret nor today's, wherever they stand."""
    cassette = recorded((create(password=secret(OLD), name=f"for {OLD}"), answer()), transcriber=Toy(("token",)))
    with pytest.raises(MissError) as caught:
        replayer(cassette, Toy(("token",)))(create(password=secret(LIVE), token=OTHER, name=f"for {LIVE}, {OTHER}", more=1))
    assert "more: recorded nothing, now 1" in str(caught.value)
    for value in (OLD, LIVE, OTHER):
        assert value not in str(caught.value)


def test_secrets_in_statuses_come_back():
    """A partial failure's message and details get today's secret back."""
    status = Status(2, f"cannot use {OLD}", encode({"properties": {"password": OLD}}))
    cassette = recorded((create(password=secret(OLD)), Reply(status=status)), transcriber=Opened())
    assert b"recorded-password" not in encode(cassette.interactions)
    reply = replayer(cassette, Opened())(create(password=secret(LIVE)))
    assert reply.status == Status(2, f"cannot use {LIVE}", encode({"properties": {"password": LIVE}}))

"""Recordings of engines that call the double in process, where nobody names an RPC."""

from __future__ import annotations

import json

import pytest
from builders import BUCKET, TOKEN, URN
from msgspec.structs import replace

from mockprovider.calls import Call, Failure, Op, Reply
from mockprovider.double import Double, Wiring, attached, recording, replaying
from mockprovider.errors import DefinitionError
from mockprovider.schema import Property, ResourceType

MINE = {"type": TOKEN, "urn": URN, "name": "logs"}


def pulumi(double):
    """The replies to a create, a read and a delete."""
    session = double.open()
    made = double(Call(op=Op.CREATE, session=session, inputs={"acl": "public"}, **MINE))
    read = double(Call(op=Op.READ, session=session, id=made.id, **MINE))
    gone = double(Call(op=Op.DELETE, session=session, id=made.id, prior=made.value, **MINE))
    return [(each.ok, each.id, each.value) for each in (made, read, gone)]


@pytest.fixture
def cassette(tmp_path):
    """A cassette of ``pulumi``, and its replies."""
    path = tmp_path / "life.json"
    with Double(BUCKET, provider=recording(path, Wiring("cloud"))) as double:
        replies = pulumi(double)
    return path, replies


def test_calls_without_a_method_are_recorded_under_their_rpc(cassette):
    """A call made in process, which need not say which RPC it is, is recorded as the RPC that asks for its op."""
    _, *interactions = json.loads(cassette[0].read_text())

    assert sorted(each["method"] for each in interactions) == ["Create", "Delete", "Read"]


def test_what_was_recorded_in_process_replays_there_and_over_the_wire(cassette):
    """Such a recording answers an engine in process and one behind gRPC alike."""
    path, replies = cassette
    with Double(provider=replaying(path)) as double:
        assert pulumi(double) == replies
    with Double(provider=replaying(path)) as double, double.serve().client() as client:
        assert pulumi(client) == replies


@pytest.mark.parametrize(("family", "op"), [("pulumi", Op.CREATE), ("terraform", Op.PLAN)])
def test_what_is_sent_is_what_is_recorded(family, op, tmp_path):
    """A recorded answer of the fake is encoded once: the engine gets the message that stands with the reply."""
    wiring = recording(tmp_path / "life.json", Wiring("cloud"), family)
    with Double(BUCKET, provider=wiring) as double, double.serve(family).client() as client:
        answer = client(Call(op=op, session=client.open(), inputs={"acl": "public"}, **MINE))
        (entry,) = double.journal.entries(op=op)

    assert answer.ok
    assert entry.reply.native.data == answer.native.data
    assert entry.reply.native.message == answer.native.message


@pytest.mark.parametrize("family", ["pulumi", "terraform"])
def test_what_a_layer_changes_is_sent(family, tmp_path):
    """A layer in front of a recorded fake changes what the engine gets, and not what is recorded."""

    def changed(call, proceed):
        reply = proceed(call)
        return replace(reply, failures=(Failure("no such luck"),)) if call.op is Op.CHECK else reply

    path = tmp_path / "life.json"
    wiring = recording(path, Wiring("cloud"), family)
    with Double(BUCKET, provider=wiring, layers=(changed,)) as double, double.serve(family).client() as client:
        answer = client(Call(op=Op.CHECK, session=client.open(), inputs={"acl": "public"}, **MINE))

    assert [failure.reason for failure in answer.failures] == ["no such luck"]
    assert "luck" not in path.read_text()


def test_recording_leaves_a_reply_as_it_is(tmp_path):
    """A provider may answer two RPCs with one reply: its recorder does not write a message into it."""
    reply = Reply(id="b-1", value={"acl": "public"})
    with Double(provider=recording(tmp_path / "life.json", lambda _: reply)) as double:
        made, read, _ = pulumi(double)

    assert made == read == (True, "b-1", {"acl": "public"})
    assert reply.native is None


def test_terraform_calls_without_a_method(tmp_path):
    """In Terraform's protocol, too, an op names its RPC."""
    path = tmp_path / "life.json"

    def planned(double):
        session = double.open("tfplugin6", package="cloud")
        return double(Call(op=Op.PLAN, session=session, type=TOKEN, inputs={"acl": "public"}))

    with Double(BUCKET, provider=recording(path, Wiring("cloud"), "terraform")) as double:
        planned(double)
    with Double(BUCKET, provider=replaying(path)) as double:
        assert planned(double).ok

    assert [each["method"] for each in json.loads(path.read_text())[1:]] == ["PlanResourceChange"]


def test_a_provider_that_runs_already_is_recorded(tmp_path):
    """A provider that somebody else has started is attached to, recorded, and replayed when it is gone."""
    path = tmp_path / "life.json"
    with Double(BUCKET) as theirs, theirs.serve() as serving:
        with Double(provider=recording(path, attached(serving.address, name="cloud"))) as ours:
            replies = pulumi(ours)
        assert [each.call.op for each in theirs.journal.entries()] == [Op.CREATE, Op.READ, Op.DELETE]

    with Double(provider=replaying(path)) as double:
        assert pulumi(double) == replies


@pytest.mark.parametrize("target", ["cloud", "127.0.0.1", "127.0.0.1:x", ":1"])
def test_what_is_no_address_is_refused(target):
    """An address that could never be reached is refused at once, with one that could."""
    with pytest.raises(DefinitionError, match=r"is no address\. Write it as host:port"):
        attached(target)


NAMED = ResourceType("dns:index:Zone", {"name": Property(str, auto_name=True)})


def shaken(double):
    """What a provider of each package answers to the handshake, in sessions of one time."""
    sessions = {name: double.open(package=name) for name in ("dns", "cloud")}
    answers = {name: double(Call(op=Op.HANDSHAKE, session=session)).extra for name, session in sessions.items()}
    for name, session in sessions.items():
        session.instance = f"urn:pulumi:dev::shop::pulumi:providers:{name}::default"
        double(Call(op=Op.CONFIGURE, session=session, urn=session.instance, inputs={}))
    return {name: answer.get("supports_autonaming_configuration", False) for name, answer in answers.items()}


def test_first_calls_of_several_packages_are_told_apart(tmp_path):
    """A handshake names nothing; which answer is meant is known by the package whose provider the session became."""
    path = tmp_path / "packages.json"
    with Double(BUCKET, NAMED, provider=recording(path, Double(BUCKET, NAMED))) as double:
        assert shaken(double) == {"dns": True, "cloud": False}
    with Double(BUCKET, NAMED, provider=replaying(path)) as double:
        assert shaken(double) == {"dns": True, "cloud": False}


def test_a_double_knows_whether_it_has_a_cassette(tmp_path):
    """A double that records or replays says so; a fake and a provider of one's own have no cassette."""
    path = tmp_path / "life.json"
    with Double(BUCKET, provider=recording(path)) as records:
        records(Call(op=Op.CREATE, session=records.open(), type=TOKEN, inputs={}))
        assert records.has_cassette
    assert Double(provider=replaying(path)).has_cassette
    assert not Double().has_cassette
    assert not Double(provider=lambda _: Reply()).has_cassette

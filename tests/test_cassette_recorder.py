"""Recording: what is written down, and when."""

import threading

import pytest
from cassette_toy import TYPE, Opened, Toy, answer, call, header, recorded, secret, session

from mockprovider.calls import Failure, Op, Reply, Status
from mockprovider.cassette import Memory, Recorder
from mockprovider.cassette.model import Sent
from mockprovider.errors import CassetteError, PluginError, UnsupportedError
from mockprovider.matching import encode
from mockprovider.redaction import Redactor


class Listening(Memory):
    """A sink that notes what it is given."""

    def __init__(self):
        super().__init__()
        self.heard = []

    def ready(self):
        self.heard.append("ready")

    def sending(self, sent):
        self.heard.append(f"sending {sent.method}")
        return 1

    def append(self, interaction, note=0):
        self.heard.append(interaction.method)
        return interaction


def test_the_reply_is_handed_on_as_it_is():
    """What the provider answered reaches the engine as the same object."""
    reply = answer(arn="arn:1")
    assert Recorder(Toy(), header())(call(Op.CREATE, session()), lambda _: reply) is reply


def test_an_answer_is_kept_before_it_is_handed_on():
    """The sink is told of a call that changes the cloud before it goes out, and has the answer before the engine."""
    sink = Listening()
    recorder = Recorder(Toy(), header(), sink)
    recorder(call(Op.CREATE, session(), name="a"), lambda _: sink.heard.append("sent") or answer())
    recorder(call(Op.READ, session(), name="a"), lambda _: sink.heard.append("sent") or answer())
    assert sink.heard == ["sending Create", "sent", "Create", "ready", "sent", "Read"]


def test_what_the_answer_declares_is_gone_from_its_request():
    """A request is redacted again before it is kept, when its own answer has declared something in it."""
    sink, kept = Memory(), []
    sink.append = lambda interaction, note=0: kept.append(encode(interaction)) or interaction
    recorder = Recorder(Toy(), header(), sink)
    recorder(call(Op.CREATE, session(), "urn:a", plain="swordfish-9"), lambda _: answer(key=secret("swordfish-9")))
    assert "swordfish" not in str(kept)


def test_an_id_that_turns_out_to_be_secret():
    """An id that a later answer marks as secret is gone from the calls before, too."""
    recorder = Recorder(Toy(), header())
    recorder(call(Op.CREATE, session(), "urn:a"), lambda _: Reply(value={}, id="swordfish-1"))
    recorder(call(Op.READ, session(), "urn:a", id="swordfish-1"), lambda _: answer(key=secret("swordfish-1")))
    assert [interaction.id for interaction in recorder.close().interactions] == ["", ""]


def addressed(op, address, reply=None, **inputs):
    """A call with an address, and what it is answered."""
    asked = call(op, session(), **inputs)
    asked.address = address
    return asked, lambda _: reply or answer()


def test_the_address_is_recorded_beside_the_request():
    """A call's address is kept, and it is no part of what the call is matched by."""
    recorder = Recorder(Toy(), header())
    recorder(*addressed(Op.CREATE, "cloud_bucket.b[0]", name="a"))
    recorder(*addressed(Op.CREATE, "", name="a"))
    without, has = recorder.close().interactions
    assert (has.address, without.address) == ("cloud_bucket.b[0]", "")
    assert has.request == without.request
    assert b"address" not in encode(without)


def test_an_address_with_a_secret_is_left_out():
    """A key that turns out to be secret is in no address of the cassette, and in no note or line before that."""
    sink, seen = Memory(), []
    sink.sending = lambda sent: seen.append(sent.address) or 1
    sink.append = lambda interaction, note=0: seen.append(interaction.address) or interaction
    recorder = Recorder(Toy(), header(), sink)
    recorder(*addressed(Op.CREATE, 'cloud_bucket.b["swordfish-9"]'))
    recorder(*addressed(Op.CREATE, 'cloud_bucket.b["swordfish-9"]', answer(key=secret("swordfish-9"))))
    recorder(*addressed(Op.CREATE, 'cloud_bucket.b["swordfish-9"]'))
    before = 'cloud_bucket.b["swordfish-9"]'
    assert seen == [before, before, before, "", "", ""]
    assert [interaction.address for interaction in recorder.close().interactions] == ["", "", ""]


@pytest.mark.parametrize(
    ("password", "key"),
    [
        ("swordfish-9", "swordfish-9"),
        ("swordfish-9", "not swordfish-9 at all"),
        ("sword${fish}", "sword$${fish}"),
        ("sword%{fish}", "sword%%{fish}"),
        ('sword"fish', 'sword\\"fish'),
        ("sword\\fish", "sword\\\\fish"),
        ("sword\nfish", "sword\\nfish"),
        ("sword\u00fcfish", "sword\u00fcfish"),
    ],
)
def test_a_secret_in_an_address_is_found_as_engines_write_it(password, key):
    """A secret that is a key, or a part of one, is found with the escapes that keys have."""
    recorder = Recorder(Toy(), header())
    recorder(*addressed(Op.CREATE, f'module.m["{key}"].cloud_bucket.b[0]', key=secret(password)))
    recorder(*addressed(Op.CREATE, 'module.m["$${x}"].cloud_bucket.b[0]', key=secret(password)))
    assert {interaction.address for interaction in recorder.close().interactions} == {"", 'module.m["$${x}"].cloud_bucket.b[0]'}


@pytest.mark.parametrize(
    ("sent", "text"),
    [
        (
            Sent(op="create", method="Create", type=TYPE, address="cloud_bucket.b[0]", name="b"),
            f"create {TYPE} cloud_bucket.b[0]",
        ),
        (Sent(op="create", method="Create", type=TYPE, urn="urn:a", address="x"), f"create {TYPE} urn:a"),
    ],
)
def test_a_note_names_the_address(sent, text):
    """What may exist in the cloud after a crash is named by its address, where it has no URN."""
    assert str(sent) == text


def test_an_interaction_says_who_asked_what():
    """An interaction has the session, phase, instance, type, URN and id, and the request without what differs between runs."""
    recorder = Recorder(Toy(), header())
    recorder.phase = "up"
    asked = call(Op.CREATE, session(5, "east"), "urn:a", name="a", tags=["y", "x"], address="127.0.0.1:4711", seed="r")
    recorder(asked, lambda _: Reply(value={"arn": "arn:1"}, id="id-1"))
    (found,) = recorder.close().interactions
    assert (found.n, found.session, found.phase, found.op, found.method) == (1, 1, "up", "create", "Create")
    assert (found.instance, found.type, found.urn, found.id) == ("east", TYPE, "urn:a", "id-1")
    assert found.request == {"name": "a", "tags": ["x", "y"]}
    assert found.response == {"arn": "arn:1"}
    assert found.direction == "provider"


def test_the_id_of_a_provider_is_not_kept():
    """The provider's own id is new in each stack, so it is in no slot."""
    asked = call(Op.CONFIGURE, session())
    asked.id = "0b2c7e3c-uuid"
    assert recorded((asked, answer())).interactions[0].id == ""


def test_a_status_is_kept_with_its_details():
    """A call that ended in a status is recorded with code, message and details, by name where gRPC has one."""
    conversation = [
        (call(Op.READ, session(), "urn:a"), Reply(status=Status(14, "gone for lunch", b"\x00\xff"))),
        (call(Op.READ, session(), "urn:b"), Reply(status=Status(99, "odd"))),
    ]
    one, other = recorded(*conversation).interactions
    assert (one.status.code, one.status.message, one.status.details) == ("UNAVAILABLE", "gone for lunch", "AP8=")
    assert (other.status.code, other.status.details) == ("99", None)
    assert one.response is None


def test_a_failure_travels_as_the_protocol_says():
    """A failure of an in-process provider is recorded as the status that the protocol makes of it."""
    failed = Reply(value={"half": "made"}, failures=(Failure("timed out"),))
    (found,) = recorded((call(Op.CREATE, session(), "urn:a"), failed), transcriber=Opened()).interactions
    assert (found.status.code, found.status.message, found.status.details) == ("UNKNOWN", "timed out", {"half": "made"})


def test_what_a_provider_raises_is_no_answer():
    """An error of ours passes through and leaves no interaction."""

    def dies(_):
        raise PluginError("it died")

    recorder = Recorder(Toy(), header())
    with pytest.raises(PluginError):
        recorder(call(Op.CREATE, session()), dies)
    assert recorder.close().interactions == []


def test_what_cannot_be_recorded_never_reaches_the_provider():
    """A call that the protocol cannot record yet is refused with the reason, before anything happens."""
    recorder = Recorder(Toy(), header())
    with pytest.raises(UnsupportedError, match=r"Construct .*cannot be recorded yet: the way back is not built"):
        recorder(call(Op.CONSTRUCT, session()), lambda _: pytest.fail("the provider was asked"))


def test_a_call_after_the_end_is_an_error():
    """A call that comes after the recording has ended is told so, and closing twice gives the same cassette."""
    recorder = Recorder(Toy(), header())
    assert recorder.close() is recorder.close()
    with pytest.raises(CassetteError, match="had ended"):
        recorder(call(Op.READ, session()), lambda _: answer())


def test_no_lock_is_held_while_the_provider_works():
    """Two calls are in the provider at the same time."""
    both = threading.Barrier(2, timeout=60)
    recorder = Recorder(Toy(), header())

    def ask(name):
        recorder(call(Op.CREATE, session(), name), lambda _: both.wait() is None or answer())

    threads = [threading.Thread(target=ask, args=(name,)) for name in ("urn:a", "urn:b")]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert len(recorder.close().interactions) == 2


def test_secrets_are_gone_before_the_sink():
    """What is declared secret, by an object, by name or by the protocol, and its echoes, are not in what the sink is given."""
    sink = Memory()
    kept = []
    sink.append = lambda interaction, note=0: kept.append(encode(interaction)) or interaction
    recorder = Recorder(Toy(secrets=("result",)), header(), sink, Redactor(["password"]))
    asked = call(Op.CREATE, session(), "urn:a", password="swordfish-1", token=secret("swordfish-2"))
    recorder(asked, lambda _: Reply(value={"result": "swordfish-3", "url": "x:swordfish-1@swordfish-2"}, id="swordfish-3"))
    recorder(call(Op.READ, session(), "urn:a"), lambda _: Reply(status=Status(2, "no swordfish-3 here")))
    assert b"swordfish" not in b"".join(kept)


def test_a_secret_declared_late_is_gone_from_the_cassette():
    """What was written before anyone called it secret is without it in the finished cassette."""
    conversation = [
        (call(Op.READ, session(), "urn:a", name="plain"), answer(note="swordfish-1 is not secret yet")),
        (call(Op.READ, session(), "urn:b"), answer(token=secret("swordfish-1"))),
    ]
    assert b"swordfish" not in encode(recorded(*conversation).interactions)


def test_an_answer_that_cannot_be_redacted_is_withheld():
    """A secret in bytes that count only as a whole keeps the answer out of the cassette, with the reason in its place."""
    bytes_of_it = Toy().details(b"..swordfish-1..")
    conversation = [
        (call(Op.CREATE, session(), "urn:a", token=secret("swordfish-1")), answer(**{"$raw": bytes_of_it})),
        (call(Op.CREATE, session(), "urn:b"), Reply(status=Status(2, "half made", b"..swordfish-1.."))),
        (call(Op.CREATE, session(), "urn:c"), Reply(status=Status(2, "half made", b"..others.."))),
    ]
    one, two, three = recorded(*conversation).interactions
    assert (one.response, two.status) == (None, None)
    assert "cannot be redacted" in one.withheld
    assert "cannot be redacted" in two.withheld
    assert (three.withheld, three.status.details) == ("", Toy().details(b"..others.."))


def test_a_session_without_a_name_is_named_by_its_configuration():
    """Where the protocol names no instance, the redacted configuration does: equal ones agree, and no credential counts."""

    def configured(number, **config):
        where = session(number, "")
        return [
            (call(Op.CONFIGURE, where, type_="", **config), answer()),
            (call(Op.READ, where), answer(zone=config["zone"])),
        ]

    sessions = (
        configured(1, zone="east", key=secret("swordfish-1")),
        configured(2, zone="west", key=secret("swordfish-1")),
        configured(3, zone="east", key=secret("swordfish-2")),
    )
    # Each session's second call is made when its first has been answered.
    recorder = Recorder(Toy(), header())
    for asked, reply in (each for conversation in sessions for each in conversation):
        recorder(asked, lambda _, reply=reply: reply)
    reads = [each for each in recorder.close().interactions if each.method == "Read"]
    east = [each.instance for each in reads if each.response == {"zone": "east"}]
    (west,) = [each.instance for each in reads if each.response == {"zone": "west"}]
    assert len(east) == 2
    assert set(east) != {west}
    assert len(set(east)) == 1
    assert all(each.startswith("config-") for each in (*east, west))

"""What providers log, in recordings: with the call that it belongs to, redacted, shown again, and never matched."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from builders import TOKEN, URN, Port
from cassette_toy import Toy

from mockprovider.calls import Call, Op, Reply, Session
from mockprovider.cassette.listening import Asked, Listener, Speaker
from mockprovider.double import Double, Wiring, recording, replaying
from mockprovider.values import Secret

OTHER = URN + "-other"
HUSH = "correct horse battery staple"
SPEAKER = Speaker("", Toy(), None)


def asked(urn: str = "") -> Asked:
    """A call about ``urn`` that has begun."""
    return Asked(SPEAKER, Call(op=Op.CREATE, session=None, urn=urn), "", "", {}, frozenset())  # type: ignore[arg-type]


def test_whose_a_line_is():
    """A line goes to the call on the resource that it names, else to the newest in flight, else to the last answered."""
    port, late = Port(), []
    listener = Listener(port, lambda call, line: late.append((call, line[1])))
    one, two = asked(URN), asked(OTHER)
    listener.log("info", "nobody's")
    listener.begin(one)
    listener.begin(two)
    listener.log("info", "one's", URN)
    listener.log("info", "newest's")
    listener.log("info", "stranger's", "urn:elsewhere")
    assert [text for _, text, _ in listener.end(one, answered=True)] == ["one's"]
    assert [text for _, text, _ in listener.end(two, answered=False)] == ["newest's", "stranger's"]
    listener.log("info", "late")
    assert late == [(one, "late")]
    assert [text for _, text, _ in port.told] == ["nobody's", "one's", "newest's", "stranger's", "late"]


def test_lines_of_components():
    """A line about a component belongs to the call that constructs it, which has no URN yet; its children are others."""
    listener = Listener(Port(), lambda *_: None)
    calls = [
        Asked(SPEAKER, Call(op=Op.CONSTRUCT, session=None, type="cloud:index:Site", name=name), "", "", {}, frozenset())  # type: ignore[arg-type]
        for name in ("one", "two")
    ]
    for each in calls:
        listener.begin(each)
    listener.log("info", "one's", "urn:pulumi:dev::shop::cloud:index:Site::one")
    listener.log("info", "nested one's", "urn:pulumi:dev::shop::cloud:index:Group$cloud:index:Site::one")
    listener.log("info", "two's", "urn:pulumi:dev::shop::cloud:index:Site::two")
    listener.log("info", "another's", "urn:pulumi:dev::shop::cloud:index:Site$cloud:index:Page::one")
    assert [[text for _, text, _ in each.lines] for each in calls] == [["one's", "nested one's"], ["two's", "another's"]]


ASKED: Counter[Session] = Counter()


def chatty(call: Call) -> Reply:
    """A provider that talks: before and after it answers, and about what only its answer declares secret."""
    engine = call.session.engine
    assert engine is not None
    match call.op:
        case Op.CREATE:
            engine.log("warning", f"making {call.name} with {HUSH}", call.urn)
            engine.log("debug", "beginning to begin")
            engine.log("info", "made it")
            return Reply(id="b-1", value={"token": Secret(HUSH)})
        case Op.INVOKE:
            ASKED[call.session] += 1
            engine.log("info", f"asked {ASKED[call.session]} times")
            return Reply(value={"zone": "a"})
    return Reply()


def life(double: Double) -> Port:
    """Two equal questions, then a create; what the engine was told."""
    port = Port()
    session = double.open(engine=port)
    for _ in range(2):
        assert double(Call(op=Op.INVOKE, session=session, type="cloud:index:getZone", inputs={})).value == {"zone": "a"}
    double(Call(op=Op.CREATE, session=session, type=TOKEN, urn=URN, name="logs", inputs={"acl": "public"}))
    return port


@pytest.fixture
def cassette(tmp_path):
    """A recording of ``life``, and what its engine was told."""
    path = tmp_path / "chatty.json"
    with Double(provider=recording(path, Wiring("cloud", chatty))) as double:
        told = life(double).told
    return path, told


def test_lines_are_kept_with_their_calls(cassette):
    """A line is an interaction towards the engine, after its call, in the order of the telling; debugging is only passed on."""
    path, told = cassette
    assert [text for severity, text, _ in told if severity != "debug"] == [
        "asked 1 times",
        "asked 2 times",
        f"making logs with {HUSH}",
        "made it",
    ]
    assert ("debug", "beginning to begin", "") in told
    _, *kept = json.loads(path.read_text(encoding="utf-8"))
    create = next(each for each in kept if each["method"] == "Create")
    lines = [each for each in kept if each.get("parent") == create["n"]]
    assert [(each["op"], each["method"], each["direction"], each["response"]) for each in lines] == [
        ("log", "Log", "engine", {}),
        ("log", "Log", "engine", {}),
    ]
    assert [each["n"] for each in lines] == [create["n"] + 1, create["n"] + 2]
    assert lines[1]["request"]["message"] == "made it"


def test_secrets_in_lines_are_redacted(cassette):
    """A secret that only the answer declared is not in the file, also where it was logged before; a replay fills it in."""
    path, _ = cassette
    assert HUSH not in path.read_text(encoding="utf-8")
    with Double(provider=replaying(path)) as double:
        told = life(double).told
    assert told[2] == ("warning", "making logs with mockprovider-secret-1", URN)


def test_a_torn_recording_holds_no_secret_line(tmp_path):
    """Before the answer says what is secret, no line that was logged meanwhile is on the disk."""
    path = tmp_path / "chatty.json"
    draft = path.with_name("chatty.json.new")
    seen: list[str] = []

    def watched(call: Call) -> Reply:
        reply = chatty(call)
        seen.append(draft.read_text(encoding="utf-8"))
        return reply

    with Double(provider=recording(path, Wiring("cloud", watched))) as double:
        life(double)
        seen.append(draft.read_text(encoding="utf-8"))
    assert "made it" in seen[-1]
    assert not any(HUSH in each for each in seen)


def test_a_replay_shows_the_lines_again(cassette, caplog):
    """The engine is told what it was told, and Python's logging, too; equal questions stay equal whatever was logged."""
    path, told = cassette
    with caplog.at_level("DEBUG", "mockprovider.provider"), Double(provider=replaying(path)) as double:
        shown = life(double).told
        double.raise_errors()
    assert [each[0] for each in shown] == ["info", "info", "warning", "info"]
    assert shown[3] == told[4] == ("info", "made it", "")
    assert "made it" in caplog.text


def test_lines_of_calls_that_failed_are_not_kept(tmp_path):
    """A call that raised has no answer to replay, and so no lines either; the next one has its own."""
    path = tmp_path / "broken.json"

    def broken(call: Call) -> Reply:
        call.session.engine.log("info", f"in {call.op.value}")  # type: ignore[union-attr]
        if call.op is Op.READ:
            raise RuntimeError("gone")
        return Reply()

    with Double(provider=recording(path, Wiring("cloud", broken))) as double:
        session = double.open(engine=Port())
        with pytest.raises(RuntimeError, match="gone"):
            double(Call(op=Op.READ, session=session, type=TOKEN, urn=URN, id="1"))
        double(Call(op=Op.DELETE, session=session, type=TOKEN, urn=URN, id="1"))
    _, *kept = json.loads(path.read_text(encoding="utf-8"))
    assert [(each["method"], each.get("parent")) for each in kept] == [("Delete", None), ("Log", 1)]


def test_lines_after_the_answer_and_after_the_end(tmp_path):
    """A late line belongs to the last answered call; one after the end of the recording is passed on alone."""
    path, port = tmp_path / "late.json", Port()
    with Double(provider=recording(path, Wiring("cloud", chatty))) as double:
        session = double.open(engine=port)
        double(Call(op=Op.READ, session=session, type=TOKEN, urn=URN, id="1"))
        session.engine.log("info", "late")
    session.engine.log("info", "too late")
    _, *kept = json.loads(path.read_text(encoding="utf-8"))
    assert [(each["method"], each.get("parent")) for each in kept] == [("Read", None), ("Log", 1)]
    assert [text for _, text, _ in port.told] == ["late", "too late"]


def test_compact_recordings_drop_lines_with_their_calls(tmp_path):
    """A repeated question that is kept once is kept with the lines of that one alone."""
    path = tmp_path / "compact.json"
    with Double(provider=recording(path, Wiring("cloud", chatty), compact=True)) as double:
        life(double)
    _, *kept = json.loads(path.read_text(encoding="utf-8"))
    numbers = {each["n"]: each["method"] for each in kept}
    assert [numbers[each["parent"]] for each in kept if each["op"] == "log"] == ["Invoke", "Create", "Create"]
    with Double(provider=replaying(path)) as double:
        assert [text for _, text, _ in life(double).told][:2] == ["asked 1 times", "asked 1 times"]


def test_engines_that_take_no_logs(cassette):
    """A replay to an engine without a way for logs answers all the same."""
    path, _ = cassette
    with Double(provider=replaying(path)) as double:
        session = double.open()
        made = double(Call(op=Op.CREATE, session=session, type=TOKEN, urn=URN, name="logs", inputs={"acl": "public"}))
    assert made.id == "b-1"

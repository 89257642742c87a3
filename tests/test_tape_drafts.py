"""Drafts: recordings that take a cassette's place when they are whole and worth it, and lose nothing until then."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from cassette_toy import Toy, answer, call, session

from mockprovider import tape
from mockprovider.calls import Op, Reply
from mockprovider.errors import CassetteBusyError, CassetteError, CassetteMissingError, PluginError
from mockprovider.tape import Draft

BIG = "x" * tape.LARGE


def create(name, **inputs):
    """A call that makes something."""
    return call(Op.CREATE, session(), f"urn:{name}", name=name, **inputs)


def record(path, *names, **inputs):
    """Record the making of some things."""
    with tape.record(path, Toy(), protocol="toy") as recorder:
        for name in names:
            recorder(create(name, **inputs), lambda _, name=name: answer(id=name))
    return recorder


def urns(path, **options):
    """What a cassette holds."""
    return [interaction.urn for interaction in tape.load(path, **options).interactions]


def files(folder):
    """What lies in a folder, hidden things too."""
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def path(tmp_path):
    """Where a cassette will be."""
    return tmp_path / "it.json"


@pytest.fixture
def draft(path):
    """A draft that was recorded, beside no cassette."""
    draft = Draft(path)
    record(draft, "a")
    return draft


@pytest.fixture
def full(monkeypatch):
    """Has the disk take so many bytes more, and none after them."""
    write = os.write

    def fill(room):
        left = [room]

        def limited(file, data):
            part = data[: left[0]]
            left[0] -= len(part)
            if not part:
                raise OSError(28, "No space left on device")
            return write(file, part)

        monkeypatch.setattr(os, "write", limited)

    return fill


def test_keep(path):
    """What is kept is the cassette, also where there was one."""
    record(path, "old")
    draft = Draft(path)
    record(draft, "new")
    new = draft.file.read_bytes()
    draft.keep()

    assert path.read_bytes() == new
    assert files(path.parent) == ["it.json"]


def test_put_by_beside_a_cassette(path):
    """A cassette that is there stays, and the recording is beside it."""
    path.write_text("old")
    draft = Draft(path)
    record(draft, "a")

    assert draft.put_by() == path.with_name("it.json.failed")
    assert path.read_text() == "old"
    assert files(path.parent) == ["it.json", "it.json.failed"]


def test_put_by_where_there_is_none(draft):
    """Without a cassette the recording is one."""
    assert draft.put_by() == draft.path
    assert urns(draft.path) == ["urn:a"]


def test_drop(draft):
    """A dropped recording leaves nothing, also the second time."""
    draft.drop()
    draft.drop()

    assert files(draft.path.parent) == []


def test_a_recording_replaces_nothing_before_it_is_whole(path):
    """The cassette stays, and is replayed, until its new recording is closed."""
    record(path, "old")
    recorder = tape.record(path, Toy(), protocol="toy")
    recorder(create("new"), lambda _: answer())

    assert urns(path) == ["urn:old"]
    assert tape.replay(path, Toy())(create("old")).value == {"id": "old"}
    recorder.close()
    assert urns(path) == ["urn:new"]


def test_a_finished_draft_is_its_makers_until_it_is_settled(draft):
    """Another recording of the cassette is refused until somebody has said what becomes of a finished one."""
    with pytest.raises(CassetteBusyError, match=r"it\.json is being recorded by another recorder of this process"):
        Draft(draft.path)
    draft.keep()
    record(draft.path, "b")

    assert urns(draft.path) == ["urn:b"]


def test_a_finish_that_fails(path, monkeypatch):
    """What cannot be put in the cassette's place stays as the draft, the cassette stays, and others may record."""
    record(path, "old")
    recorder = tape.record(path, Toy(), protocol="toy")
    recorder(create("a"), lambda _: answer())
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", lambda _: (_ for _ in ()).throw(OSError(28, "No space left on device")))
        for _ in range(2):
            with pytest.raises(CassetteError, match=r"Cannot write the cassette .*it\.json: No space left on device"):
                recorder.close()

    assert urns(path) == ["urn:old"]
    assert urns(path.with_name("it.json.new"), recover=True) == ["urn:a"]
    record(path, "b")
    assert files(path.parent) == ["it.json", "it.json.torn"]


@pytest.mark.parametrize("room", [0, 1, 40, 200])
def test_a_disk_that_is_full_in_the_middle_of_a_line(path, full, room):
    """Half a line is taken back, no call goes out any more, and what was answered before is recovered."""
    recorder = tape.record(path, Toy(), protocol="toy")
    for name in "ab":
        recorder(create(name), lambda _: answer())
    whole = recorder._sink._draft.file.read_bytes()
    full(room)
    sent = []
    for name in "cd":
        with pytest.raises(CassetteError, match="No space left on device"):
            recorder(create(name), lambda asked: sent.append(asked.inputs["name"]) or answer())

    assert "d" not in sent
    assert recorder._sink._draft.file.read_bytes() == whole
    with pytest.raises(CassetteError, match="No space left on device"):
        recorder.close()
    assert [interaction.urn for interaction in tape.recover(path).interactions] == ["urn:a", "urn:b"]


def test_what_had_been_sent_when_it_broke_off(path):
    """A killed recorder leaves a list of the calls whose answers never came, without their secrets."""
    recorder = tape.record(path, Toy(), protocol="toy")
    recorder(create("a"), lambda _: answer())

    def dies(_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        recorder(create("b", size=1), dies)
    recorder._sink.abandon()
    new = path.with_name("it.json.new")

    (sent,) = tape.unanswered(new)
    assert (str(sent), sent.request) == ("create cloud:index:Bucket urn:b", {"name": "b", "size": 1})
    notes = path.with_name(".it.json.new.sent")
    notes.write_bytes(notes.read_bytes() + b'+3 {"op":"cre')
    assert tape.unanswered(new) == [sent]
    assert tape.unanswered(path) == []


def test_a_recording_that_broke_off_is_found_and_becomes_the_cassette(path):
    """Who asks for a cassette whose recording broke off is told the command that makes it one, and that does."""
    recorder = tape.record(path, Toy(), protocol="toy")
    recorder(create("a", big=BIG), lambda _: answer())
    with pytest.raises(CassetteMissingError, match="is being recorded by another recorder"):
        tape.load(path)
    recorder._sink.abandon()
    with pytest.raises(CassetteMissingError, match=r"A recording of it broke off: mockprovider cassette recover .*it\.json"):
        tape.load(path)
    tape.recover(path)

    assert files(path.parent) == ["blobs", "it.json"]
    assert tape.replay(path, Toy())(create("a", big=BIG)).value == {}


def test_what_broke_off_is_never_overwritten(path):
    """Each recording that broke off is moved aside with its large answers, however many there were before it."""
    for name in "abc":
        recorder = tape.record(path, Toy(), protocol="toy")
        recorder(create(name, big=BIG + name), lambda _: answer())
        recorder._sink.abandon()

    for suffix, name in ((".torn", "a"), (".torn2", "b"), (".new", "c")):
        broken = path.with_name(f"it.json{suffix}")
        (interaction,) = tape.load(broken, recover=True).interactions
        assert tape.load(broken, recover=True).request(interaction)["big"] == BIG + name


def test_a_neighbours_large_answer_stays(path):
    """A recording that ends without a large answer leaves it to the neighbour that counts on it."""
    neighbour = tape.record(path.with_name("other.json"), Toy(), protocol="toy")
    recorder = tape.record(path, Toy(), protocol="toy", finishing=lambda cassette: (cassette.interactions.clear(), cassette)[1])
    for one in (recorder, neighbour):
        one(call(Op.GET_SCHEMA, session()), lambda _: answer(big=BIG))
    recorder.close()
    neighbour.close()

    assert tape.replay(path.with_name("other.json"), Toy())(call(Op.GET_SCHEMA, session())).value == {"big": BIG}
    assert len(files(path.parent / "blobs")) == 1


@pytest.mark.parametrize("mask", [0o022, 0o077])
def test_files_are_as_readable_as_any_other(path, mask):
    """A cassette and its blobs have the permissions that the umask leaves a new file."""
    before = os.umask(mask)
    try:
        record(path, "a", big=BIG)
    finally:
        os.umask(before)

    modes = {file.stat().st_mode & 0o777 for file in path.parent.rglob("*") if file.is_file()}
    assert modes == {0o666 & ~mask}


def test_a_pipe_is_no_cassette(path):
    """What is no file is refused at once, where reading it would wait for ever."""
    os.mkfifo(path)
    with pytest.raises(CassetteError, match="is no file, but a pipe, a socket or a device"):
        tape.load(path)
    with pytest.raises(CassetteError, match="is no file, but a pipe"):
        tape.load(Path("/dev/zero"))


def test_a_call_whose_answer_is_a_failure_is_answered(path):
    """Only calls that got no answer at all are on the list of what may exist."""
    recorder = tape.record(path, Toy(), protocol="toy")
    recorder(create("a"), lambda _: Reply(value={"id": "a"}))
    recorder._sink.abandon()

    assert tape.unanswered(path.with_name("it.json.new")) == []


def test_two_names_of_one_file(path):
    """Recordings of a cassette and of a hard link to it, at the same time, lose nothing: each name gets its own."""
    record(path, "old")
    link = path.with_name("link.json")
    link.hardlink_to(path)
    with tape.record(path, Toy(), protocol="toy") as one, tape.record(link, Toy(), protocol="toy") as other:
        one(create("a"), lambda _: answer())
        other(create("b"), lambda _: answer())

    assert (urns(path), urns(link)) == (["urn:a"], ["urn:b"])


@pytest.mark.parametrize("there", [True, False])
def test_what_ended_in_the_middle_of_a_call_becomes_no_cassette(path, there):
    """A recording whose provider was closed while a call waited is put beside, with the list of what may exist now."""
    if there:
        record(path, "old")
    before = path.read_bytes() if there else b""
    draft = Draft(path)
    recorder = tape.record(draft, Toy(), protocol="toy")
    recorder(call(Op.CREATE, session(), name="a"), lambda _: answer(id="a"))

    def closed(_):
        raise PluginError("nobody knows what came of it")

    with pytest.raises(PluginError):
        recorder(call(Op.CREATE, session(), name="b"), closed)
    recorder.close()
    place = draft.put_by()

    assert place == path.with_name(f"{path.name}.failed")
    assert (path.read_bytes() if path.exists() else b"") == before
    assert [sent.request for sent in tape.unanswered(place)] == [{"name": "b"}]
    assert [one.request for one in tape.load(place).interactions] == [{"name": "a"}]

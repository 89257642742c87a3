"""Cassettes on disk: whole, torn, broken, newer, busy; and nothing secret in them."""

import gc
import json
import os
import signal
import subprocess
import sys
import textwrap
import threading
from contextlib import nullcontext
from pathlib import Path

import pytest
from cassette_toy import Toy, answer, call, secret, session
from msgspec import to_builtins

from mockprovider import tape
from mockprovider.calls import Op, Reply
from mockprovider.cassette import FORMAT
from mockprovider.clock import StillClock
from mockprovider.errors import (
    CassetteBrokenError,
    CassetteBusyError,
    CassetteError,
    CassetteMissingError,
    CassetteVersionError,
    MissError,
)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "cassettes" / "run.json"


def create(name, number=1, **inputs):
    return call(Op.CREATE, session(number), f"urn:{name}", name=name, **inputs)


def record(path, *names, **options):
    with tape.record(path, Toy(), protocol="toy", **options) as recorder:
        for name in names:
            recorder(create(name), lambda _, name=name: Reply(value={"id": name}))


def tear(path, *names):
    """A recording that was killed: what it had answered is in the file, and the file has no end."""
    recorder = tape.record(path, Toy(), protocol="toy")
    for name in names:
        recorder(create(name), lambda _, name=name: Reply(value={"id": name}))
    recorder._sink.abandon()
    assert not path.with_name(f".{path.name}.lock").exists()
    path.with_name(f"{path.name}{tape.NEW}").replace(path)


def test_a_recording_replays_from_its_file(path):
    """What was recorded into a file is answered from that file."""
    record(path, "a", "b")
    replay = tape.replay(path, Toy())
    assert replay(create("b", 5)).value == {"id": "b"}
    assert replay.library.cassette.name == str(path)


def test_the_file_is_one_indented_json_array(path):
    """The finished file is a JSON array that any tool reads: header, then interactions; sorted, with a newline at the end."""
    record(path, "b", "a", provider="cloud", provider_version="1.2.3", created_by="make cassettes", faults={"seed": 1})
    text = path.read_text()
    head, *interactions = json.loads(text)
    assert (head["format"], head["version"], head["protocol"]) == (FORMAT, 1, "toy")
    assert (head["provider"], head["provider_version"], head["created_by"]) == ("cloud", "1.2.3", "make cassettes")
    assert head["faults"] == {"seed": 1}
    assert head["sessions"] == [{"number": 1, "wave": 1, "instance": "east"}]
    assert [each["urn"] for each in interactions] == ["urn:a", "urn:b"]
    assert text.startswith("[\n{\n") and text.endswith("\n]\n")  # noqa: PT018  one property: where it begins and ends


def test_only_the_cassette_stays(path):
    """A finished recording leaves one file: no lock, no temporary file."""
    record(path, "a")
    assert [each.name for each in path.parent.iterdir()] == ["run.json"]
    assert path.stat().st_mode & 0o777 == 0o644


def test_two_recordings_are_equal_bytes(path, tmp_path):
    """Recording the same calls in another order gives the same file, and nothing in it is of this machine or moment."""
    record(path, "a", "b", "c")
    record(tmp_path / "other.json", "c", "a", "b")
    assert path.read_bytes() == (tmp_path / "other.json").read_bytes()
    assert str(tmp_path) not in path.read_text()


def test_concurrent_calls_are_all_there(path):
    """Calls from many threads are each recorded once, and the file is the same as that of one thread."""
    names = [f"n{n:02}" for n in range(40)]
    with tape.record(path, Toy(), protocol="toy") as recorder:
        threads = [
            threading.Thread(target=lambda name=name: recorder(create(name), lambda _: answer(id=name))) for name in names
        ]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
    other = path.with_name("other.json")
    record(other, *names)
    assert path.read_bytes() == other.read_bytes()


def test_a_clock_stamps_the_header(path):
    """Only with a clock does a cassette say when it was recorded."""
    record(path, "a", clock=StillClock(1000.5))
    assert json.loads(path.read_text())[0]["recorded_at"] == 1000.5


def test_recording_again_replaces(path):
    """A new recording into a finished cassette takes its place."""
    record(path, "a")
    record(path, "b")
    assert [each.urn for each in tape.load(path).interactions] == ["urn:b"]


def test_an_empty_recording_is_a_cassette(path):
    """A recording of nothing is a valid cassette, which answers nothing and says why."""
    record(path)
    with pytest.raises(MissError, match="It is empty"):
        tape.replay(path, Toy())(create("a"))


def test_no_secret_reaches_the_disk(path):
    """While recording, after a crash and when finished, no byte beside the cassette holds a declared secret."""
    recorder = tape.record(path, Toy(), protocol="toy")
    echo = {"url": "x:swordfish-1@h", "born": secret("swordfish-2"), "big": "-" * tape.LARGE + "swordfish-1"}
    recorder(create("a", password=secret("swordfish-1")), lambda _: Reply(value=echo))
    recorder(create("b", plain="swordfish-3", big="-" * tape.LARGE + "swordfish-3"), lambda _: answer())

    def everything():
        return b"".join(each.read_bytes() for each in path.parent.rglob("*") if each.is_file())

    assert b"swordfish-1" not in everything()
    assert b"swordfish-2" not in everything()
    recorder(create("c"), lambda _: answer(late=secret("swordfish-3")))
    recorder.close()
    assert b"swordfish" not in everything()
    assert not any(path.parent.glob("blobs/*"))


def test_a_missing_cassette_names_the_nearest(path):
    """A cassette that is not there is an error with the path, a file of a similar name, and how to record."""
    record(path)
    with pytest.raises(CassetteMissingError, match=r"no cassette .*rum.json. Did you mean 'run.json'\? To record it"):
        tape.load(path.with_name("rum.json"))


def test_a_folder_is_no_cassette(path):
    """What cannot be read is an error with its reason."""
    path.mkdir(parents=True)
    with pytest.raises(CassetteError, match="Cannot read the cassette"):
        tape.load(path)


def test_a_torn_cassette_is_refused_and_recovered(path):
    """A killed recording is never replayed as it is: the error counts what is intact, and recovering keeps just that."""
    tear(path, "b", "a")
    with path.open("ab") as file:
        file.write(b',\n{"n":3,"session":1,"op":"cre')
    with pytest.raises(CassetteBrokenError, match=r"is torn: it breaks off after line 4.*2 interactions are intact"):
        tape.replay(path, Toy())
    before = path.read_bytes()
    assert [each.urn for each in tape.load(path, recover=True).interactions] == ["urn:a", "urn:b"]
    assert path.read_bytes() == before
    tape.recover(path)
    record(path.with_name("whole.json"), "a", "b")
    assert path.read_bytes() == path.with_name("whole.json").read_bytes()


def test_a_torn_cassette_may_end_anywhere(path):
    """At whatever byte a recording was cut, exactly what was complete before it is recovered; without a header, nothing is."""
    tear(path, "a", "b")
    whole = path.read_bytes()
    ends = [len(b"\n".join(whole.split(b"\n")[: n + 1]).rstrip(b",")) for n in range(1, 4)]
    for end in range(len(whole) + 1):
        path.write_bytes(whole[:end])
        with pytest.raises(CassetteBrokenError):
            tape.load(path)
        if end < ends[0]:
            with pytest.raises(CassetteBrokenError):
                tape.load(path, recover=True)
        else:
            assert len(tape.load(path, recover=True).interactions) == sum(end >= each for each in ends) - 1


def test_a_finished_cassette_that_was_cut_is_torn(path):
    """Also the indented form of a finished cassette is recovered up to where it was cut."""
    record(path, "a", "b", "c")
    text = path.read_text()
    path.write_text(text[: text.index('"urn:c"')])
    with pytest.raises(CassetteBrokenError, match=r"is torn.*2 interactions are intact"):
        tape.load(path)
    assert [each.urn for each in tape.recover(path).interactions] == ["urn:a", "urn:b"]


def test_recovering_a_whole_cassette_changes_nothing(path):
    """A cassette that is whole stays as it is, byte by byte."""
    record(path, "a")
    path.write_text(path.read_text() + "\n")
    before = path.read_bytes()
    tape.recover(path)
    assert path.read_bytes() == before


def test_damage_in_the_middle_is_not_recovered(path):
    """Where more follows after the damage, recovering would drop it unseen, so it is refused."""
    record(path, "a", "b", "c")
    path.write_text(path.read_text().replace('"urn:b",', '"urn:b"'))
    with pytest.raises(CassetteBrokenError, match=r"is damaged after line .*: 1 interaction is intact before it, and more"):
        tape.recover(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b" \n", "is empty"),
        (b"interactions:\n- request: yaml\n", "is not a cassette"),
        (b"{}", "is not a cassette"),
        (b"[]", "an empty array"),
        (b"[1]", "first element is no header"),
        (b"\x80\xff", "is not a cassette"),
        (b'[{"http_interactions": []}]', "its format is ''"),
        (b'[{"format": "other", "version": 1}]', "its format is 'other'"),
        (b'[{"format": "mockprovider-cassette", "version": 0}]', "no format version 0"),
        (b'[{"format": "mockprovider-cassette", "version": 1}]', "header cannot be read.*protocol"),
        (b"[\n<<<<<<< ours\n{}\n=======\n{}\n>>>>>>> theirs\n]", "conflict markers"),
    ],
)
def test_what_is_no_cassette_is_refused(path, content, message):
    """A file that is something else is an error that says what it is, never an empty cassette."""
    path.parent.mkdir()
    path.write_bytes(content)
    with pytest.raises(CassetteBrokenError, match=message):
        tape.load(path)


def test_a_newer_format_is_refused(path):
    """A cassette of a newer format is refused with its version, its recorder and what to do."""
    path.parent.mkdir()
    path.write_text('[{"format": "mockprovider-cassette", "version": 2, "recorder": "mockprovider 9.9", "novel": true}]')
    with pytest.raises(CassetteVersionError, match=r"format version 2, written by mockprovider 9.9; .* up to 1. Upgrade"):
        tape.load(path)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"method": "Create"', '"methud": "Create"', "interaction 1 cannot be read: .*methud"),
        ('"session": 1', '"session": "one"', "interaction 1 cannot be read: .*session"),
        ('"session": 1', '"session": 7', "belongs to session 7"),
        ('"response": {', '"withheld": "no", "response": {', "exactly one of response"),
    ],
)
def test_a_slip_of_an_editor_is_named(path, old, new, message):
    """An interaction that was edited into something unreadable is named with its field."""
    record(path, "a")
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(CassetteBrokenError, match=message):
        tape.load(path)


def test_a_second_recorder_is_refused(path):
    """While one records, another is told who does, and the first one's recording is whole in the end."""
    with tape.record(path, Toy(), protocol="toy") as recorder:
        recorder(create("a"), lambda _: answer())
        with pytest.raises(CassetteBusyError, match="is being recorded by another recorder of this process"):
            tape.record(path, Toy(), protocol="toy")
        with pytest.raises(CassetteBusyError):
            tape.recover(path)
        with pytest.raises(CassetteMissingError, match=r"is being recorded by another recorder"):
            tape.load(path)
    assert len(tape.load(path).interactions) == 1
    record(path, "b")


RECORDS_AND_WAITS = """
    import sys
    sys.path[:0] = {paths!r}
    from cassette_toy import Toy, answer, call, session
    from mockprovider import tape
    from mockprovider.calls import Op
    recorder = tape.record({path!r}, Toy(), protocol="toy")
    for name in "ab":
        recorder(call(Op.CREATE, session(), "urn:" + name), lambda _: answer())
        print(name, flush=True)
    sys.stdin.read()
"""


def test_a_killed_recorder_loses_nothing_and_blocks_nobody(path):
    """What a process had answered when it was killed is intact, its lock is void, and a new recording moves its file aside."""
    here = Path(__file__).parent
    program = textwrap.dedent(RECORDS_AND_WAITS.format(paths=[str(here), str(here.parent)], path=str(path)))
    with subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert [other.stdout.readline().strip() for _ in range(2)] == ["a", "b"]
        with pytest.raises(CassetteBusyError, match=f"by process {other.pid}"):
            tape.record(path, Toy(), protocol="toy")
        other.send_signal(signal.SIGKILL)
    with pytest.raises(CassetteMissingError, match="A recording of it broke off"):
        tape.load(path)
    torn = path.with_name("run.json.new").read_bytes()
    assert len(tape.load(path.with_name("run.json.new"), recover=True).interactions) == 2
    record(path, "c")
    assert [each.urn for each in tape.load(path).interactions] == ["urn:c"]
    assert path.with_name("run.json.torn").read_bytes() == torn


def test_a_folder_that_cannot_be_written_is_an_error(tmp_path):
    """Where nothing can be written, recording does not begin."""
    (tmp_path / "file").write_text("")
    with pytest.raises(CassetteError, match="Cannot write the cassette"):
        tape.record(tmp_path / "file" / "run.json", Toy(), protocol="toy")


def test_a_full_disk_is_an_error(path, monkeypatch):
    """When the disk takes no more, the call fails with the reason and the recording can still be let go."""
    recorder = tape.record(path, Toy(), protocol="toy")

    def full(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", full)
        with pytest.raises(CassetteError, match="No space left on device"):
            recorder(create("a"), lambda _: answer())
    recorder._sink.abandon()
    record(path, "b")


def test_an_error_in_the_run_still_finishes_the_recording(path):
    """A recording whose run raised is finished with what was answered until then."""

    def run():
        with tape.record(path, Toy(), protocol="toy") as recorder:
            recorder(create("a"), lambda _: answer())
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run()
    assert len(tape.load(path).interactions) == 1


def together(path, **header):
    """A recording of two providers on disk, with its header changed."""
    with tape.record(path, {"a": Toy(), "b": Toy()}, protocol="toy", providers={"a": "toy", "b": "toy"}) as recorder:
        recorder(create("x"), lambda _: answer(), "a")
        recorder(create("y"), lambda _: answer(), "b")
    elements = json.loads(path.read_text())
    elements[0].update(header)
    path.write_text(json.dumps(elements))


def test_several_providers_in_one_file(path):
    """The header names the providers of a joint recording with their protocols, and each call says whose it is."""
    together(path)
    loaded = tape.load(path)
    assert loaded.header.providers == {"a": "toy", "b": "toy"}
    assert [interaction.provider for interaction in loaded.interactions] == ["a", "b"]


@pytest.mark.parametrize(
    ("header", "message"),
    [
        ({"providers": {"a": "toy"}}, "session 2 is of the provider 'b', and the header has 'a'."),
        ({"providers": {}}, "session 1 is of the provider 'a', and the header has no providers."),
        ({"providers": {"a": "toy", "b": "toy", "": "toy"}}, "one of the header's providers has no name."),
        (
            {"sessions": [{"number": 1, "wave": 1, "provider": "a"}, {"number": 2, "wave": 1, "provider": "a"}]},
            "interaction 2 is",
        ),
        ({"sessions": []}, ""),
    ],
)
def test_calls_of_nobody_are_damage(header, message, path):
    """A call or a session of a provider that the header does not name is an error that says where; a draft has no sessions."""
    together(path, **header)
    if not message:
        assert len(tape.load(path).interactions) == 2
        return
    with pytest.raises(CassetteBrokenError, match=message):
        tape.load(path)


def test_a_file_of_several_is_no_single_provider(path):
    """What replays one provider refuses a file of several, and says what replays them."""
    together(path)
    with pytest.raises(CassetteError, match=r"holds a, b: replay it with replaying_all\(path\)"):
        tape.replay(path, Toy())


def test_slots_for_later_versions_are_kept(path):
    """A cassette whose slots for later versions are filled is replayed as any other, and nothing of them is lost."""
    record(path, "a")
    header, *interactions = json.loads(path.read_text())
    header["aliases"] = {"urn:new": "urn:a"}
    exchange = {"method": "PUT", "url": "https://cloud.test/a", "status": 200, "request": {"name": "a"}}
    interactions[0]["http"] = [exchange]
    path.write_text(json.dumps([header, *interactions]))

    replay = tape.replay(path, Toy())
    kept = replay.library.cassette
    assert replay(create("a")).value == {"id": "a"}
    assert kept.header.aliases == {"urn:new": "urn:a"}
    assert [to_builtins(one) for one in kept.interactions[0].http] == [exchange]


@pytest.mark.parametrize("enabled", [True, False])
@pytest.mark.parametrize("whole", [True, False])
def test_garbage_is_collected_again_after_a_load(path, enabled, whole):
    """Loading pauses the garbage collector, and leaves it as it was, whether the file could be read or not."""
    record(path, "a")
    path.write_bytes(path.read_bytes()[: None if whole else -5])
    was = gc.isenabled()
    try:
        (gc.enable if enabled else gc.disable)()
        with nullcontext() if whole else pytest.raises(CassetteBrokenError):
            tape.load(path)
        assert gc.isenabled() is enabled
    finally:
        (gc.enable if was else gc.disable)()

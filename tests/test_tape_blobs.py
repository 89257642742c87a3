"""Large answers live beside the cassette, once, and are checked when they are read."""

import pytest
from cassette_toy import Toy, answer, call, session

from mockprovider import tape
from mockprovider.calls import Op
from mockprovider.errors import CassetteBrokenError
from mockprovider.matching import digest

SCHEMA = {"types": ["cloud:index:Bucket"] * 10_000, "naïve": "ü"}


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "run.json"
    with tape.record(path, Toy(), protocol="toy") as recorder:
        for number in (1, 2):
            recorder(call(Op.GET_SCHEMA, session(number, "")), lambda _: answer(**SCHEMA))
        recorder(call(Op.CREATE, session(), "urn:a", big="x" * tape.LARGE), lambda _: answer(id="1"))
    return path


def blobs(path):
    return sorted(each.name for each in (path.parent / tape.FOLDER).iterdir())


def test_equal_large_views_are_one_blob(path, tmp_path):
    """A large answer is kept once, compressed and named by its content, however often and in whichever cassette it is."""
    with tape.record(tmp_path / "other.json", Toy(), protocol="toy") as recorder:
        recorder(call(Op.GET_SCHEMA, session()), lambda _: answer(**SCHEMA))
    assert blobs(path) == sorted(f"{digest(tree)}.json.zst" for tree in (SCHEMA, {"big": "x" * tape.LARGE}))
    assert path.stat().st_size < 2000
    assert tape.load(path).interactions[0].response_blob == digest(SCHEMA)


def test_blobs_replay(path):
    """Answers and requests that are blobs are answered and matched like any others."""
    replay = tape.replay(path, Toy())
    assert replay(call(Op.GET_SCHEMA, session())).value == SCHEMA
    assert replay(call(Op.CREATE, session(), "urn:a", big="x" * tape.LARGE)).value == {"id": "1"}


def test_a_cassette_loads_without_its_blobs(path):
    """Blobs are read when they are asked for, and a missing one is named then."""
    for name in blobs(path):
        (path.parent / tape.FOLDER / name).unlink()
    replay = tape.replay(path, Toy())
    with pytest.raises(CassetteBrokenError, match=r"its blob .*json.zst is missing.*the folder 'blobs'"):
        replay(call(Op.GET_SCHEMA, session()))


def test_a_damaged_blob_is_refused(path):
    """A blob that does not decompress, or holds something else, is an error and never an answer."""
    schema = path.parent / tape.FOLDER / f"{digest(SCHEMA)}.json.zst"
    other = path.parent / tape.FOLDER / f"{digest({'big': 'x' * tape.LARGE})}.json.zst"
    schema.write_bytes(other.read_bytes())
    with pytest.raises(CassetteBrokenError, match="is not what its name says"):
        tape.replay(path, Toy())(call(Op.GET_SCHEMA, session()))
    schema.write_bytes(b"no zstandard")
    with pytest.raises(CassetteBrokenError, match="is damaged"):
        tape.replay(path, Toy())(call(Op.GET_SCHEMA, session()))


def test_our_marks_in_a_large_answer_come_back(tmp_path):
    """A large answer that has one of the cassette's own marks as a key comes back as it was."""
    odd = {"$secret": "mine", "big": "x" * tape.LARGE}
    path = tmp_path / "run.json"
    with tape.record(path, Toy(), protocol="toy") as recorder:
        recorder(call(Op.INVOKE, session()), lambda _: answer(**odd))
    assert tape.replay(path, Toy())(call(Op.INVOKE, session())).value == odd


def test_the_folder_can_be_listed(path):
    """The blobs of a folder are a mapping: names, number, trees."""
    found = tape.load(path).blobs
    assert len(found) == 2
    assert found[digest(SCHEMA)] == SCHEMA
    assert sorted(found) == [name.removesuffix(".json.zst") for name in blobs(path)]

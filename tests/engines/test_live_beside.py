"""The modes ``new`` and ``verify`` under real engines, with real providers whose ids and passwords are others each time."""

from __future__ import annotations

import pytest
from live_stage import MODULE, live, lived, of_type, run
from terraform_stage import ENGINES

from mockprovider.double import recording_all, replaying_all
from mockprovider.errors import MissError
from mockprovider.tape import load

ADDED = """
resource "random_pet" "new" {
  length = 3
}
resource "local_file" "new" {
  filename = "${random_pet.new.id}.txt"
  content  = "x"
}
"""
by_engine = pytest.mark.parametrize("engine", ENGINES)


@pytest.fixture
def path(engine, tmp_path, monkeypatch):
    """A recorded life of two ids, a password, and what is made of them; files are made in the test's own folder."""
    monkeypatch.chdir(tmp_path)
    lived(engine, tmp_path / "recorded", recording_all(tmp_path / "it.json", live()), MODULE.format(ids=2))
    return tmp_path / "it.json"


@by_engine
def test_a_configuration_that_grows(engine, path, tmp_path):
    """Resources that are added to a configuration are recorded live, the others are replayed; then all are replayed alike."""
    module = MODULE.format(ids=2) + ADDED
    grown = lived(engine, tmp_path / "grown", recording_all(path, live(), mode="new"), module)
    before = path.read_bytes()
    assert lived(engine, tmp_path / "again", recording_all(path, live(), mode="new"), module) == grown
    assert path.read_bytes() == before
    assert lived(engine, tmp_path / "replayed", replaying_all(path), module) == grown
    assert lived(engine, tmp_path / "first", replaying_all(path, unplayed="allow"), MODULE.format(ids=2))


@by_engine
def test_one_equal_resource_more(engine, path, tmp_path):
    """A third of two equal resources is recorded live, and the ids of the first two stay."""
    module = 'resource "random_id" "i" {\n  count       = 3\n  byte_length = 4\n}\n'
    recorded = (one for one in load(path).interactions if (one.type, one.op) == ("random_id", "create"))
    known = {one.response["new_state"]["msgpack"]["hex"] for one in recorded}
    resources = lived(engine, tmp_path / "grown", recording_all(path, live(), mode="new"), module)
    hexes = {instance["attributes"]["hex"] for instance in of_type(resources, "random_id")[0]}
    assert known < hexes
    assert len(hexes) == 3
    assert lived(engine, tmp_path / "replayed", replaying_all(path, unplayed="allow"), module) == resources


@by_engine
def test_a_new_resource_of_a_recorded_id(engine, path, tmp_path):
    """A new resource that has a recorded id is a miss whose reason the engine shows, and nothing is asked for it."""
    module = (
        MODULE.format(ids=2) + 'resource "local_file" "of" {\n  filename = "${random_id.i[0].hex}.txt"\n  content = "x"\n}\n'
    )
    before = path.read_bytes()
    with pytest.raises(Exception, match="which the cassette gave out for an object of its own"):
        lived(engine, tmp_path / "refused", recording_all(path, live(), mode="new"), module)
    assert path.read_bytes() == before


@by_engine
def test_real_providers_answer_as_recorded(engine, path, tmp_path):
    """Real providers with other ids and passwords pass ``verify`` under an engine that uses them, and the file stays."""
    before = path.read_bytes()
    resources = lived(engine, tmp_path / "verified", recording_all(path, live(), mode="verify"), MODULE.format(ids=2))
    assert len(of_type(resources, "null_resource")[0]) == 2
    assert path.read_bytes() == before


@by_engine
def test_a_change_of_the_configuration_is_a_miss(engine, path, tmp_path):
    """In ``verify`` a resource that was not recorded is refused, and what was made until then can be destroyed."""
    with run(engine, tmp_path / "verified", recording_all(path, live(), mode="verify")) as (terraform, doubles):
        terraform.write(MODULE.format(ids=2) + ADDED)
        assert "holds no answer to" in terraform.apply(expect_failure=True).output
        assert any(isinstance(error, MissError) for double in doubles for error in double.errors)

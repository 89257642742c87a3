"""Drafts: recordings that take a cassette's place when they are worth it."""

from __future__ import annotations

import pytest

from mockprovider.double import Draft, Wiring, recording


@pytest.fixture
def draft(tmp_path):
    """A draft that was recorded, beside no cassette."""
    draft = Draft(tmp_path / "it.json")
    recording(draft.file, Wiring("cloud")).recorder.close()
    return draft


def test_keep(draft):
    """What is kept is the cassette, whether or not there was one."""
    new = draft.file.read_bytes()
    draft.path.write_text("[]")
    draft.keep()

    assert draft.path.read_bytes() == new
    assert not draft.file.exists()


def test_put_by_beside_a_cassette(draft):
    """A cassette that is there stays, and the recording is beside it."""
    draft.path.write_text("old")
    beside = Draft(draft.path)

    assert beside.put_by() == draft.path.with_name("it.json.failed")
    assert draft.path.read_text() == "old"
    assert not draft.file.exists()


def test_put_by_where_there_is_none(draft):
    """Without a cassette the recording is one."""
    assert draft.put_by() == draft.path
    assert draft.path.exists()


def test_drop(draft):
    """A dropped recording leaves nothing, also the second time."""
    draft.drop()
    draft.drop()

    assert list(draft.path.parent.iterdir()) == []

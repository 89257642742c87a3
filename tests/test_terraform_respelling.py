"""Cassettes of older versions are read in today's words."""

from __future__ import annotations

import base64

import msgpack
from msgspec.structs import replace

from mockprovider.cassette import FORMAT, VERSION, Cassette, Header, Interaction
from mockprovider.terraform.recorded.respelling import modern

PLAN = Interaction(
    n=1,
    session=1,
    op="plan",
    method="PlanResourceChange",
    type="cloud_thing",
    request={"config": {"msgpack": {"name": {"$unknown": "ggHCAqRURVAt"}}}},
    response={"planned_state": {"msgpack": {"$msgpack": base64.b64encode(msgpack.packb({"b": 1, "a": 2})).decode()}}},
)
TODAY = replace(
    PLAN,
    request={"config": {"msgpack": {"name": {"$unknown": {"null": False, "prefix": "TEP-"}}}}},
    response={"planned_state": {"msgpack": {"a": 2, "b": 1}}},
)
PLAIN = replace(PLAN, n=2, request={"config": {"msgpack": {"name": {"$unknown": ""}}}}, response=None, withheld="why")


def test_what_was_kept_as_bytes_is_read_as_data() -> None:
    """Requests and answers of an older recording are those that a new one would have; what needs no change stays itself."""
    header = Header(format=FORMAT, version=VERSION, protocol="tfplugin6")
    old = Cassette(header, [PLAN, PLAIN], {"blob": {}}, "old.json")
    new = modern(old)
    assert new == Cassette(header, [TODAY, PLAIN], {"blob": {}}, "old.json")
    assert new.interactions[1] is PLAIN
    assert modern(new).interactions == new.interactions

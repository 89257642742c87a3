"""Cassettes of older versions are read in today's words."""

from __future__ import annotations

import base64

import msgpack
from msgspec.structs import replace

from mockprovider.cassette import FORMAT, VERSION, Cassette, Header, Interaction
from mockprovider.terraform.recorded.respelling import modern
from mockprovider.terraform.rpcs.methods import SERVICES

REFINED = "ggHCAqRURVAt"
STRING = '"string"'
SCHEMA = Interaction(
    n=1,
    session=1,
    op="get_schema",
    method="GetProviderSchema",
    response={
        "resource_schemas": {
            "cloud_thing": {
                "block": {
                    "attributes": [
                        {"name": "name", "type": STRING},
                        {"name": "pin", "type": STRING, "sensitive": True},
                    ]
                }
            }
        }
    },
)
PLAN = Interaction(
    n=2,
    session=1,
    op="plan",
    method="PlanResourceChange",
    type="cloud_thing",
    request={"config": {"msgpack": {"name": [{"$unknown": REFINED}], "pin": [{"$unknown": REFINED}]}}},
    response={"planned_state": {"msgpack": {"$msgpack": base64.b64encode(msgpack.packb({"b": 1, "a": 2})).decode()}}},
)
TODAY = replace(
    PLAN,
    request={
        "config": {
            "msgpack": {
                "name": [{"$unknown": {"null": False, "prefix": "TEP-"}}],
                "pin": [{"$unknown": {"null": False}}],
            }
        }
    },
    response={"planned_state": {"msgpack": {"a": 2, "b": 1}}},
)
PLAIN = replace(PLAN, n=3, request={"config": {"msgpack": {"name": {"$unknown": ""}}}}, response=None, withheld="why")
LATER = replace(PLAN, n=4, method="Later")


def test_what_was_kept_as_bytes_is_read_as_data() -> None:
    """Requests and answers of an older recording are those that a new one would have; what needs no change stays itself."""
    header = Header(format=FORMAT, version=VERSION, protocol="tfplugin6")
    old = Cassette(header, [SCHEMA, PLAN, PLAIN, LATER], {"blob": {}}, "old.json")
    new = modern(old, SERVICES[6])
    assert new == Cassette(header, [SCHEMA, TODAY, PLAIN, LATER], {"blob": {}}, "old.json")
    assert new.interactions[2] is PLAIN
    assert modern(new, SERVICES[6]).interactions == new.interactions

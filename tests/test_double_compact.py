"""Small recordings, and what a replay tells an engine of the recorded provider's types."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kept_cassettes import KEPT

from mockprovider import tape
from mockprovider.calls import Call, Op
from mockprovider.double import Double, Wiring, recording, replaying
from mockprovider.schema import Property, ResourceType

TYPES = tuple(ResourceType(f"cloud:index:{name}", {"size": Property(int)}) for name in ("Bucket", "Queue"))
KEY = "resource_schemas"


def told(path: Path, **options: Any) -> set[str]:
    """The resource types that a replay of the cassette has."""
    with Double(provider=replaying(path, **options)) as double:
        session = double.open(tape.load(path).header.protocol)
        reply = double(Call(op=Op.GET_SCHEMA, session=session))
    assert reply.native is not None
    return set(reply.native.message.resource_schemas)


def record(path: Path, **options: Any) -> None:
    """Two looks at the schema, and two equal checks of one of two types."""
    with Double(*TYPES, provider=recording(path, Wiring("cloud"), "terraform", **options)) as double:
        for _ in range(2):
            session = double.open("tfplugin6")
            double(Call(op=Op.GET_SCHEMA, session=session))
            double(Call(op=Op.CHECK, session=session, type="cloud:index:Bucket", inputs={"size": 1}))


def test_an_engine_is_told_of_the_types_in_use(tmp_path: Path) -> None:
    """Of a whole recording, the types that something was recorded about are served, and all of them on request."""
    path = tmp_path / "whole.json"
    record(path)
    assert told(path) == {"cloud_bucket"}
    assert told(path, whole_schema=True) == {"cloud_bucket", "cloud_queue"}


def test_a_compact_recording_has_everything_once(tmp_path: Path) -> None:
    """Each question is there once, with the types in use alone; the file says no more than that."""
    path = tmp_path / "compact.json"
    record(path, compact=True)
    cassette = tape.load(path)
    assert [each.op for each in cassette.interactions] == ["get_schema", "check"]
    assert set(cassette.response(cassette.interactions[0])[KEY]) == {"cloud_bucket"}
    assert told(path, whole_schema=True) == {"cloud_bucket"}


def test_a_kept_schema_is_small() -> None:
    """The AWS provider's schema is kept with the types of its recording."""
    path = KEPT["terraform-aws"].path("terraform")
    recorded = {each.type for each in tape.load(path).interactions if each.type.startswith("aws_")}
    assert told(path) == recorded - {"aws_region"}

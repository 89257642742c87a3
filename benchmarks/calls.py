"""How long the way of one Create is: the package's function calls that it takes, and how many of them lead to another file.

Counts, and not times: they are equal on every machine, and a change of them is a change of the code. A call goes the way that a
served one goes, from the bytes of the request to those of the answer, without a socket. One call before it fills the caches.
A call is whatever begins or resumes a frame: functions, comprehensions and generators.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import msgpack
from google.protobuf import struct_pb2
from layers import BUCKET
from measure import Row, report
from msgspec import Struct

import mockprovider
from mockprovider.double import Double, recording, replaying
from mockprovider.pulumi.methods import PROVIDER
from mockprovider.terraform.rpcs.methods import PROVIDER6
from mockprovider.wire.methods import Service
from mockprovider.wire.server import Endpoint

PACKAGE = str(Path(mockprovider.__file__).parent)
UNKNOWN = msgpack.ExtType(0, b"\0")


class Trace(Struct):
    """What is counted: ``calls`` into functions of the package, and ``moves``: calls into another file than the call before."""

    calls: int = 0
    moves: int = 0
    file: str = ""

    def __call__(self, frame: FrameType, event: str, _: object) -> None:
        """What ``sys.setprofile`` asks for."""
        file = frame.f_code.co_filename
        if event == "call" and file.startswith(PACKAGE):
            self.calls += 1
            self.moves += file != self.file
            self.file = file


def pulumi_requests(name: str) -> list[tuple[str, Any]]:
    """What Pulumi's engine asks to create a bucket."""
    properties = struct_pb2.Struct()
    properties.update({"name": name, "acl": "private"})
    urn = f"urn:pulumi:dev::project::{BUCKET.token}::{name}"
    return [("Create", {"urn": urn, "name": name, "type": BUCKET.token, "properties": properties})]


def terraform_requests(name: str) -> list[tuple[str, Any]]:
    """What Terraform's engine asks to create a bucket, before its first call the schema."""
    config = {"acl": "private", "arn": None, "id": None, "name": name}
    bags = {"prior_state": None, "planned_state": {**config, "arn": UNKNOWN, "id": UNKNOWN}, "config": config}
    packed = {field: {"msgpack": msgpack.packb(bag)} for field, bag in bags.items()}
    return [
        ("GetProviderSchema", {}),
        ("ConfigureProvider", {"config": {"msgpack": msgpack.packb({})}}),
        ("ApplyResourceChange", {"type_name": "cloud_bucket", **packed}),
    ]


Requests = Callable[[str], list[tuple[str, Any]]]
SPOKEN: dict[str, tuple[Service, Requests]] = {
    "pulumi": (PROVIDER, pulumi_requests),
    "terraform": (PROVIDER6, terraform_requests),
}


def traced(family: str, double: Double) -> Trace:
    """The trace of a second Create."""
    service, requests = SPOKEN[family]
    endpoint = Endpoint(service, double, lambda peer: double.open(family, peer=peer))

    def asking(rpc: str, fields: Any) -> Callable[[], Any]:
        data = service.messages[rpc][0](**fields).SerializeToString()
        return lambda: endpoint.answers(service.methods[rpc], rpc, [data], "peer")

    for rpc, fields in requests("first"):
        asking(rpc, fields)()
    create, trace = asking(*requests("second")[-1]), Trace()
    sys.setprofile(trace)
    try:
        create()
    finally:
        sys.setprofile(None)
    double.raise_errors()
    return trace


def traces(family: str) -> Iterator[tuple[str, Trace]]:
    """What answers, and the trace."""
    with Double(BUCKET) as double:
        yield "fake", traced(family, double)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "recording.json")
        with Double(BUCKET, provider=recording(path, protocol=family)) as double:
            yield "recording", traced(family, double)
        with Double(provider=replaying(path)) as double:
            yield "replaying", traced(family, double)


BEFORE = {
    ("pulumi", "fake"): Trace(118, 48),
    ("pulumi", "recording"): Trace(240, 79),
    ("pulumi", "replaying"): Trace(166, 64),
    ("terraform", "fake"): Trace(354, 155),
    ("terraform", "recording"): Trace(714, 286),
    ("terraform", "replaying"): Trace(266, 101),
}
"""What this script counted before the way was shortened."""

TARGETS = {("terraform", "fake"): "220 calls", ("terraform", "recording"): "350 calls"}


def rows() -> Iterator[Row]:
    """Two rows for each way: its calls and its moves."""
    for family in SPOKEN:
        for way, trace in traces(family):
            before, what = BEFORE[family, way], f"one Create over {family}, {way}"
            yield Row(what, "calls", trace.calls, "before", before.calls, TARGETS.get((family, way), ""))
            yield Row(what, "moves", trace.moves, "before", before.moves, "")


if __name__ == "__main__":
    report(rows())

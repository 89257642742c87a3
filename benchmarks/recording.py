"""Creates by the real random provider behind the double, recorded, against the same creates that are only passed on.

A call goes over gRPC to the double, over gRPC to the provider, and back. What a recording adds is there for each call alone;
its ``close``, which finishes the cassette, is a row of its own, a tenth as many calls beside all of them.
"""

from __future__ import annotations

import itertools
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import grpc
import msgpack
from measure import Row, in_turns, report

from mockprovider.double import Double, Wiring, real, recording
from mockprovider.terraform.rpcs.methods import SERVICES

PROVIDER = "terraform-provider-random"
MAJOR = 5
TYPE = "random_pet"
CALLS = 2000
UNKNOWN = msgpack.ExtType(0, b"\0")


def request(number: int) -> bytes:
    """A create as Terraform sends it; each of another object."""
    config = {"id": None, "keepers": {"n": str(number)}, "length": 2, "prefix": f"p{number}", "separator": "-"}
    bags = {"prior_state": None, "planned_state": {**config, "id": UNKNOWN}, "config": config}
    message = SERVICES[MAJOR].messages["ApplyResourceChange"][0]
    return bytes(
        message(type_name=TYPE, **{field: {"msgpack": msgpack.packb(bag)} for field, bag in bags.items()}).SerializeToString()
    )


@contextmanager
def creating(wiring: Wiring) -> Iterator[Callable[[], object]]:
    """What has the double create one more object, over gRPC."""
    service = SERVICES[MAJOR]
    numbers = itertools.count()
    with Double(provider=wiring) as double, double.serve("terraform", major=MAJOR) as serving:
        target = serving.address if ":" in serving.address else f"unix:{serving.address}"
        with grpc.insecure_channel(target) as channel:

            def asked(rpc: str) -> grpc.UnaryUnaryMultiCallable[bytes, bytes]:
                return channel.unary_unary(f"/{service.name}/{rpc}", None, None)

            asked("GetSchema")(b"")
            asked("Configure")(service.messages["Configure"][0](config={"msgpack": msgpack.packb({})}).SerializeToString())
            apply, answer = asked("ApplyResourceChange"), service.messages["ApplyResourceChange"][1]

            def create() -> None:
                reply = answer.FromString(apply(request(next(numbers))))
                if reply.diagnostics or not reply.new_state.msgpack:
                    sys.exit(f"the provider made nothing, so nothing was measured: {reply}")

            yield create
        double.raise_errors()


def closing(count: int) -> float:
    """How many seconds it takes to finish a recording of so many creates."""
    with tempfile.TemporaryDirectory() as folder:
        with creating(recording(Path(folder, "cassette.json"), real([PROVIDER]))) as create:
            for _ in range(count):
                create()
            began = time.perf_counter()
        return time.perf_counter() - began


def rows() -> Iterator[Row]:
    """The median of a create in microseconds, and of the ends of recordings. Nothing where the provider was not built."""
    if shutil.which(PROVIDER) is None:
        print(f"not measured: there is no {PROVIDER} on PATH", file=sys.stderr)
        return
    with tempfile.TemporaryDirectory() as folder, ExitStack() as open_:
        passed_on = open_.enter_context(creating(real([PROVIDER])))
        recorded = open_.enter_context(creating(recording(Path(folder, "cassette.json"), real([PROVIDER]))))
        ours, theirs = in_turns(recorded, passed_on, rounds=40, calls=CALLS // 40)
        yield Row("a create, recorded", "µs", ours, "passed on alone", theirs, "1.15 x")
    many, few = closing(CALLS), closing(CALLS // 10)
    yield Row(f"the end of a recording of {CALLS}", "s", many, f"of {CALLS // 10}", few, "10 x")


if __name__ == "__main__":
    report(rows())

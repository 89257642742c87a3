"""Creates by the real random provider behind the double, recorded, against the same creates that are only passed on.

A call goes over gRPC from a process of its own, as an engine is, to the double, over gRPC to the provider, and back. The end of
a recording, which finishes the cassette, is a row of its own: ten times as many calls are to take ten times as long.
"""

from __future__ import annotations

import itertools
import json
import shutil
import subprocess
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
SERVICE = SERVICES[MAJOR]
TYPE = "random_pet"
CALLS = 2000
ROUNDS = 40
UNKNOWN = msgpack.ExtType(0, b"\0")


def request(number: int) -> bytes:
    """A create as Terraform sends it; each of another object."""
    config = {"id": None, "keepers": {"n": str(number)}, "length": 2, "prefix": f"p{number}", "separator": "-"}
    bags = {"prior_state": None, "planned_state": {**config, "id": UNKNOWN}, "config": config}
    message = SERVICE.messages["ApplyResourceChange"][0]
    return bytes(
        message(type_name=TYPE, **{field: {"msgpack": msgpack.packb(bag)} for field, bag in bags.items()}).SerializeToString()
    )


def creator(channel: grpc.Channel) -> Callable[[], None]:
    """What has the provider at the other end create one more object."""
    numbers = itertools.count()

    def asked(rpc: str) -> grpc.UnaryUnaryMultiCallable[bytes, bytes]:
        return channel.unary_unary(f"/{SERVICE.name}/{rpc}", None, None)

    asked("GetSchema")(b"")
    asked("Configure")(SERVICE.messages["Configure"][0](config={"msgpack": msgpack.packb({})}).SerializeToString())
    apply, answer = asked("ApplyResourceChange"), SERVICE.messages["ApplyResourceChange"][1]

    def create() -> None:
        reply = answer.FromString(apply(request(next(numbers))))
        if reply.diagnostics or not reply.new_state.msgpack:
            sys.exit(f"the provider made nothing, so nothing was measured: {reply}")

    return create


def engine(*targets: str) -> None:
    """The process of the engine: prints the median microseconds of a create at each target."""
    with ExitStack() as open_:
        creates = [creator(open_.enter_context(grpc.insecure_channel(target))) for target in targets]
        print(json.dumps(in_turns(*creates, rounds=ROUNDS, calls=CALLS // ROUNDS)))


@contextmanager
def served(wiring: Wiring) -> Iterator[str]:
    """Where a double is served, as gRPC spells it."""
    with Double(provider=wiring) as double, double.serve("terraform", major=MAJOR) as serving:
        yield serving.address if ":" in serving.address else f"unix:{serving.address}"
        double.raise_errors()


def closing(count: int) -> float:
    """How many seconds it takes to finish a recording of so many creates."""
    with tempfile.TemporaryDirectory() as folder:
        with served(recording(Path(folder, "cassette.json"), real([PROVIDER]))) as target:
            with grpc.insecure_channel(target) as channel:
                create = creator(channel)
                for _ in range(count):
                    create()
            began = time.perf_counter()
        return time.perf_counter() - began


def rows() -> Iterator[Row]:
    """The median of a create in microseconds, and ends in seconds. Nothing where the provider was not built."""
    if shutil.which(PROVIDER) is None:
        print(f"not measured: there is no {PROVIDER} on PATH", file=sys.stderr)
        return
    with (
        tempfile.TemporaryDirectory() as folder,
        served(recording(Path(folder, "cassette.json"), real([PROVIDER]))) as recorded,
        served(real([PROVIDER])) as passed_on,
    ):
        run = subprocess.run([sys.executable, __file__, recorded, passed_on], check=True, stdout=subprocess.PIPE)
        ours, theirs = json.loads(run.stdout)
        yield Row("a create, recorded", "µs", ours, "passed on alone", theirs, "1.15 x")
    yield Row(f"the end of a recording of {CALLS}", "s", closing(CALLS), f"of {CALLS // 10}", closing(CALLS // 10), "10 x")


if __name__ == "__main__":
    if sys.argv[1:]:
        engine(*sys.argv[1:])
    else:
        report(rows())

"""Cassettes beside vcrpy's, in one run and with equal payloads: until they are ready to replay, and a call near the end.

An interaction has 1.3 KB of answer: a Read of one of N objects here, a GET of one of N addresses there. vcrpy keeps YAML unless
told otherwise, and its matchers are its own default ones. The memory that a replay takes is compared with the size of its file.
Times are those of the processor, since nothing waits here, and others may use the machine.

vcrpy is in the dependency group ``peers``: make bench VENV=.venvs/peers GROUP=peers ARGS=cassettes
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from measure import Row, in_turns, report

from mockprovider.calls import Call, Handler, Op, Reply
from mockprovider.double import Double, recording, replaying
from mockprovider.sessions import Session

COUNTS = {1_000: "0.05 x", 10_000: "0.033 x"}
"""How many interactions, and how long ours may take to be ready beside vcrpy's load."""
LARGE = 100_000
ROUNDS = 3
FEW: dict[str, Any] = {"rounds": 5, "calls": 5, "clock": time.process_time_ns}
"""vcrpy looks at all that was recorded for each call, so a few calls are many."""
MANY = 100
"""Of ours, so many stand for one of these."""
TYPE = "cloud:index:Bucket"
PAYLOAD = {f"tag-{n:02}": f"{n:02}" * 17 for n in range(24)}
"""1.3 KB, as JSON."""
RESIDENT = """
import sys
from mockprovider.double import Double, replaying

def resident():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS")) / 1000

before = resident()
with Double(provider=replaying(sys.argv[1])) as double:
    print(resident() - before)
"""


def asked(session: Session, number: int) -> Call:
    """The read of an object."""
    urn = f"urn:pulumi:dev::shop::{TYPE}::b{number}"
    return Call(op=Op.READ, session=session, method="Read", type=TYPE, name=f"b{number}", urn=urn, id=f"i-{number}", inputs={})


def answered(call: Call, _: Handler | None = None) -> Reply:
    """Its payload."""
    return Reply(id=call.id, value={**PAYLOAD, "id": call.id}, inputs={})


def recorded(path: Path, count: int) -> Path:
    """A cassette of ours."""
    with Double(provider=recording(path, answered)) as double:
        session = double.open()
        for number in range(count):
            double(asked(session, number))
    return path


def taped(path: Path, count: int) -> Path:
    """A cassette of vcrpy's."""
    import json  # noqa: PLC0415 - beside the one use

    from vcr.cassette import Cassette  # noqa: PLC0415 - a peer, which need not be there

    tape = Cassette.load(path=str(path), record_mode="all")
    for number in range(count):
        body = json.dumps({**PAYLOAD, "id": f"i-{number}"}).encode()
        headers = {"Content-Type": ["application/json"]}
        tape.append(get(number), {"status": {"code": 200, "message": "OK"}, "headers": headers, "body": {"string": body}})
    tape._save(force=True)  # noqa: SLF001 - it has no other word for it
    return path


def get(number: int) -> Any:
    """The request of an object's address."""
    from vcr.request import Request  # noqa: PLC0415 - a peer, which need not be there

    return Request("GET", f"http://cloud.test/buckets/i-{number}", b"", {})


def seconds(function: Callable[[], object]) -> float:
    """The median of some runs."""
    taken = []
    for _ in range(ROUNDS):
        start = time.process_time()
        function()
        taken.append(time.process_time() - start)
    return statistics.median(taken)


def seconds_of_each(double: Double, count: int) -> float:
    """The mean of a call of each object but the last ones."""
    session = double.open()
    calls = [asked(session, number) for number in range(count - 3)]
    start = time.process_time()
    for call in calls:
        double(call)
    return (time.process_time() - start) / len(calls)


def ready(path: Path) -> None:
    """Open a cassette of ours until it could answer."""
    with Double(provider=replaying(path)) as double:
        double.open()


def compared(folder: Path, count: int, target: str) -> Iterator[Row]:
    """Both rows of so many interactions."""
    from vcr.cassette import Cassette  # noqa: PLC0415 - a peer, which need not be there

    ours, theirs = recorded(folder / f"{count}.json", count), taped(folder / f"{count}.yaml", count)

    def load() -> Any:
        return Cassette.load(path=str(theirs), record_mode="none", allow_playback_repeats=True)

    yield Row(
        f"{count:,} interactions, ready to replay",
        "ms",
        seconds(lambda: ready(ours)) * 1000,
        "vcrpy",
        seconds(load) * 1000,
        target,
    )
    tape, request = load(), get(count - 2)
    with Double(provider=replaying(ours)) as double:
        call = asked(double.open(), count - 2)
        assert double(call).value["id"] == call.id
        assert b"tag-00" in tape.play_response(request)["body"]["string"]
        sent, read, peer = in_turns(
            lambda: [double(call) for _ in range(MANY)],
            lambda: [double(call).value for _ in range(MANY)],
            lambda: tape.play_response(request),
            **FEW,
        )
        first = seconds_of_each(double, count)
    yield Row(f"a call near the end of {count:,}", "µs", sent / MANY, "vcrpy", peer, "40 µs")
    yield Row("the same, its properties read", "µs", read / MANY, "vcrpy", peer, "40 µs")
    yield Row(f"each of {count:,} for the first time", "µs", first * 1e6, "vcrpy", peer, "40 µs")


def large(folder: Path) -> Iterator[Row]:
    """What a large cassette takes: time beside one of a tenth of it, and memory beside its file."""
    small, path = recorded(folder / "tenth.json", LARGE // 10), recorded(folder / "large.json", LARGE)
    tenth, whole = (seconds(partial(ready, kept)) for kept in (small, path))
    yield Row(f"{LARGE:,} interactions, ready to replay", "s", whole, "ours of a tenth", tenth, "10 x")
    taken = subprocess.run([sys.executable, "-c", RESIDENT, str(path)], check=True, capture_output=True)
    yield Row("the memory of that", "MB", float(taken.stdout), "its file", path.stat().st_size / 1_000_000, "2 x")


def rows() -> Iterator[Row]:
    """The rows; nothing where there is no vcrpy."""
    if find_spec("vcr") is None:
        print("not measured: vcrpy; make bench VENV=.venvs/peers GROUP=peers", file=sys.stderr)
        return
    with tempfile.TemporaryDirectory() as folder:
        for count, target in COUNTS.items():
            yield from compared(Path(folder), count, target)
        yield from large(Path(folder))


if __name__ == "__main__":
    report(rows())

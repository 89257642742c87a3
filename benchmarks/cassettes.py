"""Cassettes beside those of others, in one run and with equal payloads: until they are ready to replay, and a call near the
end.

An interaction has 1.3 KB of answer: a Read of one of N objects here, a GET of one of N addresses there. vcrpy keeps YAML,
and the peers' matchers are their own default ones. The core of cassetter is Rust; it looks at one interaction
after the other, as vcrpy does. The memory that a replay takes is compared with the size of its file. Times are those of the
processor, since nothing waits here, and others may use the machine.

cassetter is in the dependency group ``bench`` alone: make bench VENV=.venvs/bench GROUP=bench ARGS=cassettes
"""

from __future__ import annotations

import json
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


def answer(number: int) -> dict[str, str]:
    """What a peer's answer holds."""
    return {**PAYLOAD, "id": f"i-{number}"}


def address(number: int) -> str:
    """Where a peer is asked for an object."""
    return f"http://cloud.test/buckets/i-{number}"


class Vcrpy:
    """vcrpy's cassettes."""

    name, package, suffix = "vcrpy", "vcr", ".yaml"

    def write(self, path: Path, count: int) -> None:
        """Keep a cassette of so many interactions."""
        from vcr.cassette import Cassette  # noqa: PLC0415 - a peer, which need not be there

        tape = Cassette.load(path=str(path), record_mode="all")
        for number in range(count):
            body = json.dumps(answer(number)).encode()
            response = {"status": {"code": 200, "message": "OK"}, "headers": {"Content-Type": ["application/json"]}}
            tape.append(self._get(number), {**response, "body": {"string": body}})
        tape._save(force=True)  # noqa: SLF001 - it has no other word for it

    def load(self, path: Path) -> Any:
        """The cassette, ready to replay."""
        from vcr.cassette import Cassette  # noqa: PLC0415 - a peer, which need not be there

        return Cassette.load(path=str(path), record_mode="none", allow_playback_repeats=True)

    def asking(self, tape: Any, number: int) -> Callable[[], bytes]:
        """What asks for one answer, as often as it is called."""
        request = self._get(number)
        return lambda: tape.play_response(request)["body"]["string"]

    def _get(self, number: int) -> Any:
        from vcr.request import Request  # noqa: PLC0415 - a peer, which need not be there

        return Request("GET", address(number), b"", {})


class Cassetter:
    """cassetter's cassettes, as TOML: it takes no YAML of more than 250,000 nodes."""

    name, package, suffix = "cassetter", "cassetter", ".toml"

    def write(self, path: Path, count: int) -> None:
        """Keep a cassette of so many interactions."""
        from cassetter import Body, HttpInteraction, HttpRequest, HttpResponse  # noqa: PLC0415 - a peer, which need not be there
        from cassetter._core import Cassette  # noqa: PLC0415 - what keeps interactions without a client

        tape = Cassette()
        for number in range(count):
            response = HttpResponse(200, {"Content-Type": ["application/json"]}, Body("json", answer(number)))
            tape.add_interaction(HttpInteraction(HttpRequest("GET", address(number)), response, "2026-01-01T00:00:00Z"))
        tape.save(str(path))

    def load(self, path: Path) -> Any:
        """The cassette, ready to replay."""
        from cassetter.cassette import Cassette  # noqa: PLC0415 - a peer, which need not be there
        from cassetter.recording import RecordMode  # noqa: PLC0415 - a peer, which need not be there

        tape = Cassette(path, record_mode=RecordMode.NONE)
        tape.load()
        return tape

    def asking(self, tape: Any, number: int) -> Callable[[], bytes]:
        """What asks for one answer, as often as it is called."""
        return lambda: json.dumps(tape.play("GET", address(number), {}, None).body.content).encode()


PEERS = (Vcrpy(), Cassetter())


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
    """The rows of so many interactions, beside each peer that is there."""
    ours = recorded(folder / f"{count}.json", count)
    for peer in PEERS:
        if find_spec(peer.package) is None:
            print(f"not measured: {peer.name}; make bench VENV=.venvs/bench GROUP=bench ARGS=cassettes", file=sys.stderr)
            continue
        theirs = folder / f"{count}-{peer.name}{peer.suffix}"
        peer.write(theirs, count)
        loads = seconds(partial(peer.load, theirs)) * 1000
        aim = target if peer is PEERS[0] else ""
        yield Row(f"{count:,} interactions, ready to replay", "ms", seconds(partial(ready, ours)) * 1000, peer.name, loads, aim)
        yield from called(ours, count, peer, peer.load(theirs))


def called(ours: Path, count: int, peer: Vcrpy | Cassetter, theirs: Any) -> Iterator[Row]:
    """The rows of calls near the end."""
    ask = peer.asking(theirs, count - 2)
    with Double(provider=replaying(ours)) as double:
        call = asked(double.open(), count - 2)
        assert double(call).value["id"] == call.id
        assert b"tag-00" in ask()
        sent, read, their_call = in_turns(
            lambda: [double(call) for _ in range(MANY)],
            lambda: [double(call).value for _ in range(MANY)],
            ask,
            **FEW,
        )
        first = seconds_of_each(double, count) * 1e6
    yield Row(f"a call near the end of {count:,}", "µs", sent / MANY, peer.name, their_call, "40 µs")
    yield Row("the same, its properties read", "µs", read / MANY, peer.name, their_call, "40 µs")
    yield Row(f"each of {count:,} for the first time", "µs", first, peer.name, their_call, "40 µs")


def large(folder: Path) -> Iterator[Row]:
    """What a large cassette takes: time beside one of a tenth of it, and memory beside its file."""
    small, path = recorded(folder / "tenth.json", LARGE // 10), recorded(folder / "large.json", LARGE)
    tenth, whole = (seconds(partial(ready, kept)) for kept in (small, path))
    yield Row(f"{LARGE:,} interactions, ready to replay", "s", whole, "ours of a tenth", tenth, "10 x")
    taken = subprocess.run([sys.executable, "-c", RESIDENT, str(path)], check=True, capture_output=True)
    yield Row("the memory of that", "MB", float(taken.stdout), "its file", path.stat().st_size / 1_000_000, "2 x")


def rows() -> Iterator[Row]:
    """The rows; beside no peer that is not there."""
    with tempfile.TemporaryDirectory() as folder:
        for count, target in COUNTS.items():
            yield from compared(Path(folder), count, target)
        yield from large(Path(folder))


if __name__ == "__main__":
    report(rows())

"""What the tests of modes from each door share: a provider that never answers twice in one way, and calls about it."""

from __future__ import annotations

import re
from pathlib import Path

from mockprovider.calls import Call, Op, Reply
from mockprovider.cassette import CassetteAction, LookResult, Mode
from mockprovider.double import Double, Wiring, recording
from mockprovider.protocols import of_family

TYPE = "cloud:index:Bucket"
LIVE = "live"


def asked(double: Double, outcome: str) -> Call:
    """A call that the cassette holds, does not hold, or cannot tell from another one."""
    if outcome == LookResult.AMBIGUOUS:
        return Call(op=Op.INVOKE, session=double.open(), type="cloud:index:zone", inputs={"x": 1})
    name = "logs" if outcome == LookResult.FOUND else "never"
    urn = f"urn:pulumi:dev::shop::{TYPE}::{name}"
    return Call(op=Op.CREATE, session=double.open(), type=TYPE, name=name, urn=urn, inputs={"a": name})


class Answering:
    """A provider that never answers a function twice in one way; ``name`` is in all its answers."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.asked = 0

    def __call__(self, call: Call) -> Reply:
        self.asked += 1
        if call.op is Op.INVOKE:
            return Reply(value={"zone": f"{self.name}-{self.asked}"})
        return Reply(id=self.name, value=dict(call.inputs or {}))


def behind(name: str) -> Wiring:
    """A real provider, as far as a cassette can tell."""
    return Wiring("cloud", Answering(name), protocol=of_family("pulumi"))


def keep(path: Path, name: str = "recorded") -> None:
    """A cassette in which one call is found, and one is ambiguous."""
    with Double(provider=recording(path, behind(name))) as double:
        double(asked(double, LookResult.FOUND))
        question = asked(double, LookResult.AMBIGUOUS)
        for _ in range(3):
            double(question)


def prepared(path: Path, *, existed: bool) -> bytes:
    """The bytes of the cassette, if there is to be one."""
    if existed:
        keep(path)
    return path.read_bytes() if existed else b""


def action(reply: Reply, mode: str | None = None) -> CassetteAction:
    """What was done with a call, by the reply: in ``verify`` a live answer is compared, and else it is recorded."""
    if reply.status is not None:
        return CassetteAction.REFUSE
    answered = reply.id or (reply.value or {})["zone"]
    live = CassetteAction.COMPARE if mode == Mode.VERIFY else CassetteAction.RECORD
    return live if answered.startswith(LIVE) else CassetteAction.REPLAY


def holders(path: Path) -> set[str]:
    """The names of the providers whose answers a cassette holds."""
    return set(re.findall(r'"(?:id|zone)": *"([a-z]+)', path.read_text(encoding="utf-8")))


def assert_kept(path: Path, before: bytes, done: CassetteAction, mode: str = Mode.ALL) -> None:
    """What was recorded is the whole cassette, or was added to it; else it stays as it was; and nothing lies beside it."""
    if done is CassetteAction.RECORD:
        assert holders(path) == ({LIVE, "recorded"} if before and mode == Mode.NEW else {LIVE})
    else:
        assert (path.read_bytes() if path.exists() else b"") == before
    assert [*path.parent.glob("it.json?*")] == []

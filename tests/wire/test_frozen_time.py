"""A test's own time stands still, and what waits for processes and connections does not."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from datetime import UTC, date, datetime, timedelta
from typing import Any

import grpc
import pytest
from pulumi.runtime.proto import provider_pb2

from mockprovider import Double, Property, ResourceType
from mockprovider.calls import Call, Handler, Op, Reply
from mockprovider.clock import StillClock
from mockprovider.double import FrozenTime, RealClock
from mockprovider.double.frozen import START
from mockprovider.errors import DefinitionError, PluginError
from mockprovider.fake.behaviours import Modified
from mockprovider.pulumi.methods import PROVIDER
from mockprovider.wire import machine
from mockprovider.wire.client import Client
from mockprovider.wire.process import Process

TYPE = "cloud:index:Bucket"
URN = "urn:pulumi:dev::project::cloud:index:Bucket::b{}"
CREATE = "/pulumirpc.ResourceProvider/Create"
STAMPED = ResourceType(TYPE, {"at": Property(str, computed=True)}, behaviours=(Modified("at"),))
SECONDS = 60


@pytest.fixture
def frozen() -> Iterator[FrozenTime]:
    """The test's time, frozen."""
    with FrozenTime() as clock:
        yield clock


@pytest.fixture
def served(frozen: FrozenTime) -> Iterator[Double]:
    """A double whose clock is the test's time."""
    with Double(STAMPED, clock=frozen) as double:
        yield double


def target(double: Double) -> str:
    """Where it is served."""
    return str(next(iter(double.serve("pulumi").addresses().values())))


def creating(channel: Any) -> Any:
    """Create, as a channel calls it."""
    request, response = provider_pb2.CreateRequest, provider_pb2.CreateResponse
    return channel.unary_unary(CREATE, request.SerializeToString, response.FromString)


def clocks() -> tuple[float, ...]:
    """What the test's own clocks show, in seconds since their start."""
    shown = (time.time(), time.time_ns() / 10**9, datetime.now(UTC).timestamp(), time.monotonic(), time.perf_counter())
    return tuple(second - START for second in shown)


def test_all_clocks_move_in_step(frozen: FrozenTime) -> None:
    """Every clock of the test stands still, and moves by what the double's moves: also back, to a moment in any zone."""
    assert set(clocks()) == {0.0}
    frozen.tick()
    frozen.tick(timedelta(minutes=1))
    frozen.advance(4.5)
    assert set(clocks()) == {65.5}
    assert frozen.now() == START + 65.5
    frozen.move_to("2024-02-29T12:00:00+02:00")
    assert datetime.now(UTC) == datetime(2024, 2, 29, 10, tzinfo=UTC)
    frozen.move_to(datetime(2026, 1, 1))  # noqa: DTZ001 - a moment without a zone is one in UTC
    assert (date.today(), frozen.now()) == (date(2026, 1, 1), time.time())  # noqa: DTZ011 - what is tested


def test_the_machines_time_goes_on(frozen: FrozenTime) -> None:
    """Behind the frozen clocks the machine's own run on, and they are those of ``RealClock``."""
    before = machine.steady()
    time.sleep(0.001)
    assert machine.steady() > before
    assert RealClock().now() > START
    assert abs(RealClock().now() - machine.wall_ns() / 10**9) < SECONDS


def test_everything_is_as_before() -> None:
    """After the block the test has the machine's time again, the clock remains where it was, and may freeze time once more."""
    before = (time.time, datetime, machine.steady())
    clock = FrozenTime()
    with clock:
        clock.advance(10)
    clock.advance(5)
    assert (time.time, datetime) == before[:2]
    assert abs(time.time() - machine.wall()) < SECONDS
    with clock:
        assert set(clocks()) == {15.0}


def test_a_frozen_time_in_another_one(frozen: FrozenTime) -> None:
    """The inner one decides, and the outer one goes on where it was."""
    with FrozenTime(60.0) as inner:
        inner.advance(1)
        assert time.time() == 61.0
    assert set(clocks()) == {0.0}


@pytest.mark.parametrize("seconds", [-1, float("nan"), float("inf")])
def test_what_no_clock_does(frozen: FrozenTime, seconds: float) -> None:
    """A clock does not go back by accident, nor nowhere; the machine's cannot be moved at all, and says what can."""
    with pytest.raises(ValueError, match="goes forward"):
        frozen.tick(seconds)
    with pytest.raises(ValueError, match="goes forward"):
        StillClock().advance(seconds)
    with pytest.raises(DefinitionError, match="StillClock"):
        RealClock().advance(seconds)
    with pytest.raises(ValueError, match="tomorrow"):
        frozen.move_to("tomorrow")
    assert set(clocks()) == {0.0}


def test_threads_of_the_test(frozen: FrozenTime) -> None:
    """A function that is a thread's own sees the frozen time, and so does one in a pool."""
    seen: list[tuple[float, ...]] = []
    thread = threading.Thread(target=lambda: seen.append(clocks()))
    thread.start()
    thread.join(SECONDS)
    with ThreadPoolExecutor() as pool:
        seen.append(pool.submit(clocks).result(SECONDS))
    assert [*map(set, seen)] == [{0.0}, {0.0}]


def test_ten_rpcs_in_parallel(served: Double, frozen: FrozenTime) -> None:
    """Ten creates over gRPC wait five minutes each: the test's time moves by all of them, and stamps are of it."""
    served.faults.on.create().latency(300).at("before").always()
    seen: list[float] = []

    def looking(call: Call, proceed: Handler) -> Reply:
        if call.op is Op.CREATE:
            seen.append(time.time())
        return proceed(call)

    served.use(looking)
    with grpc.insecure_channel(target(served)) as channel, ThreadPoolExecutor(10) as pool:
        create = creating(channel)
        gate = threading.Barrier(10)

        def asked(number: int) -> Any:
            gate.wait(SECONDS)
            return create(provider_pb2.CreateRequest(urn=URN.format(number)), timeout=SECONDS)

        futures = [pool.submit(asked, number) for number in range(10)]
        answers = [future.result(SECONDS) for future in as_completed(futures, SECONDS)]
    assert len({answer.id for answer in answers}) == 10
    assert set(clocks()) == {3000.0}
    assert max(seen) == START + 3000
    stamps = sorted(cloud_object["at"] for cloud_object in served.cloud.objects())
    assert stamps[-1] == "2025-01-01T00:50:00Z"


def test_rpcs_under_asyncio(served: Double, frozen: FrozenTime) -> None:
    """Under asyncio ten RPCs are answered, sleeps end, limits run out, and the test's time moves by the waits alone."""
    served.faults.on.create().latency(60).always()
    address = target(served)

    async def main() -> tuple[int, bool]:
        async with grpc.aio.insecure_channel(address) as channel:
            create = creating(channel)
            calls = [create(provider_pb2.CreateRequest(urn=URN.format(number)), timeout=SECONDS) for number in range(10)]
            answers = await asyncio.gather(*calls)
        await asyncio.sleep(0.001)
        try:
            await asyncio.wait_for(asyncio.Event().wait(), 0.001)
        except TimeoutError:
            return len({answer.id for answer in answers}), True
        return 0, False

    assert asyncio.run(main()) == (10, True)
    assert set(clocks()) == {600.0}


def test_a_limit_of_an_rpc_under_frozen_time(served: Double, frozen: FrozenTime) -> None:
    """A hang moves no clock, and the caller's own limit ends the call."""
    served.faults.on.create().hang()
    with grpc.insecure_channel(target(served)) as channel:
        create = creating(channel)
        with pytest.raises(grpc.RpcError) as caught:
            create(provider_pb2.CreateRequest(urn=URN.format(0)), timeout=0.2)
    assert caught.value.code() is grpc.StatusCode.DEADLINE_EXCEEDED  # type: ignore[attr-defined]
    assert set(clocks()) == {0.0}


def test_waiting_for_a_port(frozen: FrozenTime) -> None:
    """Waiting for a provider that does not answer ends, although the test's time stands still."""
    client = Client("127.0.0.1:1", PROVIDER)
    try:
        with pytest.raises(PluginError):
            client.wait_ready(0.2)
    finally:
        client.close()


def test_waiting_for_processes(frozen: FrozenTime) -> None:
    """So does waiting for a line that is not printed, and for a process that does not end."""
    silent = [sys.executable, "-c", "import signal; signal.pause()"]
    with Process(silent) as process, pytest.raises(PluginError, match="printed nothing"):
        process.line(0.05)
    with subprocess.Popen(silent) as running:
        with pytest.raises(subprocess.TimeoutExpired):
            running.wait(0.05)
        running.kill()


def test_another_clock(frozen: FrozenTime) -> None:
    """A double gets another clock at any time: faults and behaviours go by it from the next call on."""
    with Double(STAMPED) as double:
        session = double.open()
        double.faults.on.create().latency(60).always()
        for clock in (double.clock, frozen):
            double.clock = clock
            assert double(Call(op=Op.CREATE, session=session, type=TYPE, inputs={})).ok
        double.clock.advance(1)
        at = [cloud_object["at"] for cloud_object in double.cloud.objects()]
    assert at == ["1970-01-01T00:00:00Z", "2025-01-01T00:00:00Z"]
    assert set(clocks()) == {61.0}


@pytest.mark.parametrize(
    "module", ["msgpack", "grpc", "pulumi", "cryptography.x509", "mockprovider.engine", "mockprovider.tape"]
)
def test_what_is_loaded_under_frozen_time(module: str) -> None:
    """What a test is the first to load, while its time is frozen, is loaded without a warning."""
    script = f"from mockprovider.double import FrozenTime\nwith FrozenTime():\n    import {module}\n"
    command = [sys.executable, "-W", "error::RuntimeWarning", "-c", script]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS * 4, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")

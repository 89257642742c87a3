"""What a program leaves in its event loop is ended where it arises, and not found by the next collection."""

from __future__ import annotations

import asyncio
import gc
import sys
import threading
import warnings
from contextlib import contextmanager, suppress
from types import SimpleNamespace

import grpc
import pytest
from engine_toolbox import Bucket
from pulumi.runtime._callbacks import _CallbackServicer
from pulumi.runtime.proto import callback_pb2, callback_pb2_grpc, language_pb2, resource_pb2

from mockprovider import Double, ResourceType, Stack, loops
from mockprovider.drivers.inline import Begun, Host, _end, language_host
from mockprovider.engine.threads import Work
from mockprovider.wire.server import serve

BUCKET = ResourceType("cloud:index:Bucket", {"acl": str})


class UnavailableError(grpc.RpcError):
    """What a call to an engine that has ended raises."""

    def code(self):
        return grpc.StatusCode.UNAVAILABLE


async def failing():
    """A task that does not end by being cancelled, but by an error of its own."""
    try:
        await asyncio.sleep(60)
    finally:
        raise ValueError("not even this went well")


BORN: list[asyncio.Task[None]] = []


async def begetting(more=3):
    """A task that begins another when it is cancelled, and tells the loop of an error, at which the SDK's handler stops it."""
    loop = asyncio.get_running_loop()
    try:
        await asyncio.sleep(60)
    finally:
        if more:
            BORN.append(loop.create_task(begetting(more - 1)))
        loop.call_exception_handler({"message": "gone", "exception": UnavailableError()})
        await asyncio.sleep(0)


@contextmanager
def nothing_left():
    """What is collected from now on has nothing to complain of."""
    complaints = []
    hook, sys.unraisablehook = sys.unraisablehook, complaints.append
    try:
        # The suite as a whole lets the SDK's own leftovers pass.
        with warnings.catch_warnings(action="error"):
            yield
            BORN.clear()
            gc.collect()
    finally:
        sys.unraisablehook = hook
    assert [str(each.exc_value) for each in complaints] == []


@pytest.fixture
def seen():
    """The loops in which programs ran."""
    return []


@pytest.fixture
def program(seen):
    """A program that fails, and leaves tasks that resist."""

    async def run():
        Bucket("logs")
        seen.append(asyncio.get_running_loop())
        seen[0].kept = [seen[0].create_task(each) for each in (failing(), begetting(), begetting(), begetting())]
        await asyncio.sleep(0)
        raise RuntimeError("the program is broken")

    return run


def monitor(name, request, answer):
    """One method of an engine that says yes to everything."""
    return grpc.unary_unary_rpc_method_handler(lambda *_: answer, request.FromString, lambda reply: reply.SerializeToString())


def test_under_the_language_host(seen, program):
    """The loop of a failed run is closed, also when its tasks raise, begin others, and have the SDK stop it."""
    yes = {
        "SupportsFeature": (resource_pb2.SupportsFeatureRequest, resource_pb2.SupportsFeatureResponse(hasSupport=True)),
        "RegisterResource": (
            resource_pb2.RegisterResourceRequest,
            resource_pb2.RegisterResourceResponse(urn="urn:pulumi:dev::shop::cloud:index:Bucket::logs", id="x"),
        ),
        "RegisterResourceOutputs": (resource_pb2.RegisterResourceOutputsRequest, language_pb2.RunResponse()),
    }
    handlers = {name: monitor(name, *each) for name, each in yes.items()}
    generic = grpc.method_handlers_generic_handler("pulumirpc.ResourceMonitor", handlers)
    with nothing_left(), serve([], handlers=[generic]) as served:
        request = language_pb2.RunRequest(project="shop", stack="dev", monitor_address=served.address, parallel=1)
        # Which of the tasks the SDK comes to first is nobody's choice.
        with pytest.raises((ValueError, RuntimeError), match=r"not even this went well|Event loop stopped"):
            Host(program).Run(request, None)
        [loop] = seen
        assert loop.is_closed()
        del loop
        seen.clear()


def test_a_task_that_clings(monkeypatch):
    """A task that goes on however often it is cancelled keeps nobody from closing its loop."""

    async def clinging():
        while True:
            with suppress(asyncio.CancelledError):
                await asyncio.sleep(60)

    async def begin():
        loop.kept = loop.create_task(clinging())
        await asyncio.sleep(0)

    monkeypatch.setattr(loops, "GRACE", 0.01)
    loop = asyncio.new_event_loop()
    loop.run_until_complete(begin())
    assert Work(lambda: loops.end(loop)).start().wait(60)
    assert loop.is_closed()


def test_a_run_that_ends_before_its_program_begins(monkeypatch):
    """The loop is closed, too, of a run in which the SDK fails before it calls the program, and cannot end what it began."""

    async def failing_at_once(_):
        asyncio.get_running_loop().kept = asyncio.get_running_loop().create_task(failing())
        await asyncio.sleep(0)
        raise RuntimeError("no stack")

    monkeypatch.setattr("pulumi.automation._server.run_in_stack", failing_at_once)
    with nothing_left(), pytest.raises(ValueError, match="not even this went well"):
        Host(lambda: None).Run(language_pb2.RunRequest(project="shop", stack="dev", monitor_address="127.0.0.1:1"), None)


def test_a_run_that_goes_on_without_its_engine(monkeypatch):
    """A run that nobody waits for any more is over before its language host is."""
    entered, may_end, over = threading.Event(), threading.Event(), []

    async def slow(_):
        entered.set()
        await asyncio.get_running_loop().run_in_executor(None, may_end.wait, 10)
        over.append(True)

    monkeypatch.setattr("pulumi.automation._server.run_in_stack", slow)
    with language_host(lambda: None) as address, grpc.insecure_channel(address) as channel:
        run = channel.unary_unary("/pulumirpc.LanguageRuntime/Run", language_pb2.RunRequest.SerializeToString, None)
        gone = run.future(language_pb2.RunRequest(project="shop", stack="dev", monitor_address="127.0.0.1:1"))
        assert entered.wait(60)
        gone.cancel()
        threading.Timer(0.2, may_end.set).start()

    assert over == [True]


def test_under_the_embedded_engine(seen, program):
    """The embedded engine leaves nothing of a failed program, either."""
    with nothing_left(), Double(BUCKET) as double:
        failed = Stack(double).up(program, expect_failure=True)
        assert "the program is broken" in str(failed.error)
        [loop] = seen
        assert loop.is_closed()
        del loop, failed
        seen.clear()


def test_a_loop_that_was_told_to_stop():
    """A stop from before does not keep a loop open; ending it again does nothing."""
    loop = asyncio.new_event_loop()
    ended = []

    async def tidy():
        try:
            await asyncio.sleep(60)
        finally:
            ended.append("tidy")

    task = loop.create_task(tidy())
    loop.run_until_complete(asyncio.sleep(0))
    loop.stop()
    loops.end(loop)
    loops.end(loop)

    assert (loop.is_closed(), task.cancelled(), ended) == (True, True, ["tidy"])


async def serving():
    """What the SDK serves hooks and transforms with."""
    servicer = _CallbackServicer(None)
    await servicer.serve()
    return servicer


def test_what_serves_hooks_ends_also_in_a_loop_that_is_to_stop():
    """A program that was broken off has its loop stopped; what served its hooks is ended all the same, and forgotten."""
    loop = asyncio.new_event_loop()
    servicer = loop.run_until_complete(serving())
    loop.stop()
    _end(Begun(loops=[loop]))

    assert servicer not in _CallbackServicer._servicers
    assert loop.is_closed()
    gc.collect()


@pytest.mark.parametrize("rounds", range(4))
def test_what_serves_hooks_is_not_stopped_twice_at_once(rounds):
    """A program may be broken off while it stops its hooks, of which one runs; two stops crash the process."""
    loop = asyncio.new_event_loop()
    servicer = loop.run_until_complete(serving())
    running = asyncio.Event()

    async def hook(_):
        running.set()
        await asyncio.sleep(60)

    servicer._callbacks["hook"] = hook
    with grpc.insecure_channel(servicer._target) as channel:
        asked = callback_pb2_grpc.CallbacksStub(channel).Invoke.future(callback_pb2.CallbackInvokeRequest(token="hook"))
        loop.run_until_complete(running.wait())
        stopping = loop.create_task(_CallbackServicer.shutdown())
        for _ in range(rounds):
            loop.run_until_complete(asyncio.sleep(0))
        _end(Begun(loops=[loop]))

        assert stopping.done()
        assert servicer not in _CallbackServicer._servicers
        assert asked.exception(60) is not None
    gc.collect()


class Server:
    """A server of gRPC's that takes its time to stop, and notes how many stop it at once."""

    def __init__(self, loop):
        self._loop = loop
        self.together = []
        self._stopping = 0

    async def stop(self, grace):
        self._stopping += 1
        self.together.append(self._stopping)
        await asyncio.sleep(grace + 0.01)
        self._stopping -= 1


def test_a_stop_under_way_is_waited_for(monkeypatch):
    """What the program itself stops as it is broken off is not stopped by us meanwhile, nor is its stop cancelled."""
    loop = asyncio.new_event_loop()
    server = Server(loop)
    monkeypatch.setattr(_CallbackServicer, "_servicers", [SimpleNamespace(_server=server)])
    stopping = loop.create_task(_CallbackServicer.shutdown())
    loop.run_until_complete(asyncio.sleep(0))
    _end(Begun(loops=[loop]))

    assert (server.together, stopping.cancelled(), _CallbackServicer._servicers) == ([1, 1], False, [])


def test_a_loop_that_is_stopped_for_ever():
    """What cannot be run to its end is an error, and not waited for."""
    loop = asyncio.new_event_loop()

    async def stopping():
        while True:
            loop.stop()
            await asyncio.sleep(0)

    try:
        with pytest.raises(RuntimeError, match="stopped again and again"):
            loops.run(loop, stopping())
    finally:
        loops.end(loop)

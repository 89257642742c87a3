"""Cancel is advice and blocks nobody, Close releases, and the client decides how long it waits between."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path

import grpc
import pytest
from builders import BUCKET, URN, call
from wire_toolbox import Connection, Wire

from mockprovider.calls import Call, Handler, Op, Reply, Session
from mockprovider.double import Double, Wiring, real
from mockprovider.errors import PluginError
from mockprovider.pulumi.methods import PROVIDER
from mockprovider.pulumi.process.plugin import Plugin
from mockprovider.wire.client import Client
from mockprovider.wire.proxy import PerSession

SECONDS = 60
"""How long anything may take before the test fails instead of hanging."""


class Hanging:
    """A provider whose Create hangs until it is let go, and which notes the Cancels that it heard."""

    def __init__(self) -> None:
        self.creating = threading.Event()
        self.go = threading.Event()
        self.heard: list[str] = []

    def __call__(self, asked: Call) -> Reply:
        self.heard.append(asked.op.value)
        if asked.op is Op.CREATE:
            self.creating.set()
            assert self.go.wait(SECONDS)
            return Reply(id="b-1", value={})
        return Reply()

    def layer(self, asked: Call, proceed: Handler) -> Reply:
        """The same in front of another provider."""
        self(asked)
        return proceed(asked)


@pytest.fixture
def hanging() -> Iterator[Hanging]:
    """The provider, let go at the end at the latest."""
    made = Hanging()
    yield made
    made.go.set()


@pytest.fixture
def client(wire: Wire, hanging: Hanging) -> Client:
    """A client of it, over the wire."""
    made = Client(wire.serve(hanging).address, PROVIDER)
    wire.later(made.close)
    return made


def create() -> Call:
    return call(Op.CREATE, urn=URN, inputs={})


def test_cancel_is_answered_while_a_create_hangs(client: Client, hanging: Hanging) -> None:
    """Cancel is answered at once, the create goes on, and its late success is a success."""
    with ThreadPoolExecutor(1) as pool:
        creating = pool.submit(client, create())
        assert hanging.creating.wait(SECONDS)
        assert client.cancel(Session("pulumi"), SECONDS).ok
        assert not creating.done()
        hanging.go.set()

        assert creating.result(SECONDS).id == "b-1"
    assert client(create()).ok, "Cancel is no end: what is called after it is answered"


def test_a_provider_that_does_not_hear(client: Client, hanging: Hanging, wire: Wire) -> None:
    """A provider that does not acknowledge Cancel holds nobody up longer than was said."""
    deaf = threading.Event()
    wire.later(deaf.set)
    other = Client(wire.serve(lambda _: Reply(id=str(deaf.wait(SECONDS)))).address, PROVIDER)
    wire.later(other.close)
    reply = other.cancel(Session("pulumi"), 0.01)

    assert reply.failures[0].status == "deadline_exceeded"


def test_close_waits_as_long_as_it_is_told(client: Client, hanging: Hanging) -> None:
    """Between Cancel and Close, a call in flight may end by itself within the client's patience."""
    with ThreadPoolExecutor(2) as pool:
        creating = pool.submit(client, create())
        assert hanging.creating.wait(SECONDS)
        closing = pool.submit(client.close, SECONDS)
        hanging.go.set()
        closing.result(SECONDS)

        assert creating.result(SECONDS).id == "b-1"


def test_close_ends_what_has_not_ended(client: Client, hanging: Hanging) -> None:
    """A call that hangs when patience is over is an error, and no answer of its provider, which knows nothing of that."""
    with ThreadPoolExecutor(1) as pool:
        creating = pool.submit(client, create())
        assert hanging.creating.wait(SECONDS)
        client.close(0.01)

        with pytest.raises(PluginError, match="Nobody knows what came of it"):
            creating.result(SECONDS)


def test_after_close(client: Client) -> None:
    """Closing twice is harmless; a call after it, or a Cancel, is an error that says so."""
    client.close()
    client.close()
    for late in (lambda: client(create()), lambda: client.cancel(Session("pulumi"), SECONDS)):
        with pytest.raises(PluginError, match="was closed, and this call came after it"):
            late()


# Through a proxy -----------------------------------------------------------------------------------------------------


class Noted:
    """A provider that counts how often it was closed."""

    def __init__(self) -> None:
        self.closed = 0

    def __call__(self, _: Call) -> Reply:
        return Reply()

    def close(self) -> None:
        self.closed += 1


def test_a_proxy_after_close() -> None:
    """A proxy that was closed starts no provider for a late call, but says so."""
    started: list[Noted] = []
    proxy = PerSession(lambda _: started.append(Noted()) or started[-1])  # type: ignore[func-returns-value]
    session = Session("pulumi", 1)
    proxy(call(Op.CHECK, session=session))
    proxy.close()
    proxy.close()
    for late in (session, Session("pulumi", 2)):
        with pytest.raises(PluginError, match=r"check of .*the call came after it"):
            proxy(call(Op.CHECK, session=late))

    assert [each.closed for each in started] == [1]


def test_a_proxy_that_is_closed_while_a_provider_starts() -> None:
    """A provider that was starting when its proxy closed is closed too, and its first call told."""
    starting, released, slow = threading.Event(), threading.Event(), Noted()

    def start(_: Call) -> Noted:
        starting.set()
        assert released.wait(SECONDS)
        return slow

    proxy = PerSession(start)
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(proxy, call(Op.CHECK))
        assert starting.wait(SECONDS)
        proxy.close()
        released.set()

        assert isinstance(first.exception(SECONDS), PluginError)
    assert slow.closed == 1


def test_an_engine_cancels_through_a_proxy(wire: Wire, hanging: Hanging) -> None:
    """An engine's Cancel reaches the real provider behind a double past a create that hangs, and both are answered."""
    behind = wire.serve(hanging)
    proxy = PerSession(lambda _: Client(behind.address, PROVIDER))
    with Double(provider=Wiring("cloud", proxy)) as double, double.serve("pulumi") as serving, serving.client() as engine:
        session = engine.open()
        with ThreadPoolExecutor(1) as pool:
            creating = pool.submit(engine, call(Op.CREATE, session=session, urn=URN, inputs={}))
            assert hanging.creating.wait(SECONDS)
            assert engine(Call(op=Op.CANCEL, session=session)).ok
            hanging.go.set()

            assert creating.result(SECONDS).id == "b-1"
    assert hanging.heard == ["create", "cancel"]


def test_the_fake_keeps_serving(hanging: Hanging) -> None:
    """The fake acknowledges Cancel while a create is in it, finishes the create, and serves later runs."""
    with Double(BUCKET, layers=(hanging.layer,)) as double, double.serve("pulumi").client() as engine:
        session = engine.open()
        with ThreadPoolExecutor(1) as pool:
            creating = pool.submit(engine, call(Op.CREATE, session=session, urn=URN, inputs={}))
            assert hanging.creating.wait(SECONDS)
            assert engine(Call(op=Op.CANCEL, session=session)).ok
            assert engine(Call(op=Op.CANCEL, session=session)).ok
            hanging.go.set()
            assert creating.result(SECONDS).ok
        assert engine(call(Op.CREATE, session=session, urn=URN, inputs={})).ok
        assert len(double.cloud.objects()) == 2


def test_a_thousand_hung_creates() -> None:
    """One Cancel is answered past a thousand creates of its connection that hang, and ends them all."""
    creating = threading.Semaphore(0)

    def hang(asked: Call, proceed: Handler) -> Reply:
        if asked.op is Op.CREATE:
            creating.release()
            assert asked.session.cancelled.wait(SECONDS)
        return proceed(asked)

    with (
        Double(BUCKET, layers=(hang,)) as double,
        double.serve("pulumi") as serving,
        closing(Connection(serving.address)) as connection,
    ):
        request = PROVIDER.messages["Create"][0]
        creates = [connection.start("Create", request(urn=f"{URN}{n}").SerializeToString()) for n in range(1000)]
        for _ in creates:
            assert creating.acquire(timeout=SECONDS)
        assert not any(create.done() for create in creates)
        connection.call("Cancel")
        for create in creates:
            create.result()
        assert len(double.cloud.objects()) == 1000


def test_a_closed_double_lets_nothing_hang() -> None:
    """Closing a double cancels all of its sessions, and returns when what hung there has ended; so it goes on to close."""
    over: list[str] = []
    hanging = threading.Semaphore(0)

    def hang(asked: Call, proceed: Handler) -> Reply:
        if asked.op is Op.CREATE:
            hanging.release()
            assert asked.session.cancelled.wait(SECONDS)
            over.append(asked.name)
        return proceed(asked)

    with ExitStack() as open_:
        double = open_.enter_context(Double(BUCKET, layers=(hang,)))
        connections = [open_.enter_context(closing(Connection(double.serve("pulumi").address))) for _ in range(3)]
        request = PROVIDER.messages["Create"][0]
        creates = [
            connection.start("Create", request(urn=f"{URN}{n}").SerializeToString()) for n, connection in enumerate(connections)
        ]
        another = call(Op.CREATE, session=double.open(), urn=f"{URN}-inside", name="inside", inputs={})
        inside = threading.Thread(target=double, args=[another])
        inside.start()
        for _ in range(4):
            assert hanging.acquire(timeout=SECONDS)
        double.close()
        inside.join(SECONDS)

        assert sorted(over) == ["inside", "logs0", "logs1", "logs2"]
        for create in creates:
            assert create.code() in (grpc.StatusCode.OK, grpc.StatusCode.CANCELLED, grpc.StatusCode.UNAVAILABLE)


def test_a_connection_that_comes_while_a_double_closes() -> None:
    """What comes when a double has begun to close, and hangs until it is cancelled, is not waited for."""
    with Double(BUCKET) as double:
        double.faults.on.create().hang().optional()
    late = call(Op.CREATE, session=double.open(), urn=URN, inputs={})
    asking = threading.Thread(target=double, args=[late], daemon=True)
    asking.start()
    asking.join(SECONDS)
    assert not asking.is_alive()


# A process -----------------------------------------------------------------------------------------------------------

PROCESS = """
import sys
from mockprovider.calls import Op, Reply, Session
from mockprovider.pulumi.methods import PROVIDER
from mockprovider.wire.server import Endpoint, serve

def answer(call):
    with open(sys.argv[1], "a") as heard:
        print(call.op.value, file=heard)
    return Reply(id="b-1", value={}) if call.op is Op.CREATE else Reply()

with serve([Endpoint(PROVIDER, answer, lambda peer: Session("pulumi", 1, peer))]) as served:
    print(served.port, flush=True)
    served.wait()
"""


@pytest.fixture
def heard(tmp_path: Path) -> Path:
    """Where a provider process notes what it was asked."""
    (tmp_path / "provider.py").write_text(PROCESS)
    return tmp_path / "heard"


@pytest.mark.parametrize("told", [False, True])
def test_closing_a_process(heard: Path, told: bool) -> None:
    """A provider process hears Cancel once before it is ended, from the engine or else from us; then it is gone."""
    plugin = Plugin([sys.executable, str(heard.with_name("provider.py")), str(heard)], create())
    assert plugin(create()).id == "b-1"
    if told:
        plugin(call(Op.CANCEL))
    plugin.close()
    plugin.close()

    assert heard.read_text().split() == ["create", "cancel"]
    assert not plugin._process.running
    with pytest.raises(PluginError, match="was closed"):
        plugin(create())


def test_a_process_that_has_died_is_closed_at_once(heard: Path) -> None:
    """Nobody asks a dead provider to cancel."""
    plugin = Plugin([sys.executable, str(heard.with_name("provider.py")), str(heard)], create())
    plugin._process.stop(grace=0)
    plugin.close()

    assert not heard.exists()


def test_a_double_ends_its_providers(heard: Path) -> None:
    """Closing a double shuts down the real providers behind it, each with a Cancel first; a call after that is an error."""
    with Double(provider=real([sys.executable, str(heard.with_name("provider.py")), str(heard)])) as double:
        session = double.open()
        assert double(call(Op.CREATE, session=session, urn=URN, inputs={})).id == "b-1"
    assert heard.read_text().split() == ["create", "cancel"]
    with pytest.raises(PluginError, match="Make a new double"):
        double(call(Op.CREATE, session=session, urn=URN, inputs={}))

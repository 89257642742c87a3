"""Bytes between two sockets: handed on both ways, whole, until one end goes."""

from __future__ import annotations

import socket
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from mockprovider.errors import PluginError
from mockprovider.wire.pipes import Pipes, connect, hear, say

SECONDS = 60


class Echo:
    """A server that says what it heard, in capitals, and counts its connections."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.connections = []
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    @property
    def address(self):
        """``host:port``."""
        return f"127.0.0.1:{self.listener.getsockname()[1]}"

    def run(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            self.connections.append(connection)
            threading.Thread(target=self.answer, args=(connection,), daemon=True).start()

    def answer(self, connection):
        with connection:
            while data := connection.recv(4096):
                connection.sendall(data.upper())

    def close(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.thread.join(SECONDS)
        self.listener.close()


@pytest.fixture
def echo(wire):
    """The echo."""
    made = Echo()
    wire.later(made.close)
    return made


@pytest.fixture
def pipe(wire):
    """Makes pipes in front of an address; gives a function that connects to them."""

    def make(pair, **options):
        listener = socket.create_server(("127.0.0.1", 0))
        address = f"127.0.0.1:{listener.getsockname()[1]}"
        pipes = Pipes(listener, pair, **options)
        wire.later(pipes.stop)

        def knock():
            connection = connect(address)
            connection.settimeout(SECONDS)
            wire.later(connection.close)
            return connection

        return pipes, knock

    return make


def read(connection, count):
    """So many bytes."""
    data = b""
    while len(data) < count:
        part = connection.recv(count - len(data))
        assert part, f"the connection ended after {len(data)} bytes"
        data += part
    return data


def test_both_ways(pipe, echo):
    """What one end says reaches the other, and its answer comes back, each connection with a partner of its own."""
    _, knock = pipe(lambda engine: (engine, connect(echo.address)))
    one, other = knock(), knock()
    one.sendall(b"one")
    other.sendall(b"other")

    assert (read(one, 3), read(other, 5)) == (b"ONE", b"OTHER")
    assert len(echo.connections) == 2


def test_much_at_once(pipe, echo):
    """Megabytes in both directions at once come through whole."""
    _, knock = pipe(lambda engine: (engine, connect(echo.address)))
    connection = knock()
    much = b"abcdefgh" * 500_000
    with ThreadPoolExecutor(1) as pool:
        sending = pool.submit(connection.sendall, much)
        assert read(connection, len(much)) == much.upper()
        sending.result(SECONDS)


@pytest.mark.parametrize("first", ["engine", "provider"])
def test_one_end_goes(pipe, echo, first):
    """When one end closes, the other is closed too, and whoever waits for it is told of the pair."""
    ended = threading.Event()
    _, knock = pipe(lambda engine: (engine, connect(echo.address)), ended=lambda *_: ended.set())
    connection = knock()
    connection.sendall(b"x")
    read(connection, 1)
    gone = connection if first == "engine" else echo.connections[0]
    gone.shutdown(socket.SHUT_RDWR)

    assert ended.wait(SECONDS)
    assert connection.recv(1) == b""


def test_no_partner(pipe):
    """Where the other end cannot be had, the connection is closed and the reason told, and the next one is accepted."""
    told = []
    _, knock = pipe(lambda _: connect("127.0.0.1:1"), refused=lambda error: told.append(str(error)))

    assert [knock().recv(1), knock().recv(1)] == [b"", b""]
    assert told[0].startswith("Nobody answers at '127.0.0.1:1'")


def test_a_connection_may_be_declined(pipe):
    """A connection that is to have no partner is closed."""
    _, knock = pipe(lambda engine: say(engine, {"no": 1}))
    connection = knock()

    assert (hear(connection), connection.recv(1)) == ({"no": 1}, b"")


def test_stop(pipe, echo):
    """Stopping ends what is joined and accepts no more, and stopping again is no error."""
    pipes, knock = pipe(lambda engine: (engine, connect(echo.address)))
    connection = knock()
    connection.sendall(b"x")
    read(connection, 1)
    pipes.stop()
    pipes.stop()

    assert connection.recv(1) == b""
    with pytest.raises(PluginError, match="Nobody answers"):
        knock()


@pytest.mark.parametrize("address", ["127.0.0.1:1", "nonsense", "127.0.0.1:99999", ""])
def test_nobody_there(address):
    """An address at which nobody answers, or that is none, is an error that shows it."""
    with pytest.raises(PluginError, match="Nobody answers at"):
        connect(address)


@pytest.mark.parametrize("said", [b"", b"PRI * HTTP/2.0\r\n\r\n", b"[]\n", b"x" * 70_000])
def test_somebody_else(said):
    """Whoever says something else than a line of JSON, or nothing, is no mockprovider."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.sendall(said)
        theirs.shutdown(socket.SHUT_WR)
        with pytest.raises(PluginError, match="does not speak as a mockprovider does"):
            hear(ours)


def test_what_follows_a_line_stays():
    """Bytes after the line are not taken away from whoever reads them."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.sendall(b'{"a": 1}\nPRI')
        assert hear(ours) == {"a": 1}
        assert ours.recv(3) == b"PRI"

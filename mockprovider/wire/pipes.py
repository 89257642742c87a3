"""Bytes between two sockets, both ways: what a relay and a TLS terminator are made of. Nothing here knows gRPC."""

from __future__ import annotations

import json
import select
import selectors
import socket
import ssl
import threading
from collections.abc import Callable
from typing import Any, Self

from mockprovider.errors import MalformedError, PluginError

CHUNK = 65536
LONGEST_LINE = 65536
CONNECT_SECONDS = 10.0
"""How long the other end may take to accept a connection, and to say its first line."""

STOP_SECONDS = 2.0
"""Seconds that connections may take to notice that they were ended."""


class Pipes:
    """Accepts connections on ``listener``, and joins each with a partner until one of the two ends.

    ``pair`` is given an accepted connection and returns it, or what it was wrapped into, with its partner; ``None`` closes it.
    It runs in a thread of its own. If it raises ``OSError`` or ``PluginError``, the connection ends, and ``refused`` is told.
    ``ended`` is called with each pair that has ended, before it is closed.
    """

    def __init__(
        self,
        listener: socket.socket,
        pair: Callable[[socket.socket], tuple[socket.socket, socket.socket] | None],
        *,
        ended: Callable[[socket.socket, socket.socket], Any] = lambda *_: None,
        refused: Callable[[Exception], Any] = lambda _: None,
    ) -> None:
        self._listener = listener
        self._pair = pair
        self._ended = ended
        self._refused = refused
        self._open: set[socket.socket] = set()
        self._stopped = False
        self._lock = threading.Condition()
        self._wake, self._woken = socket.socketpair()
        self._accepting = threading.Thread(target=self._accept, name="mockprovider-accept", daemon=True)
        self._accepting.start()

    def _accept(self) -> None:
        with selectors.DefaultSelector() as selector:
            selector.register(self._listener, selectors.EVENT_READ)
            selector.register(self._woken, selectors.EVENT_READ)
            while all(key.fileobj is self._listener for key, _ in selector.select()):
                try:
                    connection, _ = self._listener.accept()
                except OSError:
                    # The client has closed the connection already.
                    continue
                threading.Thread(target=self._serve, args=(connection,), name="mockprovider-pipe", daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        self._keep(connection)
        try:
            pair = self._pair(connection)
        except (OSError, PluginError, MalformedError) as error:
            # Before the connection ends, because the other side may then ask for the reason.
            try:
                self._refused(error)
            finally:
                self._drop(connection)
            return
        if pair is None:
            self._drop(connection)
            return
        for end in pair:
            self._keep(end)
        try:
            join(*pair)
            self._ended(*pair)
        finally:
            self._drop(connection, *pair)

    def _keep(self, connection: socket.socket) -> None:
        with self._lock:
            self._open.add(connection)
            stopped = self._stopped
        if stopped:
            hang_up(connection)

    def _drop(self, *connections: socket.socket) -> None:
        for connection in connections:
            connection.close()
        with self._lock:
            self._open.difference_update(connections)
            self._lock.notify_all()

    def stop(self) -> None:
        """Accept no more, and end what is open. Safe to call again."""
        with self._lock:
            self._stopped = True
            open_ = list(self._open)
            if self._wake.fileno() >= 0:
                self._wake.close()
        self._accepting.join(CONNECT_SECONDS)
        self._listener.close()
        self._woken.close()
        for connection in open_:
            hang_up(connection)
        with self._lock:
            self._lock.wait_for(lambda: not self._open, STOP_SECONDS)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def hang_up(connection: socket.socket) -> None:
    """Shut a connection down; a thread that reads it gets its end."""
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        # It is closed already.
        return


def join(one: socket.socket, other: socket.socket) -> None:
    """Copy bytes both ways between the two, until one has ended."""
    poll = select.poll()
    partners = {}
    for source, target in ((one, other), (other, one)):
        poll.register(source, select.POLLIN)
        partners[source.fileno()] = (source, target)
    try:
        # TLS may have buffered bytes that no poll reports.
        while all(_hand_on(*pair) for pair in partners.values()):
            poll.poll()
    except OSError:
        # A connection that was reset has ended, too.
        return


def _hand_on(source: socket.socket, target: socket.socket) -> bool:
    """Copy the available bytes without waiting for more. Returns whether ``source`` is still open."""
    while True:
        source.setblocking(False)
        try:
            data = source.recv(CHUNK)
        except (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError):
            return True
        finally:
            source.setblocking(True)
        if not data:
            return False
        # Waiting here also blocks the other direction. gRPC allows that: both ends keep reading while they write.
        target.sendall(data)


# One line of JSON each way, before the bytes of others ------------------------------------------------------------------


def connect(address: str) -> socket.socket:
    """A connection to ``host:port``. Raises ``PluginError`` if nobody answers there."""
    host, _, port = address.rpartition(":")
    try:
        return socket.create_connection((host, int(port)), CONNECT_SECONDS)
    except (OSError, ValueError, OverflowError) as error:
        raise PluginError(f"Nobody answers at {address!r} ({error}).") from error


def say(connection: socket.socket, words: dict[str, Any]) -> None:
    """Send ``words`` as a line of JSON. Raises ``OSError``."""
    connection.sendall(json.dumps(words).encode() + b"\n")


def hear(connection: socket.socket, seconds: float | None = CONNECT_SECONDS) -> dict[str, Any]:
    """The line of JSON that comes next; what follows it stays unread.

    Raises ``PluginError`` if none comes within ``seconds``; ``None`` waits for as long as there is a connection.
    """
    connection.settimeout(seconds)
    line = bytearray()
    try:
        while not line.endswith(b"\n"):
            byte = connection.recv(1)
            if not byte or len(line) > LONGEST_LINE:
                raise PluginError("The other end does not speak as a mockprovider does.")
            line += byte
        words = json.loads(line)
    except (OSError, ValueError) as error:
        raise PluginError(f"The other end does not speak as a mockprovider does ({error}).") from error
    connection.settimeout(None)
    if not isinstance(words, dict):
        raise PluginError(f"The other end does not speak as a mockprovider does: {bytes(line[:80])!r}.")
    return words

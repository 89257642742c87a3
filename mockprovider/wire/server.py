"""Serve handlers over gRPC: generic method handlers over tables, no servicer classes.

Bytes come in and bytes go out, so that what a proxied provider answered is handed on untouched. Each connection is a session of
its own, because neither protocol names the provider instance in its calls.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NoReturn, Self

import grpc
from google.protobuf.message import DecodeError, Message

from mockprovider.calls import Call, Delivery, Failure, Handler, Native, Op, Reply, Session, Status
from mockprovider.errors import MalformedError, MockProviderError, PluginError, UnsupportedError
from mockprovider.wire.depth import check_depth
from mockprovider.wire.methods import RpcMethod, Service, unknown_call
from mockprovider.wire.pool import DaemonExecutor
from mockprovider.wire.status import DETAILS_KEY, NUMBERS, StatusError, name_of, status

OPTIONS = (
    # 400 MiB is what Pulumi's engine and SDKs allow; Terraform sets no limit on requests.
    ("grpc.max_receive_message_length", 419430400),
    ("grpc.max_send_message_length", 419430400),
    # A port in use must be an error; without this, two servers could share its connections.
    ("grpc.so_reuseport", 0),
    # Else gRPC measures connections by pings, and cuts one that answers none for a minute: a program in Node.js that compiles
    # for longer, or waits for a command, would lose its monitor.
    ("grpc.http2.bdp_probe", 0),
)
OWN_CONNECTION = ("grpc.use_local_subchannel_pool", 1)
"""The option of a channel that shares its connection with no other of the process to the same address, nor what that one has
learnt of it: that nobody listens there, and when to look again.
"""
MOST_THREADS = 1024
"""Enough for tests that hang a thousand creates. Threads are started only when they are needed."""

MOST_SESSIONS = 10_000
"""How many connections are known, some 20 MB. gRPC does not say which have ended, so the longest silent is forgotten."""

SETTLING_SECONDS = 1.0
"""Seconds that calls whose connection has ended may take to notice that they were cancelled."""

CANCELLING = frozenset({Op.CANCEL})
"""Ops with a lane of their own, so that calls that hang cannot block them."""


HANDLERS: Mapping[tuple[bool, bool], Callable[[Any], Any]] = {
    (False, False): grpc.unary_unary_rpc_method_handler,
    (False, True): grpc.unary_stream_rpc_method_handler,
    (True, False): grpc.stream_unary_rpc_method_handler,
    (True, True): grpc.stream_stream_rpc_method_handler,
}
"""What makes a handler, by whether the request and whether the answer is a stream."""


class Served:
    """A running server. ``address`` is where, as gRPC spells it; ``stop`` ends it, as does leaving a ``with`` block."""

    def __init__(self, server: grpc.Server, host: str, port: int, pools: Sequence[DaemonExecutor], socket: str = "") -> None:
        self.host = host
        self.port = port
        self.socket = socket
        self._server = server
        self._pools = pools

    @property
    def address(self) -> str:
        """``host:port``, or ``unix:path``."""
        return f"unix:{self.socket}" if self.socket else f"{self.host}:{self.port}"

    def stop(self, grace: float | None = None) -> None:
        """Refuse new calls and end those in flight, after ``grace`` seconds.

        What still answers them has a moment to end, too; it is not waited for if it hangs for longer.
        """
        self._server.stop(grace).wait()
        for pool in self._pools:
            pool.shutdown(wait=False, cancel_futures=True)
            pool.join(SETTLING_SECONDS)

    def abandon(self) -> None:
        """End it at once, as the death of its process would, without waiting for the calls in flight."""
        self._server.stop(None)

    def wait(self) -> None:
        """Block until the server ends."""
        # In short waits, so that Ctrl-C gets through; gRPC answers true for as long as the server has not ended.
        while self._server.wait_for_termination(0.2):
            pass

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


class Endpoint:
    """One gRPC service with the handler behind it.

    Args:
        service: the protocol's table.
        handler: what answers the calls.
        open_session: makes the session of a new connection, given the peer's address.
        on_error: told about each error of ours that had to become a status, so that a test can fail with it.
        forward_unknown: pass RPCs that have no row on to the handler as ``Op.RAW`` (a proxy does); else they are refused.
        identify: who speaks from a peer's address, where that is more than the address: connections of one share a session.
    """

    def __init__(
        self,
        service: Service,
        handler: Handler,
        open_session: Callable[[str], Session],
        on_error: Callable[[BaseException], None] | None = None,
        *,
        forward_unknown: bool = False,
        identify: Callable[[str], str] = str,
    ) -> None:
        self.service = service
        self._handler = handler
        self._open_session = open_session
        self._on_error = on_error or (lambda _: None)
        self._forward_unknown = forward_unknown
        known = {} if forward_unknown else service.methods
        self._refused = {rpc: row.reason for rpc, row in known.items() if row.reason}
        self._identify = identify
        self.cut: Callable[[str, Delivery], None] = lambda *_: None
        """Told of a peer whose connection is to be cut, where this server stands in for the provider's process."""
        self._sessions: dict[str, tuple[Session, set[Op]]] = {}
        """The session of each caller, and what was asked in it."""
        self._lock = threading.Lock()

    def answers(self, row: RpcMethod | None, rpc: str, asked: Sequence[bytes], peer: str) -> Sequence[bytes]:
        """The bytes of the answer to those of the request; of each message, where it is a stream.

        Raises ``StatusError`` where the RPC ends in one.
        """
        session = self._session(peer, row)
        call = None
        try:
            call = self._call(row, rpc, asked, session)
            if rpc in self._refused:
                raise self._refusal(rpc)
            reply = self._handler(call)
            if reply.delivery is not None:
                return self._delivered(reply.delivery, row, reply, call, peer)
            return self._encode(row, reply, call)
        except StatusError:
            raise
        except Exception as error:
            self._on_error(error)
            error_status = _as_status(error)
            if row is None or call is None or not isinstance(error, MockProviderError):
                raise StatusError(error_status) from error
            # Engines show failures best in the protocol's own form: Terraform then names resource and line.
            failure = Failure(error_status.message, status=name_of(error_status))
            try:
                return self._encode(row, Reply(failures=(failure,)), call)
            except MockProviderError:
                # Some answers repeat what was asked, and that may be what cannot be encoded.
                raise StatusError(error_status) from error

    def _session(self, peer: str, row: RpcMethod | None) -> Session:
        caller = self._identify(peer)
        with self._lock:
            session, heard = self._sessions.pop(caller, (None, set()))
            # Ports are reused, and nobody says that a connection has ended.
            if session is None or (row and caller == peer and not row.opens.isdisjoint(heard)):
                session, heard = self._open_session(caller), set()
            if row:
                heard.add(row.op)
            # At the end, so that the first one is the one that has been silent for longest.
            self._sessions[caller] = session, heard
            if len(self._sessions) > MOST_SESSIONS:
                del self._sessions[next(iter(self._sessions))]
            return session

    def _call(self, row: RpcMethod | None, rpc: str, asked: Sequence[bytes], session: Session) -> Call:
        if row is None:
            return unknown_call(rpc, asked, session)
        if rpc in self._refused and not row.diagnosed:
            raise self._refusal(rpc)
        cls = self.service.messages[rpc][0]
        if row.calls:
            messages = [decode(cls, data, rpc) for data in asked]
            call = row.calls(messages, session)
            call.stream = tuple(map(Native, asked, messages))
            return call
        message = decode(cls, asked[0], rpc)
        call = row.call(message, session)
        call.native = Native(asked[0], message)
        return call

    def _refusal(self, rpc: str) -> UnsupportedError:
        return UnsupportedError(f"{self.service.name}/{rpc} is not served: {self._refused[rpc]}.")

    def _delivered(self, delivery: Delivery, row: RpcMethod | None, reply: Reply, call: Call, peer: str) -> Sequence[bytes]:
        """What arrives of an answer that a fault spoils on its way."""
        if delivery.how == "bytes":
            return [delivery.data]
        if delivery.how == "half" and delivery.of is not None:
            return [message[: len(message) // 2] for message in self._encode(row, delivery.of, call)]
        self.cut(peer, delivery)
        return self._encode(row, reply, call)

    def _encode(self, row: RpcMethod | None, reply: Reply, call: Call) -> Sequence[bytes]:
        if reply.status is not None or reply.stream is not None:
            streamed = [native.data for native in reply.stream or ()]
            if reply.status is not None:
                raise StatusError(reply.status, streamed)
            return streamed
        native = reply.message
        if native is not None:
            return [native.data]
        if row is None:
            raise UnsupportedError(f"{self.service.name}/{call.method} is an RPC that this version does not know.")
        if row.responses:
            return [message.SerializeToString(deterministic=True) for message in row.responses(reply, call)]
        kept = row.encoded(reply, call) if row.encoded else None
        return [row.response(reply, call).SerializeToString(deterministic=True) if kept is None else kept]

    def method_handler(self, rpc: str, lane: DaemonExecutor) -> Any:
        """The handler of one RPC of this service, as gRPC wants it; ``None`` if it is not served."""
        row = self.service.methods.get(rpc)
        if row is None and not self._forward_unknown:
            return _gone(rpc, self.service.gone[rpc]) if rpc in self.service.gone else None

        takes, streams = self.service.takes(rpc), self.service.streams(rpc)

        def whole(asked: bytes | Iterator[bytes]) -> Sequence[bytes]:
            # A stream that its sender breaks off raises here. Then nobody waits for an answer, and no provider is asked.
            return (asked,) if isinstance(asked, bytes) else tuple(asked)

        def behave(asked: bytes | Iterator[bytes], context: grpc.ServicerContext) -> bytes:
            try:
                return self.answers(row, rpc, whole(asked), context.peer())[0]
            except StatusError as error:
                fail(context, error.status)

        def stream(asked: bytes | Iterator[bytes], context: grpc.ServicerContext) -> Iterator[bytes]:
            try:
                yield from self.answers(row, rpc, whole(asked), context.peer())
            except StatusError as error:
                yield from error.streamed
                fail(context, error.status)

        if row is not None and row.op in CANCELLING:
            behave.experimental_thread_pool = lane  # type: ignore[attr-defined]
        return HANDLERS[takes, streams](stream if streams else behave)


def _gone(rpc: str, reason: str) -> Any:
    def refuse(_: bytes, context: grpc.ServicerContext) -> Iterator[bytes]:
        fail(context, status("unimplemented", f"{rpc} is no RPC of this protocol any more: {reason}."))

    # Callers of unary RPCs accept a stream, too.
    return grpc.unary_stream_rpc_method_handler(refuse)


class _Router(grpc.GenericRpcHandler):  # type: ignore[type-arg, misc, unused-ignore]
    def __init__(self, endpoints: Mapping[str, Endpoint], lane: DaemonExecutor) -> None:
        self._endpoints = endpoints
        self._lane = lane
        self._handlers: dict[str, Any] = {}

    def service(self, handler_call_details: Any) -> Any:
        path = handler_call_details.method
        # gRPC asks at each call; two threads that ask at once make equal handlers.
        if path not in self._handlers:
            self._handlers[path] = self._make(path)
        return self._handlers[path]

    def _make(self, path: str) -> Any:
        _, service, rpc = path.split("/", 2)
        endpoint = self._endpoints.get(service)
        return endpoint.method_handler(rpc, self._lane) if endpoint else None


def serve(
    endpoints: Sequence[Endpoint],
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    handlers: Sequence[Any] = (),
    socket: str = "",
) -> Served:
    """Serve ``endpoints`` on ``host:port`` (any free port, if 0), on loopback unless told otherwise.

    ``handlers`` are further gRPC handlers to serve beside them; ``socket`` is the path of a unix socket to serve at instead.
    Raises ``PluginError`` if the port or socket cannot be had.
    """
    pool = DaemonExecutor(MOST_THREADS, "mockprovider")
    lane = DaemonExecutor(4, "mockprovider-cancel")
    server = grpc.server(pool, options=OPTIONS)
    server.add_generic_rpc_handlers((_Router({endpoint.service.name: endpoint for endpoint in endpoints}, lane), *handlers))
    where = f"unix:{socket}" if socket else f"{host}:{port}"
    try:
        bound = server.add_insecure_port(where)
    except RuntimeError as error:
        server.stop(None)
        raise PluginError(
            f"Cannot listen on {where}: it is refused. Is it in use? Port 0 takes a free one. (Or it is no address of this "
            "machine.)"
        ) from error
    server.start()
    return Served(server, host, bound, (pool, lane), socket)


def decode(cls: type[Message], data: bytes, rpc: str) -> Message:
    """The message that ``data`` encodes. Raises ``MalformedError`` if it encodes none, or one that is nested too deeply."""
    check_depth(data, cls.DESCRIPTOR, rpc)
    try:
        return cls.FromString(data)
    except DecodeError as error:
        raise MalformedError(f"{rpc}: these {len(data)} bytes are not a {cls.DESCRIPTOR.full_name}: {error}.") from error


def fail(context: grpc.ServicerContext, status_: Status) -> NoReturn:
    """End the RPC with ``status_``; does not return."""
    if status_.details:
        context.set_trailing_metadata(((DETAILS_KEY, status_.details),))
    context.abort(NUMBERS.get(status_.code, grpc.StatusCode.UNKNOWN), status_.message)


def _as_status(error: Exception) -> Status:
    """The one place where our errors become statuses: the message is what the engine shows to its user."""
    if isinstance(error, UnsupportedError):
        return status("unimplemented", str(error))
    if isinstance(error, MalformedError):
        return status("invalid_argument", str(error))
    if isinstance(error, MockProviderError):
        return status("failed_precondition", str(error))
    return status("internal", f"mockprovider failed: {type(error).__name__}: {error}")

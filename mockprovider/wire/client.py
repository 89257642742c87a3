"""Connect to a provider that is served, and call it as a handler."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, ParamSpec, TypeVar

import grpc

from mockprovider.calls import Call, Native, Op, Reply, Session, Status
from mockprovider.errors import PluginError
from mockprovider.wire.machine import steady, wall
from mockprovider.wire.methods import RpcMethod, Service
from mockprovider.wire.pool import DaemonExecutor, settled, sheltered
from mockprovider.wire.server import OPTIONS, OWN_CONNECTION, decode
from mockprovider.wire.status import failed, read

P = ParamSpec("P")
T = TypeVar("T")
READY: int = grpc.ChannelConnectivity.READY.value[0]
CANCELLED: int = grpc.StatusCode.CANCELLED.value[0]
READY_SECONDS = 10.0
"""How long Pulumi's engine waits for a provider's port to answer; we give real providers the same."""
WORKERS = 1000
"""As many threads may call for the main thread: each that was interrupted leaves one until the connection is closed."""
SLICE = 0.5
"""For how many seconds gRPC is asked to wait at once."""


def _for_ever() -> bool:
    """Whoever serves there may still begin to."""
    return True


def is_ready(channel: Any, seconds: float, is_alive: Callable[[], bool]) -> bool:
    """Whether the channel is connected within ``seconds``; once nobody is alive, the next slice of them is the last."""
    inner: Any = getattr(channel, "_channel", None)
    if not hasattr(inner, "watch_connectivity_state"):
        with suppress(grpc.FutureTimeoutError):
            grpc.channel_ready_future(channel).result(timeout=seconds)
            return True
        return False
    # gRPC's public function leaves a polling thread behind, and each ``close`` would wait for it for a fifth of a second.
    end = steady() + seconds
    while (state := inner.check_connectivity_state(True)) != READY:
        if not is_alive():
            # Not at once: what it has left behind may serve there.
            is_alive, end = _for_ever, min(end, steady() + SLICE)
        left = end - steady()
        if left <= 0:
            return False
        # It takes a time of the wall clock, which may be set in between: a slice at a time.
        inner.watch_connectivity_state(state, wall() + min(left, SLICE))
    return True


class Client:
    """A provider on the other side of a gRPC connection; calling it is a handler.

    A call that came over a wire is forwarded as the bytes that it came in, except the fields that name
    addresses; one that was made here is encoded by its row. RPCs that have no row go through raw.

    Args:
        target: ``host:port`` or ``unix:path``.
        service: the protocol's table.
        rewrite: new values for address fields (``{"engine_address": "127.0.0.1:1234"}``).
        on_failure: reads a status's details into a reply, for protocols that put state there.
    """

    def __init__(
        self,
        target: str,
        service: Service,
        *,
        rewrite: Mapping[str, str] | None = None,
        on_failure: Callable[[Status, Call], Reply] | None = None,
    ) -> None:
        self.target = target
        self.service = service
        self._rewrite = rewrite or {}
        self._on_failure = on_failure or (lambda status, _: failed(status))
        # Servers tell sessions apart by their connections, and gRPC would let all channels of a process share one.
        self._channel: Any = grpc.insecure_channel(target, options=(*OPTIONS, OWN_CONNECTION))
        self._stubs: dict[tuple[str, bool], Any] = {}
        self._in_flight = 0
        self._closed = False
        self._idle = threading.Condition()
        self._aside: DaemonExecutor | None = None

    def wait_ready(self, seconds: float = READY_SECONDS, is_alive: Callable[[], bool] = _for_ever) -> None:
        """Return once the provider answers. Raises ``PluginError`` if it does not within ``seconds``, or is not alive."""
        if not self._sheltered(is_ready, self._open(), seconds, is_alive):
            why = f"after {seconds:g} s. Is the provider still running?" if is_alive() else "any more: the provider has ended."
            raise PluginError(f"Nothing answers at {self.target} {why}")

    def __call__(self, call: Call) -> Reply:
        """Make the call over the wire; a status that comes back is a reply with ``status`` set.

        An answer that takes longer than its session's ``patience`` is the status ``deadline_exceeded``.
        Raises ``PluginError`` once the connection was closed.
        """
        return self._sheltered(self._ask, call, call.session.patience)

    def cancel(self, session: Session, seconds: float) -> Reply:
        """Ask the provider to end what it is doing, without waiting for that: calls in flight end when, and as, it wants.

        The reply tells whether it was heard within ``seconds``. Cancelling is advice, ``close`` is what releases.
        """
        return self._sheltered(self._ask, Call(op=Op.CANCEL, session=session), seconds)

    def _sheltered(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """``work(...)``, out of the reach of Ctrl-C, which comes to the main thread alone.

        In the midst of gRPC it would have ``close`` wait for ever for what it broke off.
        """
        if threading.current_thread() is not threading.main_thread():
            return work(*args, **kwargs)
        with self._idle:
            if self._closed:
                raise self._gone()
            if self._aside is None:
                self._aside = DaemonExecutor(WORKERS, "mockprovider-client")
                # For clients that nobody closes, whose channel ends with them, too.
                weakref.finalize(self, self._aside.shutdown, wait=False)
            asked = self._aside.submit(work, *args, **kwargs)
        result: T = settled(asked)
        return result

    @contextmanager
    def _flying(self) -> Iterator[None]:
        with self._idle:
            if self._closed:
                raise self._gone()
            self._in_flight += 1
        try:
            yield
        except ValueError as error:
            if self._closed:
                # It was closed after our check.
                raise self._gone() from error
            raise
        finally:
            with self._idle:
                self._in_flight -= 1
                self._idle.notify_all()

    def _open(self) -> Any:
        channel = self._channel
        if channel is None:
            raise self._gone()
        return channel

    def _gone(self) -> PluginError:
        return PluginError(f"The connection to {self.target} was closed, and this call came after it. Connect anew.")

    def _ask(self, call: Call, seconds: float | None) -> Reply:
        with self._flying():
            return self._sent(call, seconds)

    def _sent(self, call: Call, seconds: float | None) -> Reply:
        row = self.service.methods.get(call.method) or (None if call.op is Op.RAW else self.service.by_op(call.op))
        rpc = row.name if row else call.method
        if self.service.streams(rpc):
            return self._streamed(row, rpc, call, seconds)
        try:
            answer: bytes = self._asked(row, rpc, call)(timeout=seconds)
        except grpc.RpcError as error:
            return self._on_failure(self._answered(error), call)
        message = decode(self.service.messages[rpc][1], answer, rpc)
        reply = row.reply(message, call) if row else Reply()
        reply.native = Native(answer, message)
        return reply

    def _streamed(self, row: RpcMethod | None, rpc: str, call: Call, seconds: float | None) -> Reply:
        """All messages of a stream, with the status that it ended in if it failed: a reply is a whole answer."""
        answers: list[bytes] = []
        status = None
        try:
            for answer in self._asked(row, rpc, call)(timeout=seconds):
                answers.append(answer)  # noqa: PERF402 - what came before a failure counts
        except grpc.RpcError as error:
            status = self._answered(error)
        if row is None and len(answers) == 1 and status is None:
            return Reply(native=Native(answers[0]))
        messages = [decode(self.service.messages[rpc][1], answer, rpc) for answer in answers] if row else [None] * len(answers)
        reply = self._on_failure(status, call) if status else Reply()
        if row and row.replies and not status:
            reply = row.replies(messages, call)
        reply.stream = tuple(map(Native, answers, messages))
        return reply

    def _answered(self, error: grpc.RpcError) -> Status:
        """The status that the provider answered. Raises ``PluginError`` where we closed the connection: that is no answer."""
        status = read(error)
        if self._closed and status.code == CANCELLED:
            raise PluginError(
                f"The connection to {self.target} was closed while a call waited for its answer. Nobody knows what came of it."
            ) from error
        return status

    def _asked(self, row: RpcMethod | None, rpc: str, call: Call) -> Callable[..., Any]:
        """What makes the call, with its request, or with the stream of its messages."""
        if call.stream is not None:
            return partial(self._stub(rpc, takes=True), iter([native.data for native in call.stream]))
        if row is not None and row.requests:
            messages = [message.SerializeToString(deterministic=True) for message in row.requests(call)]
            return partial(self._stub(rpc, takes=True), iter(messages))
        return partial(self._stub(rpc, takes=False), self._request(row, call))

    def _stub(self, rpc: str, *, takes: bool) -> Any:
        stub = self._stubs.get((rpc, takes))
        if stub is None:
            ways = f"{'stream' if takes else 'unary'}_{'stream' if self.service.streams(rpc) else 'unary'}"
            stub = self._stubs[rpc, takes] = getattr(self._open(), ways)(f"/{self.service.name}/{rpc}", None, None)
        return stub

    def _request(self, row: RpcMethod | None, call: Call) -> bytes:
        if row is None:
            return call.native.data if call.native else b""
        moved = {field: self._rewrite[field] for field in row.addresses if field in self._rewrite}
        if call.native is not None and not moved:
            return call.native.data
        message = type(call.native.message).FromString(call.native.data) if call.native else row.request(call)
        for field, address in moved.items():
            setattr(message, field, address)
        return bytes(message.SerializeToString(deterministic=True))

    def close(self, patience: float = 0.0) -> None:
        """Close the connection. Safe to call again.

        Calls in flight have ``patience`` seconds to end by themselves, as they may after ``cancel``; what has not ended
        by then ends with a ``PluginError``, whatever the provider makes of it.
        """
        with self._idle:
            self._closed = True
            self._idle.wait_for(lambda: not self._in_flight, patience)
        sheltered(self._drop)
        if self._aside is not None:
            self._aside.shutdown()

    def _drop(self) -> None:
        with self._idle:
            channel, self._channel = self._channel, None
        if channel is not None:
            channel.close()
            # What is left of it is a finalizer's, which runs here once nobody has it any more.
            self._stubs.clear()

"""The row of a protocol table: how one RPC becomes a call and a reply becomes its answer, in both directions.

Rows are data. ``pulumi.methods`` and ``terraform.methods`` hold the tables, ``server`` and ``client`` read them, and a test
walks the protobuf descriptors to prove that each RPC has a row or a reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from google.protobuf.message import Message
from msgspec import Struct

from mockprovider.calls import Call, Native, Op, Reply, Session
from mockprovider.errors import UnsupportedError


class RpcMethod(Struct, frozen=True, kw_only=True):
    """One row of a protocol's table: how the messages of one RPC become calls and replies, both ways.

    Args:
        name: the RPC's name on the wire.
        op: what it asks for.
        call: request message to call.
        request: call to request message (the client's direction).
        reply: answer message to reply.
        reread: as ``reply``, of a message whose tree is at hand, too, where that is read faster than the message.
        response: reply to answer message (the server's direction). Raises ``StatusError`` where the RPC is to fail.
        encoded: the bytes of the same, where they are at hand without the message; ``None`` where they are not.
        opens: it is the first call of a new session where one of these has come from the same address before: ports are reused.
        addresses: request fields that name addresses of the engine; a proxy rewrites them, a match key leaves them out.
        volatile: request fields (dotted) that differ between two runs of one program; a match key leaves them out.
        mutates: it changes the cloud, so one recorded answer answers once. The others may be asked again.
        pure: it asks for the provider's judgement and touches no cloud: a real provider may be asked it, and nothing else.
        timeless: its recorded answers are the same whenever they are given, and to whichever session; it needs ``reread``.
        reason: why it is refused, for an RPC that is known and not served.
        diagnosed: a refusal is an answer that says why, where the protocol has a place for it, and not a status.
        replies, responses: what ``reply`` and ``response`` are, for an RPC that answers with a stream of messages.
        calls, requests: what ``call`` and ``request`` are, for an RPC whose request is a stream of messages.
    """

    name: str
    op: Op
    call: Callable[[Any, Session], Call]
    request: Callable[[Call], Message]
    reply: Callable[[Any, Call], Reply]
    response: Callable[[Reply, Call], Message]
    opens: frozenset[Op] = frozenset()
    addresses: tuple[str, ...] = ()
    volatile: tuple[str, ...] = ()
    mutates: bool = False
    pure: bool = False
    timeless: bool = False
    reason: str = ""
    diagnosed: bool = False
    replies: Callable[[Sequence[Any], Call], Reply] | None = None
    responses: Callable[[Reply, Call], Sequence[Message]] | None = None
    reread: Callable[[Any, Call, Mapping[str, Any]], Reply] | None = None
    calls: Callable[[Sequence[Any], Session], Call] | None = None
    requests: Callable[[Call], Sequence[Message]] | None = None
    encoded: Callable[[Reply, Call], bytes | None] | None = None


class Service(Struct, frozen=True):
    """A gRPC service: its full name, its message classes by RPC, and its rows by RPC.

    ``messages`` maps each RPC of the descriptor to ``(request class, response class, server streaming)``. ``gone`` says of RPCs
    that the service had once why there is none any more. ``taking`` are those whose request is a stream.
    """

    name: str
    messages: Mapping[str, tuple[type[Message], type[Message], bool]]
    methods: Mapping[str, RpcMethod]
    gone: Mapping[str, str] = {}
    taking: frozenset[str] = frozenset()

    def streams(self, rpc: str) -> bool:
        """Whether an RPC answers with a stream. One that we do not know may: a stream of one message is an answer, too."""
        return rpc not in self.messages or self.messages[rpc][2]

    def takes(self, rpc: str) -> bool:
        """Whether an RPC's request is a stream. One that we do not know may be: a stream of one message is a request, too."""
        return rpc not in self.messages or rpc in self.taking

    def by_op(self, op: Op) -> RpcMethod:
        """The row that asks for ``op``. Raises ``UnsupportedError`` where the protocol has none."""
        method = next((row for row in self.methods.values() if row.op is op), None)
        if method is None:
            ops = dict.fromkeys(row.op.value for row in self.methods.values())
            raise UnsupportedError(
                f"{self.name} has no RPC that asks for {op.value}. It has some for: {', '.join(ops) or 'none'}."
            )
        return method


def service(
    descriptor: Any,
    classes: Callable[[Any], type[Message]],
    rows: Iterable[RpcMethod],
    gone: Mapping[str, str] | None = None,
) -> Service:
    """The ``Service`` of a protobuf service descriptor; ``classes`` gives the Python class of a message descriptor."""
    messages = {
        rpc.name: (classes(rpc.input_type), classes(rpc.output_type), bool(rpc.server_streaming)) for rpc in descriptor.methods
    }
    taking = frozenset(rpc.name for rpc in descriptor.methods if rpc.client_streaming)
    return Service(descriptor.full_name, messages, {row.name: row for row in rows}, gone or {}, taking)


def unknown_call(rpc: str, asked: Sequence[bytes], session: Session) -> Call:
    """The call of an RPC that has no row. One message is a request; none or several are a stream."""
    messages = tuple(map(Native, asked))
    call = Call(op=Op.RAW, session=session, method=rpc)
    if len(messages) == 1:
        call.native = messages[0]
    else:
        call.stream = messages
    return call

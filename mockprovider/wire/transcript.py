"""What the transcripts of all protocols have in common: what a table of RPCs says about a call (``cassette.Transcriber``)."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, TypeAlias

from google.protobuf.message import Message
from msgspec.structs import replace

from mockprovider.calls import Call, Native, Op, Reply, Session, Status
from mockprovider.cassette.gist import Gist
from mockprovider.redaction import UNMARKED, Declarations
from mockprovider.wire import trees
from mockprovider.wire.late import LateNative, late_reply
from mockprovider.wire.methods import RpcMethod, Service, unknown_call
from mockprovider.wire.status import StatusError, failed
from mockprovider.wire.trees import RAW, encode

Tree: TypeAlias = dict[str, Any]
MessageClass: TypeAlias = type[Message]

MESSAGES = "messages"
"""Where the tree of a stream has the trees of its messages."""


class TableTranscript:
    """A ``cassette.Transcriber`` over a table. A protocol overrides how messages are shown, and what a recording leaves out."""

    marks = UNMARKED

    def __init__(self, service: Service) -> None:
        self._service = service

    def tree(self, message: Message) -> Tree:
        """The message as a tree that JSON can hold."""
        return trees.tree(message)

    def build(self, cls: type[Message], tree: Tree) -> Message:
        """The message again. Raises ``MalformedError`` for a tree of no such message."""
        return trees.build(cls, tree)

    def row(self, call: Call) -> RpcMethod | None:
        """The RPC that a call asks; ``None`` for one that the table does not know."""
        return self._service.methods.get(call.method) or (None if call.op is Op.RAW else self._service.by_op(call.op))

    def named(self, call: Call) -> Call:
        """The call with its RPC's name, which one that was made in process may lack."""
        row = None if call.method else self.row(call)
        return replace(call, method=row.name) if row else call

    def refuses(self, call: Call) -> str:
        """Why this call cannot be recorded; empty if it can."""
        row = self.row(call)
        return row.reason if row else ""

    def mutates(self, method: str) -> bool:
        """Whether the RPC changes the cloud. Of one that we do not know, nothing may be assumed."""
        row = self._service.methods.get(method)
        return row is None or row.mutates

    def type(self, call: Call) -> str:
        """The type's token."""
        return call.type

    def secrets(self, call: Call) -> Declarations:  # noqa: ARG002 - for protocols that declare some
        """Declarations that the protocol declares secret for this call."""
        return ()

    @property
    def openly(self) -> bool:
        """Whether secrets may have come without a mark; only protocols that mark secrets know."""
        return False

    def is_for(self, instance: str, package: str) -> bool:  # noqa: ARG002 - for protocols whose instances tell
        """Whether the name of a provider instance says that it is one of ``package``."""
        return False

    def request(self, call: Call) -> Tree:
        """The tree of the call's request message."""
        row = self.row(call)
        if call.stream is not None or (row is not None and row.requests):
            return self.request_stream(row, call)
        if row is None:
            return raw(call.native)
        return self.tree(call.native.message if call.native else row.request(call))

    def request_stream(self, row: RpcMethod | None, call: Call) -> Tree:
        """The tree of a request that is a stream."""
        if row is None or row.requests is None:
            return {MESSAGES: [raw(native) for native in call.stream or ()]}
        messages = row.requests(call) if call.stream is None else [native.message for native in call.stream]
        return self.streamed(row, messages)

    def streamed(self, row: RpcMethod, messages: Sequence[Message]) -> Tree:  # noqa: ARG002 - for streams that show more
        """The tree of the messages of a stream."""
        return {MESSAGES: [self.tree(message) for message in messages]}

    def unstreamed(self, row: RpcMethod, cls: MessageClass, tree: Tree) -> list[Message]:  # noqa: ARG002 - as above
        """The messages again. Raises ``MalformedError`` for a tree of no such messages."""
        return [self.build(cls, message) for message in tree[MESSAGES]]

    def key(self, call: Call, request: Tree) -> Tree:
        """The part of a request that two runs share: without addresses and volatile fields."""
        row = self.row(call)
        return left_out(request, {*row.addresses, *row.volatile}) if row and (row.addresses or row.volatile) else request

    def encoded(self, reply: Reply, call: Call) -> Reply:
        """The reply with the message that it travels as; as it is where it is a stream or a status."""
        row = self.row(call)
        if row is None or row.responses or reply.message or reply.status or reply.stream is not None:
            return reply
        try:
            message = row.response(reply, call)
        except StatusError:
            return reply
        return replace(reply, native=Native(encode(message), message, reply.parts))

    def reply(self, reply: Reply, call: Call) -> Tree | Status:
        """The tree of the reply's answer message, or the status that it travels as."""
        row = self.row(call)
        if reply.stream is not None:
            if row is None or row.replies is None:
                return {MESSAGES: [raw(native) for native in reply.stream]}
            return self.streamed(row, [native.message for native in reply.stream])
        if row is None:
            return raw(reply.native)
        try:
            if row.responses:
                return self.streamed(row, row.responses(reply, call))
            native = reply.message
            return self.answer(row, native.message if native else row.response(reply, call))
        except StatusError as error:
            return error.status

    def answer(self, row: RpcMethod, message: Message) -> Tree:  # noqa: ARG002 - for protocols that learn from answers
        """The tree of an answer message."""
        return self.tree(message)

    def offers(self, row: RpcMethod) -> Mapping[str, Any]:  # noqa: ARG002 - for protocols in which engines say what they can
        """The fields in which an engine of today says of itself what recordings leave out."""
        return {}

    def again(self, method: str, request: Tree, session: Session, *, whole: bool = False) -> Call:
        """A recorded request as a call of today. Raises ``MalformedError`` for a tree of no such message."""
        row = self._service.methods.get(method)
        if row is None:
            sent = [request] if RAW in request else request[MESSAGES]
            return unknown_call(method, [_bytes(tree) for tree in sent], session)
        cls = self._service.messages[method][0]
        if row.calls:
            messages = self.unstreamed(row, cls, request)
            stream = tuple(Native(encode(message), message) for message in messages)
            return replace(row.calls(messages, session), method=method, stream=stream)
        offers = {} if whole else self.offers(row)
        known = {name: said for name, said in offers.items() if name in cls.DESCRIPTOR.fields_by_name}
        message = self.build(cls, {**known, **request})
        return replace(row.call(message, session), method=method, native=Native(encode(message), message))

    def restore(self, method: str, response: Tree, call: Call) -> Reply:
        """The reply of a tree: the equal message, its bytes, and the decoded fields. Raises ``MalformedError`` otherwise."""
        row = self._service.methods.get(method)
        if (row is not None and row.replies) or (row is None and MESSAGES in response):
            return self._streamed(row, response, call)
        if row is None:
            return Reply(native=Native(_bytes(response)))
        message = self.restored(row, response)
        native = Native(encode(message), message)
        if row.timeless and RAW not in response and self.marks.signature.encode() not in native.data:
            # A sound message can only be unreadable by a value with a signature.
            return late_reply(native, lambda: _read(row, message, call, response))
        reply = _read(row, message, call, response)
        reply.native = native
        return reply

    def timeless(self, method: str) -> bool:
        """Whether an answer is the same whenever it is given, so that it may be ``restored_again``."""
        row = self._service.methods.get(method)
        return row is not None and row.timeless

    def restored_again(self, method: str, response: Tree, call: Call, data: bytes) -> Reply:
        """The reply of a tree that was restored before, to a message of these bytes. Its fields are read when somebody asks."""
        row = self._service.methods[method]
        native = LateNative(data, self._service.messages[method][1])
        return late_reply(native, lambda: _read(row, native.message, call, response))

    def restored(self, row: RpcMethod, response: Tree) -> Message:
        """The answer message of a tree."""
        return self.build(self._service.messages[row.name][1], response)

    def _streamed(self, row: RpcMethod | None, shown: Tree, call: Call) -> Reply:
        if row is None or row.replies is None:
            return Reply(stream=tuple(Native(_bytes(tree)) for tree in shown[MESSAGES]))
        messages = self.unstreamed(row, self._service.messages[row.name][1], shown)
        reply = row.replies(messages, call)
        reply.stream = tuple(Native(encode(message), message) for message in messages)
        return reply

    def details(self, data: bytes) -> Any:
        """The bytes of a status's details, for protocols that put nothing there that anybody reads."""
        return base64.b64encode(data).decode()

    def pack(self, details: Any) -> bytes:
        """The bytes again."""
        return base64.b64decode(details)

    def failed(self, status: Status, call: Call) -> Reply:  # noqa: ARG002 - for protocols with state in their details
        """The reply of an RPC that ended in ``status``."""
        return failed(status)

    def gist(self, op: str, request: Tree, response: Tree) -> Gist:  # noqa: ARG002 - for protocols that say more
        """What a recorded answer comes to: only that there is one, where the protocol does not say more."""
        return Gist()


def left_out(tree: Tree, names: AbstractSet[str]) -> Tree:
    """A tree without these of its fields."""
    return tree if names.isdisjoint(tree) else {name: item for name, item in tree.items() if name not in names}


def _read(row: RpcMethod, message: Message, call: Call, response: Tree) -> Reply:
    # What has its bytes beside it is more than its tree.
    return row.reread(message, call, response) if row.reread and RAW not in response else row.reply(message, call)


def raw(native: Native | None) -> Tree:
    """The tree of the bytes of an RPC that the table does not know."""
    return {RAW: base64.b64encode(native.data if native else b"").decode()}


def _bytes(tree: Mapping[str, Any]) -> bytes:
    return base64.b64decode(tree[RAW])

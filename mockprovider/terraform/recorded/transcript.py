"""Terraform's calls and replies as the trees that cassettes keep, and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from google.protobuf.message import Message

from mockprovider.calls import Call, Op, Session
from mockprovider.cassette.gist import Gist
from mockprovider.redaction import Declarations
from mockprovider.terraform.recorded import statebytes, trees
from mockprovider.terraform.recorded.gist import gist
from mockprovider.terraform.recorded.secrets import MARKS, Secrets
from mockprovider.terraform.rpcs.beyond import type_of
from mockprovider.terraform.rpcs.ephemerals import dated, undated
from mockprovider.terraform.rpcs.methods import SERVICES
from mockprovider.wire.methods import RpcMethod
from mockprovider.wire.transcript import MessageClass, TableTranscript, left_out

CAPABILITIES = "client_capabilities"
"""The engine's capabilities. Recordings serve engines of any age, so they are not matched."""
OFFERS: Mapping[str, Any] = MappingProxyType({CAPABILITIES: {"write_only_attributes_allowed": True}})
"""What an engine of today can, where its request says so."""
VERSION, ENGINE = "terraform_version", "1.11.0"
"""The first version of the engine that can all of this."""


BRINGING = frozenset({"ReadStateBytes", "WriteStateBytes"})
"""RPCs whose streams bring a state."""


class TerraformTranscript(TableTranscript):
    """Records Terraform's calls of one major: a ``cassette.Transcriber``.

    It learns from schema answers which attributes are secret.
    """

    marks = MARKS

    def __init__(self, major: int) -> None:
        super().__init__(SERVICES[major])
        self._secrets = Secrets(SERVICES[major])

    def tree(self, message: Message) -> dict[str, Any]:
        """The message's tree, with the values in its bytes decoded."""
        return trees.tree(message)

    def build(self, cls: type[Message], tree: dict[str, Any]) -> Message:
        """The message of a tree."""
        return trees.build(tree, cls)

    def type(self, call: Call) -> str:
        """The type's Terraform name, because on replay types are not declared, and so have no tokens."""
        return type_of(self._message(call))

    def refuses(self, call: Call) -> str:  # noqa: ARG002 - the base class asks the row
        """Nothing: what the fake does not serve, a real provider does."""
        return ""

    def key(self, call: Call, request: dict[str, Any]) -> dict[str, Any]:
        """The part of a request that two runs of one configuration share: no volatile fields, and no engine capabilities."""
        return statebytes.compared(left_out(super().key(call, request), {CAPABILITIES}))

    def again(self, method: str, request: dict[str, Any], session: Session, *, whole: bool = False) -> Call:
        """A recorded request as a call of today."""
        return super().again(method, statebytes.again(request) if method in BRINGING else request, session, whole=whole)

    def streamed(self, row: RpcMethod, messages: Sequence[Message]) -> dict[str, Any]:
        """The tree of the messages of a stream; the chunks of a state are joined."""
        return statebytes.show(messages) if row.name in BRINGING else super().streamed(row, messages)

    def unstreamed(self, row: RpcMethod, cls: MessageClass, tree: dict[str, Any]) -> list[Message]:
        """The messages again."""
        return statebytes.build(tree, cls) if row.name in BRINGING else super().unstreamed(row, cls, tree)

    def offers(self, row: RpcMethod) -> dict[str, Any]:
        """What an engine of today says of itself."""
        return {**OFFERS, **({VERSION: ENGINE} if row.op is Op.CONFIGURE else {})}

    def secrets(self, call: Call) -> Declarations:
        """The sensitive and write-only attributes of the call's type, at their places in its messages.

        In a provider's configuration also attributes whose names mean credentials, and what else ``recorded.secrets`` knows.
        """
        row = self.row(call)
        if row is None:
            return frozenset()
        return self._secrets.places(row, self._message(call))

    def answer(self, row: RpcMethod, message: Message) -> dict[str, Any]:
        """The tree of an answer, with absolute times as the seconds left until then."""
        self._learn(row, message)
        return undated(message, self.tree(message))

    def restored(self, row: RpcMethod, response: dict[str, Any]) -> Message:
        """The answer message of a tree, with absolute times from now on."""
        message = super().restored(row, dict(dated(response)))
        self._learn(row, message)
        return message

    def gist(self, op: str, request: dict[str, Any], response: dict[str, Any]) -> Gist:
        """What a recorded answer comes to."""
        return gist(op, request, response)

    def _message(self, call: Call) -> Message | None:
        native = call.stream[0] if call.stream else call.native
        if native is not None:
            message: Message | None = native.message
            return message
        row = self.row(call)
        return row.request(call) if row else None

    def _learn(self, row: RpcMethod, message: Any) -> None:
        if row.op is Op.GET_SCHEMA and "resource_schemas" in message.DESCRIPTOR.fields_by_name:
            self._secrets.learn(message)

"""Terraform's calls and replies as the trees that cassettes keep, and back."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from google.protobuf.message import Message

from mockprovider.calls import Call, Op
from mockprovider.redaction import Marks
from mockprovider.terraform.recorded import trees
from mockprovider.terraform.rpcs.ephemerals import dated, undated
from mockprovider.terraform.rpcs.methods import SERVICES
from mockprovider.terraform.schema.published import schema_data, schemas_in, tree_of
from mockprovider.wire.methods import RpcMethod
from mockprovider.wire.transcript import TableTranscript

CAPABILITIES = "client_capabilities"
"""The engine's capabilities. Recordings serve engines of any age, so they are not matched."""

CREDENTIALS = frozenset({
    *("access_key", "access_token", "api_key", "api_token", "auth_token", "client_secret", "credentials", "password"),
    *("private_key", "refresh_token", "secret", "secret_access_key", "secret_key", "session_token", "token"),
})  # fmt: skip
"""Attributes of a provider's configuration whose names mean credentials; few providers mark them as sensitive."""


class TerraformTranscript(TableTranscript):
    """Records Terraform's calls of one major: a ``cassette.Transcriber``.

    It learns from schema answers which attributes are secret.
    """

    marks = Marks(wrappers=frozenset({"msgpack", "json"}))

    def __init__(self, major: int) -> None:
        super().__init__(SERVICES[major])
        self._schemas: list[tuple[str, Any]] = []
        self._secrets: dict[str, frozenset[str]] = {}

    def tree(self, message: Message) -> dict[str, Any]:
        """The message's tree, with the values in its bytes decoded."""
        return trees.tree(message)

    def build(self, cls: type[Message], tree: dict[str, Any]) -> Message:
        """The message of a tree."""
        return trees.build(tree, cls)

    def type(self, call: Call) -> str:
        """The type's Terraform name, because on replay types are not declared, and so have no tokens."""
        return str(getattr(self._message(call), "type_name", ""))

    def key(self, call: Call, request: dict[str, Any]) -> dict[str, Any]:
        """The part of a request that two runs of one configuration share: no volatile fields, and no engine capabilities."""
        kept = super().key(call, request)
        kept.pop(CAPABILITIES, None)
        return kept

    def secrets(self, call: Call) -> Collection[str]:
        """The sensitive and write-only attributes of the call's type and of the provider's block.

        In the provider's block also those whose names mean credentials.
        """
        declared = self._declared(self.type(call))
        return declared | CREDENTIALS if call.op in (Op.CHECK_CONFIG, Op.CONFIGURE) else declared

    def answer(self, row: RpcMethod, message: Message) -> dict[str, Any]:
        """The tree of an answer, with absolute times as the seconds left until then."""
        self._learn(row, message)
        return undated(message, self.tree(message))

    def restored(self, row: RpcMethod, response: dict[str, Any]) -> Message:
        """The answer message of a tree, with absolute times from now on."""
        message = super().restored(row, dict(dated(response)))
        self._learn(row, message)
        return message

    def _message(self, call: Call) -> Message | None:
        if call.native is not None:
            message: Message | None = call.native.message
            return message
        row = self.row(call)
        return row.request(call) if row else None

    def _learn(self, row: RpcMethod, message: Any) -> None:
        if row.op is Op.GET_SCHEMA and "resource_schemas" in message.DESCRIPTOR.fields_by_name:
            self._schemas, self._secrets = list(schemas_in(message)), {}

    def _declared(self, name: str) -> frozenset[str]:
        """The secret attributes of the type. A resource and a data source of one name share them."""
        if name not in self._secrets:
            trees = (tree_of(schema_data(schema)) for of, schema in self._schemas if of == name)
            self._secrets[name] = frozenset(secret for tree in trees for secret in tree.secrets())
        return self._secrets[name]

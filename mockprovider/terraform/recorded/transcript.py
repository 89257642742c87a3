"""Terraform's calls and replies as the views that cassettes keep, and back."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from google.protobuf.message import Message

from mockprovider.calls import Call, Op
from mockprovider.terraform.recorded import views
from mockprovider.terraform.rpcs.ephemerals import dated, undated
from mockprovider.terraform.rpcs.methods import SERVICES
from mockprovider.wire.methods import Method
from mockprovider.wire.transcript import TableTranscript

CAPABILITIES = "client_capabilities"
"""What an engine says of itself: a recording serves engines of any age, so nothing is matched by it."""

CREDENTIALS = frozenset({
    *("access_key", "access_token", "api_key", "api_token", "auth_token", "client_secret", "credentials", "password"),
    *("private_key", "refresh_token", "secret", "secret_access_key", "secret_key", "session_token", "token"),
})  # fmt: skip
"""Attributes of a provider's own configuration that hold credentials by their name: few providers call them sensitive."""


class TerraformTranscript(TableTranscript):
    """How Terraform conversations of one major are written down: a ``cassette.Transcriber``.

    It learns from the schemas that pass by which attributes are sensitive.
    """

    def __init__(self, major: int) -> None:
        super().__init__(SERVICES[major])
        self._sensitive: dict[str, frozenset[str]] = {}

    def view(self, message: Message) -> dict[str, Any]:
        """The message, values that it holds as bytes opened."""
        return views.view(message)

    def build(self, cls: type[Message], view: dict[str, Any]) -> Message:
        """The message again."""
        return views.build(view, cls)

    def type(self, call: Call) -> str:
        """The type by its Terraform name: a token is known only where the types are declared, which on replay they are not."""
        return str(getattr(self._message(call), "type_name", ""))

    def key(self, call: Call, request: dict[str, Any]) -> dict[str, Any]:
        """What two runs of one configuration share: nothing volatile, and nothing that the engine says of itself."""
        kept = super().key(call, request)
        kept.pop(CAPABILITIES, None)
        return kept

    def secrets(self, call: Call) -> Collection[str]:
        """The attributes that the provider's schema calls sensitive, in the call's type or in the provider's own block.

        In the latter also those that hold credentials by their name.
        """
        declared = self._sensitive.get(self.type(call), frozenset())
        return declared | CREDENTIALS if call.op in (Op.CHECK_CONFIG, Op.CONFIGURE) else declared

    def answer(self, row: Method, message: Message) -> dict[str, Any]:
        """The view of an answer, absolute times as what is left until then."""
        self._learn(row, message)
        return undated(message, self.view(message))

    def restored(self, row: Method, response: dict[str, Any]) -> Message:
        """The answer message of a view, with times from now on."""
        message = super().restored(row, dict(dated(response)))
        self._learn(row, message)
        return message

    def _message(self, call: Call) -> Message | None:
        if call.native is not None:
            message: Message | None = call.native.message
            return message
        row = self.row(call)
        return row.request(call) if row else None

    def _learn(self, row: Method, message: Any) -> None:
        if row.op is not Op.GET_SCHEMA or "resource_schemas" not in message.DESCRIPTOR.fields_by_name:
            return
        schemas = [("", message.provider), *message.data_source_schemas.items(), *message.resource_schemas.items()]
        found: dict[str, frozenset[str]] = {}
        for name, schema in schemas:
            # A resource and a data source may share a name; what either calls sensitive counts for both.
            found[name] = found.get(name, frozenset()) | frozenset(_sensitive(schema.block))
        self._sensitive = found


def _sensitive(block: Any) -> Iterator[str]:
    """The names of a block's sensitive attributes, at every depth."""
    yield from _sensitive_attributes(block.attributes)
    for nested in block.block_types:
        yield from _sensitive(nested.block)


def _sensitive_attributes(attributes: Any) -> Iterator[str]:
    for each in attributes:
        if each.sensitive:
            yield each.name
        # Major 5 has no nested attributes.
        nested = getattr(each, "nested_type", None)
        yield from _sensitive_attributes(nested.attributes) if nested is not None else ()

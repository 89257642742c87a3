"""Which places in Terraform's messages are secret, by the schemas that the provider has sent.

An attribute counts at its path in its schema, in the fields of messages whose values have that schema.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any, TypeAlias

from mockprovider.calls import Op
from mockprovider.redaction import DEEP, Marks, Name, Steps
from mockprovider.terraform.recorded.statebytes import SENSITIVE, STATE
from mockprovider.terraform.recorded.trees import is_type
from mockprovider.terraform.rpcs.beyond import OF_STATES, type_of
from mockprovider.terraform.schema.published import (
    PROVIDER,
    PROVIDER_META,
    RESOURCES,
    schema_data,
    schemas_in,
    section_of,
    tree_of,
)
from mockprovider.terraform.schema.tree import Place
from mockprovider.terraform.values import packing
from mockprovider.wire.methods import RpcMethod, Service

CREDENTIALS = frozenset({
    *("access_key", "access_token", "api_key", "api_token", "auth_token", "client_secret", "credentials", "password"),
    *("private_key", "refresh_token", "secret", "secret_access_key", "secret_key", "session_token", "token"),
})  # fmt: skip
"""Attributes whose names mean credentials, for what no schema tells: few providers mark those of their configuration."""

MARKS = Marks(
    wrappers=frozenset({"msgpack", "json"}),
    words=frozenset({
        *("type_name", "source_type_name", "target_type_name", "action_type", "name", "source_provider_address"),
        *("attribute_name", "severity", "reason", "terraform_version"),
    }),
    is_word=is_type,
)  # fmt: skip
"""Where values are in Terraform's messages, and what besides them are names that the protocol or the schema gives."""

UNMARKED = frozenset({"list_resource_schemas", "action_schemas", "state_store_schemas"})
"""Sections in whose schemas no attribute is sensitive, since Terraform's plugin framework has no word for it there."""

VALUES = frozenset({"DynamicValue", "RawState"})
"""Messages that hold values."""

PlacesOf: TypeAlias = Callable[["Secrets", RpcMethod, Any], Iterator[Name]]


class Secrets:
    """The secret places of one provider's messages.

    Args:
        service: the major's.
    """

    def __init__(self, service: Service) -> None:
        self._service = service
        self._schemas: dict[tuple[str, str], Any] = {}
        self._trees: dict[tuple[str, str], tuple[int, Place] | None] = {}
        self._places: dict[tuple[str, str], frozenset[Name]] = {}
        self._fields = cache(self._fields_of)

    def learn(self, answer: Any) -> None:
        """Take the schemas of a GetProviderSchema answer, or of its tree, in place of those before."""
        self._schemas = {(section, name): schema for section, name, schema in schemas_in(answer)}
        self._trees, self._places = {}, {}

    def places(self, row: RpcMethod, message: Any) -> frozenset[Name]:
        """The secret places of a request, and of the answer to it."""
        type_ = type_of(message)
        places = self._places.get((row.name, type_))
        if places is None:
            places = self.declared(row, type_)
        more = SPECIAL.get(row.op)
        return places.union(more(self, row, message)) if more else places

    def declared(self, row: RpcMethod, type_: str) -> frozenset[Name]:
        """The places that the schema of a type, or of the provider itself, calls secret in the messages of an RPC."""
        key = (row.name, type_)
        if key not in self._places:
            fields = self._fields(row.name)
            whole = {(name, *path) for name in fields for path in self._secrets_in(row, name, type_)}
            self._places[key] = frozenset[Name](whole).union(_unmarked(row), self._in_states(row))
        return self._places[key]

    def _in_states(self, row: RpcMethod) -> Iterator[Name]:
        """The secret places in a state file: what it calls sensitive, and what the schemas of its resources do."""
        if row.name in OF_STATES:
            yield (STATE, DEEP, SENSITIVE)
            paths = {path for section, type_ in self._schemas if section == RESOURCES for path in self._paths(section, type_)}
            yield from ((STATE, "resources", "instances", "attributes", *path) for path in paths)
            yield from ((STATE, "resources", "instances", "attributes", DEEP, name) for name in CREDENTIALS)

    def _secrets_in(self, row: RpcMethod, field: str, type_: str) -> list[Steps]:
        """The secret paths in a field of the messages of an RPC."""
        if field == PROVIDER_META:
            return self._paths(PROVIDER_META, "")
        return self._paths(PROVIDER if _is_about_provider(row) else section_of(row.name, field), type_)

    def upgraded(self, _: RpcMethod, message: Any) -> Iterator[Name]:
        """A state of another version may have its secrets at other places."""
        yield from self._older("raw_state", message.type_name, message.version)

    def moved(self, _: RpcMethod, message: Any) -> Iterator[Name]:
        """The state of another type, perhaps of another provider: then names are all that can be known of it."""
        target = self._paths(RESOURCES, message.target_type_name)
        yield from ((name, *path) for name in ("target_state", "identity_data") for path in target)
        yield from (("source_state", DEEP, path[-1]) for path in target)
        if self._known(RESOURCES, message.source_type_name) is None:
            yield from (("source_state", DEEP, name) for name in CREDENTIALS)
        yield from self._older("source_state", message.source_type_name, message.source_schema_version)

    def opened(self, row: RpcMethod, message: Any) -> Iterator[Name]:
        """What an ephemeral resource tells lives in no file by itself: its texts are secret, unless the engine gave them."""
        known = self._known(section_of(row.name), message.type_name)
        if known is not None:
            given = _given(message.config.msgpack)
            yield from (("result", *path) for path in _texts(known[1], given))

    def _older(self, field: str, type_: str, version: int) -> Iterator[Name]:
        known = self._known(RESOURCES, type_)
        if known is not None:
            same = known[0] == version
            yield from ((field, *path) if same else (field, DEEP, path[-1]) for path in known[1].secrets())

    def _paths(self, section: str, type_: str) -> list[Steps]:
        known = self._known(section, type_)
        return list(known[1].secrets()) if known else []

    def _known(self, section: str, type_: str) -> tuple[int, Place] | None:
        """The version and the tree of a schema."""
        key = (section, type_)
        if key not in self._trees:
            data = schema_data(self._schemas[key]) if key in self._schemas else None
            self._trees[key] = (data["version"], tree_of(data)) if data else None
        return self._trees[key]

    def _fields_of(self, method: str) -> frozenset[str]:
        """The fields in the messages of an RPC that hold values."""
        messages: list[Any] = [cls.DESCRIPTOR for cls in self._service.messages[method][:2]]
        fields: set[str] = set()
        for message in messages:
            for field in message.fields:
                inside: Any = field.message_type
                if inside is not None and inside.name in VALUES:
                    fields.add(field.name)
                elif inside is not None and inside not in messages:
                    messages.append(inside)
        return frozenset(fields)


SPECIAL: Mapping[Op, PlacesOf] = {Op.UPGRADE: Secrets.upgraded, Op.MOVE: Secrets.moved, Op.OPEN: Secrets.opened}
"""What is secret beyond what the schema of the request's type says of its own values."""


def _is_about_provider(row: RpcMethod) -> bool:
    return row.op in (Op.CHECK_CONFIG, Op.CONFIGURE) and not row.reason


def _unmarked(row: RpcMethod) -> Iterator[Name]:
    """Names of credentials, in configurations of which providers do not, or cannot, say what is secret."""
    if _is_about_provider(row):
        yield from CREDENTIALS
    elif section_of(row.name) in UNMARKED:
        yield from (("config", DEEP, name) for name in CREDENTIALS)


def _given(config: bytes) -> Mapping[str, Any]:
    given = packing.unpack_any(config) if config else None
    return given if isinstance(given, Mapping) else {}


def _texts(place: Place, given: Mapping[str, Any]) -> Iterator[Steps]:
    """The paths of what may hold text and was not given, so that the provider made it."""

    def is_made(inside: Place) -> bool:
        return _is_text(inside) and inside.computed and not inside.optional

    for name, member in place.members.items():
        if given.get(name) is not None:
            yield from ((name, *path) for path in member.paths(is_made))
        elif _is_text(member):
            yield (name,)
        else:
            yield from ((name, *path) for path in member.paths(_is_text))


def _is_text(place: Place) -> bool:
    return not (place.members or place.element) and (place.type.has("string") or place.type.has("dynamic"))

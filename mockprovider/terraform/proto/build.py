"""Protobuf descriptors from ``table``'s text, in a private pool, and their message classes."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, empty_pb2, message_factory, timestamp_pb2
from google.protobuf.message import Message
from msgspec import Struct

from mockprovider.errors import DefinitionError
from mockprovider.terraform.proto import table

FIELD = re.compile(r"(?P<name>\w+) (?P<number>\d+)(?P<label>[*?]?) (?P<type>[\w.]+)(?:\{(?P<value>[\w.]+)\})?")
RPC = re.compile(r"(?P<name>\w+)(?:: (?P<rstream>stream )?(?P<request>[\w.]+) > (?P<stream>stream )?(?P<response>[\w.]+))?")
SCALARS = frozenset({"string", "bytes", "bool", "int64", "uint32"})
FieldProto = descriptor_pb2.FieldDescriptorProto


class _Field(Struct, frozen=True):
    """One field of a message: ``label`` is ``*``, ``?`` or empty, ``value`` is the value type of a map."""

    name: str
    number: int
    label: str
    type: str
    value: str | None = None


class _Rpc(Struct, frozen=True):
    """One RPC of a service, with the names of its messages."""

    name: str
    request: str
    response: str
    client_streaming: bool = False
    server_streaming: bool = False


class _Definitions(Struct):
    """A parsed table: fields by message, oneof name by message, values by enumeration, RPCs by service."""

    messages: dict[str, list[_Field]]
    oneofs: dict[str, str]
    enums: dict[str, dict[str, int]]
    services: dict[str, list[_Rpc]]


def parse(text: str, service: str = "Provider") -> _Definitions:
    """The definitions of a table in ``table``'s notation."""
    definitions = _Definitions({}, {}, {}, {})
    for line in text.replace("\n  ", " ").strip().splitlines():
        head, _, rest = line.partition(":")
        if line.startswith("service "):
            service = line.removeprefix("service ")
        elif line.startswith("rpc "):
            definitions.services.setdefault(service, []).append(_rpc(line.removeprefix("rpc ")))
        elif line.startswith("enum "):
            values = (item.split() for item in rest.split(";"))
            definitions.enums[head.removeprefix("enum ")] = {name: int(number) for name, number in values}
        elif line:
            name, _, oneof = head.partition(" ")
            if oneof:
                definitions.oneofs[name] = oneof.strip("()")
            definitions.messages[name] = fields(rest)
    for rpc in (rpc for rpcs in definitions.services.values() for rpc in rpcs):
        for name in (rpc.request, rpc.response):
            if not name.startswith("google."):
                definitions.messages.setdefault(name, [])
    return definitions


def fields(text: str) -> list[_Field]:
    """The fields of one message's line."""
    matches = FIELD.finditer(text)
    return [_Field(match["name"], int(match["number"]), match["label"], match["type"], match["value"]) for match in matches]


def _rpc(line: str) -> _Rpc:
    match = RPC.fullmatch(line)
    if match is None:
        raise DefinitionError(f"{line!r} is no RPC in the notation of the table.")
    request, response = match["request"] or f"{match['name']}.Request", match["response"] or f"{match['name']}.Response"
    return _Rpc(match["name"], request, response, bool(match["rstream"]), bool(match["stream"]))


def fifth(six: _Definitions) -> _Definitions:
    """Major 5's definitions under major 6's names: without what it lacks, and with its own field numbers."""
    gone = table.V5_ABSENT
    messages = {}
    for name, items in six.messages.items():
        if name in gone or name.partition(".")[0] in gone:
            continue
        own = fields(table.V5_FIELDS.get(name, ""))
        replaced = {item.name for item in own}
        kept = [item for item in items if f"{name} {item.name}" not in gone and item.name not in replaced]
        messages[name] = kept + own
    services = {name: [rpc for rpc in rpcs if rpc.name not in gone] for name, rpcs in six.services.items()}
    enums = {name: values for name, values in six.enums.items() if name not in gone}
    return _Definitions(messages, six.oneofs, enums, services)


class Proto:
    """The messages and services of one protobuf package, by the names of the table (major 6's, also in major 5)."""

    def __init__(self, package: str, definitions: _Definitions, rename: Mapping[str, str] | None = None) -> None:
        self.package = package
        self._rename = rename or {}
        self._pool = descriptor_pool.DescriptorPool()
        for known in (empty_pb2, timestamp_pb2):
            self._pool.AddSerializedFile(known.DESCRIPTOR.serialized_pb)
        file = _File(package, definitions, self._message_name, self._rename)
        self._pool.AddSerializedFile(file.proto.SerializeToString())

    def wire_name(self, name: str) -> str:
        """The package's own name for the RPC ``name`` of the table."""
        return self._rename.get(name, name)

    @cache  # noqa: B019 - a Proto lives as long as the process: there are three
    def message(self, name: str) -> type[Message]:
        """The class of the table's message ``name``. Raises ``KeyError`` for one that the package lacks."""
        return self.classes(self._pool.FindMessageTypeByName(f"{self.package}.{self._message_name(name)}"))

    def service(self, name: str = "Provider") -> Any:
        """The descriptor of a service."""
        return self._pool.FindServiceByName(f"{self.package}.{name}")

    @staticmethod
    def classes(descriptor: Any) -> type[Message]:
        """The Python class of a message descriptor."""
        return message_factory.GetMessageClass(descriptor)

    def _message_name(self, name: str) -> str:
        head, dot, rest = name.partition(".")
        return name if head in table.V5_KEPT_MESSAGES else f"{self._rename.get(head, head)}{dot}{rest}"


class _File:
    """The file descriptor of one package, built from its definitions."""

    def __init__(
        self, package: str, definitions: _Definitions, name_of: Callable[[str], str], rename: Mapping[str, str]
    ) -> None:
        self.package, self.definitions, self.name_of = package, definitions, name_of
        self.proto = descriptor_pb2.FileDescriptorProto(name=f"{package}.proto", package=package, syntax="proto3")
        self.proto.dependency.extend([empty_pb2.DESCRIPTOR.name, timestamp_pb2.DESCRIPTOR.name])
        self.nests: dict[str, Any] = {"": self.proto}
        self._open_messages()
        for name, values in definitions.enums.items():
            self._add_enum(name_of(name), values)
        for name, items in definitions.messages.items():
            self._add_fields(name_of(name), items, definitions.oneofs.get(name))
        for name, rpcs in definitions.services.items():
            self._add_service(name, rpcs, rename)

    def _open_messages(self) -> None:
        names = {self.name_of(part) for full in self.definitions.messages for part in _path(full)}
        names |= {self.name_of(part) for full in self.definitions.enums for part in _path(full.rpartition(".")[0])}
        for name in sorted(names):  # a nested name sorts after its parent
            parent, _, own = name.rpartition(".")
            self.nests[name] = (self.nests[parent].nested_type if parent else self.proto.message_type).add(name=own)

    def _add_enum(self, full: str, values: Mapping[str, int]) -> None:
        parent, _, own = full.rpartition(".")
        enum = self.nests[parent].enum_type.add(name=own)
        for label, number in values.items():
            enum.value.add(name=label, number=number)

    def _add_fields(self, full: str, items: list[_Field], oneof: str | None) -> None:
        into = self.nests[full]
        if oneof:
            into.oneof_decl.add(name=oneof)
        for item in items:
            if item.value is not None:
                self._add_map(into, full, item, item.value)
                continue
            field = into.field.add(name=item.name, number=item.number, label=FieldProto.LABEL_OPTIONAL)
            self._set_type(field, item.type)
            if item.label == "*":
                field.label = FieldProto.LABEL_REPEATED
            elif oneof:
                field.oneof_index = 0
            elif item.label == "?":
                # protobuf tracks the presence of an optional field as a oneof.
                field.proto3_optional, field.oneof_index = True, len(into.oneof_decl)
                into.oneof_decl.add(name=f"_{item.name}")

    def _add_map(self, into: Any, full: str, item: _Field, value: str) -> None:
        entry = "".join(part.capitalize() for part in item.name.split("_")) + "Entry"
        nested = into.nested_type.add(name=entry)
        nested.options.map_entry = True
        nested.field.add(name="key", number=1, label=FieldProto.LABEL_OPTIONAL, type=FieldProto.TYPE_STRING)
        self._set_type(nested.field.add(name="value", number=2, label=FieldProto.LABEL_OPTIONAL), value)
        field = into.field.add(name=item.name, number=item.number, label=FieldProto.LABEL_REPEATED)
        field.type, field.type_name = FieldProto.TYPE_MESSAGE, f".{self.package}.{full}.{entry}"

    def _set_type(self, field: Any, name: str) -> None:
        if name in SCALARS:
            field.type = getattr(FieldProto, f"TYPE_{name.upper()}")
        else:
            field.type = FieldProto.TYPE_ENUM if name in self.definitions.enums else FieldProto.TYPE_MESSAGE
            field.type_name = self._type_name(name)

    def _add_service(self, name: str, rpcs: list[_Rpc], rename: Mapping[str, str]) -> None:
        service = self.proto.service.add(name=name)
        for rpc in rpcs:
            service.method.add(
                name=rename.get(rpc.name, rpc.name),
                input_type=self._type_name(rpc.request),
                output_type=self._type_name(rpc.response),
                client_streaming=rpc.client_streaming,
                server_streaming=rpc.server_streaming,
            )

    def _type_name(self, name: str) -> str:
        return f".{name}" if name.startswith("google.") else f".{self.package}.{self.name_of(name)}"


def _path(name: str) -> list[str]:
    """``a.b.c`` as ``a``, ``a.b``, ``a.b.c``."""
    parts = name.split(".")
    return [".".join(parts[:length]) for length in range(1, len(parts) + 1) if name]


@cache
def protocol(major: int) -> Proto:
    """The provider protocol of a major version, 5 or 6. Building it takes a few milliseconds, once a process."""
    definitions = parse(table.PROVIDER)
    if major == 5:
        return Proto("tfplugin5", fifth(definitions), table.V5_RPCS)
    return Proto("tfplugin6", definitions)


PLUGIN = Proto("plugin", parse(table.PLUGIN))

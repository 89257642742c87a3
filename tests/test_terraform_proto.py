"""The protocol's descriptors: numbers, majors, presence, and a pool of their own."""

from __future__ import annotations

from typing import Any

import pytest
from google.protobuf import descriptor_pool
from google.protobuf.descriptor_pb2 import FileDescriptorProto

from mockprovider.errors import DefinitionError
from mockprovider.terraform.proto import PLUGIN, Proto, protocol
from mockprovider.terraform.proto.build import parse


def numbers(major: int, name: str) -> dict[str, int]:
    descriptor: Any = protocol(major).message(name).DESCRIPTOR
    return {field.name: field.number for field in descriptor.fields}


def test_majors_number_some_fields_differently() -> None:
    """Where major 5 numbers a field otherwise or has none, its descriptor says so."""
    assert numbers(6, "Schema.Attribute")["write_only"] == 11
    assert numbers(5, "Schema.Attribute")["write_only"] == 10
    assert "nested_type" not in numbers(5, "Schema.Attribute")
    assert numbers(6, "GetMetadata.Response")["actions"] == 9
    assert numbers(5, "GetMetadata.Response") == {**numbers(5, "GetMetadata.Response"), "actions": 8}
    assert numbers(5, "ValidateProviderConfig.Response") == {"prepared_config": 1, "diagnostics": 2}
    assert "planned_private" not in numbers(5, "PlanResourceChange.Request")


def test_major_5_has_its_own_names() -> None:
    """The table's names give major 5's messages and RPCs under the names that major 5 uses."""
    five = protocol(5)
    rpcs = {method.name: method for method in five.service().methods}
    assert len(rpcs) == 28
    assert rpcs["GetSchema"].output_type.full_name == "tfplugin5.GetProviderSchema.Response"
    assert rpcs["PrepareProviderConfig"].input_type.full_name == "tfplugin5.PrepareProviderConfig.Request"
    assert five.message("StopProvider.Response").DESCRIPTOR.full_name == "tfplugin5.Stop.Response"
    assert five.wire_name("ConfigureProvider") == "Configure"
    assert five.wire_name("ReadResource") == "ReadResource"


def test_major_6_has_every_rpc() -> None:
    """Major 6's service has the 36 RPCs of its newest minor, streaming where the protocol streams."""
    rpcs = {method.name: method for method in protocol(6).service().methods}
    assert len(rpcs) == 36
    streaming = {name for name, method in rpcs.items() if method.server_streaming or method.client_streaming}
    assert streaming == {"ListResource", "InvokeAction", "ReadStateBytes", "WriteStateBytes"}
    assert rpcs["ValidateStateStoreConfig"].input_type.full_name == "tfplugin6.ValidateStateStore.Request"


def test_presence_is_tracked_where_the_protocol_tracks_it() -> None:
    """An optional scalar that is set to its default differs from one that is not set."""
    message: Any = protocol(6).message("CloseEphemeralResource.Request")(private=b"")
    assert message.HasField("private")
    assert not protocol(6).message("CloseEphemeralResource.Request")().HasField("private")
    step: Any = protocol(6).message("AttributePath.Step")(element_key_int=0)
    assert step.WhichOneof("selector") == "element_key_int"


def test_nothing_is_registered_in_the_default_pool() -> None:
    """A user's own generated copy of the protocol can be loaded beside ours."""
    for name in ("tfplugin6.DynamicValue", "tfplugin5.DynamicValue", "plugin.StdioData"):
        with pytest.raises(KeyError):
            descriptor_pool.Default().FindMessageTypeByName(name)


def test_the_plugin_librarys_services_are_there() -> None:
    """Shutdown, stdio and broker have their messages; stdio's request is protobuf's own Empty."""
    assert PLUGIN.service("GRPCController").methods_by_name["Shutdown"].input_type.full_name == "plugin.Empty"
    assert PLUGIN.service("GRPCStdio").methods_by_name["StreamStdio"].input_type.full_name == "google.protobuf.Empty"
    assert PLUGIN.service("GRPCBroker").methods_by_name["StartStream"].client_streaming


def test_a_message_that_the_major_has_not_is_a_key_error() -> None:
    """State stores are major 6's alone."""
    with pytest.raises(KeyError):
        protocol(5).message("LockState.Request")


def test_a_broken_table_is_refused() -> None:
    """A line that is no RPC names itself in the error."""
    with pytest.raises(DefinitionError, match="'One: Two' is no RPC"):
        parse("rpc One: Two")


NOTES = """
enum Paper.Shade: LIGHT 0; DARK 4
Note: text 1 string; authors 2* Note.Author; word_counts 3 string{int64}; written 4? google.protobuf.Timestamp;
  shade 5 Paper.Shade; pages 6 string{Note.Page}; sealed 7? bool
Note.Author (known_by): name 1 string; number 2 uint32
Note.Page: data 8 bytes

rpc Take: Note > stream Note.Page
rpc Watch: stream Note > google.protobuf.Empty
service Bin
rpc Drop
"""


def described(message: Any, owner: str = "") -> dict[str, list[str]]:
    """The fields of a message and of those in it, as the compiler's own words: number, label, type, oneof."""
    name = f"{owner}{message.name}"
    oneofs = [each.name for each in message.oneof_decl]
    fields = [
        f"{field.name} = {field.number}: {field.Label.Name(field.label)[6:].lower()} "
        f"{field.type_name or field.Type.Name(field.type)[5:].lower()}"
        f"{f' of {oneofs[field.oneof_index]}' if field.HasField('oneof_index') else ''}"
        f"{', present or not' if field.proto3_optional else ''}"
        for field in message.field
    ]
    inside = {key: value for each in message.nested_type for key, value in described(each, f"{name}.").items()}
    return {name: [*fields, *(["map"] if message.options.map_entry else [])], **inside}


def test_the_notation_says_all_that_a_descriptor_does() -> None:
    """Repeated, optional and mapped fields, oneofs, enumerations, nested messages and streams: all are said in a line."""
    notes = Proto("notes", parse(NOTES, "Desk"), {"Take": "Fetch", "Note": "Sheet", "Drop": "Throw"})
    file = FileDescriptorProto()
    notes.message("Note").DESCRIPTOR.file.CopyToProto(file)

    assert (file.name, file.package, file.syntax) == ("notes.proto", "notes", "proto3")
    assert {key: value for message in file.message_type for key, value in described(message).items()} == {
        "Sheet": [
            "text = 1: optional string",
            "authors = 2: repeated .notes.Sheet.Author",
            "word_counts = 3: repeated .notes.Sheet.WordCountsEntry",
            "written = 4: optional .google.protobuf.Timestamp of _written, present or not",
            "shade = 5: optional .notes.Paper.Shade",
            "pages = 6: repeated .notes.Sheet.PagesEntry",
            "sealed = 7: optional bool of _sealed, present or not",
        ],
        "Sheet.Author": ["name = 1: optional string of known_by", "number = 2: optional uint32 of known_by"],
        "Sheet.Page": ["data = 8: optional bytes"],
        "Sheet.WordCountsEntry": ["key = 1: optional string", "value = 2: optional int64", "map"],
        "Sheet.PagesEntry": ["key = 1: optional string", "value = 2: optional .notes.Sheet.Page", "map"],
        "Paper": [],
        "Throw": [],
        "Throw.Request": [],
        "Throw.Response": [],
    }
    assert {
        f"{message.name}.{enum.name}": {value.name: value.number for value in enum.value}
        for message in file.message_type
        for enum in message.enum_type
    } == {"Paper.Shade": {"LIGHT": 0, "DARK": 4}}
    assert {
        f"{service.name}.{rpc.name}": (rpc.client_streaming, rpc.input_type, rpc.server_streaming, rpc.output_type)
        for service in file.service
        for rpc in service.method
    } == {
        "Desk.Fetch": (False, ".notes.Sheet", True, ".notes.Sheet.Page"),
        "Desk.Watch": (True, ".notes.Sheet", False, ".google.protobuf.Empty"),
        "Bin.Throw": (False, ".notes.Throw.Request", False, ".notes.Throw.Response"),
    }
    assert (notes.wire_name("Take"), notes.wire_name("Watch")) == ("Fetch", "Watch")


def names_of(major: int) -> set[str]:
    """The messages, enumerations, fields and RPCs of a major: ``Message``, ``Message field``, ``rpc Name``."""
    file = FileDescriptorProto()
    protocol(major).service().file.CopyToProto(file)
    names = {f"rpc {method.name}" for method in file.service[0].method}

    def collect(message: Any, owner: str) -> None:
        name = f"{owner}{message.name}"
        names.update({name, *(f"{name} {field.name}" for field in message.field)})
        names.update(f"{name}.{enum.name}" for enum in message.enum_type)
        for inner in message.nested_type:
            collect(inner, f"{name}.")

    for message in file.message_type:
        collect(message, "")
    return names


RENAMED = {
    "rpc GetProviderSchema": "rpc GetSchema",
    "rpc ValidateProviderConfig": "rpc PrepareProviderConfig",
    "rpc ValidateResourceConfig": "rpc ValidateResourceTypeConfig",
    "rpc ValidateDataResourceConfig": "rpc ValidateDataSourceConfig",
    "rpc ConfigureProvider": "rpc Configure",
    "rpc StopProvider": "rpc Stop",
    "ValidateProviderConfig": "PrepareProviderConfig",
    "ValidateResourceConfig": "ValidateResourceTypeConfig",
    "ValidateDataResourceConfig": "ValidateDataSourceConfig",
    "ConfigureProvider": "Configure",
    "StopProvider": "Stop",
}
STORES = ("ValidateStateStore", "ConfigureStateStore", "ReadStateBytes", "WriteStateBytes", "LockState", "UnlockState")
STORES_ALONE = (*STORES, "GetStates", "DeleteState", "StateStore", "StateRange", "RequestChunkMeta", "GetMetadata.StateStore")


def test_what_the_majors_have_apart() -> None:
    """Major 5 has no nested attributes, no state stores and none of their capabilities, and six RPCs under older names."""
    five = names_of(5)
    six = {f"{RENAMED.get(head, head)}{dot}{rest}" for head, dot, rest in (name.partition(".") for name in names_of(6))}
    assert five - six == {"PrepareProviderConfig.Response prepared_config"}
    assert {name for name in six - five if not name.removeprefix("rpc ").startswith(STORES_ALONE)} == {
        "Schema.Object",
        "Schema.Object.NestingMode",
        *(f"Schema.Object {field}" for field in ("attributes", "nesting", "min_items", "max_items")),
        "Schema.Attribute nested_type",
        "Schema.Block computed",
        "GetMetadata.Response state_stores",
        "GetProviderSchema.Response state_store_schemas",
        "GetProviderSchema.Response.StateStoreSchemasEntry",
        "GetProviderSchema.Response.StateStoreSchemasEntry key",
        "GetProviderSchema.Response.StateStoreSchemasEntry value",
        "ClientCapabilities store_planned_private",
        "ClientCapabilities computed_blocks_allowed",
        "PlanResourceChange.Request planned_private",
    }
    assert not {name for name in five if name.removeprefix("rpc ").startswith(STORES_ALONE)}

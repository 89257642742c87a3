"""The protocol's descriptors: numbers, majors, presence, and a pool of their own."""

from __future__ import annotations

from typing import Any

import pytest
from google.protobuf import descriptor_pool

from mockprovider.errors import DefinitionError
from mockprovider.terraform.proto import PLUGIN, protocol
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

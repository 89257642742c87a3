"""The protocol's messages and RPCs as data: major 6 in its newest minor (6.11), and how major 5 (5.10) differs.

The notation, one definition a line (an indented line goes on with the one above):

* ``Name: field number type; …`` is a message; a dotted name is nested. ``*`` after the number is a repeated field, ``?`` an
  ``optional`` one, ``type{type}`` a map. ``Name (choice): …`` puts all fields in the oneof ``choice``.
* ``enum Name: VALUE number; …`` is an enumeration.
* ``rpc Name: Request > Response``; ``stream`` before a message streams it; a lone ``rpc Name`` uses ``Name.Request`` and
  ``Name.Response``. A message that no line defines has no fields.

Terraform promises that minors only add, so the newest serves every engine of its major.
"""

from __future__ import annotations

from collections.abc import Mapping

PROVIDER = """
DynamicValue: msgpack 1 bytes; json 2 bytes
enum Diagnostic.Severity: INVALID 0; ERROR 1; WARNING 2
Diagnostic: severity 1 Diagnostic.Severity; summary 2 string; detail 3 string; attribute 4 AttributePath
FunctionError: text 1 string; function_argument 2? int64
AttributePath: steps 1* AttributePath.Step
AttributePath.Step (selector): attribute_name 1 string; element_key_string 2 string; element_key_int 3 int64
RawState: json 1 bytes; flatmap 2 string{string}
enum StringKind: PLAIN 0; MARKDOWN 1
ServerCapabilities: plan_destroy 1 bool; get_provider_schema_optional 2 bool; move_resource_state 3 bool;
  generate_resource_config 4 bool
ClientCapabilities: deferral_allowed 1 bool; write_only_attributes_allowed 2 bool; store_planned_private 3 bool;
  computed_blocks_allowed 4 bool
enum Deferred.Reason: UNKNOWN 0; RESOURCE_CONFIG_UNKNOWN 1; PROVIDER_CONFIG_UNKNOWN 2; ABSENT_PREREQ 3
Deferred: reason 1 Deferred.Reason

ResourceIdentitySchema.IdentityAttribute: name 1 string; type 2 bytes; required_for_import 3 bool; optional_for_import 4 bool;
  description 5 string
ResourceIdentitySchema: version 1 int64; identity_attributes 2* ResourceIdentitySchema.IdentityAttribute
ResourceIdentityData: identity_data 1 DynamicValue
ActionSchema: schema 1 Schema
Schema: version 1 int64; block 2 Schema.Block
Schema.Block: version 1 int64; attributes 2* Schema.Attribute; block_types 3* Schema.NestedBlock; description 4 string;
  description_kind 5 StringKind; deprecated 6 bool; deprecation_message 7 string; computed 8 bool
Schema.Attribute: name 1 string; type 2 bytes; nested_type 10 Schema.Object; description 3 string; required 4 bool;
  optional 5 bool; computed 6 bool; sensitive 7 bool; description_kind 8 StringKind; deprecated 9 bool; write_only 11 bool;
  deprecation_message 12 string
enum Schema.NestedBlock.NestingMode: INVALID 0; SINGLE 1; LIST 2; SET 3; MAP 4; GROUP 5
Schema.NestedBlock: type_name 1 string; block 2 Schema.Block; nesting 3 Schema.NestedBlock.NestingMode; min_items 4 int64;
  max_items 5 int64
enum Schema.Object.NestingMode: INVALID 0; SINGLE 1; LIST 2; SET 3; MAP 4
Schema.Object: attributes 1* Schema.Attribute; nesting 3 Schema.Object.NestingMode; min_items 4 int64; max_items 5 int64
Function.Parameter: name 1 string; type 2 bytes; allow_null_value 3 bool; allow_unknown_values 4 bool; description 5 string;
  description_kind 6 StringKind
Function.Return: type 1 bytes
Function: parameters 1* Function.Parameter; variadic_parameter 2 Function.Parameter; return 3 Function.Return;
  summary 4 string; description 5 string; description_kind 6 StringKind; deprecation_message 7 string

GetMetadata.DataSourceMetadata: type_name 1 string
GetMetadata.ResourceMetadata: type_name 1 string
GetMetadata.FunctionMetadata: name 1 string
GetMetadata.EphemeralMetadata: type_name 1 string
GetMetadata.ListResourceMetadata: type_name 1 string
GetMetadata.StateStoreMetadata: type_name 1 string
GetMetadata.ActionMetadata: type_name 1 string
GetMetadata.Response: server_capabilities 1 ServerCapabilities; diagnostics 2* Diagnostic;
  data_sources 3* GetMetadata.DataSourceMetadata; resources 4* GetMetadata.ResourceMetadata;
  functions 5* GetMetadata.FunctionMetadata; ephemeral_resources 6* GetMetadata.EphemeralMetadata;
  list_resources 7* GetMetadata.ListResourceMetadata; state_stores 8* GetMetadata.StateStoreMetadata;
  actions 9* GetMetadata.ActionMetadata
GetProviderSchema.Response: provider 1 Schema; resource_schemas 2 string{Schema}; data_source_schemas 3 string{Schema};
  functions 7 string{Function}; ephemeral_resource_schemas 8 string{Schema}; list_resource_schemas 9 string{Schema};
  state_store_schemas 10 string{Schema}; action_schemas 11 string{ActionSchema}; diagnostics 4* Diagnostic;
  provider_meta 5 Schema; server_capabilities 6 ServerCapabilities
ValidateProviderConfig.Request: config 1 DynamicValue
ValidateProviderConfig.Response: diagnostics 2* Diagnostic
ConfigureProvider.Request: terraform_version 1 string; config 2 DynamicValue; client_capabilities 3 ClientCapabilities
ConfigureProvider.Response: diagnostics 1* Diagnostic
StopProvider.Response: Error 1 string

UpgradeResourceState.Request: type_name 1 string; version 2 int64; raw_state 3 RawState
UpgradeResourceState.Response: upgraded_state 1 DynamicValue; diagnostics 2* Diagnostic
GetResourceIdentitySchemas.Response: identity_schemas 1 string{ResourceIdentitySchema}; diagnostics 2* Diagnostic
UpgradeResourceIdentity.Request: type_name 1 string; version 2 int64; raw_identity 3 RawState
UpgradeResourceIdentity.Response: upgraded_identity 1 ResourceIdentityData; diagnostics 2* Diagnostic
ValidateResourceConfig.Request: type_name 1 string; config 2 DynamicValue; client_capabilities 3 ClientCapabilities
ValidateResourceConfig.Response: diagnostics 1* Diagnostic
ReadResource.Request: type_name 1 string; current_state 2 DynamicValue; private 3 bytes; provider_meta 4 DynamicValue;
  client_capabilities 5 ClientCapabilities; current_identity 6 ResourceIdentityData
ReadResource.Response: new_state 1 DynamicValue; diagnostics 2* Diagnostic; private 3 bytes; deferred 4 Deferred;
  new_identity 5 ResourceIdentityData
PlanResourceChange.Request: type_name 1 string; prior_state 2 DynamicValue; proposed_new_state 3 DynamicValue;
  config 4 DynamicValue; prior_private 5 bytes; provider_meta 6 DynamicValue; client_capabilities 7 ClientCapabilities;
  prior_identity 8 ResourceIdentityData; planned_private 9 bytes
PlanResourceChange.Response: planned_state 1 DynamicValue; requires_replace 2* AttributePath; planned_private 3 bytes;
  diagnostics 4* Diagnostic; legacy_type_system 5 bool; deferred 6 Deferred; planned_identity 7 ResourceIdentityData
ApplyResourceChange.Request: type_name 1 string; prior_state 2 DynamicValue; planned_state 3 DynamicValue;
  config 4 DynamicValue; planned_private 5 bytes; provider_meta 6 DynamicValue; planned_identity 7 ResourceIdentityData
ApplyResourceChange.Response: new_state 1 DynamicValue; private 2 bytes; diagnostics 3* Diagnostic; legacy_type_system 4 bool;
  new_identity 5 ResourceIdentityData
ImportResourceState.Request: type_name 1 string; id 2 string; client_capabilities 3 ClientCapabilities;
  identity 4 ResourceIdentityData
ImportResourceState.ImportedResource: type_name 1 string; state 2 DynamicValue; private 3 bytes; identity 4 ResourceIdentityData
ImportResourceState.Response: imported_resources 1* ImportResourceState.ImportedResource; diagnostics 2* Diagnostic;
  deferred 3 Deferred
MoveResourceState.Request: source_provider_address 1 string; source_type_name 2 string; source_schema_version 3 int64;
  source_state 4 RawState; target_type_name 5 string; source_private 6 bytes; source_identity 7 RawState;
  source_identity_schema_version 8 int64
MoveResourceState.Response: target_state 1 DynamicValue; diagnostics 2* Diagnostic; target_private 3 bytes;
  target_identity 4 ResourceIdentityData
GenerateResourceConfig.Request: type_name 1 string; state 2 DynamicValue
GenerateResourceConfig.Response: config 1 DynamicValue; diagnostics 2* Diagnostic

ValidateDataResourceConfig.Request: type_name 1 string; config 2 DynamicValue
ValidateDataResourceConfig.Response: diagnostics 1* Diagnostic
ReadDataSource.Request: type_name 1 string; config 2 DynamicValue; provider_meta 3 DynamicValue;
  client_capabilities 4 ClientCapabilities
ReadDataSource.Response: state 1 DynamicValue; diagnostics 2* Diagnostic; deferred 3 Deferred

ValidateEphemeralResourceConfig.Request: type_name 1 string; config 2 DynamicValue
ValidateEphemeralResourceConfig.Response: diagnostics 1* Diagnostic
OpenEphemeralResource.Request: type_name 1 string; config 2 DynamicValue; client_capabilities 3 ClientCapabilities
OpenEphemeralResource.Response: diagnostics 1* Diagnostic; renew_at 2? google.protobuf.Timestamp; result 3 DynamicValue;
  private 4? bytes; deferred 5 Deferred
RenewEphemeralResource.Request: type_name 1 string; private 2? bytes
RenewEphemeralResource.Response: diagnostics 1* Diagnostic; renew_at 2? google.protobuf.Timestamp; private 3? bytes
CloseEphemeralResource.Request: type_name 1 string; private 2? bytes
CloseEphemeralResource.Response: diagnostics 1* Diagnostic

GetFunctions.Response: functions 1 string{Function}; diagnostics 2* Diagnostic
CallFunction.Request: name 1 string; arguments 2* DynamicValue
CallFunction.Response: result 1 DynamicValue; error 2 FunctionError

ListResource.Request: type_name 1 string; config 2 DynamicValue; include_resource_object 3 bool; limit 4 int64
ListResource.Event: identity 1 ResourceIdentityData; display_name 2 string; resource_object 3? DynamicValue;
  diagnostic 4* Diagnostic
ValidateListResourceConfig.Request: type_name 1 string; config 2 DynamicValue; include_resource_object 3 DynamicValue;
  limit 4 DynamicValue
ValidateListResourceConfig.Response: diagnostics 1* Diagnostic

PlanAction.Request: action_type 1 string; config 2 DynamicValue; client_capabilities 3 ClientCapabilities
PlanAction.Response: diagnostics 1* Diagnostic; deferred 2 Deferred
InvokeAction.Request: action_type 1 string; config 2 DynamicValue; client_capabilities 3 ClientCapabilities
InvokeAction.Event.Progress: message 1 string
InvokeAction.Event.Completed: diagnostics 1* Diagnostic
InvokeAction.Event (type): progress 1 InvokeAction.Event.Progress; completed 2 InvokeAction.Event.Completed
ValidateActionConfig.Request: type_name 1 string; config 2 DynamicValue
ValidateActionConfig.Response: diagnostics 1* Diagnostic

StateStoreClientCapabilities: chunk_size 1 int64
StateStoreServerCapabilities: chunk_size 1 int64
StateRange: start 1 int64; end 2 int64
RequestChunkMeta: type_name 1 string; state_id 2 string
ValidateStateStore.Request: type_name 1 string; config 2 DynamicValue
ValidateStateStore.Response: diagnostics 1* Diagnostic
ConfigureStateStore.Request: type_name 1 string; config 2 DynamicValue; capabilities 3 StateStoreClientCapabilities
ConfigureStateStore.Response: diagnostics 1* Diagnostic; capabilities 2 StateStoreServerCapabilities
ReadStateBytes.Request: type_name 1 string; state_id 2 string
ReadStateBytes.Response: bytes 1 bytes; total_length 2 int64; range 3 StateRange; diagnostics 4* Diagnostic
WriteStateBytes.RequestChunk: meta 1? RequestChunkMeta; bytes 2 bytes; total_length 3 int64; range 4 StateRange
WriteStateBytes.Response: diagnostics 1* Diagnostic
LockState.Request: type_name 1 string; state_id 2 string; operation 3 string
LockState.Response: lock_id 1 string; diagnostics 2* Diagnostic
UnlockState.Request: type_name 1 string; state_id 2 string; lock_id 3 string
UnlockState.Response: diagnostics 1* Diagnostic
GetStates.Request: type_name 1 string
GetStates.Response: state_id 1* string; diagnostics 2* Diagnostic
DeleteState.Request: type_name 1 string; state_id 2 string
DeleteState.Response: diagnostics 1* Diagnostic

rpc GetMetadata
rpc GetProviderSchema
rpc ValidateProviderConfig
rpc ValidateResourceConfig
rpc ValidateDataResourceConfig
rpc UpgradeResourceState
rpc GetResourceIdentitySchemas
rpc UpgradeResourceIdentity
rpc ConfigureProvider
rpc ReadResource
rpc PlanResourceChange
rpc ApplyResourceChange
rpc ImportResourceState
rpc MoveResourceState
rpc ReadDataSource
rpc GenerateResourceConfig
rpc ValidateEphemeralResourceConfig
rpc OpenEphemeralResource
rpc RenewEphemeralResource
rpc CloseEphemeralResource
rpc ListResource: ListResource.Request > stream ListResource.Event
rpc ValidateListResourceConfig
rpc GetFunctions
rpc CallFunction
rpc ValidateStateStoreConfig: ValidateStateStore.Request > ValidateStateStore.Response
rpc ConfigureStateStore
rpc ReadStateBytes: ReadStateBytes.Request > stream ReadStateBytes.Response
rpc WriteStateBytes: stream WriteStateBytes.RequestChunk > WriteStateBytes.Response
rpc LockState
rpc UnlockState
rpc GetStates
rpc DeleteState
rpc PlanAction
rpc InvokeAction: InvokeAction.Request > stream InvokeAction.Event
rpc ValidateActionConfig
rpc StopProvider
"""
"""Package ``tfplugin6``, service ``Provider``."""

V5_RPCS: Mapping[str, str] = {
    "GetProviderSchema": "GetSchema",
    "ValidateProviderConfig": "PrepareProviderConfig",
    "ValidateResourceConfig": "ValidateResourceTypeConfig",
    "ValidateDataResourceConfig": "ValidateDataSourceConfig",
    "ConfigureProvider": "Configure",
    "StopProvider": "Stop",
}
"""Major 6's RPC names to major 5's, where they differ; their messages are renamed in the same way."""

V5_KEPT_MESSAGES = frozenset({"GetProviderSchema"})
"""RPCs of ``V5_RPCS`` whose messages keep major 6's name."""

V5_FIELDS: Mapping[str, str] = {
    "Schema.Attribute": "write_only 10 bool; deprecation_message 11 string",
    "GetMetadata.Response": "actions 8* GetMetadata.ActionMetadata",
    "ValidateProviderConfig.Response": "prepared_config 1 DynamicValue",
}
"""Fields that have another number in major 5, or exist only there."""

V5_ABSENT = frozenset(
    {
        "Schema.Object",
        "Schema.Object.NestingMode",
        "Schema.Attribute nested_type",
        "Schema.Block computed",
        "GetMetadata.StateStoreMetadata",
        "GetMetadata.Response state_stores",
        "GetProviderSchema.Response state_store_schemas",
        "ClientCapabilities store_planned_private",
        "ClientCapabilities computed_blocks_allowed",
        "PlanResourceChange.Request planned_private",
        "StateStoreClientCapabilities",
        "StateStoreServerCapabilities",
        "StateRange",
        "RequestChunkMeta",
        "ValidateStateStore",
        "ValidateStateStoreConfig",
        "ConfigureStateStore",
        "ReadStateBytes",
        "WriteStateBytes",
        "LockState",
        "UnlockState",
        "GetStates",
        "DeleteState",
    }
)
"""What major 5 lacks: an RPC with its messages, a message, or ``message field``."""

PLUGIN = """
Empty:
StdioData: channel 1 StdioData.Channel; data 2 bytes
enum StdioData.Channel: INVALID 0; STDOUT 1; STDERR 2
ConnInfo.Knock: knock 1 bool; ack 2 bool; error 3 string
ConnInfo: service_id 1 uint32; network 2 string; address 3 string; knock 4 ConnInfo.Knock
service GRPCController
rpc Shutdown: Empty > Empty
service GRPCStdio
rpc StreamStdio: google.protobuf.Empty > stream StdioData
service GRPCBroker
rpc StartStream: stream ConnInfo > stream ConnInfo
"""
"""Package ``plugin``: the services of Terraform's plugin library beside the provider's own."""

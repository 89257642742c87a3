"""``pulumirpc.ResourceProvider`` as a table: which RPC asks for what, and which of its fields is which part of a call.

Two rules keep this file honest: every RPC of the descriptor has a row here (a test walks it), and a field is listed only
where its name is not already the call's own word. It is data, and loads nothing slow.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from mockprovider.calls import Op


class Row(Struct, frozen=True, kw_only=True):
    """What is particular about one RPC. ``renames`` maps message fields to the words of calls and replies.

    ``engine_ward``: it is the engine that is asked, which takes everything whatever the provider accepts.
    """

    op: Op
    renames: Mapping[str, str] = {}
    opens: bool = False
    addresses: tuple[str, ...] = ()
    volatile: tuple[str, ...] = ()
    mutates: bool = False
    reason: str = ""
    engine_ward: bool = False


CHECK = {"olds": "prior_inputs", "news": "inputs", "old_outputs": "prior", "randomSeed": "seed", "autonaming": "autonaming"}
DIFF = {"olds": "prior", "news": "inputs", "old_inputs": "prior_inputs", "ignoreChanges": "ignore_changes"}
STATUS = ("resource_status_address",)
TOKEN = ("resource_status_token",)
WAY_BACK: Mapping[str, Any] = {
    "addresses": ("monitorEndpoint",),
    # How many steps the engine takes at once; where in the program the call comes from.
    "volatile": ("parallel", "stack_trace_handle", "accepts_output_values"),
}

TABLE: Mapping[str, Row] = {
    "Handshake": Row(
        op=Op.HANDSHAKE,
        opens=True,
        addresses=("engine_address", "mapper_target", "loader_target", "resolver_target"),
        volatile=("root_directory", "program_directory"),
    ),
    "Attach": Row(op=Op.ATTACH, addresses=("address",)),
    "GetPluginInfo": Row(op=Op.GET_PLUGIN_INFO),
    "Parameterize": Row(op=Op.PARAMETERIZE, renames={"args": "parameter", "value": "parameter"}),
    "GetSchema": Row(op=Op.GET_SCHEMA, renames={"subpackage_name": "package"}),
    "GetMapping": Row(op=Op.GET_MAPPING),
    "GetMappings": Row(op=Op.GET_MAPPINGS),
    "CheckConfig": Row(op=Op.CHECK_CONFIG, renames=CHECK),
    "DiffConfig": Row(op=Op.DIFF_CONFIG, renames=DIFF),
    # The provider's id is a fresh UUID in each stack, and unknown in a preview of a new one.
    "Configure": Row(op=Op.CONFIGURE, renames={"args": "inputs"}, volatile=("id",)),
    # A proposed name is made of the seed.
    "Check": Row(op=Op.CHECK, renames=CHECK, volatile=("randomSeed", "autonaming")),
    "Diff": Row(op=Op.DIFF, renames=DIFF),
    "Create": Row(op=Op.CREATE, renames={"properties": "inputs"}, addresses=STATUS, volatile=TOKEN, mutates=True),
    "Read": Row(op=Op.READ, renames={"properties": "prior", "inputs": "prior_inputs"}, addresses=STATUS, volatile=TOKEN),
    "Update": Row(op=Op.UPDATE, renames=DIFF, addresses=STATUS, volatile=TOKEN, mutates=True),
    "Delete": Row(
        op=Op.DELETE,
        renames={"properties": "prior", "old_inputs": "prior_inputs"},
        addresses=STATUS,
        volatile=TOKEN,
        mutates=True,
    ),
    "Invoke": Row(op=Op.INVOKE, renames={"tok": "type", "args": "inputs"}),
    "Call": Row(op=Op.CALL, renames={"tok": "type", "args": "inputs"}, **WAY_BACK),
    "Construct": Row(op=Op.CONSTRUCT, **WAY_BACK),
    "List": Row(
        op=Op.LIST,
        renames={
            "token": "type",
            "query": "inputs",
            "limit": "limit",
            "page_size": "page_size",
            "continuation_token": "page",
        },
    ),
    "Cancel": Row(op=Op.CANCEL),
}

GONE: Mapping[str, str] = {
    "StreamInvoke": "functions that stream were taken out of Pulumi's protocol; call Invoke, which answers once",
}
"""What the protocol had once, with what a client that still calls it is told."""

RPC_OF: Mapping[Op, str] = {row.op: name for name, row in TABLE.items()}
"""The RPC that asks for an op."""

MISSING_KEYS = "missing_keys"
"""Where a reply to Configure has the required configuration that is not there: descriptions by key (reference 5.2)."""

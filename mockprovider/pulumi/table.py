"""``pulumirpc.ResourceProvider`` as a table: the op of each RPC, and how its fields map to those of a call.

Every RPC of the descriptor has a row (a test checks it). A row lists only fields whose name differs from the call's. It is
data, and imports nothing slow.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from mockprovider.calls import Op


class Row(Struct, frozen=True, kw_only=True):
    """One RPC. ``renames`` maps message fields to fields of calls and replies.

    ``engine_ward``: the request goes to the engine, which accepts all kinds of values. ``pure``: it touches no cloud.
    """

    op: Op
    renames: Mapping[str, str] = {}
    opens: frozenset[Op] = frozenset()
    addresses: tuple[str, ...] = ()
    volatile: tuple[str, ...] = ()
    mutates: bool = False
    pure: bool = False
    reason: str = ""
    engine_ward: bool = False


CHECK = {"olds": "prior_inputs", "news": "inputs", "old_outputs": "prior", "randomSeed": "seed", "autonaming": "autonaming"}
DIFF = {"olds": "prior", "news": "inputs", "old_inputs": "prior_inputs", "ignoreChanges": "ignore_changes"}
STATUS = ("resource_status_address",)
TOKEN = ("resource_status_token",)
WAY_BACK: Mapping[str, Any] = {
    "addresses": ("monitorEndpoint",),
    # The engine's parallelism, and the call's position in the program.
    "volatile": ("parallel", "stack_trace_handle", "accepts_output_values"),
}

TABLE: Mapping[str, Row] = {
    "Handshake": Row(
        op=Op.HANDSHAKE,
        opens=frozenset(Op),
        addresses=("engine_address", "mapper_target", "loader_target", "resolver_target"),
        volatile=("root_directory", "program_directory"),
    ),
    "Attach": Row(op=Op.ATTACH, addresses=("address",)),
    "GetPluginInfo": Row(op=Op.GET_PLUGIN_INFO),
    "Parameterize": Row(op=Op.PARAMETERIZE, renames={"args": "parameter", "value": "parameter"}),
    "GetSchema": Row(op=Op.GET_SCHEMA, renames={"subpackage_name": "package"}, pure=True),
    "GetMapping": Row(op=Op.GET_MAPPING),
    "GetMappings": Row(op=Op.GET_MAPPINGS),
    "CheckConfig": Row(op=Op.CHECK_CONFIG, renames=CHECK),
    "DiffConfig": Row(op=Op.DIFF_CONFIG, renames=DIFF),
    # The provider's id is a fresh UUID in each stack, and unknown in a preview of a new one.
    "Configure": Row(op=Op.CONFIGURE, renames={"args": "inputs"}, volatile=("id",)),
    # A proposed name is made from the seed.
    "Check": Row(op=Op.CHECK, renames=CHECK, volatile=("randomSeed", "autonaming"), pure=True),
    "Diff": Row(op=Op.DIFF, renames=DIFF, pure=True),
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
"""RPCs that the protocol no longer has, with the reason for clients that still call them."""

RPC_OF: Mapping[Op, str] = {row.op: name for name, row in TABLE.items()}
"""The RPC of each op."""

MISSING_KEYS = "missing_keys"
"""The key of missing configuration in the reply to Configure: descriptions by key (reference 5.2)."""

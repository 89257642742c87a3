"""Pulumi's deployment format: what ``pulumi stack export --show-secrets`` writes and ``pulumi stack import`` takes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mockprovider.errors import MalformedError
from mockprovider.pulumi.deployments import load
from mockprovider.pulumi.deployments import resources as written
from mockprovider.pulumi.state import PendingOperation, ResourceState, State, Timeouts
from mockprovider.pulumi.values import from_plain, to_plain
from mockprovider.urn import Urn
from mockprovider.values import Value

VERSION = 3
PLAIN: Mapping[str, str] = {
    "type": "type",
    "custom": "custom",
    "id": "id",
    "parent": "parent",
    "protect": "protect",
    "external": "external",
    "delete": "delete",
    "pendingReplacement": "pending_replacement",
    "provider": "provider",
    "importID": "import_id",
    "retainOnDelete": "retain_on_delete",
    "deletedWith": "deleted_with",
    "refreshBeforeUpdate": "refresh_before_update",
    "viewOf": "view_of",
    "taint": "taint",
    "created": "created",
    "modified": "modified",
}
"""Keys of a resource that hold a string or a boolean, and the field that each is."""
LISTS: Mapping[str, str] = {
    "dependencies": "dependencies",
    "additionalSecretOutputs": "additional_secret_outputs",
    "aliases": "aliases",
    "replaceWith": "replace_with",
    "ignoreChanges": "ignore_changes",
    "replaceOnChanges": "replace_on_changes",
}
BAGS = ("inputs", "outputs")
OWN = {"urn", "initErrors", "propertyDependencies", "customTimeouts", "replacementTrigger", *PLAIN, *LISTS, *BAGS}
TIMEOUTS = ("create", "update", "delete", "read")


def export_state(state: State) -> dict[str, Any]:
    """``state`` as a deployment, secrets in plain text."""
    deployment: dict[str, Any] = {
        "manifest": {"time": "0001-01-01T00:00:00Z", "magic": "", "version": ""},
        "resources": [_write(resource) for resource in state.resources],
        "metadata": {},
    }
    if state.secrets_providers:
        deployment["secrets_providers"] = dict(state.secrets_providers)
    if state.pending:
        deployment["pending_operations"] = [
            {"resource": _write(operation.resource), "type": operation.kind} for operation in state.pending
        ]
    return {"version": VERSION, "deployment": deployment}


def import_state(exported: Mapping[str, Any]) -> State:
    """The state that a deployment holds.

    Raises:
        MalformedError: it is no deployment, or refers to what is not in it.
        UnsupportedError: it is of a newer version, or its secrets are encrypted.
    """
    deployment = load(exported)["deployment"]
    resources = tuple(_read(resource) for resource in written(exported))
    _check_references(resources)
    pending = tuple(
        PendingOperation(operation["type"], _read(operation["resource"]))
        for operation in deployment.get("pending_operations") or ()
    )
    return State(resources, pending, deployment.get("secrets_providers") or {}, _plugins(deployment.get("manifest") or {}))


def _plugins(manifest: Mapping[str, Any]) -> dict[str, str]:
    return {plugin["name"]: plugin.get("version") or "" for plugin in manifest.get("plugins") or () if plugin.get("name")}


def _write(state: ResourceState) -> dict[str, Any]:
    exported: dict[str, Any] = {"urn": state.urn, "custom": state.custom, "type": state.type}
    exported |= {key: value for key, field in PLAIN.items() if (value := getattr(state, field))}
    exported |= {key: _plain(value) for key in BAGS if (value := getattr(state, key))}
    exported |= {key: list(value) for key, field in LISTS.items() if (value := getattr(state, field))}
    if state.init_errors:
        exported["initErrors"] = list(state.init_errors)
    if state.property_dependencies:
        exported["propertyDependencies"] = {key: list(urns) for key, urns in state.property_dependencies.items()}
    timeouts = {key: value for key in TIMEOUTS if (value := getattr(state.custom_timeouts, key))}
    if timeouts:
        exported["customTimeouts"] = timeouts
    if state.replacement_trigger is not None:
        exported["replacementTrigger"] = _plain(state.replacement_trigger)
    return exported | state.extra


def _plain(value: Value) -> Any:
    return to_plain(value, plaintext_secrets=True)


def _read(exported: Mapping[str, Any]) -> ResourceState:
    urn = exported["urn"]
    fields: dict[str, Any] = {field: exported[key] for key, field in PLAIN.items() if exported.get(key) is not None}
    fields |= {field: tuple(exported[key]) for key, field in LISTS.items() if exported.get(key)}
    fields |= {key: from_plain(exported.get(key) or {}) for key in BAGS}
    fields["type"] = exported.get("type") or Urn.parse(urn).type
    fields["init_errors"] = list(exported.get("initErrors") or ())
    fields["property_dependencies"] = {
        key: tuple(urns or ()) for key, urns in (exported.get("propertyDependencies") or {}).items()
    }
    fields["custom_timeouts"] = Timeouts(
        **{key: float((exported.get("customTimeouts") or {}).get(key) or 0) for key in TIMEOUTS}
    )
    fields["replacement_trigger"] = from_plain(exported.get("replacementTrigger"))
    fields["extra"] = {key: value for key, value in exported.items() if key not in OWN}
    return ResourceState(urn=urn, **fields)


def _check_references(resources: tuple[ResourceState, ...]) -> None:
    known: set[str] = set()
    for resource in resources:
        missing = next((urn for urn in resource.dependency_urns() if urn not in known), None)
        if missing is not None:
            raise MalformedError(
                f"{resource.urn!r} refers to {missing!r}, which does not stand before it in the deployment. "
                "Resources stand after everything that they depend on."
            )
        known.add(resource.urn)

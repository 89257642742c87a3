"""Pulumi's deployment format: what ``pulumi stack export --show-secrets`` writes and ``pulumi stack import`` takes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from mockprovider.errors import MalformedError, MockProviderError
from mockprovider.paths import parse, show
from mockprovider.pulumi.stacks.deployments import load
from mockprovider.pulumi.stacks.deployments import resources as written
from mockprovider.pulumi.stacks.extensions import plain, read
from mockprovider.pulumi.stacks.resource_options import REMEMBERED, Timeouts
from mockprovider.pulumi.stacks.state import PendingOperation, ResourceState, State
from mockprovider.pulumi.values import from_plain, to_plain
from mockprovider.urn import Urn
from mockprovider.values import Value

VERSION = 3
PLAIN: Mapping[str, str] = {
    "type": "type",
    "custom": "custom",
    "id": "id",
    "external": "external",
    "delete": "delete",
    "pendingReplacement": "pending_replacement",
    "refreshBeforeUpdate": "refresh_before_update",
    "viewOf": "view_of",
    "extensionRef": "extension_ref",
    "taint": "taint",
    "created": "created",
    "modified": "modified",
    **{row.state: row.name for row in REMEMBERED if row.shape in ("text", "flag", "reference")},
}
"""Keys of a resource that hold a string or a boolean, and the field that each is."""
LISTS: Mapping[str, str] = {
    "aliases": "aliases",
    **{row.state: row.name for row in REMEMBERED if row.shape == "list"},
}
"""Keys that hold a list of strings."""
MAPS: Mapping[str, str] = {row.state: row.name for row in REMEMBERED if row.shape == "map"}
"""Keys that hold lists of strings by name."""
BAGS = ("inputs", "outputs")
OWN = {"urn", "hideDiff", "initErrors", "customTimeouts", "replacementTrigger", *PLAIN, *LISTS, *MAPS, *BAGS}
"""All keys that are fields of a state."""
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
    if state.extensions:
        deployment["extensions"] = {key: plain(extension) for key, extension in state.extensions.items()}
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
    with _well_formed("resources"):
        resources = tuple(_read(resource) for resource in written(exported))
    _check_references(resources)
    with _well_formed("pending_operations"):
        pending = tuple(
            PendingOperation(operation["type"], _read(operation["resource"]))
            for operation in deployment.get("pending_operations") or ()
        )
    with _well_formed("manifest"):
        plugins = _plugins(deployment.get("manifest") or {})
    with _well_formed("extensions"):
        extensions = read(deployment.get("extensions") or {})
    return State(resources, pending, deployment.get("secrets_providers") or {}, plugins, extensions)


@contextmanager
def _well_formed(part: str) -> Iterator[None]:
    """What of a deployment has another shape than Pulumi's is an error that names the part of it."""
    try:
        yield
    except MockProviderError:
        raise
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise MalformedError(f"{part!r} of the deployment is not as Pulumi writes it: {error!r}") from error


def _plugins(manifest: Mapping[str, Any]) -> dict[str, str]:
    return {plugin["name"]: plugin.get("version") or "" for plugin in manifest.get("plugins") or () if plugin.get("name")}


def _write(state: ResourceState) -> dict[str, Any]:
    exported: dict[str, Any] = {"urn": state.urn, "custom": state.custom, "type": state.type}
    exported |= {key: value for key, field in PLAIN.items() if (value := getattr(state, field))}
    exported |= {key: _plain(value) for key in BAGS if (value := getattr(state, key))}
    exported |= {key: list(value) for key, field in LISTS.items() if (value := getattr(state, field))}
    for key, field in MAPS.items():
        if value := getattr(state, field):
            exported[key] = {name: list(texts) for name, texts in value.items()}
    if state.init_errors:
        exported["initErrors"] = list(state.init_errors)
    if state.hide_diffs:
        exported["hideDiff"] = [show(path) for path in state.hide_diffs]
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
    for key, field in MAPS.items():
        fields[field] = {name: tuple(texts or ()) for name, texts in (exported.get(key) or {}).items()}
    fields["custom_timeouts"] = Timeouts(
        **{key: float((exported.get("customTimeouts") or {}).get(key) or 0) for key in TIMEOUTS}
    )
    # Earlier versions of this engine wrote the segments of each.
    fields["hide_diffs"] = tuple(
        parse(path) if isinstance(path, str) else tuple(path) for path in exported.get("hideDiff") or ()
    )
    fields["replacement_trigger"] = from_plain(exported.get("replacementTrigger"))
    fields["extra"] = {key: value for key, value in exported.items() if key not in OWN}
    return ResourceState(urn=urn, **fields)


def dangling(resources: Sequence[ResourceState]) -> str:
    """What is wrong with the first of ``resources`` that refers to one that does not stand before it; empty if none does."""
    known: set[str] = set()
    for resource in resources:
        missing = next((urn for urn in resource.dependency_urns() if urn not in known), None)
        if missing is not None:
            return f"{resource.urn!r} refers to {missing!r}, which does not stand before it in the deployment."
        known.add(resource.urn)
    return ""


def _check_references(resources: tuple[ResourceState, ...]) -> None:
    complaint = dangling(resources)
    if complaint:
        raise MalformedError(f"{complaint} Resources stand after everything that they depend on.")

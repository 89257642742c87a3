"""Exported stacks (``pulumi stack export --show-secrets``), and the objects of their resources."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct, ValidationError, convert

from mockprovider.audit import CutOff, EngineMemory, Remedies, RememberedObject
from mockprovider.cloud import Cloud, CloudObject
from mockprovider.errors import MalformedError, MockProviderError, UnsupportedError
from mockprovider.files import read_text
from mockprovider.pulumi.signatures import SECRET, SENTINELS, SIGNATURE
from mockprovider.pulumi.values import from_plain
from mockprovider.urn import Urn
from mockprovider.values import Value, has_secret, reveal

VERSIONS = (3, 4)
BUILTIN = "pulumi"
"""The engine's own package of stacks, providers and stack references, which no provider serves."""
HOW = "`pulumi stack export --show-secrets`"

REMEDIES = Remedies(
    adopt="adopt it: `pulumi import {type} {name} {id}`",
    forget="`pulumi refresh` forgets it, and the next up makes another",
    refresh="`pulumi refresh` reads what is there; without it, an up goes by what is remembered",
    settle="look whether it was done; `pulumi refresh` settles it, a create with --clear-pending-creates, or with "
    "--import-pending-creates URN ID",
    nameless="NAME",
)

SNIPPETS = "snippets-prototype"
"""The feature of deployments in which the engine itself makes resources of stored text."""
FEATURES = frozenset(
    {"refreshBeforeUpdate", "views", "hooks", "taint", "replaceWith", "extensionParameterization", "byteString"}
)
"""The features that deployments of version 4 may name: those of pulumi 3.259 but for ``SNIPPETS``."""

Exported = Mapping[str, Any]
"""An export: ``version`` and ``deployment``, with ``resources`` and ``pending_operations``."""


def load(source: Exported | Path | str) -> Exported:
    """The export in ``source``, a file or its parsed JSON.

    Raises:
        MalformedError: it is no export of a stack.
        UnsupportedError: it is of a newer version.
    """
    exported: Any = _parsed(Path(source)) if isinstance(source, (str, Path)) else source
    if not isinstance(exported, Mapping):
        raise MalformedError(f"A {type(exported).__name__} is no exported stack. Give what {HOW} printed, or its file.")
    if exported.get("version") not in VERSIONS:
        raise UnsupportedError(
            f"The deployment is of version {exported.get('version')!r}; read are 3 and 4. Export it with a current pulumi."
        )
    if not isinstance(exported.get("deployment"), Mapping):
        raise MalformedError(f"There is no 'deployment' in it. Give what {HOW} printed.")
    return exported


def _parsed(path: Path) -> Any:
    text = read_text(path, "exported stack", f"Write one with {HOW} > stack.json.")
    try:
        return json.loads(text)
    except ValueError as error:
        raise MalformedError(f"{path} is no exported stack: it is no JSON ({error}). Write one with {HOW}.") from error


def resources(exported: Exported) -> list[Mapping[str, Any]]:
    """The resources of an export. Raises ``MalformedError`` for one without a URN."""
    entries = list(exported["deployment"].get("resources") or ())
    for entry in entries:
        if not isinstance(entry, Mapping) or not isinstance(entry.get("urn"), str):
            raise MalformedError(f"A resource without a URN stands in the deployment: {entry!r}")
    return entries


def announce(exported: Exported | None, providers: Iterable[Any]) -> None:
    """Say to the doubles among ``providers`` that engines remember a state that was handed to them, or edited."""
    ids = [resource["id"] for resource in resources(exported) if resource.get("id")] if exported else []
    for engines in {id(engines): engines for source in providers if (engines := getattr(source, "engines", None))}.values():
        engines.doubt(ids)


def identity(exported: Exported) -> tuple[str, str] | None:
    """The names of the project and the stack of an export; ``None`` if it is empty."""
    first = next((Urn.parse(resource["urn"]) for resource in resources(exported)), None)
    return (first.project, first.stack) if first else None


def refuse_ciphertext(exported: Exported) -> None:
    """Raise ``UnsupportedError`` if an export has a secret that only the stack's own key can decrypt."""
    for resource in resources(exported):
        _bags(resource)


def refuse_features(exported: Exported) -> None:
    """Raise ``UnsupportedError`` if an export has what the embedded engine would lose."""
    features = {*(exported.get("features") or ()), *((SNIPPETS,) if exported["deployment"].get("snippets") else ())}
    if lacking := sorted(features - FEATURES):
        raise UnsupportedError(
            f"The deployment has {', '.join(lacking)}, which this version of the embedded engine does not support; the pulumi "
            "CLI may."
        )


def adopt(exported: Exported, clouds: Cloud | Mapping[str, Cloud]) -> list[CloudObject]:
    """Create the objects of ``exported`` in the cloud, or in the cloud of each package; returns them in its order.

    Each custom resource becomes an object, also one that is only read, and the old instance of a replacement until it is
    deleted. Components, providers, stack references, deleted instances (``pendingReplacement``), resource views and pending
    operations do not. An object has the resource's outputs, and its inputs where there is no output of that name, in plain
    text.

    Raises:
        MalformedError: a value that is not in Pulumi's format.
        UnsupportedError: a secret that only the stack's own key can decrypt.
        MockProviderError: such an object exists already.
    """
    adopted: dict[tuple[str, str], CloudObject] = {}
    for urn, type_, id_, properties in list(_objects(exported)):
        cloud = clouds.get(Urn.parse(urn).package) if isinstance(clouds, Mapping) else clouds
        if cloud is None or (type_, id_) in adopted:
            # A resource that the program both manages and reads is one object.
            continue
        if cloud.read(type_, id_) is not None:
            raise MockProviderError(
                f"{type_} {id_!r} ({urn}) exists in the cloud already. Adopt each exported stack once, into a cloud without it."
            )
        adopted[type_, id_] = cloud.create(type_, id_, properties)
    return list(adopted.values())


def remembered(exported: Exported, serves: Callable[[str], bool]) -> EngineMemory:
    """What an export remembers of the packages that are served, for an audit.

    An object is what ``adopt`` makes one of. One that is only read (``external``) counts, and one that waits for its deletion
    (``delete``) does, without its values. Raises ``MalformedError`` for a value that is not in Pulumi's format.
    """
    left_out: Counter[str] = Counter()
    objects = []
    for resource in resources(exported):
        urn = Urn.parse(resource["urn"])
        if not _is_object(resource, urn):
            continue
        if serves(urn.package):
            objects.append(_remembered(resource, urn))
        else:
            left_out[urn.package] += 1
    operations = _read(exported["deployment"].get("pending_operations") or [], list[WrittenOperation])
    cut_off = [_cut_off(operation) for operation in operations if serves(Urn.parse(operation.resource.urn).package)]
    return EngineMemory(objects, cut_off, left_out, REMEDIES)


class WrittenResource(Struct):
    """What an audit reads of an exported resource."""

    urn: str
    id: str | None = None
    inputs: dict[str, Any] | None = None
    outputs: dict[str, Any] | None = None
    delete: bool = False


class WrittenOperation(Struct):
    """An exported operation that was cut off."""

    type: str
    resource: WrittenResource


def _read(written: Any, kind: Any) -> Any:
    try:
        return convert(written, kind)
    except ValidationError as error:
        raise MalformedError(f"This is no export of a stack: {error}. Was it edited by hand? {HOW} prints one.") from error


def _remembered(resource: Mapping[str, Any], urn: Urn) -> RememberedObject:
    written = _read(resource, WrittenResource)
    inputs, outputs = (from_plain(_readable(bag or {})) for bag in (written.inputs, written.outputs))
    secrets = {name for bag in (inputs, outputs) for name, value in bag.items() if has_secret(value)}
    return RememberedObject(
        urn.type,
        written.id or "",
        reveal(outputs),
        resource=written.urn,
        inputs=reveal(inputs),
        secrets=frozenset(secrets),
        waits=written.delete,
    )


def _cut_off(operation: WrittenOperation) -> CutOff:
    resource = operation.resource
    return CutOff(operation.type, Urn.parse(resource.urn).type, resource.id or "", resource.urn)


def _readable(plain: Any) -> Any:
    """``plain`` with an unknown inside of each secret that only the stack's own key can decrypt."""
    if isinstance(plain, list):
        return [_readable(item) for item in plain]
    if not isinstance(plain, Mapping):
        return plain
    if plain.get(SIGNATURE) == SECRET and "ciphertext" in plain:
        return {SIGNATURE: SECRET, "value": SENTINELS["string"]}
    return {key: _readable(item) for key, item in plain.items()}


def _is_object(resource: Mapping[str, Any], urn: Urn) -> bool:
    absent = resource.get("pendingReplacement") or resource.get("viewOf") or not resource.get("id")
    return bool(resource.get("custom")) and not absent and urn.package != BUILTIN


def _objects(exported: Exported) -> Iterator[tuple[str, str, str, dict[str, Value]]]:
    for resource in resources(exported):
        urn = Urn.parse(resource["urn"])
        if _is_object(resource, urn):
            yield resource["urn"], urn.type, resource["id"], _properties(resource)


def _properties(resource: Mapping[str, Any]) -> dict[str, Value]:
    return {name: value for bag in _bags(resource) for name, value in reveal(bag).items() if value is not None}


def _bags(resource: Mapping[str, Any]) -> list[dict[str, Value]]:
    try:
        return [from_plain(resource.get(key) or {}) for key in ("inputs", "outputs")]
    except UnsupportedError as error:
        raise UnsupportedError(f"{resource['urn']}: {error}") from error

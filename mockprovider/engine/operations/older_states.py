"""States that older engines wrote, as the present one has them: with provider resources, and with their outputs."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Mapping

from msgspec.structs import replace

from mockprovider.engine.operation import Operation
from mockprovider.engine.providers.defaults import Requested, configured, with_plugin
from mockprovider.engine.providers.registry import without_internal
from mockprovider.pulumi.stacks.state import ResourceState, State, copied
from mockprovider.urn import PROVIDERS, Urn, reference
from mockprovider.values import Value


def migrated(state: State, operation: Operation, config: Mapping[str, Value]) -> State:
    """``state``, where what has no provider gets its package's default one, with its configuration of today.

    Providers without outputs have their inputs for these, so that a provider that learned DiffConfig since has both sides.
    """
    without = [resource for resource in state.resources if _lacks_provider(resource)]
    packages = dict.fromkeys(Urn.parse(resource.urn).package for resource in without)
    defaults = {package: _default(package, state, operation, config) for package in packages}
    resources = (_with_outputs(_with_provider(resource, defaults)) for resource in state.resources)
    return replace(state, resources=(*defaults.values(), *resources))


def _lacks_provider(resource: ResourceState) -> bool:
    return resource.custom and not resource.is_provider and not resource.provider


def _with_provider(resource: ResourceState, defaults: Mapping[str, ResourceState]) -> ResourceState:
    if not _lacks_provider(resource):
        return resource
    provider = defaults[Urn.parse(resource.urn).package]
    return copied(resource, provider=reference(provider.urn, provider.id))


def _default(package: str, state: State, operation: Operation, config: Mapping[str, Value]) -> ResourceState:
    urn = str(Urn(operation.stack, operation.project, PROVIDERS + package, "default"))
    digest = hashlib.sha256(f"{operation.seed}\0{urn}\0migrated".encode()).digest()
    inputs = with_plugin(configured(package, config), Requested(package, state.plugins.get(package, "")))
    outputs = without_internal(inputs)
    id_ = str(uuid.UUID(bytes=digest[:16], version=4))
    return ResourceState(urn=urn, type=PROVIDERS + package, custom=True, id=id_, inputs=inputs, outputs=outputs)


def _with_outputs(resource: ResourceState) -> ResourceState:
    if not resource.is_provider or resource.outputs or not resource.inputs:
        return resource
    return copied(resource, outputs=without_internal(resource.inputs))

"""Providers as resources: checked, diffed and configured like any other, and looked up by reference when a resource needs
its own.

The registry has the methods of a provider, so that the engine treats provider resources like all others.
"""

from __future__ import annotations

import hashlib
import threading
import uuid
from collections.abc import Callable, Mapping, Sequence

from mockprovider.calls import EnginePort
from mockprovider.engine.providers.builtin import PACKAGE, Builtin
from mockprovider.engine.providers.instance import CallFailedError, Instance, ProviderSource, wrong
from mockprovider.engine.providers.packages import parameterization
from mockprovider.engine.providers.resource_calls import Checked, Outcome, ResourceIdentity
from mockprovider.payloads import NamingOptions
from mockprovider.pulumi.diff import Changes, Diff, compare
from mockprovider.pulumi.stacks.extensions import Extension
from mockprovider.pulumi.stacks.state import UNKNOWN_ID, ResourceState
from mockprovider.urn import PROVIDERS, Urn, parse_reference, reference
from mockprovider.values import Bag, Value, same

INTERNAL = "__internal"
"""What only the engine may say about a provider (its name, where it comes from); never sent to it."""

Boot = Callable[[str], Instance]


class Registry:
    """The provider instances of one operation.

    Args:
        sources: where the instances of each package come from, or of all.
        engine: the way back that the instances are given.
        preview: whether the operation is a preview.
        seed: of the ids of new provider resources.
        remembered: the state's provider resources, to boot what old resources still need.
        builtin: the source of the package that the engine has built in.
        ends: whether a provider is ended by ``end``.
        extensions: those that resources may be of, by their references.
    """

    def __init__(
        self,
        sources: ProviderSource | Mapping[str, ProviderSource],
        engine: EnginePort,
        *,
        preview: bool,
        seed: int,
        remembered: Sequence[ResourceState],
        builtin: ProviderSource | None = None,
        ends: bool = False,
        extensions: Mapping[str, Extension] | None = None,
    ) -> None:
        self._extensions = {} if extensions is None else extensions
        self._ends = ends
        self._builtin = builtin or Builtin()
        self.known = True
        self.names = False
        """Provider resources have no automatic names, so none is proposed to them."""
        self._sources = sources
        self._engine = engine
        self._preview = preview
        self._seed = seed
        self._remembered = {reference(resource.urn, resource.id): resource for resource in remembered if resource.is_provider}
        self._unconfigured: dict[str, Instance] = {}
        self._instances: dict[str, Instance] = {}
        self._aliases: dict[str, str] = {}
        self._booted: list[Instance] = []
        self._lock = threading.Lock()

    # Looking up ------------------------------------------------------------------------------------------------------

    def get(self, ref: str) -> Instance | None:
        """The configured instance of a provider reference, if this operation has it."""
        with self._lock:
            return self._instances.get(ref)

    def ensure(self, ref: str, extension: str = "") -> Instance:
        """The instance of ``ref``, booted and configured from the state's inputs if need be, with the extension of that
        reference. Raises ``CallFailedError``.
        """
        instance = self.get(ref)
        if instance is None:
            state = self._remembered.get(ref)
            if state is None:
                raise wrong(f"the state has no provider {ref!r}, and the program registered none")
            instance = self.same(state.urn, state.id, state.inputs)
        return self._extended(instance, extension) if extension else instance

    def _extended(self, instance: Instance, extension: str) -> Instance:
        known = self._extensions.get(extension)
        if known is None:
            raise wrong(f"the state has no extension {extension!r}, and the program registered none")
        instance.extend(known)
        return instance

    def loaded(self, state: ResourceState) -> Instance:
        """The instance of a resource's provider, if something has needed that one already. Raises ``CallFailedError``."""
        instance = self.get(state.provider)
        if instance is None:
            raise wrong(f"unknown provider {state.provider!r} for resource {state.urn}")
        return self._extended(instance, state.extension_ref) if state.extension_ref else instance

    def alias(self, urn: str, old_urn: str) -> None:
        """Let resources of the state find the provider ``urn`` under its former name."""
        with self._lock:
            self._aliases[urn] = old_urn

    def close(self) -> None:
        """Cancel every instance, as at the end of any operation."""
        with self._lock:
            booted, self._booted = self._booted, []
            self._instances.clear()
            self._unconfigured.clear()
        for instance in booted:
            instance.cancel()

    # A provider's methods --------------------------------------------------------------------------------------------

    def check(
        self,
        urn: str,
        olds: Bag | None,
        news: Bag,
        seed: bytes,  # noqa: ARG002 - a provider's signature
        autonaming: NamingOptions | None = None,  # noqa: ARG002 - as above
    ) -> Checked:
        """Boot the provider and check its configuration. The version may be dropped by it, and not changed."""
        instance = self._boot(urn, news)
        checked = instance.check_config(urn, without_internal(olds or {}), without_internal(news))
        if checked.failures:
            return checked
        with self._lock:
            self._unconfigured[urn] = instance
        inputs = {"version": news["version"], **checked.inputs} if "version" in news else dict(checked.inputs)
        if "version" in news and not same(inputs["version"], news["version"]):
            raise wrong(f"provider {urn!r} changed its version from {news['version']!r} to {inputs['version']!r}")
        if INTERNAL in news:
            if INTERNAL in inputs:
                self._engine.log("warning", f"the provider answered the key {INTERNAL}, which is the engine's own", urn)
            inputs[INTERNAL] = news[INTERNAL]
        return Checked(inputs)

    def diff(self, of: ResourceIdentity, news: Bag) -> Diff:
        """DiffConfig; where it does not tell, the old outputs are compared with the new inputs."""
        with self._lock:
            instance = self._unconfigured.get(of.urn)
        instance = instance or self.ensure(reference(of.urn, of.id))
        inputs = without_internal(news)
        diff = instance.diff_config(of.urn, without_internal(of.old_inputs), of.old_outputs, inputs, of.ignore_changes)
        if diff.changes == Changes.UNKNOWN:
            diff = _settled(diff, compare(of.old_outputs, inputs).changes == Changes.NONE)
        return diff

    def end(self, urn: str, id_: str) -> None:
        """Let every further call for a resource of this provider fail, as over a connection that was closed.

        The real engine does so to the process of a provider that has to be replaced, also where resources still need that one.
        """
        if self._ends:
            self.ensure(reference(urn, id_)).end()

    def create(self, of: ResourceIdentity, inputs: Bag) -> Outcome:
        """Configure it under a new id: unknown in a preview, else a UUID made of seed, URN and the id that it replaces."""
        id_ = UNKNOWN_ID if self._preview else self._new_id(of)
        self._configure(of.urn, id_, inputs)
        return Outcome(id_, without_internal(inputs))

    def update(self, of: ResourceIdentity, inputs: Bag) -> Outcome:
        """Configure it anew under its id."""
        self._configure(of.urn, of.id, inputs)
        return Outcome(of.id, without_internal(inputs))

    def same(self, urn: str, id_: str, inputs: Bag) -> Instance:
        """Configure it with the inputs that it was remembered with, unless this operation has it already."""
        instance = self.get(reference(urn, id_))
        return instance or self._configure(urn, id_, inputs)

    def delete(self, of: ResourceIdentity) -> None:
        """Forget it: no RPC is made for this, and its process ends with the operation."""
        with self._lock:
            self._instances.pop(reference(of.urn, of.id), None)

    def read(self, of: ResourceIdentity, inputs: Bag | None, state: Bag | None) -> Outcome:
        """Providers are what the state says."""
        return Outcome(of.id, dict(state or {}), dict(inputs or {}))

    def diff_config(self, new_ref: str, new_inputs: Bag, old: ResourceState) -> Diff:
        """DiffConfig of the provider ``new_ref``, for a resource that used the provider ``old`` before."""
        instance = self.get(new_ref)
        if instance is None:
            raise wrong(f"the provider {new_ref!r} has not been registered")
        urn, _ = parse_reference(new_ref)
        return instance.diff_config(str(urn), without_internal(old.inputs), old.outputs, without_internal(new_inputs))

    # Booting ---------------------------------------------------------------------------------------------------------

    def _configure(self, urn: str, id_: str, inputs: Bag) -> Instance:
        with self._lock:
            instance = self._unconfigured.pop(urn, None)
        instance = instance or self._boot(urn, inputs)
        instance.configure(urn, id_, without_internal(inputs))
        with self._lock:
            for alias in (urn, self._aliases.get(urn, urn)):
                self._instances[reference(alias, id_)] = instance
        return instance

    def _boot(self, urn: str, inputs: Bag) -> Instance:
        package = Urn.parse(urn).type.removeprefix(PROVIDERS)
        parameterized = parameterization(package, inputs, inputs.get(INTERNAL) or {})
        plugin = parameterized.base if parameterized else package
        instance = Instance(package, self._source(plugin), self._engine, preview=self._preview, plugin=plugin)
        with self._lock:
            self._booted.append(instance)
        if parameterized:
            instance.parameterize(parameterized)
        return instance

    def _source(self, package: str) -> ProviderSource:
        if package == PACKAGE:
            return self._builtin
        if not isinstance(self._sources, Mapping):
            return self._sources
        if package not in self._sources:
            known = ", ".join(sorted(self._sources)) or "none"
            raise wrong(f"no provider for the package {package!r} was given to the stack; given are: {known}")
        return self._sources[package]

    def _new_id(self, of: ResourceIdentity) -> str:
        digest = hashlib.sha256(f"{self._seed}\0{of.urn}\0{of.id}".encode()).digest()
        return str(uuid.UUID(bytes=digest[:16], version=4))


def without_internal(inputs: Bag) -> dict[str, Value]:
    """``inputs`` as the provider may see them."""
    return {name: value for name, value in inputs.items() if name != INTERNAL}


def _settled(diff: Diff, unchanged: bool) -> Diff:
    return Diff(
        Changes.NONE if unchanged else Changes.SOME,
        replaces=diff.replaces,
        stables=diff.stables,
        delete_before_replace=diff.delete_before_replace,
        diffs=diff.diffs,
        detailed=diff.detailed,
        has_detailed=diff.has_detailed,
    )


__all__ = ["INTERNAL", "CallFailedError", "Registry", "without_internal"]

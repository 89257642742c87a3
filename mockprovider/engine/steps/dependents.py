"""What goes along when a resource goes: who depends on it so that a provider must replace it, or says so by ``replaceWith``."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from mockprovider.engine.providers.resource_calls import identity
from mockprovider.engine.registrations.decision import RefusedError
from mockprovider.engine.registrations.identities import Identities
from mockprovider.engine.state.graph import dependents
from mockprovider.engine.steps.kinds import Run
from mockprovider.engine.targets import Targets
from mockprovider.errors import MalformedError
from mockprovider.pulumi.diff import Changes, Diff, with_replace_on_changes
from mockprovider.pulumi.stacks.state import ResourceState
from mockprovider.values import UNKNOWN


class Dependents:
    """The dependents of remembered resources. ``deleted`` are the URNs that this run has deleted already."""

    def __init__(self, run: Run, identities: Identities, deleted: Collection[str]) -> None:
        self._run = run
        self._ledger = run.ledger
        self._identities = identities
        self._deleted = deleted

    def going_with(self, targets: Targets) -> set[str]:
        """The URNs that cannot stay if ``targets`` go: what depends on them, their children, and what is replaced with them."""
        going: set[str] = set()
        for resource in self._ledger.base:
            if targets.names(resource.urn) or not going.isdisjoint(resource.dependency_urns()):
                going.add(resource.urn)
        roots = [resource for resource in self._ledger.base if resource.urn in going]
        for root in roots:
            going.update(resource.urn for resource in self.of(root) + self.replaced_with(root.urn))
        return going

    def of(self, root: ResourceState) -> list[ResourceState]:
        """The resources to delete before ``root``: those that Diff replaces when the inputs from ``root`` are unknown."""
        replacements: list[ResourceState] = []
        origin = self._ledger.origin(root)
        # As in the real engine, a resource that is renamed as well has no dependents then.
        root = origin if origin.urn == root.urn else root
        urns = {root.urn}
        for resource in dependents(
            self._ledger.base, root, lambda urn: urn in self._identities.registered or urn in self._deleted
        ):
            if resource.custom and not resource.external and self._goes_with(resource, urns):
                replacements.append(resource)
                urns.add(resource.urn)
        return replacements

    def _goes_with(self, resource: ResourceState, urns: set[str]) -> bool:
        if resource.provider_urn in urns:
            self._run.provider(resource)
            return True
        unknown = {key for key, deps in resource.property_dependencies.items() if not urns.isdisjoint(deps)}
        if unknown.isdisjoint(resource.inputs):
            return False
        if resource.is_provider:
            self._run.registry.same(resource.urn, resource.id, resource.inputs)
        provider = self._run.manager(resource)
        inputs = {key: UNKNOWN if key in unknown else value for key, value in resource.inputs.items()}
        diff = provider.diff(identity(resource, ignore_changes=resource.ignore_changes), inputs)
        if resource.is_provider and diff.changes == Changes.SOME and diff.wants_replacement:
            self._run.registry.end(resource.urn, resource.id)
        return with_replacements(diff, resource.replace_on_changes, init_errors=False).wants_replacement

    def replaced_with(self, urn: str) -> list[ResourceState]:
        """What is still to be registered and says that it is replaced with ``urn``."""
        return [
            resource
            for resource in self._ledger.base
            if urn in resource.replace_with
            and resource.urn not in self._identities.registered
            and resource.urn not in self._deleted
        ]


def with_replacements(diff: Diff, patterns: Sequence[str], *, init_errors: bool) -> Diff:
    """``diff`` after ``replaceOnChanges``. Raises ``RefusedError`` for a pattern that is no path."""
    try:
        return with_replace_on_changes(diff, patterns, init_errors=init_errors)
    except MalformedError as error:
        raise RefusedError(f"replaceOnChanges: {error}") from error

"""What a stack remembers between operations: its state, and the ways to look at it, to carry it over and to change it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from msgspec import structs

from mockprovider.clock import Clock
from mockprovider.cloud import Cloud
from mockprovider.engine.providers.instance import ProviderSource
from mockprovider.pulumi.stacks import deployments
from mockprovider.pulumi.stacks.exporting import export_state, import_state
from mockprovider.pulumi.stacks.marking import named_urns
from mockprovider.pulumi.stacks.state import ResourceStates, State, copied
from mockprovider.values import Value

EPOCH = 946_684_800
"""The first second of 2000, from which stacks without a clock count their operations."""


class StackMemory:
    """The part of a ``Stack`` that is there between operations."""

    project: str
    name: str
    _state: State
    _provider: ProviderSource | Mapping[str, ProviderSource]
    _named: bool
    _clock: Clock | None
    _operations: int

    def _moment(self) -> str:
        """When it is, as RFC 3339 has it."""
        seconds = EPOCH + self._operations if self._clock is None else self._clock.now()
        return datetime.fromtimestamp(seconds, UTC).isoformat().replace("+00:00", "Z")

    @property
    def state(self) -> ResourceStates:
        """The resources in the state, by name or URN."""
        return ResourceStates(self._state.resources)

    @property
    def outputs(self) -> dict[str, Value]:
        """The outputs that the last operation left, secrets wrapped."""
        return next((dict(resource.outputs) for resource in self._state.resources if resource.is_stack), {})

    # State -----------------------------------------------------------------------------------------------------------

    def taint(self, *names: str) -> None:
        """``pulumi state taint``: the next up replaces these resources, by name or URN. Raises ``DefinitionError`` for
        others.
        """
        self._mark(names, taint=True)

    def untaint(self, *names: str) -> None:
        """``pulumi state untaint``: the opposite of ``taint``."""
        self._mark(names, taint=False)

    def protect(self, *names: str) -> None:
        """``pulumi state protect``: these resources are not deleted, by name or URN. Raises ``DefinitionError`` for others."""
        self._mark(names, protect=True)

    def unprotect(self, *names: str) -> None:
        """``pulumi state unprotect``: the opposite of ``protect``."""
        self._mark(names, protect=False)

    def _mark(self, names: Sequence[str], **fields: bool) -> None:
        urns = named_urns(names, self.state)
        marked = (
            copied(resource, **fields) if resource.urn in urns and not resource.delete else resource
            for resource in self._state.resources
        )
        self._state = structs.replace(self._state, resources=tuple(marked))

    def export(self, *, secrets_providers: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The state in Pulumi's deployment format, as ``pulumi stack import`` takes it, secrets in plain text.

        ``secrets_providers`` says how the importing CLI is to encrypt: the key of that name in an export of the stack that
        imports (also of an empty one). Without it a CLI cannot import a state with secrets; an imported state has its own.
        """
        return export_state(structs.replace(self._state, secrets_providers=secrets_providers or self._state.secrets_providers))

    def import_(self, deployment: Mapping[str, Any] | Path | str, *, cloud: Cloud | Mapping[str, Cloud] | None = None) -> None:
        """Continue an exported stack, under the exported names of project and stack.

        Args:
            deployment: what ``pulumi stack export --show-secrets`` printed, or the file that it was written to.
            cloud: where to create the objects of the state (``double.cloud``), or a mapping from packages to clouds; packages
                that it leaves out are left alone. ``pulumi.deployments.adopt`` says what becomes an object.

        Raises:
            MalformedError: it is no deployment, or refers to what is not in it.
            UnsupportedError: it is of a newer version, or has what this engine does not support; or its secrets are encrypted.
            MockProviderError: ``cloud`` has one of its objects already.
        """
        exported = deployments.load(deployment)
        deployments.refuse_features(exported)
        deployments.refuse_ciphertext(exported)
        state = import_state(exported)
        if cloud is not None:
            deployments.adopt(exported, cloud)
        self._state = state
        deployments.announce(exported, self._provider.values() if isinstance(self._provider, Mapping) else [self._provider])
        self._named = True
        self.project, self.name = deployments.identity(exported) or (self.project, self.name)

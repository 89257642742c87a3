"""What the program's side of a log tells about the provider's: which instance a resource has, and what is secret."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from mockprovider.pulumi.signatures import SECRET, SIGNATURE
from mockprovider.urn import PROVIDERS


class ProgramSide:
    """What programs registered, by URN.

    ``owners`` has the URN of each resource's explicit provider, empty for a default one; ``invoked`` the same of functions;
    ``secrets`` the paths of the values that the engine knows to be secret, which it may send openly to providers.
    """

    def __init__(self, monitor: Iterable[Any], runs: Iterable[Any]) -> None:
        self.owners: dict[str, str] = {}
        self.invoked: dict[str, str] = {}
        self.secrets: dict[str, set[str]] = defaultdict(set)
        runs = list(runs)
        self._has_runs = bool(runs)
        self.secret_keys = sorted({key for run in runs for key in run.request.get("configSecretKeys", ())})
        for call in monitor:
            self._note(call.rpc, call.request, call.responses[0] if call.responses else {})

    def _note(self, rpc: str, request: Mapping[str, Any], response: Mapping[str, Any]) -> None:
        owner = str(request.get("provider") or "").rpartition("::")[0]
        urn = response.get("urn")
        if rpc == "Invoke":
            self.invoked[invoked(request)] = owner
        elif isinstance(urn, str):
            self.owners[urn] = owner
            for bag in (request.get("object"), response.get("object"), response.get("properties")):
                self.secrets[urn] |= set(secret_paths(bag))

    def secret(self, urn: str, package: str) -> tuple[str, ...] | None:
        """The places of a resource or provider that hold secrets; ``None`` where the log does not tell.

        A default provider is not registered: it is configured by the stack.
        """
        keys = {key.partition(":")[2] for key in self.secret_keys if key.startswith(f"{package}:")}
        known = urn in self.owners or (self._has_runs and f"::{PROVIDERS}" in urn)
        return tuple(sorted(self.secrets.get(urn, set()) | keys)) if known or keys else None


def invoked(request: Mapping[str, Any]) -> str:
    """What the two requests for one function share: the program's and the engine's."""
    return json.dumps([request.get("tok"), request.get("args")], sort_keys=True)


def secret_paths(value: Any, path: tuple[str, ...] = ()) -> Iterator[str]:
    """The paths of the secret objects in a property bag, without indexes."""
    if isinstance(value, list):
        for item in value:
            yield from secret_paths(item, path)
    elif isinstance(value, dict) and value.get(SIGNATURE) == SECRET:
        yield ".".join(path)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from secret_paths(item, (*path, key))

"""Policy packs under the real ``pulumi``: how it is given them, and what its event log says of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mockprovider.pulumi.policies import PolicyPack, PolicyRemediation, PolicyViolation
from mockprovider.pulumi.policies.serving import as_plugins
from mockprovider.pulumi.signatures import SECRET, SIGNATURE
from mockprovider.pulumi.values import from_plain, to_plain
from mockprovider.values import UNKNOWN, Secret, Value

COLOR = re.compile(r"<\{%.*?%\}>")


@contextmanager
def policed(operation: str, policies: Sequence[PolicyPack | Path | str], folder: Path) -> Iterator[list[str]]:
    """The flags for these policies; the operations that run no program take none."""
    if operation not in ("up", "preview") or not policies:
        yield []
        return
    with as_plugins(policies, folder) as paths:
        yield [flag for path in paths for flag in ("--policy-pack", path)]


class PolicyEvents:
    """What policies found, by the events of one run."""

    def __init__(self) -> None:
        self.violations: list[PolicyViolation] = []
        self.remediations: list[PolicyRemediation] = []
        self.packs: list[tuple[str, str]] = []

    def note(self, event: Mapping[str, Any]) -> None:
        """Take notice of an event, if it is about policies."""
        if (violation := event.get("policyEvent")) is not None:
            message = COLOR.sub("", violation["message"]).removesuffix("\n")
            severity = violation.get("severity", "")
            level = violation["enforcementLevel"]
            self.violations.append(PolicyViolation(**_named(violation), level=level, message=message, severity=severity))
        elif (change := event.get("policyRemediationEvent")) is not None:
            before, after = (_bag(change.get(side, {})) for side in ("before", "after"))
            self.remediations.append(PolicyRemediation(**_named(change), before=before, after=after))
        elif (summary := event.get("summaryEvent")) is not None:
            # A pack of this machine is called by its name and its path.
            self.packs = [(name.split("|")[0], version) for name, version in (summary.get("PolicyPacks") or {}).items()]


def _bag(plain: Mapping[str, Any]) -> dict[str, Value]:
    return {name: from_plain(_legible(value)) for name, value in plain.items()}


def _legible(plain: Any) -> Any:
    """The event log encrypts secrets, and nobody has the key: what was in them is unknown."""
    if isinstance(plain, Mapping):
        sealed = "ciphertext" in plain and plain.get(SIGNATURE) == SECRET
        return to_plain(Secret(UNKNOWN)) if sealed else {name: _legible(value) for name, value in plain.items()}
    return [_legible(value) for value in plain] if isinstance(plain, list) else plain


def _named(event: Mapping[str, Any]) -> dict[str, str]:
    return {
        "policy": event["policyName"],
        "pack": event["policyPackName"],
        "version": event.get("policyPackVersion", ""),
        "urn": event.get("resourceUrn", ""),
    }

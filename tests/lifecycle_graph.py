"""The graph of resources and providers on which Pulumi's own tests try targets, deletions and replacements.

            A
   _________|_________
   B        C        D
         ___|___  ___|___
         E  F  G  H  I  J
            |__|
            K  L

A, C and D are providers. B, E and H are managed by the one above them, and the others depend on it by their property A or B.
Only A is a property whose change replaces.
"""

from __future__ import annotations

from typing import Any

from lifecycle_toolbox import A, Lifecycle, Monitor, Provider, adopt, diff, provider_urn, state, urn

from mockprovider.calls import Call, Reply
from mockprovider.pulumi.diff import Changes

NAMES = "ABCDEFGHIJKL"
PROVIDERS = "ACD"
URNS = {name: provider_urn("pkgA", name) if name in PROVIDERS else urn(A, name) for name in NAMES}
MANAGED = {"B": "A", "E": "C", "H": "D"}
DEPENDENT = {
    "C": ("A", "A"),
    "D": ("B", "A"),
    "F": ("A", "C"),
    "G": ("B", "C"),
    "I": ("A", "D"),
    "J": ("B", "D"),
    "K": ("A", "FG"),
    "L": ("B", "FG"),
}


def begin(stack: Lifecycle) -> None:
    """Let ``stack`` have it."""
    listed = []
    for id_, name in enumerate(NAMES):
        fields: dict[str, Any] = {"id": str(id_), "inputs": {}, "outputs": {}}
        if name in MANAGED:
            fields["provider"] = f"{URNS[MANAGED[name]]}::{NAMES.index(MANAGED[name])}"
        if name in DEPENDENT:
            key, above = DEPENDENT[name]
            urns = [URNS[other] for other in above]
            fields |= {"dependencies": urns, "propertyDependencies": {key: urns}, "inputs": {key: "foo"}}
        if name in "AC":
            fields["outputs"] = {"A": "foo" if name == "A" else "bar"}
        listed.append(state(URNS[name], **fields))
    adopt(stack, *listed)


def program(monitor: Monitor) -> None:
    """Register all of it, with another input for A."""
    references = {}
    for name in NAMES:
        if name in PROVIDERS:
            references[name] = monitor.provider("pkgA", name, inputs={"A": "bar"} if name == "A" else {}).reference
        else:
            fields = {"provider": references[MANAGED[name]]} if name in MANAGED else {}
            monitor.register(A, name, **fields)


def replacing(*, first: bool, providers: bool = True) -> Provider:
    """A provider for which a change of A replaces; providers that it replaces are deleted ``first``."""

    def compare(call: Call) -> Reply | None:
        changed = (call.prior or {}).get("A") != (call.inputs or {}).get("A")
        return diff("A", changes=Changes.UNKNOWN, first=first) if changed else None

    def of_resources(call: Call) -> Reply | None:
        changed = (call.prior or {}).get("A") != (call.inputs or {}).get("A")
        return diff("A", changes=Changes.UNKNOWN) if changed else None

    return Provider(**({"diff_config": compare} if providers else {}), diff=of_resources)

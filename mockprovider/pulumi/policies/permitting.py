"""Remediations and the contract: an engine sends what policies have made of the answer to Check."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from mockprovider.pulumi.policies.found import PolicyRemediation

RULE = "PULUMI-INPUTS-ARE-CHECKED"


def permit(remediations: Sequence[PolicyRemediation], sources: Iterable[Any]) -> None:
    """Where policies have changed inputs, let the doubles among ``sources`` expect others than Check answered."""
    if not remediations:
        return
    for source in sources:
        contract = getattr(source, "contract", None)
        if contract is not None and RULE not in contract.allowed:
            contract.allow(RULE, because="policies have changed what Check answered")

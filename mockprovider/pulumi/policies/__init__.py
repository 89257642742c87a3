"""Policies: what may not be in a stack, written in Python, or a policy pack as users of ``pulumi`` have it.

rules = PolicyPack("rules", [ResourcePolicy("private", private, level="mandatory", description="Buckets are private.")])
Stack(provider, policies=[rules]).up(program)
"""

from __future__ import annotations

from mockprovider.pulumi.policies.declaring import (
    PolicyPack,
    PolicyResource,
    ResourcePolicy,
    StackPolicy,
    UnknownPropertyError,
)
from mockprovider.pulumi.policies.found import PolicyRemediation, PolicyViolation

__all__ = [
    "PolicyPack",
    "PolicyRemediation",
    "PolicyResource",
    "PolicyViolation",
    "ResourcePolicy",
    "StackPolicy",
    "UnknownPropertyError",
]

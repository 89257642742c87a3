"""What a case is, and how runs begin."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from contract_stage import PulumiRun, TerraformRun

from mockprovider.values import UNKNOWN

Script: TypeAlias = Callable[[Any], None]
Cases: TypeAlias = Mapping[str, tuple[Callable[[], Any], Script, Script]]
"""By the id of a rule: how a run begins, what breaks the rule, and what keeps it."""

BAG = {"acl": "private"}
OTHER = {"acl": "public"}
URN = "urn:pulumi:dev::shop::cloud:index:Net::net"

STATE = {"acl": "private", "size": 1, "arn": "arn-1"}
PLANNED = {"acl": "private", "size": 1, "arn": UNKNOWN}
CONFIG = {"acl": "private", "size": 1}


def of_pulumi(*accepts: str) -> PulumiRun:
    """A configured instance."""
    run = PulumiRun()
    run.start(*accepts)
    return run


def of_terraform() -> TerraformRun:
    """A configured instance."""
    run = TerraformRun()
    run.start()
    return run

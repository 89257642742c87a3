"""Resources that a program hands over where their ids are meant, under the real ``pulumi`` and embedded."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from both_engines import Both
from reference_programs import SUBNET, VPC, package, program

pytestmark = pytest.mark.pulumi_cli


def test_both_engines_hand_over_the_same_id(make_both: Callable[..., Both]) -> None:
    """Preview, up, an up that changes nothing, destroy: the same calls, and the object has the network's id."""
    both = make_both(package=package)
    for operation in ("preview", "up", "up"):
        both.run(operation, program)
    for double in both.doubles:
        (vpc,), (subnet,) = double.cloud.objects(VPC), double.cloud.objects(SUBNET)
        assert (subnet["vpcId"], subnet["peers"]) == (vpc.id, [vpc.id, "other"])
    both.run("destroy")

"""Policy packs that the tests of the embedded engine and those beside the real one share."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from engine_toolbox import BUCKET

from mockprovider.pulumi.policies import PolicyPack, PolicyResource, ResourcePolicy, StackPolicy


def private(resource: PolicyResource, report: Any) -> None:
    """No public buckets."""
    if resource.type == BUCKET and resource.props.get("acl") == "public":
        report(f"{resource.name} is public")


def tagged(resource: PolicyResource, report: Any) -> None:
    """Every bucket has an owner."""
    if resource.type == BUCKET and "owner" not in (resource.props.get("tags") or {}):
        report("")


def owned(resource: PolicyResource) -> dict[str, Any] | None:
    """Gives every bucket an owner."""
    if resource.type != BUCKET:
        return None
    return {**resource.props, "tags": {**(resource.props.get("tags") or {}), "owner": "nobody"}}


def few(resources: list[PolicyResource], report: Any) -> None:
    """At most two buckets."""
    buckets = sorted((resource for resource in resources if resource.type == BUCKET), key=lambda bucket: bucket.urn)
    if len(buckets) > 2:
        report(f"{len(buckets)} buckets", buckets[-1].urn)
    for each in buckets:
        if not (each.props["arn"] and each.provider and each.provider.urn):
            report(f"{each.name} has no arn", each.urn)


def pack(levels: Iterable[str] = ("mandatory", "advisory", "advisory"), **options: Any) -> PolicyPack:
    """The three of them, with these levels."""
    first, second, third = levels
    return PolicyPack(
        "rules",
        [
            ResourcePolicy("private", private, level=first, description="Buckets are private.", severity="high"),
            ResourcePolicy("tagged", tagged, owned, level=second, description="Buckets have an owner."),
            StackPolicy("few", few, level=third, description="Few buckets."),
        ],
        version="1.2.3",
        **options,
    )

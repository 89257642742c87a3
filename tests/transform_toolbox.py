"""Programs with transforms, which the tests of the embedded engine and those beside the real one share."""

from __future__ import annotations

from typing import Any

import pulumi
from component_toolbox import SITE
from engine_toolbox import Bucket, Cloud, Component, Remote
from pulumi import ResourceOptions, ResourceTransformArgs, ResourceTransformResult


def adding(mark: str, **options: Any) -> Any:
    """A transform that writes its mark behind those in ``acl``, and sets options."""

    def transform(args: ResourceTransformArgs) -> ResourceTransformResult:
        opts = ResourceOptions.merge(args.opts, ResourceOptions(**options))
        before = args.props.get("acl")
        if args.type_.endswith(":Bucket") and not isinstance(before, dict):
            # The SDK's second transform of a secret gets it as the dictionary that it is on the wire.
            args.props["acl"] = pulumi.Output.from_input(before).apply(lambda acl: (acl or "") + mark)
        return ResourceTransformResult(args.props, opts)

    return transform


def nested() -> None:
    """A resource's own transform, its component's, that component's parent's, and two of the stack."""
    pulumi.runtime.register_resource_transform(adding("4"))
    pulumi.runtime.register_resource_transform(adding("5"))
    outer = Component("outer", ResourceOptions(transforms=[adding("3")]))
    inner = Component("inner", ResourceOptions(parent=outer, transforms=[adding("2")]))
    Bucket("deep", ResourceOptions(parent=inner, transforms=[adding("0"), adding("1")]), acl="x")
    Bucket("secret", ResourceOptions(parent=outer), acl=pulumi.Output.secret("s"))
    Bucket("bare")


def options() -> None:
    """A transform that changes every option, of a resource that has a transform of its own, and of one that has none."""
    base = Bucket("base")
    other = Bucket("other", acl=base.arn)
    mine = Cloud("mine", region="eu")

    def change(args: ResourceTransformArgs) -> ResourceTransformResult | None:
        if not args.name.startswith("changed"):
            return None
        opts = ResourceOptions.merge(
            args.opts,
            ResourceOptions(
                depends_on=[other],
                ignore_changes=["tags"],
                replace_on_changes=["name"],
                custom_timeouts=pulumi.CustomTimeouts(create="5m", update="1h", delete="10s"),
                delete_before_replace=True,
                additional_secret_outputs=["arn"],
                retain_on_delete=True,
                deleted_with=base,
                provider=mine,
                aliases=[pulumi.Alias(name="former")],
            ),
        )
        args.props["source"] = base.arn
        return ResourceTransformResult(args.props, opts)

    pulumi.runtime.register_resource_transform(change)
    Bucket("changed", acl="a")
    Bucket("changed-own", ResourceOptions(transforms=[change]), acl=other.arn)


def inheriting() -> None:
    """A transform that takes away what a child inherits, and looks at what it is told."""
    seen: list[tuple[str, Any, Any]] = []

    def free(args: ResourceTransformArgs) -> ResourceTransformResult | None:
        if not args.custom:
            return None
        seen.append((args.name, args.opts.retain_on_delete, args.opts.provider is not None))
        opts = ResourceOptions(parent=args.opts.parent, provider=args.opts.provider)
        return ResourceTransformResult(args.props, opts)

    mine = Cloud("mine", region="eu")
    parent = Component("parent", ResourceOptions(retain_on_delete=True, providers=[mine]))
    pulumi.runtime.register_resource_transform(free)
    both = [Bucket("child", ResourceOptions(parent=parent)), Bucket("alone")]
    pulumi.export("seen", pulumi.Output.all(*[bucket.id for bucket in both]).apply(lambda _: sorted(seen)))


def constructed() -> None:
    """A component that its provider makes, with a transform of its own and one of the stack."""
    pulumi.runtime.register_resource_transform(adding("2"))
    site = Remote(SITE, "site", ResourceOptions(transforms=[adding("1")]), domain="a.org", arn=None)
    pulumi.export("arn", site.arn)


def invoking(region: str = "eu") -> None:
    """Transforms of functions: the second sees what the first has changed."""

    def first(args: pulumi.InvokeTransformArgs) -> pulumi.InvokeTransformResult:
        args.args["region"] += "-1"
        return pulumi.InvokeTransformResult(args.args, args.opts)

    def second(args: pulumi.InvokeTransformArgs) -> pulumi.InvokeTransformResult:
        opts = pulumi.InvokeOptions(provider=mine)
        return pulumi.InvokeTransformResult({"region": args.args["region"] + "-2"}, opts)

    def third(_: pulumi.InvokeTransformArgs) -> None:
        return None

    mine = Cloud("mine", region="eu")
    for each in (first, second, third):
        pulumi.runtime.register_invoke_transform(each)
    zone = pulumi.runtime.invoke_output("cloud:index:getZone", {"region": region})
    Bucket("b", name=zone.apply(lambda found: found["zone"]))

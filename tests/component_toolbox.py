"""Components of the fake that the tests of both engines share, and a program with them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pulumi
from engine_toolbox import BUCKET, TYPES, Bucket, Cloud, Remote

from mockprovider.schema import Child, Component, Method, Package, Property

SITE = "cloud:index:Site"
HUSH = "correct horse battery staple"


def package() -> Package:
    """Buckets, and a site that is made of two of them and can describe itself."""
    made = Package("cloud", config={"region": Property(str), "token": Property(str)})
    made.add(
        *TYPES,
        Component(
            SITE,
            {"domain": Property(str, required=True), "token": Property(str)},
            {
                "arn": Property(str, computed="{logs.arn}"),
                "url": Property(str, computed="https://{domain}/"),
                "token": Property(str),
            },
            children={
                "logs": Child(BUCKET, {"name": "{domain}-logs", "token": "{token}"}),
                "more": Child(BUCKET, {"source": "{logs.arn}"}),
            },
        ),
        Method(f"{SITE}/describe", {"greeting": str}, {"text": "{greeting} {self.url}"}),
    )
    return made


def program(wanted: Mapping[str, Any]) -> None:
    """Sites with explicit and default providers, options, secrets, dependencies and methods; ``wanted`` has a ``domain``."""
    base = Bucket("base", name="base")
    mine = Cloud("mine", region="eu")
    secret = pulumi.Output.secret(HUSH)
    options = pulumi.ResourceOptions(depends_on=[base])
    first = Remote(SITE, "first", options, domain=wanted["domain"], token=secret, arn=None, url=None)
    second = Remote(SITE, "second", pulumi.ResourceOptions(providers=[mine]), domain=base.arn, url=None)
    Remote(SITE, "third", pulumi.ResourceOptions(parent=second, retain_on_delete=True), domain=second.url)
    pulumi.export("arn", first.arn)
    pulumi.export("text", described(first, "hello"))
    pulumi.export("more", described(second, base.arn))


def described(site: Remote, greeting: Any) -> Any:
    """What a site's method says."""
    told = pulumi.runtime.call(f"{SITE}/describe", {"__self__": site, "greeting": greeting}, site)
    return told.apply(lambda found: found["text"])

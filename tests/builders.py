"""What the tests of the core build again and again: a bucket type, sessions and calls."""

from __future__ import annotations

from typing import Any

from mockprovider.calls import Call, Op, Reply, Session
from mockprovider.cloud import Cloud
from mockprovider.fake import Fake
from mockprovider.schema import Function, Package, Property, ResourceType

TOKEN = "cloud:index:Bucket"
URN = "urn:pulumi:dev::shop::cloud:index:Bucket::logs"

BUCKET = ResourceType(
    TOKEN,
    {
        "acl": Property(str, default="private"),
        "name": Property(str, forces_new=True),
        "arn": Property(str, computed="arn:cloud:::{id}"),
    },
)


def call(op: Op | str, type_: str = TOKEN, **given: Any) -> Call:
    """A call of ``op`` in a session of its own, unless one is given."""
    given.setdefault("session", Session("pulumi"))
    return Call(op=Op(op), type=type_, **given)


def package(*definitions: ResourceType | Function, name: str = "cloud", **given: Any) -> Package:
    """A package of these definitions."""
    made = Package(name, **given)
    made.add(*definitions)
    return made


def fake(*definitions: ResourceType | Function, strict: bool = False, seed: int = 0, **given: Any) -> tuple[Fake, Cloud]:
    """A fake that serves these definitions in one package, and the cloud that it keeps its objects in."""
    cloud = Cloud(seed=seed)
    return Fake({"cloud": package(*definitions, **given)}, cloud, strict=strict), cloud


def answer(*_: Any, **fields: Any) -> Any:
    """A provider that answers every call the same."""
    return lambda _: Reply(**fields)

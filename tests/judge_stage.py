"""A provider that notes what reaches it, in the place of a real one: its own calls over gRPC, and meddled with at will."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from mockprovider.calls import Call, Failure, Handler, Op, Reply, Status
from mockprovider.double import Double, attached, from_plugin
from mockprovider.offers import Ephemeral, ProviderFunction
from mockprovider.schema import Function, Package, Property, ResourceType
from mockprovider.terraform.traits import ResourceTraits

BUCKET = ResourceType(
    "cloud:index:Bucket",
    {
        "name": Property(str, forces_new=True),
        "acl": Property(str, enum=("private", "public"), default="private"),
        "arn": Property(str, computed="arn:{id}"),
        "size": Property(int, computed=True, optional=True),
        "createdAt": Property(str, computed=True),
    },
    traits=[ResourceTraits(version=1, upgrades={0: lambda old: {"acl": "public", **old}})],
    moved_from=("cloud_pail",),
)
TOKEN = Ephemeral("cloud:index:Token", {}, {"secret": "s"}, renew_after=30)
ZONE = Function("cloud:index:getZone", {"region": str}, {"zone": "z"})
DOUBLE = ProviderFunction("cloud:index:twice", {"text": str}, implementation=lambda text: text * 2)
SECRET = "sesame-open"
CONFIG = {"region": Property(str), "token": Property(str, secret=True), "apiKey": Property(str)}
UNAVAILABLE = Status(14, "error reading from server: EOF")


class RealProvider:
    """Not the fake: ``reached`` are the methods that came here, ``configured`` what it was configured with."""

    def __init__(self, major: int) -> None:
        self.reached: list[str] = []
        self.configured: list[dict[str, Any]] = []
        self.answers: dict[Op, Callable[[Call], Reply | None]] = {}
        package = Package("cloud", config=dict(CONFIG))
        package.add(BUCKET, TOKEN, ZONE, DOUBLE)
        self.double = Double(package, layers=(self._note,))
        self.serving = self.double.serve("terraform", major=major)
        self.major = major

    def _note(self, call: Call, proceed: Handler) -> Reply:
        self.reached.append(call.method)
        if call.op is Op.CONFIGURE:
            self.configured.append(dict(call.inputs or {}))
        answer = self.answers.get(call.op, lambda _: None)(call)
        return answer or proceed(call)

    def package(self, **options: Any) -> Package:
        """The package that has its judgement."""
        return from_plugin(attached(self.serving.address, "terraform", name="cloud", major=self.major), **options)

    def refuses(self, op: Op, reason: str) -> None:
        """From now on it answers ``op`` with an error."""
        self.answers[op] = lambda _: Reply(failures=(Failure(reason),))

    def ends(self, op: Op, status: Status = UNAVAILABLE) -> None:
        """From now on calls of ``op`` end in a status."""
        self.answers[op] = lambda _: Reply(status=status)


@contextmanager
def real_provider(major: int = 6) -> Iterator[RealProvider]:
    """One that is served for as long as the block lasts."""
    provider = RealProvider(major)
    try:
        yield provider
    finally:
        provider.double.close()

"""What the tests of the core build again and again: a bucket type, sessions and calls."""

from __future__ import annotations

from typing import Any

from mockprovider.calls import Call, Op, Reply, Session
from mockprovider.clock import StillClock
from mockprovider.cloud import Cloud, CloudObject, Store
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


def bucket(*behaviours: Any, **properties: Any) -> ResourceType:
    """A bucket type of the tests' own, with these behaviours and further properties."""
    return ResourceType(TOKEN, {"acl": str, **properties}, behaviours=behaviours)


class Played:
    """A fake of some types, its cloud and its clock."""

    def __init__(self, *declared: ResourceType, store: Store | None = None) -> None:
        self.cloud, self.clock = Cloud(store), StillClock()
        self.serve = Fake({"cloud": package(*declared)}, self.cloud, clock=self.clock)

    def ask(self, op: Op, type_: str = TOKEN, **given: Any) -> Reply:
        """The reply to a call."""
        return self.serve(call(op, type_, **given))

    def create(self, type_: str = TOKEN, **inputs: Any) -> Reply:
        """The reply to a create with these inputs."""
        return self.ask(Op.CREATE, type_, inputs=inputs)

    @property
    def there(self) -> CloudObject:
        """The only object."""
        [found] = self.cloud.objects()
        return found


class Port:
    """An engine that is told things."""

    def __init__(self) -> None:
        self.told: list[tuple[str, str, str]] = []

    def log(self, severity: str, message: str, urn: str = "") -> None:
        """Be told."""
        self.told.append((severity, message, urn))


def type_of(**properties: Any) -> ResourceType:
    """A resource type with these properties."""
    return ResourceType(TOKEN, properties)


def reasons(reply: Reply) -> list[tuple[str, str, str | None]]:
    """What went wrong, each as path, reason and status."""
    return [(each.path, each.reason, each.status) for each in reply.failures]


def told(reply: Reply) -> tuple[str, str | None]:
    """The reason and the status of the one thing that went wrong."""
    [(_, reason, status)] = reasons(reply)
    return reason, status


def answer(*_: Any, **fields: Any) -> Any:
    """A provider that answers every call the same."""
    return lambda _: Reply(**fields)

"""What the tests of the embedded engine share: resource types, program resources without an SDK of their own, failing
providers.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pulumi
import pytest

from mockprovider.calls import Call, Failure, Handler, Op, Reply
from mockprovider.double import Double
from mockprovider.drivers.pulumi import PulumiCli
from mockprovider.engine import Result, Stack
from mockprovider.engine.threads import Work
from mockprovider.pulumi.result import Diagnostic
from mockprovider.schema import Function, Package, Property, ResourceType
from mockprovider.wire.owned import OwnedProcess

BUCKET = "cloud:index:Bucket"
NET = "cloud:index:Net"
HEIR = "cloud:storage:Bucket"
SUMMING_UP = (Diagnostic("error", "update failed"), Diagnostic("error", "preview failed"))
"""What an engine says last, once a step has failed."""
TYPES = (
    ResourceType(
        BUCKET,
        {
            "acl": Property(str, default="private"),
            "source": Property(str),
            "file": Property("asset"),
            "tags": Property(dict[str, str]),
            "name": Property(str, forces_new=True),
            "token": Property(str, secret=True),
            "arn": Property(str, computed="arn:cloud:::{id}"),
        },
    ),
    ResourceType(
        NET,
        {"cidr": Property(str, forces_new=True), "peer": Property(str, forces_new=True), "label": Property(str)},
        delete_before_replace=True,
    ),
    Function("cloud:index:getZone", {"region": Property(str)}, {"zone": "zone-{region}"}),
)


class Thing(pulumi.CustomResource):
    """Any custom resource: a type token, a name and properties; ``arn=None`` makes an output of that name readable."""

    def __init__(self, token_: str, name_: str, opts: pulumi.ResourceOptions | None = None, **properties: Any) -> None:
        super().__init__(token_, name_, properties, opts)


class Bucket(Thing):
    """A ``cloud:index:Bucket`` whose ``arn`` can be read."""

    of_type = BUCKET
    arn: pulumi.Output[str]

    def __init__(self, name_: str, opts: pulumi.ResourceOptions | None = None, **properties: Any) -> None:
        super().__init__(self.of_type, name_, opts, **{"arn": None, **properties})


class Heir(Bucket):
    """A ``cloud:storage:Bucket``, which may have been a ``Bucket``."""

    of_type = HEIR


class Existing(pulumi.CustomResource):
    """A bucket that is only read."""

    acl: pulumi.Output[str]
    arn: pulumi.Output[str]

    def __init__(self, name_: str, id_: str) -> None:
        super().__init__(BUCKET, name_, {"acl": None, "arn": None}, pulumi.ResourceOptions(id=id_))


class Component(pulumi.ComponentResource):
    """A local component."""

    of_type = "my:index:Component"

    def __init__(self, name_: str, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__(self.of_type, name_, {}, opts)


class Group(Component):
    """A local component of another type."""

    of_type = "my:index:Group"


class Remote(pulumi.ComponentResource):
    """A component that its provider constructs; ``arn=None`` makes an output of that name readable."""

    path: pulumi.Output[str]
    sha256: pulumi.Output[str]
    arn: pulumi.Output[str]
    url: pulumi.Output[str]

    def __init__(self, token_: str, name_: str, opts: pulumi.ResourceOptions | None = None, **inputs: Any) -> None:
        super().__init__(token_, name_, inputs, opts, remote=True)


def with_options(wanted: Mapping[str, str]) -> tuple[Component, Bucket]:
    """Resources with the options that change what is asked of a provider, or what is remembered: one option each.

    What changes with them is the ``acl`` and ``name`` that are wanted. Returns a component and one that others may go with.
    """
    component = Component("c")
    child = Bucket("child", pulumi.ResourceOptions(parent=component), acl="x")
    component.register_outputs({"arn": child.arn})
    Bucket("ignoring", pulumi.ResourceOptions(ignore_changes=["acl"]), acl=wanted["acl"])
    Bucket("replacing", pulumi.ResourceOptions(replace_on_changes=["acl"]), acl=wanted["acl"])
    Bucket("deleting", pulumi.ResourceOptions(delete_before_replace=True), name=wanted["name"])
    Bucket("hiding", pulumi.ResourceOptions(additional_secret_outputs=["arn"]), acl=wanted["acl"])
    timeouts = pulumi.CustomTimeouts(create="5m", update="1h30m", delete="10s")
    Bucket("slow", pulumi.ResourceOptions(custom_timeouts=timeouts), acl=wanted["acl"])
    Bucket("kept", pulumi.ResourceOptions(retain_on_delete=True), acl="x")
    owner = Bucket("owner", name=wanted["name"])
    Bucket("belonging", pulumi.ResourceOptions(deleted_with=owner), acl="x")
    return component, owner


def one_by_one(resources: Callable[[], Iterator[pulumi.Resource]]) -> Callable[[], None]:
    """A program that registers each resource that it yields once the one before is there, so that its order is one alone."""

    def program() -> None:
        remaining = resources()

        def go_on(*_: Any) -> None:
            resource = next(remaining, None)
            if resource is not None:
                resource.urn.apply(go_on)

        go_on()

    return program


class Cloud(pulumi.ProviderResource):
    """An explicit provider of the package ``cloud``."""

    def __init__(self, name_: str, opts: pulumi.ResourceOptions | None = None, **config: Any) -> None:
        super().__init__("cloud", name_, config, opts)


class Breaking:
    """A layer that lets single calls go wrong, once each, and takes part in a double's handler."""

    def __init__(self) -> None:
        self._planned: list[tuple[Op, str, Callable[[Call, Handler], Reply]]] = []
        self._lock = threading.Lock()

    def fail(self, op: Op, name: str, status: str = "internal") -> None:
        """Let the next call of ``op`` for the resource called ``name`` fail with ``status`` before anything happens."""
        self.replace(op, name, lambda *_: Reply(failures=(Failure(f"no {op.value} of {name}", status=status),)))

    def replace(self, op: Op, name: str, answer: Callable[[Call, Handler], Reply]) -> None:
        """Let ``answer`` answer the next call of ``op`` for the resource (or function) called ``name``."""
        self._planned.append((op, name, answer))

    def __call__(self, call: Call, proceed: Handler) -> Reply:
        with self._lock:
            found = next((each for each in self._planned if each[0] is call.op and each[1] in (call.name, call.type)), None)
            if found and not call.preview:
                self._planned.remove(found)
            elif found:
                found = None
        return found[2](call, proceed) if found else proceed(call)


def make(*, config: dict[str, Any] | None = None, provider_config: dict[str, Property] | None = None, **options: Any) -> Any:
    """A stack, its double and its ``Breaking`` layer."""
    breaking = Breaking()
    package = Package("cloud", config=provider_config or {})
    package.add(*TYPES)
    double = Double(package, layers=(breaking,))
    return Stack(double, config=config, **options), double, breaking


def cli_of(double: Double, folder: Path, environment: Mapping[str, str] | None = None) -> PulumiCli:
    """The real ``pulumi`` in ``folder``, attached to ``double``, whose faults may interrupt and kill it."""
    served = double.serve("pulumi")
    return PulumiCli(folder, lambda: {**served.environment, **(environment or {})}, doubles=[double])


def begun_up(cli: PulumiCli, stdout: int) -> OwnedProcess:
    """An update that runs beside the test, for what happens to an engine in mid-run. Use it in a ``with``, and end it there."""
    command = [cli.binary, "up", "--yes", "--skip-preview", "--non-interactive", "--stack", cli.stack]
    return OwnedProcess(command, cwd=cli.folder, env=cli.environment, stdout=stdout, text=True)


def engine_of(engine: str, double: Double, folder: Path) -> Stack | PulumiCli:
    """One of the two engines by name: ``embedded``, or the real ``pulumi`` in ``folder``."""
    return Stack(double) if engine == "embedded" else cli_of(double, folder)


def said(result: Result) -> list[tuple[str, str]]:
    """What a user was told: severity and message of each diagnostic."""
    return [(diagnostic.severity, diagnostic.message) for diagnostic in result.diagnostics]


def calls(double: Double, name: str) -> list[str]:
    """The ops of the calls for the resource called ``name``, and forget everything that was called so far."""
    found = double.journal.ops(name=name)
    double.journal.clear()
    return found


MOMENT = 0.001
"""The ``timeout`` of an operation whose time is up when a test says so."""


@contextmanager
def time_is_up_when(reached: Callable[[], Any]) -> Iterator[None]:
    """An operation whose ``timeout`` is ``MOMENT`` has so much time, and all until ``reached``, however busy the machine is."""
    wait = Work.wait

    def waiting(self: Work[Any], seconds: float, unless: threading.Event | None = None) -> bool:
        if seconds == MOMENT:
            for _ in range(6000):
                if reached() or wait(self, 0.01, unless):
                    break
        return wait(self, seconds, unless)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Work, "wait", waiting)
        yield

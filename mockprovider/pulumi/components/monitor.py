"""A provider's client of the engine's resource monitor, over any way back (``Call.monitor``)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field

from mockprovider.calls import Call, Op, Reply
from mockprovider.errors import UnsupportedError
from mockprovider.values import UNKNOWN, Bag, Output, ResourceReference, Secret, Unknown, Value, children, map_value

ACCEPTED: Mapping[str, Any] = {
    "acceptSecrets": True,
    "acceptResources": True,
    "accepts_byte_string": True,
    "supportsPartialValues": True,
    "aliasSpecs": True,
}
"""The kinds that this side accepts in answers, by the protocol's field names."""


class EngineRefusedError(Exception):
    """The engine refused a provider's request; ``reply`` has the reason, with which the provider's own call fails."""

    def __init__(self, reply: Reply) -> None:
        status = reply.status.message if reply.status else ""
        super().__init__(status or "; ".join(failure.reason for failure in reply.failures))
        self.reply = reply


class Registered(Struct, frozen=True):
    """A registered resource, as the engine answered.

    ``id`` is ``None`` for components and unknown in the preview of a new resource; ``outputs`` are its properties. In a
    preview, missing ones are unknown.
    """

    urn: str
    id: str | Unknown | None = None
    outputs: Bag = field(default_factory=dict)
    preview: bool = False

    def __getitem__(self, name: str) -> Value:
        """A property. Raises ``KeyError`` if there is none, except in a preview, where it is unknown."""
        if name in ("urn", "id"):
            return getattr(self, name)
        if self.preview:
            return self.outputs.get(name, UNKNOWN)
        return self.outputs[name]

    @property
    def reference(self) -> Output:
        """The resource itself, as a component shows it."""
        return Output(ResourceReference(self.urn, self.id), dependencies=(self.urn,))

    def output(self, name: str) -> Output:
        """A property with its dependency, so that values made from it depend on this resource."""
        return Output(self[name], dependencies=(self.urn,))


class Monitor:
    """A provider's requests to the engine during one Construct or Call.

    ``call`` is that Construct or Call. Raises ``UnsupportedError`` if it has no way back; each method raises
    ``EngineRefusedError`` if the engine refuses the request.
    """

    def __init__(self, call: Call) -> None:
        if call.monitor is None:
            raise UnsupportedError(f"{call} brought no way back to an engine: set 'monitor', or 'monitorEndpoint' in 'extra'.")
        self._call = call
        self._handler = call.monitor
        self.preview = bool(call.preview or call.extra.get("dryRun"))

    def register_resource(  # the protocol's words
        self,
        type: str,  # noqa: A002
        name: str,
        inputs: Bag,
        *,
        parent: str = "",
        custom: bool = True,
        remote: bool = False,
        **options: Any,
    ) -> Registered:
        """Register a resource and wait for it. ``options`` are further fields of ``RegisterResourceRequest``."""
        bag, dependencies = settled(inputs)
        urns = {*options.pop("dependencies", ()), *(urn for sources in dependencies.values() for urn in sources)}
        by_property = {**dict.fromkeys(bag, ()), **options.pop("propertyDependencies", {}), **dependencies}
        extra = {**ACCEPTED, "parent": parent, "custom": custom, "remote": remote, **options}
        extra |= {"dependencies": tuple(sorted(urns)), "propertyDependencies": by_property}
        ignored = tuple(extra.pop("ignoreChanges", ()))
        words: dict[str, Any] = {"type": type, "name": name, "inputs": bag, "ignore_changes": ignored}
        reply = self._ask(Op.REGISTER, "RegisterResource", extra=extra, **words)
        id_ = (reply.id or (UNKNOWN if self.preview else "")) if custom else None
        return Registered(str(reply.extra.get("urn", "")), id_, reply.value or {}, self.preview)

    def register_resource_outputs(self, urn: str, outputs: Bag) -> None:
        """Register a component's outputs. After that, it gets no more children."""
        self._ask(Op.REGISTER_OUTPUTS, "RegisterResourceOutputs", urn=urn, inputs=settled(outputs)[0])

    def read_resource(self, type: str, name: str, id: str, inputs: Bag | None = None, **options: Any) -> Registered:  # noqa: A002
        """Read a resource that exists already, by id. ``options`` are further fields of ``ReadResourceRequest``."""
        extra = {**{key: ACCEPTED[key] for key in ("acceptSecrets", "acceptResources")}, **options}
        reply = self._ask(Op.READ, "ReadResource", type=type, name=name, id=id, inputs=settled(inputs or {})[0], extra=extra)
        return Registered(str(reply.extra.get("urn", "")), id, reply.value or {}, self.preview)

    def invoke(self, token: str, arguments: Bag, **options: Any) -> Bag:
        """Call a function of any provider. ``options`` are further fields of ``ResourceInvokeRequest``."""
        extra = {"acceptResources": True, **options}
        return self._ask(Op.INVOKE, "Invoke", type=token, inputs=settled(arguments)[0], extra=extra).value or {}

    def call(self, token: str, arguments: Bag, **options: Any) -> Bag:
        """Call a method; the receiver is the argument ``__self__``. ``options`` are fields of ``ResourceCallRequest``."""
        bag, dependencies = settled(arguments)
        extra = {"argDependencies": dependencies, **options}
        return self._ask(Op.CALL, "Call", type=token, inputs=bag, extra=extra).value or {}

    def get_resource(self, urn: str) -> Registered:
        """The engine's state of a resource of this run: this resolves a resource reference."""
        resource = self.invoke("pulumi:pulumi:getResource", {"urn": urn})
        id_ = resource.get("id")
        return Registered(urn, (UNKNOWN if id_ == "" and self.preview else id_), resource.get("state") or {}, self.preview)

    def supports_feature(self, name: str) -> bool:
        """Whether the engine's monitor has a feature, by its id (``secrets``, ``resourceReferences``, ...)."""
        return bool(self._ask(Op.ENGINE, "SupportsFeature", id=name).extra.get("hasSupport"))

    def _ask(self, op: Op, method: str, **fields: Any) -> Reply:
        reply = self._handler(Call(op=op, session=self._call.session, method=method, **fields))
        if not reply.ok:
            raise EngineRefusedError(reply)
        return reply


def settled(bag: Bag) -> tuple[dict[str, Value], dict[str, tuple[str, ...]]]:
    """``bag`` without output values, and its dependencies: ``(values, urns by property)``.

    All monitors accept dependencies in fields of their own, but not all accept output values.
    """
    values: dict[str, Value] = {}
    dependencies: dict[str, tuple[str, ...]] = {}
    for name, value in bag.items():
        values[name] = map_value(value, _plain)
        if urns := urns_of(value):
            dependencies[name] = tuple(sorted(urns))
    return values, dependencies


def urns_of(value: Value) -> set[str]:
    """The URNs that the output values in ``value`` depend on."""
    urns = set(value.dependencies) if isinstance(value, Output) else set()
    return urns.union(*map(urns_of, children(value)))


def _plain(value: Value) -> Value:
    if isinstance(value, Output):
        return Secret(value.value) if value.secret else value.value
    return value

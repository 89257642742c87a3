"""Remote components and methods: the provider is asked, and may ask the engine back while it answers (Construct, Call)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from mockprovider.calls import Handler, Op, Reply
from mockprovider.engine.deployment import Deployment
from mockprovider.engine.goal import Goal
from mockprovider.engine.outgoing import outgoing
from mockprovider.pulumi.assets import with_hashes
from mockprovider.pulumi.components.room import SELF
from mockprovider.pulumi.resource_options import CONSTRUCT
from mockprovider.pulumi.values import decode
from mockprovider.urn import PROVIDERS, Urn, reference
from mockprovider.values import Archive, Asset, ResourceReference, Value, map_value


class Context(Struct, frozen=True, kw_only=True):
    """What Construct and Call are told of the operation."""

    organization: str
    config: Mapping[str, str]
    secret_keys: tuple[str, ...]


class RemoteComponents:
    """Asks providers for components and methods. ``monitor`` is the way back that they are given."""

    def __init__(self, deployment: Deployment, monitor: Handler, context: Context) -> None:
        self._deployment = deployment
        self._monitor = monitor
        self._context = context

    def construct(self, request: Any, goal: Goal) -> Reply:
        """Have the component of a ``RegisterResourceRequest`` constructed. Raises ``StoppedError`` where it fails.

        Where the provider's configuration is not known yet, the component is registered as it is, without children.
        """
        goal = self._deployment.family.heir(goal)
        with self._deployment.blaming(goal):
            instance = self._deployment.instance(goal)
            if instance.known:
                bag = _inputs(decode(request.object), instance.accepts)
                extra = {**self._common(), **self._own(), **_options(request, goal)}
                return instance.ask_back(Op.CONSTRUCT, self._monitor, type=goal.type, name=goal.name, inputs=bag, extra=extra)
        state = self._deployment.register(replace(goal, custom=False, remote=False, provider=""))
        return Reply(value={}, extra={"urn": state.urn})

    def call(self, request: Any, goal: Goal) -> Reply:
        """Call the method of a ``ResourceCallRequest``; failures of single arguments are in the reply.

        Raises ``StoppedError`` or ``CallFailedError``.
        """
        arguments = decode(request.args)
        own = arguments.get(SELF)
        if goal.type.startswith(PROVIDERS) and isinstance(own, ResourceReference):
            # A provider's own method is answered by that provider, and by no other of its package.
            goal = replace(goal, provider=reference(own.urn, str(own.id)))
        instance = self._deployment.instance(goal)
        dependencies = {key: tuple(sources.urns) for key, sources in request.argDependencies.items()}
        bag = _inputs(arguments, instance.accepts)
        extra = {**self._common(), "argDependencies": dependencies}
        return instance.ask_back(Op.CALL, self._monitor, type=goal.type, inputs=bag, extra=extra)

    def _common(self) -> dict[str, Any]:
        operation = self._deployment.operation
        return {
            "project": operation.project,
            "stack": operation.stack,
            **({"config": dict(self._context.config)} if self._context.config else {}),
            **({"dryRun": True} if operation.preview else {}),
            "parallel": self._deployment.parallel,
            "accepts_output_values": True,
        }

    def _own(self) -> dict[str, Any]:
        # The real engine leaves these out of Call (reference 2.14).
        keys = {"configSecretKeys": self._context.secret_keys} if self._context.secret_keys else {}
        return {"organization": self._context.organization, **keys}


def _inputs(bag: Mapping[str, Value], accepts: frozenset[str]) -> dict[str, Value]:
    """What Construct and Call are sent: secrets and references always, output values where they are accepted."""
    if "outputs" not in accepts:
        bag = outgoing(bag, accepts | {"secrets", "resources"})
    return {name: map_value(value, _completed) for name, value in bag.items()}


def _completed(value: Value) -> Value:
    """The value as the engine sends it: resource references with name and type, assets with their hashes."""
    if isinstance(value, ResourceReference):
        urn = Urn.parse(value.urn)
        return replace(value, name=urn.name, type=urn.type)
    if isinstance(value, Archive) and value.assets:
        return with_hashes(replace(value, assets={name: _completed(asset) for name, asset in value.assets.items()}))
    return with_hashes(value) if isinstance(value, (Asset, Archive)) else value


def _options(request: Any, goal: Goal) -> dict[str, Any]:
    """The options of a component's own registration by their names in Construct: its goal's, and messages as they came."""
    messages = {descriptor.name: value for descriptor, value in request.ListFields()}
    options: dict[str, Any] = {"inputDependencies": goal.property_dependencies}
    for option in CONSTRUCT:
        if option.shape != "own":
            value = getattr(goal, option.name)
            if value or value is False:
                options[option.construct] = value
        elif option.wire in messages:
            value = messages[option.wire]
            options[option.construct] = tuple(value) if isinstance(value, Sequence) else value
    if request.HasField("hooks") and request.hooks.ByteSize():
        options["resource_hooks"] = request.hooks
    return options

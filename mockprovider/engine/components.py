"""Remote components and methods: the provider is asked, and may ask the engine back while it answers (Construct, Call)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from mockprovider.calls import Handler, Op, Reply
from mockprovider.engine.deployment import Deployment
from mockprovider.engine.goal import Goal
from mockprovider.engine.outgoing import outgoing
from mockprovider.pulumi.assets import with_hashes
from mockprovider.pulumi.components.room import SELF
from mockprovider.pulumi.values import decode
from mockprovider.urn import PROVIDERS, Urn, reference
from mockprovider.values import Archive, Asset, ResourceReference, Value, map_value

SINGLE = ("protect", "retainOnDelete", "replacement_trigger", "customTimeouts")
LISTS = ("additionalSecretOutputs", "replaceOnChanges", "aliases", "replace_with", "dependencies", "ignoreChanges")
"""The options of a registration that Construct has under the same names; lists of those that were not given are empty."""


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
                extra = {**self._common(), **self._own(), **_options(request), **_inherited(goal)}
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


def _inherited(goal: Goal) -> dict[str, Any]:
    options = {
        "protect": goal.protect,
        "retainOnDelete": goal.retain_on_delete,
        "deletedWith": goal.deleted_with or None,
        "providers": goal.providers or None,
    }
    return {name: value for name, value in options.items() if value is not None}


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


def _options(request: Any) -> dict[str, Any]:
    options = {name: getattr(request, name) for name in SINGLE if request.HasField(name)}
    options |= {name: tuple(getattr(request, name)) for name in LISTS if getattr(request, name)}
    single = {"parent": request.parent, "deletedWith": request.deletedWith, "providers": dict(request.providers)}
    options |= {name: value for name, value in single.items() if value}
    options["inputDependencies"] = {key: tuple(sources.urns) for key, sources in request.propertyDependencies.items()}
    if request.deleteBeforeReplaceDefined:
        options["deleteBeforeReplace"] = request.deleteBeforeReplace
    if request.HasField("hooks") and request.hooks.ByteSize():
        options["resource_hooks"] = request.hooks
    return options

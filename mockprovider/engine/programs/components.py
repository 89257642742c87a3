"""Remote components and methods: the provider is asked, and may ask the engine back while it answers (Construct, Call)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from mockprovider.calls import Handler, Op, Reply
from mockprovider.engine.operations.deployment import Deployment
from mockprovider.engine.outcomes import StoppedError
from mockprovider.engine.programs.requests import inward
from mockprovider.engine.providers.instance import CallFailedError
from mockprovider.engine.providers.outgoing import outgoing
from mockprovider.engine.registrations.decision import RefusedError
from mockprovider.engine.registrations.goal import Goal
from mockprovider.engine.registrations.ignoring import parsed
from mockprovider.engine.registrations.wording import show
from mockprovider.engine.threads import SLICE, Work
from mockprovider.paths import get, has
from mockprovider.pulumi.assets import with_hashes
from mockprovider.pulumi.components.room import SELF
from mockprovider.pulumi.stacks.resource_options import CONSTRUCT
from mockprovider.pulumi.values import decode
from mockprovider.urn import PROVIDERS, Urn, reference
from mockprovider.values import UNKNOWN, Archive, Asset, Bag, Output, ResourceReference, Secret, Unknown, Value, map_value

GRACE = 0.5
"""Seconds that a Construct has to end once the operation has failed."""


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
                fields = {"type": goal.type, "name": goal.name, "inputs": bag, "extra": extra}
                try:
                    reply = self._unless_stopped(lambda: instance.ask_back(Op.CONSTRUCT, self._monitor, **fields))
                except CallFailedError as error:
                    # As in the real engine, what was not constructed has no URN.
                    if not self._deployment.stopped:
                        self._deployment.fail(RefusedError(_refusal(goal, error, bag)))
                    raise StoppedError(str(error)) from error
                depended_on = _extended(reply.extra.get("stateDependencies", {}), reply.value or {})
                return replace(reply, native=None, extra={**reply.extra, "stateDependencies": depended_on})
        state = self._deployment.register(replace(goal, custom=False, remote=False, provider=""))
        return Reply(value={}, extra={"urn": state.urn})

    def _unless_stopped(self, ask: Callable[[], Reply]) -> Reply:
        """What ``ask`` answers. Raises ``StoppedError`` where the operation has failed meanwhile and no answer comes."""
        work = Work(ask).start()
        try:
            while not work.wait(SLICE):
                if self._deployment.stopped and not work.wait(GRACE):
                    raise StoppedError("the operation has failed while a component was under construction")
        except BaseException:
            work.stop()
            raise
        return work.result()

    def call(self, request: Any, goal: Goal) -> Reply:
        """Call the method of a ``ResourceCallRequest``; failures of single arguments are in the reply.

        Raises ``StoppedError`` or ``CallFailedError``.
        """
        arguments = decode(request.args)
        provider = self._receiver(goal, request.args.fields.get(SELF))
        instance = self._deployment.instance(replace(goal, provider=provider))
        dependencies = _extended({key: tuple(sources.urns) for key, sources in request.argDependencies.items()}, arguments)
        bag = _inputs(arguments, instance.accepts)
        extra = {**self._common(), "argDependencies": dependencies}
        reply = instance.ask_back(Op.CALL, self._monitor, type=goal.type, inputs=bag, extra=extra)
        returned = _extended(reply.extra.get("returnDependencies", {}), reply.value or {})
        return replace(reply, native=None, extra={**reply.extra, "returnDependencies": returned})

    def _receiver(self, goal: Goal, own: Any) -> str:
        """The provider that answers a method: a provider itself its own, else the one asked for, or the receiver's."""
        itself = goal.type.startswith(PROVIDERS)
        if own is None:
            if itself:
                raise RefusedError(f"the method {goal.type!r} of a provider was called without a receiver ({SELF!r})")
            return goal.provider
        fields = {key: value.string_value for key, value in own.struct_value.fields.items()}
        if itself:
            missing = [key for key in ("urn", "id") if key not in fields]
            if missing:
                raise RefusedError(f"the receiver of {goal.type!r} has no {missing[0]!r}")
            return reference(fields["urn"], fields["id"])
        if goal.provider:
            return goal.provider
        if "urn" not in fields:
            raise RefusedError(f"the receiver of {goal.type!r} has no 'urn'")
        try:
            return self._deployment.family.provider_of(fields["urn"])
        except KeyError:
            raise RefusedError(
                f"the receiver of {goal.type!r} is {fields['urn']!r}, which is no resource of this run"
            ) from None

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
    return {name: map_value(value, _as_output) for name, value in bag.items()}


def _as_output(value: Value) -> Value:
    """Where output values are accepted, secrets and unknowns are output values, too."""
    if isinstance(value, Secret):
        return Output(value.value, secret=True)
    if isinstance(value, Unknown):
        return Output()
    if isinstance(value, Output) and value.value == Output():
        return replace(value, value=UNKNOWN)
    return _completed(value)


def _extended(dependencies: Mapping[str, Sequence[str]], bag: Mapping[str, Value]) -> dict[str, tuple[str, ...]]:
    """``dependencies`` by property, with those that are inside of output values."""
    inside: dict[str, tuple[str, ...]] = {}
    inward(bag, depends=inside)
    keys = dict.fromkeys([*dependencies, *bag])
    return {key: tuple(dict.fromkeys([*dependencies.get(key, ()), *inside.get(key, ())])) for key in keys}


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


def _refusal(goal: Goal, error: CallFailedError, inputs: Bag) -> str:
    """What the real engine says where a component is not constructed, with what the provider has against which input."""
    lines = [f"{goal.type} resource '{goal.name}' has a problem: {error}"]
    # A failure with a status fails the call as a whole.
    for failure in (failure for failure in error.reply.failures if failure.status is None):
        path = parsed(failure.path)
        value = f" with value '{show(get(inputs, path))}'" if has(inputs, path) else ""
        lines.append(f"\t\t- property {failure.path}{value} has a problem: {failure.reason}")
    return "\n".join(lines)

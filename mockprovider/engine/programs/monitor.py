"""``pulumirpc.ResourceMonitor`` and ``pulumirpc.Engine`` over a deployment: what a program's SDK talks to, in process or
over a socket.

Methods take the SDK's own messages and answer with them; what fails is raised as a ``grpc.RpcError`` with a code and
details, which is what an SDK's stub would raise. Import this module late: it imports the ``pulumi`` package, which takes
half a second.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import grpc
from google.protobuf import empty_pb2
from google.protobuf.message_factory import GetMessageClass
from msgspec.structs import replace
from pulumi.runtime.proto import resource_pb2_grpc

from mockprovider.engine.hooks.occasions import Hook
from mockprovider.engine.operations.deployment import GET_RESOURCE, UNRESOLVED, Deployment
from mockprovider.engine.outcomes import Fate, StoppedError
from mockprovider.engine.programs.callbacks import Callbacks
from mockprovider.engine.programs.components import Context, RemoteComponents
from mockprovider.engine.programs.nodejs import spelled_anew
from mockprovider.engine.programs.requests import calling, invocation, inward, reading, registration
from mockprovider.engine.programs.transforms import Transforms
from mockprovider.engine.providers.instance import CallFailedError
from mockprovider.engine.providers.outgoing import named
from mockprovider.engine.providers.packages import Packages
from mockprovider.engine.registrations.decision import RefusedError
from mockprovider.engine.registrations.goal import Goal
from mockprovider.errors import MockProviderError, UnsupportedError
from mockprovider.pulumi.monitor import in_process
from mockprovider.pulumi.sdk import engine_pb2, provider_pb2, resource_pb2
from mockprovider.pulumi.stacks.state import ResourceState
from mockprovider.pulumi.values import EVERYTHING, decode, encode
from mockprovider.values import Value, has_unknown

NAMES: Mapping[Fate, str] = {Fate.FAILED: "FAIL", Fate.SKIPPED: "SKIP"}
"""The program's words for what went wrong."""
SEVERITIES = {number: name.lower() for name, number in engine_pb2.LogSeverity.items()}
FEATURES = (
    "SECRETS",
    "RESOURCE_REFERENCES",
    "OUTPUT_VALUES",
    "ALIAS_SPECS",
    "REPLACEMENT_TRIGGER",
    "DELETED_WITH",
    "REPLACE_WITH",
    "BYTE_STRING",
    "INVOKE_DEPENDS_ON",
    "INVOKE_PARENT",
    "TRANSFORMS",
    "INVOKE_TRANSFORMS",
    "PARAMETERIZATION",
    "RESOURCE_HOOKS",
    "ERROR_HOOKS",
    "SENDS_OPTIONS_TO_HOOKS",
)
PLAIN = EVERYTHING - {"outputs"}
TEXTS = PLAIN - {"byte_strings"}
"""What an SDK accepts that knows no byte strings."""
ONLY_NUMBERED = frozenset({"BYTE_STRING", "INVOKE_DEPENDS_ON", "INVOKE_PARENT"})
"""Features that came after those that are asked for by an id."""
INVOKED = GetMessageClass(resource_pb2.DESCRIPTOR.services_by_name["ResourceMonitor"].methods_by_name["Invoke"].output_type)
"""Invoke's answer, which has one name in older SDKs and another in newer ones."""


class MonitorError(grpc.RpcError):
    """A failed RPC, with the two methods that SDKs call on such an error."""

    def __init__(self, code: grpc.StatusCode, details: str) -> None:
        super().__init__(details)
        self._code = code
        self._details = details

    def code(self) -> grpc.StatusCode:
        """The status code."""
        return self._code

    def details(self) -> str:
        """The message."""
        return self._details

    def trailing_metadata(self) -> Any:
        """Nothing more."""
        return ()


SHUT_DOWN = "resource monitor shut down"
"""What a program is told once the operation has failed. That it says so itself tells nobody anything."""


def gone(error: StoppedError) -> MonitorError:
    """The monitor has shut down. SDKs then end the program silently."""
    return MonitorError(grpc.StatusCode.UNAVAILABLE, f"{SHUT_DOWN}: {error}")


Stub: Any = resource_pb2_grpc.ResourceMonitorStub


class EngineMonitor(Stub):  # type: ignore[misc] # how a stub declares its methods depends on the SDK's version
    """The resource monitor of one deployment. Thread-safe, as SDKs call from many threads.

    It is a stub's subclass only because older SDKs accept callbacks (transforms, hooks) for nothing else. Relative paths of
    assets are below ``directory``.
    """

    def __init__(
        self,
        deployment: Deployment,
        config: Mapping[str, str],
        secret_keys: frozenset[str],
        organization: str,
        directory: str = ".",
    ) -> None:
        self._deployment = deployment
        self._directory = directory
        self._config = dict(config)
        self._secret_keys = sorted(secret_keys)
        self._organization = organization
        context = Context(organization=organization, config=self._config, secret_keys=tuple(self._secret_keys))
        self._packages = Packages(deployment.ledger.extensions)
        self.callbacks = Callbacks(lambda: deployment.called_off)
        """The way to functions of the program."""
        self._transforms = Transforms(self.callbacks, deployment.family, directory)
        self._components = RemoteComponents(deployment, in_process(self), context)

    # Resources -------------------------------------------------------------------------------------------------------

    def RegisterResource(self, request: Any, metadata: Sequence[tuple[str, str]] = ()) -> Any:  # noqa: N802 - the RPC's name
        """Register a resource. ``metadata`` is the call's, by which SDKs for Node.js are known."""
        request = spelled_anew(request, metadata)
        if not (request.transforms or self._transforms.in_use):
            return self._answered(request, self._goal(registration, request))
        changed, own = self._answer(self._transforms.registered, request)
        goal = self._goal(registration, changed)
        goal.transformed = changed is not request
        answer = self._answered(changed, goal)
        self._transforms.note(answer.urn, own)
        return answer

    def _answered(self, request: Any, goal: Goal) -> Any:
        if goal.remote:
            return self._constructed(request, goal)
        state = self._registered(goal)
        outputs = state.outputs if request.custom else {}
        fate = self._deployment.fate(state.urn)
        if fate in NAMES and not getattr(request, "supportsResultReporting", False):
            raise MonitorError(grpc.StatusCode.INTERNAL, "resource registration failed")
        answer: Any = resource_pb2.RegisterResourceResponse(
            urn=state.urn, id=state.id, object=_sent(_for(outputs, request), _accepted(request)), result=_result(fate)
        )
        if "unknown" in answer.DESCRIPTOR.fields_by_name:
            answer.unknown = fate is Fate.LEFT_OUT
        return answer

    def _constructed(self, request: Any, goal: Goal) -> Any:
        try:
            reply = self.callbacks.attended(lambda: self._components.construct(request, goal))
        except StoppedError as error:
            raise gone(error) from error
        answer = resource_pb2.RegisterResourceResponse(
            urn=str(reply.extra.get("urn", "")), object=_sent(_for(reply.value or {}, request), _accepted(request))
        )
        for name, urns in reply.extra.get("stateDependencies", {}).items():
            answer.propertyDependencies[name].urns.extend(urns)
        return answer

    def ReadResource(self, request: Any) -> Any:  # noqa: N802 - the RPC's name
        """Read a resource that exists already."""
        state = self._registered(self._goal(reading, request))
        properties = _sent(_for(state.outputs, request), _accepted(request))
        answer: Any = resource_pb2.ReadResourceResponse(urn=state.urn, properties=properties)
        if "id" in answer.DESCRIPTOR.fields_by_name:
            answer.id = state.id
        return answer

    def _goal(self, read_goal: Callable[[Any, str], Goal], request: Any) -> Goal:
        goal = self._packaged(request, self._answer(lambda asked: read_goal(asked, self._directory), request))
        if goal.mistake:
            self._answer(self._deployment.refuse, goal)
        return goal

    def _packaged(self, request: Any, goal: Goal) -> Goal:
        goal_: Goal = self._answer(lambda wanted: self._packages.applied(request.packageRef, wanted), goal)
        return goal_

    def _registered(self, goal: Goal) -> ResourceState:
        try:
            return self._deployment.register(goal)
        except StoppedError as error:
            raise gone(error) from error

    def RegisterResourceOutputs(self, request: Any) -> Any:  # noqa: N802 - the RPC's name
        """Note the outputs of a component or of the stack."""
        try:
            self._deployment.register_outputs(request.urn, inward(decode(request.outputs), self._directory))
        except StoppedError as error:
            raise gone(error) from error
        return empty_pb2.Empty()

    def ExistsResource(self, _: Any) -> Any:  # noqa: N802 - the RPC's name
        """Not yet."""
        raise self._refused("asking whether a resource exists")

    # Functions -------------------------------------------------------------------------------------------------------

    def Invoke(self, request: Any) -> Any:  # noqa: N802 - the RPC's name
        """Call a function of a provider."""
        if self._transforms.in_use:
            request = self._answer(self._transforms.invoked, request)
        goal = self._answer(lambda asked: invocation(asked, self._directory), request)
        reply = self._answer(self._deployment.invoke, self._packaged(request, goal))
        message: Any = INVOKED()
        if reply is UNRESOLVED:
            message.unknown = True
            return message
        getattr(message, "return").CopyFrom(_sent(reply.value or {}, _accepted_of(request)))
        for failure in reply.failures:
            message.failures.add(property=failure.path, reason=failure.reason)
        return message

    def Call(self, request: Any) -> Any:  # noqa: N802 - the RPC's name
        """Call a method of a resource."""
        wanted = self._packaged(request, self._answer(calling, request))
        reply = self.callbacks.attended(lambda: self._answer(lambda goal: self._components.call(request, goal), wanted))
        message = provider_pb2.CallResponse()
        getattr(message, "return").CopyFrom(_sent(reply.value or {}, PLAIN if _takes_bytes(request) else TEXTS))
        for name, urns in reply.extra.get("returnDependencies", {}).items():
            message.returnDependencies[name].urns.extend(urns)
        for failure in reply.failures:
            message.failures.add(property=failure.path, reason=failure.reason)
        return message

    # Around it -------------------------------------------------------------------------------------------------------

    def GetDeploymentInfo(self, _: Any) -> Any:  # noqa: N802 - the RPC's name
        """What is being deployed, and this monitor's features. Older SDKs lack the RPC and its messages."""
        messages: Any = resource_pb2
        known = {
            name.removeprefix("RESOURCE_MONITOR_FEATURE_"): number for name, number in messages.ResourceMonitorFeature.items()
        }
        operation = self._deployment.operation
        return messages.DeploymentInfo(
            project=operation.project,
            stack=operation.stack,
            organization=self._organization,
            config=self._config,
            configSecretKeys=self._secret_keys,
            dryRun=operation.preview,
            parallel=1,
            supportedFeatures=[known[name] for name in FEATURES if name in known],
        )

    def SupportsFeature(self, request: Any) -> Any:  # noqa: N802 - the RPC's name
        """Whether this monitor has a feature, as older SDKs ask for it."""
        name = "".join(f"_{letter}" if letter.isupper() else letter.upper() for letter in request.id)
        return resource_pb2.SupportsFeatureResponse(hasSupport=name in FEATURES and name not in ONLY_NUMBERED)

    def SignalAndWaitForShutdown(self, _: Any) -> Any:  # noqa: N802 - the RPC's name
        """The program registers nothing more. If it has hooks, it waits here for the deletions, which may call them; else
        leftovers are deleted once it has ended.
        """
        if self._deployment.hooks:
            self._deployment.wind_up()
        return empty_pb2.Empty()

    def RegisterPackage(self, request: Any) -> Any:  # noqa: N802 - the RPC's name
        """Register a package, parameterized or not, and answer the reference by which requests name it."""
        return resource_pb2.RegisterPackageResponse(ref=self._answer(self._packages.register, request))

    def RegisterStackTransform(self, request: Any) -> Any:  # noqa: N802 - the RPC's name
        """Have a function of the program change all that is registered from now on."""
        self._answer(self._transforms.add, request)
        return empty_pb2.Empty()

    def RegisterStackInvokeTransform(self, request: Any) -> Any:  # noqa: N802 - the RPC's name
        """Have a function of the program change all that is invoked from now on."""
        self._answer(lambda callback: self._transforms.add(callback, invokes=True), request)
        return empty_pb2.Empty()

    def RegisterResourceHook(self, request: Any) -> Any:  # noqa: N802 - the RPC's name
        """Register a function to call before or after steps of the resources that name it."""
        hook = replace(self._hook(request), on_dry_run=request.on_dry_run, ignore_errors=request.ignore_errors)
        self._answer(self._deployment.hooks.register, hook)
        return empty_pb2.Empty()

    def RegisterErrorHook(self, request: Any) -> Any:  # noqa: N802 - the RPC's name
        """Register a function to ask for another attempt where the provider fails."""
        self._answer(lambda hook: self._deployment.hooks.register(hook, on_error=True), self._hook(request))
        return empty_pb2.Empty()

    def _hook(self, request: Any) -> Hook:
        accepts = EVERYTHING if getattr(request.callback, "accepts_byte_string", False) else EVERYTHING - {"byte_strings"}
        return Hook(request.name, partial(self.callbacks.call, request.callback), accepts)

    def _refused(self, what: str) -> MonitorError:
        return self._told(
            UnsupportedError(f"This version of the embedded engine does not support {what} yet; the pulumi CLI does.")
        )

    def _told(self, error: Exception) -> MonitorError:
        code = grpc.StatusCode.UNKNOWN
        if isinstance(error, MockProviderError):
            # The test gets our own errors, even if the program catches them.
            self._deployment.fail(error)
            code = grpc.StatusCode.UNIMPLEMENTED if isinstance(error, UnsupportedError) else code
        return MonitorError(code, str(error))

    def _answer(self, handler: Any, request: Any) -> Any:
        try:
            return handler(request)
        except StoppedError as error:
            raise gone(error) from error
        except (CallFailedError, RefusedError, MockProviderError) as error:
            raise self._told(error) from error


class Engine:
    """``pulumirpc.Engine``: what programs and their SDKs log. Debug lines are dropped, there are a dozen for each resource."""

    def __init__(self, deployment: Deployment) -> None:
        self._deployment = deployment
        self._root = ""
        self.errors: list[str] = []
        """What was logged as an error, in order: some programs say nothing else of why they failed."""

    def Log(self, request: Any) -> Any:  # noqa: N802 - the RPC's name
        """Show a message to the user."""
        if request.severity == engine_pb2.ERROR:
            self.errors.append(request.message)
        if request.severity != engine_pb2.DEBUG:
            self._deployment.log(SEVERITIES.get(request.severity, "info"), request.message, request.urn)
        return empty_pb2.Empty()

    def GetRootResource(self, _: Any) -> Any:  # noqa: N802 - the RPC's name
        """The root stack's URN, once it was set."""
        return engine_pb2.GetRootResourceResponse(urn=self._root)

    def SetRootResource(self, request: Any) -> Any:  # noqa: N802 - the RPC's name
        """Note the root stack's URN."""
        self._root = request.urn
        return engine_pb2.SetRootResourceResponse()

    def StartDebugging(self, _: Any) -> Any:  # noqa: N802 - the RPC's name
        """Nothing: the embedded engine starts no debugger."""
        return empty_pb2.Empty()

    def RequirePulumiVersion(self, _: Any) -> Any:  # noqa: N802 - the RPC's name
        """Accepts every requirement: the embedded engine is no version of the CLI."""
        return engine_pb2.RequirePulumiVersionResponse()


# To messages -----------------------------------------------------------------------------------------------------------


def _result(fate: Fate) -> Any:
    """The program's word for ``fate``. Newer SDKs know no skipping, only failing."""
    values = resource_pb2.Result.DESCRIPTOR.values_by_name
    name = NAMES.get(fate, "SUCCESS")
    return values[name if name in values else "FAIL"].number


def _for(outputs: Mapping[str, Value], request: Any) -> Mapping[str, Value]:
    # Current SDKs accept partly known values; older ones get only values without unknowns.
    if getattr(request, "supportsPartialValues", True):
        return outputs
    return {name: value for name, value in outputs.items() if not has_unknown(value)}


def _sent(bag: Mapping[str, Value], accepted: frozenset[str]) -> Any:
    return encode(named(bag), accepted)


def _accepted(request: Any) -> frozenset[str]:
    refused = {"outputs"}
    if not request.acceptSecrets:
        refused.add("secrets")
    if not request.acceptResources:
        refused.add("resources")
    if not _takes_bytes(request):
        refused.add("byte_strings")
    return EVERYTHING - refused


def _accepted_of(request: Any) -> frozenset[str]:
    """What the caller of a function accepts. Older SDKs ask for a resource without saying that they accept references."""
    accepts = PLAIN if _takes_bytes(request) else TEXTS
    return accepts if request.acceptResources or request.tok == GET_RESOURCE else accepts - {"resources"}


def _takes_bytes(request: Any) -> bool:
    return bool(getattr(request, "accepts_byte_string", False))

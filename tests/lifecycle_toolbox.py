"""What the tests that tell Pulumi's own engine tests anew share: a provider that answers as a handler says, and programs that
speak to the monitor without an SDK.

A program here is a function of a ``Monitor``. It sends the requests of the protocol itself, so it says what no SDK would, and
there is no stack resource unless it registers one.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import grpc
from engine_toolbox import SUMMING_UP
from pulumi.runtime.proto import resource_pb2

from mockprovider.calls import Call, Failure, Native, Op, Reply, Session
from mockprovider.engine import Result, Stack
from mockprovider.engine.programs.inline import Ended, Environment
from mockprovider.engine.programs.ready import Ready
from mockprovider.pulumi.diff import Changes, Diff
from mockprovider.pulumi.protocol import PULUMI
from mockprovider.pulumi.values import decode, encode, encode_value
from mockprovider.urn import Urn
from mockprovider.values import UNKNOWN

A = "pkgA:m:typA"
B = "pkgB:m:typB"
COMPONENT = "my:component:resource"
NONE, SOME = Diff(Changes.NONE), Diff(Changes.SOME)
EVERYTHING = {"accept_secrets": True, "accept_resources": True, "accept_outputs": True, "accepts_byte_string": True}


def urn(type_: str, name: str, parent: str = "") -> str:
    """The URN of a resource of the tests' stack; ``parent`` is the qualified type above it."""
    return str(Urn("dev", "project", f"{parent}${type_}" if parent else type_, name))


def provider_urn(package: str, name: str = "default") -> str:
    """The URN of a provider resource."""
    return urn(f"pulumi:providers:{package}", name)


def diff(*replaces: str, changes: int = Changes.SOME, first: bool = False, keys: Sequence[str] = ()) -> Reply:
    """An answer to Diff: what it ``replaces``, and whether the old object is to be deleted ``first``."""
    answer = Diff(changes, replaces=replaces, delete_before_replace=first, diffs=tuple(keys))
    return Reply(extra={"diff": answer})


def failing(reason: str = "failed", **fields: Any) -> Reply:
    """An RPC that fails; with ``id`` and ``value`` there is an object all the same."""
    return Reply(failures=(Failure(reason, status="unknown"),), **fields)


class Provider:
    """A source of provider instances that answer as simply as can be, and as handlers say: one for each op, by its name.

    Without a handler inputs pass Check unchanged, Diff does not know, Create makes an object without outputs, Update has the
    inputs for outputs, and Read answers what it was told. ``calls`` are all calls, in their order.
    """

    def __init__(self, **handlers: Callable[[Call], Reply | None]) -> None:
        self.calls: list[Call] = []
        self.handlers = handlers
        self._lock = threading.Lock()
        self._sessions = self._made = 0

    def open(self, protocol: Any = PULUMI, *, package: str = "", engine: Any = None) -> Session:
        """A connection to an instance."""
        with self._lock:
            self._sessions += 1
        session = Session(protocol, self._sessions, engine=engine)
        session.schema = package
        return session

    def __call__(self, call: Call) -> Reply:
        """Answer a call; a handler that answers ``None`` leaves it to the default."""
        with self._lock:
            self.calls.append(call)
        handler = self.handlers.get(call.op.value)
        answer = handler(call) if handler else None
        return self._default(call) if answer is None else answer

    def _default(self, call: Call) -> Reply:
        if call.op is Op.HANDSHAKE:
            return Reply(extra=EVERYTHING)
        if call.op in (Op.CHECK, Op.CHECK_CONFIG):
            return Reply(inputs=call.inputs)
        if call.op is Op.CREATE:
            return Reply(id="" if call.preview else self.new_id(call), value={})
        if call.op is Op.UPDATE:
            return Reply(id=call.id, value=call.inputs)
        if call.op is Op.READ:
            return Reply(id=call.id, value=call.prior or {}, inputs=call.prior_inputs or {})
        return Reply(value={}) if call.op in (Op.INVOKE, Op.CALL) else Reply()

    def new_id(self, call: Call) -> str:
        """An id that no other object has."""
        with self._lock:
            self._made += 1
            return hashlib.sha256(f"{call.urn} {self._made}".encode()).hexdigest()[:8]

    def ops(self, name: str = "", *, forget: bool = True) -> list[str]:
        """The ops of the calls for the resource called ``name``, or of all about resources; then they are forgotten."""
        resources = (Op.CHECK, Op.DIFF, Op.CREATE, Op.READ, Op.UPDATE, Op.DELETE)
        found = [call.op.value for call in self.calls if (call.name == name if name else call.op in resources)]
        if forget:
            self.calls.clear()
        return found

    def of(self, op: Op | str, name: str = "") -> list[Call]:
        """The calls of one op, of the resource called ``name`` or of all."""
        return [call for call in self.calls if call.op == op and name in ("", call.name)]


def echoing(**handlers: Callable[[Call], Reply | None]) -> Provider:
    """A provider whose objects have their inputs for outputs."""
    provider = Provider(**handlers)

    def create(call: Call) -> Reply:
        return Reply(id="" if call.preview else provider.new_id(call), value=call.inputs)

    provider.handlers.setdefault("create", create)
    return provider


class Registered:
    """The answer to a registration, a read or a call of a function."""

    def __init__(self, answer: Any, bag: Any) -> None:
        self.answer = answer
        self.urn = str(getattr(answer, "urn", ""))
        self.id = str(getattr(answer, "id", ""))
        self.outputs = decode(bag)
        self.result = int(getattr(answer, "result", 0))
        self.unknown = bool(getattr(answer, "unknown", False))

    @property
    def reference(self) -> str:
        """The reference of a provider; one without an id, in a preview, is unknown."""
        return f"{self.urn}::{self.id or UNKNOWN_ID}"


UNKNOWN_ID = encode_value(UNKNOWN).string_value
"""How an unknown is written."""
DEFAULTS = {
    "acceptSecrets": True,
    "acceptResources": True,
    "accepts_byte_string": True,
    "supportsPartialValues": True,
    "supportsResultReporting": True,
    "aliasSpecs": True,
}


class Monitor:
    """The monitor, as a program without an SDK speaks to it. Failed requests raise ``grpc.RpcError``."""

    def __init__(self, raw: Any, preview: bool) -> None:
        self.raw = raw
        self.preview = preview

    def register(self, type_: str, name: str, custom: bool = True, *, inputs: Any = None, **fields: Any) -> Registered:
        """Register a resource. ``fields`` are those of the request; ``inputs``, ``trigger`` and ``depends_by`` are Python."""
        options, by = {**DEFAULTS, **fields}, fields.get("depends_by", {})
        trigger, metadata, specs = (options.pop(key, None) for key in ("trigger", "metadata", "alias_specs"))
        options.pop("depends_by", None)
        if options.get("deleteBeforeReplace") is not None:
            options["deleteBeforeReplaceDefined"] = True
        request = resource_pb2.RegisterResourceRequest(
            type=type_, name=name, custom=custom, object=encode(inputs or {}), **options
        )
        for key, urns in by.items():
            request.propertyDependencies[key].urns.extend(urns)
        if trigger is not None:
            request.replacement_trigger.CopyFrom(encode_value(trigger))
        for spec in specs or ():
            alias = request.aliases.add()
            alias.spec.SetInParent()
            for key, value in spec.items():
                setattr(alias.spec, key, value)
        answer = self.raw.RegisterResource(request, **({"metadata": metadata} if metadata else {}))
        return Registered(answer, answer.object)

    def provider(self, package: str, name: str, **fields: Any) -> Registered:
        """Register an explicit provider."""
        return self.register(f"pulumi:providers:{package}", name, **fields)

    def component(self, type_: str, name: str, **fields: Any) -> Registered:
        """Register a component of the program."""
        return self.register(type_, name, custom=False, **fields)

    def outputs(self, urn_: str, **outputs: Any) -> None:
        """Register the outputs of a component."""
        self.raw.RegisterResourceOutputs(resource_pb2.RegisterResourceOutputsRequest(urn=urn_, outputs=encode(outputs)))

    def read(self, type_: str, name: str, id_: str, *, inputs: Any = None, **fields: Any) -> Registered:
        """Read a resource."""
        options = {"acceptSecrets": True, "acceptResources": True, "accepts_byte_string": True, **fields}
        request = resource_pb2.ReadResourceRequest(type=type_, name=name, id=id_, properties=encode(inputs or {}), **options)
        answer = self.raw.ReadResource(request)
        return Registered(answer, answer.properties)

    def invoke(self, token: str, args: Any = None, **fields: Any) -> Registered:
        """Call a function."""
        request = resource_pb2.ResourceInvokeRequest(tok=token, args=encode(args or {}), **fields)
        answer = self.raw.Invoke(request)
        return Registered(answer, getattr(answer, "return"))

    def call(
        self, token: str, args: Any = None, *, depends_by: Mapping[str, Sequence[str]] | None = None, **fields: Any
    ) -> Registered:
        """Call a method."""
        request = resource_pb2.ResourceCallRequest(tok=token, args=encode(args or {}), **fields)
        for key, urns in (depends_by or {}).items():
            request.argDependencies[key].urns.extend(urns)
        answer = self.raw.Call(request)
        return Registered(answer, getattr(answer, "return"))

    def package(self, **fields: Any) -> str:
        """Register a package; its reference."""
        return str(self.raw.RegisterPackage(resource_pb2.RegisterPackageRequest(**fields)).ref)


class _Back:
    """The RPCs of the engine's monitor, over the way back that a call brought."""

    def __init__(self, call: Call) -> None:
        self._call = call

    def __getattr__(self, method: str) -> Callable[[Any], Any]:
        def ask(request: Any) -> Any:
            native = Native(request.SerializeToString(), request)
            assert self._call.monitor is not None
            answer = self._call.monitor(Call(op=Op.ENGINE, session=self._call.session, method=method, native=native))
            if answer.native is None:
                raise RefusedError(answer.status.message if answer.status else str(answer.failures))
            return answer.native.message

        return ask


class RefusedError(Exception):
    """The engine refused what a provider asked of it."""


def way_back(call: Call) -> Monitor:
    """The monitor of the engine that asked for a component or a method."""
    return Monitor(_Back(call), bool(call.extra.get("dryRun")))


Raw = Callable[[Monitor], Any]


class Lifecycle(Stack):
    """A stack whose programs speak to the monitor themselves."""

    def _ready(self, program: Any, *_: Any) -> Ready:
        def run(environment: Environment) -> Ended:
            try:
                program(Monitor(environment.monitor, environment.preview))
            except grpc.RpcError as error:
                return Ended(error, quiet=error.code() is grpc.StatusCode.UNAVAILABLE)
            except Exception as error:  # noqa: BLE001 - a program may raise anything, and the test is told of it
                return Ended(error, trace=repr(error))
            return Ended()

        return Ready(run)


def alone(*types: str) -> Raw:
    """A program with one resource of each of ``types``, called resA, resB and so on."""

    def program(monitor: Monitor) -> None:
        for letter, type_ in zip("ABCDEFGH", types, strict=False):
            monitor.register(type_, f"res{letter}")

    return program


def steps(result: Result, *, providers: bool = False) -> list[tuple[str, str]]:
    """The ops and names of a run's steps, without those of providers unless asked for."""
    return [
        (op, Urn.parse(urn_).name) for op, urn_ in result.steps if providers or not Urn.parse(urn_).type.startswith("pulumi:")
    ]


def names(result: Result) -> list[str]:
    """The names of what is in the state, in its order, providers left out."""
    return [state.name for state in result.state.every if not state.is_provider]


def errors(result: Result) -> str:
    """What the user was told went wrong, without the last error, which sums up."""
    return "\n".join(line.message for line in result.diagnostics if line.severity == "error" and line not in SUMMING_UP)


def life(stack: Lifecycle, program: Raw, count: int) -> None:
    """The basic life of ``count`` resources, providers included: up, refresh, an empty up, refresh and destroy."""

    def ops(result: Result) -> list[str]:
        return [op for op, _ in result.steps]

    assert ops(stack.up(program, preview=True)) == ["create"] * count
    assert ops(stack.refresh()) == ["same"] * count
    assert ops(stack.up(program)) == ["same"] * count
    assert ops(stack.refresh()) == ["same"] * count
    assert ops(stack.destroy()) == ["delete"] * count
    assert (ops(stack.refresh()), stack.state.every) == ([], ())


def state(urn_: str, **fields: Any) -> dict[str, Any]:
    """A resource of a deployment that is to be adopted; a custom one needs an ``id``."""
    return {"urn": urn_, "type": Urn.parse(urn_).type, "custom": "id" in fields, **fields}


def adopt(stack: Lifecycle, *resources: dict[str, Any], **more: Any) -> None:
    """Let ``stack`` begin with these resources."""
    manifest = {"time": "0001-01-01T00:00:00Z", "magic": "", "version": ""}
    stack.import_({"version": 3, "deployment": {"manifest": manifest, "resources": list(resources), **more}})

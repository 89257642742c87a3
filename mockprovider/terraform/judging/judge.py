"""The layer that asks a real Terraform provider what only it knows, and leaves the rest to the fake."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Collection, Mapping
from functools import partial
from typing import Any
from weakref import WeakKeyDictionary

from google.protobuf.message import Message
from msgspec.structs import replace

from mockprovider.calls import Call, Failure, Handler, Native, Op, Reply, Session
from mockprovider.errors import DefinitionError
from mockprovider.schema import Function, Package, ResourceType
from mockprovider.terraform.judging.dummies import dummied
from mockprovider.terraform.judging.harvest import harvest
from mockprovider.terraform.judging.keeping import Keeping
from mockprovider.terraform.judging.settling import settled
from mockprovider.terraform.proto import protocol
from mockprovider.terraform.rpcs.methods import SERVICES
from mockprovider.terraform.schema.objects import ObjectSchema
from mockprovider.terraform.schema.provider import provider_schema
from mockprovider.terraform.schema.reading import from_terraform_schema
from mockprovider.terraform.traits import ResourceTraits
from mockprovider.wire import cloudless
from mockprovider.wire.bench import Bench, Opening, UnjudgedError

FAMILY = "terraform"
CONFIGURED = frozenset({Op.PLAN})
"""What a provider is asked after it was configured. All else it knows by itself, and panics less."""
QUESTIONS = frozenset({Op.CHECK_CONFIG, Op.CHECK, Op.UPGRADE, Op.UPGRADE_IDENTITY, Op.PLAN, Op.MOVE, Op.FUNCTION})
"""The ops of the ``pure`` RPCs; the schema is the package's, which was asked for once."""
DONE = {Op.PLAN: "planned", Op.CHECK: "checked", Op.CHECK_CONFIG: "checked"}
VERSION = "1.9.0"
"""The version of Terraform that configures it, unless an engine said another."""


class TerraformJudge:
    """The judgement of the real provider on a bench, as a layer in front of a fake. Calls of other ecosystems pass it by.

    Args:
        bench: its processes.
        provider: its name.
        config: what it is configured with, by attribute, over the program's configuration.
    """

    family = FAMILY

    def __init__(self, bench: Bench, major: int, provider: str, config: Mapping[str, Any]) -> None:
        self.bench, self.major, self._provider, self._config = bench, major, provider, config
        answer = bench.ask(self._question("GetProviderSchema"))
        if answer.native is None or answer.status is not None:
            raise DefinitionError(f"{provider} did not say what its schema is. Is it a provider of Terraform?")
        failed = next(iter(answer.native.message.diagnostics), None)
        if failed is not None and failed.severity == 1:
            raise DefinitionError(f"{provider} did not say what its schema is: {failed.summary}: {failed.detail}")
        self._plans_deletes = bool(answer.native.message.server_capabilities.plan_destroy)
        self.package = from_terraform_schema(answer.native.message, provider, origin=f"the schema of {provider}")
        self.package.judge = self
        self._own: dict[str, Any] = {**self.package.resources, **self.package.functions, **self.package.offers}
        bench.schema = self.package
        self._warned: WeakKeyDictionary[Session, set[str]] = WeakKeyDictionary()
        self._lock = threading.Lock()

    def _question(self, name: str) -> Call:
        proto = protocol(self.major)
        method = proto.wire_name(name)
        message = SERVICES[self.major].messages[method][0]()
        return Call(op=Op.GET_SCHEMA, session=Session(f"tfplugin{self.major}"), method=method, native=Native(b"", message))

    def answer(self, call: Call) -> Reply:
        """The real provider's judgement where no fake is behind it; ``unjudged`` says that there is none."""
        try:
            return self._asked(call)
        except UnjudgedError as error:
            return Reply(unjudged=error.reason)

    def harvest(self, only: Collection[str] = (), say: Callable[[str], object] = str) -> Package:
        """The package with what the provider decides as data: a types file can hold it, and it needs no plugin any more.

        ``only`` are the types' names in Terraform, all unless given; ``say`` is told of each. Raises ``DefinitionError`` for a
        type that it does not have.
        """
        return harvest(self, only, say)

    def close(self) -> None:
        """End its processes. Safe to call again."""
        self.bench.close()

    def __call__(self, call: Call, proceed: Handler) -> Reply:
        """The real provider's answer where it is asked for its judgement, and the fake's otherwise."""
        if call.session.protocol.family != FAMILY or not self._knows(call):
            return proceed(call)
        keeping = Keeping(self._coder(call), call)
        call = keeping.call
        if call.op in QUESTIONS:
            return keeping.kept(self._judged(call, proceed))
        if call.op in (Op.CREATE, Op.UPDATE) and call.planned is not None:
            coder = self._coder(call)
            if coder is not None:
                call = replace(call, settle=partial(settled, coder.tree, call.planned, new=call.op is Op.CREATE))
        return keeping.kept(proceed(call))

    def _knows(self, call: Call) -> bool:
        """Whether the call is about what the real provider has, and not about what a user has declared in its place."""
        if not call.type or call.op in (Op.CHECK_CONFIG, Op.CONFIGURE):
            return True
        package, original = self.package, self._own.get(call.type)
        current = package.resources.get(call.type) or package.functions.get(call.type) or package.offers.get(call.type)
        if isinstance(current, ResourceType) and isinstance(original, ResourceType):
            return current.trait(ResourceTraits).schema is original.trait(ResourceTraits).schema
        if isinstance(current, Function) and isinstance(original, Function):
            return current.terraform_schema is original.terraform_schema
        return current is original is not None

    def _coder(self, call: Call) -> ObjectSchema | None:
        known = self.package.resources.get(call.type)
        return provider_schema(self.package, self.major).resource(known.terraform) if known else None

    def _judged(self, call: Call, proceed: Handler) -> Reply:
        if call.op is Op.PLAN and call.inputs is None and not self._plans_deletes:
            return proceed(call)
        try:
            reply = self._asked(call)
        except UnjudgedError as error:
            return self._alone(call, proceed, error)
        if call.op in (Op.CHECK, Op.CHECK_CONFIG):
            return Reply(failures=reply.failures, warnings=reply.warnings)
        return self._spoken(reply, call)

    def _asked(self, call: Call) -> Reply:
        method = self._method(call)
        row, cls = SERVICES[self.major].methods[method], SERVICES[self.major].messages[method][0]
        session = Session(f"tfplugin{self.major}")
        session.schema = self.package
        # The majors' messages are the same on the wire, under other names.
        message = cls.FromString(call.native.data) if call.native else row.request(replace(call, session=session))
        asked = replace(call, method=method, native=Native(message.SerializeToString(deterministic=True), message))
        key, opening = self._configuration(call) if call.op in CONFIGURED else ("", None)
        reply = self.bench.ask(asked, key, opening)
        if cloudless.reason(reply):
            raise UnjudgedError(cloudless.reason(reply))
        return reply

    def _method(self, call: Call) -> str:
        """The RPC's name in the major that the real provider speaks."""
        theirs, ours = protocol(call.session.protocol.version), protocol(self.major)
        method = call.method or SERVICES[call.session.protocol.version].by_op(call.op).name
        names = (rpc.name for rpc in protocol(6).service().methods)
        name = next((name for name in names if theirs.wire_name(name) == method), method)
        if ours.wire_name(name) not in SERVICES[self.major].methods:
            raise UnjudgedError(f"its version of the protocol has no {name}", quiet=True)
        return ours.wire_name(name)

    def _configuration(self, call: Call) -> tuple[str, Opening]:
        """The name of the session's configuration without credentials, and the call that brings it."""
        coder = provider_schema(self.package, self.major).provider
        config = dummied(call.session.config or {}, coder.tree, self._provider, self._config)
        row = next(row for row in SERVICES[self.major].methods.values() if row.op is Op.CONFIGURE)

        def opening(session: Session) -> Call:
            return Call(op=Op.CONFIGURE, session=session, method=row.name, inputs=config, extra={"terraform_version": VERSION})

        return hashlib.sha256(coder.encode(config)).hexdigest(), opening

    def _alone(self, call: Call, proceed: Handler, why: UnjudgedError) -> Reply:
        """What the fake says, since the real provider did not."""
        if call.op in (Op.UPGRADE, Op.MOVE) and call.prior is None:
            return Reply(failures=(Failure(f"{self._provider} did not convert a state of {call.type}", detail=why.reason),))
        reply = replace(proceed(call), unjudged=why.reason)
        done = DONE.get(call.op)
        if done and not why.quiet and self._first(call):
            name = getattr(self._own.get(call.type), "terraform", "") or "the configuration"
            line = f"The fake alone {done} {name}: {self._provider} cannot without a cloud ({_short(why.reason)})"
            reply.warnings = (*reply.warnings, line)
        return reply

    def _first(self, call: Call) -> bool:
        """Whether its session has not been told of this type so far."""
        with self._lock:
            warned = self._warned.setdefault(call.session, set())
            first = call.type not in warned
            warned.add(call.type)
            return first

    def _spoken(self, reply: Reply, call: Call) -> Reply:
        """``reply`` in the major that the engine speaks."""
        version = call.session.protocol.version
        if reply.native is None or version == self.major or not call.method:
            return reply
        cls: type[Message] = SERVICES[version].messages[call.method][1]
        return replace(reply, native=Native(reply.native.data, cls.FromString(reply.native.data)))


def _short(text: str) -> str:
    line = text.splitlines()[0] if text else text
    return line if len(line) <= 160 else f"{line[:157]}..."


def judged_package(bench: Bench, major: int, provider: str, config: Mapping[str, Any]) -> Package:
    """The package of the real provider on ``bench``, which is asked for its judgement from now on.

    Raises ``DefinitionError`` if it does not say what its schema is.
    """
    return TerraformJudge(bench, major, provider, config).package

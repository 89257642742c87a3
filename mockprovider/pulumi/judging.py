"""The layer that asks a real Pulumi provider for its Check and its Diff, and leaves the rest to the fake."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Collection, Mapping
from typing import Any
from weakref import WeakKeyDictionary

from msgspec.structs import replace

from mockprovider.calls import Call, Handler, Op, Reply, Session
from mockprovider.errors import DefinitionError
from mockprovider.fake.planning import plain_inputs
from mockprovider.pulumi.package.reading import from_schema
from mockprovider.pulumi.table import RPC_OF
from mockprovider.redaction.credentials import CREDENTIAL_NAMES
from mockprovider.schema import Package, snake_case
from mockprovider.urn import PROVIDERS
from mockprovider.values import Bag, Output, Secret, Value, has_secret, reveal, same
from mockprovider.wire import cloudless
from mockprovider.wire.bench import Bench, Opening, UnjudgedError

FAMILY = "pulumi"
QUESTIONS = {Op.CHECK: "checked", Op.DIFF: "compared"}
"""What is asked, and what is said where the fake alone did it."""

OFFERED = {"acceptSecrets": True, "acceptResources": True, "sends_old_inputs": True, "sends_old_inputs_to_delete": True}
"""What engines say of themselves when they configure a provider."""


class PulumiJudge:
    """The judgement of the real provider on a bench, as a layer in front of a fake. Calls of other ecosystems pass it by.

    Args:
        bench: its processes.
        provider: its name.
        config: what it is configured with, over the program's configuration.
    """

    family = FAMILY

    def __init__(self, bench: Bench, provider: str, config: Mapping[str, Any]) -> None:
        self.bench, self._provider, self._config = bench, provider, config
        text = self._schema()
        self.package = from_schema(text, f"the schema of {provider}") if text else Package(provider)
        self._own = dict(self.package.resources)
        self.package.judge = self
        self._warned: WeakKeyDictionary[Session, set[str]] = WeakKeyDictionary()
        self._lock = threading.Lock()

    def _schema(self) -> str:
        """The text of its schema; empty for a provider that has none: its types are what the program sends."""
        try:
            reply = self.bench.ask(Call(op=Op.GET_SCHEMA, session=Session(FAMILY), method=RPC_OF[Op.GET_SCHEMA]))
        except UnjudgedError as error:
            if error.quiet:
                return ""
            raise DefinitionError(f"{self._provider} did not say what its schema is: {error.reason}.") from error
        if reply.status is not None:
            raise DefinitionError(f"{self._provider} did not say what its schema is: {reply.status.message}.")
        return str(reply.extra.get("schema") or "")

    def close(self) -> None:
        """End its processes. Safe to call again."""
        self.bench.close()

    def harvest(self, only: Collection[str] = (), say: Any = str) -> Package:  # noqa: ARG002 - as all judges
        """Raises ``DefinitionError``: a Pulumi schema says by itself what forces a replacement."""
        raise DefinitionError(
            f"{self._provider} speaks Pulumi's protocol, whose schemas say what forces a replacement. Write its schema to a "
            "file, and serve that with --types."
        )

    def __call__(self, call: Call, proceed: Handler) -> Reply:
        """The real provider's answer to Check and Diff, and the fake's to all else."""
        if call.session.protocol.family != FAMILY or call.op not in QUESTIONS or not self._knows(call.type):
            return proceed(call)
        try:
            reply = self._asked(call)
        except UnjudgedError as error:
            return self._alone(call, proceed, error)
        return self._checked(reply, call) if call.op is Op.CHECK else replace(reply, native=None)

    def _knows(self, type_: str) -> bool:
        """Whether it is a type of the real provider, and not one that a user has declared in its place."""
        if type_.startswith(PROVIDERS):
            return False
        # Of a provider without a schema, what a user declares says what the fake makes of its types.
        return not self._own or self.package.resources.get(type_) is self._own.get(type_, self)

    def _asked(self, call: Call) -> Reply:
        key, opening = self._configuration(call.session)
        # It is encoded anew, since this provider may accept other values than the fake does.
        asked = replace(call, method=RPC_OF[call.op], native=None, monitor=None)
        reply = self.bench.ask(asked, key, opening)
        if why := cloudless.reason(reply, refuses_by_status=True):
            raise UnjudgedError(why)
        return reply

    def _configuration(self, session: Session) -> tuple[str, Opening]:
        """The name of the session's configuration without credentials, and the call that brings it."""
        given = {name: value for name, value in (session.config or {}).items() if not self._is_credential(name, value)}
        config = reveal({**given, **self._config})

        def opening(seat: Session) -> Call:
            variables = {f"{self._provider}:config:{name}": value for name, value in config.items() if isinstance(value, str)}
            extra = {**OFFERED, "variables": variables}
            return Call(op=Op.CONFIGURE, session=seat, method=RPC_OF[Op.CONFIGURE], inputs=config, extra=extra)

        return hashlib.sha256(repr(sorted(config.items())).encode()).hexdigest(), opening

    def _is_credential(self, name: str, value: Value) -> bool:
        declared = self.package.config.get(name)
        is_secret = has_secret(value) or (declared is not None and declared.secret)
        return is_secret or bool(CREDENTIAL_NAMES.search(snake_case(name)))

    def _checked(self, reply: Reply, call: Call) -> Reply:
        """The checked inputs, secret where they came as a secret or are declared to be one."""
        declared = self.package.resources.get(call.type)
        hidden = {name for name, item in declared.properties.items() if item.secret} if declared else set()
        given = plain_inputs(call.inputs or {})
        inputs = {name: _like(value, given.get(name)) for name, value in (reply.inputs or {}).items()}
        inputs |= {name: Secret(inputs[name]) for name in hidden & inputs.keys() if not isinstance(inputs[name], Secret)}
        return replace(reply, inputs=inputs, native=None)

    def _alone(self, call: Call, proceed: Handler, why: UnjudgedError) -> Reply:
        """What the fake says, since the real provider did not."""
        reply = replace(proceed(call), unjudged=why.reason)
        if not why.quiet and self._first(call) and call.session.engine is not None:
            line = f"The fake alone {QUESTIONS[call.op]} {call.type}: {self._provider} cannot without a cloud ({why.reason})"
            call.session.engine.log("warning", line, call.urn)
        return reply

    def _first(self, call: Call) -> bool:
        """Whether its session has not been warned of this type so far."""
        with self._lock:
            warned = self._warned.setdefault(call.session, set())
            first = call.type not in warned
            warned.add(call.type)
            return first


def _like(value: Value, given: Value) -> Value:
    """``value`` as it was ``given``, where that is the same: a provider that takes no secrets gives them back openly."""
    if given is not None and same(reveal(value), reveal(given)):
        return given
    if isinstance(given, (Secret, Output)):
        inner = _like(value, given.value)
        hides = isinstance(given, Secret) or given.secret
        return Secret(inner) if hides and not isinstance(inner, Secret) else inner
    if isinstance(value, Mapping) and isinstance(given, Mapping):
        return {name: _like(part, given.get(name)) for name, part in value.items()}
    if isinstance(value, list) and isinstance(given, (list, tuple)) and len(value) == len(given):
        return [_like(part, other) for part, other in zip(value, given, strict=True)]
    return value


def judged_package(bench: Bench, provider: str, config: Bag) -> Package:
    """The package of the real provider on ``bench``, which is asked for its Check and Diff from now on.

    Raises ``DefinitionError`` if it does not say what its schema is.
    """
    return PulumiJudge(bench, provider, config).package


__all__ = ["PulumiJudge", "judged_package"]

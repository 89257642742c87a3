"""One provider instance as the engine uses it: a session of its own, and one method for each thing that is asked of it.

What a provider does not accept is taken out here, in the direction to it, and what the engine adds to answers is put on
here; so an instance in process, behind a wire and in a cassette see and give the same.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Mapping
from typing import Any, Protocol

from mockprovider.calls import STATUS_NAMES, Bag, Call, EnginePort, Failure, Handler, Op, Reply, Session
from mockprovider.engine.providers.outgoing import (
    flattened,
    known_only,
    marked,
    outgoing,
    restored,
    secret_names,
    unnamed,
    variables,
    with_contents,
)
from mockprovider.engine.providers.resource_calls import Checked, Outcome, ResourceIdentity
from mockprovider.engine.registrations.goal import Parameterization
from mockprovider.payloads import NamingOptions, ParameterValue
from mockprovider.protocols import ProviderProtocol
from mockprovider.pulumi.diff import Changes, Diff, as_diff, resolved
from mockprovider.pulumi.errors import rpc_error
from mockprovider.pulumi.protocol import PULUMI
from mockprovider.pulumi.signatures import accepted
from mockprovider.pulumi.stacks.extensions import Extension
from mockprovider.pulumi.table import RPC_OF
from mockprovider.urn import Urn
from mockprovider.values import Secret, Value, has_secret, has_unknown, is_unknown

UNIMPLEMENTED = 12


class ProviderSource(Protocol):
    """Where an engine gets provider instances: each ``open`` is one connection, and calling it answers a call. A
    ``Double`` is one.
    """

    def open(self, protocol: ProviderProtocol = ..., *, package: str = ..., engine: EnginePort | None = ...) -> Session:
        """A new session of the provider of ``package``."""

    def __call__(self, call: Call) -> Reply:
        """The answer to ``call``."""


class CallFailedError(Exception):
    """An RPC that failed: its code, its message, and what came with it."""

    def __init__(self, reply: Reply, said: str = "") -> None:
        message = "; ".join(failure.reason for failure in reply.failures)
        if reply.status is not None:
            message = reply.status.message or message
        super().__init__(said or message)
        self.reply = reply

    @property
    def code(self) -> int:
        """The gRPC status code."""
        if self.reply.status is not None:
            return self.reply.status.code
        named = next((failure.status for failure in self.reply.failures if failure.status), None)
        return STATUS_NAMES.index(named) if named in STATUS_NAMES else 2


def wrong(message: str) -> CallFailedError:
    """The error for an answer that the engine cannot use, or for a missing one."""
    return CallFailedError(Reply(failures=(Failure(message),)))


def _as_status(error: CallFailedError) -> CallFailedError:
    return CallFailedError(error.reply, rpc_error(error.code, str(error)))


class Instance:
    """One provider instance: booted at once, configured later, or never, where its configuration holds unknowns.

    Every method raises ``CallFailedError`` where the provider's RPC failed.
    """

    def __init__(self, package: str, source: ProviderSource, engine: EnginePort, *, preview: bool, plugin: str = "") -> None:
        self.package = package
        self.known = True
        """Whether its configuration is known; calls are answered without the provider where it is not."""
        self.names = False
        """Whether it heeds the stack's autonaming configuration."""
        self._preview = preview
        self._handler = source
        self._session = source.open(PULUMI, package=plugin or package, engine=engine)
        self._unusable: CallFailedError | None = None
        self._closed: Reply | None = None
        self._supports_preview = True
        self._extending = threading.Lock()
        self._extensions: set[Extension] = set()
        self._handshaken = self._handshake()
        self.version = str(self._ask(Op.GET_PLUGIN_INFO).version)

    def _handshake(self) -> bool:
        try:
            reply = self._ask(Op.HANDSHAKE, extra=_HANDSHAKE)
        except CallFailedError as error:
            if error.code != UNIMPLEMENTED:
                raise
            return False
        self._accept(reply)
        self._session.handshaken = True
        return True

    def _accept(self, reply: Reply) -> None:
        self._session.accepts = accepted(reply.extra)
        self.names = bool(
            reply.extra.get("supports_autonaming_configuration") or reply.extra.get("supportsAutonamingConfiguration")
        )

    @property
    def accepts(self) -> frozenset[str]:
        """What the provider accepts: ``secrets``, ``resources``, ``outputs``, ``byte_strings``."""
        return self._session.accepts

    def parameterize(self, wanted: Parameterization) -> None:
        """Parameterize the base plugin. Raises ``CallFailedError`` if it answers another package than the wanted one."""
        try:
            became = self._ask(Op.PARAMETERIZE, parameter=ParameterValue(wanted.name, wanted.version, wanted.value)).name
        except CallFailedError as error:
            raise _as_status(error) from error
        if became != wanted.name:
            raise wrong(
                f"the plugin of {wanted.base!r} became {became!r} by its parameterization, and {wanted.name!r} was wanted"
            )

    def extend(self, extension: Extension) -> None:
        """Parameterize it with an extension, unless it is already. Raises as ``parameterize``."""
        with self._extending:
            if extension not in self._extensions:
                wanted = Parameterization(self.package, "", extension.name, extension.version, extension.value)
                self.parameterize(wanted)
                self._extensions.add(extension)

    # Configuration ---------------------------------------------------------------------------------------------------

    def check_config(self, urn: str, olds: Bag, news: Bag) -> Checked:
        """CheckConfig; the inputs as they are from a provider that does not have it."""
        try:
            bags: dict[str, Any] = {"prior_inputs": flattened(olds), "inputs": flattened(news)}
            reply = self._ask(Op.CHECK_CONFIG, urn=urn, secrets=secret_names(olds, news), **bags)
        except CallFailedError as error:
            if error.code != UNIMPLEMENTED:
                raise
            return Checked(dict(news))
        return Checked(restored(reply.inputs or {}, news), _check_failures(reply))

    def diff_config(self, urn: str, old_inputs: Bag, old_outputs: Bag, news: Bag, ignore_changes: tuple[str, ...] = ()) -> Diff:
        """DiffConfig; "unknown", with no replaces, from a provider that does not have it."""
        bags: dict[str, Any] = {
            "prior": flattened(old_outputs),
            "prior_inputs": flattened(old_inputs),
            "inputs": flattened(news),
        }
        try:
            secrets = secret_names(old_inputs, old_outputs, news)
            return as_diff(self._ask(Op.DIFF_CONFIG, urn=urn, secrets=secrets, ignore_changes=ignore_changes, **bags))
        except CallFailedError as error:
            if error.code != UNIMPLEMENTED:
                raise _as_status(error) from error
            return Diff()

    def configure(self, urn: str, id_: str, inputs: Bag) -> None:
        """Configure. A failure is kept for the first call that needs the provider, as the engine does not wait for it."""
        known = {name: value for name, value in inputs.items() if name != "version"}
        if has_unknown(known):
            self.known = False
            return
        self._session.instance = urn
        self._session.config = inputs
        self._session.preview = self._preview
        as_strings = variables(self.package, known)
        extra = {**_CONFIGURE, "variables": as_strings} if as_strings else _CONFIGURE
        try:
            openly = self._sent_openly(inputs)
            reply = self._ask(Op.CONFIGURE, urn=urn, id=id_, inputs=dict(inputs), secrets=openly, extra=extra)
        except CallFailedError as error:
            self._unusable = error
            return
        if not self._handshaken:
            self._accept(reply)
            self._supports_preview = bool(reply.extra.get("supportsPreview"))

    def end(self) -> None:
        """Let every further call fail, as over a connection that was closed."""
        self._closed = Reply(failures=(Failure("grpc: the client connection is closing", status="cancelled"),))

    def cancel(self) -> None:
        """Cancel, as at every shutdown. The session ends whatever the provider answers."""
        self._handler(self._call(Op.CANCEL))

    # Resources -------------------------------------------------------------------------------------------------------

    def check(self, urn: str, olds: Bag | None, news: Bag, seed: bytes, autonaming: NamingOptions | None = None) -> Checked:
        """Check. ``olds`` are the old inputs, sent as an empty bag where there are none; ``autonaming`` is sent to a provider
        that heeds it.
        """
        if not self._usable():
            return Checked(dict(news))
        options = autonaming if self.names else None
        # In a real run, an input that comes from a skipped resource is left out.
        known_inputs = news if self._preview else {name: value for name, value in news.items() if not is_unknown(value)}
        bags: dict[str, Any] = {"prior_inputs": self._out(olds or {}), "inputs": self._out(known_inputs)}
        openly = self._sent_openly(olds, news)
        reply = self._ask(Op.CHECK, urn=urn, seed=seed, autonaming=options, secrets=openly, **bags)
        inputs = self._in(reply.inputs or {}, news, "inputs") if reply.ok else {}
        return Checked(inputs, _check_failures(reply))

    def diff(self, of: ResourceIdentity, news: Bag) -> Diff:
        """Diff, with "unknown" settled by the engine's own comparison; "some" where the provider is not configured."""
        if not self._usable():
            return Diff(Changes.SOME)
        bags: dict[str, Any] = {
            "prior": self._out(of.old_outputs, elide=True),
            "prior_inputs": self._out(of.old_inputs, elide=True),
            "inputs": self._out(news, elide=True),
        }
        openly = self._sent_openly(of.old_outputs, of.old_inputs, news)
        reply = self._ask(Op.DIFF, urn=of.urn, id=of.id, ignore_changes=of.ignore_changes, secrets=openly, **bags)
        return resolved(as_diff(reply), of.old_inputs, news)

    def create(self, of: ResourceIdentity, inputs: Bag) -> Outcome:
        """Create, or its preview."""
        if self._preview and not (self._usable() and self._supports_preview):
            return Outcome(outputs=dict(inputs) if self.known else {})
        bags: dict[str, Any] = {"inputs": self._out(inputs), "secrets": self._sent_openly(inputs)}
        reply = self._ask(Op.CREATE, urn=of.urn, timeout=of.timeout, preview=self._preview, partial=True, **bags, **of.way_back)
        if not self._preview and not reply.id:
            raise wrong(f"the provider returned an empty id from Create of {of.urn!r}")
        return self._outcome(reply, reply.id, inputs)

    def update(self, of: ResourceIdentity, inputs: Bag) -> Outcome:
        """Update, or its preview."""
        if self._preview and not (self._usable() and self._supports_preview):
            return Outcome(of.id, dict(inputs) if self.known else {})
        bags: dict[str, Any] = {
            "prior": self._out(of.old_outputs, elide=True),
            "prior_inputs": self._out(of.old_inputs, elide=True),
            "inputs": self._out(inputs),
            "secrets": self._sent_openly(of.old_outputs, of.old_inputs, inputs),
        }
        options = {"timeout": of.timeout, "preview": self._preview, "ignore_changes": of.ignore_changes}
        reply = self._ask(Op.UPDATE, urn=of.urn, id=of.id, partial=True, **options, **bags, **of.way_back)
        return self._outcome(reply, of.id, inputs)

    def read(self, of: ResourceIdentity, inputs: Bag | None, state: Bag | None) -> Outcome:
        """Read. ``outputs`` is ``None`` where the provider said that there is no such object."""
        if not self._usable():
            return Outcome(outputs={}, inputs={})
        # Unlike other calls, a Read in a preview is not sent what is unknown.
        sent = [bag if bag is None else known_only(self._out(bag, elide=True) or {}) for bag in (inputs, state)]
        bags: dict[str, Any] = {"prior_inputs": sent[0], "prior": sent[1]}
        openly = self._sent_openly(inputs, state)
        named = {"urn": of.urn, "id": of.id, "timeout": of.timeout, **of.way_back}
        reply = self._ask(Op.READ, partial=True, secrets=openly, **named, **bags)
        if reply.value is None:
            return Outcome()
        outcome = self._outcome(reply, reply.id, state or {})
        outputs = with_contents(outcome.outputs or {}, inputs or {})
        read = None if reply.inputs is None else with_contents(self._in(reply.inputs, inputs or {}, "inputs"), inputs or {})
        return Outcome(outcome.id, outputs, read, outcome.init_errors, outcome.refresh_before_update)

    def delete(self, of: ResourceIdentity) -> None:
        """Delete."""
        self._usable()
        bags: dict[str, Any] = {
            "prior": self._out(of.old_outputs, elide=True),
            "prior_inputs": self._out(of.old_inputs, elide=True),
        }
        openly = self._sent_openly(of.old_outputs, of.old_inputs)
        self._ask(Op.DELETE, urn=of.urn, id=of.id, timeout=of.timeout, secrets=openly, **bags, **of.way_back)

    def invoke(self, token: str, args: Bag, hidden: Collection[str] = ()) -> Reply:
        """Invoke. Failures of single arguments are in the reply.

        A text that is ``hidden`` is a secret, although nothing says so any more: SDKs take the marks off arguments.
        """
        if not self._usable():
            return Reply(value={})
        secrets = tuple({*self._sent_openly(args), *secret_names(marked(args, hidden))})
        reply = self._ask(Op.INVOKE, type=token, inputs=self._out(args), preview=self._preview, secrets=secrets)
        if not reply.ok:
            return reply
        returned = dict(reply.value or {})
        self._known(returned, "results")
        if has_secret(args) and "secrets" not in self.accepts:
            returned = {name: value if isinstance(value, Secret) else Secret(value) for name, value in returned.items()}
        return Reply(value=returned)

    def ask_back(self, op: Op, monitor: Handler, **fields: Any) -> Reply:
        """Construct or Call. During the call, the provider may use ``monitor``."""
        if not self._usable():
            return Reply(value={})
        reply = self._ask(op, monitor=monitor, secrets=self._sent_openly(fields.get("inputs")), **fields)
        if not self._preview:
            self._known(reply.value or {}, "outputs" if op is Op.CONSTRUCT else "results")
        return reply

    # The way there and back ------------------------------------------------------------------------------------------

    def _usable(self) -> bool:
        if self._unusable is not None:
            raise self._unusable
        return self.known

    def _out(self, bag: Bag | None, *, elide: bool = False) -> dict[str, Value] | None:
        return None if bag is None else outgoing(bag, self.accepts, elide=elide)

    def _sent_openly(self, *bags: Bag | None) -> tuple[str, ...]:
        """Where secrets are that the provider gets openly, because it does not accept any."""
        return () if "secrets" in self.accepts else secret_names(*bags)

    def _in(self, bag: Bag, sent: Bag, what: str) -> dict[str, Value]:
        if not self._preview:
            self._known(bag, what)
        answer = unnamed(bag)
        return answer if "secrets" in self.accepts else restored(answer, sent)

    def _known(self, bag: Bag, what: str) -> None:
        unknown = [name for name, value in bag.items() if has_unknown(value)]
        if unknown:
            raise wrong(f"the provider answered unknown {what}, which only a preview may hold: {', '.join(sorted(unknown))}")

    def _outcome(self, reply: Reply, id_: str, sent: Bag) -> Outcome:
        outputs = self._in(reply.value or {}, sent, "outputs")
        reasons = tuple(failure.reason for failure in reply.failures)
        return Outcome(id_, outputs, None, reasons, bool(reply.extra.get("refresh_before_update")))

    def _call(self, op: Op, *, urn: str = "", type: str = "", name: str = "", **fields: Any) -> Call:  # noqa: A002 - its word
        parsed = Urn.parse(urn) if urn else None
        return Call(
            op=op,
            session=self._session,
            method=RPC_OF[op],
            urn=urn,
            type=parsed.type if parsed else type,
            name=parsed.name if parsed else name,
            **fields,
        )

    def _ask(self, op: Op, *, partial: bool = False, **fields: Any) -> Reply:
        call = self._call(op, **fields)
        reply = self._closed or self._handler(call)
        if reply.ok or _failures_are_data(op, reply):
            return reply
        # An object that exists although it failed is remembered, with the reasons; an update's reply may lack the id.
        if partial and reply.value is not None and (reply.id or call.id):
            return reply
        error = CallFailedError(reply)
        if error.code == UNIMPLEMENTED and call.method not in str(error):
            # What gRPC says where a method is missing does not name it.
            said = (
                f"the provider of {self.package!r} does not implement {call.method}, which the engine needs here, and answered "
                f"{str(error)!r}. Implement it in the provider, or answer it in a layer of the double."
            )
            raise CallFailedError(reply, said)
        raise error


_HANDSHAKE = {
    "configure_with_urn": True,
    "supports_views": True,
    "supports_refresh_before_update": True,
    "invoke_with_preview": True,
    "accepts_byte_string": True,
}
_CONFIGURE: Mapping[str, Any] = {
    "acceptSecrets": True,
    "acceptResources": True,
    "sends_old_inputs": True,
    "sends_old_inputs_to_delete": True,
}
"""What Handshake and Configure are openly of this engine, by the protocol's own field names."""


def _check_failures(reply: Reply) -> tuple[tuple[str, str], ...]:
    return tuple((failure.path, failure.reason) for failure in reply.failures)


def _failures_are_data(op: Op, reply: Reply) -> bool:
    listed = op in (Op.CHECK, Op.CHECK_CONFIG, Op.INVOKE, Op.CALL)
    return listed and reply.status is None and all(failure.status is None for failure in reply.failures)

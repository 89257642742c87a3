"""The package ``pulumi`` that engines have built in: stack references, stashes, and functions that read other stacks.

Its provider is a resource like others, and never a plugin, so no double sees what is asked of it.
"""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Callable, Mapping
from typing import TypeAlias

from mockprovider.calls import Call, Change, ChangeKind, EnginePort, Failure, Op, Plan, Reply, Session
from mockprovider.hints import did_you_mean
from mockprovider.protocols import ProviderProtocol
from mockprovider.pulumi.protocol import PULUMI
from mockprovider.values import Bag, Unknown, Value, has_secret, same

PACKAGE = "pulumi"
STACK_REFERENCE = "pulumi:pulumi:StackReference"
STASH = "pulumi:index:Stash"
READ_OUTPUTS = "pulumi:pulumi:readStackOutputs"
INPUT: Mapping[str, str] = {STACK_REFERENCE: "name", STASH: "input"}
"""The one input of each type."""
IMPORTED = {STACK_REFERENCE: "stack reference", STASH: "stash"}
"""What each type is called where an import of it is refused."""
DEPRECATED = (
    f"The resource type {STACK_REFERENCE!r} is only read by SDKs of today, and this program registers one. Update the SDK."
)

References: TypeAlias = Mapping[str, Callable[[], Bag]]
"""The outputs of other stacks, asked for when they are read, by the names under which a program may refer to them."""


class Builtin:
    """The source of the built-in provider. ``references`` are the stacks that a program may refer to."""

    def __init__(self, references: References | None = None) -> None:
        self._references = references or {}
        self._ops: Mapping[Op, Callable[[Call], Reply]] = {
            Op.HANDSHAKE: lambda _: Reply(extra={"accept_secrets": True, "accept_resources": True, "accept_outputs": True}),
            Op.CHECK_CONFIG: lambda call: Reply(inputs=call.inputs),
            Op.CHECK: _checked,
            Op.DIFF: _compared,
            Op.CREATE: self._create,
            Op.UPDATE: lambda call: Reply(id=call.id, value={**(call.prior or {}), "input": (call.inputs or {}).get("input")}),
            Op.READ: self._read,
            Op.INVOKE: self._invoke,
        }

    def open(self, protocol: ProviderProtocol = PULUMI, *, package: str = "", engine: EnginePort | None = None) -> Session:  # noqa: ARG002
        """A session of the built-in provider. It has the number 0, since it is no session of a double."""
        return Session(protocol, 0, engine=engine)

    def __call__(self, call: Call) -> Reply:
        """Answer a call; an op that needs no answer gets an empty reply."""
        answer = self._ops.get(call.op)
        return answer(call) if answer else Reply()

    def _create(self, call: Call) -> Reply:
        # A preview knows no id yet; the real engine makes a random one afterwards.
        id_ = "" if call.preview else str(uuid.UUID(bytes=hashlib.sha256(call.urn.encode()).digest()[:16], version=4))
        if call.type == STACK_REFERENCE:
            return self._referred(call, id_)
        value = (call.inputs or {}).get("input")
        return Reply(id=id_, value={"input": value, "output": value})

    def _read(self, call: Call) -> Reply:
        if call.type == STACK_REFERENCE and "name" in (call.prior_inputs or {}):
            unknown = [name for name in call.prior_inputs or {} if name != "name"]
            if unknown:
                return Reply(failures=(Failure(f"unknown property {unknown[0]!r}", status="unknown"),))
            reply = self._referred(call, call.id)
            return Reply(id=call.id, value=reply.value, inputs=call.prior_inputs) if reply.ok else reply
        if call.type == STASH and call.prior_inputs:
            return Reply(id=call.id, value=call.prior, inputs=call.prior_inputs)
        what = IMPORTED.get(call.type)
        reason = f"{what} can not be imported" if what else f"unrecognized resource type {call.type!r}"
        return Reply(failures=(Failure(reason, status="unknown"),))

    def _invoke(self, call: Call) -> Reply:
        if call.type != READ_OUTPUTS:
            return Reply(
                failures=(Failure(f"the built-in provider of this engine has no function {call.type!r}", status="unknown"),)
            )
        return self._referred(call, "")

    def _referred(self, call: Call, id_: str) -> Reply:
        name = (call.inputs or call.prior_inputs or {}).get("name")
        find = self._references.get(name) if isinstance(name, str) else None
        if find is None:
            return Reply(failures=(Failure(self._unknown(name), status="unknown"),))
        outputs = dict(find())
        secret: list[Value] = sorted(key for key, value in outputs.items() if has_secret(value))
        return Reply(id=id_, value={"name": name, "outputs": outputs, "secretOutputNames": secret})

    def _unknown(self, name: object) -> str:
        how = f"A test says what it has put out: Stack(..., references={{{name!r}: {{...}}}}). Given are"
        return f"unknown stack {name!r}. {did_you_mean(str(name), self._references, how)}"


def _checked(call: Call) -> Reply:
    required = INPUT.get(call.type)
    if required is None:
        return Reply(failures=(Failure(f"unrecognized resource type {call.type!r}", status="unknown"),))
    if call.type == STACK_REFERENCE and call.session.engine is not None:
        call.session.engine.log("warning", DEPRECATED, call.urn)
    inputs = call.inputs or {}
    failures = [Failure(f"unknown property {name!r}", name) for name in inputs if name != required]
    if required not in inputs:
        failures.append(Failure(f"missing required property {required!r}", required))
    elif call.type == STACK_REFERENCE and not isinstance(inputs[required], (str, Unknown)):
        failures.append(Failure(f"property {required!r} must be a string", required))
    # As in the real engine, the first complaint is the only one.
    return Reply(inputs=call.inputs, failures=tuple(failures[:1]))


def _compared(call: Call) -> Reply:
    key = INPUT[call.type]
    old, new = (call.prior_inputs or {}).get(key), (call.inputs or {}).get(key)
    changes = () if same(old, new) else (Change(key, ChangeKind.UPDATE, replaces=call.type == STACK_REFERENCE),)
    return Reply(plan=Plan(call.inputs or {}, changes))

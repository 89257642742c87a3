"""How calls end that do not end well."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, TypeAlias

from msgspec import Meta
from msgspec.structs import replace

from mockprovider.calls import STATUS_NAMES, Call, Delivery, Failure, Handler, Reply, Status
from mockprovider.errors import DefinitionError
from mockprovider.faults.fault import WRITES, FaultWorld

CENTURY = 36525 * 86400
Seconds: TypeAlias = Annotated[float, Meta(gt=0, le=CENTURY, extra={"expected": "seconds above 0, up to a century"})]
"""How long something takes."""
Later: TypeAlias = Annotated[float, Meta(ge=0, le=CENTURY, extra={"expected": "seconds, 0 or more, up to a century"})]
"""How much later something happens."""


def check_status(status: str) -> None:
    """Raise ``DefinitionError`` for what is no gRPC status of a failure."""
    if status not in STATUS_NAMES[1:]:
        raise DefinitionError(f"{status!r} is no status of a failure. There are: {', '.join(STATUS_NAMES[1:])}.")


def read_bytes(digits: str) -> bytes:
    """The bytes that hexadecimal ``digits`` are. Raises ``DefinitionError`` for what are none."""
    try:
        return bytes.fromhex(digits)
    except ValueError as error:
        raise DefinitionError(f"{digits!r} are no bytes in hexadecimal digits, as in '0aff'.") from error


def ended(status: str, message: str, details: bytes = b"", delivery: Delivery | None = None) -> Reply:
    """The answer of an RPC that ended in a status, for whoever asks in process; ``delivery`` is what a wire does instead."""
    failure = Failure(message, status=status)
    return Reply(status=Status(STATUS_NAMES.index(status), message, details), failures=(failure,), delivery=delivery)


def half_made(call: Call, reply: Reply, *failures: Failure) -> Reply:
    """The answer that the object of ``reply`` exists, and that there are ``failures`` all the same."""
    # An update's reply has no id on the wire. The partial object's id is the call's.
    return replace(reply, id=reply.id or call.id, inputs=call.inputs, failures=failures, native=None)


def given_up(call: Call, world: FaultWorld, status: str, reason: str) -> Reply:
    """The answer of a provider that gives up, and reports what it has made by then, as providers should."""
    failure = Failure(reason, status=status)
    reply = world.done
    if reply is None or not reply.ok or reply.value is None or call.op not in WRITES or call.preview:
        return Reply(failures=(failure,))
    return half_made(call, reply, failure)


def cancelled(call: Call, world: FaultWorld) -> Reply:
    """The answer of a provider that was asked to stop, and obeys."""
    return given_up(call, world, "cancelled", f"{call.op.value} was cancelled before it was done")


def waited(seconds: float, late: Callable[[float], str], call: Call, world: FaultWorld) -> Reply | None:
    """Let ``seconds`` pass: the answer if the call is over then, and none if it goes on.

    It is over when the engine asks the provider to stop, and at its limit: ``late`` is what the provider says of one.
    """
    limit = world.limit(call) or seconds
    if world.clock.wait(min(seconds, limit), call.session.cancelled):
        return cancelled(call, world)
    return given_up(call, world, "deadline_exceeded", late(limit)) if seconds > limit else None


def stopped(then: str, late: float, call: Call, proceed: Handler, world: FaultWorld) -> Reply:
    """The answer of a provider that was asked to stop, and obeys, forgets what it has made, finishes, or ignores it.

    What it does then, it does ``late`` seconds later; who ignores it is ended when the double closes.
    """
    if then == "ignore":
        call.session.closed.wait()
    elif late:
        world.clock.wait(late, call.session.closed)
    if call.session.closed.is_set():
        return ended("unavailable", f"{call.op.value} hung until the double was closed")
    if then == "finish":
        return proceed(call)
    if then == "forget":
        world = replace(world, done=None)
    return cancelled(call, world)

"""Which resource a call is about, from what the engine says of its progress.

A call of Terraform's protocol names no resource. With ``-json`` the engine prints a line with the resource's address before it
applies, refreshes or reads it, and with ``-parallelism=1`` the next call that such a line can announce is the one that it
announces. What the engine wrote before it made the call is in the pipe when the call arrives, so whoever answers the call looks
there, and nobody waits.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import Struct

from mockprovider.calls import Call, Op
from mockprovider.drivers.output import Printed

ANNOUNCED = {
    ("refresh_start", ""): Op.READ,
    ("apply_start", "create"): Op.CREATE,
    ("apply_start", "update"): Op.UPDATE,
    ("apply_start", "delete"): Op.DELETE,
    ("apply_start", "read"): Op.INVOKE,
}
"""What an engine calls after it has printed a line of this type and action. Plans and imports are not announced."""

NEWS = frozenset({"refresh_start", "refresh_complete", "apply_start", "apply_complete", "apply_errored"})
"""The lines that begin or end what can be announced. A provisioner's lines may stand between a start and its call."""
OPS = frozenset(ANNOUNCED.values())
WALKING = frozenset({"plan", "apply", "destroy", "refresh"})
"""The commands that announce calls, and that can be told how many resources to work on at a time."""
PARALLELISM = ("-parallelism", "--parallelism")


class LineResource(Struct, rename={"address": "addr"}):
    """The resource of a line."""

    address: str
    resource_type: str


class LineHook(Struct):
    """What a line says of a resource."""

    resource: LineResource
    action: str = ""


class Line(Struct):
    """One line of the engine's progress about a resource, as far as it is of use here."""

    type: str
    hook: LineHook


class Progress:
    """The progress of one engine that works on one resource at a time, read from what it prints.

    Any thread may ask.
    """

    def __init__(self, printed: Printed) -> None:
        self._printed = printed
        self._read = 0
        self._line = b""
        """The beginning of a line that is not whole yet."""
        self._last: Line | None = None
        """The last line of news, until a call has come that it may have announced."""
        self._lock = threading.Lock()

    def address_of(self, call: Call) -> str:
        """The address of the resource that the engine makes this call for; empty where it has not said so."""
        type_ = _wire_type(call)
        if call.op not in OPS or not type_:
            return ""
        with self._lock:
            self._catch_up()
            line, self._last = self._last, None
        return _announced(line, call.op, type_) if line else ""

    def _catch_up(self) -> None:
        news = self._printed.read(self._read)
        self._read += len(news)
        *lines, self._line = (self._line + news).split(b"\n")
        for text in lines:
            self._take(text)

    def _take(self, text: bytes) -> None:
        try:
            line = msgspec.json.decode(text, type=Line)
        except (msgspec.MsgspecError, ValueError, RecursionError):
            # It is about no resource, or one of the warnings from before the stream, which are plain text.
            return
        if line.type in NEWS:
            self._last = line


def _announced(line: Line, op: Op, type_: str) -> str:
    fits = ANNOUNCED.get((line.type, line.hook.action)) is op and line.hook.resource.resource_type == type_
    return line.hook.resource.address if fits else ""


def _wire_type(call: Call) -> str:
    """The type as the engine's message spells it; the call's own is in the spelling of a declaration."""
    message: Any = call.native.message if call.native else None
    return str(getattr(message, "type_name", ""))


def announces(arguments: Sequence[str]) -> bool:
    """Whether an engine that is run with these arguments announces its calls, one at a time."""
    return arguments[0] in WALKING and "-json" in arguments and parallelism(arguments) == "1"


def parallelism(arguments: Sequence[str]) -> str:
    """How many resources an engine with these arguments works on at a time, as they say it; empty where they do not."""
    values = [""]
    for argument, following in zip(arguments, [*arguments[1:], ""], strict=True):
        name, equals, value = argument.partition("=")
        if name in PARALLELISM:
            # The last one counts, and its value may be an argument of its own.
            values.append(value if equals else following)
    return values[-1]

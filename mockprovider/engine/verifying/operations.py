"""A real engine's log as operations: what the program asked in each, and what the engine then asked of providers.

A log has no line for the beginning of an operation (reference 16.2). The language's host is asked first, where there is a
program; ``LanguageRuntime/Run`` is answered when that has ended. What follows belongs to the same operation, until all its
providers were cancelled; in logs that have no Cancel, until a provider is started.

Nor has it the command line. Who makes a log can put a line of our own before an operation, with what was asked for:
``{"method": "/mockprovider.Engine/Operation", "request": {"operation": "up", "target": ["urn:..."]}}``. So it can tell of
commands without a program, too: ``{"operation": "import", "imports": [{"type": "...", "name": "...", "id": "..."}]}`` with the
words of ``Import``, and ``{"operation": "taint", "names": ["..."]}``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

from msgspec import Struct, field

from mockprovider.pulumi.grpclog.owning import owners
from mockprovider.pulumi.grpclog.pairing import FinishedCall, LogLine, log_lines, paired_calls
from mockprovider.pulumi.grpclog.words import MONITOR_SERVICE, PROVIDER_SERVICE

LANGUAGE_SERVICE = "pulumirpc.LanguageRuntime"
CALLBACKS_SERVICE = "pulumirpc.Callbacks"

OPERATION_SERVICE = "mockprovider.Engine"
"""The service of our own lines."""

STATE_COMMANDS = frozenset({"taint", "untaint", "protect", "unprotect"})
"""What can be said to have been done to a state between operations, as by ``pulumi state``."""

STARTING = frozenset(
    {"Handshake", "Attach", "GetPluginInfo", "Parameterize", "GetSchema", "GetMapping", "GetMappings"}
    | {"CheckConfig", "DiffConfig", "Configure", "Cancel"}
)
"""What an engine asks before it can ask for anything else, and at the end."""

CANCELLED = "context canceled"

STACK_REFERENCE = "pulumi:pulumi:StackReference"


class LoggedOperation(Struct):
    """One operation of a log. ``run`` is the request that ran its program; ``None`` where none did."""

    program: Sequence[FinishedCall]
    provider: Sequence[FinishedCall]
    packages: Sequence[str]
    run: Mapping[str, Any] | None = None
    error: str = ""
    cut_off: bool = False
    """Whether its program's end is not in the log, since its engine was killed, or has crashed."""
    preview: bool = False
    asked: Mapping[str, Any] | None = None
    """What our own line says, by the names of ``Stack``'s arguments; ``None`` where there is none."""
    callbacks: Sequence[FinishedCall] = ()
    """The calls of the program's functions, such as hooks."""
    eager: AbstractSet[str] = frozenset()
    """What is read before each update, because its provider has asked for that (``refreshBeforeUpdate``)."""

    @property
    def kind(self) -> str:
        """``up``, ``refresh`` or ``destroy``."""
        if self.asked is not None:
            operation = str(self.asked.get("operation", "up"))
            return "up" if operation == "preview" else operation
        asked = {call.rpc for call in self.provider}
        if self.run is not None or (self.eager and not self._read and "Delete" not in asked):
            return "up"
        return "refresh" if "Read" in asked and "Delete" not in asked else "destroy"

    @property
    def runs_program(self) -> bool:
        """Whether its program is run, also that of a refresh or destroy."""
        return self.kind == "up" or bool(self.asked and self.asked.get("run_program"))

    @property
    def refreshes(self) -> bool:
        """Whether it reads what its program does not: ``up`` and ``destroy`` with ``--refresh``."""
        if self.asked is not None:
            return bool(self.asked.get("refresh"))
        return bool(self._read)

    @property
    def _read(self) -> set[str]:
        """What was read that neither the program asked for nor its provider."""
        read = {place_of(call) for call in self.provider if call.rpc == "Read"}
        return read - self.eager - _looked_up(self.program)

    @property
    def references(self) -> dict[str, Mapping[str, Any]]:
        """The outputs of other stacks, by the names that the program asks for."""
        return {
            str(call.request.get("id", "")): (call.responses[0].get("properties") or {}).get("outputs") or {}
            for call in self.program
            if call.rpc == "ReadResource" and call.request.get("type") == STACK_REFERENCE and call.responses
        }


class _Part(Struct):
    """The lines of an operation, as far as they were met. ``cancels`` says whether the log has lines of Cancel at all."""

    cancels: bool
    lines: list[LogLine] = field(default_factory=list)
    runs: bool = False
    has_ended: bool = False
    has_worked: bool = False
    providers: int = 0
    cancelled: int = 0

    @property
    def is_operation(self) -> bool:
        """Whether anything was asked of the engine, or by it: a program that failed at once is none."""
        asks = any(line.service in (PROVIDER_SERVICE, MONITOR_SERVICE) for line in self.lines)
        return asks or any(line.request.get("operation") in STATE_COMMANDS for line in self.lines[:1])

    def takes(self, line: LogLine) -> bool:
        """Whether the line is one of this operation."""
        if line.service == OPERATION_SERVICE:
            return not self.lines
        if self.lines and self.lines[0].service == OPERATION_SERVICE:
            return True
        if line.service == LANGUAGE_SERVICE and line.rpc != "Run":
            # Engines ask a language's host before they do anything else.
            return not self.has_ended and not self.runs and not self.providers
        if line.service in (LANGUAGE_SERVICE, MONITOR_SERVICE):
            return not self.has_ended and (self.runs or not self._is_over)
        starts = line.service == PROVIDER_SERVICE and line.rpc in ("Handshake", "GetPluginInfo")
        return not starts or (self.runs and not self.has_ended) or not self._is_over

    @property
    def _is_over(self) -> bool:
        """Whether a provider that is started now is started by the next operation."""
        if self.cancels:
            return self.cancelled >= self.providers and bool(self.providers or self.has_ended)
        return self.has_ended or self.has_worked

    def add(self, line: LogLine) -> None:
        """Take the line."""
        self.lines.append(line)
        if line.service == MONITOR_SERVICE or (line.service == LANGUAGE_SERVICE and line.rpc == "Run"):
            self.runs = True
            self.has_ended = self.has_ended or (line.rpc == "Run" and not line.started)
        elif line.service == PROVIDER_SERVICE and not line.started:
            self.providers += line.rpc == "GetPluginInfo"
            self.cancelled += line.rpc == "Cancel"
            self.has_worked = self.has_worked or line.rpc not in STARTING


def operations(data: bytes, left_out: Counter[str]) -> list[LoggedOperation]:
    """The operations in a log, in order; empty for what is no such log. What is none is counted.

    Raises ``MalformedError`` for an array that breaks off.
    """
    lines = list(log_lines(data, left_out))
    cancels = any(line.service == PROVIDER_SERVICE and line.rpc == "Cancel" for line in lines)
    parts = [_Part(cancels)]
    for line in lines:
        if not parts[-1].takes(line):
            parts.append(_Part(cancels))
        parts[-1].add(line)
    return [_operation(part.lines, left_out) for part in parts if part.is_operation]


def _operation(lines: Sequence[LogLine], left_out: Counter[str]) -> LoggedOperation:
    asked = lines[0].request if lines[0].service == OPERATION_SERVICE else None
    finished = {service: list(calls) for service, calls in paired_calls(lines, left_out).items()}
    provider = finished.get(PROVIDER_SERVICE, [])
    runs = [call for call in finished.get(LANGUAGE_SERVICE, ()) if call.rpc == "Run"]
    return LoggedOperation(
        program=finished.get(MONITOR_SERVICE, []),
        provider=provider,
        packages=owners(provider),
        run=runs[0].request if runs else None,
        error=_error(runs),
        cut_off=bool(runs) and not runs[0].is_answered,
        # A destroy that deletes nothing may have been a preview, and does the same.
        preview=bool(runs and runs[0].request.get("dryRun")) if asked is None else _is_preview(asked),
        asked=asked,
        callbacks=finished.get(CALLBACKS_SERVICE, []),
    )


def _is_preview(asked: Mapping[str, Any]) -> bool:
    return asked.get("operation") == "preview" or bool(asked.get("preview"))


def _error(runs: Sequence[FinishedCall]) -> str:
    """How the program failed; empty if it did not, or was only ended because a step had failed."""
    said = (*(str(answer.get("error") or "") for run in runs for answer in run.responses), *(run.error for run in runs))
    return next((text for text in said if text and CANCELLED not in text), "")


def _looked_up(program: Iterable[FinishedCall]) -> set[str]:
    """What a program reads by itself: lookups and imports. Of one that failed, the log has no answer."""
    reads = (call.request for call in program if call.rpc == "ReadResource" or call.request.get("importId"))
    return {f"{request.get('type')}::{request.get('name')}" for request in reads}


def place_of(call: FinishedCall) -> str:
    """The type and name of the resource that a provider's call is about."""
    urn = str(call.request.get("urn", ""))
    parts = urn.split("::", 3)
    return f"{parts[2].rpartition('$')[2]}::{parts[3]}" if len(parts) == 4 else urn

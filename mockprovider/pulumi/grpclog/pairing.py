"""A log's lines, and the calls that they are about: two lines a call since engine 3.213, one before."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec import Struct

from mockprovider.errors import MalformedError
from mockprovider.pulumi.grpclog.words import CUT, DUPLICATES, PROVIDER_SERVICE, STRANGE, UNANSWERED, of_service
from mockprovider.pulumi.methods import PROVIDER

STARTED = "request_started"
MOST_TRIES = 20
"""So many places of a broken line are tried as the beginning of another one."""


class LogLine(Struct, frozen=True):
    """One line: what it is about, and the messages as JSON; ``answered`` says whether it tells how the call ended."""

    service: str
    rpc: str
    name: str
    mode: str
    request: dict[str, Any]
    response: dict[str, Any] | None
    error: str
    started: bool

    @property
    def answered(self) -> bool:
        """Whether it says how the call ended."""
        return self.response is not None or bool(self.error)

    @property
    def key(self) -> tuple[str, str, str]:
        """What the lines of one call share: nothing else pairs them."""
        return self.rpc, self.name, json.dumps(self.request, sort_keys=True)


class FinishedCall(Struct):
    """A call and its answers: one, but for streams. ``error`` is how it failed, in gRPC's words."""

    rpc: str
    name: str
    request: dict[str, Any]
    responses: list[dict[str, Any]]
    error: str = ""

    @property
    def is_answered(self) -> bool:
        """Whether the log says what came of it; of a stream it never says that nothing came."""
        return bool(self.responses or self.error) or is_stream(self.rpc)


def finished_calls(data: bytes, left_out: Counter[str]) -> dict[str, list[FinishedCall]]:
    """The answered calls in a log, by service; empty for what is no such log. What is none is counted.

    Raises ``MalformedError`` for an array that breaks off.
    """
    finished: dict[str, list[FinishedCall]] = defaultdict(list)
    for service, paired in paired_calls(log_lines(data, left_out), left_out).items():
        finished[service] = [call for call in paired if call.is_answered]
        is_providers = service == PROVIDER_SERVICE
        left_out[UNANSWERED if is_providers else of_service(service)] += len(paired) - is_providers * len(finished[service])
    return finished


def paired_calls(lines: Iterable[LogLine], left_out: Counter[str]) -> dict[str, list[FinishedCall]]:
    """The calls that lines are about, by service, in the order in which they ended; those without an answer are at the end."""
    return {
        service: _paired(_once(said, left_out) if service == PROVIDER_SERVICE else said)
        for service, said in _by_service(lines).items()
    }


# Lines ------------------------------------------------------------------------------------------------------------------


def log_lines(data: bytes, left_out: Counter[str]) -> Iterator[LogLine]:
    """The lines, or the elements of an array of them. What is none is counted.

    Raises ``MalformedError`` for an array that breaks off.
    """
    if data.lstrip()[:1] == b"[":
        entries = _parsed(data)
        if not isinstance(entries, list):
            raise MalformedError("it begins as a JSON array and is none. A log has a JSON object in each line.")
    else:
        entries = (entry for line in data.splitlines() if line.strip() for entry in _entries(line, left_out))
    for entry in entries:
        line = _line(entry)
        left_out[STRANGE] += line is None
        if line is not None:
            yield line


def _entries(line: bytes, left_out: Counter[str]) -> Iterator[Any]:
    """What a line holds. The next engine writes on where a killed one stopped, so another line may begin within it."""
    entry = _parsed(line)
    if entry is not None:
        yield entry
        return
    left_out[CUT] += 1
    place = 0
    for _ in range(MOST_TRIES):
        place = line.find(b'{"', place + 1)
        entry = _parsed(line[place:]) if place > 0 else None
        if isinstance(entry, dict) and "method" in entry:
            yield entry
        if place < 0 or (isinstance(entry, dict) and "method" in entry):
            return


def _parsed(text: bytes) -> Any:
    """The JSON; ``None`` for what is none."""
    try:
        return json.loads(text.decode())
    except (ValueError, RecursionError):
        return None


def _line(entry: Any) -> LogLine | None:
    """A line's object as a line; ``None`` for one of something else."""
    method = entry.get("method") if isinstance(entry, dict) else None
    if not isinstance(method, str) or method.count("/") != 2:
        return None
    _, service, rpc = method.split("/")
    metadata = entry.get("metadata") or {}
    request, response = entry.get("request") or {}, entry.get("response")
    if not isinstance(metadata, dict) or not isinstance(request, dict) or not isinstance(response, dict | None):
        return None
    errors = entry.get("errors") or ([entry["error"]] if entry.get("error") else [])
    return LogLine(
        service=service,
        rpc=rpc,
        name=str(metadata.get("name") or ""),
        mode=str(metadata.get("mode") or ""),
        request=request,
        response=response if not errors or response else None,
        error="; ".join(map(str, errors)) if isinstance(errors, list) else str(errors),
        started=entry.get("progress") == STARTED,
    )


# Calls ------------------------------------------------------------------------------------------------------------------


def _by_service(lines: Iterable[LogLine]) -> Mapping[str, list[LogLine]]:
    by_service: dict[str, list[LogLine]] = defaultdict(list)
    for line in lines:
        by_service[line.service].append(line)
    return by_service


def _once(lines: list[LogLine], left_out: Counter[str]) -> list[LogLine]:
    """The lines without those that a provider's server wrote of a call that the engine's client wrote down, too."""

    def content(line: LogLine) -> tuple[Any, ...]:
        return line.rpc, line.key[2], line.started, line.answered

    written = Counter(content(line) for line in lines if line.mode != "server")
    kept = []
    for line in lines:
        if line.mode == "server" and written[content(line)]:
            written[content(line)] -= 1
            left_out[DUPLICATES] += not line.started
        else:
            kept.append(line)
    return kept


def _paired(lines: list[LogLine]) -> list[FinishedCall]:
    """The calls, in the order in which they ended; those that never did at the end, without an answer."""
    calls: list[FinishedCall] = []
    waiting: dict[tuple[str, str, str], list[FinishedCall]] = defaultdict(list)
    for line in lines:
        call = FinishedCall(line.rpc, line.name, line.request, [])
        if line.service == PROVIDER_SERVICE and is_stream(line.rpc):
            _stream(line, call, waiting, calls)
        elif line.started:
            waiting[line.key].append(call)
        else:
            if waiting[line.key]:
                waiting[line.key].pop(0)
            calls.append(_answered(call, line))
    return calls + [call for queue in waiting.values() for call in queue if call not in calls]


def _stream(line: LogLine, call: FinishedCall, waiting: dict[Any, list[FinishedCall]], calls: list[FinishedCall]) -> None:
    """Add a stream's line: its request has one without a message, and nothing says that it has ended."""
    if not line.answered or not waiting[line.key]:
        waiting[line.key] = [call]
        calls.append(call)
    _answered(waiting[line.key][0], line)


def _answered(call: FinishedCall, line: LogLine) -> FinishedCall:
    call.responses += [line.response] if line.response is not None else []
    call.error = line.error
    return call


def is_stream(rpc: str) -> bool:
    """Whether an RPC that we know answers with a stream."""
    return rpc in PROVIDER.messages and PROVIDER.streams(rpc)

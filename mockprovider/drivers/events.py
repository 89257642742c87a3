"""What the CLI's event log says of one run: steps, diagnostics, and the summary that the CLI itself would count."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

from mockprovider.drivers.policing import PolicyEvents
from mockprovider.pulumi.policies import PolicyRemediation, PolicyViolation
from mockprovider.pulumi.result import Diagnostic
from mockprovider.urn import PROVIDERS, STACK_TYPE, Urn

READ = "read"
REFRESH = "refresh"


class Log(Struct, frozen=True):
    """One run: ``steps`` are (op, URN) of what was done, in the order of its beginning, ``diagnostics`` what was said.

    ``summary`` counts as the CLI's own summary does: a replacement once, a read only where it found something else than the
    last one; ``same``, the stack and providers are left out. ``urns`` are of all that the run had to do with.
    """

    steps: list[tuple[str, str]]
    diagnostics: list[Diagnostic]
    summary: dict[str, int]
    urns: frozenset[str]
    violations: list[PolicyViolation] = []
    remediations: list[PolicyRemediation] = []
    packs: list[tuple[str, str]] = []


class _Step(Struct):
    op: str
    urn: str
    logical: bool
    planning: bool
    done: bool = False
    failed: bool = False
    news: bool = True

    @property
    def happened(self) -> bool:
        # In a preview a step that failed is only missing its end; in a real run components have no end of their own.
        return self.done if self.planning else not self.failed

    @property
    def counts(self) -> bool:
        # A step that extends a provider by a parameter is about no resource.
        if self.op in ("same", REFRESH) or not self.urn or not self.happened:
            return False
        parsed = Urn.parse(self.urn)
        return self.logical and self.news and parsed.type != STACK_TYPE and not parsed.type.startswith(PROVIDERS)


def read_log(lines: Iterable[str]) -> Log:
    """The run that the event log ``lines``, one JSON object each, tells of."""
    steps: list[_Step] = []
    diagnostics: list[Diagnostic] = []
    policies = PolicyEvents()
    for line in lines:
        event = json.loads(line)
        if (begun := event.get("resourcePreEvent")) is not None:
            steps.append(_begun(begun))
        elif (ended := event.get("resOutputsEvent")) is not None:
            _end(steps, ended["metadata"])
        elif (failed := event.get("resOpFailedEvent")) is not None:
            _last(steps, failed["metadata"]).failed = True
        elif (diagnostic := event.get("diagnosticEvent")) is not None and diagnostic["severity"] != "debug":
            message = diagnostic["message"].removesuffix("\n")
            diagnostics.append(Diagnostic(diagnostic["severity"], message, diagnostic.get("urn", "")))
        else:
            policies.note(event)
    summary = Counter(step.op for step in steps if step.counts)
    urns = frozenset(step.urn for step in steps)
    happened = [(step.op, step.urn) for step in steps if step.happened]
    return Log(happened, diagnostics, dict(summary), urns, policies.violations, policies.remediations, policies.packs)


def _begun(event: Mapping[str, Any]) -> _Step:
    metadata = event["metadata"]
    return _Step(metadata["op"], metadata["urn"], bool(metadata.get("logical")), bool(event.get("planning")))


def _end(steps: list[_Step], metadata: Mapping[str, Any]) -> None:
    step = _last(steps, metadata)
    step.done = True
    if step.op == REFRESH and metadata["op"] != REFRESH:
        # A refresh step's op is known at its end, and reported only where the whole run is a refresh.
        step.op, step.logical = metadata["op"], True
    if step.op == READ:
        old, new = metadata.get("old") or {}, metadata.get("new") or {}
        step.news = bool(old) and old.get("outputs") != new.get("outputs")


def _last(steps: list[_Step], metadata: Mapping[str, Any]) -> _Step:
    """The step that ``metadata`` is about: of several for one resource one under way with its op, else a refresh under way."""

    def fits(step: _Step) -> tuple[bool, bool, bool]:
        # Several old instances of one resource are deleted, or refreshed, by equal steps.
        is_open, is_same = not (step.done or step.failed), step.op == metadata["op"]
        return is_open and (is_same or step.op == REFRESH), is_same, is_open

    return max((step for step in reversed(steps) if step.urn == metadata["urn"]), key=fits)


def take_log(events: Path) -> Log:
    """The log of a run, whose file is removed."""
    lines = events.read_text(encoding="utf-8").splitlines() if events.exists() else ()
    # The CLI writes secrets into it in plain text.
    events.unlink(missing_ok=True)
    return read_log(lines)

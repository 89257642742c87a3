"""What terraform and tofu print with ``-json``: as data, and in the words that their user would have read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from msgspec import Struct


class CliDiagnostic(Struct, frozen=True):
    """What an engine said to its user: ``severity`` is ``error`` or ``warning``, ``address`` the resource's, where it is known.

    ``snippet`` is the line of configuration that it points at and ``place`` its file and number, empty where it points at none.
    """

    severity: str
    summary: str
    detail: str = ""
    address: str = ""
    snippet: str = ""
    place: str = ""

    def __str__(self) -> str:
        about = f" ({self.address})" if self.address else ""
        heading = f"{self.severity.capitalize()}: {self.summary}{about}"
        where = f"  {self.place}: {self.snippet}" if self.place else ""
        return "\n".join(line for line in (heading, where, self.detail) if line)


def events(stdout: str) -> list[dict[str, Any]]:
    """The events of a JSON stream; other lines are warnings from before the stream starts."""
    return [event for event in map(_parsed, stdout.splitlines()) if "@level" in event]


def diagnostics(stdout: str) -> list[CliDiagnostic]:
    """The diagnostics of a JSON stream, or of the one document that some commands print."""
    document = _parsed(stdout).get("diagnostics")
    reports = document or [event["diagnostic"] for event in events(stdout) if event.get("type") == "diagnostic"]
    return [_diagnostic(report) for report in reports]


def readable(stdout: str) -> str:
    """What a command printed, with or without ``-json``, as people read it: messages, and all that its diagnostics say."""
    if "diagnostics" in _parsed(stdout):
        return "\n".join(map(str, diagnostics(stdout)))
    return "\n".join(map(_line, stdout.splitlines()))


def _line(line: str) -> str:
    event = _parsed(line)
    if event.get("diagnostic"):
        return str(_diagnostic(event["diagnostic"]))
    return str(event.get("@message", line))


def _parsed(text: str) -> dict[str, Any]:
    try:
        document: dict[str, Any] = json.loads(text) if text.startswith("{") else {}
    except ValueError:
        return {}
    return document


def _diagnostic(diagnostic: Mapping[str, Any]) -> CliDiagnostic:
    snippet, range_ = diagnostic.get("snippet") or {}, diagnostic.get("range") or {}
    code = str(snippet.get("code") or "").strip()
    place = f"{range_['filename']}, line {range_['start']['line']}" if range_ else ""
    return CliDiagnostic(
        diagnostic["severity"], diagnostic["summary"], diagnostic.get("detail", ""), diagnostic.get("address", ""), code, place
    )

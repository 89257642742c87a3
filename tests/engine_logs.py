"""Logs of the pinned ``pulumi``, kept in ``cassettes/engine-logs``: how they are made, and what of them is kept.

    ENGINE_LOGS=cassettes/engine-logs make test ARGS="tests/engines/test_same_as_pulumi.py tests/engines/test_same_options.py"

With that variable each test that runs both engines keeps the log of the real one, if the embedded engine makes the same calls.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path
from typing import Any

from msgspec.structs import asdict

from mockprovider.pulumi.stacks.imports import Import
from mockprovider.pulumi.values import to_plain

KEPT = Path(__file__).parents[1] / "cassettes" / "engine-logs"
FOLDER = os.environ.get("ENGINE_LOGS", "")

WANTED = re.compile(
    r"/pulumirpc\.(ResourceProvider/|Callbacks/|ResourceMonitor/(?!SupportsFeature|GetDeploymentInfo)|LanguageRuntime/Run$)"
)
"""What a comparison reads: no lines of language hosts, which name the machine's folders."""
PLACES = ("sourcePosition", "stackTrace", "parentStackTraceHandle", "pluginChecksums", "info", "pwd", "program", "args")
"""Fields of a program's requests that name the machine's folders, or say nothing of what it asks."""


class EngineLog:
    """The log that one test's engine writes; does nothing unless the variable is set."""

    def __init__(self, folder: Path) -> None:
        test = os.environ.get("PYTEST_CURRENT_TEST", "").split("::")[-1].split(" ")[0]
        self._name = re.sub(r"[^a-z0-9]+", "-", test.removeprefix("test_").lower()).strip("-")
        self._path = folder / "grpc.json"

    @property
    def environment(self) -> dict[str, str]:
        """The variable that has an engine write it."""
        return {"PULUMI_DEBUG_GRPC": str(self._path)} if FOLDER else {}

    def begin(self, operation: str, options: dict[str, Any]) -> None:
        """Say which operation, or command about the state, comes next: a log does not have the command line."""
        if FOLDER:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            line = {"method": "/mockprovider.Engine/Operation", "request": {"operation": operation, **options}}
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line, default=_plain) + "\n")

    def keep(self) -> None:
        """Keep what a comparison reads of it, if the embedded engine does the same."""
        from mockprovider.engine.verifying import verify_log  # noqa: PLC0415 - slow, and only makers of logs need it

        if not FOLDER or not self._path.is_file():
            return
        kept = "".join(f"{line}\n" for line in _lines(self._path.read_text(encoding="utf-8")))
        if not verify_log(kept.encode()).differences:
            Path(FOLDER).mkdir(parents=True, exist_ok=True)
            Path(FOLDER, f"{self._name}.jsonl").write_text(kept, encoding="utf-8")


def _plain(imported: Import) -> dict[str, Any]:
    bags = {name: to_plain(getattr(imported, name), plaintext_secrets=True) for name in ("inputs", "outputs")}
    return asdict(imported) | bags


def _lines(text: str) -> Iterator[str]:
    entries = [json.loads(line) for line in text.splitlines()]
    numbers = list(accumulate(entry["method"].startswith("/mockprovider.") for entry in entries))
    answered = {(number, *_key(entry)) for number, entry in zip(numbers, entries, strict=True) if not _is_start(entry)}
    for number, entry in zip(numbers, entries, strict=True):
        method = entry["method"]
        # A call that was under way when the engine stopped has no other line.
        unanswered = _is_start(entry) and "ResourceMonitor" in method and (number, *_key(entry)) not in answered
        is_wanted = not _is_start(entry) or method.endswith("/Run") or unanswered
        if method.startswith("/mockprovider.") or (WANTED.match(method) and is_wanted):
            if "ResourceProvider" not in method:
                entry["request"] = {
                    name: value
                    for name, value in entry["request"].items()
                    if name not in PLACES or (name == "args" and "tok" in entry["request"])
                }
            yield json.dumps(_without_folders(entry), separators=(",", ":"), sort_keys=True)


def _is_start(entry: Any) -> bool:
    return bool(entry.get("progress") == "request_started")


def _key(entry: Any) -> tuple[str, str]:
    return entry["method"], json.dumps(entry["request"], sort_keys=True)


def _without_folders(value: Any) -> Any:
    """The same with the machine's folders and times taken out."""
    if isinstance(value, dict):
        return {
            name: _without_folders(item)
            for name, item in value.items()
            if name not in ("rootDirectory", "programDirectory", "timestamp")
        }
    if isinstance(value, list):
        return [_without_folders(item) for item in value]
    if not isinstance(value, str):
        return value
    # A program that failed tells where, line by line.
    value = re.sub(r'File "[^"]*/(?=[^/"]+")', 'File "', value)
    return re.sub(r"(/[^/:\s]+)*/(?=[^/\s]+\.(txt|zip|tar|gz)$)", "/", value) if value.startswith("/") else value

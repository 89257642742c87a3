"""Logs with one thing changed, to prove that a comparison notices it."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

from mockprovider.engine.verifying.comparing import leaves
from mockprovider.engine.verifying.generations import EngineGeneration, generation
from mockprovider.engine.verifying.operations import operations
from mockprovider.pulumi.grpclog.words import PROVIDER_SERVICE

Entry = dict[str, Any]


def mutated_logs(data: bytes, count: int, seed: int) -> Iterator[tuple[str, bytes]]:
    """``count`` logs, each with one call taken out, doubled, or with another value in its request; and what was done.

    Only what a comparison looks at is changed: what its generation excuses may differ.
    """
    entries = [json.loads(line) for line in data.splitlines() if line.strip()]
    engine = generation(call for operation in operations(data, Counter()) for call in operation.provider)
    places = [place for place, entry in enumerate(entries) if _is_compared(entry, engine)]
    chance = random.Random(seed)  # noqa: S311 - equal seeds make equal logs
    for _ in range(count if places else 0):
        place = chance.choice(places)
        what, changed = chance.choice((_without, _twice, _changed))(entries, place, engine, chance)
        yield f"line {place + 1}: {what}", "\n".join(json.dumps(entry) for entry in changed).encode()


def _is_compared(entry: Entry, engine: EngineGeneration) -> bool:
    service, rpc = str(entry.get("method", "")).split("/")[1:3]
    answered = entry.get("progress") != "request_started" and ("response" in entry or entry.get("errors"))
    return service == PROVIDER_SERVICE and bool(answered) and not engine.excuses_old(rpc) and not engine.excuses_new(rpc)


def _without(entries: list[Entry], place: int, *_: Any) -> tuple[str, list[Entry]]:
    entry = entries[place]
    # Its other line, of when it was asked, goes with it.
    started = next((at for at in range(place - 1, -1, -1) if _is_start(entries[at], entry)), None)
    kept = [other for at, other in enumerate(entries) if at not in (place, started)]
    return f"{_name(entry)} is left out", kept


def _twice(entries: list[Entry], place: int, *_: Any) -> tuple[str, list[Entry]]:
    return f"{_name(entries[place])} is there twice", [*entries[: place + 1], *entries[place:]]


def _changed(entries: list[Entry], place: int, engine: EngineGeneration, chance: random.Random) -> tuple[str, list[Entry]]:
    entry = json.loads(json.dumps(entries[place]))
    rpc = entry["method"].rpartition("/")[2]
    # Whose call it is decides what it is compared with.
    paths = [
        path for path, _ in leaves(entry["request"]) if not engine.excuses_field(rpc, path) and path not in ("", "urn", "tok")
    ]
    if not paths:
        return _without(entries, place)
    path = chance.choice(sorted(paths))
    _change(entry["request"], path)
    return f"{path} of {_name(entry)} is another", [*entries[:place], entry, *entries[place + 1 :]]


def _change(request: Any, path: str) -> None:
    """Put another value of the same kind at the path of a leaf."""
    for key in list(request) if isinstance(request, dict) else range(len(request)):
        inner = request[key]
        step = f"[{key}]" if isinstance(key, int) else str(key)
        rest = path.removeprefix(step).removeprefix(".")
        if path == step:
            request[key] = _another(inner)
            return
        if path.startswith((f"{step}.", f"{step}[")) and isinstance(inner, (dict, list)):
            _change(inner, rest)
            return


def _another(leaf: Any) -> Any:
    if isinstance(leaf, (dict, list)):
        return {"other": True} if isinstance(leaf, dict) else ["other"]
    return not leaf if isinstance(leaf, bool) else leaf + 1 if isinstance(leaf, (int, float)) else f"{leaf}?"


def _is_start(line: Entry, entry: Entry) -> bool:
    same = all(line.get(name) == entry.get(name) for name in ("method", "request", "metadata"))
    return same and line.get("progress") == "request_started"


def _name(entry: Entry) -> str:
    request = entry.get("request") or {}
    return f"{entry['method'].rpartition('/')[2]} of {request.get('urn') or request.get('tok') or 'a provider'}"

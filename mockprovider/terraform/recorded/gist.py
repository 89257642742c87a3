"""What recorded answers of Terraform providers come to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from mockprovider.calls import EFFECTS, Op
from mockprovider.cassette.gist import Gist, changed, worded
from mockprovider.wire.transcript import MESSAGES


def gist(op: str, request: Mapping[str, Any], response: Mapping[str, Any]) -> Gist:
    """The gist of an answer, given the trees of both messages."""
    failures = tuple(_failure(one) for one in _diagnostics(response) if one.get("severity") == "ERROR")
    if op == Op.PLAN:
        before, after = _value(request, "prior_state"), _value(response, "planned_state")
        changes = changed(before or {}, after or {})
        needed = tuple(map(_path, response.get("requires_replace", ())))
        # Some providers name all attributes that would need a new object, whether they change or not.
        replaces = tuple(path for path in needed if before and after and path.partition("[")[0].partition(".")[0] in changes)
        return Gist(failures=failures, before=before, after=after, changes=changes, replaces=replaces)
    before = _value(request, "prior_state" if op in EFFECTS else "current_state")
    after = _value(response, "new_state")
    # What is about a data source has no state before, and keeps what it reads elsewhere.
    return Gist(failures=failures, before=before, after=after, gone=op == Op.READ and before is not None and after is None)


def _diagnostics(answer: Mapping[str, Any]) -> Iterable[Mapping[str, Any]]:
    """The diagnostics of an answer: of a stream, those of its messages, and of what an action has completed."""
    parts: list[Mapping[str, Any]] = [answer, *answer.get(MESSAGES, ())]
    for part in (*parts, *(part["completed"] for part in parts if "completed" in part)):
        yield from (*part.get("diagnostics", ()), *part.get("diagnostic", ()))


def _value(message: Mapping[str, Any], field: str) -> Any:
    value = message.get(field) or {}
    return value.get("msgpack", value.get("json"))


def _failure(diagnostic: Mapping[str, Any]) -> str:
    place = _path(diagnostic.get("attribute") or {})
    words = ": ".join(filter(None, (worded(diagnostic.get("summary")), worded(diagnostic.get("detail")))))
    return f"{place}: {words}" if place else words


def _path(path: Mapping[str, Any]) -> str:
    return "".join(_steps(path.get("steps", ()))).removeprefix(".")


def _steps(steps: Iterable[Mapping[str, Any]]) -> Iterable[str]:
    for step in steps:
        for kind, key in step.items():
            yield f".{worded(key)}" if kind == "attribute_name" else f"[{worded(key) or key}]"

"""What recorded answers of Pulumi providers come to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mockprovider.calls import Op
from mockprovider.cassette.gist import Gist, worded

PRIOR: Mapping[str, str] = {Op.READ: "properties", Op.UPDATE: "olds", Op.DELETE: "properties"}
"""Where a request has what the engine remembers of the object."""


def gist(op: str, request: Mapping[str, Any], response: Mapping[str, Any]) -> Gist:
    """The gist of an answer, given the trees of both messages."""
    if op in (Op.DIFF, Op.DIFF_CONFIG):
        replaces = tuple(response.get("replaces", ()))
        changes = tuple(response.get("detailedDiff") or response.get("diffs") or replaces)
        # A provider that names no property may still say that there is some change.
        return Gist(changes=changes or (("?",) if response.get("changes") == "DIFF_SOME" else ()), replaces=replaces)
    return Gist(
        failures=tuple(map(_failure, response.get("failures", ()))),
        before=request.get(PRIOR.get(op, "")),
        after=response.get("properties"),
        gone=op == Op.READ and not response.get("id"),
    )


def _failure(failure: Mapping[str, Any]) -> str:
    return ": ".join(filter(None, (worded(failure.get("property")), worded(failure.get("reason")))))

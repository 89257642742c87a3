"""What a log does not say of an operation, and what its later lines show of it.

- Errors have no details. A Create that failed and left an object is followed by a call with that object's id and outputs, a
  Read that failed and found one by its Diff.
- No line says that a refresh was a preview. What it read was forgotten, if the next call has the values from before.
- No line says that a resource is read because its provider asked for that. An earlier answer does.
- Files of assets are not in a log; their hashes are in what the engine sent.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from mockprovider.engine.verifying.operations import LoggedOperation, place_of
from mockprovider.pulumi.grpclog.pairing import FinishedCall
from mockprovider.pulumi.signatures import ARCHIVE, ASSET, SIGNATURE

OUTPUTS: Mapping[str, str] = {"Diff": "olds", "Update": "olds", "Read": "properties", "Delete": "properties"}
"""The field of each request in which an engine sends what it remembers of an object."""

CREATING = frozenset({*OUTPUTS, "Create"})


class PartialObject(Struct, frozen=True):
    """What a failed call left behind: an object's id, and its outputs and inputs as the log has them."""

    id: str
    outputs: Mapping[str, Any]
    inputs: Mapping[str, Any] | None


def partial_objects(operations: Sequence[LoggedOperation]) -> dict[int, PartialObject]:
    """What the failed creates and updates in a log have left, and failed reads found, by the ``id`` of their calls."""
    left: dict[int, PartialObject] = {}
    for place, operation in enumerate(operations):
        for number, call in enumerate(operation.provider):
            if call.error and call.rpc == "Read":
                diffs = (other for other in operation.provider[number:] if other.rpc == "Diff")
                compared = next((other for other in diffs if _urn(other) == _urn(call)), None)
                left |= {id(call): _shown_by(compared)} if compared else {}
            elif call.error and call.rpc in ("Create", "Update") and not operation.preview:
                urn = _urn(call)
                before = {str(other.request.get("id", "")) for other in _about(operations[: place + 1], urn)}
                known = next((other for other in _about(operations[place + 1 :], urn) if other.rpc in CREATING), None)
                partial = _left_by(call, known, before) if known else None
                left |= {id(call): partial} if partial else {}
    return left


def _left_by(call: FinishedCall, known: FinishedCall, before: Collection[str]) -> PartialObject | None:
    """What ``known``, the next call that has an object of this resource, shows; ``before`` are the ids of earlier objects."""
    if known.rpc == "Create" or (call.rpc == "Create" and known.request.get("id", "") in before):
        return None
    shown = _shown_by(known)
    if call.rpc == "Create":
        return shown
    # An update that changed nothing has only failed; one that did leaves the inputs as they were.
    return replace(shown, inputs=None) if shown.outputs != call.request.get("olds") else None


def _shown_by(known: FinishedCall) -> PartialObject:
    inputs = known.request.get("oldInputs", known.request.get("inputs"))
    return PartialObject(str(known.request.get("id", "")), known.request.get(OUTPUTS[known.rpc]) or {}, inputs)


def note_previews(operations: Sequence[LoggedOperation]) -> None:
    """Mark the refreshes and destroys that were previews."""
    for place, operation in enumerate(operations):
        if operation.run is None and operation.asked is None:
            asked = {call.rpc for call in operation.provider}
            is_forgotten = any(
                _is_forgotten(call, operations[place + 1 :]) for call in operation.provider if call.rpc == "Read"
            )
            operation.preview = is_forgotten or not asked & {"Read", "Delete"}


def note_eager(operations: Sequence[LoggedOperation]) -> None:
    """Note in each operation what providers had asked until then to be read before each update."""
    eager: set[str] = set()
    for operation in operations:
        operation.eager = frozenset(eager)
        for call in operation.provider if not operation.preview else ():
            if call.rpc in ("Create", "Read", "Update") and call.responses:
                asks = any(answer.get("refreshBeforeUpdate") for answer in call.responses)
                (eager.add if asks else eager.discard)(place_of(call))


def _is_forgotten(read: FinishedCall, later: Sequence[LoggedOperation]) -> bool:
    before, answered = read.request.get("properties"), (read.responses[0] if read.responses else {}).get("properties")
    known = next((call for call in _about(later, read.request.get("urn")) if call.rpc in OUTPUTS), None)
    return known is not None and before != answered and known.request.get(OUTPUTS[known.rpc]) == before


def _about(operations: Sequence[LoggedOperation], urn: Any) -> Iterator[FinishedCall]:
    return (call for operation in operations for call in operation.provider if urn and _urn(call) == urn)


def _urn(call: FinishedCall) -> Any:
    return call.request.get("urn")


def hashes(operation: LoggedOperation) -> dict[str, str]:
    """The hashes of assets and archives, as the log's engine sent them, by what tells these from others."""
    known: dict[str, str] = {}
    for call in operation.provider:
        # What is old may have the hash that a file had before.
        for asset in _assets([call.request.get(name) for name in ("news", "args")]):
            if asset.get("hash") and _content(asset):
                known.setdefault(_content(asset), asset["hash"])
    return known


def fill_hashes(value: Any, known: Mapping[str, str]) -> None:
    """Give the assets in a request the hashes that their files had."""
    for asset in _assets(value):
        if not asset.get("hash") and _content(asset) in known:
            asset["hash"] = known[_content(asset)]


def _content(asset: Mapping[str, Any]) -> str:
    """The path of an asset or archive, or the hashes of an archive's members; empty for what has its content with it."""
    members = asset.get("assets") or {}
    return str(
        asset.get("path") or (json.dumps({name: members[name].get("hash") for name in sorted(members)}) if members else "")
    )


def _assets(value: Any) -> Iterator[dict[str, Any]]:
    """The assets and archives in a JSON value, the inner ones first."""
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _assets(inner)
    if isinstance(value, dict) and value.get(SIGNATURE) in (ASSET, ARCHIVE):
        yield value

"""The files that are kept of a run: journal, cloud, events, and the engine's state."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, Protocol

from mockprovider.calls import Call, Reply
from mockprovider.double.double import Double
from mockprovider.double.keptcalls import kept_calls
from mockprovider.double.masking import RunSecrets, mask, mask_state
from mockprovider.journal import Entry
from mockprovider.values import Bag

Masked = Callable[[str, Bag | None], Any]
"""A type's bag as plain JSON, secrets masked."""


class Exporting(Protocol):
    """An engine whose state can be exported."""

    def export(self) -> dict[str, Any]:
        """The state as data."""


def keep(folder: Path, double: Double, stack: Exporting | None = None, run_secrets: RunSecrets | None = None) -> list[str]:
    """Write the artefacts of a run into ``folder``, and return the names of the files. Secrets are masked in all of them.

    ``run_secrets`` are those of all doubles of the run, unless there is only this one.
    """
    folder.mkdir(parents=True, exist_ok=True)
    secrets = run_secrets or RunSecrets(double.schemas, double.journal, double.redactor)

    def masked(type_: str, bag: Bag | None) -> Any:
        from mockprovider.pulumi.values import to_plain  # noqa: PLC0415 - protobuf is slow to import

        return None if bag is None else secrets.bag(type_, to_plain(mask(double.schemas, type_, bag)))

    entries = [*double.journal]
    calls = kept_calls(entries, secrets, cache(double.contract.is_there))
    content: dict[str, Any] = {
        "journal.json": [_entry(entry, masked) | {"wire": calls.get(entry.n)} for entry in entries],
        "cloud.json": [
            {"type": cloud_object.type, "id": cloud_object.id, "properties": masked(cloud_object.type, cloud_object)}
            for cloud_object in double.cloud.objects()
        ],
        "events.json": [
            {"n": event.n, "effect": event.effect, "type": event.type, "id": event.id, "after": masked(event.type, event.after)}
            for event in double.cloud.events
        ],
    }
    if stack is not None:
        content["state.json"] = mask_state(stack.export())
    for name, artefact in content.items():
        write(folder / name, secrets.scrub(artefact))
    return sorted(content)


def write(path: Path, content: Any) -> None:
    """Write ``content`` as indented JSON."""
    path.write_text(json.dumps(content, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def _entry(entry: Entry, masked: Masked) -> dict[str, Any]:
    call, reply = entry.call, entry.reply
    return {
        "n": entry.n,
        "side": entry.side,
        "session": call.session.number,
        "method": call.method or call.op.value,
        "call": _call(call, masked),
        "reply": _reply(call.type, reply, masked) if reply else None,
        **({"error": entry.error} if entry.error else {}),
        **({"made_up": True} if reply and reply.made_up else {}),
    }


def _call(call: Call, masked: Masked) -> dict[str, Any]:
    bags = {name: getattr(call, name) for name in ("inputs", "prior", "prior_inputs", "planned")}
    words = {name: getattr(call, name) for name in ("type", "name", "urn", "address", "id", "preview")}
    return {name: item for name, item in words.items() if item} | {
        name: masked(call.type, bag) for name, bag in bags.items() if bag is not None
    }


def _reply(type_: str, reply: Reply, masked: Masked) -> dict[str, Any]:
    shown: dict[str, Any] = {"id": reply.id} if reply.id else {}
    shown |= {name: masked(type_, bag) for name in ("value", "inputs") if (bag := getattr(reply, name)) is not None}
    if reply.plan is not None:
        shown["changes"] = [
            {"path": change.path, "kind": change.kind, "replaces": change.replaces} for change in reply.plan.changes
        ]
    if reply.failures:
        shown["failures"] = [failure.reason for failure in reply.failures]
    return shown

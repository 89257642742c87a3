"""What a failed test shows: what its double saw, in a few lines. ``artefacts`` keeps all of it."""

from __future__ import annotations

from collections.abc import Iterator

from mockprovider.calls import Op
from mockprovider.cloud import CloudObject
from mockprovider.double.double import Double
from mockprovider.double.masking import RunSecrets, mask
from mockprovider.journal import Entry, Side

CALLS = 40
"""How many calls are shown, the last ones; of earlier ones those that went wrong."""
OBJECTS = 20
"""How many objects are shown, the newest ones."""
WIDTH = 200
"""How much is shown of one object."""


def explain(double: Double, run_secrets: RunSecrets | None = None, *, name: str = "") -> Iterator[str]:
    """Lines about what the engine asked, what exists, and which faults were to fire. Secrets are masked.

    ``run_secrets`` are those of all doubles of the run, unless there is only this one; ``name`` tells it from the others.
    """
    secrets = run_secrets or RunSecrets(double.schemas, double.journal, double.redactor)
    yield from map(secrets.scrub, _lines(double, name))


def _lines(double: Double, name: str) -> Iterator[str]:
    yield f"What the engine asked{f' {name}' if name else ''}:"
    if double.journal.forgotten:
        yield (
            f"  ... {double.journal.forgotten} earlier entries are forgotten: a journal keeps {double.journal.limit}, or what "
            "provider.journal.limit is set to"
        )
    yield from _calls([entry for entry in double.journal if entry.side is Side.ENGINE])
    if double.is_served and not len(double.journal):
        served = ", ".join(double.packages) or f"{double.name} (nothing is declared: provider.define(...))"
        yield f"What real engines find: {served}"
    objects = double.cloud.objects()
    if double.is_fake or objects:
        # The objects of real and recorded providers are not in our cloud.
        yield "What exists:"
        yield from _objects(double, objects)
    if double.is_fake:
        yield from _undeclared(double)
    yield from map(str, double.engines.held[-CALLS:])
    for rule in double.faults.rules:
        yield f"Fault: {rule}{f': {rule.unfired}' if rule.unfired else ''}"


def _undeclared(double: Double) -> Iterator[str]:
    """For each package of which nobody declared types or functions that only gave back what they got: what knows more."""
    used: dict[str, dict[str, None]] = {}
    for entry in double.journal:
        call, package = entry.call, entry.call.type.partition(":")[0]
        known = double.packages.get(package)
        declared = known is not None and (call.type in known.resources or call.type in known.functions)
        echoed = call.op in (Op.CREATE, Op.INVOKE) and entry.reply is not None and entry.reply.value == call.inputs
        if entry.side is Side.ENGINE and echoed and not declared:
            used.setdefault(package, {})[call.type] = None
    for package, tokens in used.items():
        first, *others = tokens
        yield (
            f"Nobody declared {first}{f' and {len(others)} more' if others else ''}: a program gets back what it gave, and no "
            f"other outputs. An installed SDK or a schema of {package} has them: provider.define(from_sdk(...)), or another "
            "way of those in mockprovider docs schemas."
        )


def _calls(entries: list[Entry]) -> Iterator[str]:
    last = len(entries) - CALLS
    shown = [entry for at, entry in enumerate(entries) if at >= last or not _went_well(entry)]
    if len(shown) < len(entries):
        yield f"  ... {len(entries) - len(shown)} earlier calls that went well are in journal.json"
    yield from map(str, shown)
    if not entries:
        yield "  nothing"


def _went_well(entry: Entry) -> bool:
    return entry.reply is not None and entry.reply.ok


def _objects(double: Double, objects: list[CloudObject]) -> Iterator[str]:
    if len(objects) > OBJECTS:
        yield f"  ... {len(objects) - OBJECTS} older objects are in cloud.json"
    for cloud_object in objects[-OBJECTS:]:
        text = str(mask(double.schemas, cloud_object.type, cloud_object))
        yield f"  {cloud_object.type} {cloud_object.id} {text if len(text) <= WIDTH else text[:WIDTH] + '...'}"
    if not objects:
        yield "  nothing"

"""``run``: a project folder on the embedded engine, with state and cloud kept between the runs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from mockprovider.cli.types import read_types
from mockprovider.cloud import Cloud, MemoryStore
from mockprovider.double import Double, RealClock, Wiring, replaying
from mockprovider.engine import SPOKEN, Result, Stack
from mockprovider.errors import DefinitionError, MalformedError
from mockprovider.files import write_json
from mockprovider.pulumi.values import from_plain, to_plain


def run(
    folder: Path,
    operation: str,
    types: Sequence[Path],
    *,
    stack: str,
    cassette: Path | None,
    seed: int,
    timeout: float,
    **options: Any,
) -> None:
    """Run one operation, with its own ``options``.

    Raises ``ProgramError`` if it fails; what was done by then is kept all the same.
    """
    kept = folder / ".mockprovider" / f"{stack}.json"
    before = _read(kept)
    store = MemoryStore.restore(from_plain(before.get("cloud") or {}))
    provider = _recorded(cassette) if cassette else None
    with Double(*read_types(types), provider=provider, cloud=Cloud(store, seed), seed=seed, clock=RealClock()) as double:
        engine = Stack(double, project=folder, name=stack, seed=seed, timeout=timeout)
        if "state" in before:
            engine.import_(before["state"])
        try:
            result: Result = getattr(engine, operation)(**options)
        finally:
            if operation != "preview":
                kept.parent.mkdir(parents=True, exist_ok=True)
                # Like every export, it holds secrets in plain text.
                write_json(kept, {"state": engine.export(), "cloud": to_plain(store.snapshot())}, private=True, sort_keys=True)
    _show(result, operation)


def _recorded(cassette: Path) -> Wiring:
    wiring = replaying(cassette)
    if wiring.protocol != SPOKEN:
        raise DefinitionError(
            f"{cassette} was recorded over {wiring.protocol}; the embedded engine needs a recording over {SPOKEN}."
        )
    return wiring


def _show(result: Result, operation: str) -> None:
    for op, urn in result.steps:
        if op != "same":
            click.echo(f"  {op:<20} {urn}")
    for diagnostic in result.diagnostics:
        click.echo(f"  {diagnostic}")
    counts = ", ".join(f"{count} {op}" for op, count in result.summary.items()) or "nothing changed"
    click.echo(f"{operation}: {counts}")
    for name, value in result.outputs.items():
        shown = "[secret]" if name in result.secret_outputs else json.dumps(to_plain(value))
        click.echo(f"  {name} = {shown}")


def _read(path: Path) -> Mapping[str, Any]:
    if not path.exists():
        return {}
    try:
        content: Mapping[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, OSError) as error:
        raise MalformedError(f"{path} cannot be read: {error}. Delete it to begin anew.") from error
    return content

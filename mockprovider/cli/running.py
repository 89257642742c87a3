"""``run``: a project folder on the embedded engine, with state and cloud kept between the runs."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from mockprovider.cli.cassette.screen import terminal
from mockprovider.cli.tree import OperationShown, TreeLine
from mockprovider.cli.types import read_types
from mockprovider.cloud import Cloud, MemoryStore
from mockprovider.double import Double, RealClock, Wiring, replaying
from mockprovider.engine import SPOKEN, EngineEvent, Result, Stack
from mockprovider.errors import DefinitionError, MalformedError, ProgramError
from mockprovider.files import write_json
from mockprovider.pulumi.values import from_plain, to_plain

STACK = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9_.-]{0,99}")
"""The names that ``pulumi`` gives stacks; another one could be a path."""


def run(
    folder: Path,
    operation: str,
    types: Sequence[Path],
    *,
    stack: str,
    cassette: Path | None,
    seed: int,
    timeout: float,
    policies: Sequence[Path] = (),
    details: bool = False,
    **options: Any,
) -> None:
    """Run one operation, with its own ``options``; an up or a preview keeps to ``policies``, ``details`` show each property.

    Raises ``ProgramError`` if it fails; what was done by then is kept all the same.
    """
    if not STACK.fullmatch(stack):
        raise DefinitionError(f"{stack!r} is no name of a stack: letters, digits, '-', '_' and '.' make one, 100 at most.")
    kept = folder / ".mockprovider" / f"{stack}.json"
    before = _read(kept)
    store = MemoryStore.restore(from_plain(before.get("cloud") or {}))
    provider = _recorded(cassette) if cassette else None
    with Double(*read_types(types), provider=provider, cloud=Cloud(store, seed), seed=seed, clock=RealClock()) as double:
        engine = Stack(double, project=folder, name=stack, seed=seed, timeout=timeout, policies=policies)
        if "state" in before:
            engine.import_(before["state"])
        shown = OperationShown(details=details)
        try:
            with _screen(shown) as engine.on_event:
                result: Result = getattr(engine, operation)(**options)
        except ProgramError as error:
            if shown.result is None:
                raise
            # The screen has said why.
            raise ProgramError(f"The {operation} of {engine.project}/{stack} failed: see the diagnostics above.") from error
        except KeyboardInterrupt:
            left = "Nothing was changed." if operation == "preview" else f"What was done by then is kept in {kept}."
            raise ProgramError(f"The {operation} of {engine.project}/{stack} was interrupted. {left}") from None
        finally:
            if operation != "preview":
                kept.parent.mkdir(parents=True, exist_ok=True)
                # Like every export, it holds secrets in plain text.
                write_json(kept, {"state": engine.export(), "cloud": to_plain(store.snapshot())}, private=True, sort_keys=True)
    click.echo(_counts(result, operation))


def _recorded(cassette: Path) -> Wiring:
    wiring = replaying(cassette)
    if wiring.protocol != SPOKEN:
        raise DefinitionError(
            f"{cassette} was recorded over {wiring.protocol}; the embedded engine needs a recording over {SPOKEN}."
        )
    return wiring


@contextmanager
def _screen(shown: OperationShown) -> Iterator[Callable[[EngineEvent], None]]:
    """What is to be told the events of an operation: in a terminal it shows the tree while that grows, and all in the end."""
    console = terminal()
    if console is None:
        try:
            yield shown.tell
        finally:
            if shown.begun:
                click.echo("\n".join(line.text for line in shown.lines()))
        return
    from rich.live import Live  # noqa: PLC0415 - slow to import, and a pipe does not need it
    from rich.text import Text  # noqa: PLC0415 - as above

    def text(lines: Sequence[TreeLine]) -> Text:
        return Text("\n").join(Text(line.text, line.style) for line in lines)

    def now() -> Text:
        # A line less than there is: what is higher than the terminal could not be taken off it again.
        return text(shown.now(console.width, console.height - 1))

    try:
        with Live(console=console, get_renderable=now, transient=True):
            yield shown.tell
    finally:
        if shown.begun:
            console.print(text(shown.lines(console.width)), soft_wrap=True)


def _counts(result: Result, operation: str) -> str:
    return f"{operation}: {', '.join(f'{count} {op}' for op, count in result.summary.items()) or 'nothing changed'}"


def _read(path: Path) -> Mapping[str, Any]:
    if not path.exists():
        return {}
    try:
        content: Mapping[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, OSError) as error:
        raise MalformedError(f"{path} cannot be read: {error}. Delete it to begin anew.") from error
    return content

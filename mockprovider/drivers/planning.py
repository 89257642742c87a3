"""Update plans as files of the ``pulumi`` command line, which tests may have as data."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any


@contextmanager
def planned(plan: Mapping[str, Any] | Path | str | None, folder: Path) -> Iterator[Path | None]:
    """The file of ``plan``; of data, one in ``folder``, which is there while the block runs."""
    if not isinstance(plan, Mapping):
        # The command line runs in a folder of its own.
        yield Path(plan).resolve() if plan else None
        return
    path = folder / "plan.json"
    path.write_text(json.dumps(plan), encoding="utf-8")
    try:
        yield path
    finally:
        # It may hold secrets in plain text.
        path.unlink()


@contextmanager
def planning(wanted: Path | str | bool, folder: Path) -> Iterator[Path | None]:
    """The file to save a plan in, where one is ``wanted``; if nobody said which, one in ``folder`` for the block."""
    if isinstance(wanted, (str, Path)):
        yield Path(wanted).resolve()
        return
    path = folder / "plan.json" if wanted else None
    try:
        yield path
    finally:
        if path is not None:
            path.unlink(missing_ok=True)

"""The file in which the CLI's own backend keeps a stack: read directly, because asking the CLI takes it half a second."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

ENCRYPTED = '"ciphertext"'


def read_checkpoint(backend: Path, project: str, stack: str) -> Mapping[str, Any] | None:
    """The stack as ``pulumi stack export --show-secrets`` would print it.

    ``None`` where the CLI has to be asked: the stack is kept elsewhere, or has secrets, which only the CLI can decrypt.
    """
    path = backend / ".pulumi" / "stacks" / project / f"{stack}.json"
    text = path.read_text(encoding="utf-8") if path.exists() else ENCRYPTED
    if ENCRYPTED in text:
        return None
    checkpoint = json.loads(text)
    return {"version": checkpoint["version"], "deployment": checkpoint["checkpoint"].get("latest") or {}}


def unlock(backend: Path, pid: int) -> None:
    """Take the lock of a CLI that was killed here off its stack, which would stay locked for ever."""
    for lock in backend.glob(".pulumi/locks/**/*.json"):
        # One that is only half written does not say whose it is.
        with suppress(OSError, ValueError):
            if json.loads(lock.read_bytes())["pid"] == pid:
                lock.unlink()

"""Files and folders that users name: what is wrong with one, which is nearest, and what to do next."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from mockprovider.errors import MalformedError, MockProviderError
from mockprovider.hints import did_you_mean

NEAR = 0.75
"""How alike the names of two files must be for one to be a misspelling of the other."""


def read_text(path: Path, what: str, how: str) -> str:
    """The text of a file in UTF-8; ``what`` it is to be, and ``how`` to get one, stand in errors.

    Raises ``MalformedError`` if there is none, it is a folder, it may not be read, or it is no text.
    """
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        # All of them end alike, which makes none of them near.
        hint = did_you_mean(path.name, _beside(path.parent), alike=NEAR)
        raise MalformedError(" ".join(filter(None, (f"There is no {what} at {path}.", hint, how)))) from None
    except IsADirectoryError:
        hint = did_you_mean("", _beside(path), "It holds") if _beside(path) else ""
        raise MalformedError(" ".join(filter(None, (f"{path} is a folder, and no {what}.", hint, how)))) from None
    except OSError as error:
        raise MalformedError(f"The {what} {path} cannot be read: {error.strerror}. {how}") from error
    except UnicodeDecodeError as error:
        raise MalformedError(f"{path} is no {what}: it is no text in UTF-8. {how}") from error
    except ValueError as error:
        raise MalformedError(f"{path} is no path: {error}. {how}") from error


def nearest(path: Path) -> str:
    """Which file or folder beside ``path``, which is not there, was meant; empty if none is near."""
    try:
        names = [beside.name for beside in path.parent.iterdir()]
    except OSError:
        return ""
    return did_you_mean(path.name, names)


def make_folder(path: Path) -> None:
    """Make a folder, and those above it, unless it is there. Raises ``MockProviderError`` where none can be."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise MockProviderError(f"Cannot make the folder {path}: {reason}. Name a folder of yours.") from error


def write_json(path: Path, content: Any, *, private: bool = False, sort_keys: bool = False) -> None:
    """Write data as JSON, the file whole or not at all; a ``private`` one is its owner's alone. Raises ``OSError``."""
    write_text(path, json.dumps(content, indent=1, sort_keys=sort_keys) + "\n", private=private)


def write_text(path: Path, text: str, *, private: bool = False) -> None:
    """Write text, the file whole or not at all; a ``private`` one is its owner's alone. Raises ``OSError``."""
    # Renamed into place, so that a crash leaves the old file or the new one, never half of one.
    draft = path.with_name(f"{path.name}.{os.getpid()}.new")
    if private:
        draft.touch(mode=0o600)
    draft.write_text(text, encoding="utf-8")
    draft.replace(path)


def _beside(folder: Path) -> list[str]:
    """The names of a folder's files, those that are data."""
    try:
        return [path.name for path in folder.iterdir() if path.suffix in (".json", ".yaml", ".tfstate")]
    except OSError:
        return []

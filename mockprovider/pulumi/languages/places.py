"""Where programs of other languages keep what they compile: folders of ours, outside of the user's projects."""

from __future__ import annotations

import os
from pathlib import Path

from mockprovider.files import make_folder


def cache_folder(*parts: str) -> Path:
    """A folder for what can be made again: ``mockprovider/programs`` under ``$XDG_CACHE_HOME`` (``~/.cache``).

    Raises ``MockProviderError`` where none can be made.
    """
    root = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    folder = Path(root, "mockprovider", "programs", *parts)
    make_folder(folder)
    return folder

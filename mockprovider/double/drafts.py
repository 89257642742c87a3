"""A recording that becomes the cassette only if its test passed, or an engine called.

A cassette may be the only trace of what a provider once answered, so a recording that came to nothing replaces none.
"""

from __future__ import annotations

import os
from pathlib import Path

NEW = ".new"
"""While it is recorded, and after a crash."""
FAILED = ".failed"
"""Recorded by a test that failed, beside the cassette that stays."""


class Draft:
    """The recording that may become the cassette ``path``. Record into ``file``, then say what became of it."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self.file = self.path.with_name(self.path.name + NEW)
        """In the same folder, because the blobs of a cassette lie beside it."""
        self.replaces = self.path.exists()
        """Whether there is a cassette already."""

    @property
    def refuge(self) -> Path:
        """Where ``put_by`` leaves the recording."""
        return self.path.with_name(self.path.name + FAILED) if self.replaces else self.path

    def keep(self) -> None:
        """Let it take the cassette's place; a torn one there is moved aside, as always."""
        from mockprovider import tape  # noqa: PLC0415 - zstandard is slow to import

        tape.set_aside(self.path)
        self.file.replace(self.path)

    def put_by(self) -> Path:
        """Leave the cassette that is there, and keep this beside it; where there is none, this is it. Returns where it is."""
        self.file.replace(self.refuge)
        return self.refuge

    def drop(self) -> None:
        """Forget it."""
        self.file.unlink(missing_ok=True)

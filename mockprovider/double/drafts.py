"""A recording that becomes the cassette only if its test passed, or an engine called.

A cassette may be the only record of what a provider once answered, so an unsuccessful recording does not replace it.
"""

from __future__ import annotations

import os
from pathlib import Path

NEW = ".new"
"""The suffix of a recording in progress, also after a crash."""
FAILED = ".failed"
"""The suffix of a failed test's recording, beside the cassette that stays."""


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
        """Make the recording the cassette; a torn cassette in its place is moved aside."""
        from mockprovider import tape  # noqa: PLC0415 - zstandard is slow to import

        tape.set_aside(self.path)
        self.file.replace(self.path)

    def put_by(self) -> Path:
        """Keep the recording beside the existing cassette, or as the cassette if there is none. Returns its path."""
        self.file.replace(self.refuge)
        return self.refuge

    def drop(self) -> None:
        """Delete the recording."""
        self.file.unlink(missing_ok=True)

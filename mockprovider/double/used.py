"""What one test used."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from mockprovider.double.double import Double
from mockprovider.double.marked import Recording

if TYPE_CHECKING:
    from mockprovider.engine import Stack


class Folders(Protocol):
    """Makes folders that the user can look into afterwards, as pytest's ``tmp_path_factory`` does."""

    def mktemp(self, basename: str) -> Path:
        """A new folder."""


class Used:
    """What one test used, to explain its failure: the double, where its artefacts go, engines, and what it records."""

    def __init__(self, double: Double, folders: Folders, recording: Recording | None) -> None:
        self.double = double
        self.folders = folders
        self.recording = recording
        self.summary: list[str] = []
        """What is to be known of what it recorded, once that is settled."""
        self.stack: Stack | None = None
        self.engines: list[Path] = []
        """The folders of the real engines."""
        self.family = ""
        """The protocol's family, where the provider is a recorded one."""
        self.passed = False
        self.told = 0
        """How many of the double's errors were reported already."""

    def raise_errors(self) -> None:
        """Raise the first of our errors that has not been reported yet, so that each is reported once."""
        __tracebackhide__ = True
        news, self.told = self.double.errors[self.told :], len(self.double.errors)
        if news:
            # It was raised in a thread of ours, so its traceback says nothing about the test.
            raise news[0].with_traceback(None)

    def kept(self) -> str:
        """Keep everything of a failed test, and say where."""
        from mockprovider.double.artefacts import keep  # noqa: PLC0415 - only when a test has failed

        try:
            folder = self.folders.mktemp("mockprovider")
            return f"Kept in {folder}: {', '.join(keep(folder, self.double, self.stack))}"
        except Exception as error:  # noqa: BLE001 - a report must never break off the whole run; it says what is missing
            return f"Nothing could be kept: {type(error).__name__}: {error}"

"""What a plugin of ours says at the end of a run, also where its workers alone know it."""

from __future__ import annotations

from typing import Any

import pytest


class Said:
    """A line for the end of the run: ``said``, which whoever leads hears from a worker."""

    def __init__(self, key: str) -> None:
        self._key = key
        self.said = ""

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Let a worker tell it to whoever leads."""
        if hasattr(session.config, "workeroutput"):
            session.config.workeroutput[self._key] = self.said

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Hear it from a worker; one that crashed says nothing."""
        self.said = getattr(node, "workeroutput", {}).get(self._key, self.said)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Say it."""
        if self.said:
            terminalreporter.write_line(self.said)

"""What the workers of pytest-xdist leave of their recordings where a run is interrupted.

The controller ends its workers then, so none of them makes a report. Each notes in a folder of the run what it records, and
takes the note back when the test has ended; what is left there, the controller tells.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

NOTES = "mockprovider_notes"
"""The word under which a worker is told of the folder."""
FOLDER = pytest.StashKey[Path]()
"""The folder, for the controller."""


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tell a worker where to note what it records; pytest-xdist calls this in the controller."""
    config: pytest.Config = node.config
    if FOLDER not in config.stash:
        # Where pytest-xdist has its workers make their folders, so that a killed run leaves no more than any other.
        config.stash[FOLDER] = config._tmp_path_factory.getbasetemp() / "mockprovider"  # type: ignore[attr-defined]  # noqa: SLF001
        config.stash[FOLDER].mkdir(exist_ok=True)
    node.workerinput[NOTES] = str(config.stash[FOLDER])


def note(config: pytest.Config, nodeid: str, lines: Sequence[str]) -> None:
    """In a worker, note what is left of a test if it is interrupted now; no lines take the note back."""
    folder = getattr(config, "workerinput", {}).get(NOTES)
    if folder is None:
        return
    # The worker runs one test at a time.
    file = Path(folder) / f"{config.workerinput['workerid']}.txt"  # type: ignore[attr-defined]
    if lines:
        file.write_text("\n".join([nodeid, *lines]), encoding="utf-8")
    else:
        file.unlink(missing_ok=True)


def noted(config: pytest.Config) -> list[tuple[str, list[str]]]:
    """In the controller, what workers have noted and not taken back, by test. It is told once: the folder goes."""
    folder = config.stash.get(FOLDER, None)
    if folder is None:
        return []
    texts = [file.read_text(encoding="utf-8").split("\n") for file in sorted(folder.glob("*.txt"))]
    shutil.rmtree(folder, ignore_errors=True)
    return [(nodeid, lines) for nodeid, *lines in texts]

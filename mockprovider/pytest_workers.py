"""What the workers of pytest-xdist leave of their recordings where a run is interrupted.

The controller ends its workers then, so none of them makes a report. Each notes in a folder of the run what it records, and
where it is about to move it, and takes the note back when the test has ended. The controller looks where what is noted is.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from mockprovider.double.marked import Left

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


def note(config: pytest.Config, nodeid: str, left: Left | None) -> None:
    """In a worker, note what is left of a test if it is interrupted now; ``None`` takes the note back."""
    folder = getattr(config, "workerinput", {}).get(NOTES)
    if folder is None:
        return
    # The worker runs one test at a time.
    file = Path(folder) / f"{config.workerinput['workerid']}.json"  # type: ignore[attr-defined]
    if left is None:
        file.unlink(missing_ok=True)
        return
    import msgspec  # noqa: PLC0415 - as slow to import as what is left itself

    # In one step, since a worker may be killed in the midst of it.
    beside = file.with_suffix(".new")
    beside.write_bytes(msgspec.json.encode((nodeid, left)))
    beside.replace(file)


def noted(config: pytest.Config) -> list[tuple[str, list[str]]]:
    """In the controller, what workers have noted and not taken back, by test. It is told once: the folder goes."""
    folder = config.stash.get(FOLDER, None)
    notes = [file.read_bytes() for file in sorted(folder.glob("*.json"))] if folder else []
    if folder:
        shutil.rmtree(folder, ignore_errors=True)
    return [_told(data) for data in notes]


def _told(data: bytes) -> tuple[str, list[str]]:
    import msgspec  # noqa: PLC0415 - slow to import, and only needed where something is left

    from mockprovider.double.marked import Left  # noqa: PLC0415 - as above

    nodeid, left = msgspec.json.decode(data, type=tuple[str, Left])
    return nodeid, left.lines

"""``pytest --provider-orphans``: the cassettes that no test uses any more. Nothing slow is imported before it is asked for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

ORPHANS = "--provider-orphans"
USES = pytest.StashKey[dict[Path, set[Path]]]()
"""Which cassettes the tests of each folder use."""
FOUND = pytest.StashKey[bool]()
"""Whether there are orphans."""
FOLDER = "cassettes"


def pytest_itemcollected(item: pytest.Item) -> None:
    """Note which cassette a test uses, also if it is deselected later."""
    if not item.config.getoption(ORPHANS):
        return
    from mockprovider.double import cassette_path  # noqa: PLC0415 - slow to import

    uses = item.config.stash.setdefault(USES, {}).setdefault(item.path.parent, set())
    marker = item.get_closest_marker("cassette")
    if marker:
        path = marker.args[0] if marker.args else marker.kwargs.get("path")
        uses.add((item.path.parent / path if path else cassette_path(item.path, item.name)).resolve())


def only_look(config: pytest.Config) -> None:
    """Let pytest collect and run nothing, where it was asked for orphans. Raises ``UsageError`` for single tests."""
    if not config.getoption(ORPHANS):
        return
    single = next((argument for argument in config.args if "::" in argument), None)
    if single:
        raise pytest.UsageError(f"{ORPHANS} needs all tests of a file: name files or folders, not {single}.")
    config.option.collectonly, config.option.verbose = True, -2


def pytest_collection_finish(session: pytest.Session) -> None:
    """Say which cassettes nobody uses, where pytest was asked."""
    config = session.config
    if not config.getoption(ORPHANS):
        return
    uses, here = config.stash.get(USES, {}), config.invocation_params.dir
    files = {path.resolve() for path in (here / argument for argument in config.args) if path.is_file()}
    used = set().union(*uses.values())
    orphans = [path for folder in sorted(uses) for path in _cassettes(folder, files) if path.resolve() not in used]
    lines = [f"{path.relative_to(here) if path.is_relative_to(here) else path} is a cassette of no test." for path in orphans]
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    for line in lines or ["Each cassette beside these tests is one of a test."]:
        if reporter is not None:
            reporter.write_line(line)
    config.stash[FOUND] = bool(orphans)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """An orphan is exit code 1, as a test that fails."""
    if session.config.stash.get(FOUND, False):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def _cassettes(folder: Path, files: set[Path]) -> Iterator[Path]:
    """The cassettes beside the tests of a folder; only those in the folders of these modules, if there are any."""
    from mockprovider.cassette import FORMAT  # noqa: PLC0415 - slow to import

    for path in sorted((folder / FOLDER).rglob("*.json")):
        module = folder / f"{path.relative_to(folder / FOLDER).parts[0]}.py"
        if (not files or module.resolve() in files) and FORMAT.encode() in path.read_bytes():
            yield path

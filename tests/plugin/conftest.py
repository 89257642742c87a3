"""What the tests of the pytest plugin share: a real provider's recording, and test files that use it."""

from __future__ import annotations

import shutil
import sys
from importlib import import_module
from pkgutil import walk_packages

import pytest
from _pytest.terminal import TerminalReporter
from plugin_toolbox import BY_HAND, COMMAND, FILES

import mockprovider
from mockprovider.double import Double, real, recording
from mockprovider.engine import Stack

QUIET = ("-W", "ignore:Module already imported:pytest.PytestAssertRewriteWarning")
"""What pytest warns of because an inner run is in this process, where the plugin is imported already."""

CLOUD = """
import pulumi
from mockprovider import Property, ResourceType

BUCKET = ResourceType("cloud:index:Bucket", {"acl": str, "token": Property(str, secret=True)})

class Bucket(pulumi.CustomResource):
    def __init__(self, name, **properties):
        super().__init__("cloud:index:Bucket", name, properties)

def program():
    Bucket("logs", acl="private", token="hunter-two")
"""
"""A module for inner runs: a bucket type and a program with one bucket."""


@pytest.fixture(scope="session")
def loaded():
    """The whole package, loaded beforehand: an inner run forgets what it was the first to load."""
    for each in walk_packages(mockprovider.__path__, "mockprovider."):
        import_module(each.name)


@pytest.fixture(scope="session")
def recorded(tmp_path_factory, loaded):
    """A cassette of one up of the example's program with its real provider."""
    sys.path.insert(0, str(FILES))
    try:
        from program import program  # noqa: PLC0415 - an example's file, which is in no package
    finally:
        sys.path.remove(str(FILES))
    folder = tmp_path_factory.mktemp("recorded")
    behind = real(COMMAND, name="files", env={"FILES_FOLDER": str(tmp_path_factory.mktemp("files"))})
    with Double(provider=recording(folder / "up.json", behind, created_by="pytest --provider-record=all it")) as double:
        Stack(double).up(program)
    return folder / "up.json"


def interrupted_briefly(reporter, excinfo):
    """Note Ctrl-C for the last lines of a run, without the sources of all of pytest's own frames, which take long to read."""
    reporter._keyboardinterrupt_memo = excinfo.getrepr(style="native")


@pytest.fixture
def run(pytester, monkeypatch, loaded):
    """Run pytest on one test file, in this process, in the order of the file."""
    # The outer run's colours and options are none of the inner run's.
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "160")
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    monkeypatch.delenv("FILES_FOLDER", raising=False)
    pytester.makepyfile(cloud=CLOUD)
    shutil.copy(FILES / "program.py", pytester.path / "files.py")
    pytester.syspathinsert()

    def run(source, *arguments):
        if source:
            pytester.makepyfile(test_it=source)
        with monkeypatch.context() as inner:
            # A third of what an inner run costs is to look for everybody's plugins, which are tried in processes of their own.
            inner.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
            inner.setattr(TerminalReporter, "pytest_keyboard_interrupt", interrupted_briefly)
            # An inner run that is interrupted is a result like any other.
            return pytester.runpytest_inprocess(
                "-p", "mockprovider", "-p", "no:cacheprovider", *BY_HAND, *arguments, *QUIET, no_reraise_ctrlc=True
            )

    return run

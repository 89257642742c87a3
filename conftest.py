"""What all tests share: a missing engine is a reason to skip, unless the run was told that the machine must have it."""

from __future__ import annotations

import os
import shutil
import signal
import sys

import pytest

pytest_plugins = ["pytester", "costly", "trials", "quick", "second_looks", "suite_journals"]

# A shell has what it starts in the background ignore these, and so would all that is started here; tests send them.
for number, handler in ((signal.SIGINT, signal.default_int_handler), (signal.SIGQUIT, signal.SIG_DFL)):
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, handler)

# The tests start hundreds of Python processes, workers among them: each would compile all of the package anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# What is not there for long needs no garbage collector: of the time of an engine's run it takes a sixth.
if "GOGC" not in os.environ and "GOMEMLIMIT" not in os.environ:
    os.environ |= {"GOGC": "off", "GOMEMLIMIT": "512MiB"}

# Schemas that tests read are no part of their user's cache; the cache has tests of its own, with one of their own.
os.environ["MOCKPROVIDER_CACHE"] = ""

ENGINES = {
    "pulumi_cli": "pulumi",
    "terraform_cli": "terraform",
    "tofu_cli": "tofu",
    "node_cli": "node",
    "go_cli": "go",
    "yaml_host": "pulumi-language-yaml",
}
"""Markers, and the binaries that tests so marked drive."""

BUILT = "`make engines` builds it, and `make test` finds it"
INSTALLED = "it has to be installed"
SOURCES = {
    "pulumi": BUILT,
    "tofu": BUILT,
    "pulumi-language-yaml": BUILT,
    "terraform": INSTALLED,
    "node": INSTALLED,
    "go": INSTALLED,
}


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--require-engines``."""
    parser.addoption(
        "--require-engines",
        default="",
        metavar="A,B",
        help=f"fail the tests of these engines, instead of skipping them, where they are not on PATH: "
        f"{','.join(ENGINES.values())}",
    )


def required(config: pytest.Config) -> set[str]:
    """The engines that must be there."""
    return {name.strip() for name in config.getoption("--require-engines").split(",")} - {""}


def pytest_configure(config: pytest.Config) -> None:
    """Refuse engines that do not exist: a typing error must not turn failures back into skips."""
    unknown = required(config) - set(ENGINES.values())
    if unknown:
        raise pytest.UsageError(
            f"--require-engines: there is no engine {', '.join(sorted(unknown))}; there are {', '.join(ENGINES.values())}"
        )


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """Two workers for a core where tests wait as long as they compute: for processes, answers and ends of patience.

    Most of those are costly (tests/costly.py): an ordinary run needs one worker more than there are cores.
    """
    if "PYTEST_XDIST_AUTO_NUM_WORKERS" in os.environ or config.getoption("trials") or config.getoption("quick"):
        return None
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return 2 * cores if config.getoption("every_case") else cores + 1


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test whose engine is not there, or fail it if the engine is required."""
    for marker, binary in ENGINES.items():
        if item.get_closest_marker(marker) and shutil.which(binary) is None:
            missing = f"there is no {binary} on PATH: {SOURCES[binary]}"
            if binary in required(item.config):
                pytest.fail(f"{missing} (--require-engines names it)", pytrace=False)
            pytest.skip(missing)

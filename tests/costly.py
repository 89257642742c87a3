"""Which cases an ordinary run plays of a test whose every case costs a process or an engine: one in four.

Such tests are all of ``tests/engines``, and those with the marker ``costly``. Each keeps at least one case, always the same,
and the run says how many it left out. ``--every-case``, as in ``.ci/run``, plays all of them; so does a run that names a file,
words (``-k``), or what failed last (``--lf``).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest
from saying import Said

ONE_IN = 4
ENGINES = Path(__file__).parent / "engines"
WHOLE = "every_case"
"""The key under which a worker learns it: its own arguments name files always."""
NAMING = ("every_case", "trials", "keyword", "lf")
"""The options by which a run asks for certain cases, or for all."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--every-case``."""
    parser.getgroup("trials").addoption(
        "--every-case",
        action="store_true",
        help="play all cases of costly tests, all pinned cases of the campaigns, and more of each property",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Declare the marker."""
    config.addinivalue_line("markers", "costly: each case of the test starts a process: an ordinary run plays one in four")
    config.pluginmanager.register(Sampling(config))


class Sampling(Said):
    """Leaves cases out, and says how many."""

    def __init__(self, config: pytest.Config) -> None:
        super().__init__("costly")
        named = config.args_source is config.ArgsSource.ARGS or any(config.getoption(name, None) for name in NAMING)
        self._whole = getattr(config, "workerinput", {}).get(WHOLE, named)

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Tell a worker what the run was asked for."""
        node.workerinput[WHOLE] = self._whole

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Leave out three in four cases of each costly test."""
        left_out = set() if self._whole else set(_left_out(items))
        if left_out:
            self.said = f"costly: {len(left_out)} cases were left out, as in each ordinary run; --every-case plays them"
            config.hook.pytest_deselected(items=[*left_out])
            items[:] = [item for item in items if item not in left_out]


def is_costly(item: pytest.Item) -> bool:
    """Whether each case of a test starts a process or an engine."""
    return ENGINES in item.path.parents or item.get_closest_marker("costly") is not None


def _left_out(items: Iterable[pytest.Item]) -> Iterator[pytest.Item]:
    tests = defaultdict(list)
    for item in items:
        if is_costly(item):
            tests[item.nodeid.partition("[")[0]].append(item)
    for cases in tests.values():
        # By chance, so that neighbours do not go together, but the same in each worker and in each run.
        cases.sort(key=lambda item: crc32(item.nodeid.encode()))
        yield from cases[-(-len(cases) // ONE_IN) :]

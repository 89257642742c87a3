"""Which tests an ordinary run leaves out: seven in eight of those that cost much.

Costly are all of ``tests/engines``, and what ``tests/costly.txt`` lists: what took 50 ms or more when ``tools/list-costly``
wrote it, since it starts processes or reads a large schema. Each file keeps one in eight of its costly cases, always the same
and of its cheapest tests, and the run says how many it left out. ``--every-case``, as in ``.ci/run``, plays all of them; so
does a run that names a file, words (``-k``), or what failed last (``--lf``).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest
from saying import Said

ONE_IN = 8
ENGINES = "tests/engines"
LIST = Path("tests", "costly.txt")
WHOLE = "every_case"
"""The key under which a worker learns it: its own arguments name files always."""
NAMING = ("every_case", "trials", "keyword", "lf")
"""The options by which a run asks for certain cases, or for all."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--every-case``."""
    parser.getgroup("trials").addoption(
        "--every-case",
        action="store_true",
        help="play all costly tests, all pinned cases of the campaigns, and more of each property",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Leave tests out."""
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
        """Leave out seven in eight costly cases of each file."""
        left_out = set() if self._whole else set(_left_out(items, listed(config.rootpath)))
        if left_out:
            self.said = f"costly: {len(left_out)} cases were left out, as in each ordinary run; --every-case plays them"
            config.hook.pytest_deselected(items=[*left_out])
            items[:] = [item for item in items if item not in left_out]


def listed(root: Path) -> Mapping[str, int]:
    """The tests that ``tests/costly.txt`` lists, if there is one, and which each is: it begins with the cheapest."""
    names = (root / LIST).read_text(encoding="utf-8").split() if (root / LIST).exists() else []
    return {name: place for place, name in enumerate(names)}


def is_costly(item: pytest.Item, costly: Collection[str]) -> bool:
    """Whether a case starts an engine, or belongs to a test that is listed."""
    return item.nodeid.startswith(f"{ENGINES}/") or item.nodeid.partition("[")[0] in costly


def _left_out(items: Iterable[pytest.Item], costly: Mapping[str, int]) -> Iterator[pytest.Item]:
    files = defaultdict(list)
    for item in items:
        if is_costly(item, costly):
            files[item.path].append(item)
    for cases in files.values():
        # Cases of one test by chance, so that neighbours do not go together, but the same in each worker and in each run.
        cases.sort(key=lambda item: (costly.get(item.nodeid.partition("[")[0], 0), crc32(item.nodeid.encode())))
        yield from cases[-(-len(cases) // ONE_IN) :]

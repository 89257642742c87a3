"""A mutant meets its tests: in a fork of this process, which has imported what is slow and nothing of the package."""

from __future__ import annotations

import contextlib
import gc
import importlib
import importlib.machinery
import multiprocessing
import os
import resource
import signal
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from importlib.machinery import PathFinder, SourceFileLoader
from multiprocessing.connection import Connection, wait
from pathlib import Path
from types import CodeType

import pytest
from mutation.operators import Mutant

HEAVY = ("google.protobuf.json_format", "grpc", "hypothesis", "jsonschema", "msgspec", "pulumi", "xml.dom.minidom", "zstandard")
BUDGET = 20
"""Seconds of processor time after which no further test is begun."""
LIMIT = 60
"""Seconds of processor time, and the double of the clock's, after which a mutant counts as hung."""
MEMORY = 4 << 30


class Fate(StrEnum):
    """What became of a mutant."""

    NOTICED = "noticed"
    HUNG = "hung"
    SURVIVED = "survived"
    UNCOVERED = "uncovered"


@dataclass(frozen=True)
class Trial:
    """A mutant, or none, and the tests that it meets."""

    mutant: Mutant | None
    module: str
    tests: Sequence[str]


@dataclass(frozen=True)
class Outcome:
    """What came of a trial, and the tests that passed."""

    fate: Fate
    passed: frozenset[str] = frozenset()


class _Loader(SourceFileLoader):
    """Loads one module from a mutant's text instead of its file's."""

    def __init__(self, name: str, path: str, source: str) -> None:
        super().__init__(name, path)
        self._source = source

    def get_code(self, fullname: str) -> CodeType:  # noqa: ARG002 - the name of the only module that it loads
        return compile(self._source, self.path, "exec", dont_inherit=True)


class _Finder:
    """Finds one module, mutated."""

    def __init__(self, name: str, source: str) -> None:
        self._name, self._source = name, source

    def find_spec(
        self,
        name: str,
        path: Sequence[str] | None = None,
        target: object = None,  # noqa: ARG002 - the protocol's
    ) -> importlib.machinery.ModuleSpec | None:
        """The specification of the mutated module."""
        spec = PathFinder.find_spec(name, path) if name == self._name else None
        if spec is not None and spec.origin is not None:
            spec.loader = _Loader(name, spec.origin, self._source)
        return spec


class _Chosen:
    """A pytest plugin: runs the chosen tests in their order, and notes which failed."""

    def __init__(self, tests: Sequence[str], budget: float) -> None:
        self._rank = {name: rank for rank, name in enumerate(tests)}
        self._budget = budget
        self.failed: set[str] = set()
        self.ran: set[str] = set()

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = sorted((item for item in items if item.nodeid in self._rank), key=lambda item: self._rank[item.nodeid])

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.ran.add(report.nodeid)
        if report.failed:
            self.failed.add(report.nodeid)

    def pytest_runtest_teardown(self, item: pytest.Item) -> None:
        if time.process_time() > self._budget:
            item.session.shouldstop = "out of time"


def _meet(trial: Trial, root: Path, answer: Connection) -> None:
    """The child's life: it answers with what failed, and is gone without any clean-up that a mutant could disturb."""
    os.setpgrp()
    resource.setrlimit(resource.RLIMIT_CPU, (LIMIT, LIMIT))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(nowhere, stream)
    os.chdir(root)
    sys.path.insert(0, str(root))
    if trial.mutant is not None:
        sys.meta_path.insert(0, _Finder(trial.module, trial.mutant.source()))
    chosen = _Chosen(trial.tests, BUDGET if trial.mutant else LIMIT)
    files = list(dict.fromkeys(name.partition("::")[0] for name in trial.tests))
    off = [f"-pno:{name}" for name in ("cov", "randomly", "xdist")]
    # What was imported before the fork is rewritten no more, and that is no reason to fail.
    off += [
        f"-ocache_dir={root / 'build' / 'mutants' / 'cache'}",
        "-Wignore::pytest.PytestAssertRewriteWarning",
        *(["-x"] if trial.mutant else []),
    ]
    code = pytest.main(["-q", "--tb=no", f"--rootdir={root}", *off, *files], plugins=[chosen])
    # A module that cannot be imported is noticed as well.
    broken = code not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.INTERRUPTED)
    fate = Fate.NOTICED if chosen.failed or broken or not chosen.ran else Fate.SURVIVED
    answer.send(Outcome(fate, frozenset(chosen.ran - chosen.failed)))
    answer.close()
    os._exit(0)


def run(trials: Iterable[Trial], root: Path, jobs: int) -> Iterator[tuple[Trial, Outcome]]:
    """Each trial with its outcome, as they end; so many at the same time."""
    for name in HEAVY:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    gc.collect()
    gc.freeze()
    fork = multiprocessing.get_context("fork")
    ahead, running = iter(trials), {}
    while True:
        while len(running) < jobs and (trial := next(ahead, None)) is not None:
            if not trial.tests:
                yield trial, Outcome(Fate.UNCOVERED)
                continue
            mine, theirs = fork.Pipe(duplex=False)
            process = fork.Process(target=_meet, args=(trial, root, theirs))
            process.start()
            theirs.close()
            running[mine] = trial, process, time.monotonic() + 2 * LIMIT
        if not running:
            return
        ended = wait(list(running), timeout=1)
        late = [mine for mine, (_, _, until) in running.items() if time.monotonic() > until]
        for mine in {*ended, *late}:
            trial, process, _ = running.pop(mine)
            outcome = Outcome(Fate.HUNG)
            # Without an answer it was ended: by us, by a limit, or by itself.
            with contextlib.suppress(EOFError):
                outcome = mine.recv() if mine in ended else outcome
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.join()
            mine.close()
            yield trial, outcome

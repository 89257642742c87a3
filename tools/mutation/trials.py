"""A mutant meets its tests in a fork: of a session of pytest that has collected them, or of a process without the package.

A session collects all tests once. Each of its forks gives one function another code, and runs the tests of it: this takes
the time of the tests alone. What the package makes at import, such a fork has already; these mutants have a session each.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import importlib
import importlib.machinery
import multiprocessing
import os
import resource
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from importlib.machinery import PathFinder, SourceFileLoader
from multiprocessing.connection import Connection, wait
from pathlib import Path
from types import CodeType, FunctionType

import pytest
from mutation.operators import Mutant

FORK = multiprocessing.get_context("fork")
HEAVY = ("google.protobuf.json_format", "grpc", "hypothesis", "jsonschema", "msgspec", "pulumi", "xml.dom.minidom", "zstandard")
BUDGET = 20
"""Seconds of processor time after which no further test is begun."""
LIMIT = 60
"""Seconds of processor time, and the double of the clock's, after which a mutant counts as hung."""
MEMORY = 4 << 30
Functions = Mapping[str, Sequence[FunctionType]]
"""The functions that there are, by the files that they are from."""


class Fate(StrEnum):
    """What became of a mutant."""

    NOTICED = "noticed"
    HUNG = "hung"
    SURVIVED = "survived"
    UNCOVERED = "uncovered"
    UNTRIED = "untried"


@dataclass(frozen=True)
class Trial:
    """A mutant, or none, and the tests that it meets; ``anew`` if it is run when its module is imported."""

    mutant: Mutant | None
    module: str
    tests: Sequence[str]
    anew: bool = False


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

    def __init__(self, trial: Trial) -> None:
        self._rank = {name: rank for rank, name in enumerate(trial.tests)}
        self._budget = BUDGET if trial.mutant else LIMIT
        self._first = trial.mutant is not None
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
        if self.failed and self._first:
            item.session.shouldstop = "noticed"

    def outcome(self, *, broken: bool = False) -> Outcome:
        """What the tests say. A module that cannot be imported is noticed as well."""
        fate = Fate.NOTICED if self.failed or broken or not self.ran else Fate.SURVIVED
        return Outcome(fate, frozenset(self.ran - self.failed))


class _Collected:
    """A pytest plugin: in place of the session's tests it runs trials, each in a fork of the session."""

    def __init__(self, trials: Sequence[Trial], jobs: int, answer: Connection) -> None:
        self._trials, self._jobs, self._answer = trials, jobs, answer

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        functions = _functions()
        gc.collect()
        gc.freeze()
        meet = functools.partial(_meet_collected, session, functions)
        for trial, outcome in _forked(self._trials, meet, self._jobs):
            self._answer.send((self._trials.index(trial), outcome))
        return True


def _functions() -> Functions:
    found: dict[str, list[FunctionType]] = {}
    for function in gc.get_objects():
        if isinstance(function, FunctionType):
            found.setdefault(function.__code__.co_filename, []).append(function)
    return found


def _codes(source: str, path: Path) -> dict[tuple[str, int], CodeType]:
    """The code of each function and class of a module, by its name and by how many of that name came before."""
    found, before = {}, Counter[str]()
    waiting = [compile(source, path, "exec", dont_inherit=True)]
    while waiting:
        code = waiting.pop(0)
        found[code.co_qualname, before[code.co_qualname]] = code
        before[code.co_qualname] += 1
        waiting += [inner for inner in code.co_consts if isinstance(inner, CodeType)]
    return found


def _change(trial: Trial, mutant: Mutant, functions: Functions) -> bool:
    """Make the change in this process, and say whether this could be done."""
    if trial.module not in sys.modules:
        sys.meta_path.insert(0, _Finder(trial.module, mutant.source()))
        return True
    before, after = _codes(mutant.path.read_text(encoding="utf-8"), mutant.path), _codes(mutant.source(), mutant.path)
    changed = {code: after[name] for name, code in before.items() if name in after and code != after[name]}
    touched = [function for function in functions.get(str(mutant.path), ()) if function.__code__ in changed]
    try:
        for function in touched:
            function.__code__ = changed[function.__code__]
    except ValueError:
        # One that another has made at import needs fewer variables of that one than it has been given.
        return False
    return bool(touched)


def _meet_collected(session: pytest.Session, functions: Functions, trial: Trial) -> Outcome:
    """What the tests of a session that has collected them say of a mutant."""
    if trial.mutant is not None and not _change(trial, trial.mutant, functions):
        return Outcome(Fate.UNTRIED)
    chosen = _Chosen(trial)
    session.config.pluginmanager.register(chosen)
    items = list(session.items)
    chosen.pytest_collection_modifyitems(items)
    for item, following in zip(items, [*items[1:], None], strict=True):
        session.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        if session.shouldstop:
            break
    return chosen.outcome()


def _meet_anew(root: Path, trial: Trial) -> Outcome:
    """What the tests of a session of its own say of a mutant."""
    if trial.mutant is not None:
        sys.meta_path.insert(0, _Finder(trial.module, trial.mutant.source()))
    chosen = _Chosen(trial)
    code = _pytest([trial], root, chosen)
    return chosen.outcome(broken=code not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.INTERRUPTED))


def _pytest(trials: Sequence[Trial], root: Path, plugin: object) -> int:
    """Run pytest on the modules of the trials' tests, silently."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(nowhere, stream)
    os.chdir(root)
    sys.path.insert(0, str(root))
    files = list(dict.fromkeys(name.partition("::")[0] for trial in trials for name in trial.tests))
    off = [f"-pno:{name}" for name in ("randomly", "xdist")]
    # What was imported before the fork is rewritten no more, and that is no reason to fail. Forks would share captured output.
    off += [f"-ocache_dir={root / 'build' / 'mutants' / 'cache'}", "-Wignore::pytest.PytestAssertRewriteWarning", "-s"]
    return pytest.main(["-q", "--tb=no", f"--rootdir={root}", *off, *files], plugins=[plugin])


def _collect(trials: Sequence[Trial], root: Path, jobs: int, answer: Connection) -> None:
    """The life of the session that the trials are forked from: it answers with each trial's place and outcome."""
    _pytest(trials, root, _Collected(trials, jobs, answer))
    os._exit(0)


def _live(meet: Callable[[Trial], Outcome], trial: Trial, answer: Connection) -> None:
    """A fork's life: it answers with what came of it, and is gone without any clean-up that a mutant could disturb."""
    os.setpgrp()
    resource.setrlimit(resource.RLIMIT_CPU, (LIMIT, LIMIT))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    answer.send(meet(trial))
    answer.close()
    os._exit(0)


def run(trials: Iterable[Trial], root: Path, jobs: int) -> Iterator[tuple[Trial, Outcome]]:
    """Each trial with its outcome, as they end; so many at the same time."""
    for name in HEAVY:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    gc.collect()
    gc.freeze()
    covered, anew = [], []
    for trial in trials:
        if not trial.tests:
            yield trial, Outcome(Fate.UNCOVERED)
        else:
            (anew if trial.anew else covered).append(trial)
    with tempfile.TemporaryDirectory() as folder:
        # Pytest keeps the folders of three sessions, and here are hundreds.
        os.environ["PYTEST_DEBUG_TEMPROOT"] = folder
        for trial, outcome in _collected(covered, root, jobs):
            if outcome.fate is Fate.UNTRIED:
                anew.append(trial)
            else:
                yield trial, outcome
        yield from _forked(anew, functools.partial(_meet_anew, root), jobs)


def _collected(trials: Sequence[Trial], root: Path, jobs: int) -> Iterator[tuple[Trial, Outcome]]:
    """Each trial with its outcome, from forks of one session."""
    if not trials:
        return
    mine, theirs = FORK.Pipe(duplex=False)
    session = FORK.Process(target=_collect, args=(trials, root, jobs, theirs))
    session.start()
    theirs.close()
    for _ in trials:
        try:
            place, outcome = mine.recv()
        except EOFError:
            raise SystemExit("The tests could not be collected: run them with pytest first.") from None
        yield trials[place], outcome
    session.join()
    mine.close()


def _forked(trials: Iterable[Trial], meet: Callable[[Trial], Outcome], jobs: int) -> Iterator[tuple[Trial, Outcome]]:
    """Each trial with its outcome, from a fork of this process."""
    ahead, running = iter(trials), {}
    while True:
        while len(running) < jobs and (trial := next(ahead, None)) is not None:
            mine, theirs = FORK.Pipe(duplex=False)
            process = FORK.Process(target=_live, args=(meet, trial, theirs))
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

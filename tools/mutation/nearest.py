"""Which tests run which lines: measured once, and again only for what has changed since."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from mutation.operators import Mutant

T = TypeVar("T")
SLOW = 3.0
"""Seconds from which on a test is asked last."""
Lines = dict[str, list[tuple[str, int]]]
"""The files and lines that each test runs; under an empty name those that run at import."""
UNIT = "not pulumi_cli and not terraform_cli and not tofu_cli"


@dataclass(frozen=True)
class House:
    """What is measured: the folder of the checkout, its package, the tests that may notice, and where results are kept."""

    root: Path
    package: Path
    tests: tuple[str, ...]
    kept: Path

    @property
    def lines(self) -> Path:
        """The file of the lines that each test runs."""
        return self.kept / "lines.json"

    @property
    def seconds(self) -> Path:
        """The file of how long each test took."""
        return self.kept / "seconds.json"

    def files(self) -> dict[str, str]:
        """Each module and test module with a digest of its text."""
        tests = {path for pattern in self.tests for path in self.root.glob(pattern)}
        inside = {path for test in tests if test.is_dir() for path in test.rglob("test_*.py")}
        chosen = {*self.package.rglob("*.py"), *inside, *(path for path in tests if path.is_file())}
        digests = {path: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(chosen)}
        return {path.relative_to(self.root).as_posix(): digest for path, digest in digests.items()}


class Coverage:
    """The tests that run a mutant's lines, nearest first."""

    def __init__(self, house: House) -> None:
        self._house = house
        self._seconds: dict[str, float] = json.loads(house.seconds.read_text())
        self._by_line: defaultdict[str, defaultdict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
        self._breadth: Counter[str] = Counter()
        lines: Lines = json.loads(house.lines.read_text())
        for name, ran in lines.items():
            self._breadth[name] = len(ran)
            for file, line in ran:
                self._by_line[file][line].add(name)

    def at_import(self, mutant: Mutant) -> bool:
        """Whether a mutant's lines run when modules are imported."""
        return mutant.at_import or "" in self._running(mutant)

    def _running(self, mutant: Mutant) -> set[str]:
        by_line = self._by_line[str(mutant.path)]
        return {name for line in mutant.lines for name in by_line[line]}

    def tests(self, mutant: Mutant, most: int) -> list[str]:
        """At most so many tests that may notice.

        First come those of the module's own test modules, of each the case that runs most; then their other cases, then those
        that stand farther off likewise; what runs least comes before what runs much. Of what is made at import, those that run
        something of the module come before those that may only look at it.
        """
        stems = _stems(mutant.path.relative_to(self._house.package))
        own = self._running(mutant)
        running, names = own - {""}, own - {""}
        if self.at_import(mutant):
            # What runs at import, also of a function, is noticed by whoever uses the module, or only looks at it.
            running = {name for names in self._by_line[str(mutant.path)].values() for name in names} - {""}
            names = running | {name for name in self._seconds if _is_near(name, stems)}
        cases: Counter[tuple[str, bool]] = Counter()
        ranked = []
        for name in sorted(names, key=lambda name: (-self._breadth[name], name)):
            slow, far, breadth = self._rank(name, stems)
            function, idle = name.partition("[")[0], name not in running
            cases[function, idle] += 1
            ranked.append((slow, name not in own, far, idle, cases[function, idle], breadth, name))
        return [name for *_, name in sorted(ranked) if name in self._seconds][:most]

    def _rank(self, name: str, stems: tuple[str, ...]) -> tuple[bool, bool, int]:
        return self._seconds.get(name, 0.0) > SLOW, not _is_near(name, stems), self._breadth[name]


def _is_near(name: str, stems: tuple[str, ...]) -> bool:
    stem = Path(name.partition("::")[0]).stem
    return stem == stems[0] or stem.startswith(stems[1:])


def _stems(module: Path) -> tuple[str, ...]:
    """The name of the room's test module, and how those of the module begin: ``test_fake`` and ``test_fake_planning``."""
    first, *inner = module.with_suffix("").parts
    return (f"test_{first}", *(f"test_{first}_{part}" for part in inner))


def measured(house: House, jobs: int) -> Coverage:
    """What the tests of a house run. Takes as long as the tests do, and seconds where nothing has changed since."""
    house.kept.mkdir(parents=True, exist_ok=True)
    stamp = house.kept / "files.json"
    before: dict[str, str] = json.loads(stamp.read_text()) if stamp.exists() and house.lines.exists() else {}
    now = house.files()
    package = house.package.relative_to(house.root).as_posix() + "/"
    changed = {name for name in now if now[name] != before.get(name)}
    modules = {name for name in changed if name.startswith(package)}
    # Who runs a module that is new, only a new look at everything can tell.
    anew = not before or not modules <= before.keys()
    affected = set(now) if anew else changed | _users(house, modules)
    stale = sorted(name for name in affected & now.keys() if not name.startswith(package))
    if stale:
        _measure(house, stale, jobs, anew=anew)
    stamp.write_text(json.dumps(now))
    return Coverage(house)


def _users(house: House, modules: set[str]) -> set[str]:
    """The test modules that ran these modules when they were measured."""
    files = {str(house.root / name) for name in modules}
    lines: Lines = json.loads(house.lines.read_text())
    return {name.partition("::")[0] for name, ran in lines.items() if any(file in files for file, _ in ran)}


def _measure(house: House, tests: list[str], jobs: int, *, anew: bool) -> None:
    print(f"Measuring which lines the tests of {len(tests)} modules run.", file=sys.stderr)
    paths = [str(house.root), str(Path(__file__).resolve().parent.parent), os.environ.get("PYTHONPATH", "")]
    environment = os.environ | {"MUTANTS_PACKAGE": house.package.name, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
    command = [sys.executable, "-m", "pytest", "-q", "-n", str(jobs if jobs > 1 else 0), "-p", "mutation.measuring"]
    with tempfile.TemporaryDirectory() as folder:
        environment["MUTANTS_MEASURED"] = folder
        options = ["-p", "no:randomly", "-m", UNIT]
        done = subprocess.run([*command, *options, *tests], check=False, cwd=house.root, env=environment)
        if done.returncode > 1:
            raise SystemExit(f"The tests could not be run: pytest ended with {done.returncode}.")
        # Tests that are gone, or are called otherwise now, take no place from those that there are.
        gone = set(tests)
        seconds = {} if anew else _without(gone, json.loads(house.seconds.read_text()))
        lines: Lines = {} if anew else _without(gone, json.loads(house.lines.read_text()))
        house.seconds.write_text(json.dumps(seconds | json.loads((Path(folder) / "seconds.json").read_text())))
        for part in Path(folder).glob("lines-*.json"):
            for name, ran in json.loads(part.read_text()).items():
                lines[name] = lines.get(name, []) + ran
        house.lines.write_text(json.dumps(lines))


def _without(tests: set[str], measured: dict[str, T]) -> dict[str, T]:
    return {name: value for name, value in measured.items() if name.partition("::")[0] not in tests}

"""Runs of the fault suite in processes of their own: what came of each test, and what the run has left behind."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

from msgspec import Struct

from mockprovider.wire.owned import OwnedProcess

ROOT = Path(__file__).resolve().parents[1]
PATIENCE = 30
"""Seconds within which everything has to end that a run has started."""
WORKERS = 2
LOCKS = "**/.pulumi/locks/**/*.json"
"""What keeps a stack locked. Locks of Terraform's states and of cassettes are the kernel's, and end with who holds them."""
OF_ENGINES = {".terraform.d"}
"""What OpenTofu makes in its user's home folder, whatever it is told."""
ENDINGS = {"interrupt": 2, "terminate": -signal.SIGTERM, "fail": 1}
"""How a run is broken off (see ``suite_journals``), and pytest's exit code then."""
UNTOUCHED: Mapping[str, list[str]] = {}
"""What is left of a run that leaves nothing."""


class Played(Struct):
    """One run: pytest's exit code, what it printed, each test's journals, and what is left of it, by kinds."""

    code: int
    output: str
    journals: Mapping[str, Any]
    left: Mapping[str, list[str]]


def play(folder: Path, tests: Sequence[str], *options: str, patience: float = PATIENCE, workers: int = WORKERS) -> Played:
    """Run these tests with so many workers, in a folder of its own for each thing that may be left."""
    places = {name: folder / name for name in ("journals", "temporary", "home")}
    for place in places.values():
        place.mkdir(parents=True)
    base = folder / "base"
    pytest = [sys.executable, "-m", "pytest", "-n", str(workers), "-q", "-p", "no:cacheprovider", f"--basetemp={base}"]
    command = [*pytest, f"--suite-journals={places['journals']}", f"--suite-patience={patience}", *options, *tests]
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "COV_"))}
    environment |= {"TMPDIR": str(places["temporary"]), "HOME": str(places["home"]), "PYTHONDONTWRITEBYTECODE": ""}
    adopting = [sys.executable, str(Path(__file__).with_name("adopting.py")), str(folder / "log"), str(patience)]
    with OwnedProcess([*adopting, *command], cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True) as process:
        told = json.loads(process.communicate()[0])
    written = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(places["journals"].glob("*.json"))]
    sessions = [one for one in written if "threads" in one]
    left = {
        "processes": told["left"],
        "threads": [name for session in sessions for name in session["threads"]],
        "sockets": [name for session in sessions for name in session["listening"]],
        "folders": sorted({path.name for name in ("temporary", "home") for path in places[name].iterdir()} - OF_ENGINES),
        "locks": [str(path.relative_to(base)) for path in sorted(base.glob(LOCKS))],
    }
    return Played(
        told["code"],
        (folder / "log").read_text(encoding="utf-8"),
        {one["test"]: one["journals"] for one in written if "test" in one},
        {kind: things for kind, things in left.items() if things},
    )


def differing(one: Mapping[str, Any], other: Mapping[str, Any]) -> Iterator[str]:
    """The tests and resources whose journals are not the same in both."""
    for test in sorted({*one} & {*other}):
        if len(one[test]) != len(other[test]):
            yield f"{test}: {len(one[test])} and {len(other[test])} journals"
        for number, (journal, another) in enumerate(zip(one[test], other[test], strict=False), 1):
            for resource in sorted({*journal} | {*another}):
                lines, others = journal.get(resource, ()), another.get(resource, ())
                for place, (line, other_line) in enumerate(zip_longest(lines, others), 1):
                    if line != other_line:
                        shown = f"{json.dumps(line)}\n  {json.dumps(other_line)}"
                        yield f"{test}, journal {number}, {resource}, call {place}:\n  {shown}"


def same_however_often(seeds: Iterator[int], tests: Sequence[str], folder: Path) -> None:
    """Play these tests in each case's order: all pass, their journals are those of the first run, and nothing is left."""
    first: Mapping[str, Any] = {}
    for case in seeds:
        played = play(folder / str(case), tests, f"--randomly-seed={case}")
        first = first or played.journals
        assert (played.code, played.left) == (0, UNTOUCHED), f"{played.left}\n{played.output}"
        assert first.keys() == played.journals.keys()
        differences = [*differing(first, played.journals)]
        assert not differences, "\n".join(differences)
        shutil.rmtree(folder / str(case))


def broken_off(how: str, seeds: Iterator[int], tests: Sequence[str], folder: Path, calls: int) -> None:
    """End a run of these tests in the midst of one of the first ``calls`` calls, for each case: nothing is left either."""
    for case in seeds:
        count = random.Random(case).randint(1, calls)
        played = play(folder / str(case), tests, f"--randomly-seed={case}", f"--suite-break={how}@{count}")
        assert (played.code, played.left) == (ENDINGS[how], UNTOUCHED), f"{played.left}\n{played.output}"

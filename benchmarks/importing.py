"""``import mockprovider`` in a fresh interpreter, against ``import json``; a bare start is taken off both."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator

from measure import Row, report

ROUNDS = 15
STATEMENTS = ("pass", "import json", "import mockprovider")


def milliseconds(statement: str) -> float:
    """How long a fresh interpreter takes for one statement."""
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", statement], check=True)
    return (time.perf_counter() - start) * 1000


def rows() -> Iterator[Row]:
    """One row: the best of some rounds, since noise only ever adds."""
    best = dict.fromkeys(STATEMENTS, float("inf"))
    for _ in range(ROUNDS):
        for statement in STATEMENTS:
            best[statement] = min(best[statement], milliseconds(statement))
    bare = best["pass"]
    yield Row(
        "import mockprovider", "ms", best["import mockprovider"] - bare, "import json", best["import json"] - bare, "50 ms"
    )


if __name__ == "__main__":
    report(rows())

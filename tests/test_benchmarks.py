"""What the benchmarks count, and no clock has a part in, stays within its budget."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

HOUSE = Path(__file__).resolve().parent.parent
BUDGETS = {
    "one Create over pulumi, fake": 92,
    "one Create over pulumi, recording": 190,
    "one Create over pulumi, replaying": 122,
    "one Create over terraform, fake": 212,
    "one Create over terraform, recording": 344,
    "one Create over terraform, replaying": 190,
}
"""How many calls of the package each way may take. Two are for requests that are streams, two for outputs of another kind than
their inputs, and one asks whether a schema has the type. Replays look at an answer when it is asked for, not when they are
opened.
"""


def test_the_way_of_a_call_is_short():
    """One Create takes no more calls of the package than its budget, whatever answers it."""
    counting = [sys.executable, HOUSE / "benchmarks" / "calls.py"]
    run = subprocess.run(counting, check=True, capture_output=True, env={"PYTHONPATH": str(HOUSE)})
    calls = {row["what"]: row["ours"] for row in json.loads(run.stdout) if row["unit"] == "calls"}

    assert calls.keys() == BUDGETS.keys()
    assert {way: count for way, count in calls.items() if count > BUDGETS[way]} == {}

"""Run every benchmark, each in a process of its own, and print one table.

python benchmarks/run.py                  all of them
python benchmarks/run.py layers wire      only these
python benchmarks/run.py --json FILE      also write the numbers to FILE

Targets are what we aim for, not gates: the exit code tells only whether every script could measure.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

import msgspec
from measure import Row

HERE = Path(__file__).resolve().parent
SCRIPTS = (
    *("calls", "layers", "contract", "wire", "up", "mocks", "life", "pulumi_cli", "terraform", "mock_provider"),
    *("recording", "replay", "cassettes", "schemas", "importing"),
)


def measure(script: str) -> list[Row]:
    """The rows of one script. Raises ``CalledProcessError`` if it fails; what it says is then already on standard error."""
    command = [sys.executable, str(HERE / f"{script}.py")]
    # The package is measured as it stands here, installed or not.
    environment = {**os.environ, "PYTHONPATH": str(HERE.parent)}
    run = subprocess.run(command, check=True, env=environment, stdout=subprocess.PIPE)
    return msgspec.json.decode(run.stdout, type=list[Row])


def show(rows: list[Row]) -> str:
    """The table."""
    lines = [("what", "ours", "peer", "peer's", "ratio", "target")]
    for row in rows:
        ours, theirs = (f"{each:,.1f} {row.unit}" for each in (row.ours, row.theirs))
        lines.append((row.what, ours, row.peer, theirs, f"{row.ratio:.2f} x", row.target))
    what, *rest = (max(map(len, column)) for column in zip(*lines, strict=True))
    template = f"{{:{what}}}  {{:>{rest[0]}}}  {{:{rest[1]}}}  {{:>{rest[2]}}}  {{:>{rest[3]}}}  {{}}"
    return "\n".join(template.format(*line).rstrip() for line in lines)


def save(rows: list[Row], path: Path) -> None:
    """Write the numbers as JSON."""
    numbers = [{**msgspec.to_builtins(row), "ratio": row.ratio} for row in rows]
    path.write_text(json.dumps(numbers, indent=1) + "\n", encoding="utf-8")


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scripts", nargs="*", metavar="script", help=f"of: {', '.join(SCRIPTS)}")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the numbers to FILE, too")
    arguments = parser.parse_args()
    unknown = [each for each in arguments.scripts if each not in SCRIPTS]
    if unknown:
        parser.error(f"no such script: {', '.join(unknown)} (there are: {', '.join(SCRIPTS)})")
    rows: list[Row] = []
    failed = []
    for script in arguments.scripts or SCRIPTS:
        print(f"measuring: {script}", file=sys.stderr, flush=True)
        try:
            rows += measure(script)
        except subprocess.CalledProcessError:
            failed.append(script)
    print(show(rows))
    if arguments.json:
        save(rows, arguments.json)
    if failed:
        print(f"could not measure: {', '.join(failed)}", file=sys.stderr)
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())

"""Runs a program's entry file under the SDK, in a process of its own. A script: needs the ``pulumi`` package, and nothing
of ours.

Takes one argument, a JSON object with ``monitor`` and ``engine`` (addresses), ``project``, ``stack``, ``organization``,
``preview``, ``parallel``, ``root`` and ``entry``. Configuration comes in ``PULUMI_CONFIG`` and
``PULUMI_CONFIG_SECRET_KEYS``, as language hosts pass it. A program that fails has its traceback printed; one that only left
because the monitor was gone ends with exit code 32.
"""

from __future__ import annotations

import asyncio
import json
import os
import runpy
import sys
import traceback
from pathlib import Path
from typing import Any

GONE = 32
MACHINERY = (__file__, str(Path(asyncio.__file__).parent), str(Path("pulumi", "runtime", "stack.py")), "<frozen runpy>")
"""Parts of file names: tracebacks leave out the frames of these files, which run the program."""


def main(settings: dict[str, Any]) -> int:
    """Run the program; returns the exit code."""
    import pulumi  # noqa: PLC0415 - what it takes to import the SDK belongs to the program's run
    from pulumi.runtime import Settings, configure, run_in_stack, set_all_config  # noqa: PLC0415 - as above

    configure(
        Settings(
            project=settings["project"],
            stack=settings["stack"],
            monitor=settings["monitor"],
            engine=settings["engine"],
            parallel=settings["parallel"],
            dry_run=settings["preview"],
            organization=settings["organization"],
            root_directory=settings["root"],
        )
    )
    set_all_config(json.loads(os.environ["PULUMI_CONFIG"]), json.loads(os.environ["PULUMI_CONFIG_SECRET_KEYS"]))
    entry = settings["entry"]
    # A folder is put on the path by runpy itself; a file's neighbours are importable as if it had been run by name.
    sys.path.insert(0, str(Path(entry).parent))
    loop = asyncio.new_event_loop()
    loop.set_exception_handler(lambda *_: None)
    try:
        loop.run_until_complete(run_in_stack(lambda: _run(entry)))
    except pulumi.RunError as error:
        if "Resource monitor has terminated" in str(error):
            return GONE
        print(f"error: {error}", file=sys.stderr)
        return 1
    except Exception as error:  # noqa: BLE001 - a program may raise anything
        print(trace(error, MACHINERY), file=sys.stderr)
        return 1
    return 0


def trace(error: BaseException, machinery: tuple[str, ...]) -> str:
    """The traceback of ``error``, beginning with the first frame that is not of ``machinery`` (parts of file names)."""
    report = traceback.TracebackException.from_exception(error)
    frames = list(report.stack)
    first = next((at for at, frame in enumerate(frames) if not any(part in frame.filename for part in machinery)), 0)
    report.stack = traceback.StackSummary.from_list(frames[first:])
    return "".join(report.format())


def _run(entry: str) -> None:
    runpy.run_path(entry, run_name="__main__")


if __name__ == "__main__":
    sys.exit(main(json.loads(sys.argv[1])))

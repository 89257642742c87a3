"""What the tests of the command line share: it in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def serving(folder, *arguments):
    """The command line in a process of its own, which is ended."""
    command = [sys.executable, "-m", "mockprovider", *arguments]
    path = [str(Path(__file__).parents[1]), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1", "PYTHONPATH": os.pathsep.join(path)}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, cwd=folder, env=environment, **pipes) as process:
        try:
            yield process
        finally:
            process.kill()

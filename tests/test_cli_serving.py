"""The protocol that the command line serves a fake over."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

TYPES = {"mockprovider": 1, "packages": {"cloud": {"resources": {"cloud:index:Bucket": {"properties": {"acl": "string"}}}}}}


@pytest.mark.parametrize(("options", "expected"), [([], 6), (["--protocol", "5"], 5)])
def test_a_protocol_can_be_chosen(options, expected, tmp_path):
    """The variable that is told leads engines to the chosen protocol, 6 unless one is given."""
    types = tmp_path / "types.json"
    types.write_text(json.dumps(TYPES))
    program = [sys.executable, "-c", "from mockprovider.cli import main; main()"]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1", "PYTHONPATH": str(Path(__file__).parents[1])}
    with subprocess.Popen(
        [*program, "serve", "terraform", "--types", str(types), *options], stdout=subprocess.PIPE, text=True, env=environment
    ) as process:
        try:
            lines = [process.stdout.readline() for _ in range(4)]
            process.terminate()
            process.communicate(timeout=30)
        finally:
            process.kill()

    described = json.loads(lines[3].split("=", 1)[1].strip().strip("'"))
    assert {each["ProtocolVersion"] for each in described.values()} == {expected}


def test_nothing_is_declared():
    """Who serves without declaring types is told what becomes of what is asked."""
    program = [sys.executable, "-c", "from mockprovider.cli import main; main()"]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1", "PYTHONPATH": str(Path(__file__).parents[1])}
    with subprocess.Popen(
        [*program, "serve", "pulumi"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environment
    ) as process:
        try:
            line = process.stderr.readline()
        finally:
            process.kill()

    assert line.startswith("No types are declared, so any resource of the package mock is taken as it comes")

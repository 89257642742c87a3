"""The protocol that the command line serves a fake over."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from mockprovider.cli import main

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


def test_pulumi_has_no_such_choice():
    """The option with Pulumi's protocol is one clear error."""
    result = CliRunner().invoke(main, ["serve", "pulumi", "--protocol", "5"])

    assert result.exit_code == 1
    assert result.output.startswith("Error: major=5 is of Terraform's protocols; Pulumi has one.")

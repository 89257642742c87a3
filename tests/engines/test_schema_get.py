"""``mockprovider schema get`` by the real command lines."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from mockprovider.cli import main
from mockprovider.cli.types import read_types
from mockprovider.double.launchers import install
from mockprovider.protocols import of_family
from mockprovider.wire.adapter import adapter

TYPES = {"mockprovider": 1, "packages": {"cloud": {"resources": {"cloud:index:Bucket": {"properties": {"acl": {}}}}}}}


@pytest.mark.parametrize(
    ("way", "family"),
    [
        pytest.param("pulumi", "pulumi", marks=pytest.mark.pulumi_cli),
        pytest.param("terraform", "terraform", marks=pytest.mark.terraform_cli),
        pytest.param("tofu", "terraform", marks=pytest.mark.tofu_cli),
    ],
)
def test_the_engine_tells_the_schema_of_its_plugin(way: str, family: str, tmp_path: Path, monkeypatch) -> None:
    """What the engine prints of a plugin becomes a file that declares the plugin's types."""
    install(family, "cloud", tmp_path / "bin", types=json.dumps(TYPES))
    edge = adapter(of_family(family))
    monkeypatch.chdir(tmp_path)
    for name, value in edge.started_environment(tmp_path / "bin", ["cloud"]).items():
        monkeypatch.setenv(name, value)
    # By a package's name, pulumi looks into its own folder only, and not on PATH.
    monkeypatch.setenv("PULUMI_HOME", str(tmp_path / "home"))
    if family == "pulumi":
        install(family, "cloud", tmp_path / "home" / "plugins", types=json.dumps(TYPES), version="1.0.0")
    needed = 'terraform {\n  required_providers {\n    cloud = { source = "example.com/mock/cloud" }\n  }\n}\n'
    Path("main.tf").write_text(needed)

    result = CliRunner().invoke(main, ["schema", "get", "cloud", "--from", way, "-o", "kept.json"], env=dict(os.environ))

    assert result.exit_code == 0, result.output
    (package,) = read_types([Path("kept.json")])
    assert "acl" in package.resources["cloud:index:Bucket"].properties

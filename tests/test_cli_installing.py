"""``mockprovider plugin install`` as a user meets it."""

from __future__ import annotations

import json
import os

import pytest
from click.testing import CliRunner

from mockprovider.cli import main
from mockprovider.terraform.process.installing import this_machine

TYPES = {"mockprovider": 1, "packages": {"cloud": {"resources": {"cloud:index:Bucket": {"properties": {}}}}}}


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Runs the command, from a folder with a types file; gives exit code and output."""
    (tmp_path / "types.json").write_text(json.dumps(TYPES))

    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")

    def run(*arguments):
        result = CliRunner().invoke(main, ["plugin", "install", *arguments])
        return result.exit_code, result.output

    return run


def test_for_pulumi(install, tmp_path):
    """The executable is there with its types, and what to put on PATH is told."""
    code, output = install("pulumi", "cloud", "--types", str(tmp_path / "types.json"), "--into", str(tmp_path / "bin"))

    assert code == 0
    assert os.access(tmp_path / "bin" / "pulumi-resource-cloud", os.X_OK)
    assert json.loads((tmp_path / "bin" / "cloud.types.json").read_text()) == TYPES
    assert f"export PATH='{tmp_path}/bin{os.pathsep}'\"$PATH\"" in output


def test_for_pulumis_plugin_folder(install, tmp_path):
    """With a version it goes where pulumi keeps its plugins."""
    code, output = install("pulumi", "cloud", "--version", "1.2.3", "--into", str(tmp_path / "plugins"))

    assert code == 0
    assert (tmp_path / "plugins" / "resource-cloud-v1.2.3" / "pulumi-resource-cloud").exists()
    assert "It relays to the double that MOCKPROVIDER_RELAY names, or serves cloud.types.json" in output
    assert "PULUMI_HOME" in output


@pytest.mark.parametrize(("options", "said"), [((), "dev_overrides"), (("--version", "1.0.0"), "filesystem_mirror")])
def test_for_terraform(install, tmp_path, options, said):
    """The settings that lead the engine there are told, without a version for overrides, with one for a mirror."""
    code, output = install("terraform", "cloud", "--into", str(tmp_path / "there"), *options)
    folder = tmp_path / "there" / (f"example.com/mock/cloud/1.0.0/{this_machine()}" if options else "")

    assert code == 0
    assert said in output
    assert [each.name for each in folder.iterdir()] == [f"terraform-provider-cloud{'_v1.0.0' if options else ''}"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("pulumi", "other", "--types", "../types.json", "--into", "x"), "declares cloud, and no package 'other'"),
        (("pulumi", "cloud", "--types", "nowhere.json", "--into", "x"), "Cannot read the types file nowhere.json"),
        (("pulumi", "a/b", "--into", "x"), "cannot be a plugin's name"),
        (("pulumi", "cloud", "--version", "new", "--into", "x"), "is no version"),
        (("helm", "cloud", "--into", "x"), "'helm' is not one of"),
        (("pulumi", "cloud"), "--into"),
    ],
)
def test_mistakes(install, arguments, said):
    """Each mistake is one clear line and a non-zero exit code."""
    code, output = install(*arguments)

    assert code != 0
    assert said in output
    assert "Traceback" not in output

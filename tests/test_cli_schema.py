"""``mockprovider schema get``: the schema of a package from what a machine has of it."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest
from click.testing import CliRunner
from small_sdk import NEW, write_sdk

from mockprovider.calls import Reply
from mockprovider.cli import main
from mockprovider.cli.types import read_types
from mockprovider.double import Double, published
from mockprovider.double.launchers import install
from mockprovider.schema import Package

TYPES = {"mockprovider": 1, "packages": {"cloud": {"resources": {"cloud:index:Bucket": {"properties": {"acl": {}}}}}}}
PULUMI = {"name": "cloud", "resources": {"cloud:index:Bucket": {"inputProperties": {"acl": {"type": "string"}}}}}
BLOCK = {"version": 0, "block": {"attributes": {"acl": {"type": "string", "optional": True}}}}
PROVIDER = {"provider": {"version": 0, "block": {}}, "resource_schemas": {"cloud_bucket": BLOCK}}
TERRAFORM = {
    "format_version": "1.0",
    "provider_schemas": {"example.com/mock/cloud": PROVIDER, "example.com/mock/other": PROVIDER},
}


@pytest.fixture
def bin_(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder on PATH, and an empty home and folder to stand in."""
    folder = tmp_path / "bin"
    for path in (folder, tmp_path / "here", tmp_path / "home"):
        path.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setenv("PULUMI_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path / "here")
    return folder


def command(folder: Path, name: str, prints: object, code: int = 0) -> None:
    """A command line that prints this, whatever it is asked."""
    path = folder / name
    text = prints if isinstance(prints, str) else json.dumps(prints)
    path.write_text(f"#!/bin/sh\necho '{text}'\nexit {code}\n", encoding="utf-8")
    path.chmod(0o755)


def get(*arguments: str) -> tuple[int, str]:
    """Exit code and output."""
    result = CliRunner().invoke(main, ["schema", "get", *arguments])
    return result.exit_code, result.output


def written(*arguments: str) -> Package:
    """The package that the written file declares."""
    code, output = get(*arguments, "-o", "kept/cloud.json")
    assert code == 0, output
    assert "Serve it with --types kept/cloud.json" in output
    (package,) = read_types([Path("kept/cloud.json")])
    return package


@pytest.mark.parametrize("protocol", ["pulumi", "terraform"])
@pytest.mark.parametrize("by", ["name", "path", "plugin folder"])
def test_a_plugin_is_asked_over_its_protocol(protocol: str, by: str, bin_: Path, tmp_path: Path) -> None:
    """A provider's executable is started and asked, found by path, on PATH or where its engine keeps it."""
    text = json.dumps(TYPES)
    if by != "plugin folder":
        path = install(protocol, "cloud", bin_, types=text)
    elif protocol == "pulumi":
        path = install(protocol, "cloud", tmp_path / "home" / "plugins", types=text, version="1.2.3")
    else:
        path = install(protocol, "cloud", Path(".terraform/providers"), types=text, version="1.2.3")
    package = written(str(path) if by == "path" else "cloud")
    assert "acl" in package.resources["cloud:index:Bucket"].properties


def test_the_pulumi_command_line_is_asked(bin_: Path) -> None:
    """What `pulumi package get-schema` prints is the file."""
    command(bin_, "pulumi", PULUMI)
    assert "acl" in written("cloud").resources["cloud:index:Bucket"].properties


@pytest.mark.parametrize("binary", ["terraform", "tofu"])
@pytest.mark.parametrize("name", ["cloud", "mock/cloud", "example.com/mock/cloud"])
def test_terraform_is_asked_for_one_of_its_providers(binary: str, name: str, bin_: Path) -> None:
    """Of what `terraform providers schema -json` prints, the file has the one provider."""
    command(bin_, binary, TERRAFORM)
    assert list(written(name).resources) == ["cloud:index:Bucket"]


def test_a_warning_in_front_of_the_schema_is_none_of_it(bin_: Path) -> None:
    """OpenTofu tells of a configuration of its own that is missing on standard output, before the JSON."""
    command(bin_, "tofu", f"Warning: Unable to open CLI configuration file\n\nIt does not exist.\n{json.dumps(TERRAFORM)}")
    assert list(written("cloud", "--from", "tofu").resources) == ["cloud:index:Bucket"]


def test_an_sdk_is_read(bin_: Path) -> None:
    """The folder of an SDK becomes a package schema."""
    write_sdk(Path("sdks/pulumi_cloud"), NEW)
    assert "displayName" in written("sdks/pulumi_cloud").resources["cloud:storage/bucket:Bucket"].properties


def test_without_a_file_it_is_printed(bin_: Path) -> None:
    """The schema alone is on standard output, for a pipe."""
    command(bin_, "pulumi", PULUMI)
    code, output = get("cloud")
    assert (code, json.loads(output)) == (0, PULUMI)


def test_what_nobody_knows_lists_who_was_asked(bin_: Path) -> None:
    """The error names each way, why it failed, and what to do."""
    command(bin_, "terraform", {"format_version": "1.0"})
    code, output = get("cloud")
    assert code == 1
    for reason in (
        "plugin: no pulumi-resource-cloud or terraform-provider-cloud is on PATH or where engines keep their plugins",
        "pulumi: there is no pulumi on PATH (https://www.pulumi.com/docs/install)",
        "sdk: There is no SDK pulumi_cloud",
        "terraform: The configuration in",
        "run `terraform init` first",
        "tofu: there is no tofu on PATH",
    ):
        assert reason in output


def test_a_source_address_names_a_plugin_by_its_end(bin_: Path) -> None:
    """Terraform's plugin is found by the address that configurations have for it."""
    plugin = bin_ / "terraform-provider-cloud"
    plugin.write_text("#!/bin/sh\necho it was started >&2\nexit 1\n")
    plugin.chmod(0o755)
    assert "it was started" in get("hashicorp/cloud", "--from", "plugin")[1]


@pytest.mark.parametrize("path", ["./cloud", "../sdks/cloud", "/nowhere/terraform-provider-cloud"])
def test_a_path_to_nothing_is_asked_of_nobody(bin_: Path, path: str) -> None:
    """A path says that it is one: the error is that nothing is there."""
    assert get(path) == (1, f"Error: There is no {path}: name a provider's executable, the folder of an SDK, or a package.\n")


@pytest.mark.parametrize(
    ("prints", "code", "complaint"),
    [
        ("nonsense", 0, "printed is no JSON: 'nonsense"),
        ("[]", 0, "is no schema: it is a list"),
        ("no such package", 3, "failed with exit code 3"),
    ],
)
def test_a_command_line_that_prints_no_schema(prints: str, code: int, complaint: str, bin_: Path) -> None:
    """The error shows what it printed, and nothing is written."""
    command(bin_, "pulumi", prints, code)
    exit_code, output = get("cloud", "--from", "pulumi", "-o", "kept.json")
    assert exit_code == 1
    assert complaint in output
    assert not Path("kept.json").exists()


def test_a_plugin_that_is_none(bin_: Path) -> None:
    """A file that cannot be started, and one that is no provider, are told from another."""
    Path("README").write_text("hello")
    assert "is no executable" in get("README")[1]
    command(bin_, "pulumi-resource-cloud", "hello")
    assert "hello" in get(str(bin_ / "pulumi-resource-cloud"))[1]


def test_a_provider_that_the_configuration_does_not_require(bin_: Path) -> None:
    """The error names the nearest that it does."""
    command(bin_, "tofu", TERRAFORM)
    assert "requires no provider 'clod'. Did you mean 'cloud'?" in get("clod", "--from", "tofu")[1]


def test_a_plugin_that_never_tells(bin_: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A provider that listens and does not answer is given up after a time."""
    monkeypatch.setattr(published, "SCHEMA_SECONDS", 0.1)
    over = threading.Event()
    with Double(provider=lambda _: over.wait(60) and Reply()) as double:
        port = double.serve("pulumi").address.rpartition(":")[2]
        command(bin_, "pulumi-resource-cloud", f"{port}'; exec /bin/sleep '60")
        code, output = get(str(bin_ / "pulumi-resource-cloud"))
        over.set()
    assert (code, "pulumi-resource-cloud has no schema to tell: Deadline" in output) == (1, True), output

"""How real engines find a provider and start it: executables on PATH, in plugin folders and mirrors, relayed or not."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from terraform_stage import HEAD, PLAINTEXT

from mockprovider.cloud import Cloud, CloudObject
from mockprovider.double import Double
from mockprovider.double.launchers import install
from mockprovider.drivers.pulumi import PulumiCli
from mockprovider.drivers.terraform import Terraform
from mockprovider.schema import Property, ResourceType
from mockprovider.tape.cloudfile import SqliteStore
from mockprovider.terraform.process.installing import dev_overrides, mirror

TYPE = "cloud:index:Bucket"
BUCKET = ResourceType(TYPE, {"acl": Property(str, default="private"), "arn": Property(str, computed="arn:{id}")})
TYPES = json.dumps(
    {
        "mockprovider": 1,
        "packages": {
            "cloud": {
                "resources": {
                    TYPE: {
                        "properties": {
                            "acl": {"type": "string", "default": "private"},
                            "arn": {"type": "string", "computed": "arn:{id}"},
                        }
                    }
                }
            }
        },
    }
)
PLUGINS = Path(__file__).parent.parent.parent / "plugins"
CLOUD_FILE = Path(".mockprovider", "cloud.sqlite")
YAML = {"resources": {"logs": {"type": TYPE}}, "outputs": {"arn": "${logs.arn}"}}


def kept(folder: Path) -> list[CloudObject]:
    """What exists in the cloud that plugins left in a program's folder."""
    with SqliteStore(folder / CLOUD_FILE) as store:
        return Cloud(store).objects()


# pulumi --------------------------------------------------------------------------------------------------------------


def on_path(folder: Path) -> dict[str, str]:
    """An environment with ``folder`` first on ``PATH``, then this Python."""
    return {"PATH": os.pathsep.join([str(folder), str(Path(sys.executable).parent), os.environ["PATH"]])}


def live(cli: PulumiCli, program: Mapping[str, Any] = YAML) -> None:
    """A preview, an update, and the end; each by plugin processes of its own."""
    assert cli.preview(program).summary == {"create": 1}
    made = cli.up(program)
    [bucket] = kept(cli.folder)
    assert made.outputs == {"arn": f"arn:{bucket.id}"}
    assert cli.destroy().summary == {"delete": 1}
    assert kept(cli.folder) == []


@pytest.mark.pulumi_cli
def test_pulumi_finds_it_on_path(tmp_path: Path) -> None:
    """An executable on PATH serves its types file, and all of an operation's processes share one cloud."""
    install("pulumi", "cloud", tmp_path / "bin", types=TYPES)
    live(PulumiCli(tmp_path / "program", on_path(tmp_path / "bin")))


@pytest.mark.pulumi_cli
def test_pulumi_finds_it_in_its_plugin_folder(tmp_path: Path) -> None:
    """In ``$PULUMI_HOME/plugins`` it is found without PATH, under its name and version."""
    cli = PulumiCli(tmp_path / "program")
    install("pulumi", "cloud", tmp_path / "program" / "home" / "plugins", types=TYPES, version="1.2.3")

    assert "using pulumi-resource-cloud from $PATH" not in cli.preview(YAML).output
    live(cli)


@pytest.mark.pulumi_cli
def test_pulumi_finds_it_by_the_project_file(tmp_path: Path) -> None:
    """A project may name the folder of a plugin."""
    install("pulumi", "cloud", tmp_path / "bin", types=TYPES)
    named = {"plugins": {"providers": [{"name": "cloud", "path": str(tmp_path / "bin")}]}}
    cli = PulumiCli(tmp_path / "program")

    assert cli.up({**YAML, **named}).summary == {"create": 1}
    assert cli.up({"resources": {}, **named}).summary == {"delete": 1}


@pytest.mark.pulumi_cli
def test_the_ready_made_plugin_under_pulumi(tmp_path: Path) -> None:
    """The launcher that the project keeps serves the package ``mock``."""
    cli = PulumiCli(tmp_path / "program", on_path(PLUGINS / "pulumi-resource-mock"))
    made = cli.up({"resources": {"logs": {"type": "mock:index:Bucket"}}, "outputs": {"arn": "${logs.arn}"}})

    assert made.outputs == {"arn": f"arn:mock:::{kept(cli.folder)[0].id}"}


@pytest.mark.pulumi_cli
def test_pulumis_plugins_relay_to_a_test(tmp_path: Path) -> None:
    """Plugin processes relay to the double of a test: its journal has every call, and each process is a session."""
    with Double(BUCKET) as double:
        serving = double.serve("pulumi")
        cli = PulumiCli(tmp_path / "program", lambda: serving.plugin_environment(tmp_path / "bin"))
        made = cli.up(YAML)
        [bucket] = double.cloud.objects(TYPE)
        assert made.outputs == {"arn": f"arn:{bucket.id}"}
        assert cli.destroy().summary == {"delete": 1}
        double.raise_errors()
        sessions = {each.call.session for each in double.journal}

        assert double.journal.ops(name="logs") == ["check", "create", "delete"]
        assert len(sessions) == len({each.peer for each in sessions}) > 2
        assert all(each.peer.startswith("plugin ") and each.engine_address for each in sessions)
        assert not (cli.folder / CLOUD_FILE).exists()


@pytest.mark.pulumi_cli
def test_pulumi_shows_why_a_plugin_cannot_start(tmp_path: Path) -> None:
    """Without types and without a double, the user of pulumi reads which file is missing and which variable may name one."""
    install("pulumi", "cloud", tmp_path / "bin")
    failed = PulumiCli(tmp_path / "program", on_path(tmp_path / "bin")).up(YAML, expect_failure=True)

    assert f"There is no types file {tmp_path}/bin/cloud.types.json" in failed.output
    assert "MOCKPROVIDER_TYPES" in failed.output


@pytest.mark.pulumi_cli
def test_pulumi_shows_that_the_double_is_gone(tmp_path: Path) -> None:
    """A plugin that is to relay to a double that has ended says so to the user of pulumi."""
    with Double(BUCKET) as double:
        environment = double.serve("pulumi").plugin_environment(tmp_path / "bin")
    failed = PulumiCli(tmp_path / "program", environment).up(YAML, expect_failure=True)

    assert "the double that this plugin was to relay to is gone" in failed.output


# terraform and tofu --------------------------------------------------------------------------------------------------

CONFIGURATION = f'{HEAD}resource "cloud_bucket" "logs" {{}}\noutput "arn" {{\n  value = cloud_bucket.logs.arn\n}}\n'
TLS = [
    pytest.param(PLAINTEXT, id="plain"),
    pytest.param({}, id="tls", marks=pytest.mark.skipif(not find_spec("cryptography"), reason="cryptography is not installed")),
]
each_wire = pytest.mark.parametrize("wire", TLS)
Made = Callable[..., Terraform]


@pytest.fixture
def made(tmp_path: Path) -> Made:
    """Makes a root module whose engine has these settings and variables."""

    def make(binary: str, settings: str, environment: Mapping[str, str]) -> Terraform:
        engine = Terraform(tmp_path / "module", environment, binary=binary, settings=settings, seconds=60)
        engine.write(CONFIGURATION)
        return engine

    return make


def live_terraform(engine: Terraform) -> None:
    """Made, found again, and removed; each by plugin processes of its own."""
    applied = engine.apply()
    [bucket] = kept(engine.folder)
    assert applied.outputs == {"arn": f"arn:{bucket.id}"}
    assert engine.destroy().summary == {"remove": 1}
    assert kept(engine.folder) == []


@each_wire
def test_dev_overrides(made: Made, tmp_path: Path, binary: str, wire: dict[str, str]) -> None:
    """An overridden provider is started without ``init``, with and without TLS, and all processes share one cloud."""
    install("terraform", "cloud", tmp_path / "bin", types=TYPES)
    live_terraform(made(binary, dev_overrides(tmp_path / "bin", ["cloud"]), wire))


def test_a_mirror_and_init(made: Made, tmp_path: Path, binary: str) -> None:
    """``init`` finds it in a filesystem mirror, under its version, and locks what it found."""
    install("terraform", "cloud", tmp_path / "mirror", types=TYPES, version="1.2.3")
    engine = made(binary, mirror(tmp_path / "mirror"), PLAINTEXT)
    engine.command("init")

    assert "1.2.3" in (engine.folder / ".terraform.lock.hcl").read_text()
    assert engine.apply().summary == {"add": 1}


def test_the_ready_made_plugin_under_terraform(tmp_path: Path, binary: str) -> None:
    """The launcher that the project keeps serves the package ``mock``."""
    (tmp_path / "cli.tfrc").write_text(dev_overrides(PLUGINS / "terraform-provider-mock", ["mock"]))
    found = {**PLAINTEXT, **on_path(tmp_path), "TF_CLI_CONFIG_FILE": str(tmp_path / "cli.tfrc")}
    engine = Terraform(tmp_path / "module", found, binary=binary, seconds=60)
    engine.write('resource "mock_bucket" "b" {}\n')

    assert engine.apply().summary == {"add": 1}
    assert [each.type for each in kept(engine.folder)] == ["mock:index:Bucket"]


@pytest.mark.parametrize("major", [5, 6])
@each_wire
def test_terraforms_plugins_relay_to_a_test(tmp_path: Path, binary: str, wire: dict[str, str], major: int) -> None:
    """Plugin processes relay to the double of a test in its protocol, with and without TLS; each process is a session."""
    with Double(BUCKET) as double:
        serving = double.serve("terraform", major=major)
        found = {**serving.plugin_environment(tmp_path / "bin"), **wire}
        engine = Terraform(tmp_path / "module", found, binary=binary, seconds=60)
        engine.write(CONFIGURATION)
        applied = engine.apply()
        [bucket] = double.cloud.objects(TYPE)
        assert applied.outputs == {"arn": f"arn:{bucket.id}"}
        assert engine.destroy().summary == {"remove": 1}
        double.raise_errors()
        sessions = {each.call.session for each in double.journal}

        assert {each.protocol.name for each in sessions} == {f"tfplugin{major}"}
        assert len(sessions) == len({each.peer for each in sessions}) > 2
        assert not (engine.folder / CLOUD_FILE).exists()


def test_a_socket_folder(made: Made, tmp_path_factory: pytest.TempPathFactory, tmp_path: Path, binary: str) -> None:
    """Where a folder for sockets is named, engine and plugin speak through one there; the engine's log has what was asked."""
    install("terraform", "cloud", tmp_path / "bin", types=TYPES)
    folder = tmp_path_factory.mktemp("s")
    found = {**PLAINTEXT, "PLUGIN_UNIX_SOCKET_DIR": str(folder), "TF_LOG_PROVIDER": "debug"}
    applied = made(binary, dev_overrides(tmp_path / "bin", ["cloud"]), found).apply()

    assert applied.summary == {"add": 1}
    assert f"Serving cloud at unix:{folder}/plugin" in applied.stderr
    assert list(folder.iterdir()) == []
    assert "provider.terraform-provider-cloud: ApplyResourceChange of cloud:index:Bucket" in applied.stderr


def test_terraform_shows_why_a_plugin_cannot_serve(made: Made, tmp_path: Path, binary: str) -> None:
    """Without types and without a double, the engine's diagnostic says which file is missing."""
    install("terraform", "cloud", tmp_path / "bin")
    failed = made(binary, dev_overrides(tmp_path / "bin", ["cloud"]), PLAINTEXT).apply(expect_failure=True)
    [said] = failed.errors

    assert f"There is no types file {tmp_path}/bin/cloud.types.json" in said.summary + said.detail


@pytest.mark.terraform_cli
def test_terraform_shows_what_tls_needs(made: Made, tmp_path: Path) -> None:
    """Where the engine asks for TLS and ``cryptography`` is missing, terraform's report names both ways out."""
    missing = tmp_path / "path" / "cryptography"
    missing.mkdir(parents=True)
    (missing / "__init__.py").write_text("raise ImportError")
    install("terraform", "cloud", tmp_path / "bin", types=TYPES)
    engine = made("terraform", dev_overrides(tmp_path / "bin", ["cloud"]), {"PYTHONPATH": str(missing.parent)})
    failed = engine.apply(expect_failure=True)

    assert "pip install 'mockprovider[tls]'" in failed.output
    assert "TF_DISABLE_PLUGIN_TLS=1" in failed.output

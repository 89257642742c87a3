"""What Terraform's protocol does at the edge: engines' environments, launchers, and recordings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import grpc
import pytest

from mockprovider import Double, from_terraform_schema
from mockprovider.calls import Call, Op, Reply, Session
from mockprovider.cassette import FORMAT, VERSION, Cassette, CassetteLayer, Header, Interaction, Library, Mode
from mockprovider.errors import DefinitionError, MissError
from mockprovider.protocols import by_name
from mockprovider.terraform.adapter import TerraformAdapter
from mockprovider.terraform.process.installing import dev_overrides, mirror
from mockprovider.terraform.recorded.transcript import TerraformTranscript
from mockprovider.terraform.rpcs.methods import SERVICES

SOURCES = ["example.com/mock/cloud", "registry.opentofu.org/hashicorp/cloud", "registry.terraform.io/hashicorp/cloud"]
BOX = {"block": {"attributes": [{"name": "name", "type": '"string"', "optional": True}]}}
SCHEMA = {"provider": {"block": {}}, "resource_schemas": {"cloud_box": BOX, "cloud_lid": BOX}}


def terraform(major: int = 6) -> TerraformAdapter:
    """The adapter of a major."""
    return TerraformAdapter(by_name(f"tfplugin{major}"))


@pytest.mark.parametrize("major", [5, 6])
def test_what_is_served(major: int) -> None:
    """A major's own table is served, beside the services of the plugin library."""
    assert terraform(major).service is SERVICES[major]
    [beside] = terraform(major).beside(str)
    assert beside.service(method("/plugin.GRPCController/Shutdown")) is not None
    assert beside.service(method("/plugin.GRPCStdio/StreamStdio")) is not None
    assert beside.service(method("/plugin.GRPCBroker/StartStream")) is None


def method(name: str) -> Any:
    """What gRPC asks a service for."""

    class Details(grpc.HandlerCallDetails):  # type: ignore[misc]
        method = name

    return Details()


def test_real_providers_are_started(monkeypatch: pytest.MonkeyPatch) -> None:
    """A provider is started with what was given, and asked once which major it speaks."""
    monkeypatch.setattr("mockprovider.terraform.adapter.Plugin", lambda *given, **options: (given, options))
    monkeypatch.setattr(
        "mockprovider.terraform.adapter.protocol_of", lambda command, env: {("cloud",): 5}[command] if env else 6
    )
    call = Call(op=Op.CHECK, session=Session("tfplugin6"))
    started: Any = terraform().start(("cloud",), call, env={"A": "b"}, cwd="/folder")
    assert started == ((("cloud",), call), {"env": {"A": "b"}, "cwd": "/folder"})
    assert terraform().spoken_by(("cloud",), {"A": "b"}) == by_name("tfplugin5")
    assert terraform(5).spoken_by(("cloud",)) == by_name("tfplugin6")


def test_where_engines_attach() -> None:
    """Each source address that a configuration may give a package leads to the same server, in the major's words."""
    environment = terraform(5).environment({"cloud": "127.0.0.1:1", "other": "127.0.0.1:2"})
    [(name, text)] = environment.items()
    described = json.loads(text)
    assert name == "TF_REATTACH_PROVIDERS"
    assert sorted(source for source in described if source.endswith("cloud")) == SOURCES
    assert described[SOURCES[0]]["Addr"]["String"] == "127.0.0.1:1"
    assert {each["ProtocolVersion"] for each in described.values()} == {5}
    assert json.loads(terraform().joined('{"a": 1, "b": 1}', '{"b": 2}')) == {"a": 1, "b": 2}


@pytest.mark.parametrize(
    ("address", "sources"),
    [
        ("registry.terraform.io/azure/azapi", ["registry.terraform.io/azure/azapi", "registry.opentofu.org/azure/azapi"]),
        ("Azure/azapi", ["registry.terraform.io/azure/azapi", "registry.opentofu.org/azure/azapi"]),
        ("host.io/a/azapi", ["host.io/a/azapi"]),
        ("registry.terraform.io/hashicorp/azapi", []),
    ],
)
def test_a_provider_of_another_namespace_is_found_by_its_own_address(address: str, sources: list[str], tmp_path: Path) -> None:
    """The address in a schema leads engines to the double, attached and started, beside the addresses of every package."""
    schema = {"resource_schemas": {"azapi_thing": {"version": 0, "block": {"attributes": {}}}}}
    package = from_terraform_schema({"provider_schemas": {address: schema}})
    with Double(package) as double, double.serve("terraform") as serving:
        attached = json.loads(serving.environment["TF_REATTACH_PROVIDERS"])
        serving.plugin_environment(tmp_path)
    settings = (tmp_path / "cli.tfrc").read_text(encoding="utf-8")

    assert (package.name, bool(package.address)) == ("azapi", bool(sources))
    assert len({attached[source]["Addr"]["String"] for source in (*sources, "registry.terraform.io/hashicorp/azapi")}) == 1
    assert all(f'"{source}" = ' in settings for source in sources)


def test_where_engines_find_launchers(tmp_path: Path) -> None:
    """A settings file in the launchers' folder leads the packages' sources there."""
    assert terraform().started_environment(tmp_path, ["cloud"]) == {"TF_CLI_CONFIG_FILE": str(tmp_path / "cli.tfrc")}
    assert (tmp_path / "cli.tfrc").read_text(encoding="utf-8") == dev_overrides(tmp_path, ["cloud"])


@pytest.mark.parametrize(
    ("version", "source", "path"),
    [
        ("", "", "terraform-provider-cloud"),
        ("", "example.com/a/cloud", "terraform-provider-cloud"),
        ("1.2.3", "", "example.com/mock/cloud/1.2.3/MACHINE/terraform-provider-cloud_v1.2.3"),
        ("1.2.3", "host.io/a/b", "host.io/a/b/1.2.3/MACHINE/terraform-provider-cloud_v1.2.3"),
    ],
)
def test_where_a_launcher_lies(monkeypatch: pytest.MonkeyPatch, version: str, source: str, path: str) -> None:
    """Without a version it lies straight in its folder, with one as a mirror of a registry has it."""
    monkeypatch.setattr("mockprovider.terraform.adapter.this_machine", lambda: "MACHINE")
    assert terraform().launcher("cloud", Path("/into"), version, source) == Path("/into") / path


@pytest.mark.parametrize("source", ["cloud", "mock/cloud", "a/b/c/d"])
def test_addresses_that_are_none(source: str) -> None:
    """A source address has three parts."""
    with pytest.raises(DefinitionError, match=f"'{source}' is no source address of a Terraform provider"):
        terraform().launcher("cloud", Path("/into"), "", source)


def test_what_to_do_with_a_launcher() -> None:
    """The settings that lead to it are shown; a mirror needs init, an override does without."""
    assert terraform().advice("cloud", Path("/into"), "") == (
        f"In the file that TF_CLI_CONFIG_FILE names:\n\n{dev_overrides(Path('/into'), ['cloud'])}\nThere is no init to run."
    )
    assert terraform().advice("cloud", Path("/into"), "1.0.0") == (
        f"In the file that TF_CLI_CONFIG_FILE names:\n\n{mirror(Path('/into'))}\nThen run init."
    )


# Recordings --------------------------------------------------------------------------------------------------------------


def recording(*asked: str, schema: Any = SCHEMA) -> Cassette:
    """A cassette with a schema, a read of a box, and these calls."""
    interactions = [
        Interaction(n=1, session=1, op=Op.GET_SCHEMA.value, method="GetProviderSchema", request={}, response=schema),
        Interaction(n=2, session=1, op=Op.READ.value, method="ReadResource", type="cloud_box", request={}, response={}),
        *(Interaction(n=3, session=1, op=Op.GET_SCHEMA.value, method=each, request={}, response={}) for each in asked),
    ]
    header = Header(format=FORMAT, version=VERSION, protocol="tfplugin6", provider="cloud")
    return Cassette(header, interactions)


def replayed(cassette: Cassette, *, whole: bool = False) -> CassetteLayer:
    """The recording alone."""
    prepared, reader = terraform().reader(cassette, whole_schema=whole)
    return CassetteLayer(Mode.NONE, Library(prepared, {"": reader}), None)


def types(reply: Reply) -> list[str]:
    """The resource types that an answer tells of."""
    assert reply.native is not None
    return sorted(reply.native.message.resource_schemas)


@pytest.mark.parametrize(("whole", "told"), [(False, ["cloud_box"]), (True, ["cloud_box", "cloud_lid"])])
def test_a_replay_tells_of_the_types_in_use(whole: bool, told: list[str]) -> None:
    """Engines spend most of a replay on schemas, so those of other types are told only where that is asked for."""
    replay = replayed(recording(), whole=whole)
    call = Call(op=Op.GET_SCHEMA, session=Session("tfplugin6"), method="GetProviderSchema")
    assert types(replay(call)) == told


def test_a_recording_without_identities_has_none() -> None:
    """To an engine that asks for identities, a recording in which nobody did says that there are none."""
    asked = Call(op=Op.GET_SCHEMA, session=Session("tfplugin6"), method="GetResourceIdentitySchemas")
    assert replayed(recording())(asked) == Reply()
    assert replayed(recording("GetResourceIdentitySchemas"))(asked).native is not None
    with pytest.raises(MissError):
        replayed(recording())(Call(op=Op.GET_PLUGIN_INFO, session=Session("tfplugin6"), method="GetMetadata"))


def test_a_compact_recording_has_the_types_in_use() -> None:
    """Compacting leaves the schemas of the types that other calls are about."""
    compact = terraform().compacted(recording())
    response: Any = compact.interactions[0].response
    assert list(response["resource_schemas"]) == ["cloud_box"]


def test_the_package_of_a_recording() -> None:
    """It is that of a recorded schema; other answers about schemas have none."""
    package = terraform().recorded_package(recording(), "box.json")
    assert package is not None
    assert (package.name, list(package.resources)) == ("cloud", ["cloud:index:Box", "cloud:index:Lid"])
    assert terraform().recorded_package(recording(schema={"identity_schemas": {}}), "box.json") is None


def test_what_declares_packages() -> None:
    """What the command shows declares packages, and other documents none."""
    given = {"resource_schemas": {"cloud_box": {"block": {}}}}
    found = terraform().declared_packages(given, "", "box.json")
    assert found is not None
    assert (found[0], [package.name for package in found[1]]) == ("a Terraform provider schema", ["cloud"])
    assert terraform().declared_packages({"types": {}}, "", "box.json") is None
    with pytest.raises(DefinitionError, match=r"^box\.json"):
        terraform().declared_packages({"resource_schemas": 7}, "", "box.json")


@pytest.mark.parametrize("major", [5, 6])
def test_recordings_are_written_down_in_the_majors_words(major: int) -> None:
    """A transcript is one of the adapter's own major."""
    transcript = terraform(major).transcriber()
    assert isinstance(transcript, TerraformTranscript)
    call = Call(op=Op.CONFIGURE, session=Session(f"tfplugin{major}"))
    assert transcript.named(call).method == {5: "Configure", 6: "ConfigureProvider"}[major]

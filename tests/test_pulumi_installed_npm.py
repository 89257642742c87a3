"""Installed npm SDKs, read as packages."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from small_npm_sdk import NEW, OLD
from small_sdk import write_sdk

from mockprovider import Double, ResourceType, from_schema, from_sdk
from mockprovider.cli import main
from mockprovider.errors import DefinitionError
from mockprovider.ondemand import held
from mockprovider.properties import Kind
from mockprovider.pulumi.schema import text
from mockprovider.schema import Package

BUCKET, ZONE, JOIN = "cloud:storage/bucket:Bucket", "cloud:storage/getZone:getZone", "cloud:index:join"
STRING = Kind("string")


@pytest.fixture(params=[NEW, OLD], ids=["today", "2021"])
def sdk(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """The small SDK in the manner of both generators."""
    return write_sdk(tmp_path / "node_modules" / "@pulumi" / "cloud", request.param)


@pytest.fixture
def package(sdk: Path) -> Package:
    """Its package."""
    return from_sdk(sdk)


def test_an_sdk_says_what_a_provider_serves(package: Package) -> None:
    """Resources, remote components, functions, methods and configuration are those of the code, not of a nested package."""
    assert (package.name, package.version) == ("cloud", "2.3.4")
    assert [*package.resources] == [BUCKET]
    assert [*package.components] == ["cloud:index:Site"]
    assert [*package.functions] == [JOIN, ZONE]
    assert [*package.methods] == [f"{BUCKET}/sign", f"{BUCKET}/count"]
    assert package.config["accessKey"].secret
    assert not package.config["accessKey"].required


LOADS = """
    readonly balancer: pulumi.Output<cloudNet.lb.Balancer>;
    readonly listeners: pulumi.Output<cloudNet.lb.Listener[] | undefined>;
    readonly provider: pulumi.Output<cloudNet.Provider>;
    readonly logs: pulumi.Output<cloudNet.types.output.Logs | undefined>;
    readonly files: pulumi.Output<storage.Bucket>;
    readonly self: pulumi.Output<Site>;
"""
BESIDE = {
    "package.json": '{"name": "@pulumi/net"}',
    "index.d.ts": 'import * as lb from "./lb";\nexport type Provider = import("./provider").Provider;\nexport { lb };\n',
    "provider.d.ts": "export declare class Provider extends pulumi.ProviderResource {\n}\n",
    "provider.js": "class Provider extends pulumi.ProviderResource {\n static __pulumiType = 'net';\n}",
    "lb/index.d.ts": "".join(f'export type {name} = import("./{name}").{name};\n' for name in ("Balancer", "Listener")),
    **{
        f"lb/{name}.js": f"class {name} extends pulumi.CustomResource {{\n static __pulumiType = 'net:lb/{name}:{name}';\n}}"
        for name in ("Balancer", "Listener")
    },
}


def test_components_show_resources(sdk: Path) -> None:
    """A member that is a resource, of this SDK or of one beside, has the token of its class; others may be anything."""
    text_of_site = (sdk / "site.d.ts").read_text()
    imports = 'import * as cloudNet from "@pulumi/net";\nimport * as storage from "./storage";\n'
    (sdk / "site.d.ts").write_text(imports + text_of_site.replace("    readonly url", f"{LOADS}    readonly url"))
    index = (sdk / "storage/index.d.ts").read_text()
    (sdk / "storage/index.d.ts").write_text(f'{index}export type Bucket = import("./bucket").Bucket;\n')
    alone = json.loads(text(from_sdk(sdk)))["resources"]["cloud:index:Site"]["properties"]
    write_sdk(sdk.parent / "net", BESIDE)
    beside = json.loads(text(from_sdk(sdk)))["resources"]["cloud:index:Site"]["properties"]
    assert alone["balancer"] == beside["provider"] == beside["logs"] == beside["self"] == {"$ref": "pulumi.json#/Any"}
    assert alone["files"] == beside["files"] == {"$ref": f"#/resources/{BUCKET.replace('/', '%2F')}"}
    net = "/net/v0.0.0/schema.json#/resources/net:lb%2F"
    assert beside["balancer"] == {"$ref": f"{net}Balancer:Balancer"}
    assert beside["listeners"] == {"type": "array", "items": {"$ref": f"{net}Listener:Listener"}}


def test_what_an_sdk_builds_on_is_declared_with_the_first_question(sdk: Path, tmp_path: Path) -> None:
    """A component's children of a package that its SDK depends on have that SDK's types; nothing is read before, or missing."""
    manifest = json.loads((sdk / "package.json").read_text())
    depends = {"@pulumi/pulumi": "^3", "@pulumi/cloud": "*", "@pulumi/absent": "*", "@pulumi/net": "^1", "mime": "*"}
    (sdk / "package.json").write_text(json.dumps(manifest | {"dependencies": depends}))
    write_sdk(sdk.parent / "net", {path: file.replace('"cloud"', '"net"') for path, file in NEW.items()})
    double = Double(from_sdk(sdk), strict=True)
    assert [*double.packages] == ["cloud"]
    assert double.packages.offered == ["cloud", "net"]
    with double.serve() as serving:
        assert [*serving.addresses()] == ["cloud", "net"]
    assert double.open(package="absent").schema is None
    assert double.open(package="cloud").schema is double.packages["cloud"]
    assert [*double.packages] == ["cloud", "net"]
    assert double.open(package="net").schema is double.packages["net"]
    double.define(ResourceType("own:index:Thing", {"name": str}))
    assert double.packages.offered == ["cloud", "net", "own"]


def test_properties_have_their_flags(package: Package) -> None:
    """Inputs are those of the constructor, outputs those of the class; secrets and replacements come from the options."""
    declared = package.resources[BUCKET].properties
    assert {name for name, item in declared.items() if not item.is_input} == {"arn", "key"}
    assert [name for name, item in declared.items() if item.required] == ["displayName"]
    assert {name for name, item in declared.items() if item.computed} == {"arn", "key", "size"}
    assert {name for name, item in declared.items() if item.secret} == {"key", "token"}
    assert {name for name, item in declared.items() if item.forces_new} == {"displayName"}
    assert declared["displayName"].description == "How it is shown."
    assert declared["apiVersion"].default == "v1"


def test_kinds_are_those_of_typescript(package: Package) -> None:
    """Maps, assets, aliases, and a resource beside its id are read; what was written by hand accepts anything."""
    declared = {name: item.kind for name, item in package.resources[BUCKET].properties.items()}
    assert declared["labels"] == Kind("map", items=STRING)
    assert (declared["source"], declared["size"]) == (Kind("asset"), Kind("number"))
    assert declared["owner"] == declared["vault"] == STRING
    assert declared["policy"] == Kind("any")


def test_nested_types_and_enums_are_those_of_their_namespaces(package: Package) -> None:
    """A type inside another, an enumeration, a type of another namespace and one that holds itself are read."""
    (rule,) = [package.resources[BUCKET].properties["rules"].kind.items]
    assert rule.properties["days"].required
    assert rule.properties["storageClass"].enum == ("cold", "hot")
    assert rule.properties["inner"].kind == Kind("any")
    assert rule.properties["meta"].kind.properties["$labels"].kind == Kind("map", items=STRING)


def test_functions_and_methods_have_arguments_and_results(package: Package) -> None:
    """Arguments are those of an object or of the function itself; a result that is no object is the member ``result``."""
    zone = package.functions[ZONE]
    assert {name: item.required for name, item in zone.inputs.items()} == {"filters": False, "regionName": True}
    assert zone.inputs["filters"].kind.items.properties["name"].required
    assert zone.outputs["zoneIds"].kind == Kind("array", items=STRING)
    join = package.functions[JOIN]
    assert {name: item.required for name, item in join.inputs.items()} == {"left": True, "right": False}
    assert join.outputs["result"].kind == STRING
    sign, count = (package.methods[f"{BUCKET}/{name}"] for name in ("sign", "count"))
    assert (list(sign.inputs), list(sign.returns)) == (["hours"], ["signedUrl"])
    assert (list(count.inputs), list(count.returns)) == ([], ["result"])
    site = package.components["cloud:index:Site"]
    assert (list(site.inputs), list(site.outputs)) == (["domain"], ["url"])


def test_only_what_is_used_is_read(package: Package) -> None:
    """A type is read when it is asked for."""
    assert not held(package.resources)
    assert package.resources[BUCKET].terraform == "cloud_storage_bucket"
    assert [*held(package.resources)] == [BUCKET]


def test_an_npm_sdk_s_schema_is_one_that_can_be_kept(package: Package) -> None:
    """The text that GetSchema answers reads back as the same types."""
    again = from_schema(text(package))
    assert {*again.functions, *again.components, *again.methods} == {
        *(JOIN, ZONE, "cloud:index:Site", f"{BUCKET}/sign", f"{BUCKET}/count")
    }
    names = again.resources[BUCKET].properties
    assert {name: item.kind for name, item in names.items()} == {
        name: item.kind for name, item in package.resources[BUCKET].properties.items()
    }


def test_an_sdk_is_found_as_node_finds_it(sdk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By its name, in ``node_modules`` of the folder or one above; the command line takes the name, too."""
    inside = sdk.parents[2] / "app" / "src"
    inside.mkdir(parents=True)
    monkeypatch.chdir(inside)
    assert [*from_sdk("@pulumi/cloud").resources] == [BUCKET]
    ended = CliRunner().invoke(main, ["schema", "get", "@pulumi/cloud", "-o", "cloud.json"])
    assert (ended.exit_code, "as sdk tells it" in ended.output) == (0, True), ended.output
    assert [*from_schema(Path("cloud.json").read_text(encoding="utf-8")).resources] == [BUCKET]


def test_a_name_that_is_not_installed(sdk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error has the nearest name, and the command that installs it."""
    monkeypatch.chdir(sdk.parents[2])
    with pytest.raises(DefinitionError, match=r"Did you mean '@pulumi/cloud'.*npm install @pulumi/clowd"):
        from_sdk("@pulumi/clowd")


def test_an_sdk_that_was_built_beside_its_sources(tmp_path: Path) -> None:
    """An SDK that the CLI generated into a project has its compiled files in ``bin``; without them there is nothing to read."""
    compiled = {f"bin/{path}": content for path, content in NEW.items() if path != "package.json"}
    folder = write_sdk(tmp_path / "sdks" / "cloud", compiled | {"package.json": NEW["package.json"]})
    assert [*from_sdk(folder).resources] == [BUCKET]
    with pytest.raises(DefinitionError, match=r"no resource and no function in its JavaScript.*build it"):
        from_sdk(write_sdk(tmp_path / "sources", {"package.json": NEW["package.json"], "bucket.ts": ""}))


@pytest.mark.parametrize(
    ("manifest", "complaint"),
    [("{", "cannot be read"), ("[]", "nothing in it says what the package is called")],
)
def test_a_manifest_that_is_none(manifest: str, complaint: str, tmp_path: Path) -> None:
    """The error says what is missing, and which other ways there are."""
    with pytest.raises(DefinitionError, match=f"{complaint}.*mockprovider schema get"):
        from_sdk(write_sdk(tmp_path / "sdk", {"package.json": manifest}))


@pytest.mark.parametrize(
    ("type_", "complaint"),
    [
        ("Frob<string>[0]", "Frob"),
        ("{ [key: string", "never closed"),
        ("keyof Frob", "keyof Frob"),
        ("", "cannot be read"),
    ],
)
def test_types_that_no_generator_writes(type_: str, complaint: str, tmp_path: Path) -> None:
    """What is not understood is named with its file, when the type is used; the others are readable."""
    broken = NEW["storage/bucket.d.ts"].replace("pulumi.Output<string | undefined>", type_)
    package = from_sdk(write_sdk(tmp_path / "sdk", NEW | {"storage/bucket.d.ts": broken}))
    with pytest.raises(DefinitionError, match=rf"bucket\..*{complaint}"):
        package.resources[BUCKET]
    assert package.functions[ZONE].inputs

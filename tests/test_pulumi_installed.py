"""Installed Python SDKs, read as packages."""

from __future__ import annotations

import json
import sys
from ipaddress import ip_address
from pathlib import Path

import pulumi
import pytest
from small_sdk import NEW, OLD, write_sdk

from mockprovider import Double, Stack, from_schema, from_sdk
from mockprovider.errors import DefinitionError
from mockprovider.ondemand import held
from mockprovider.properties import Kind
from mockprovider.pulumi.schema import text
from mockprovider.schema import Package

BUCKET, ZONE = "cloud:storage/bucket:Bucket", "cloud:storage/getZone:getZone"
STRING = Kind("string")


class Bucket(pulumi.CustomResource):
    """A bucket as a program has it."""

    rules: pulumi.Output[list[dict[str, str]]]

    def __init__(self, name: str, inputs: dict[str, object]) -> None:
        super().__init__(BUCKET, name, inputs)


@pytest.fixture(params=[NEW, OLD], ids=["today", "2021"])
def sdk(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """The small SDK in the manner of both generators."""
    return write_sdk(tmp_path / "pulumi_cloud", request.param)


@pytest.fixture
def package(sdk: Path) -> Package:
    """Its package."""
    return from_sdk(sdk)


def test_an_sdk_says_what_a_provider_serves(package: Package) -> None:
    """Resources, components of the provider, functions, methods and the configuration are those of the code."""
    assert package.name == "cloud"
    assert [*package.resources] == [BUCKET]
    assert [*package.components] == ["cloud:index:Site"]
    assert [*package.functions] == [ZONE]
    assert [*package.methods] == [f"{BUCKET}/sign"]
    assert package.config["accessKey"].secret
    assert not package.config["accessKey"].required


def test_components_show_resources_of_other_sdks(tmp_path: Path) -> None:
    """A class of an SDK that is installed beside is the resource that this lists under it; any other may be anything."""
    listed = [{"pkg": "net", "mod": "lb/lb", "fqn": "pulumi_net.lb", "classes": {"net:lb/lb:Lb": "Lb"}}]
    shown = NEW["site.py"].replace("pulumi.Output[_builtins.str]", "pulumi.Output['pulumi_net.lb.Lb']")
    write_sdk(tmp_path / "pulumi_net", {"__init__.py": f'_utilities.register(resource_modules="""\n{json.dumps(listed)}\n""")'})
    assert '"$ref": "/net/v0.0.0/schema.json#/resources/net:lb%2Flb:Lb"' in text(
        from_sdk(write_sdk(tmp_path / "pulumi_cloud", {**NEW, "site.py": shown}))
    )
    alone = from_sdk(write_sdk(tmp_path / "alone" / "pulumi_cloud", {**NEW, "site.py": shown}))
    assert alone.components["cloud:index:Site"].outputs["url"].kind.name == "any"
    assert "/net/" not in text(alone)


def test_components_show_components_of_their_own_sdk(tmp_path: Path) -> None:
    """A class that an SDK lists among its own resources is that resource, and no object without properties."""
    listed = [{"pkg": "cloud", "mod": "index", "fqn": "pulumi_cloud", "classes": {"cloud:index:Site": "Site"}}]
    first = f'raise RuntimeError()\n_utilities.register(resource_modules="""\n{json.dumps(listed)}\n""")'
    shown = NEW["site.py"].replace("pulumi.Output[_builtins.str]", "pulumi.Output['Site']")
    shown = shown.replace("class Site(", '@pulumi.type_token("cloud:index:Site")\nclass Site(')
    package = from_sdk(write_sdk(tmp_path / "pulumi_cloud", {**NEW, "__init__.py": first, "site.py": shown}))
    assert package.components["cloud:index:Site"].outputs["url"].kind.name == "any"
    assert '"url": {"$ref": "#/resources/cloud:index:Site"}' in text(package)


def test_properties_have_their_names_on_the_wire_and_their_flags(package: Package) -> None:
    """Inputs come from the arguments' class and outputs from the getters; secrets and replacements from the options."""
    declared = package.resources[BUCKET].properties
    assert {name for name, item in declared.items() if item.is_input} == {
        *("displayName", "rules", "size", "token", "source", "apiVersion")
    }
    assert [name for name, item in declared.items() if item.required] == ["displayName"]
    assert {name for name, item in declared.items() if item.computed} == {"arn", "key", "size"}
    assert {name for name, item in declared.items() if item.secret} == {"key", "token"}
    assert {name for name, item in declared.items() if item.forces_new} == {"displayName"}
    assert declared["displayName"].description == "How it is shown."
    assert (declared["apiVersion"].default, declared["source"].kind.name) == ("v1", "asset")


def test_nested_types_and_enums_are_those_of_their_files(package: Package) -> None:
    """A type inside another, an enumeration, a type of another module and one that holds itself are read."""
    (rule,) = [package.resources[BUCKET].properties["rules"].kind.items]
    assert rule.properties["days"].required
    assert rule.properties["storageClass"].kind == STRING
    assert rule.properties["inner"].kind == Kind("any")
    assert rule.properties["meta"].kind.properties["labels"].kind == Kind("map", items=STRING)


@pytest.mark.parametrize("line", ["    def days(self): ...", "    @pulumi.getter", "    class Inner:"])
def test_descriptions_that_look_like_code(line: str, tmp_path: Path) -> None:
    """The description of a class may have lines that look like the methods at which the class is cut."""
    described = f'class BucketRule(dict):\n    """\n    A rule.\n\n{line}\n    """'
    files = NEW | {"storage/outputs.py": NEW["storage/outputs.py"].replace("class BucketRule(dict):", described)}
    package = from_sdk(write_sdk(tmp_path / "pulumi_cloud", files))

    rules = json.loads(text(package))["types"]["cloud:storage/outputs:BucketRule"]
    assert [*rules["properties"]] == ["days"]


NESTED = """
    @_builtins.property
    @pulumi.getter(name="{0}")
    def {0}(self) -> {1}:
        \"\"\"
        {2}
        \"\"\"
        return pulumi.get(self, "{0}")
"""
TEXT = "pulumi.Input[Optional[_builtins.str]]"
INSIDE = [("natIp", TEXT, "Made up if not given."), ("label", TEXT, "What it is called."), ("seen", TEXT, "(Output) When.")]


def test_the_provider_gives_addresses_and_what_is_said_to_be_output(tmp_path: Path) -> None:
    """A Python SDK has one spelling for what a program may set and what the provider adds inside; name and description tell."""
    inside = "".join(NESTED.format(*row) for row in INSIDE)
    after = "@pulumi.input_type\nclass GetZone"
    inputs = NEW["storage/_inputs.py"].replace(after, f"{inside}\n{after}")
    grown = {"storage/_inputs.py": inputs, "storage/outputs.py": NEW["storage/outputs.py"] + inside}
    package = from_sdk(write_sdk(tmp_path / "pulumi_cloud", {**NEW, **grown}))

    def program() -> None:
        rules = [{"days": 1}, {"days": 2, "natIp": "192.0.2.1"}]
        pulumi.export("rules", Bucket("b", {"displayName": "b", "rules": rules}).rules)

    with Double(package) as double:
        stack = Stack(double)
        first, second = stack.up(program).outputs["rules"]
        assert ip_address(first.pop("natIp")).is_private
        assert first.pop("seen")
        assert (first, second["natIp"]) == ({"days": 1}, "192.0.2.1")
        assert stack.up(program).summary == stack.refresh().summary == {}


def test_functions_and_methods_have_arguments_and_results(package: Package) -> None:
    """What a function needs is what its Output form cannot leave out; the result is that of its class."""
    zone = package.functions[ZONE]
    assert {name: item.required for name, item in zone.inputs.items()} == {"filters": False, "regionName": True}
    assert zone.inputs["filters"].kind.items.properties["name"].required
    assert list(zone.outputs) == ["zoneIds"]
    sign = package.methods[f"{BUCKET}/sign"]
    assert (list(sign.inputs), list(sign.returns)) == (["hours"], ["signedUrl"])


def test_nothing_is_imported_and_only_what_is_used_is_read(package: Package) -> None:
    """The SDK's own code does not run, and a type is read when it is asked for."""
    assert "pulumi_cloud" not in sys.modules
    assert not held(package.resources)
    assert package.terraform_names() == {BUCKET: "cloud_storage_bucket"}
    assert not held(package.resources)
    assert package.resources[BUCKET].terraform == "cloud_storage_bucket"
    assert [*held(package.resources)] == [BUCKET]


def test_an_sdk_s_schema_is_one_that_can_be_kept(package: Package) -> None:
    """The text that GetSchema answers reads back as the same types."""
    again = from_schema(text(package))
    assert {*again.resources, *again.functions, *again.components, *again.methods} == {
        *(BUCKET, ZONE, "cloud:index:Site", f"{BUCKET}/sign")
    }
    names = again.resources[BUCKET].properties
    assert {name: item.kind for name, item in names.items()} == {
        name: item.kind for name, item in package.resources[BUCKET].properties.items()
    }


def test_a_package_of_an_sdk_can_be_added_to(package: Package) -> None:
    """One type can be declared anew, and the schema is then made of the declarations."""
    package.add(type(package.resources[BUCKET])(BUCKET, {"displayName": str}))
    assert list(package.resources[BUCKET].properties) == ["displayName"]
    assert list(json.loads(text(package))["resources"][BUCKET]["inputProperties"]) == ["displayName"]


def test_what_an_sdk_requires_is_declared_with_the_first_question(tmp_path: Path) -> None:
    """SDKs that an installed one requires are known from the start, and a test may say outputs of their types at once."""
    requires = ["pulumi<4,>=3", "pulumi-net<2,>=1; python_version > '3'", "pulumi-absent", "semver>=2"]
    wanted = "".join(f"Requires-Dist: {other}\n" for other in requires)
    metadata = f"Metadata-Version: 2.1\nName: pulumi-cloud\nVersion: 2.3.4\n{wanted}"
    listed = [{"pkg": "net", "mod": "lb/lb", "fqn": "pulumi_net.lb", "classes": {"net:lb/lb:Lb": "Lb"}}]
    shown = NEW["site.py"].replace("pulumi.Output[_builtins.str]", "pulumi.Output['pulumi_net.lb.Lb']")
    write_sdk(tmp_path, {f"pulumi_cloud/{path}": file for path, file in {**NEW, "site.py": shown}.items()})
    write_sdk(tmp_path, {f"pulumi_net/{path}": file.replace("cloud", "net") for path, file in NEW.items()})
    write_sdk(tmp_path, {"pulumi_cloud-2.3.4.dist-info/METADATA": metadata, "pulumi/__init__.py": ""})
    write_sdk(tmp_path, {"pulumi_net/__init__.py": f'register(resource_modules="""{json.dumps(listed)}""")'})

    assert '"$ref": "/net/v2.3.4/schema.json#/resources/net:lb%2Flb:Lb"' in text(from_sdk(tmp_path / "pulumi_cloud"))
    with Double(from_sdk(tmp_path / "pulumi_cloud")) as double:
        assert [*double.packages] == ["cloud"]
        assert double.packages.offered == ["cloud", "net"]
        double.outputs("net:storage/bucket:Bucket", {"arn": "arn:net"})
        assert [*double.packages] == ["cloud", "net"]


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("pulumi_nowhere", "no SDK pulumi_nowhere in this environment.*pip install pulumi-nowhere"),
        ("../nowhere", "no folder ../nowhere"),
        ("random-nonsense/.", "no folder"),
    ],
)
def test_an_sdk_that_is_not_there(name: str, complaint: str) -> None:
    """The error says how to get it."""
    with pytest.raises(DefinitionError, match=complaint):
        from_sdk(name)


@pytest.mark.parametrize(
    ("files", "complaint"),
    [
        ({"__init__.py": ""}, "nothing says what the package is called"),
        ({"pulumi-plugin.json": "{"}, "cannot be read"),
        ({"pulumi-plugin.json": '{"name": "cloud"}', "a.py": "x = 1"}, "no resource and no function"),
    ],
)
def test_a_folder_that_is_no_sdk(files: dict[str, str], complaint: str, tmp_path: Path) -> None:
    """The error says what is missing, and which other ways there are."""
    with pytest.raises(DefinitionError, match=f"{complaint}.*mockprovider schema get"):
        from_sdk(write_sdk(tmp_path / "sdk", files))


@pytest.mark.parametrize(
    ("annotation", "complaint"),
    [
        ("Frobnicated[str]", "Frobnicated"),
        ("lambda: 1", "the annotation"),
        ("'Optional['", "what declares cloud:storage/bucket:Bucket cannot be read"),
        ("'BucketRuleArgs", "no class or function Bucket"),
    ],
)
def test_code_that_no_generator_writes(annotation: str, complaint: str, tmp_path: Path) -> None:
    """What is not understood is named with its file, when the type is used; the others are readable."""
    broken = NEW["storage/bucket.py"].replace("pulumi.Output[Optional[_builtins.str]]", annotation)
    package = from_sdk(write_sdk(tmp_path / "sdk", NEW | {"storage/bucket.py": broken}))
    with pytest.raises(DefinitionError, match=rf"bucket\.py: .*{complaint}"):
        package.resources[BUCKET]
    assert package.functions[ZONE].inputs

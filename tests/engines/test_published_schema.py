"""Fakes made from published Terraform schemas, under the real engines: what these see of the schema, and a resource's life."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import kept_aws
import pytest
from published_schema import PLAIN, POST, document
from terraform_stage import ENGINES

from mockprovider.double import Double
from mockprovider.drivers.terraform import Terraform
from mockprovider.terraform.schema.reading import from_terraform_schema

CONFIGURATION = """
provider "post" {
  region = "north"
}
resource "post_box" "a" {
  name     = "NAME"
  password = "hush"
  tags     = { a = "b" }
  ports    = [2, 1]
  shape    = { line_width = 1, s3_uri = "s3://x" }
  anything = ["x", 1]
  a_1      = "one"
  a1       = "two"
  once { port = 1 }
  rule { port = 1 }
  rule {
    port    = 2
    open_to = "all"
  }
  peer { name = "p" }
  zone "z" { name = "zed" }
  free { value = "text" }
  free { value = [1] }
NESTED
}
data "post_box" "a" {
  name = post_box.a.name
  rule { port = 1 }
}
output "id" { value = post_box.a.id }
output "serial" { value = data.post_box.a.serial }
"""
NESTED = """
  one_of  = { inner_name = "x" }
  list_of = [{ inner_name = "x" }]
  set_of  = [{ inner_name = "x" }]
  map_of  = { k = { inner_name = "x" } }
"""
OTHERS = """
resource "post_nameless" "b" { label = "LABEL" }
resource "post_own_id" "c" { id = "mine" }
"""


def required(name: str) -> str:
    """A root module that needs one provider."""
    return f'terraform {{\n  required_providers {{\n    {name} = {{ source = "hashicorp/{name}" }}\n  }}\n}}\n'


def seen(cli: Terraform, name: str) -> Any:
    """The provider's part of what the engine shows."""
    shown = json.loads(cli.command("providers", "schema", "-json").stdout)["provider_schemas"]
    return next(each for address, each in shown.items() if address.endswith(f"/{name}"))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("major", "given"), [(6, POST), (5, PLAIN)])
def test_a_life_on_a_published_schema(engine: str, major: int, given: dict[str, Any], tmp_path: Path) -> None:
    """Every nesting mode and type is created, left alone, updated, replaced where the user says so, and destroyed."""
    package = from_terraform_schema(document(post=given), forces_new={"post_box": ["a_1"]})
    with Double(package) as double:
        served = double.serve("terraform", major=major)
        cli = Terraform(tmp_path, lambda: served.environment, binary=engine)
        cli.write(required("post"), "versions.tf")

        def write(name: str = "me", first: str = "one") -> None:
            body = CONFIGURATION.replace("NESTED", NESTED if major == 6 else "").replace("NAME", name)
            cli.write((body + (OTHERS if major == 6 else "")).replace('"one"', f'"{first}"').replace("LABEL", name))

        write()
        count = 3 if major == 6 else 1
        applied = cli.apply()
        assert applied.summary == {"add": count}
        box = double.cloud.objects("post:index:Box")[0]
        assert (box["name"], box["tags"], sorted(box["ports"])) == ("me", {"a": "b"}, [1, 2])
        assert box["shape"] == {"lineWidth": 1, "s3Uri": "s3://x"}
        assert box["rule"] == [{"port": 1}, {"port": 2, "openTo": "all"}]
        assert (box["once"], box["peer"], box["zone"]) == ({"port": 1}, [{"name": "p"}], {"z": {"name": "zed"}})
        assert (box["a1"], box["a_1"]) == ("two", "one")
        attributes = applied.resource("post_box.a")["attributes"]
        assert attributes["password"] is None
        assert attributes["always"] == {"port": None}
        assert isinstance(attributes["serial"], int)
        assert applied.outputs["id"] == attributes["id"]
        assert cli.plan().exit_code == 0
        write(name="you")
        assert cli.apply().summary == {"change": count - 1 if major == 6 else 1}
        write(name="you", first="other")
        assert cli.apply().summary == {"add": 1, "remove": 1}
        assert cli.destroy().summary == {"remove": count}
        assert double.cloud.objects() == []
        double.raise_errors()


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("major", "given"), [(6, POST), (5, PLAIN)])
def test_engines_see_the_schema_that_was_given(engine: str, major: int, given: dict[str, Any], tmp_path: Path) -> None:
    """What the engine shows of the fake's schema is the text that the fake was made of."""
    with Double(from_terraform_schema(document(post=given))) as double:
        served = double.serve("terraform", major=major)
        cli = Terraform(tmp_path, lambda: served.environment, binary=engine)
        cli.write(required("post"))
        assert seen(cli, "post") == given


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", ["random", "null", "local", "time", "tls", "aws"])
def test_the_schema_of_a_real_provider_comes_back_equal(engine: str, name: str, tmp_path: Path) -> None:
    """The engine shows the same of the real provider as of the fake that was made of what it showed."""
    program = kept_aws.provider() if name == "aws" else shutil.which(f"terraform-provider-{name}")
    if program is None:
        pytest.skip(f"there is no terraform-provider-{name}: tools/build-engines builds all but aws")
    folder = Path(program).parent
    settings = f'provider_installation {{\n  dev_overrides {{\n    "hashicorp/{name}" = "{folder}"\n  }}\n  direct {{}}\n}}\n'
    real = Terraform(tmp_path / "real", binary=engine, settings=settings)
    real.write(required(name))
    text = real.command("providers", "schema", "-json").stdout
    with Double(from_terraform_schema(text)) as double:
        served = double.serve("terraform", major=5 if name in ("null", "aws") else 6)
        cli = Terraform(tmp_path / "fake", lambda: served.environment, binary=engine)
        cli.write(required(name))
        assert seen(cli, name) == seen(real, name)


TELLING = """
terraform {
  required_providers {
    aws = { source = "hashicorp/aws" }
  }
  provider_meta "aws" {
    user_agent = ["github.com/example/terraform-aws-acl"]
  }
}
resource "aws_acl" "this" {
  match {
    everything {}
  }
}
"""


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("major", [5, 6])
def test_modules_of_public_registries_run_on_what_the_command_shows(engine: str, major: int, tmp_path: Path) -> None:
    """What a module tells the provider about itself is not in what the command shows, and a block may have nothing in it."""
    match = {"nesting_mode": "list", "block": {"block_types": {"everything": {"nesting_mode": "list", "block": {}}}}}
    schema = {"block": {"attributes": {"id": {"type": "string", "computed": True}}, "block_types": {"match": match}}}
    aws = {"provider": {"block": {}}, "resource_schemas": {"aws_acl": {"version": 0, **schema}}}
    with Double(from_terraform_schema(document(aws=aws))) as double:
        served = double.serve("terraform", major=major)
        cli = Terraform(tmp_path, lambda: served.environment, binary=engine)
        cli.write(TELLING)
        assert cli.apply().summary == {"add": 1}
        assert double.cloud.objects()[0]["match"] == [{"everything": [{}]}]
        assert cli.plan().exit_code == 0
        assert cli.destroy().summary == {"remove": 1}
        double.raise_errors()

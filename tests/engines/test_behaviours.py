"""Rules and behaviours of the fake under the real engines: names, unreadable values, and a cloud that refuses."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mockprovider.double import Double
from mockprovider.drivers.pulumi import PulumiCli
from mockprovider.drivers.terraform import Terraform
from mockprovider.fake.behaviours import Holds, Modified, Normalised, Pending, Protected, Quota, References, Revision, Slow
from mockprovider.schema import Property, Random, ResourceType, Template

USER, BUCKET, OBJECT, SERVER, DISK = (f"cloud:index:{each}" for each in ("User", "Bucket", "Object", "Server", "Disk"))
TYPES = (
    ResourceType(
        USER,
        {
            "name": Property(str, auto_name=True, max_length=20),
            "home": Property(str, forces_new=True),
            "path": Property(str, default=Template("/home/{name}")),
            "pin": Property(str, default=Random(6), secret=True),
        },
    ),
    ResourceType(DISK, {"size": int}, timeouts={"create": 30}, behaviours=(Slow(create=60),)),
    ResourceType(BUCKET, {"acl": str}, behaviours=(Quota(2), Holds(OBJECT, by="bucket"))),
    ResourceType(OBJECT, {"bucket": Property(str, forces_new=True), "body": str}, behaviours=(References("bucket", BUCKET),)),
    ResourceType(
        SERVER,
        {
            "size": str,
            "password": Property(str, unreadable=True),
            "policy": str,
            "deletionProtection": bool,
            "disk": Property({"size": int, "serial": Property(str, computed=True)}),
            "status": Property(str, computed=True),
            "version": Property(int, computed=True),
            "lastModified": Property(str, computed=True),
        },
        behaviours=(Pending(reads=2, refuses=("update",)), Protected(), Normalised("policy", "json"), Revision(), Modified()),
    ),
)


@pytest.fixture
def double() -> Iterator[Double]:
    """A double of these types, whose own errors fail the test."""
    with Double(*TYPES) as found:
        yield found
        found.raise_errors()


# Pulumi ----------------------------------------------------------------------------------------------------------------


@pytest.fixture
def pulumi(double: Double, tmp_path: Path) -> PulumiCli:
    """The real pulumi, attached to the double."""
    served = double.serve("pulumi")
    return PulumiCli(tmp_path / "pulumi", lambda: served.environment)


def program(**resources: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    """A YAML program of these resources."""
    return {"resources": {name: {"type": type_, "properties": each} for name, (type_, each) in resources.items()}}


def asked(double: Double, name: str) -> list[str]:
    """What was asked about a resource since the last look, without Check and Diff."""
    found = [op for op in double.journal.ops(name=name) if op not in ("check", "diff")]
    double.journal.clear()
    return found


@pytest.mark.pulumi_cli
def test_automatic_names(pulumi: PulumiCli, double: Double) -> None:
    """A name that check made stays, and a replacement has a new one and comes first; with a given name it comes last."""
    pulumi.up(program(me=(USER, {"home": "/a"})))
    (made,) = double.cloud.objects(USER)
    assert re.fullmatch("me-[0-9a-f]{7}", made["name"])
    assert pulumi.up(program(me=(USER, {"home": "/a"}))).summary == {}
    asked(double, "me")

    pulumi.up(program(me=(USER, {"home": "/b"})))
    (replaced,) = double.cloud.objects(USER)
    assert replaced["name"] not in (made["name"], "")
    assert replaced["pin"] != made["pin"]
    assert asked(double, "me") == ["create", "delete"]

    pulumi.up(program(me=(USER, {"home": "/b", "name": "mine"})))
    pulumi.refresh()
    asked(double, "me")
    pulumi.up(program(me=(USER, {"home": "/c", "name": "mine"})))
    assert asked(double, "me")[-2:] == ["delete", "create"]
    pulumi.destroy()


@pytest.mark.pulumi_cli
def test_autonaming_options(pulumi: PulumiCli, double: Double) -> None:
    """The engine's options for automatic names reach check: a pattern is taken, and where they are disabled, it fails."""
    pulumi.command("config", "set", "--path", "pulumi:autonaming.pattern", "${project}-${name}-${hex(3)}")
    pulumi.up(program(me=(USER, {})))
    (made,) = double.cloud.objects(USER)
    assert re.fullmatch("project-me-[0-9a-f]{3}", made["name"])
    assert pulumi.up(program(me=(USER, {}))).summary == {}

    pulumi.command("config", "rm", "--path", "pulumi:autonaming.pattern")
    pulumi.command("config", "set", "--path", "pulumi:autonaming.mode", "disabled")
    failed = pulumi.up(program(me=(USER, {}), other=(USER, {})), expect_failure=True)
    assert "automatic names are disabled for this resource" in str(failed.diagnostics)
    assert len(double.cloud.objects(USER)) == 1


@pytest.mark.pulumi_cli
def test_a_cloud_that_refuses(pulumi: PulumiCli, double: Double) -> None:
    """A quota that is reached keeps what was made in the state, and buckets go after the objects that they hold."""
    three = program(a=(BUCKET, {}), b=(BUCKET, {}), c=(BUCKET, {}))
    failed = pulumi.up(three, expect_failure=True)
    assert "LimitExceeded: there are 2 objects of cloud:index:Bucket, and the quota is 2." in str(failed.diagnostics)
    kept = [each["id"] for each in pulumi.export()["deployment"]["resources"] if each["type"] == BUCKET]
    assert sorted(kept) == sorted(each.id for each in double.cloud.objects(BUCKET))

    one = program(a=(BUCKET, {}))
    one["resources"]["o"] = {"type": OBJECT, "properties": {"bucket": "${a.id}"}}
    pulumi.up(one)
    stray = double.cloud.objects(BUCKET)[0].id
    double.cloud.create(OBJECT, "stray", {"bucket": stray})
    failed = pulumi.destroy(expect_failure=True)
    assert f"NotEmpty: cloud:index:Bucket '{stray}' still holds 1 of cloud:index:Object (stray)." in str(failed.diagnostics)
    double.cloud.vanish(OBJECT, "stray")
    pulumi.destroy()
    assert double.cloud.objects() == []


@pytest.mark.pulumi_cli
def test_a_server_comes_up(pulumi: PulumiCli, double: Double) -> None:
    """Pending becomes ready by reads, unreadable values survive a refresh, other forms are no difference, protection holds."""
    wanted = {"size": "s", "password": "p", "policy": '{"b": 1, "a": 2}', "deletionProtection": True, "disk": {"size": 1}}
    pulumi.up(program(web=(SERVER, wanted)))
    (made,) = double.cloud.objects(SERVER)
    assert (made["status"], made["policy"], made["version"]) == ("creating", '{"a":2,"b":1}', 1)
    assert made["disk"]["serial"]

    failed = pulumi.up(program(web=(SERVER, {**wanted, "size": "m"})), expect_failure=True)
    assert "is creating. Wait until it is available." in str(failed.diagnostics)
    pulumi.refresh()
    pulumi.refresh()
    assert double.cloud.objects(SERVER)[0]["status"] == "available"
    outputs = next(each for each in pulumi.export()["deployment"]["resources"] if each["type"] == SERVER)["outputs"]
    assert (outputs["password"], outputs["status"], outputs["disk"]) == ("p", "available", dict(made["disk"]))

    assert pulumi.up(program(web=(SERVER, {**wanted, "policy": '{"a": 2, "b": 1}'}))).summary == {}
    assert pulumi.up(program(web=(SERVER, {**wanted, "size": "m"}))).summary == {"update": 1}
    assert double.cloud.objects(SERVER)[0]["version"] == 2
    assert double.cloud.objects(SERVER)[0]["disk"] == made["disk"]
    assert "DeletionProtected: " in str(pulumi.destroy(expect_failure=True).diagnostics)
    pulumi.up(program(web=(SERVER, {**wanted, "size": "m", "deletionProtection": False})))
    pulumi.destroy()
    assert double.cloud.objects() == []


@pytest.mark.pulumi_cli
def test_timeouts(pulumi: PulumiCli, double: Double) -> None:
    """A create beyond its timeout, the program's or else the type's, fails, and its object is known all the same."""
    slow = program(one=(DISK, {}))
    failed = pulumi.up(slow, expect_failure=True)
    assert "Timeout: create of cloud:index:Disk was not done after 30 s." in str(failed.diagnostics)
    kept = [each["id"] for each in pulumi.export()["deployment"]["resources"] if each["type"] == DISK]
    assert kept == [double.cloud.objects(DISK)[0].id]
    pulumi.destroy()

    slow["resources"]["one"]["options"] = {"customTimeouts": {"create": "90s"}}
    assert pulumi.up(slow).summary == {"create": 1}
    assert double.clock.now() == 30 + 60
    pulumi.destroy()


# Terraform -------------------------------------------------------------------------------------------------------------

HEAD = """
terraform {
  required_providers {
    cloud = { source = "example.com/mock/cloud" }
  }
}
"""
INNER = {5: "disk {\n  size = 1\n}\n", 6: "disk = { size = 1 }\n"}


@pytest.fixture(
    params=[
        pytest.param(("terraform", 6), marks=pytest.mark.terraform_cli, id="terraform-v6"),
        pytest.param(("tofu", 5), marks=pytest.mark.tofu_cli, id="tofu-v5"),
    ]
)
def route(request: pytest.FixtureRequest) -> tuple[str, int]:
    """An engine, and the protocol that it is served."""
    found: tuple[str, int] = request.param
    return found


@pytest.fixture
def terraform(route: tuple[str, int], double: Double, tmp_path: Path) -> Iterator[Terraform]:
    """An engine in an empty root module, attached to the double over one of the protocols."""
    binary, major = route
    if shutil.which(binary) is None:
        pytest.skip(f"no {binary} on PATH")
    with double.serve("terraform", major=major) as serving:
        yield Terraform(tmp_path / "module", serving.environment, binary=binary)


def module(type_: str, arguments: str) -> str:
    """A configuration of one resource."""
    return f'{HEAD}resource "cloud_{type_}" "one" {{\n{arguments}\n}}\n'


def test_terraform_names(terraform: Terraform, double: Double) -> None:
    """Made-up values are unknown until apply, stay afterwards, and are new in a replacement."""
    terraform.write(module("user", 'home = "/a"'))
    terraform.apply()
    (made,) = double.cloud.objects(USER)
    assert re.fullmatch("user-[0-9a-f]{7}", made["name"])
    assert made["path"] == f"/home/{made['name']}"
    assert terraform.plan().exit_code == 0

    terraform.write(module("user", 'home = "/b"'))
    terraform.apply()
    (replaced,) = double.cloud.objects(USER)
    assert replaced["name"] != made["name"]
    terraform.write(module("user", 'home = "/b"\nname = "mine"'))
    assert terraform.plan().actions == {"cloud_user.one": ["update"]}
    terraform.destroy()


def test_terraform_server(terraform: Terraform, route: tuple[str, int], double: Double) -> None:
    """The same server: pending, unreadable, in other forms, protected; and an import cannot know what no read can tell."""

    def server(size: str, policy: str, protected: str) -> str:
        told = f'size = "{size}"\npassword = "p"\npolicy = {json.dumps(policy)}\ndeletion_protection = {protected}\n'
        return module("server", told + INNER[route[1]])

    terraform.write(server("s", '{"b": 1, "a": 2}', "true"))
    terraform.apply()
    (made,) = double.cloud.objects(SERVER)
    assert (made["status"], made["policy"]) == ("creating", '{"a":2,"b":1}')
    terraform.refresh()
    terraform.refresh()
    assert double.cloud.objects(SERVER)[0]["status"] == "available"
    assert terraform.plan().exit_code == 0

    terraform.write(server("m", '{"a":2, "b": 1}', "true"))
    terraform.apply()
    (changed,) = double.cloud.objects(SERVER)
    assert (changed["size"], changed["version"], changed["policy"]) == ("m", 2, made["policy"])
    assert changed["disk"] == made["disk"]
    state = terraform.state()["resources"][0]["instances"][0]["attributes"]
    assert (state["password"], state["policy"], state["status"]) == ("p", '{"b": 1, "a": 2}', "available")

    assert "DeletionProtected: " in terraform.destroy(expect_failure=True).output
    terraform.write(server("m", '{"a":2, "b": 1}', "false"))
    terraform.apply()
    terraform.command("state", "rm", "cloud_server.one")
    terraform.import_("cloud_server.one", made.id)
    state = terraform.state()["resources"][0]["instances"][0]["attributes"]
    assert (state["password"], state["policy"]) == (None, made["policy"])
    terraform.destroy()
    assert double.cloud.objects() == []

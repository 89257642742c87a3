"""Rules and behaviours of the fake under the real engines: names, unreadable values, and a cloud that refuses."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from terraform_stage import HEAD

from mockprovider.double import Double
from mockprovider.drivers.pulumi import PulumiCli
from mockprovider.drivers.terraform import Terraform
from mockprovider.fake.behaviours import Holds, Modified, Normalised, Pending, Protected, Quota, References, Revision, Slow
from mockprovider.schema import Property, Random, ResourceType, Template

USER, BUCKET, OBJECT, SERVER, DISK = (f"cloud:index:{each}" for each in ("User", "Bucket", "Object", "Server", "Disk"))
SERVED = (
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


# Pulumi ----------------------------------------------------------------------------------------------------------------


def program(**resources: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    """A YAML program of these resources."""
    return {"resources": {name: {"type": type_, "properties": each} for name, (type_, each) in resources.items()}}


def asked(double: Double, name: str) -> list[str]:
    """What was asked about a resource since the last look, without Check and Diff."""
    found = [op for op in double.journal.ops(name=name) if op not in ("check", "diff")]
    double.journal.clear()
    return found


@pytest.mark.pulumi_cli
def test_automatic_names(cli: PulumiCli, double: Double) -> None:
    """A name that check made stays, and a replacement has a new one and comes first; with a given name it comes last."""
    cli.up(program(me=(USER, {"home": "/a"})))
    (made,) = double.cloud.objects(USER)
    assert re.fullmatch("me-[0-9a-f]{7}", made["name"])
    assert cli.up(program(me=(USER, {"home": "/a"}))).summary == {}
    asked(double, "me")

    cli.up(program(me=(USER, {"home": "/b"})))
    (replaced,) = double.cloud.objects(USER)
    assert replaced["name"] not in (made["name"], "")
    assert replaced["pin"] != made["pin"]
    assert asked(double, "me") == ["create", "delete"]

    cli.up(program(me=(USER, {"home": "/b", "name": "mine"})))
    cli.refresh()
    asked(double, "me")
    cli.up(program(me=(USER, {"home": "/c", "name": "mine"})))
    assert asked(double, "me")[-2:] == ["delete", "create"]
    cli.destroy()


@pytest.mark.pulumi_cli
def test_autonaming_options(cli: PulumiCli, double: Double) -> None:
    """The engine's options for automatic names reach check: a pattern is taken, and where they are disabled, it fails."""
    cli.command("config", "set", "--path", "pulumi:autonaming.pattern", "${project}-${name}-${hex(3)}")
    cli.up(program(me=(USER, {})))
    (made,) = double.cloud.objects(USER)
    assert re.fullmatch("project-me-[0-9a-f]{3}", made["name"])
    assert cli.up(program(me=(USER, {}))).summary == {}

    cli.command("config", "rm", "--path", "pulumi:autonaming.pattern")
    cli.command("config", "set", "--path", "pulumi:autonaming.mode", "disabled")
    failed = cli.up(program(me=(USER, {}), other=(USER, {})), expect_failure=True)
    assert "automatic names are disabled for this resource" in str(failed.diagnostics)
    assert len(double.cloud.objects(USER)) == 1


@pytest.mark.pulumi_cli
def test_a_cloud_that_refuses(cli: PulumiCli, double: Double) -> None:
    """A quota that is reached keeps what was made in the state, and buckets go after the objects that they hold."""
    three = program(a=(BUCKET, {}), b=(BUCKET, {}), c=(BUCKET, {}))
    failed = cli.up(three, expect_failure=True)
    assert "LimitExceeded: there are 2 objects of cloud:index:Bucket, and the quota is 2." in str(failed.diagnostics)
    kept = [each for each in cli.export()["deployment"]["resources"] if each["type"] == BUCKET]
    assert sorted(each["id"] for each in kept) == sorted(each.id for each in double.cloud.objects(BUCKET))

    # Which of the three came too late is nobody's choice.
    made = kept[0]["urn"].rpartition("::")[2]
    one = program(**{made: (BUCKET, {})})
    one["resources"]["o"] = {"type": OBJECT, "properties": {"bucket": f"${{{made}.id}}"}}
    cli.up(one)
    stray = double.cloud.objects(BUCKET)[0].id
    double.cloud.create(OBJECT, "stray", {"bucket": stray})
    failed = cli.destroy(expect_failure=True)
    assert f"NotEmpty: cloud:index:Bucket '{stray}' still holds 1 of cloud:index:Object (stray)." in str(failed.diagnostics)
    double.cloud.vanish(OBJECT, "stray")
    cli.destroy()
    assert double.cloud.objects() == []


@pytest.mark.pulumi_cli
def test_a_server_comes_up(cli: PulumiCli, double: Double) -> None:
    """Pending becomes ready by reads, unreadable values survive a refresh, other forms are no difference, protection holds."""
    wanted = {"size": "s", "password": "p", "policy": '{"b": 1, "a": 2}', "deletionProtection": True, "disk": {"size": 1}}
    cli.up(program(web=(SERVER, wanted)))
    (made,) = double.cloud.objects(SERVER)
    assert (made["status"], made["policy"], made["version"]) == ("creating", '{"a":2,"b":1}', 1)
    assert made["disk"]["serial"]

    failed = cli.up(program(web=(SERVER, {**wanted, "size": "m"})), expect_failure=True)
    assert "is creating. Wait until it is available." in str(failed.diagnostics)
    cli.refresh()
    cli.refresh()
    assert double.cloud.objects(SERVER)[0]["status"] == "available"
    outputs = next(each for each in cli.export()["deployment"]["resources"] if each["type"] == SERVER)["outputs"]
    assert (outputs["password"], outputs["status"], outputs["disk"]) == ("p", "available", dict(made["disk"]))

    assert cli.up(program(web=(SERVER, {**wanted, "policy": '{"a": 2, "b": 1}'}))).summary == {}
    assert cli.up(program(web=(SERVER, {**wanted, "size": "m"}))).summary == {"update": 1}
    assert double.cloud.objects(SERVER)[0]["version"] == 2
    assert double.cloud.objects(SERVER)[0]["disk"] == made["disk"]
    assert "DeletionProtected: " in str(cli.destroy(expect_failure=True).diagnostics)
    cli.up(program(web=(SERVER, {**wanted, "size": "m", "deletionProtection": False})))
    cli.destroy()
    assert double.cloud.objects() == []


@pytest.mark.pulumi_cli
def test_timeouts(cli: PulumiCli, double: Double) -> None:
    """A create beyond its timeout, the program's or else the type's, fails, and its object is known all the same."""
    slow = program(one=(DISK, {}))
    failed = cli.up(slow, expect_failure=True)
    assert "Timeout: create of cloud:index:Disk was not done after 30 s." in str(failed.diagnostics)
    kept = [each["id"] for each in cli.export()["deployment"]["resources"] if each["type"] == DISK]
    assert kept == [double.cloud.objects(DISK)[0].id]
    cli.destroy()

    slow["resources"]["one"]["options"] = {"customTimeouts": {"create": "90s"}}
    assert cli.up(slow).summary == {"create": 1}
    assert double.clock.now() == 30 + 60
    cli.destroy()


# Terraform -------------------------------------------------------------------------------------------------------------

INNER = {5: "disk {\n  size = 1\n}\n", 6: "disk = { size = 1 }\n"}


each_route = pytest.mark.parametrize(
    ("binary", "major"),
    [
        pytest.param("terraform", 6, marks=pytest.mark.terraform_cli, id="terraform-v6"),
        pytest.param("tofu", 5, marks=pytest.mark.tofu_cli, id="tofu-v5"),
    ],
)


def module(type_: str, arguments: str) -> str:
    """A configuration of one resource."""
    return f'{HEAD}resource "cloud_{type_}" "one" {{\n{arguments}\n}}\n'


@each_route
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


@each_route
def test_terraform_server(terraform: Terraform, major: int, double: Double) -> None:
    """The same server: pending, unreadable, in other forms, protected; and an import cannot know what no read can tell."""

    def server(size: str, policy: str, protected: str) -> str:
        told = f'size = "{size}"\npassword = "p"\npolicy = {json.dumps(policy)}\ndeletion_protection = {protected}\n'
        return module("server", told + INNER[major])

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

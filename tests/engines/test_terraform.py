"""The real terraform and tofu against the fake, over both protocols: the life of a resource, as its user would see it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from terraform_stage import HEAD, ZONE

from mockprovider.double import Double
from mockprovider.drivers.terraform import Terraform
from mockprovider.errors import ProgramError
from mockprovider.schema import Kind, Package, Property, ResourceType

BUCKET = ResourceType(
    "cloud:index:Bucket",
    {
        "name": Property(str, forces_new=True),
        "acl": Property(str, default="private", enum=("private", "public")),
        "arn": Property(str, computed="arn:cloud:::{id}"),
        "password": Property(str, computed=True, secret=True),
        "maxItems": Property(int),
        "weight": Property(float),
        "tags": Property(dict[str, str]),
        "rules": Property(
            Kind("array", items=Kind("object", properties={"fromPort": Property(int), "cidrs": Property(set[str])}))
        ),
        "anything": Property("any"),
    },
)
SERVED = (BUCKET, ZONE)

RULES = {
    5: 'rules {\n  from_port = 80\n  cidrs = ["b", "a", "b"]\n}\nrules {}\n',
    6: 'rules = [{ from_port = 80, cidrs = ["b", "a", "b"] }, {}]\n',
}
"""The same objects as blocks, and as nested attributes, which only major 6 has."""

PART = Kind(
    "object",
    properties={
        "size": Property(int, required=True),
        "note": Property(str, default="none"),
        "key": Property(str, computed=True),
        "inner": Property({"weight": Property(float)}),
    },
)
MACHINE = ResourceType(
    "cloud:index:Machine",
    {
        "main": Property(PART, required=True),
        "spare": Property(PART),
        "parts": Property(Kind("array", items=PART)),
        "extras": Property(Kind("set", items=PART)),
        "named": Property(Kind("map", items=PART)),
        "made": Property(PART, computed=True),
    },
)
PARTS = {
    5: """
       main {
         size = 1
         inner {
           weight = 0.5
         }
       }
       parts {
         size = 2
         note = "mine"
       }
       parts { size = 3 }
       extras { size = 4 }
       named "Some" { size = 5 }
       """,
    6: """
       main   = { size = 1, inner = { weight = 0.5 } }
       parts  = [{ size = 2, note = "mine" }, { size = 3 }]
       extras = [{ size = 4 }]
       named  = { Some = { size = 5 } }
       """,
}
SPARE = {5: "spare {\n  size = 6\n}\n", 6: "spare = { size = 6 }\n"}


def bucket(arguments: str, name: str = "logs") -> str:
    return (
        f'{HEAD}resource "cloud_bucket" "{name}" {{\n{arguments}\n}}\noutput "arn" {{\n  value = cloud_bucket.{name}.arn\n}}\n'
    )


def objects(double: Double) -> list[dict[str, Any]]:
    return [dict(each) for each in double.cloud.objects(BUCKET.token)]


def ops(double: Double) -> list[str]:
    """What was asked about buckets since the last look, without what is asked again and again."""
    asked = [op for op in double.journal.ops(type=BUCKET.token) if op not in ("check", "upgrade")]
    double.journal.clear()
    return asked


def test_whole_life_of_a_resource(terraform: Terraform, double: Double) -> None:
    """Plan, apply, no-op, update, replace and destroy do to the cloud what the configuration says, and no more."""
    terraform.write(bucket('name = "one"'))
    planned = terraform.plan()
    assert planned.actions == {"cloud_bucket.logs": ["create"]}
    assert objects(double) == []
    assert ops(double) == ["plan"]

    created = terraform.apply()
    (made,) = double.cloud.objects(BUCKET.token)
    assert created.summary == {"add": 1}
    assert created.outputs == {"arn": f"arn:cloud:::{made.id}"}
    assert (made["name"], made["acl"]) == ("one", "private")
    assert created.resource("cloud_bucket.logs")["attributes"]["id"] == made.id
    assert ops(double) == ["plan", "plan", "create"]

    assert terraform.plan().exit_code == 0
    assert terraform.apply().summary == {}
    assert set(ops(double)) == {"read", "plan"}

    terraform.write(bucket('name = "one"\nacl = "public"'))
    assert terraform.plan().actions == {"cloud_bucket.logs": ["update"]}
    ops(double)
    assert terraform.apply().summary == {"change": 1}
    assert ops(double) == ["read", "plan", "plan", "update"]
    (updated,) = double.cloud.objects(BUCKET.token)
    assert (updated.id, updated["acl"], updated["password"]) == (made.id, "public", made["password"])

    terraform.write(bucket('name = "two"\nacl = "public"'))
    plan = terraform.plan()
    assert plan.actions == {"cloud_bucket.logs": ["delete", "create"]}
    assert plan.plan["resource_changes"][0]["change"]["replace_paths"] == [["name"]]
    ops(double)
    terraform.apply()
    assert ops(double) == ["read", "plan", "plan", "delete", "plan", "create"]
    (replaced,) = double.cloud.objects(BUCKET.token)
    assert replaced.id != made.id

    assert terraform.destroy().summary == {"remove": 1}
    assert objects(double) == []
    assert terraform.state()["resources"] == []


def test_all_kinds_of_values_arrive_and_come_back(terraform: Terraform, major: int, double: Double) -> None:
    """Values of all kinds reach the cloud under their property names, and plan to nothing again."""
    terraform.write(
        bucket(
            """
            name      = "e\u0301te\u0301"
            max_items = 9007199254740993
            weight    = 0.1
            tags      = { "b.c" = "d", a = "" }
            anything  = { list = [1, "two", null, true], empty = [] }
            """
            + RULES[major]
        )
    )
    terraform.apply()
    (made,) = objects(double)
    assert made["name"] == "\u00e9t\u00e9"
    assert made["maxItems"] == 9007199254740993
    assert made["weight"] == 0.1
    assert made["tags"] == {"a": "", "b.c": "d"}
    assert made["rules"] == [{"fromPort": 80, "cidrs": ["a", "b"]}, {}]
    assert made["anything"] == {"list": [1, "two", None, True], "empty": []}
    assert terraform.plan().exit_code == 0


def test_unknown_values_are_planned_and_then_filled(terraform: Terraform, double: Double) -> None:
    """A value that another resource computes is unknown in the plan and right in the cloud."""
    terraform.write(
        bucket('name = "one"') + 'resource "cloud_bucket" "copy" {\n  name = "of-${cloud_bucket.logs.arn}"\n  tags = '
        "{ of = cloud_bucket.logs.id }\n}\n"
    )
    plan = terraform.plan()
    changes = {each["address"]: each["change"] for each in plan.plan["resource_changes"]}
    assert changes["cloud_bucket.copy"]["after_unknown"]["name"] is True
    terraform.apply()
    first, second = sorted(double.cloud.objects(BUCKET.token), key=lambda each: len(each["name"]))
    assert second["name"] == f"of-arn:cloud:::{first.id}"
    assert second["tags"] == {"of": first.id}


def test_drift_is_seen_and_planned_back(terraform: Terraform, double: Double) -> None:
    """What somebody changed behind the engine's back shows as drift and is planned back to the configuration."""
    terraform.write(bucket('name = "one"\nacl = "public"'))
    terraform.apply()
    (made,) = double.cloud.objects(BUCKET.token)
    double.cloud.drift(BUCKET.token, made.id, acl="private")
    plan = terraform.plan()
    assert plan.actions == {"cloud_bucket.logs": ["update"]}
    assert plan.plan["resource_drift"][0]["change"]["after"]["acl"] == "private"
    assert terraform.refresh().resource("cloud_bucket.logs")["attributes"]["acl"] == "private"
    terraform.apply()
    assert objects(double)[0]["acl"] == "public"


def test_a_vanished_object_is_planned_anew(terraform: Terraform, double: Double) -> None:
    """An object that is gone from the cloud leaves the state at refresh and is created again."""
    terraform.write(bucket('name = "one"'))
    terraform.apply()
    (made,) = double.cloud.objects(BUCKET.token)
    double.cloud.vanish(BUCKET.token, made.id)
    assert terraform.plan().actions == {"cloud_bucket.logs": ["create"]}
    assert terraform.apply().summary == {"add": 1}


def test_a_failed_check_points_at_its_argument(terraform: Terraform) -> None:
    """A value that the fake refuses is an error at the line of configuration that wrote it."""
    terraform.write(bucket('name = "one"\nacl  = "secret"'))
    result = terraform.validate(expect_failure=True)
    (error,) = result.errors
    assert "expected one of 'private', 'public', got 'secret'" in error.summary
    assert error.snippet == 'acl  = "secret"'


def test_a_half_made_object_is_tainted_and_replaced(terraform: Terraform, double: Double) -> None:
    """A create that fails with an object leaves it tainted in the state, and the next run replaces it."""
    double.faults.on.create(BUCKET.token).partial(reasons=["timed out waiting"])
    terraform.write(bucket('name = "one"'))
    result = terraform.apply(expect_failure=True)
    assert [each.summary for each in result.errors] == ["timed out waiting"]
    assert result.resource("cloud_bucket.logs")["status"] == "tainted"
    (half,) = double.cloud.objects(BUCKET.token)
    terraform.apply()
    (whole,) = double.cloud.objects(BUCKET.token)
    assert whole.id != half.id
    assert "status" not in terraform.state()["resources"][0]["instances"][0]


def test_import_brings_an_existing_object_under_control(terraform: Terraform, double: Double) -> None:
    """An object of the cloud is imported by its id and then plans to nothing; one that does not exist is refused."""
    terraform.write(bucket('name = "one"'))
    terraform.apply()
    (made,) = double.cloud.objects(BUCKET.token)
    (terraform.folder / "terraform.tfstate").unlink()
    imported = terraform.import_("cloud_bucket.logs", made.id)
    assert imported.resource("cloud_bucket.logs")["attributes"]["arn"] == made["arn"]
    assert terraform.plan().actions == {"cloud_bucket.logs": ["no-op"]}
    (terraform.folder / "terraform.tfstate").unlink()
    refused = terraform.import_("cloud_bucket.logs", "nowhere", expect_failure=True)
    assert "Cannot import non-existent remote object" in refused.output


def test_data_sources_are_functions(terraform: Terraform) -> None:
    """A declared function is read as a data source, with its arguments echoed."""
    terraform.write(
        HEAD + 'data "cloud_zone" "here" {\n  region = "north"\n}\noutput "zone" {\n  value = data.cloud_zone.here\n}\n'
    )
    assert terraform.apply().outputs == {"zone": {"region": "north", "zone": "zone-north"}}


def test_sensitive_attributes_stay_out_of_sight(terraform: Terraform, double: Double) -> None:
    """A property declared secret is not shown in the plan or the apply output."""
    terraform.write(bucket('name = "one"'))
    shown = terraform.command("apply", "-auto-approve", "-no-color")
    (made,) = double.cloud.objects(BUCKET.token)
    assert made["password"] not in shown.stdout
    assert "(sensitive value)" in shown.stdout


def test_a_failed_run_raises_with_the_engines_output(terraform: Terraform) -> None:
    """A run that fails unexpectedly raises, and the message holds what the engine printed."""
    terraform.write("this is no configuration")
    with pytest.raises(ProgramError, match="Invalid block definition"):
        terraform.apply()


def test_the_users_own_settings_do_not_count(
    binary: str, major: int, double: Double, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Variables of the surrounding environment that would change a run are kept away from the engine."""
    monkeypatch.setenv("TF_CLI_ARGS_plan", "-destroy")
    monkeypatch.setenv("TF_WORKSPACE", "elsewhere")
    with double.serve("terraform", major=major) as serving:
        terraform = Terraform(tmp_path / "module", serving.environment, binary=binary)
        terraform.write(bucket('name = "one"'))
        assert terraform.plan().actions == {"cloud_bucket.logs": ["create"]}


def test_types_declared_while_serving_are_served(terraform: Terraform, double: Double) -> None:
    """A type that is defined after the server has started is in the schema of the next run."""
    double.define(ResourceType("cloud:net:Queue", {"size": Property(int, required=True)}))
    terraform.write(HEAD + 'resource "cloud_net_queue" "q" {\n  size = 3\n}\n')
    terraform.apply()
    assert [dict(each) for each in double.cloud.objects("cloud:net:Queue")] == [{"size": 3}]


def test_what_a_users_function_raises_reaches_the_engine_and_the_test(terraform: Terraform, double: Double) -> None:
    """An exception in a computed property ends the engine's run with its text, and the double keeps it for the test."""
    double.define(ResourceType(BUCKET.token, {"name": Property(str, computed=lambda _: 1 / 0)}))
    terraform.write(HEAD + 'resource "cloud_bucket" "logs" {\n}\n')
    result = terraform.apply(expect_failure=True)
    assert any("division by zero" in each.detail for each in result.errors)
    assert [type(each) for each in double.errors] == [ZeroDivisionError]
    double.errors.clear()


def test_a_value_of_any_type_keeps_the_type_it_came_with(terraform: Terraform, double: Double) -> None:
    """Lists, sets and maps in a property of any type are not mistaken for tuples and objects, from plan to refresh."""
    for value in ('tolist(["a", "b"])', 'toset(["a"])', 'tomap({ a = "b" })', "{ a = tolist([1]), b = [] }", "null", '"text"'):
        terraform.write(bucket(f"anything = {value}"))
        terraform.apply()
        assert terraform.plan().exit_code == 0
    assert [each["anything"] for each in objects(double)] == ["text"]


def test_an_unknown_or_null_value_of_any_type_keeps_its_type(terraform: Terraform, double: Double) -> None:
    """What another resource will say, and a null of a type, are planned as values of that type, and nothing changes later."""
    values = {"text": "cloud_bucket.logs.arn", "texts": "tolist([cloud_bucket.logs.arn])", "none": "tostring(null)"}
    others = [f'resource "cloud_bucket" "{name}" {{\nanything = {value}\n}}\n' for name, value in values.items()]
    terraform.write(bucket("") + "".join(others))
    terraform.apply()
    assert {type(each.get("anything")) for each in objects(double)} == {str, list, type(None)}
    assert terraform.plan().exit_code == 0


def test_a_configuration_need_not_name_a_source(terraform: Terraform, double: Double) -> None:
    """A provider without required_providers is found too, in either engine's default registry."""
    terraform.write('resource "cloud_bucket" "logs" {\n  name = "one"\n}\n')
    terraform.apply()
    assert [each["name"] for each in objects(double)] == ["one"]


def machine(parts: str) -> str:
    return f'{HEAD}resource "cloud_machine" "m" {{\n{parts}}}\n'


def sizes(double: Double) -> dict[str, Any]:
    """Which parts the only machine has, by their sizes, and what else there is to know of them."""
    (made,) = double.cloud.objects(MACHINE.token)
    assert made["made"]["key"]
    named = {"Some": made["named"]["Some"]["size"]}
    lists = {name: [(each["size"], each["note"]) for each in made[name]] for name in ("parts", "extras")}
    main = {name: value for name, value in made["main"].items() if name != "key"}
    return {"main": main, **lists, "named": named, "spare": "spare" in made}


def test_nested_objects_are_the_same_in_both_protocols(terraform: Terraform, major: int, double: Double) -> None:
    """Nested objects, as blocks or as attributes, reach the cloud alike, defaults included, and plan to nothing again."""
    double.define(MACHINE)
    terraform.write(machine(PARTS[major]))
    terraform.apply()
    expected = {
        "main": {"size": 1, "note": "none", "inner": {"weight": 0.5}},
        "parts": [(2, "mine"), (3, "none")],
        "extras": [(4, "none")],
        "named": {"Some": 5},
        "spare": False,
    }
    assert sizes(double) == expected
    (made,) = double.cloud.objects(MACHINE.token)
    keys = {each["key"] for each in (made["main"], *made["parts"], *made["extras"], *made["named"].values())}
    assert len(keys) == 5
    assert terraform.plan().exit_code == 0
    terraform.write(machine(PARTS[major] + SPARE[major]))
    assert terraform.apply().summary == {"change": 1}
    assert double.cloud.objects(MACHINE.token)[0]["main"] == made["main"]
    assert sizes(double) == {**expected, "spare": True}
    assert terraform.plan().exit_code == 0


def test_nested_objects_are_imported(terraform: Terraform, major: int, double: Double) -> None:
    """An object with nested ones, and with none where there might be, is imported and then plans to nothing."""
    double.define(MACHINE)
    terraform.write(machine(PARTS[major]))
    terraform.apply()
    (made,) = double.cloud.objects(MACHINE.token)
    (terraform.folder / "terraform.tfstate").unlink()
    terraform.import_("cloud_machine.m", made.id)
    assert terraform.plan().actions == {"cloud_machine.m": ["no-op"]}


def test_a_missing_nested_object_is_refused(terraform: Terraform, double: Double) -> None:
    """A required nested object that the configuration lacks is the engine's error, before anything is planned."""
    double.define(MACHINE)
    terraform.write(machine(""))
    result = terraform.validate(expect_failure=True)
    assert any("main" in f"{each.summary} {each.detail}" for each in result.errors)


def test_the_provider_is_configured(terraform: Terraform, major: int, double: Double) -> None:
    """A provider block with a nested object in it configures the double."""
    package = Package("cloud", config={"region": Property(str, required=True), "login": Property({"user": Property(str)})})
    package.add(BUCKET)
    double.define(package)
    login = {5: 'login {\n  user = "me"\n}', 6: 'login = { user = "me" }'}[major]
    terraform.write(bucket('name = "one"') + f'provider "cloud" {{\n  region = "north"\n{login}\n}}\n')
    terraform.apply()
    (configured, *_) = double.journal.entries(op="configure")
    assert configured.call.inputs == {"region": "north", "login": {"user": "me"}}
    assert configured.call.session.protocol.name == f"tfplugin{major}"

"""The fake keeps the contract of the resource life cycle, under the real terraform and tofu, over both protocols."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace
from terraform_stage import HEAD, THING, Stage, planned, said

from mockprovider.calls import Call, Failure, Handler, Op, Reply
from mockprovider.errors import ContractError, ProgramError
from mockprovider.schema import Kind, Property, ResourceType
from mockprovider.terraform import ResourceTraits
from mockprovider.values import Unknown

PORT = Kind("object", properties={"number": Property(int, required=True), "note": Property(str)})
HOST = ResourceType(
    "cloud:index:Host",
    {
        "ports": Property(Kind("array", items=PORT)),
        "allPorts": Property(
            Kind("array", items=PORT), computed=lambda host: [{"number": 22, "note": "default"}, *host.get("ports", [])]
        ),
    },
)
PORTS = {5: "ports {\n  number = 80\n}", 6: "ports = [{ number = 80 }]"}


def test_objects_that_the_provider_adds_are_in_a_computed_attribute(stage: Stage) -> None:
    """Blocks are exactly those that were written; what the provider adds by itself stands beside them, and drifts not."""
    stage.double.define(HOST)
    stage.cli.write(f'{HEAD}resource "cloud_host" "h" {{\n{PORTS[stage.major]}\n}}\n')
    stage.cli.apply()
    (kept,) = stage.cli.state()["resources"][0]["instances"]
    assert [each["number"] for each in kept["attributes"]["ports"]] == [80]
    assert [each["number"] for each in kept["attributes"]["all_ports"]] == [22, 80]
    assert stage.cli.plan().exit_code == 0


def test_what_does_not_conform_is_told_by_us_first(stage: Stage) -> None:
    """An answer that the engine would refuse ends the run with the type, the path and the rule, and the test with an error."""
    wrong = planned(lambda plan: plan.update(name="two"))
    stage._meddling[Op.PLAN] = wrong
    stage.write('name = "one"')
    (error,) = stage.cli.plan(expect_failure=True).errors
    assert error.summary.startswith("cloud_thing.name: this answer to PlanResourceChange breaks the contract: 'two' is planned")
    assert error.address == "cloud_thing.a"
    assert [type(each) for each in stage.double.errors] == [ContractError]
    stage.double.errors.clear()


def test_a_source_with_a_typo_is_no_reason_to_init(stage: Stage) -> None:
    """Where a configuration asks for a provider that nobody serves, the error names those that there are."""
    stage.cli.write(HEAD.replace("mock/cloud", "mok/cloud") + 'resource "cloud_thing" "a" {\n}\n')
    for run in (stage.cli.plan, stage.cli.validate):
        with pytest.raises(ProgramError, match=r"Instead of example\.com/mok/cloud, did you mean example\.com/mock/cloud\?"):
            run()


def test_refinements_are_kept(stage: Stage) -> None:
    """What an unknown value promises about itself comes back, so that the engine can tell what follows from it."""
    seen: list[Any] = []

    def watch(call: Call, proceed: Handler) -> Reply:
        seen.append((call.inputs or {}).get("name"))
        return proceed(call)

    stage._meddling[Op.PLAN] = watch
    rest = 'resource "cloud_thing" "b" {\n  name = "pre-${cloud_thing.a.made}"\n}\n'
    rest += 'output "known" {\n  value = startswith(cloud_thing.b.name, "pre-")\n}\n'
    stage.write('name = "one"', rest=rest)
    plan = stage.cli.plan()
    assert any(isinstance(each, Unknown) and b"pre-" in (each.refinement or b"") for each in seen)
    assert plan.plan["output_changes"]["known"]["after"] is True
    stage.cli.apply()
    assert stage.cli.plan().exit_code == 0


def test_a_write_only_value_reaches_the_cloud_and_nothing_else(stage: Stage) -> None:
    """A new write-only value alone is no change; with another change beside it, it is handed over."""
    stage.made('hidden = "first"\nsize = 1')
    stage.write('hidden = "second"\nsize = 1')
    assert stage.cli.plan().exit_code == 0
    assert stage.things()[0]["hidden"] == "first"
    stage.write('hidden = "second"\nsize = 1\nname = "bumped"')
    assert stage.cli.plan().actions == {"cloud_thing.a": ["update"]}
    stage.cli.apply()
    assert stage.things()[0]["hidden"] == "second"
    assert "second" not in str(stage.cli.state())
    assert stage.cli.plan().exit_code == 0


def test_private_bytes_go_along(stage: Stage) -> None:
    """What the provider keeps for itself comes back with each call about its object, also where that is replaced."""
    seen: list[tuple[str, bytes]] = []

    def watch(call: Call, proceed: Handler) -> Reply:
        seen.append((call.op.value, call.private))
        reply = proceed(call)
        return replace(reply, private=b"mine") if call.op is Op.CREATE else reply

    for op in (Op.CREATE, Op.READ, Op.UPDATE, Op.DELETE):
        stage._meddling[op] = watch
    stage.made("size = 1")
    stage.made('size = 1\nname = "two"')
    stage.made("size = 2")
    stage.cli.destroy()
    told = {op: {private for each, private in seen if each == op} for op in ("read", "update", "delete")}
    assert told == {"read": {b"mine"}, "update": {b"mine"}, "delete": {b"mine"}}
    assert next(private for op, private in seen if op == "create") == b""


def test_a_tainted_object_is_deleted_and_made_anew(stage: Stage) -> None:
    """A half-made object is replaced although nothing changed, and the private bytes of its plan are those of a create."""
    half: list[bytes] = []
    stage.on(Op.CREATE, lambda call, go: replace(go(call), private=b"half", failures=(Failure("half"),)))
    stage.write('name = "one"')
    stage.cli.apply(expect_failure=True)
    (first,) = stage.double.cloud.objects(THING.token)
    stage.calm()

    def watch(call: Call, proceed: Handler) -> Reply:
        half.append(call.private)
        return proceed(call)

    stage._meddling[Op.DELETE] = watch
    assert stage.cli.apply().summary == {"add": 1, "remove": 1}
    (second,) = stage.double.cloud.objects(THING.token)
    assert first.id != second.id
    assert half == [b""]


def test_identities(stage: Stage) -> None:
    """Tofu keeps an object's identity beside its state; terraform 1.11 knows of none, and asks for none."""
    stage.double.define(replace(THING, traits=[ResourceTraits(identity=("id", "name"))]))
    stage.made()
    (thing,) = stage.double.cloud.objects(THING.token)
    assert stage.instance().get("identity") == ({"id": thing.id, "name": "one"} if stage.tofu else None)
    assert stage.cli.plan().exit_code == 0


def test_a_providers_configuration_has_rules(stage: Stage) -> None:
    """What is required, what excludes what, and what is not known yet: checked at plan, and known at apply."""
    stage.double.packages["cloud"].config.update(
        {"region": Property(str, required=True), "key": Property(str, conflicts_with=("role",)), "role": Property(str)}
    )
    stage.write()
    assert "region" in said(stage.cli.plan(expect_failure=True))
    stage.write(rest='provider "cloud" {\n  region = "north"\n  key = "a"\n  role = "b"\n}\n')
    assert said(stage.cli.plan(expect_failure=True)) == "'key' and 'role' cannot both be set: drop one of them:"
    seen: list[Any] = []

    def watch(call: Call, proceed: Handler) -> Reply:
        seen.append((call.inputs or {})["region"])
        return proceed(call)

    stage._meddling[Op.CONFIGURE] = watch
    other = 'provider "cloud" {\n  alias = "far"\n  region = cloud_thing.a.name\n}\nprovider "cloud" {\n  region = "north"\n}\n'
    stage.write('name = "one"', rest=f'{other}resource "cloud_thing" "b" {{\n  provider = cloud.far\n}}\n')
    stage.cli.apply()
    assert "one" in seen
    assert len(stage.things()) == 2


INNER = Kind("object", properties={"text": Property(str), "whole": Property(int), "flag": Property(bool)})
EVERYTHING = ResourceType(
    "cloud:index:Everything",
    {
        "text": Property(str),
        "whole": Property(int),
        "real": Property(float),
        "flag": Property(bool),
        "anything": Property("any"),
        "texts": Property(list[str]),
        "unique": Property(set[int]),
        "byName": Property(dict[str, float]),
        "matrix": Property(list[list[int]]),
        "one": Property(INNER),
        "many": Property(Kind("array", items=INNER)),
        "some": Property(Kind("set", items=INNER)),
        "named": Property(Kind("map", items=INNER)),
        "made": Property(INNER, computed=True),
        "chosen": Property(INNER, computed=True, optional=True),
    },
)
PLAIN = """
  text     = "e\\u0301\\n\\"quoted\\" $${not} %%{this} \\U0001F600"
  whole    = 123456789012345678901234567890
  real     = 0.1
  flag     = false
  anything = { a = [1, "two", null, true, { b = tolist([0.5]) }], c = toset(["x"]), d = tomap({}) }
  texts    = ["b", "a", ""]
  unique   = [3, 1, 2, 1]
  by_name  = { "a.b" = 1e21, "" = -0.25 }
  matrix   = [[1, 2], [], [3]]
"""
NESTED = {
    5: """
  one {
    text = "x"
  }
  many {
    whole = 1
  }
  many {}
  some {
    text = "b"
  }
  some {
    text = "a"
  }
  named "Key" {
    flag = true
  }
  chosen = { text = "c", whole = null, flag = null }
""",
    6: """
  one    = { text = "x" }
  many   = [{ whole = 1 }, {}]
  some   = [{ text = "b" }, { text = "a" }]
  named  = { Key = { flag = true } }
  chosen = { text = "c" }
""",
}


def test_everything_comes_back(stage: Stage) -> None:
    """Values of all kinds reach the cloud, come back, and plan to nothing again; emptied and nulled, they do so, too."""
    stage.double.define(EVERYTHING)
    stage.cli.write(f'{HEAD}resource "cloud_everything" "e" {{\n{PLAIN}{NESTED[stage.major]}}}\n')
    stage.cli.apply()
    (made,) = stage.double.cloud.objects(EVERYTHING.token)
    assert made["text"] == '\u00e9\n"quoted" ${not} %{this} \U0001f600'
    assert (made["whole"], made["real"], made["flag"]) == (123456789012345678901234567890, 0.1, False)
    assert made["anything"] == {"a": [1, "two", None, True, {"b": [0.5]}], "c": ["x"], "d": {}}
    assert (made["texts"], made["unique"], made["matrix"]) == (["b", "a", ""], [1, 2, 3], [[1, 2], [], [3]])
    assert made["byName"] == {"a.b": 1e21, "": -0.25}
    assert (made["one"], made["many"], made["named"]) == ({"text": "x"}, [{"whole": 1}, {}], {"Key": {"flag": True}})
    assert sorted(each["text"] for each in made["some"]) == ["a", "b"]
    assert made["chosen"]["text"] == "c"
    assert stage.cli.plan().exit_code == 0
    stage.cli.write(f'{HEAD}resource "cloud_everything" "e" {{\n  texts = []\n  by_name = {{}}\n  unique = []\n}}\n')
    assert stage.cli.apply().summary == {"change": 1}
    (emptied,) = stage.double.cloud.objects(EVERYTHING.token)
    assert (emptied["texts"], emptied["byName"], emptied["unique"], "text" in emptied) == ([], {}, [], False)
    assert stage.cli.plan().exit_code == 0


def test_tofu_imports_by_identity(stage: Stage) -> None:
    """An import block may name an object by its identity where the engine has such blocks: tofu 1.12 does."""
    stage.double.define(replace(THING, traits=[ResourceTraits(identity=("name",))]))
    stage.double.cloud.create(THING.token, "t-1", {"name": "one", "note": "n", "made": "m"})
    stage.write('name = "one"', rest='import {\n  to = cloud_thing.a\n  identity = { name = "one" }\n}\n')
    if stage.tofu:
        stage.cli.apply()
        assert (stage.attributes()["id"], len(stage.things())) == ("t-1", 1)
        missing = stage.cli.folder / "terraform.tfstate"
        missing.unlink()
        stage.write('name = "one"', rest='import {\n  to = cloud_thing.a\n  identity = { name = "two" }\n}\n')
        assert "Cannot import non-existent remote object" in said(stage.cli.plan(expect_failure=True))
    else:
        assert 'argument named "identity" is not expected' in said(stage.cli.plan(expect_failure=True))

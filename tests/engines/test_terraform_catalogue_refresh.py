"""Scenarios R of the catalogue: refresh, import, move and upgrade, and what terraform and tofu make of the answers."""

from __future__ import annotations

import json
from typing import Any

import pytest
from msgspec.structs import replace
from terraform_stage import HEAD, THING, Stage, said, valued

from mockprovider.calls import Call, Failure, Handler, Op, Reply
from mockprovider.schema import Property, ResourceType
from mockprovider.terraform import ResourceTraits
from mockprovider.values import UNKNOWN

STORE = ResourceType(
    "cloud:index:Store",
    {"name": Property(str), "note": Property(str, computed="note of {id}", optional=True)},
    moved_from=("cloud_thing",),
)


def drift(stage: Stage) -> dict[str, Any]:
    """What a refresh would change in the state of the only thing; empty if nothing."""
    found = stage.cli.plan("-refresh-only").plan.get("resource_drift", [])
    return found[0]["change"]["after"] or {"gone": True} if found else {}


def test_r1_an_object_that_is_gone(stage: Stage) -> None:
    """R1: a null, or nothing at all, says that the object is gone: it is planned anew, and the refresh removes it."""
    stage.made()
    for empty in (b"\xc0", b""):
        stage.native(Op.READ, lambda message, empty=empty: setattr(message.new_state, "msgpack", empty))
        assert stage.cli.plan().actions == {"cloud_thing.a": ["create"]}
        assert drift(stage) == {"gone": True}
        assert stage.cli.plan("-refresh-only").exit_code == 2


def test_r2_drift(stage: Stage) -> None:
    """R2: what is configured and drifted is planned back; what is computed is seen by a refresh, and plans to nothing."""
    stage.made()
    (thing,) = stage.double.cloud.objects(THING.token)
    stage.double.cloud.drift(THING.token, thing.id, made="moved")
    assert stage.cli.plan().exit_code == 0
    assert drift(stage)["made"] == "moved"
    stage.double.cloud.drift(THING.token, thing.id, name="moved")
    assert stage.cli.plan().actions == {"cloud_thing.a": ["update"]}


def test_r3_a_state_that_is_unknown(stage: Stage) -> None:
    """R3: terraform refuses unknown values in what is read; tofu takes them."""
    stage.made()
    stage.on(Op.READ, valued(lambda state: state.update(made=UNKNOWN)))
    if stage.tofu:
        assert stage.cli.command("plan", "-no-color").exit_code == 0
    else:
        text = said(stage.cli.plan(expect_failure=True))
        assert "Provider produced invalid object" in text
        assert "unknown values" in text


def test_r3_a_state_that_tells_what_is_only_written(stage: Stage) -> None:
    """R3: write-only values in what is read are refused."""
    stage.made()
    stage.leak(Op.READ, "new_state")
    text = said(stage.cli.plan(expect_failure=True))
    assert "write-only attribute" in text
    assert "Provider produced invalid object" in text or "Invalid provider response" in text


def test_r3_a_read_that_fails(stage: Stage) -> None:
    """R3: a failed read is shown, and stands in the way of a destroy, too."""
    stage.made()
    stage.answers(Op.READ, failures=(Failure("cannot look"),))
    assert said(stage.cli.plan(expect_failure=True)).startswith("cannot look")
    assert said(stage.cli.destroy(expect_failure=True)).startswith("cannot look")


def test_r4_private_bytes_that_a_read_forgets(stage: Stage) -> None:
    """R4: the private bytes of a read go on to the plan, and are gone where the read had none."""
    stage.on(Op.CREATE, lambda call, proceed: replace(proceed(call), private=b"mine"))
    stage.made()
    seen: list[bytes] = []

    def watch(call: Call, proceed: Handler) -> Reply:
        seen.append(call.private)
        return proceed(call)

    stage.on(Op.PLAN, watch)
    stage.cli.plan()
    stage.on(Op.READ, lambda call, proceed: replace(proceed(call), private=b""))
    stage.cli.plan()
    assert seen == [b"mine", b""]


def test_r5_an_upgrade_that_fails_or_says_too_little(stage: Stage) -> None:
    """R5: an upgrade's failure is shown, terraform refuses unknown values, and a null means that the object is gone."""
    stage.made()
    stage.answers(Op.UPGRADE, failures=(Failure("too old"),))
    assert said(stage.cli.plan(expect_failure=True)).startswith("too old")
    stage.on(Op.UPGRADE, valued(lambda state: state.update(made=UNKNOWN)))
    if not stage.tofu:
        assert "Invalid resource state upgrade" in said(stage.cli.plan(expect_failure=True))
    stage.answers(Op.UPGRADE)
    stage.answers(Op.READ)
    assert stage.cli.plan().actions == {"cloud_thing.a": ["create"]}


def test_r6_a_state_of_a_newer_provider(stage: Stage) -> None:
    """R6: a state whose schema is newer than the provider's is refused before anybody asks the provider."""
    stage.double.define(replace(THING, traits=[ResourceTraits(version=3)]))
    stage.made()
    stage.double.define(replace(THING, traits=[ResourceTraits(version=2)]))
    assert "Resource instance managed by newer provider version" in said(stage.cli.plan(expect_failure=True))


def test_r7_a_new_version_of_the_schema(stage: Stage) -> None:
    """R7: a state of an older version goes through the functions of each version, and is saved in the new one."""
    stage.made()
    state = stage.cli.state()
    attributes = state["resources"][0]["instances"][0]["attributes"]
    attributes["title"] = attributes.pop("name")
    (stage.cli.folder / "terraform.tfstate").write_text(json.dumps(state))
    upgrades = {
        0: lambda old: {**old, "label": old.pop("title")},
        2: lambda old: {**old, "name": old.pop("label")},
    }
    stage.double.define(replace(THING, traits=[ResourceTraits(version=3, upgrades=upgrades)]))
    assert stage.cli.plan().exit_code == 0
    stage.cli.apply()
    assert (stage.instance()["schema_version"], stage.attributes()["name"]) == (3, "one")


def test_r7_an_upgrade_without_functions_keeps_what_fits(stage: Stage) -> None:
    """R7: without functions, attributes that are gone are dropped and new ones are null."""
    stage.made()
    state = stage.cli.state()
    attributes = state["resources"][0]["instances"][0]["attributes"]
    del attributes["tags"]
    attributes["colour"] = "red"
    (stage.cli.folder / "terraform.tfstate").write_text(json.dumps(state))
    stage.double.define(replace(THING, traits=[ResourceTraits(version=1)]))
    assert stage.cli.plan().exit_code == 0


def imported(stage: Stage, id_: str) -> str:
    """The configuration that imports an object by a block."""
    return f'import {{\n  to = cloud_thing.a\n  id = "{id_}"\n}}\n'


@pytest.mark.parametrize("what", ["none", "many", "unread"])
def test_r8_import_blocks_that_find_no_single_object(stage: Stage, what: str) -> None:
    """R8: an import block wants exactly one object, that can be read."""
    stage.write('name = "one"', rest=imported(stage, "t-1"))
    if what == "none":
        stage.native(Op.IMPORT, lambda message: message.ClearField("diagnostics"))
        told = "returned no resources"
    elif what == "many":
        two = [Reply(id="t-1", value={}), Reply(id="t-2", value={})]
        stage.answers(Op.IMPORT, imported=tuple(two))
        told = "Multiple import states not supported"
    else:
        stage.answers(Op.IMPORT, id="t-1", value={})
        told = "Cannot import non-existent remote object"
    assert told in said(stage.cli.plan(expect_failure=True))


def test_r8_a_partial_import_is_completed_by_the_read(stage: Stage) -> None:
    """R8: an import that tells no more than the id is enough: the read does the rest."""
    stage.made()
    (thing,) = stage.double.cloud.objects(THING.token)
    (stage.cli.folder / "terraform.tfstate").unlink()
    stage.answers(Op.IMPORT, id=thing.id, value={})
    stage.write('name = "one"', rest=imported(stage, thing.id))
    plan = stage.cli.plan()
    assert plan.actions == {"cloud_thing.a": ["no-op"]}
    assert plan.plan["resource_changes"][0]["change"]["importing"] == {"id": thing.id}


def test_r8_a_type_that_cannot_be_imported_says_why(stage: Stage) -> None:
    """R8: what is declared as not importable is refused with the declared reason."""
    stage.double.define(replace(THING, importable="nobody lists things"))
    stage.write('name = "one"', rest=imported(stage, "t-1"))
    assert "cloud_thing cannot be imported: nobody lists things." in said(stage.cli.plan(expect_failure=True))


def test_r9_the_import_command_takes_several_and_others(stage: Stage) -> None:
    """R9: the command stores each of several imported objects, also one of another type with the same attributes."""
    twin = ResourceType("cloud:index:Twin", THING.properties)
    stage.double.define(twin)
    one, two = (Reply(id=name, value={"name": name}) for name in ("t-1", "t-2"))
    other = Reply(id="s-1", value={"name": "s-1"}, type=twin.token)
    stage.answers(Op.IMPORT, imported=(one, two, other))
    stage.on(Op.READ, lambda call, _: Reply(id=call.id, value=call.prior))
    stage.write()
    stage.cli.import_("cloud_thing.a", "t-1")
    found = {
        f"{each['type']}.{each['name']}": each["instances"][0]["attributes"]["id"] for each in stage.cli.state()["resources"]
    }
    assert found == {"cloud_thing.a": "t-1", "cloud_thing.a-1": "t-2", "cloud_twin.a": "s-1"}


def test_r10_a_move_across_types(stage: Stage) -> None:
    """R10: an object whose resource was given another type is taken over with its private bytes, and plans to nothing."""
    stage.on(Op.CREATE, lambda call, proceed: replace(proceed(call), private=b"mine"))
    stage.made()
    stage.double.define(STORE)
    moved = "moved {\n  from = cloud_thing.a\n  to = cloud_store.a\n}\n"
    stage.cli.write(f'{HEAD}resource "cloud_store" "a" {{\n  name = "one"\n}}\n{moved}')
    assert stage.cli.plan().actions == {"cloud_store.a": ["no-op"]}
    stage.cli.apply()
    (kept,) = stage.cli.state()["resources"]
    assert (kept["type"], kept["instances"][0]["attributes"]["name"], kept["instances"][0]["private"]) == (
        "cloud_store",
        "one",
        "bWluZQ==",
    )
    stage.cli.destroy()
    assert stage.double.cloud.objects() == []


def test_r10_a_move_that_converts(stage: Stage) -> None:
    """R10: the declared function converts the old attributes, and no refresh sees drift, before an update or after."""
    stage.made('name = "one"')
    titled = ResourceType(
        "cloud:index:Titled",
        {"title": Property(str)},
        moved_from={"mock/cloud/cloud_thing": lambda old: {"id": old["id"], "title": f"the {old['name']}"}},
    )
    stage.double.define(titled)
    resource = 'resource "cloud_titled" "a" {\n  title = "TITLE"\n}\n'
    moved = "moved {\n  from = cloud_thing.a\n  to = cloud_titled.a\n}\n"
    for title, action in (("the one", "no-op"), ("the two", "update")):
        stage.cli.write(HEAD + resource.replace("TITLE", title) + moved)
        assert stage.cli.plan().actions == {"cloud_titled.a": [action]}
    stage.cli.apply()
    assert stage.cli.plan().actions == {"cloud_titled.a": ["no-op"]}
    assert stage.cli.state()["resources"][0]["instances"][0]["attributes"]["title"] == "the two"
    stage.cli.destroy()
    assert stage.double.cloud.objects() == []


def test_r10_a_move_from_the_engine_s_own_provider(stage: Stage) -> None:
    """R10: an object of a provider that the double does not serve is converted, and is managed once the cloud has it."""
    stage.cli.write(f'{HEAD}resource "terraform_data" "a" {{\n  input = "one"\n}}\n')
    stage.cli.apply()
    convert = {"builtin/terraform/terraform_data": lambda old: {"id": old["id"], "name": old["input"]["value"]}}
    stage.double.define(replace(STORE, moved_from=convert))
    id_ = stage.cli.state()["resources"][0]["instances"][0]["attributes"]["id"]
    stage.double.cloud.create(STORE.token, id_, {"name": "one", "note": f"note of {id_}"})
    moved = "moved {\n  from = terraform_data.a\n  to = cloud_store.a\n}\n"
    stage.cli.write(f'{HEAD}resource "cloud_store" "a" {{\n  name = "one"\n}}\n{moved}')
    assert stage.cli.plan().actions == {"cloud_store.a": ["no-op"]}
    stage.cli.apply()
    stage.cli.destroy()
    assert stage.double.cloud.objects() == []


def test_r10_a_move_from_another_provider(stage: Stage) -> None:
    """R10: a type is taken over only from the provider whose address is declared, whatever else has a type of that name."""
    stage.made()
    stage.double.define(replace(STORE, moved_from=("acme/cloud/cloud_thing",)))
    moved = "moved {\n  from = cloud_thing.a\n  to = cloud_store.a\n}\n"
    stage.cli.write(f'{HEAD}resource "cloud_store" "a" {{\n  name = "one"\n}}\n{moved}')
    told = "This one is of the provider example.com/mock/cloud, and moved_from wants one of acme/cloud."
    assert told in said(stage.cli.plan(expect_failure=True))


def test_r10_a_move_that_nobody_declared(stage: Stage) -> None:
    """R10: a type that does not say so takes no other's objects."""
    stage.made()
    stage.double.define(replace(STORE, moved_from=("cloud_other",)))
    moved = "moved {\n  from = cloud_thing.a\n  to = cloud_store.a\n}\n"
    stage.cli.write(f'{HEAD}resource "cloud_store" "a" {{\n  name = "one"\n}}\n{moved}')
    assert "An object of cloud_thing cannot become one of cloud_store" in said(stage.cli.plan(expect_failure=True))

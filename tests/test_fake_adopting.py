"""Resources that come from elsewhere: upgraded states, moved objects, imports by id and by identity."""

from __future__ import annotations

import pytest
from builders import call, fake
from msgspec.structs import replace

from mockprovider.calls import Op
from mockprovider.errors import DefinitionError
from mockprovider.fake.behaviours import Eventual, Protected
from mockprovider.payloads import StoredState
from mockprovider.schema import Property, ResourceType
from mockprovider.terraform import ResourceTraits

OLD = ResourceType("cloud:index:Old", {"name": Property(str), "gone": Property(str)})
NEW = ResourceType(
    "cloud:index:New",
    {"name": Property(str), "arn": Property(str, computed="arn:{id}")},
    traits=[
        ResourceTraits(
            version=3,
            upgrades={0: lambda old: {**old, "title": old["label"]}, 2: lambda old: {"id": old["id"], "name": old["title"]}},
            identity=("name",),
        )
    ],
    moved_from=("cloud_old",),
)


def test_a_state_goes_through_the_functions_of_each_version() -> None:
    """An old state is handed from function to function; a version without one changes nothing."""
    provider, _ = fake(NEW)
    raw = {"id": "n-1", "label": "a"}
    assert provider(call(Op.UPGRADE, NEW.token, stored=StoredState(raw))).stored == {"id": "n-1", "name": "a"}
    assert raw == {"id": "n-1", "label": "a"}
    kept = provider(call(Op.UPGRADE, NEW.token, id="n-1", prior={"name": "a"}, stored=StoredState({"name": "a"}, version=3)))
    assert (kept.value, kept.stored) == ({"name": "a"}, None)


def test_a_function_that_returns_no_attributes_is_an_error() -> None:
    """What an upgrade function returns is checked, and the error names type and version."""
    traits = ResourceTraits(version=1, upgrades={0: lambda _: None})  # type: ignore[dict-item, return-value]
    provider, _ = fake(ResourceType("cloud:index:New", traits=[traits]))
    with pytest.raises(DefinitionError, match="cloud:index:New: the function that upgrades version 0 returned a NoneType"):
        provider(call(Op.UPGRADE, NEW.token, stored=StoredState({})))


def test_a_moved_object_stays_what_it_is_and_answers_to_its_new_type() -> None:
    """After a move an object is read, updated and deleted under the new type, and no read tells what that does not know."""
    provider, cloud = fake(OLD, NEW)
    cloud.create(OLD.token, "o-1", {"name": "a", "gone": "b"})
    moved = provider(
        call(Op.MOVE, NEW.token, id="o-1", prior={"name": "a"}, private=b"p", stored=StoredState(type="cloud_old"))
    )
    assert (moved.value, moved.id, moved.private) == ({"name": "a"}, "o-1", b"p")
    assert provider(call(Op.READ, NEW.token, id="o-1", prior={"name": "a"})).value == {"name": "a"}
    provider(call(Op.UPDATE, NEW.token, id="o-1", prior={"name": "a"}, inputs={"name": "c"}))
    (found,) = cloud.objects()
    assert (found.type, found["name"]) == (OLD.token, "c")
    provider(call(Op.DELETE, NEW.token, id="o-1"))
    assert cloud.objects() == []


def test_an_object_of_the_type_itself_comes_before_a_moved_one() -> None:
    """Where both types have an object of one id, calls about the new type mean the new type's."""
    provider, cloud = fake(OLD, NEW)
    cloud.create(OLD.token, "o-1", {"name": "old"})
    cloud.create(NEW.token, "o-1", {"name": "new"})
    assert provider(call(Op.READ, NEW.token, id="o-1", prior={"name": "new"})).value == {"name": "new"}
    provider(call(Op.DELETE, NEW.token, id="o-1"))
    assert [found.type for found in cloud.objects()] == [OLD.token]


def test_a_move_from_a_type_that_was_not_declared_is_refused() -> None:
    """Another type's objects are refused, and the error says what to declare."""
    provider, _ = fake(OLD, NEW)
    (failure,) = provider(call(Op.MOVE, NEW.token, stored=StoredState(type="cloud_other"))).failures
    assert "moved_from=('cloud_other',)" in failure.reason


def test_moved_from_takes_tokens_as_well_as_names() -> None:
    """A type that is moved from may be named as either ecosystem does."""
    provider, _ = fake(OLD, ResourceType("cloud:index:New", {"name": Property(str)}, moved_from=(OLD.token,)))
    assert provider(call(Op.MOVE, NEW.token, prior={}, stored=StoredState(type="cloud_old"))).ok


LABELLED = ResourceType("cloud:index:Labelled", {"label": Property(str), "kind": Property({"diskSize": Property(int)})})
NAMED = ResourceType(
    "cloud:index:Named",
    {"name": Property(str), "bigDisk": Property({"diskSize": Property(int)}), "arn": Property(str, computed="arn:{id}")},
    moved_from={
        "hashicorp/cloud/cloud_labelled": lambda old: {
            "id": old["id"],
            "name": old["label"].upper(),
            "big_disk": old["kind"],
            "arn": f"arn:{old['id']}",
        }
    },
)
MOVED = StoredState({}, type="cloud_labelled", provider="registry.example/hashicorp/cloud")


def test_a_move_converts_the_state_and_what_is_read_of_the_object() -> None:
    """The function of a former type makes the new state, and what reads tell until the object is changed under its new type."""
    provider, cloud = fake(LABELLED, NAMED)
    cloud.create(LABELLED.token, "o-1", {"label": "a", "kind": {"diskSize": 5}})
    raw = {"id": "o-1", "label": "a", "kind": {"disk_size": 5}}
    moved = provider(call(Op.MOVE, NAMED.token, id="o-1", private=b"p", stored=replace(MOVED, attributes=raw)))
    assert moved.stored == {"id": "o-1", "name": "A", "big_disk": {"disk_size": 5}, "arn": "arn:o-1"}
    assert (moved.id, moved.private) == ("o-1", b"p")
    inputs = {"name": "A", "bigDisk": {"diskSize": 5}}
    read = provider(call(Op.READ, NAMED.token, id="o-1", prior=inputs))
    assert read.value == {**inputs, "arn": "arn:o-1"}
    assert cloud.objects(LABELLED.token)[0]["label"] == "a"
    provider(call(Op.UPDATE, NAMED.token, id="o-1", prior=read.value, inputs={**inputs, "name": "b"}))
    read = provider(call(Op.READ, NAMED.token, id="o-1", prior=inputs))
    assert (read.value or {})["name"] == "b"


def test_a_move_from_another_provider_is_refused() -> None:
    """Where an address is declared, objects of a type of that name of another provider are not taken, and the error says so."""
    provider, _ = fake(LABELLED, NAMED)
    stored = replace(MOVED, provider="registry.example/acme/cloud")
    (failure,) = provider(call(Op.MOVE, NAMED.token, stored=stored)).failures
    assert "of the provider registry.example/acme/cloud, and moved_from wants one of hashicorp/cloud." in failure.reason


def test_a_move_that_names_no_provider() -> None:
    """Where a call does not say whose type the object had, the name of the type is enough."""
    provider, cloud = fake(LABELLED, NAMED)
    cloud.create(LABELLED.token, "o-1", {"label": "a", "kind": {"diskSize": 5}})
    attributes = {"id": "o-1", "label": "a", "kind": {"disk_size": 5}}
    assert provider(call(Op.MOVE, NAMED.token, id="o-1", stored=replace(MOVED, provider="", attributes=attributes))).ok


def test_what_converts_is_checked() -> None:
    """What stands for a function must be one, and what it returns must be attributes; the errors name type and source."""
    with pytest.raises(DefinitionError, match="cloud:index:New: moved_from has 'cloud_other' for 'cloud_old'"):
        ResourceType("cloud:index:New", moved_from={"cloud_old": "cloud_other"})  # type: ignore[dict-item]
    provider, _ = fake(OLD, ResourceType("cloud:index:New", moved_from={"cloud_old": lambda _: None}))  # type: ignore[arg-type, return-value, dict-item]
    with pytest.raises(DefinitionError, match="converts objects of cloud_old returned a NoneType"):
        provider(call(Op.MOVE, "cloud:index:New", stored=StoredState({}, type="cloud_old")))


def test_imports_by_id_and_by_identity() -> None:
    """An object is found by its id, or by the properties that tell it from all others; else there is none."""
    provider, cloud = fake(NEW)
    cloud.create(NEW.token, "n-1", {"name": "a"})
    assert provider(call(Op.IMPORT, NEW.token, id="n-1")).id == "n-1"
    assert provider(call(Op.IMPORT, NEW.token, identity={"name": "a"})).id == "n-1"
    assert provider(call(Op.IMPORT, NEW.token, identity={"name": "b"})).value is None
    assert provider(call(Op.IMPORT, NEW.token, identity={"id": "n-1"})).id == "n-1"
    assert provider(call(Op.IMPORT, NEW.token, identity={"zone": "n-1"})).value is None
    cloud.create(NEW.token, "n-2", {"name": "b", "id": "its own"})
    assert provider(call(Op.IMPORT, NEW.token, identity={"id": "its own"})).id == "n-2"


@pytest.mark.parametrize(("importable", "why"), [(False, "no way to find out"), ("it has no id", "it has no id")])
def test_what_cannot_be_imported_says_why(importable: bool | str, why: str) -> None:
    """A type that is not importable is refused with its reason."""
    provider, _ = fake(ResourceType("cloud:index:New", importable=importable))
    (failure,) = provider(call(Op.IMPORT, NEW.token, id="n-1")).failures
    assert why in failure.reason


def test_an_import_by_pulumi_says_why_not() -> None:
    """Pulumi imports by a read of the id alone: that is refused with the reason. What is known already can still be read."""
    provider, cloud = fake(ResourceType("cloud:index:New", {"name": Property(str)}, importable="it has no id"))
    cloud.create("cloud:index:New", "n-1", {"name": "a"})
    (failure,) = provider(call(Op.READ, "cloud:index:New", id="n-1")).failures
    assert failure.reason == "cloud:index:New cannot be imported: it has no id."
    assert provider(call(Op.READ, "cloud:index:New", id="n-1", prior={"name": "a"}, prior_inputs={})).ok
    assert provider(call(Op.READ, "cloud:index:New", id="n-1", prior={}, prior_inputs={})).ok


def test_behaviours_are_about_an_object_where_it_lives() -> None:
    """What the cloud does about an object that was moved it does to the object under its former type."""
    declared = ResourceType(
        "cloud:index:New", {"name": str, "kept": bool}, moved_from=("cloud_old",), behaviours=(Protected("kept"), Eventual())
    )
    provider, cloud = fake(OLD, declared)
    cloud.create(OLD.token, "o-1", {"name": "a", "kept": True})
    cloud.note(OLD.token, "o-1", "unseen", 1)

    assert provider(call(Op.READ, declared.token, id="o-1")).value is None
    assert provider(call(Op.READ, declared.token, id="o-1")).value == {"name": "a", "kept": True}
    assert not provider(call(Op.DELETE, declared.token, id="o-1")).ok
    cloud.drift(OLD.token, "o-1", kept=False)
    assert provider(call(Op.DELETE, declared.token, id="o-1")).ok
    assert cloud.objects() == []

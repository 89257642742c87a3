"""What Terraform alone has of a resource type: what is refused, and which states go through functions."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from mockprovider.calls import Call, Op, Reply, Session
from mockprovider.errors import DefinitionError
from mockprovider.payloads import StoredState
from mockprovider.schema import ResourceType
from mockprovider.terraform import ResourceTraits


@pytest.mark.parametrize(
    ("traits", "refused"),
    [
        ({}, ""),
        ({"version": 1}, ""),
        ({"version": 2, "upgrades": {0: dict, 1: dict}}, ""),
        ({"identity": ("id", "name")}, ""),
        ({"version": -1}, "cloud:index:Box: version is -1, and the first one is 0"),
        (
            {"upgrades": {0: dict}},
            "upgrades has <class 'dict'> for 0. Give a function for a version before today's, which is 0",
        ),
        ({"version": 2, "upgrades": {2: dict}}, "upgrades has <class 'dict'> for 2"),
        ({"version": 2, "upgrades": {-1: dict}}, "upgrades has <class 'dict'> for -1"),
        ({"version": 2, "upgrades": {1: "dict"}}, "upgrades has 'dict' for 1"),
        ({"identity": ("nmae",)}, "the identity has 'nmae', which is no property. There are id, name"),
    ],
)
def test_what_no_type_could_have(traits: Any, refused: str) -> None:
    """Upgrades that no state goes through, and an identity of what the type has not, are refused with what there is."""
    if refused:
        with pytest.raises(DefinitionError, match=refused):
            ResourceType("cloud:index:Box", {"name": str}, traits=[ResourceTraits(**traits)])
    else:
        assert ResourceType("cloud:index:Box", {"name": str}, traits=[ResourceTraits(**traits)]).traits


def noted(version: int) -> Any:
    """A function that notes that a state went through it."""
    return lambda raw: {**raw, "through": [*raw.get("through", []), version]}


TRAITS = ResourceTraits(version=3, upgrades={0: noted(0), 2: noted(2)})


@pytest.mark.parametrize(("version", "through"), [(0, [0, 2]), (1, [2]), (2, [2]), (3, None), (4, None)])
def test_the_functions_that_a_state_goes_through(version: int, through: list[int] | None) -> None:
    """A state goes through the functions of its own version and of each later one; today's, and a newer one, through none."""
    stored = StoredState({"id": "b-1"}, version)
    reply = upgraded(TRAITS, Call(op=Op.UPGRADE, session=Session("tfplugin6"), id="b-1", stored=stored))
    expected = Reply(id="passed on") if through is None else Reply(id="b-1", stored={"id": "b-1", "through": through})
    assert reply == expected
    assert TRAITS.upgrades_from(version) is (through is not None)
    assert stored.attributes == {"id": "b-1"}


def upgraded(traits: ResourceTraits, call: Call) -> Reply:
    """What a call becomes; one that is passed on says so."""
    world: Any = SimpleNamespace(declared=ResourceType("cloud:index:Box", {"name": str}))
    return traits(call, lambda _: Reply(id="passed on"), world)


@pytest.mark.parametrize(
    ("traits", "op", "stored"),
    [
        (TRAITS, Op.READ, StoredState({})),
        (TRAITS, Op.UPGRADE, StoredState(None)),
        (TRAITS, Op.UPGRADE, StoredState([])),
        (TRAITS, Op.UPGRADE, None),
        (ResourceTraits(version=3), Op.UPGRADE, StoredState({})),
    ],
)
def test_what_no_function_is_for(traits: ResourceTraits, op: Op, stored: Any) -> None:
    """Other calls, states that are no objects, and those of types without functions are passed on."""
    assert upgraded(traits, Call(op=op, session=Session("tfplugin6"), stored=stored)) == Reply(id="passed on")


def test_a_function_that_returns_no_state() -> None:
    """What is no dict is an error that names the type and the version."""
    broken: Any = {1: list}
    call = Call(op=Op.UPGRADE, session=Session("tfplugin6"), stored=StoredState({}))
    with pytest.raises(DefinitionError, match="cloud:index:Box: the function that upgrades version 1 returned a list"):
        upgraded(ResourceTraits(version=2, upgrades=broken), call)

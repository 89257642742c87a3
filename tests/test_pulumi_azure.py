"""Azure's names and ids, as its providers make them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pulumi
import pytest

from mockprovider import Double, Stack, from_schema
from mockprovider.fake.inventing.forms import SUBSCRIPTION

TEXT = {"type": "string"}
OUTPUTS = {"properties": {"name": TEXT}, "required": ["name"]}
GROUP, SITE, SLOT, NOTE = (
    f"azure-native:{name}" for name in ("resources:ResourceGroup", "web:StaticSite", "web/v20240101:SiteSlot", "web:Note")
)
SCHEMA = {
    "name": "azure-native",
    "meta": {"moduleFormat": "(.*)(?:/[^/]*)"},
    "resources": {
        GROUP: {"inputProperties": {"resourceGroupName": TEXT, "location": TEXT}, **OUTPUTS},
        SITE: {
            "inputProperties": {"resourceGroupName": TEXT, "siteName": TEXT, "displayName": TEXT, "plan": TEXT},
            "requiredInputs": ["resourceGroupName"],
            **OUTPUTS,
        },
        SLOT: {
            "inputProperties": {"resourceGroupName": TEXT, "siteName": TEXT, "slotName": TEXT},
            "requiredInputs": ["resourceGroupName", "siteName"],
            **OUTPUTS,
        },
        NOTE: {"inputProperties": {"text": TEXT}, **OUTPUTS},
    },
}
CLASSIC = {
    "name": "azure",
    "meta": {"moduleFormat": "(.*)(?:/[^/]*)"},
    "resources": {
        "azure:web/policy:Policy": {
            "inputProperties": {"name": TEXT, "resourceGroupName": TEXT},
            "requiredInputs": ["resourceGroupName"],
            **OUTPUTS,
        }
    },
}
AUTOMATIC = "[0-9a-f]{8}"


class Thing(pulumi.CustomResource):
    name: pulumi.Output[str]

    def __init__(self, type_: str, resource: str, **inputs: Any) -> None:
        super().__init__(type_, resource, {"name": None, **inputs})


def shop(plan: str = "free", **given: str) -> Callable[[], None]:
    """A group, a site in it and a slot of that."""

    def program() -> None:
        group = Thing(GROUP, "group")
        site = Thing(SITE, "shop", resourceGroupName=group.name, plan=plan, **given)
        slot = Thing(SLOT, "blue", resourceGroupName=group.name, siteName=site.name)
        for thing in (group, site, slot):
            pulumi.export(f"{thing.pulumi_resource_name} name", thing.name)
            pulumi.export(f"{thing.pulumi_resource_name} id", thing.id)

    return program


def test_ids_are_paths_of_the_names() -> None:
    """What the program gives no name has an automatic one, and the id says subscription, group, parents and name."""
    with Double(from_schema(SCHEMA)) as provider:
        told = Stack(provider).up(shop()).outputs
    group, site, slot = (told[f"{name} name"] for name in ("group", "shop", "blue"))
    assert re.fullmatch(f"group{AUTOMATIC} shop{AUTOMATIC} blue{AUTOMATIC}", f"{group} {site} {slot}")
    assert told["group id"] == f"/subscriptions/{SUBSCRIPTION}/resourceGroups/{group}"
    assert told["shop id"] == f"{told['group id']}/providers/Microsoft.Web/staticSites/{site}"
    assert told["blue id"] == f"{told['group id']}/providers/Microsoft.Web/sites/{site}/siteSlots/{slot}"


def test_a_name_that_the_program_gives_is_the_name() -> None:
    """The output ``name`` and the id have the name that the program gives, and later runs change nothing."""
    with Double(from_schema(SCHEMA)) as provider:
        stack = Stack(provider)
        told = stack.up(shop(siteName="acme")).outputs
        assert (told["shop name"], told["shop id"].rpartition("/")[2]) == ("acme", "acme")
        assert stack.up(shop(siteName="acme")).summary == stack.refresh().summary == {}
        assert stack.up(shop("paid", siteName="acme")).summary == {"update": 1}
        stack.destroy()
        assert provider.cloud.objects() == []


def test_equal_names_in_two_places_are_two_things() -> None:
    """A second object of an id that is taken has an id of its own, and deleting one leaves the other."""

    def program() -> None:
        for name in ("one", "two"):
            Thing(GROUP, name, resourceGroupName="same")

    with Double(from_schema(SCHEMA)) as provider:
        stack = Stack(provider)
        stack.up(program)
        assert len({thing.id for thing in provider.cloud.objects()}) == 2
        stack.up(lambda: Thing(GROUP, "two", resourceGroupName="same"))
        assert [thing.id for thing in provider.cloud.objects()] == [stack.state["two"].id]


def test_a_type_without_a_name_of_its_own_has_an_id_all_the_same() -> None:
    """Where no input is the name, the id ends with one that is made of the resource's."""
    with Double(from_schema(SCHEMA)) as provider:
        state = Stack(provider).up(lambda: Thing(NOTE, "memo", text="t")).state
    assert re.fullmatch(f"/subscriptions/{SUBSCRIPTION}/providers/Microsoft.Web/notes/memo-{AUTOMATIC}", state["memo"].id)


@pytest.mark.parametrize("name", [None, "mine"])
def test_the_classic_provider_has_its_names_under_name(name: str | None) -> None:
    """A type of the classic provider is called by its input ``name``, which is made up if the program leaves it out."""
    inputs = {"resourceGroupName": "rg"} | ({"name": name} if name else {})
    with Double(from_schema(CLASSIC)) as provider:
        state = Stack(provider).up(lambda: Thing("azure:web/policy:Policy", "rule", **inputs)).state["rule"]
    called = str(state.outputs["name"])
    assert re.fullmatch(name or f"rule{AUTOMATIC}", called)
    assert state.id == f"/subscriptions/{SUBSCRIPTION}/resourceGroups/rg/providers/Microsoft.Web/policies/{called}"

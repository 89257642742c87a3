"""What a real provider is configured with when only its judgement is wanted: no credentials of anybody, and no cloud."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mockprovider.redaction.credentials import CREDENTIAL_NAMES
from mockprovider.terraform.schema.tree import Place
from mockprovider.values import Bag, Value
from mockprovider.wire.alone import NOBODY

DUMMY = "mockprovider"

DUMMIES: Mapping[str, Mapping[str, Any]] = {
    "aws": {
        "access_key": "AKIAMOCKMOCKMOCKMOCK",
        "secret_key": DUMMY,
        "max_retries": 1,
        "skip_credentials_validation": True,
        "skip_metadata_api_check": "true",
        "skip_region_validation": True,
        "skip_requesting_account_id": True,
        "endpoints": NOBODY,
    },
    "azurerm": {
        "subscription_id": "00000000-0000-0000-0000-000000000000",
        "tenant_id": "00000000-0000-0000-0000-000000000000",
        "client_id": "00000000-0000-0000-0000-000000000000",
        "client_secret": DUMMY,
        "resource_provider_registrations": "none",
    },
    "google": {"access_token": DUMMY, "project": DUMMY},
    "google-beta": {"access_token": DUMMY, "project": DUMMY},
    "kubernetes": {"host": NOBODY},
    "helm": {},
}
"""What providers want to be told before they plan without a cloud, by attribute; other attributes stay as the program says."""

FALLBACKS: Mapping[str, Mapping[str, Any]] = {"aws": {"region": "us-east-1"}}
"""What counts where the program says nothing, and the environment would have."""


def dummied(config: Bag, tree: Place, provider: str, more: Mapping[str, Any]) -> dict[str, Value]:
    """A program's configuration without credentials, and with what ``provider`` needs; ``more`` is the user's, by attribute."""
    kept = _harmless(config, tree)
    fallbacks = {name: value for name, value in FALLBACKS.get(provider, {}).items() if _own(tree, name) not in kept}
    for attribute, value in {**fallbacks, **DUMMIES.get(provider, {}), **more}.items():
        member = tree.members.get(attribute)
        if member is not None:
            kept[member.property_name] = _everywhere(member) if value == NOBODY and member.nesting else value
    return kept


def _own(tree: Place, attribute: str) -> str:
    return tree.members[attribute].property_name if attribute in tree.members else ""


def _harmless(bag: Bag, tree: Place) -> dict[str, Value]:
    kept: dict[str, Value] = {}
    for name, value in bag.items():
        attribute = tree.attributes.get(name, "")
        member = tree.members.get(attribute)
        if member is None:
            continue
        if not (member.sensitive or CREDENTIAL_NAMES.search(attribute)):
            kept[name] = _inside(value, member)
        elif member.required:
            kept[name] = DUMMY if member.type.name == "string" else _inside(value, member)
    return kept


def _inside(value: Value, place: Place) -> Value:
    if place.members and isinstance(value, Mapping):
        return _harmless(value, place)
    return place.elements(value, _inside)


def _everywhere(place: Place) -> Value:
    """The one block of endpoints, in which each is nobody's."""
    members = place.inside.values()
    block = {member.property_name: NOBODY for member in members if member.type.name == "string" and not member.deprecated}
    return block if place.element is None else [block]

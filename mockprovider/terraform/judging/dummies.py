"""What a real provider is configured with when only its judgement is wanted: no credentials of anybody, and no cloud."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from mockprovider.terraform.schema.tree import Place
from mockprovider.values import Bag, Value

NOBODY = "http://127.0.0.1:9"
"""The discard port of this machine, where nobody serves: what asks there is refused at once."""

CREDENTIALS = re.compile(
    r"(?:access|secret|api|private|account|client|auth|encryption|subscription)_?key|secret|token|passw|credential|profile"
    r"|assume_role|certificate|(?:^|_)cert(?:$|_)|kube_?config|config_path|shared_.*file|user_?name|^user$|^login$"
)
"""Attributes of configurations by which providers are told who asks, by their names."""

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

ENVIRONMENT: Mapping[str, str | None] = MappingProxyType(
    {
        "HOME": "/nonexistent",
        "HTTP_PROXY": NOBODY,
        "HTTPS_PROXY": NOBODY,
        "NO_PROXY": None,
        "http_proxy": NOBODY,
        "https_proxy": NOBODY,
        "no_proxy": None,
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_ENDPOINT_URL": NOBODY,
    }
)
"""The variables of its process, beside the few of ``KEPT``: programs that heed them reach no network."""

KEPT = frozenset({"PATH", "TMPDIR", "TMP", "TEMP", "LANG", "LC_ALL", "TZ", "SYSTEMROOT"})
"""What is left of our own environment: nothing else may tell a provider whose credentials there are."""


def environment(ours: Mapping[str, str], more: Mapping[str, str] | None = None) -> dict[str, str | None]:
    """The changes that make the environment of a judging process out of ours; ``more`` is the user's."""
    return {**{name: None for name in ours if name not in KEPT}, **ENVIRONMENT, **(more or {})}


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
        if not (member.sensitive or CREDENTIALS.search(attribute)):
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

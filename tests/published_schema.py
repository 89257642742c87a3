"""What ``terraform providers schema -json`` shows of a provider that has everything: all nesting modes, types and flags."""

from __future__ import annotations

import json
from typing import Any


def text(**more: Any) -> dict[str, Any]:
    """An optional string attribute, or what ``more`` makes of it."""
    plain = {} if {"required", "computed", "optional"} & more.keys() else {"optional": True}
    kind = {} if "nested_type" in more else {"type": "string"}
    return {**kind, "description_kind": "plain", **plain, **more}


def block(mode: str, attributes: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A nested block type."""
    return {"nesting_mode": mode, "block": {"attributes": attributes, "description_kind": "plain"}, **more}


def nested(mode: str, **attributes: Any) -> dict[str, Any]:
    """A nested attribute."""
    return text(nested_type={"nesting_mode": mode, "attributes": attributes})


def schema(attributes: dict[str, Any], blocks: dict[str, Any] | None = None, version: int = 0) -> dict[str, Any]:
    """A schema of a type."""
    inside: dict[str, Any] = {"attributes": attributes, "description_kind": "plain"}
    return {"version": version, "block": {**inside, **({"block_types": blocks} if blocks else {})}}


ID = text(computed=True)
PORT = text(type="number", required=True)

BLOCKS: dict[str, Any] = {
    "once": block("single", {"port": PORT}),
    "always": block("group", {"port": text(type="number")}),
    "rule": block("list", {"port": PORT, "open_to": text()}, min_items=1, max_items=3),
    "peer": block("set", {"name": text(required=True)}),
    "zone": block("map", {"name": text()}),
    "free": block("list", {"value": text(type="dynamic")}),
}
"""Nested blocks: what both majors have."""

BOX = {
    "id": ID,
    "name": text(required=True, description="What it is *called*.", description_kind="markdown"),
    "size": text(type="number", optional=True, computed=True),
    "serial": text(type="number", computed=True),
    "secret_key": text(computed=True, sensitive=True),
    "password": text(sensitive=True, write_only=True, optional=True),
    "old_name": text(deprecated=True),
    "tags": text(type=["map", "string"]),
    "ports": text(type=["set", "number"]),
    "pair": text(type=["tuple", ["string", "number"]], computed=True),
    "shape": text(type=["object", {"line_width": "number", "s3_uri": "string"}]),
    "anything": text(type="dynamic"),
    "many": text(type=["list", "dynamic"]),
    "a_1": text(),
    "a1": text(),
}
NESTED = {
    "one_of": nested("single", inner_name=text(), made_up=text(computed=True)),
    "list_of": nested("list", inner_name=text(required=True)),
    "set_of": nested("set", inner_name=text(required=True)),
    "map_of": nested("map", inner_name=text(required=True)),
}
"""Nested attributes: what only major 6 has."""

FUNCTION = {
    "description": "Doubles.",
    "summary": "Doubles",
    "return_type": "number",
    "parameters": [{"name": "number", "description": "Of what.", "type": "number"}],
    "variadic_parameter": {"name": "more", "description": "Others.", "type": ["list", "string"], "is_nullable": True},
}

POST: dict[str, Any] = {
    "provider": schema(
        {"region": text(required=True), "token": text(sensitive=True)}, {"proxy": block("list", {"url": text()})}
    ),
    "resource_schemas": {
        "post_box": schema(BOX | NESTED, BLOCKS, version=2),
        "post_nameless": schema({"label": text(required=True), "size": text(type="number", computed=True)}),
        "post_own_id": schema({"id": text(required=True), "size": text(type="number")}),
    },
    "data_source_schemas": {
        "post_box": schema(
            {"id": text(optional=True, computed=True), "name": text(required=True), "serial": BOX["serial"]}, BLOCKS
        )
    },
    "functions": {"double": FUNCTION},
}
PLAIN: dict[str, Any] = {**POST, "resource_schemas": {"post_box": schema(BOX, BLOCKS, version=2)}}
"""The same without nested attributes, for major 5."""


def document(**providers: dict[str, Any]) -> dict[str, Any]:
    """The command's output for these providers."""
    return {
        "format_version": "1.0",
        "provider_schemas": {f"registry.terraform.io/hashicorp/{name}": each for name, each in providers.items()},
    }


TEXT = json.dumps(document(post=POST))

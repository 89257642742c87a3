"""The published schema of types files, ``definitions.schema.json``, generated from their shapes.

python -m mockprovider.fake.definitions.publishing > mockprovider/definitions.schema.json
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from inspect import cleandoc
from itertools import combinations
from typing import Any

from msgspec.json import schema_components

from mockprovider.document import COMMENT
from mockprovider.fake.definitions.properties import SOURCES, WITH_ITEMS
from mockprovider.fake.definitions.shapes import InputItemsShape, InputShape, ItemsShape, PropertyShape, TypesFile
from mockprovider.properties import LIMITS, camel_case

JsonSchema = dict[str, Any]

REFERENCE = "#/$defs/{name}"

VALUES: Mapping[str, Sequence[str]] = {
    "string": ("string",),
    "integer": ("integer",),
    "number": ("number",),
    "boolean": ("boolean",),
    "array": ("array", "set"),
    "object": ("map", "object"),
}
"""The JSON types of kinds. Assets and archives have none, and ``any`` has all."""

KINDS = {
    "items": sorted(WITH_ITEMS),
    "properties": ["object"],
    "autoName": ["string"],
    **{camel_case(limit): kinds for limit, kinds in LIMITS.items()},
}
"""Keys that only some kinds have."""

SAYS_NOTHING = {"pattern": "", "autoName": False}
"""The values of such keys that any kind may have, because they mean nothing."""


def published() -> str:
    """The text of the published schema."""
    _, components = schema_components([TypesFile], ref_template=REFERENCE)
    for component in components.values():
        component["description"] = cleandoc(component["description"])
        component["properties"] = {COMMENT: {"type": "string"}, **component["properties"]}
        component["additionalProperties"] = False
    for shape, rules in RULES.items():
        components[shape.__name__]["allOf"] = [{"$ref": REFERENCE.format(name=name)} for name in rules]
    for key in InputShape.left_out:
        del components[InputShape.__name__]["properties"][key]
    file = components.pop(TypesFile.__name__) | {"title": "mockprovider types file"}
    truths = {"Belonging": _belonging(), "Fitting": _fitting(), "Consistent": _consistent()}
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **file, "$defs": components | truths}
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


RULES: Mapping[type, Sequence[str]] = {
    ItemsShape: ("Belonging", "Fitting"),
    InputItemsShape: ("Belonging", "Fitting"),
    PropertyShape: ("Belonging", "Fitting", "Consistent"),
    InputShape: ("Belonging", "Fitting", "Consistent"),
}
"""Rules of the schema beyond the keys of a shape."""


def _of(*kinds: str) -> JsonSchema:
    """A property of one of these kinds. The default is a string."""
    required = {} if "string" in kinds else {"required": ["type"]}
    return {"properties": {"type": {"enum": list(kinds)}}, **required}


def _has(key: str, **value: Any) -> JsonSchema:
    return {"required": [key], **({"properties": {key: value}} if value else {})}


def _belonging() -> JsonSchema:
    rules: list[JsonSchema] = [{"if": _of("object"), "then": _has("properties")}]
    for key, kinds in KINDS.items():
        says = {"not": {"const": SAYS_NOTHING[key]}} if key in SAYS_NOTHING else {}
        rules.append({"if": _has(key, **says), "then": _of(*kinds)})
    return {"description": "Keys belong to the kinds that have them, and an object has properties.", "allOf": rules}


def _fitting() -> JsonSchema:
    rules: list[JsonSchema] = [{"if": _of("asset", "archive"), "then": {"properties": {"default": False, "enum": False}}}]
    for type_, kinds in VALUES.items():
        value = {"type": type_}
        rules.append({"if": _of(*kinds), "then": {"properties": {"default": value, "enum": {"items": value}}}})
    return {"description": "Defaults and accepted values are of the property's own kind.", "allOf": rules}


def _consistent() -> JsonSchema:
    computed, named = (_has(key, **{"not": {"const": False}}) for key in ("computed", "autoName"))
    default = {"anyOf": [_has(key) for key in SOURCES[0]]}
    excluded: list[tuple[JsonSchema, JsonSchema]] = [
        *((_has(one), _has(other)) for keys in SOURCES for one, other in combinations(keys, 2)),
        *combinations([named, computed, default], 2),
        *((_has("required", const=True), source) for source in (named, computed, default)),
    ]
    rules: list[JsonSchema] = [{"not": {"allOf": [one, other]}} for one, other in excluded]
    rules.append({"if": _has("optional", const=True), "then": computed})
    return {"description": "What a property says of itself does not contradict itself.", "allOf": rules}


if __name__ == "__main__":
    print(published(), end="")

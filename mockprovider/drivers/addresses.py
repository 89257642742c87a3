"""The objects in a state file of Terraform, by their addresses."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from mockprovider.hints import near, suggest

ALIKE = 0.8
"""How alike two addresses must be for one to be a misspelling of the other: they share most of their parts."""


def instances(state: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Each object by its address, as the engine writes it, in the state's order; deposed objects have none."""
    return {f"{address}{index}": instance for address, index, instance in _walked(state)}


def instance(state: Mapping[str, Any], address: str) -> dict[str, Any]:
    """The object at ``address``; without the last index, the first one. Raises ``KeyError`` that names the nearest."""
    __tracebackhide__ = True
    for resource, index, instance in _walked(state):
        if address in (resource, f"{resource}{index}"):
            return instance
    known = list(instances(state))
    # Somebody may have left out the module, or its index.
    ends = [full for full in known if full.endswith(f".{address}")]
    meant = ends[0] if ends else near(address, known, ALIKE)
    hint = f" {suggest(meant)}" if meant else ""
    raise KeyError(f"There is no {address!r} in the state.{hint} There are: {', '.join(known) or 'none'}.")


def _walked(state: Mapping[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """The address of a resource, the index of an instance, and the instance."""
    for resource in state.get("resources", []):
        module = f"{resource['module']}." if resource.get("module") else ""
        data = "data." if resource["mode"] == "data" else ""
        for instance in resource["instances"]:
            if not instance.get("deposed"):
                yield f"{module}{data}{resource['type']}.{resource['name']}", _index(instance), instance


def _index(instance: Mapping[str, Any]) -> str:
    if "index_key" not in instance:
        return ""
    # Engines write a template's marks twice, since the key is a string of their language.
    key = json.dumps(instance["index_key"], ensure_ascii=False)
    return f"[{key.replace('${', '$${').replace('%{', '%%{')}]"

"""Answers and outputs that are worked out of what a program says, by the name that data files call them."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeAlias

from mockprovider.fake.inventing.policies import iam_policy_document

MakerName: TypeAlias = Literal["", "iam policy document", "kubernetes secret data", "azure template outputs", "id by name"]


def kubernetes_secret_data(inputs: Mapping[str, Any]) -> dict[str, Any]:
    """The ``data`` of a Kubernetes secret: the program's, and the texts in its ``stringData``."""
    given = inputs.get("stringData")
    texts = given if isinstance(given, Mapping) else {}
    return {"data": {key: base64.b64encode(str(text).encode()).decode() for key, text in texts.items()}} if texts else {}


def azure_template_outputs(inputs: Mapping[str, Any]) -> dict[str, Any]:
    """The ``outputContent`` of a deployment: each output of its template, of which expressions are not evaluated."""
    try:
        outputs = json.loads(inputs.get("templateContent") or "{}").get("outputs") or {}
    except ValueError:
        return {}
    written = {name: {"type": "String", **output, "value": _evaluated(name, output)} for name, output in outputs.items()}
    return {"outputContent": json.dumps(written)}


def _evaluated(name: str, output: Mapping[str, Any]) -> Any:
    value = output.get("value")
    is_expression = isinstance(value, str) and value.startswith("[") and not value.startswith("[[")
    return VALUES.get(str(output.get("type")).lower(), name.lower()) if is_expression else value


VALUES: Mapping[str, Any] = {"int": 1, "bool": True, "array": [], "object": {}}
"""Of the types of a template, what stands for the value of an expression; for a text the output's name does."""

NAMES = ("alarmName", "bucket", "clusterIdentifier", "dashboardName", "family", "functionName", "identifier", "name")
"""Under which a program gives a thing its name."""


def named(inputs: Mapping[str, Any]) -> str:
    """The name that a program gives a thing, if any."""
    return next((inputs[name] for name in NAMES if inputs.get(name) and isinstance(inputs[name], str)), "")


def id_by_name(inputs: Mapping[str, Any]) -> dict[str, Any]:
    """The id of what goes by its name, where a program gives it one."""
    name = named(inputs)
    return {"id": name} if name else {}


MAKERS: Mapping[str, Callable[[Mapping[str, Any]], Mapping[str, Any]]] = {
    "iam policy document": iam_policy_document,
    "kubernetes secret data": kubernetes_secret_data,
    "azure template outputs": azure_template_outputs,
    "id by name": id_by_name,
}

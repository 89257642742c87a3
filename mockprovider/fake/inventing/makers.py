"""Answers and outputs that are worked out of what a program says, by the name that data files call them."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeAlias

from mockprovider.fake.inventing.arns import ends_with_id
from mockprovider.fake.inventing.drawing import DRAWINGS
from mockprovider.fake.inventing.policies import iam_policy_document

MakerName: TypeAlias = Literal[
    "",
    "iam policy document",
    "public parameter",
    "kubernetes secret data",
    "azure template outputs",
    "cloudformation outputs",
    "id by name",
    "random bytes",
    "random id",
    "random integer",
    "random password",
    "random pet",
    "random shuffle",
    "random string",
    "random uuid",
    "random uuid 7",
]


PUBLIC = re.compile(r"/aws/service/.*(?P<document>/recommended$)|/aws/service/.*(ami|image_id)")
"""The names of the parameters in which AWS publishes images: a document about one, or its id alone."""

IMAGE = "ami-0c0ffee0c0ffee001"


def public_parameter(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The value of a parameter of AWS's own that says which image to take (``getParameter``)."""
    known = PUBLIC.match(str(arguments.get("name")))
    if known is None:
        return {}
    document = {"schema_version": "1", "image_id": IMAGE, "image_name": "mock-ami-2024.01.01", "image_version": "2024.01.01"}
    value = json.dumps(document) if known["document"] else IMAGE
    return {"value": value, "insecureValue": value, "type": "String"}


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


def cloudformation_outputs(inputs: Mapping[str, Any]) -> dict[str, Any]:
    """The ``outputs`` of a stack: each of its template, and for what refers to something its own name."""
    try:
        import yaml  # type: ignore[import-untyped]  # noqa: PLC0415 - comes with Pulumi's SDK; without it nothing is worked out
    except ImportError:
        return {}
    try:
        # Composed and not loaded: a template is full of tags, such as !Ref.
        template = yaml.compose(inputs.get("templateBody") or "", Loader=yaml.SafeLoader)
    except yaml.YAMLError:
        return {}
    values = {name: _members(output).get("Value") for name, output in _members(_members(template).get("Outputs")).items()}
    return {"outputs": {name: _literal(name, value) for name, value in values.items()}} if values else {}


def _members(node: Any) -> dict[str, Any]:
    return {name.value: value for name, value in node.value} if node is not None and node.id == "mapping" else {}


def _literal(name: str, node: Any) -> str:
    is_text = node is not None and node.id == "scalar" and not node.tag.startswith("!")
    return str(node.value) if is_text else name.lower()


NAMES = ("alarmName", "bucket", "clusterIdentifier", "dashboardName", "family", "functionName", "identifier", "name")
"""Under which a program gives a thing its name."""


def named(inputs: Mapping[str, Any]) -> str:
    """The name that a program gives a thing, if any."""
    return next((inputs[name] for name in NAMES if inputs.get(name) and isinstance(inputs[name], str)), "")


def title(token: str, inputs: Mapping[str, Any], id_: str) -> str:
    """What a thing's own ARN ends with: the name that a program gives it, behind its path, or else its id, unless that is an
    ARN or address; with nothing, a name is made up.
    """
    name = "" if ends_with_id(token) else named(inputs)
    path = inputs.get("path") if name and token.partition(":")[2].startswith(("iam/", "index:Iam")) else None
    return f"{path or '/'}{name}"[1:] if name else "" if re.search("[:/]", id_) else id_


def id_by_name(inputs: Mapping[str, Any]) -> dict[str, Any]:
    """The id of what goes by its name, where a program gives it one."""
    name = named(inputs)
    return {"id": name} if name else {}


MAKERS: Mapping[str, Callable[[Mapping[str, Any]], Mapping[str, Any]]] = {
    "iam policy document": iam_policy_document,
    "public parameter": public_parameter,
    "kubernetes secret data": kubernetes_secret_data,
    "azure template outputs": azure_template_outputs,
    "cloudformation outputs": cloudformation_outputs,
    "id by name": id_by_name,
    **DRAWINGS,
}


def _is_output(stack: Mapping[str, Any], id_: str) -> bool:
    return id_ in (stack.get("outputs") or {}).values()


def _is_of_chart(release: Mapping[str, Any], id_: str) -> bool:
    """Charts call what they make after the release: ``NAMESPACE/RELEASE-database``."""
    status = release.get("status") or {}
    return id_.startswith(f"{status.get('namespace')}/{status.get('name')}")


MAKES: Mapping[str, Callable[[Mapping[str, Any], str], bool]] = {
    "aws:cloudformation/stack:Stack": _is_output,
    "aws_cloudformation_stack": _is_output,
    "kubernetes:helm.sh/v3:Release": _is_of_chart,
}
"""Types whose objects make others that programs read: whether one with these properties made what goes by an id."""

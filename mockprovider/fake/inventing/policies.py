"""Documents that are worked out of their statements: IAM policies."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

VERSION = "2012-10-17"


def iam_policy_document(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON of an IAM policy, of the statements that a program gives (``aws_iam_policy_document``)."""
    own = [_statement(one) for one in arguments.get("statements") or arguments.get("statement") or ()]
    sources, overriding = _merged(arguments, "sourcePolicyDocuments"), _merged(arguments, "overridePolicyDocuments")
    # A later statement takes the place of one with its Sid, where that stood.
    placed = {statement.get("Sid") or f" {index}": statement for index, statement in enumerate((*sources, *own, *overriding))}
    document: dict[str, Any] = {"Version": arguments.get("version") or VERSION}
    if arguments.get("policyId"):
        document["Id"] = arguments["policyId"]
    document["Statement"] = [*placed.values()]
    return {"json": json.dumps(document, indent=2), "minifiedJson": json.dumps(document, separators=(",", ":"))}


def _merged(arguments: Mapping[str, Any], name: str) -> Iterator[dict[str, Any]]:
    for text in arguments.get(name) or ():
        statements = json.loads(text).get("Statement", []) if text else []
        yield from statements if isinstance(statements, list) else [statements]


def _statement(given: Mapping[str, Any]) -> dict[str, Any]:
    principals = {key: _principals(given.get(name) or ()) for name, key in PRINCIPALS.items()}
    conditions: dict[str, dict[str, Any]] = {}
    for condition in given.get("conditions") or given.get("condition") or ():
        conditions.setdefault(condition["test"], {})[condition["variable"]] = _one_or_many(condition["values"])
    written = {
        "Sid": given.get("sid"),
        "Effect": given.get("effect") or "Allow",
        **{key: _one_or_many(given.get(name) or ()) for name, key in LISTS.items()},
        **principals,
        "Condition": conditions,
    }
    return {key: value for key, value in written.items() if value}


LISTS: Mapping[str, str] = {
    "actions": "Action",
    "notActions": "NotAction",
    "resources": "Resource",
    "notResources": "NotResource",
}
PRINCIPALS: Mapping[str, str] = {"principals": "Principal", "notPrincipals": "NotPrincipal"}


def _principals(given: Any) -> Any:
    if [(one["type"], list(one["identifiers"])) for one in given] == [("*", ["*"])]:
        return "*"
    return {one["type"]: _one_or_many(one["identifiers"]) for one in given}


def _one_or_many(values: Any) -> Any:
    """IAM writes a list of one as that one."""
    values = sorted(values)
    return values[0] if len(values) == 1 else values

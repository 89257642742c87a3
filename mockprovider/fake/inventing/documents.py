"""Texts that programs parse: policies, JSON, kubeconfigs, pairs of user and password. Rows of the table in ``forms``."""

from __future__ import annotations

import base64
import json
from typing import Any

POLICY = '{"Version":"2012-10-17","Statement":[]}'


def _json(it: Any) -> str:
    return POLICY if "policy" in it.owner else json.dumps({"id": it.hex()})


def kubeconfig(it: Any) -> dict[str, Any]:
    """One cluster and its only user."""
    cluster = {"server": f"https://{it.label}.example.com", "certificate-authority-data": it.base64()}
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "kubernetes", "cluster": cluster}],
        "users": [{"name": "admin", "user": {"token": it.hex(32)}}],
        "contexts": [{"name": "admin", "context": {"cluster": "kubernetes", "user": "admin"}}],
        "current-context": "admin",
    }


def _kubeconfig(it: Any) -> str:
    """The same as JSON, which is YAML, too."""
    return json.dumps(kubeconfig(it))


def _user_and_password(it: Any) -> str:
    return base64.b64encode(f"AWS:{it.hex(16)}".encode()).decode()


ROWS = (
    (
        "policy",
        "policy|policy_document|policy_json|assume_role_policy",
        lambda it: POLICY,  # noqa: ARG005 - as all rows
        POLICY,
        "programs parse policies, and providers refuse what is no JSON",
    ),
    ("list of JSON", "container_definitions|statements_json", lambda it: "[]", "[]", "programs parse and index it"),  # noqa: ARG005
    (
        "kubeconfig in base64",
        r"kubeconfigs\.value",
        lambda it: base64.b64encode(_kubeconfig(it).encode()).decode(),
        "eyJhcGlWZXJzaW9uIjogInYxIiwg…",
        "Azure lists the credentials of a cluster so",
    ),
    (
        "kubeconfig",
        "kubeconfig|kube_config|kube_config_raw|kube_admin_config|kube_admin_config_raw|raw_config|kubeconfig_json|kubeconfig_raw",
        _kubeconfig,
        '{"apiVersion": "v1", …}',
        "programs take the server and the user out of it, as JSON or YAML",
    ),
    (
        "user and password",
        "authorization_token",
        _user_and_password,
        "QVdTOjVjZTJiOWUxM2M1NTJhM2U=",
        "programs decode it and split it at the colon",
    ),
    (
        "JSON",
        "json|document|event_pattern|template_body|service_account_key|state_machine_definition|api_definition",
        _json,
        '{"id": "5ce2b9e1"}',
        "programs parse it",
        r"\bJSON\b",
    ),
)
"""Name, pattern, what makes it, example, why, words of descriptions."""

"""Answers and outputs that are worked out of what a program says, by the name that data files call them."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeAlias

from mockprovider.fake.inventing.policies import iam_policy_document

MakerName: TypeAlias = Literal["", "iam policy document", "kubernetes secret data"]


def kubernetes_secret_data(inputs: Mapping[str, Any]) -> dict[str, Any]:
    """The ``data`` of a Kubernetes secret: the program's, and the texts in its ``stringData``."""
    given = inputs.get("stringData")
    texts = given if isinstance(given, Mapping) else {}
    return {"data": {key: base64.b64encode(str(text).encode()).decode() for key, text in texts.items()}} if texts else {}


MAKERS: Mapping[str, Callable[[Mapping[str, Any]], Mapping[str, Any]]] = {
    "iam policy document": iam_policy_document,
    "kubernetes secret data": kubernetes_secret_data,
}

"""What older SDKs for Node.js mean by what they send."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def spelled_anew(request: Any, metadata: Iterable[tuple[str, str]]) -> Any:
    """``request`` (a ``RegisterResourceRequest``) with its aliases as other SDKs write them.

    SDKs for Node.js that do not say that their ``aliasSpecs`` are right said nothing where an alias had no parent, and "no
    parent" where neither the alias nor the resource had one.
    """
    if not request.aliases or getattr(request, "aliasSpecs", False) or not _from_nodejs(dict(metadata)):
        return request
    copy = type(request)()
    copy.CopyFrom(request)
    for alias in copy.aliases:
        if alias.HasField("spec"):
            _turn(alias.spec)
    return copy


def _from_nodejs(metadata: dict[str, str]) -> bool:
    # The runtime's name, where it is given, wins over that of its gRPC library.
    runtime = metadata.get("pulumi-runtime")
    return metadata.get("user-agent", "").startswith("grpc-node-js/") if runtime is None else runtime == "nodejs"


def _turn(spec: Any) -> None:
    if spec.noParent:
        spec.ClearField("noParent")
    elif not spec.parentUrn and spec.WhichOneof("parent") != "noParent":
        spec.noParent = True

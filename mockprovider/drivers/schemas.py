"""The schemas that engines on this machine know: what their command lines print of a package."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

from mockprovider.drivers.command import run
from mockprovider.errors import MalformedError, PluginError
from mockprovider.hints import did_you_mean

SECONDS = 300.0
"""How long an engine may take: it may have to fetch the package first."""

INSTALLING = {
    "pulumi": "https://www.pulumi.com/docs/install",
    "terraform": "https://developer.hashicorp.com/terraform/install",
    "tofu": "https://opentofu.org/docs/intro/install",
}


def pulumi_schema(package: str) -> str:
    """What ``pulumi package get-schema`` prints. Raises ``PluginError``, ``ProgramError`` or ``MalformedError``."""
    command = [_binary("pulumi"), "package", "get-schema", package]
    environment = {**os.environ, "PULUMI_SKIP_UPDATE_CHECK": "true"}
    text = run(command, cwd=Path.cwd(), env=environment, seconds=SECONDS).stdout
    _json(text, "pulumi package get-schema")
    return text


def terraform_schema(binary: str, package: str) -> str:
    """One provider's part of what ``terraform providers schema -json`` prints in this folder; ``tofu`` has the same command.

    Raises ``PluginError``, ``ProgramError`` or ``MalformedError``.
    """
    command = [_binary(binary), "providers", "schema", "-json"]
    text = run(command, cwd=Path.cwd(), env=os.environ, seconds=SECONDS).stdout
    # Warnings about the engine's own configuration come first.
    printed = _json(text[max(f"\n{text}".find("\n{"), 0) :], f"{binary} providers schema -json")
    providers = printed.get("provider_schemas") or {}
    short = {address.rsplit("/", 1)[-1]: address for address in providers}
    address = package if package in providers else short.get(package.rsplit("/", 1)[-1])
    if address is None:
        hint = did_you_mean(package, short, "There are") if short else f"There are none: run `{binary} init` first."
        raise PluginError(f"The configuration in {Path.cwd()} requires no provider {package!r}. {hint}")
    return json.dumps({**printed, "provider_schemas": {address: providers[address]}})


def _binary(name: str) -> str:
    path = shutil.which(name)
    if path is None:
        raise PluginError(f"there is no {name} on PATH ({INSTALLING[name]})")
    return path


def _json(text: str, command: str) -> dict[str, Any]:
    try:
        data = json.loads(text)
    except ValueError as error:
        raise MalformedError(f"What `{command}` printed is no JSON: {text.strip()[:200]!r}.") from error
    if not isinstance(data, dict):
        raise MalformedError(f"What `{command}` printed is no schema: it is a {type(data).__name__}.")
    return data

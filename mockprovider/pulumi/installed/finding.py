"""Where an SDK is: an installed Python distribution, an npm package, or a folder."""

from __future__ import annotations

import importlib.util
import json
import os
import re
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path
from typing import Any

from mockprovider.errors import DefinitionError
from mockprovider.hints import did_you_mean
from mockprovider.pulumi.installed.document import not_understood
from mockprovider.pulumi.installed.npm import npm_folder

PLUGIN_FILES = ("pulumi-plugin.json", "pulumiplugin.json")
PREFIX = "pulumi_"
"""How the modules of SDKs begin."""
NAME = re.compile(r"[^\w.-]")
"""What comes after the name of a requirement (``pulumi-aws<8,>=7``)."""
REGISTERED = re.compile(r'"pkg": "([^"]+)"')


def folder_of(sdk: str | Path) -> Path:
    """The folder of an SDK by its name (``pulumi_aws``, ``pulumi-aws``, ``aws``, ``@pulumi/aws``) or path; nothing is imported.

    Raises ``DefinitionError``, with the command that installs it, if there is none.
    """
    if not isinstance(sdk, (str, Path)) or not str(sdk):
        raise DefinitionError(f"{sdk!r} is no SDK: give its name, such as 'pulumi_aws' or '@pulumi/aws', or its folder.")
    if isinstance(sdk, str) and sdk.startswith("@"):
        return npm_folder(sdk)
    if isinstance(sdk, Path) or os.sep in sdk or sdk.startswith("."):
        if not Path(sdk).is_dir():
            raise DefinitionError(f"There is no folder {sdk}. Name the folder of an installed SDK, or the SDK: 'pulumi_aws'.")
        return Path(sdk).resolve()
    plain = sdk.replace("-", "_")
    name = plain.removeprefix(PREFIX)
    spec = _spec(PREFIX + name)
    if spec and spec.submodule_search_locations:
        return Path(next(iter(spec.submodule_search_locations))).resolve()
    # They all begin alike, which makes none of them near.
    installed = sorted({other.removeprefix(PREFIX) for other in metadata.packages_distributions() if other.startswith(PREFIX)})
    hint = did_you_mean(name, installed, "Installed are") if installed else "No SDK is installed here."
    if name == plain and _spec(name):
        raise DefinitionError(f"{sdk!r} is a Python module, and no SDK of Pulumi: those are called {PREFIX}NAME. {hint}")
    raise DefinitionError(
        f"There is no SDK {PREFIX}{name} in this environment. {hint} Install it (pip install pulumi-{name.replace('_', '-')}), "
        "or give its folder as a path."
    )


def _spec(module: str) -> Any:
    return importlib.util.find_spec(module) if module.isidentifier() else None


def identity_of(folder: Path) -> tuple[str, str]:
    """The package's name and version: from the file that tells engines which plugin it needs, or from what is installed."""
    said: dict[str, Any] = next((read for name in PLUGIN_FILES if (read := _json(folder / name))), {})
    name = said.get("name") or _registered(folder)
    if not name:
        raise not_understood(str(folder), f"it has no {PLUGIN_FILES[0]}, so nothing says what the package is called")
    version = said.get("version") or _installed_version(folder)
    return str(name), str(version).removeprefix("v")


def dependencies(folder: Path) -> dict[str, Path]:
    """The SDKs that an installed one requires, by the names of their packages, as far as they are installed beside it."""
    named = (wanted for distribution in _distributions(folder) for wanted in distribution.requires or ())
    places = {folder.parent / NAME.split(wanted, maxsplit=1)[0].replace("-", "_") for wanted in named}
    sdks = (place for place in sorted(places) if any((place / file).is_file() for file in PLUGIN_FILES))
    return {identity_of(place)[0]: place for place in sdks}


def _json(path: Path) -> dict[str, Any]:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise not_understood(str(path), f"it cannot be read: {error}") from error
    return data if isinstance(data, dict) else {}


def _registered(folder: Path) -> str:
    """The name under which an older SDK registers its types."""
    path = folder / "__init__.py"
    match = REGISTERED.search(path.read_text(encoding="utf-8")) if path.is_file() else None
    return match[1] if match else ""


def _installed_version(folder: Path) -> str:
    return next((semantic(distribution.version) for distribution in _distributions(folder)), "1.0.0")


def _distributions(folder: Path) -> Iterable[metadata.Distribution]:
    return metadata.distributions(name=folder.name.replace("_", "-"), path=[str(folder.parent)])


def semantic(version: str) -> str:
    """Python's spelling of a version as the one of schemas: ``4.0.0a1`` is ``4.0.0-a1``."""
    match = re.match(r"(\d+\.\d+\.\d+)(.*)", version)
    if not match:
        return "1.0.0"
    rest = re.sub(r"[^0-9A-Za-z]+", "", match[2])
    return f"{match[1]}-{rest}" if rest else match[1]

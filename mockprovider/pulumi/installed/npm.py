"""Where an npm SDK is: in ``node_modules`` here or above, as Node.js looks for it, or a folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from mockprovider.errors import DefinitionError
from mockprovider.hints import did_you_mean
from mockprovider.pulumi.installed.document import not_understood

MANIFEST = "package.json"
MODULES = "node_modules"
NO_SDKS = frozenset({"@pulumi/pulumi", "@pulumi/policy"})
"""What engines and programs speak to each other with; neither has a provider."""


def npm_folder(name: str) -> Path:
    """The folder of an npm package by its name (``@pulumi/random``).

    Raises ``DefinitionError``, with the command that installs it, if it is not in a ``node_modules`` from here upwards.
    """
    here = Path.cwd()
    folder = beside(here, name)
    if folder:
        return folder.resolve()
    places = [place / MODULES for place in (here, *here.parents)]
    scope = name.partition("/")[0]
    others = [path for place in places for path in place.glob(f"{scope}/*") if path.is_dir()]
    installed = sorted({f"{scope}/{path.name}" for path in others} - NO_SDKS)
    hint = did_you_mean(name, installed, "Installed are") if installed else "No SDK is installed here."
    raise DefinitionError(
        f"There is no npm SDK {name} in {places[0]} or above. {hint} Install it (npm install {name}), "
        "or give its folder as a path."
    )


def beside(folder: Path, name: str) -> Path | None:
    """The folder of the npm package that files in ``folder`` import by this name, if it is installed."""
    places = (place / MODULES / name for place in (folder, *folder.parents))
    return next((place for place in places if (place / MANIFEST).is_file()), None)


def is_npm(folder: Path) -> bool:
    """Whether a folder is an npm package."""
    return (folder / MANIFEST).is_file()


def built(folder: Path) -> Path:
    """Where the compiled files are: local SDKs (``pulumi package add``) have theirs in ``bin``."""
    return folder / "bin" if (folder / "bin" / "index.d.ts").is_file() and not (folder / "index.d.ts").is_file() else folder


def npm_dependencies(folder: Path) -> dict[str, Path]:
    """The SDKs that an npm SDK depends on, by the names of their packages, as far as they are installed."""
    wanted = _manifest(folder).get("dependencies")
    names = sorted(name for name in wanted if name.startswith("@pulumi/")) if isinstance(wanted, dict) else []
    places = [place.resolve() for name in names if name not in NO_SDKS and (place := beside(folder, name))]
    return {npm_identity(place)[0]: place for place in places if _said(_manifest(place)).get("resource")}


def npm_identity(folder: Path) -> tuple[str, str]:
    """The name and version of the provider's package: what the SDK tells engines, or else those of the npm package."""
    path, manifest = folder / MANIFEST, _manifest(folder)
    said = _said(manifest)
    parameters = said.get("parameterization") or {}
    name = parameters.get("name") or said.get("name") or str(manifest.get("name", "")).rpartition("/")[2]
    version = str(parameters.get("version") or said.get("version") or manifest.get("version") or "1.0.0").removeprefix("v")
    if not name:
        raise not_understood(str(path), "nothing in it says what the package is called")
    return str(name), version if version[:1].isdigit() else "1.0.0"


def _manifest(folder: Path) -> dict[str, Any]:
    path = folder / MANIFEST
    try:
        manifest: Any = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise not_understood(str(path), f"it cannot be read: {error}") from error
    return manifest if isinstance(manifest, dict) else {}


def _said(manifest: dict[str, Any]) -> dict[str, Any]:
    """What a manifest tells engines."""
    said = manifest.get("pulumi")
    return said if isinstance(said, dict) else {}

"""A root module of a user, as a copy that runs as the original would and changes nothing there.

A module may refer to its neighbours (``../../modules/network``). So the folders above the copy, as far as they belong to it,
are made too, and hold links to what is beside the original.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable
from fnmatch import fnmatch
from pathlib import Path

from mockprovider.errors import MockProviderError
from mockprovider.hints import did_you_mean

CONFIGURATION = ("*.tf", "*.tf.json", "*.tofu", "*.tofu.json")
"""The files of a module."""

ENGINES_OWN = (".terraform", ".terraform.lock.hcl", "*.tfstate", "*.tfstate.*", "terraform.tfstate.d", "crash.log", ".git")
"""What engines and git leave beside a configuration. A state holds objects of a real cloud: ``load_state`` takes one."""

STATE = "terraform.tfstate"

MODULES = Path("modules", "modules.json")
"""Where an engine notes the modules that it has fetched, in its data folder."""

BACKEND = re.compile(r'^\s*"?(?:backend\s*"|backend"\s*:|cloud"?\s*:?\s*\{)', re.MULTILINE)
"""A configuration that keeps its state elsewhere."""

MODULE = re.compile(r'^\s*"?module"?\s*["{:]', re.MULTILINE)
"""A configuration, or a test file, that calls a module."""

OVERRIDE = "mockprovider_override.tf"
LOCAL = 'terraform {\n  backend "local" {}\n}\n'
"""Keeps the state in the copy: an override's backend takes precedence over the ``backend`` or ``cloud`` of the original."""

SOURCE = re.compile(r'"?source"?\s*[=:]\s*"(\.\.?/[^"]*)"')
"""The source of a module in a folder nearby."""


def copied(source: Path, folder: Path, data: Path) -> Path:
    """Copy the root module in ``source`` into ``folder``, in place of what is there; the working folder of the copy.

    The list of modules that were fetched into the original goes into ``data``, the engine's own folder.

    Raises ``MockProviderError`` if there is no configuration in ``source``, or the copy cannot be made.
    """
    source = source.absolute()
    _check(source)
    inside = source.relative_to(_top(source))
    working = folder / inside
    try:
        for earlier in (folder, data):
            shutil.rmtree(earlier, ignore_errors=True)
        _link_above(source, working, len(inside.parts))
        shutil.copytree(source, working, symlinks=True, dirs_exist_ok=True, ignore=_left_out(folder))
        _take_modules(source / ".terraform", working / ".terraform", data)
    except (OSError, shutil.Error) as error:
        raise MockProviderError(f"Cannot copy the configuration in {source} to {working}: {error}.") from error
    return working


def files(folder: Path) -> list[Path]:
    """The files of the module in ``folder``."""
    return sorted(path for pattern in CONFIGURATION for path in folder.glob(pattern))


def keeps_state_elsewhere(folder: Path) -> bool:
    """Whether the module in ``folder`` has a ``backend`` or ``cloud`` block."""
    return any(BACKEND.search(_text(path)) for path in files(folder))


def has_modules(folder: Path) -> bool:
    """Whether the module in ``folder``, or one of its tests, calls a module."""
    return any(MODULE.search(_text(path)) for path in (*files(folder), *folder.rglob("*.tftest.*")))


def _check(source: Path) -> None:
    if not source.is_dir():
        beside = [path.name for path in source.parent.iterdir() if path.is_dir()] if source.parent.is_dir() else []
        hint = did_you_mean(source.name, beside, "The folders there are") if beside else ""
        what = "is a file" if source.exists() else "is not there"
        raise MockProviderError(f"There is no configuration to use: {source} {what}. {hint}".strip())
    if not files(source):
        inner = {path.parent.relative_to(source) for pattern in CONFIGURATION for path in source.rglob(pattern)}
        roots = sorted(str(path) for path in inner if ".terraform" not in path.parts)
        hint = f"There are some in: {', '.join(roots[:10])}." if roots else "Name the folder that has the root module."
        raise MockProviderError(f"{source} has no *.tf file. {hint}")


def _top(source: Path) -> Path:
    """The folder that has all that may belong to a root module: its repository, or else what all its modules are in."""
    for folder in (source, *source.parents):
        if (folder / ".git").exists():
            return folder
    return Path(os.path.commonpath([source, *_modules(source, set())]))


def _modules(folder: Path, known: set[Path]) -> set[Path]:
    """The folders of the modules nearby that the one in ``folder`` consists of."""
    if folder not in known and folder.is_dir():
        known.add(folder)
        for path in files(folder):
            for source in SOURCE.findall(_text(path)):
                _modules(Path(os.path.normpath(folder / source)), known)
    return known


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")


def _link_above(source: Path, working: Path, levels: int) -> None:
    """Make so many folders above the copy, each with links to what stands beside the original."""
    original, copy = source, working
    working.mkdir(parents=True, exist_ok=True)
    for _ in range(levels):
        for path in original.parent.iterdir():
            if path.name != original.name and not _is_engines_own(path.name):
                (copy.parent / path.name).symlink_to(path)
        original, copy = original.parent, copy.parent


def _left_out(folder: Path) -> Callable[[str, list[str]], set[str]]:
    def names(inside: str, entries: list[str]) -> set[str]:
        # The driver's folder may itself be inside the original.
        return {name for name in entries if _is_engines_own(name) or Path(inside, name) == folder}

    return names


def _is_engines_own(name: str) -> bool:
    return any(fnmatch(name, pattern) for pattern in ENGINES_OWN)


def _take_modules(fetched: Path, own: Path, data: Path) -> None:
    """Take the modules that were fetched into the original: their list names them by the folder ``.terraform``."""
    if (fetched / MODULES).is_file():
        shutil.copytree(fetched / MODULES.parent, own / MODULES.parent, symlinks=True, dirs_exist_ok=True)
        (data / MODULES.parent).mkdir(parents=True, exist_ok=True)
        shutil.copy(fetched / MODULES, data / MODULES)

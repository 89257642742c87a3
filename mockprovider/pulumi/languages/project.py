"""A Pulumi project on disk: what ``Pulumi.yaml`` and the settings file of a stack say."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

from mockprovider.errors import MalformedError, ProgramError, UnsupportedError
from mockprovider.files import read_text


class Project(Struct, frozen=True):
    """A Pulumi project on disk.

    Attributes:
        path: its folder, which holds ``Pulumi.yaml``.
        name: the project's name.
        runtime: the language, as ``Pulumi.yaml`` names it.
        options: the options of that language.
        entry: the folder of the program, or its file.
        defaults: values of the project's own configuration, for stacks that set none.
        settings: the folder of its stacks' settings files.
        interpreter: what is to run the program, instead of what the project names; empty for that.
    """

    path: Path
    name: str
    runtime: str
    options: Mapping[str, Any]
    entry: Path
    settings: Path
    defaults: Mapping[str, Any] = {}
    interpreter: str = ""

    @property
    def folder(self) -> Path:
        """The folder that the program runs in."""
        return self.entry if self.entry.is_dir() else self.entry.parent

    @property
    def program(self) -> str:
        """The program as language hosts name it: ``.`` for the folder, or a file in it."""
        return "." if self.entry.is_dir() else self.entry.name

    def config(self, stack: str, given: Collection[str] = ()) -> dict[str, str]:
        """The plain values of ``Pulumi.<stack>.yaml`` and the project's own, compound ones as JSON, without the keys ``given``.

        Raises ``UnsupportedError`` for an encrypted value: only the CLI, with the stack's passphrase, can open it.
        """
        path = self.settings / f"Pulumi.{stack}.yaml"
        settings = load_yaml(path).get("config") or {} if path.exists() else {}
        if not isinstance(settings, Mapping):
            raise MalformedError(f"{path}: 'config' is no mapping of keys to values.")
        values = {self._key(key): value for key, value in {**self.defaults, **settings}.items()}
        return {key: _setting(key, value, path) for key, value in values.items() if key not in given}

    def _key(self, key: Any) -> str:
        return str(key) if ":" in str(key) else f"{self.name}:{key}"


def read_project(path: str | Path, *, interpreter: str | Path | None = None) -> Project:
    """The project in ``path``; ``interpreter`` runs its program instead of the one that it names.

    Raises ``MalformedError`` if there is no ``Pulumi.yaml``, or it is none, ``ProgramError`` if there is no program.
    """
    try:
        root = Path(path).resolve()
    except ValueError as error:
        raise MalformedError(f"{path} is no folder of a Pulumi project: {error}.") from error
    file = root / "Pulumi.yaml"
    content = load_yaml(file)
    runtime = content.get("runtime")
    kind, options = (runtime.get("name"), runtime.get("options") or {}) if isinstance(runtime, Mapping) else (runtime, {})
    if not isinstance(content.get("name"), str):
        raise MalformedError(f"{file}: the project has no name.")
    if not isinstance(kind, str) or not isinstance(options, Mapping):
        raise MalformedError(f"{file}: 'runtime' is {runtime!r}, and should be a language: nodejs, python, go or yaml.")
    entry = root / str(content.get("main") or "")
    if not entry.exists():
        raise ProgramError(f"{file}: 'main' is {content['main']!r}, and there is no {entry}.")
    settings, declared = _configured(content, file)
    return Project(
        root, content["name"], kind, options, entry.resolve(), root / settings, _defaults(declared), _own(interpreter)
    )


def _configured(content: Mapping[str, Any], file: Path) -> tuple[str, Mapping[str, Any]]:
    """The folder of the settings files, and the project's own configuration, in whose place older projects name that folder."""
    declared = content.get("config") or {}
    if isinstance(declared, str):
        return declared, {}
    if not isinstance(declared, Mapping):
        raise MalformedError(f"{file}: 'config' is no mapping of keys to values.")
    return str(content.get("stackConfigDir") or ""), declared


def _own(interpreter: str | Path | None) -> str:
    """An interpreter's path from the folder that the caller is in, since the program runs in another."""
    named = str(interpreter or "")
    # The link that a virtual environment has for it must not be followed.
    return os.path.abspath(named) if os.sep in named else named  # noqa: PTH100 - as just said


def load_yaml(path: Path, how: str = "Give the folder of a Pulumi project.") -> dict[str, Any]:
    """The mapping in a YAML file; ``how`` to get one stands in errors. Raises ``MalformedError`` if there is none."""
    import yaml  # type: ignore[import-untyped]  # noqa: PLC0415 - comes with the SDK, and only projects need it

    try:
        content = yaml.safe_load(read_text(path, path.name, how))
    except yaml.YAMLError as error:
        raise MalformedError(f"{path} is no YAML: {error}") from error
    if not isinstance(content, dict):
        raise MalformedError(f"{path} holds no mapping. {how}")
    return content


def _defaults(declared: Mapping[str, Any]) -> dict[str, Any]:
    """What a project gives to stacks that set nothing: plain values, and the ``value`` or ``default`` of declared ones."""
    plain = {key: _declared(value) for key, value in declared.items()}
    return {key: value for key, value in plain.items() if value is not None}


def _declared(value: Any) -> Any:
    return value.get("value", value.get("default")) if isinstance(value, Mapping) else value


def _setting(key: str, value: Any, path: Path) -> str:
    if _encrypted(value):
        raise UnsupportedError(
            f"{path}: {key!r} is encrypted, which only the pulumi CLI can open. Give it as a Secret in the stack's config."
        )
    if isinstance(value, bool) or not isinstance(value, str):
        return json.dumps(value)
    return value


def _encrypted(value: Any) -> bool:
    """Whether there is a ciphertext in ``value``, as it is or inside of it."""
    if isinstance(value, Mapping):
        return "secure" in value or any(map(_encrypted, value.values()))
    return isinstance(value, list) and any(map(_encrypted, value))

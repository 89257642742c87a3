"""Default providers: the engine's own provider resources, one for each package and version that a program asks for."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from mockprovider.engine.decision import RefusedError
from mockprovider.engine.goal import Goal, Parameterization
from mockprovider.engine.packages import internal
from mockprovider.engine.registry import INTERNAL
from mockprovider.pulumi.state import ResourceState
from mockprovider.urn import PROVIDERS
from mockprovider.values import Bag, Value, reveal

DISABLED = "pulumi:disable-default-providers"
SEMVER = re.compile(r"(\d+)\.(\d+)\.(\d+)(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?")


class Requested(Struct, frozen=True):
    """Which provider a registration asks for."""

    package: str
    version: str = ""
    url: str = ""
    parameterization: Parameterization | None = None

    @property
    def name(self) -> str:
        """The name of its default provider: ``default`` or ``default_1_2_3``, with the download URL where there is one."""
        parts = ["default"]
        if self.version:
            parts.append(re.sub(r"[.+-]", "_", self.version))
        if self.url:
            parts.append(re.sub(r"[^A-Za-z0-9]", "_", self.url))
        return "_".join(parts)


class DefaultProviders:
    """The default providers of one operation: one for each package and version that a program asks for.

    Args:
        config: the stack's configuration by full key (``aws:region``); values are strings, or secrets of them.
        remembered: the state's resources, whose newest provider version stands in where a program asks for none.
        register: registers a provider resource, and answers its reference.
        named_by_version: whether a version that stands in is part of the name, too.
    """

    def __init__(
        self,
        config: Mapping[str, Value],
        remembered: Sequence[ResourceState],
        register: Callable[[Goal], str],
        *,
        named_by_version: bool = True,
    ) -> None:
        self._named_by_version = named_by_version
        self._config = config
        self._versions = newest_versions(remembered)
        self._register = register
        self._references: dict[Requested, str] = {}

    def reference(self, goal: Goal) -> str:
        """The reference of the default provider for ``goal``. Raises ``RefusedError`` where the package may not have one."""
        asked = requested(goal, goal.plugin_download_url.rstrip("/"))
        wanted = self.normalized(asked)
        if self._denied(wanted.package):
            raise RefusedError(
                f"default providers are disabled for the package {wanted.package!r} ({DISABLED}), and {goal.name!r} has no "
                "explicit one. Give it the option `provider`."
            )
        if wanted not in self._references:
            self._references[wanted] = self._register(self._goal(wanted, (wanted if self._named_by_version else asked).name))
        return self._references[wanted]

    def normalized(self, wanted: Requested) -> Requested:
        """``wanted`` with the version that stands in where none was asked for."""
        if wanted.version or wanted.package not in self._versions:
            return wanted
        return replace(wanted, version=self._versions[wanted.package])

    def explicit(self, goal: Goal) -> Goal:
        """``goal``, an explicit provider, with its plugin: by default the one of the package's default provider."""
        wanted = requested(goal, goal.plugin_download_url)
        if wanted.parameterization and not goal.version:
            # As in the real engine, the plugin's version from the state, if any, replaces the package's version.
            wanted = replace(wanted, version=self._versions.get(wanted.package, wanted.version))
        wanted = wanted if wanted.url else self.normalized(wanted)
        return replace(goal, inputs=with_plugin(goal.inputs, wanted))

    def _goal(self, wanted: Requested, name: str) -> Goal:
        inputs = with_plugin(configured(wanted.package, self._config), wanted)
        return Goal(type=PROVIDERS + wanted.package, name=name, inputs=inputs)

    def _denied(self, package: str) -> bool:
        text = reveal(self._config.get(DISABLED, "")) or "[]"
        try:
            listed = json.loads(text)
        except json.JSONDecodeError:
            listed = None
        if not isinstance(listed, list) or not all(isinstance(name, str) for name in listed):
            raise RefusedError(f'the configuration {DISABLED} is no JSON list of package names such as ["aws"]: {text!r}')
        return "*" in listed or package in listed


def configured(package: str, config: Mapping[str, Value]) -> dict[str, Value]:
    """The inputs of a package's default provider: those of the stack's settings that are the package's."""
    prefix = package + ":"
    return {key.removeprefix(prefix): value for key, value in config.items() if key.startswith(prefix)}


def requested(goal: Goal, url: str) -> Requested:
    """The provider that ``goal`` asks for; a parameterized package has its own version, not the base plugin's."""
    parameterization = goal.parameterization
    return Requested(goal.package, parameterization.version if parameterization else goal.version, url, parameterization)


def with_plugin(inputs: Mapping[str, Value], wanted: Requested) -> dict[str, Value]:
    """A provider resource's inputs with its plugin. The provider sees only the ``version`` of that."""
    if not (wanted.version or wanted.url or wanted.parameterization):
        return dict(inputs)
    versioned = {"version": wanted.version} if wanted.version else {}
    kept = {**inputs.get(INTERNAL, {}), **({"pluginDownloadURL": wanted.url} if wanted.url else {})}
    kept |= internal(wanted.parameterization) if wanted.parameterization else {}
    return {**inputs, **versioned, INTERNAL: kept}


def newest_versions(remembered: Sequence[ResourceState]) -> dict[str, str]:
    """The newest version of each package's plugin in a state."""
    newest: dict[str, str] = {}
    for resource in remembered:
        version = _plugin_version(resource.inputs) if resource.is_provider else None
        if isinstance(version, str) and SEMVER.fullmatch(version):
            package = resource.type.removeprefix(PROVIDERS)
            if package not in newest or precedence(version) > precedence(newest[package]):
                newest[package] = version
    return newest


def _plugin_version(inputs: Bag) -> Value:
    kept = inputs.get(INTERNAL) or {}
    return reveal(kept.get("version") if "parameterization" in kept else inputs.get("version"))


def precedence(version: str) -> tuple[tuple[int, int, int], bool, tuple[tuple[int, int, str], ...]]:
    """A sort key of semantic versions: a pre-release comes before its release."""
    match = SEMVER.fullmatch(version)
    if match is None:
        return (0, 0, 0), False, ()
    major, minor, patch, pre = match.groups()
    identifiers = tuple((0, int(part), "") if part.isdigit() else (1, 0, part) for part in (pre or "").split(".") if part)
    return (int(major), int(minor), int(patch)), pre is None, identifiers

"""Default providers: the engine's own provider resources, one for each package and version that a program asks for."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from operator import attrgetter

from msgspec import Struct
from msgspec.structs import replace

from mockprovider.engine.providers.builtin import PACKAGE
from mockprovider.engine.providers.packages import SEMVER, internal, parameterization
from mockprovider.engine.providers.registry import INTERNAL
from mockprovider.engine.registrations.decision import RefusedError
from mockprovider.engine.registrations.goal import Goal, Parameterization
from mockprovider.engine.registrations.wording import denied
from mockprovider.pulumi.stacks.state import ResourceState
from mockprovider.urn import PROVIDERS
from mockprovider.values import Bag, Value, reveal

DISABLED = "pulumi:disable-default-providers"
TOKEN: Callable[[Goal], str] = attrgetter("type")
"""What is said of functions, reads and remote components that may have no default provider: their token."""


class Requested(Struct, frozen=True):
    """Which provider a registration asks for."""

    package: str
    version: str = ""
    url: str = ""
    parameterization: Parameterization | None = None
    checksums: tuple[tuple[str, bytes], ...] = ()

    @property
    def key(self) -> tuple[str, str, str]:
        """What two requests must have in common to share a provider."""
        return self.package, self.version, self.url

    @property
    def name(self) -> str:
        """The name of its default provider: ``default`` or ``default_1_2_3``, with the download URL where there is one."""
        parts = ["default"]
        if self.version:
            parts.append(re.sub(r"[.+-]", "_", self.version))
        if self.url:
            words = (re.sub(r"[^A-Za-z0-9_.-]", "_", word) for word in self.url.split("/") if word)
            parts.append("/".join(words) or "_")
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
        self._newest = newest_plugins(remembered)
        self._register = register
        self._references: dict[tuple[str, str, str], str] = {}

    def reference(self, goal: Goal, naming: Callable[[Goal], str] = TOKEN) -> str:
        """The reference of the default provider for ``goal``.

        Raises ``RefusedError``, with ``naming`` of the goal, where the package may not have one.
        """
        asked = requested(goal, goal.plugin_download_url.removesuffix("/"))
        wanted = self.normalized(asked)
        if wanted.package != PACKAGE and not {"*", wanted.package}.isdisjoint(self._denied):
            raise RefusedError(denied(wanted.package, naming(goal)))
        if wanted.key not in self._references:
            name = (wanted if self._named_by_version else asked).name
            self._references[wanted.key] = self._register(self._goal(wanted, name))
        return self._references[wanted.key]

    def normalized(self, wanted: Requested) -> Requested:
        """``wanted`` with what the state's provider of the package says, where nothing was asked for."""
        known = self._newest.get(wanted.package)
        if known is None:
            return wanted
        version, url, parameters = wanted.version or known.version, wanted.url or known.url, wanted.parameterization
        if parameters is None and known.parameterization is not None:
            # What is asked for is the version of the plugin, and its package has its own.
            parameters = replace(known.parameterization, base_version=version)
            version = parameters.version
        return replace(wanted, version=version, url=url, parameterization=parameters)

    def explicit(self, goal: Goal) -> Goal:
        """``goal``, an explicit provider, with its plugin: by default the one of the package's default provider."""
        wanted = requested(goal, goal.plugin_download_url)
        known = self._newest.get(wanted.package)
        if known is not None and not goal.own_plugin:
            # As in the real engine, what the state knows replaces what a registered package says, and the plugin's version
            # stands for that of a parameterized package.
            wanted = replace(wanted, version=known.version or wanted.version, url=known.url or wanted.url)
        inputs = with_plugin(goal.inputs, wanted)
        if goal.environment:
            inputs[INTERNAL] = {**inputs.get(INTERNAL, {}), "envVarMappings": dict(goal.environment)}
        return replace(goal, inputs=inputs)

    def _goal(self, wanted: Requested, name: str) -> Goal:
        inputs = with_plugin(configured(wanted.package, self._config), wanted)
        return Goal(type=PROVIDERS + wanted.package, name=name, inputs=inputs)

    @cached_property
    def _denied(self) -> frozenset[str]:
        """The packages that may have no default provider. Raises ``RefusedError`` where the configuration does not say."""
        text = reveal(self._config.get(DISABLED, "")) or "[]"
        try:
            listed = json.loads(text)
        except json.JSONDecodeError:
            listed = None
        if not isinstance(listed, list) or not all(isinstance(name, str) for name in listed):
            raise RefusedError(f'the configuration {DISABLED} is no JSON list of package names such as ["aws"]: {text!r}')
        return frozenset(name.strip() for name in listed)


def configured(package: str, config: Mapping[str, Value]) -> dict[str, Value]:
    """The inputs of a package's default provider: those of the stack's settings that are the package's."""
    prefix = package + ":"
    return {key.removeprefix(prefix): value for key, value in config.items() if key.startswith(prefix)}


def requested(goal: Goal, url: str) -> Requested:
    """The provider that ``goal`` asks for; a parameterized package has its own version, not the base plugin's."""
    parameterization = goal.parameterization
    version = parameterization.version if parameterization else goal.version
    return Requested(goal.package, version, url, parameterization, goal.plugin_checksums)


def with_plugin(inputs: Mapping[str, Value], wanted: Requested) -> dict[str, Value]:
    """A provider resource's inputs with its plugin. The provider sees only the ``version`` of that."""
    if not (wanted.version or wanted.url or wanted.parameterization or wanted.checksums):
        return dict(inputs)
    versioned = {"version": wanted.version} if wanted.version else {}
    kept = {**inputs.get(INTERNAL, {}), **({"pluginDownloadURL": wanted.url} if wanted.url else {})}
    kept |= {"pluginChecksums": {key: value.hex() for key, value in wanted.checksums}} if wanted.checksums else {}
    kept |= internal(wanted.parameterization) if wanted.parameterization else {}
    return {**inputs, **versioned, INTERNAL: kept}


def newest_plugins(remembered: Sequence[ResourceState]) -> dict[str, Requested]:
    """The newest plugin of each package in a state: its own version, its address, and its parameterization."""
    newest: dict[str, Requested] = {}
    for resource in remembered:
        if resource.is_provider:
            known = _plugin(resource.type.removeprefix(PROVIDERS), resource.inputs)
            if known.package not in newest or precedence(known.version) >= precedence(newest[known.package].version):
                newest[known.package] = known
    return newest


def _plugin(package: str, inputs: Bag) -> Requested:
    # Old states have all of it among the inputs.
    kept = inputs.get(INTERNAL, inputs)
    version = reveal(kept.get("version") if "parameterization" in kept else inputs.get("version"))
    known = version if isinstance(version, str) and SEMVER.fullmatch(version) else ""
    return Requested(package, known, str(kept.get("pluginDownloadURL", "")), parameterization(package, inputs, kept))


def precedence(version: str) -> tuple[tuple[int, int, int], bool, tuple[tuple[int, int, str], ...]]:
    """A sort key of semantic versions: a pre-release comes before its release."""
    match = SEMVER.fullmatch(version)
    if match is None:
        return (0, 0, 0), False, ()
    major, minor, patch, pre = match.groups()
    identifiers = tuple((0, int(part), "") if part.isdigit() else (1, 0, part) for part in (pre or "").split(".") if part)
    return (int(major), int(minor), int(patch)), pre is None, identifiers

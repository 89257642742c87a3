"""Packages as programs register them: which plugin a package comes from, and what that plugin is parameterized with."""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
import threading
from collections.abc import Mapping, MutableMapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from mockprovider.engine.registrations.decision import RefusedError
from mockprovider.engine.registrations.goal import Goal, Parameterization
from mockprovider.pulumi.stacks.extensions import Extension
from mockprovider.values import Bag, Value

SEMVER = re.compile(r"(\d+)\.(\d+)\.(\d+)(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?")


class RegisteredPackage(Struct, frozen=True):
    """A package that a program registered, by what it wants of its provider."""

    version: str = ""
    url: str = ""
    parameterization: Parameterization | None = None
    checksums: tuple[tuple[str, bytes], ...] = ()
    extends: str = ""
    """The base package, of an extension."""


class Packages:
    """The packages of one program, by the references that it was given for them. Thread-safe.

    Extensions are noted in ``extensions``, where resources of the state find them, too.
    """

    def __init__(self, extensions: MutableMapping[str, Extension] | None = None) -> None:
        self._extensions = {} if extensions is None else extensions
        self._packages: dict[str, RegisteredPackage] = {}
        self._lock = threading.Lock()

    def register(self, request: Any) -> str:
        """The reference for a ``RegisterPackageRequest``; equal requests have equal ones. Raises ``RefusedError``."""
        _check(request)
        url, checksums = request.download_url.removesuffix("/"), tuple(sorted(request.checksums.items()))
        package, parameterized = RegisteredPackage(request.version, url, None, checksums), None
        if request.HasField("parameterization"):
            requested = request.parameterization
            parameterized = Parameterization(request.name, request.version, requested.name, requested.version, requested.value)
            package = RegisteredPackage("", url, parameterized, checksums)
        reference = hashlib.sha256(request.SerializeToString(deterministic=True)).hexdigest()[:32]
        if _extends(request):
            extension = Extension(request.extension.name, request.extension.version, request.extension.value)
            reference = extension.reference
            self._extensions[reference] = extension
            package = replace(package, extends=parameterized.name if parameterized else request.name)
        with self._lock:
            # As in the real engine, an extension that is registered again is of the base that it was of.
            self._packages.setdefault(reference, package)
        return reference

    def applied(self, reference: str, goal: Goal) -> Goal:
        """``goal`` with what the package of this reference, if there is one, says. Raises ``RefusedError`` for another."""
        if not reference:
            return goal
        with self._lock:
            package = self._packages.get(reference)
        if package is None:
            raise RefusedError(f"{goal.type} {goal.name!r} is of the package {reference!r}, which the program did not register")
        if package.extends and goal.is_provider:
            raise RefusedError(
                f"{goal.type} {goal.name!r} is of an extension of {package.extends!r}, whose provider is its own, too: "
                f"register a provider of {package.extends!r} without the extension's package"
            )
        version, url = package.version, package.url
        if goal.is_provider:
            # A package says all of what its resources want; of an explicit provider, what it does not say stays.
            version, url = version or goal.version, url or goal.plugin_download_url
        return replace(
            goal,
            version=version,
            plugin_download_url=url,
            plugin_checksums=package.checksums,
            parameterization=package.parameterization,
            base=package.extends,
            extension=reference if package.extends else "",
        )


def _extends(request: Any) -> bool:
    # Older SDKs have no such field.
    return "extension" in request.DESCRIPTOR.fields_by_name and request.HasField("extension")


def _check(request: Any) -> None:
    """Raises ``RefusedError`` for a package without a name, or a version that is none."""
    if not request.name:
        raise RefusedError("a package was registered without a name")
    versions = [("package", request.version)] if request.version else []
    if request.HasField("parameterization"):
        versions.append(("parameter", request.parameterization.version))
    if _extends(request):
        versions.append(("extension", request.extension.version))
    for what, version in versions:
        if not SEMVER.fullmatch(version):
            raise RefusedError(f"the {what} version {version!r} of {request.name!r} is none. Write it as '1.2.3'.")


def internal(parameterized: Parameterization) -> dict[str, Value]:
    """What a provider resource's inputs keep of ``made`` for the engine alone; the rest of it is the type and ``version``."""
    versioned = {"version": parameterized.base_version} if parameterized.base_version else {}
    return {"name": parameterized.base, **versioned, "parameterization": base64.b64encode(parameterized.value).decode()}


def parameterization(package: str, inputs: Bag, kept: Mapping[str, Any]) -> Parameterization | None:
    """What the inputs of the provider of ``package`` say of its parameterization; ``kept`` is the engine's part of them.

    Raises ``RefusedError`` where that is not what an engine has written.
    """
    encoded = kept.get("parameterization")
    if encoded is None:
        return None
    try:
        value = base64.b64decode(encoded, validate=True)
    except (binascii.Error, TypeError, ValueError) as error:
        raise RefusedError(f"the parameterization of the provider of {package!r} in the state is no base64: {error}") from error
    base, version = str(kept.get("name", "")) or package, str(kept.get("version", ""))
    return Parameterization(base, version, package, str(inputs.get("version", "")), value)

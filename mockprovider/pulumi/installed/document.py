"""What a reader of an SDK finds, as a package schema whose types are read when they are used."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Protocol
from urllib.parse import unquote

from msgspec import Struct, field

from mockprovider.document import Node
from mockprovider.errors import DefinitionError
from mockprovider.ondemand import OnDemand, Unlisted
from mockprovider.pulumi.package.reader import PackageReader
from mockprovider.pulumi.schema import FIRST_PART
from mockprovider.schema import Package
from mockprovider.urn import PROVIDERS

Spec = dict[str, Any]
"""A part of a package schema."""


class SdkIndex(Struct):
    """Where an SDK has what: tokens, each with its file (relative to the SDK) and the name of its class or function there."""

    name: str
    version: str
    resources: dict[str, tuple[str, str]] = field(default_factory=dict)
    components: dict[str, tuple[str, str]] = field(default_factory=dict)
    functions: dict[str, tuple[str, str]] = field(default_factory=dict)
    methods: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Each with its class and its name in there, as ``Class.method``."""
    provider: tuple[str, str] | None = None


def index_token(index: SdkIndex, token: str, path: str, owner: str, base: str, *, remote: bool) -> None:
    """Note the class ``owner`` in the file ``path``; ``base`` is ``Custom``, ``Component`` or ``Provider``."""
    if base == "Provider":
        index.provider = (path, owner)
    elif base == "Custom":
        index.resources[token] = (path, owner)
    elif base and remote:
        # Other components are programs of the SDK itself.
        index.components[token] = (path, owner)


class SdkReader(Protocol):
    """Reads parts of an SDK as parts of a package schema. Raises ``DefinitionError`` for what it does not understand."""

    def resource(self, place: tuple[str, str]) -> Spec:
        """A resource or component."""

    def function(self, token: str, place: tuple[str, str]) -> Spec:
        """A function or method."""

    def provider(self, place: tuple[str, str]) -> Spec:
        """The provider, whose inputs are the package's configuration."""

    def type(self, token: str) -> Spec:
        """A type that another part refers to."""


def sdk_package(index: SdkIndex, reader: SdkReader, origin: str) -> Package:
    """The package of an SDK. ``origin`` is its folder, for error messages."""
    resources, functions = index.resources | index.components, index.functions | index.methods
    methods = _methods(index)

    def understood(token: str, read: Callable[[], Spec], file: str = "") -> Spec:
        try:
            return read()
        except (SyntaxError, ValueError, TypeError, LookupError, AttributeError, StopIteration) as error:
            where = f"{origin}/{file}" if file else origin
            raise not_understood(where, f"what declares {token} cannot be read: {error}") from error

    def resource(token: str) -> Spec:
        place = resources[token]
        return understood(token, lambda: reader.resource(place), place[0]) | methods.get(token, {})

    def function(token: str) -> Spec:
        return understood(token, lambda: reader.function(token, functions[token]), functions[token][0])

    document: Spec = {
        "name": index.name,
        "version": index.version,
        "resources": OnDemand(resources, resource),
        "functions": OnDemand(functions, function),
        "types": Unlisted((), lambda token: understood(token, lambda: reader.type(token))),
    }
    if any(":index/" in token for token in (*resources, *functions)):
        document["meta"] = {"moduleFormat": FIRST_PART}
    if index.provider:
        own, provider = PROVIDERS + index.name, index.provider
        document["provider"] = understood(own, lambda: reader.provider(provider), provider[0]) | methods.get(own, {})
    package = PackageReader(Node(document, origin), {}).package_on_demand(index.components, index.methods)
    package.published = lambda: whole(document)
    return package


def _methods(index: SdkIndex) -> dict[str, Spec]:
    known: dict[str, Spec] = {}
    for token in index.methods:
        owner, _, name = token.rpartition("/")
        known.setdefault(owner, {"methods": {}})["methods"][name] = token
    return known


def whole(document: Mapping[str, Any]) -> str:
    """The text of an SDK's schema, all of which is read for it."""
    types = document["types"]
    parts = {key: value for key, value in document.items() if key not in ("resources", "functions", "types")}
    for section in ("resources", "functions"):
        parts[section] = dict(document[section])
    waiting = [parts]
    known: dict[str, Any] = {}
    while waiting:
        for token in _referred(waiting.pop()):
            if token not in known:
                known[token] = types[token]
                waiting.append(known[token])
    return json.dumps({**parts, "types": known})


def _referred(part: Any) -> list[str]:
    if isinstance(part, (dict, OnDemand)):
        reference = part.get("$ref")
        own = (
            [unquote(reference.removeprefix("#/types/"))]
            if isinstance(reference, str) and reference.startswith("#/types/")
            else []
        )
        return own + [token for value in part.values() for token in _referred(value)]
    return [token for value in part for token in _referred(value)] if isinstance(part, list) else []


def not_understood(origin: str, what: str) -> DefinitionError:
    """The error for generated code that no version of the generator that is known writes."""
    return DefinitionError(
        f"{origin}: {what}. Only the code of Pulumi's SDK generators is read. Give the package's schema instead: "
        "`mockprovider schema get`, or `pulumi package get-schema`."
    )

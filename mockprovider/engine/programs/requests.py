"""What a program asks of the resource monitor, from the SDK's messages to goals."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from google.protobuf.message import Message
from msgspec.structs import replace

from mockprovider.durations import seconds
from mockprovider.engine.hooks.occasions import KINDS
from mockprovider.engine.providers.packages import SEMVER
from mockprovider.engine.registrations.decision import RefusedError
from mockprovider.engine.registrations.goal import Goal
from mockprovider.errors import MalformedError, UnsupportedError
from mockprovider.paths import parse
from mockprovider.pulumi.assets import with_hashes
from mockprovider.pulumi.stacks.resource_options import BY_WIRE, Alias, Timeouts
from mockprovider.pulumi.values import decode, decode_value
from mockprovider.urn import PROVIDERS, Urn, parse_reference
from mockprovider.values import Archive, Asset, Output, Secret, Value, map_value


@contextmanager
def _refusing() -> Iterator[None]:
    """What a program has misspelt is its own mistake, which fails its run."""
    try:
        yield
    except MalformedError as error:
        raise RefusedError(str(error)) from error


@_refusing()
def registration(request: Any, directory: str = ".") -> Goal:
    """The goal of a ``RegisterResourceRequest``, with assets below ``directory``.

    Raises ``RefusedError``, and ``UnsupportedError`` for what is to come.
    As in the real engine, some mistakes are found only when its provider is there: these are in the goal.
    """
    _check_spelling(request, managed=request.custom or request.remote)
    if getattr(request, "envVarMappings", None) and not request.type.startswith(PROVIDERS):
        raise MalformedError(f"{request.type} {request.name!r}: envVarMappings can only be used with provider resources")
    for name, what in UNSUPPORTED.items():
        value = getattr(request, name, None)
        # A message that is not given may be there all the same, and empty.
        if value.ByteSize() if isinstance(value, Message) else value:
            raise UnsupportedError(
                f"{request.type} {request.name!r} uses {what}, which this version of the embedded engine does not support yet; "
                "the pulumi CLI does."
            )
    if (request.custom and not request.type.startswith(PROVIDERS)) or request.remote:
        _check_providers(request.provider, *request.providers.values())
    inside: dict[str, tuple[str, ...]] = {}
    inputs, options = inward(decode(request.object), directory, inside), options_of(request, directory)
    _complete_dependencies(options, inputs, inside, remote=request.remote)
    if request.type.startswith(PROVIDERS):
        options.pop("plugin_checksums", None)
    return Goal(
        type=request.type,
        name=request.name,
        custom=request.custom,
        remote=request.remote,
        inputs=inputs,
        own_plugin=bool(request.version or request.pluginDownloadURL),
        **options,
    )


@_refusing()
def reading(request: Any, directory: str = ".") -> Goal:
    """The goal of a ``ReadResourceRequest``, with assets below ``directory``. Raises ``RefusedError`` for mistakes."""
    _check_spelling(request, managed=True)
    return Goal(
        type=request.type,
        name=request.name,
        inputs=inward(decode(request.properties), directory),
        reads=True,
        read_id=request.id,
        **options_of(request, directory),
    )


@_refusing()
def invocation(request: Any, directory: str = ".") -> Goal:
    """The goal of a ``ResourceInvokeRequest``: a function's token is its type. Raises ``RefusedError`` for mistakes."""
    # Older SDKs have neither of the two.
    parent, depends_on = getattr(request, "parent", ""), tuple(getattr(request, "dependsOn", ()))
    for urn in (parent, *depends_on) if parent else depends_on:
        Urn.parse(urn)
    return replace(calling(request), inputs=inward(decode(request.args), directory), parent=parent, dependencies=depends_on)


@_refusing()
def calling(request: Any) -> Goal:
    """The goal of a ``ResourceCallRequest``, without its arguments. Raises ``RefusedError`` for mistakes."""
    if request.version and not SEMVER.fullmatch(request.version):
        raise MalformedError(f"{request.version!r} of {request.tok!r} is no version. Write it as '1.2.3'.")
    _check_providers(request.provider)
    return Goal(type=request.tok, name=request.tok, **options_of(request, "."))


def _check_providers(*references: str) -> None:
    """Raise ``MalformedError`` for what names no provider."""
    for reference in references:
        if reference and not parse_reference(reference)[0].type.removeprefix(PROVIDERS):
            raise MalformedError(f"{reference!r} names a provider without a package")
        if reference and not parse_reference(reference)[0].type.startswith(PROVIDERS):
            raise MalformedError(f"{reference!r} is no provider reference: its type does not begin with {PROVIDERS!r}")


def _check_spelling(request: Any, *, managed: bool) -> None:
    """Raise ``MalformedError`` for a type, URN or version that is none. The type of a local component may be anything."""
    if managed and request.type.count(":") < 2:
        raise MalformedError(
            f"{request.type!r} is no type token. Write it as 'package:module:Member', e.g. 'cloud:index:Bucket'."
        )
    by_property = getattr(request, "propertyDependencies", {}).values()
    for urn in (
        request.parent,
        getattr(request, "deletedWith", ""),
        *request.dependencies,
        *(u for d in by_property for u in d.urns),
    ):
        if urn:
            Urn.parse(urn)
    if request.version and not SEMVER.fullmatch(request.version):
        raise MalformedError(f"{request.version!r} of {request.type} {request.name!r} is no version. Write it as '1.2.3'.")


def inward(
    bag: Mapping[str, Value], directory: str = ".", depends: dict[str, tuple[str, ...]] | None = None
) -> dict[str, Value]:
    """A program's bag as the engine keeps it: output values as what they hold, assets and archives with their hashes.

    Relative paths of files are below ``directory``. What output values depend on is added to ``depends``, by property.
    """

    def settled(value: Value) -> Value:
        if isinstance(value, Output):
            if value.dependencies and depends is not None:
                depends[name] = tuple(sorted({*depends.get(name, ()), *value.dependencies}))
            return Secret(value.value) if value.secret else value.value
        return hashed(value, directory) if isinstance(value, (Asset, Archive)) else value

    result = {}
    for name, value in bag.items():
        result[name] = map_value(value, settled)
    return result


def hashed(value: Asset | Archive, directory: str = ".") -> Asset | Archive:
    """An asset or archive with its hash, and those of its members. Relative paths of files are below ``directory``."""
    if isinstance(value, Archive) and value.assets:
        value = replace(value, assets={name: hashed(asset, directory) for name, asset in value.assets.items()})
    whole: Asset | Archive = with_hashes(value, directory)
    return whole


def _complete_dependencies(
    options: dict[str, Any], inputs: Mapping[str, Value], inside: Mapping[str, tuple[str, ...]], *, remote: bool
) -> None:
    """Add to the dependencies of an option table those that are ``inside`` of output values, by property."""
    by_property = options.get("property_dependencies", {})
    if not by_property and not remote:
        # Without dependencies by property, each property depends on all of them, and on all that is in output values.
        everything = {*options.get("dependencies", ()), *(urn for urns in inside.values() for urn in urns)}
        options["dependencies"] = tuple(sorted(everything))
        options["property_dependencies"] = dict.fromkeys(sorted(inputs), options["dependencies"])
        return
    for key in inputs:
        by_property[key] = tuple(sorted({*by_property.get(key, ()), *inside.get(key, ())}))
    options["property_dependencies"] = by_property


def options_of(request: Any, directory: str) -> dict[str, Any]:
    """The options that a request gives, by name; with the first ``mistake`` in one of those where mistakes are found late.

    Goes by what is set, so that fields which an older SDK lacks need no care.
    """
    given: dict[str, Any] = {}
    for descriptor, value in request.ListFields():
        option = BY_WIRE.get(descriptor.name)
        if option is None or option.name in given:
            continue
        try:
            reader = READERS.get(option.name)
            given[option.name] = reader(request, directory) if reader else SHAPES[option.shape](value)
        except MalformedError as error:
            if not option.late:
                raise
            given.setdefault("mistake", str(error))
    return given


def _aliases(request: Any, _: str) -> tuple[Alias, ...]:
    aliases = [_alias(urn) for urn in request.aliasURNs]
    for alias in request.aliases:
        if alias.HasField("spec"):
            spec = alias.spec
            if spec.parentUrn:
                Urn.parse(spec.parentUrn)
            aliases.append(Alias("", spec.name, spec.type, spec.stack, spec.project, spec.parentUrn, spec.noParent))
        else:
            aliases.append(_alias(alias.urn))
    return tuple(aliases)


def _alias(urn: str) -> Alias:
    Urn.parse(urn)
    return Alias(urn=urn)


def _timeouts(request: Any, _: str) -> Timeouts:
    limits = (getattr(request.customTimeouts, key, "") for key in ("create", "update", "delete", "read"))
    return Timeouts(*map(seconds, limits))


def _by_property(request: Any, _: str) -> dict[str, tuple[str, ...]]:
    return {key: tuple(sorted(sources.urns)) for key, sources in sorted(request.propertyDependencies.items())}


def _checksums(request: Any) -> tuple[tuple[str, bytes], ...]:
    return tuple(sorted(request.pluginChecksums.items())) if request.pluginChecksums else ()


def _hooks(request: Any, _: str) -> dict[str, tuple[str, ...]]:
    bound = {kind: tuple(getattr(request.hooks, field, ())) for field, kind in KINDS.items()}
    return {kind: names for kind, names in bound.items() if names}


UNSUPPORTED: Mapping[str, str] = {
    "state_migrations": "a state migration",
}
"""What is refused, by the field of a request; older SDKs lack some."""
SHAPES: Mapping[str, Callable[[Any], Any]] = {"flag": bool, "text": str, "reference": str, "list": tuple, "map": dict}
"""What becomes of an option's value, by its shape."""
READERS: Mapping[str, Callable[[Any, str], Any]] = {
    "dependencies": lambda request, _: tuple(sorted(request.dependencies)),
    "property_dependencies": _by_property,
    "custom_timeouts": _timeouts,
    "replacement_trigger": lambda request, directory: inward({"": decode_value(request.replacement_trigger)}, directory)[""],
    "resource_hooks": _hooks,
    "hide_diffs": lambda request, _: tuple(map(parse, request.hideDiffs)),
    "plugin_checksums": lambda request, _: _checksums(request),
    "environment": lambda request, _: dict(request.envVarMappings),
    "aliases": _aliases,
    # The Go SDK gives the flag alone.
    "delete_before_replace": lambda request, _: request.deleteBeforeReplace,
}
"""What else becomes an option's value, by its name: of the request, and of the folder that assets are below."""

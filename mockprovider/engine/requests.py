"""What a program asks of the resource monitor, from the SDK's messages to goals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from msgspec.structs import replace

from mockprovider.durations import seconds
from mockprovider.engine.decision import RefusedError
from mockprovider.engine.goal import Alias, Goal
from mockprovider.engine.occasions import KINDS
from mockprovider.engine.packages import SEMVER
from mockprovider.errors import MalformedError, UnsupportedError
from mockprovider.paths import Path, parse
from mockprovider.pulumi.assets import with_hashes
from mockprovider.pulumi.state import Timeouts
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
    for what, used in (
        ("a transform", request.transforms),
        ("a state migration", getattr(request, "state_migrations", ())),
    ):
        if used:
            raise UnsupportedError(
                f"{request.type} {request.name!r} uses {what}, which this version of the embedded engine does not support yet; "
                "the pulumi CLI does."
            )
    if (request.custom and not request.type.startswith(PROVIDERS)) or request.remote:
        _check_providers(request.provider, *request.providers.values())
    inputs, dependencies, by_property = _inputs(request, directory)
    aliases, timeouts, hidden, mistake = _found_late(request)
    before = request.deleteBeforeReplace if request.deleteBeforeReplaceDefined or request.deleteBeforeReplace else None
    trigger = request.replacement_trigger if request.HasField("replacement_trigger") else None
    return Goal(
        type=request.type,
        name=request.name,
        custom=request.custom,
        remote=request.remote,
        providers=dict(request.providers),
        inputs=inputs,
        parent=request.parent,
        provider=request.provider,
        version=request.version,
        plugin_download_url=request.pluginDownloadURL,
        plugin_checksums=() if request.type.startswith(PROVIDERS) else _checksums(request),
        own_plugin=bool(request.version or request.pluginDownloadURL),
        environment=dict(getattr(request, "envVarMappings", {})),
        import_id=request.importId,
        protect=request.protect if request.HasField("protect") else None,
        dependencies=dependencies,
        property_dependencies=by_property,
        delete_before_replace=before,
        ignore_changes=tuple(request.ignoreChanges),
        hide_diffs=hidden,
        replace_on_changes=tuple(request.replaceOnChanges),
        replacement_trigger=None if trigger is None else inward({"": decode_value(trigger)}, directory)[""],
        additional_secret_outputs=tuple(request.additionalSecretOutputs),
        aliases=aliases,
        custom_timeouts=timeouts,
        mistake=mistake,
        retain_on_delete=request.retainOnDelete if request.HasField("retainOnDelete") else None,
        deleted_with=request.deletedWith,
        replace_with=tuple(request.replace_with),
        hooks=_hooks(request) if request.HasField("hooks") else {},
    )


@_refusing()
def reading(request: Any, directory: str = ".") -> Goal:
    """The goal of a ``ReadResourceRequest``, with assets below ``directory``. Raises ``RefusedError`` for mistakes."""
    _check_spelling(request, managed=True)
    return Goal(
        type=request.type,
        name=request.name,
        inputs=inward(decode(request.properties), directory),
        parent=request.parent,
        provider=request.provider,
        version=request.version,
        plugin_download_url=request.pluginDownloadURL,
        plugin_checksums=_checksums(request),
        reads=True,
        read_id=request.id,
        dependencies=tuple(sorted(request.dependencies)),
        additional_secret_outputs=tuple(request.additionalSecretOutputs),
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
    return Goal(
        type=request.tok,
        name=request.tok,
        provider=request.provider,
        version=request.version,
        plugin_download_url=request.pluginDownloadURL,
        plugin_checksums=_checksums(request),
    )


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
        if isinstance(value, Archive) and value.assets:
            members = {name: settled(asset) for name, asset in value.assets.items()}
            return with_hashes(replace(value, assets=members), directory)
        return with_hashes(value, directory) if isinstance(value, (Asset, Archive)) else value

    result = {}
    for name, value in bag.items():
        result[name] = map_value(value, settled)
    return result


def _inputs(request: Any, directory: str) -> tuple[dict[str, Value], tuple[str, ...], dict[str, tuple[str, ...]]]:
    bag = decode(request.object)
    dependencies = tuple(sorted(request.dependencies))
    by_property = {key: tuple(sorted(sources.urns)) for key, sources in sorted(request.propertyDependencies.items())}
    inside: dict[str, tuple[str, ...]] = {}
    inputs = inward(bag, directory, inside)
    if not by_property and not request.remote:
        # Without dependencies by property, each property depends on all of them, and on all that is in output values.
        dependencies = tuple(sorted({*dependencies, *(urn for urns in inside.values() for urn in urns)}))
        return inputs, dependencies, dict.fromkeys(sorted(bag), dependencies)
    for key in bag:
        by_property[key] = tuple(sorted({*by_property.get(key, ()), *inside.get(key, ())}))
    return inputs, dependencies, by_property


def _checksums(request: Any) -> tuple[tuple[str, bytes], ...]:
    return tuple(sorted(request.pluginChecksums.items())) if request.pluginChecksums else ()


def _found_late(request: Any) -> tuple[tuple[Alias, ...], Timeouts, tuple[Path, ...], str]:
    try:
        hidden = tuple(map(parse, getattr(request, "hideDiffs", ())))
        return _aliases(request), _timeouts(request.customTimeouts), hidden, ""
    except MalformedError as error:
        return (), Timeouts(), (), str(error)


def _aliases(request: Any) -> tuple[Alias, ...]:
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


def _hooks(request: Any) -> dict[str, tuple[str, ...]]:
    bound = {kind: tuple(getattr(request.hooks, field, ())) for field, kind in KINDS.items()}
    return {kind: names for kind, names in bound.items() if names}


def _timeouts(message: Any) -> Timeouts:
    return Timeouts(*(seconds(getattr(message, key, "")) for key in ("create", "update", "delete", "read")))

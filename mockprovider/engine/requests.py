"""What a program asks of the resource monitor, from the SDK's messages to goals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from msgspec.structs import replace

from mockprovider.durations import seconds
from mockprovider.engine.decision import RefusedError
from mockprovider.engine.defaults import SEMVER
from mockprovider.engine.goal import Alias, Goal
from mockprovider.errors import MalformedError, UnsupportedError
from mockprovider.pulumi.assets import with_hashes
from mockprovider.pulumi.state import Timeouts
from mockprovider.pulumi.values import decode, decode_value
from mockprovider.urn import Urn
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
    for what, used in (
        ("a resource hook", request.HasField("hooks") and request.hooks.ByteSize()),
        ("a state migration", getattr(request, "state_migrations", ())),
    ):
        if used:
            raise UnsupportedError(
                f"{request.type} {request.name!r} uses {what}, which this version of the embedded engine does not support yet; "
                "the pulumi CLI does."
            )
    inputs, dependencies, by_property = _inputs(request, directory)
    aliases, timeouts, mistake = _found_late(request)
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
        import_id=request.importId,
        protect=request.protect if request.HasField("protect") else None,
        dependencies=dependencies,
        property_dependencies=by_property,
        delete_before_replace=before,
        ignore_changes=tuple(request.ignoreChanges),
        replace_on_changes=tuple(request.replaceOnChanges),
        replacement_trigger=None if trigger is None else inward({"": decode_value(trigger)}, directory)[""],
        additional_secret_outputs=tuple(request.additionalSecretOutputs),
        aliases=aliases,
        custom_timeouts=timeouts,
        mistake=mistake,
        retain_on_delete=request.retainOnDelete if request.HasField("retainOnDelete") else None,
        deleted_with=request.deletedWith,
        replace_with=tuple(request.replace_with),
    )


@_refusing()
def reading(request: Any, directory: str = ".") -> Goal:
    """The goal of a ``ReadResourceRequest``, with assets below ``directory``. Raises ``RefusedError`` for mistakes."""
    _check_spelling(request, managed=True)
    if not request.id:
        raise RefusedError(f"expected an id for {request.type} {request.name!r}: nothing can be read without one")
    return Goal(
        type=request.type,
        name=request.name,
        inputs=inward(decode(request.properties), directory),
        parent=request.parent,
        provider=request.provider,
        version=request.version,
        plugin_download_url=request.pluginDownloadURL,
        read_id=request.id,
        dependencies=tuple(sorted(request.dependencies)),
        additional_secret_outputs=tuple(request.additionalSecretOutputs),
    )


def _check_spelling(request: Any, *, managed: bool) -> None:
    """Raise ``MalformedError`` for a type, URN or version that is none. The type of a local component may be anything."""
    if managed and request.type.count(":") < 2:
        raise MalformedError(
            f"{request.type!r} is no type token. Write it as 'package:module:Member', e.g. 'cloud:index:Bucket'."
        )
    for urn in (request.parent, getattr(request, "deletedWith", ""), *request.dependencies):
        if urn:
            Urn.parse(urn)
    if request.version and not SEMVER.fullmatch(request.version):
        raise MalformedError(f"{request.version!r} of {request.type} {request.name!r} is no version. Write it as '1.2.3'.")


def inward(bag: Mapping[str, Value], directory: str = ".") -> dict[str, Value]:
    """A program's bag as the engine keeps it: output values as what they hold, assets and archives with their hashes.

    Relative paths of files are below ``directory``.
    """

    def settled(value: Value) -> Value:
        if isinstance(value, Output):
            return Secret(value.value) if value.secret else value.value
        return hashed(value, directory) if isinstance(value, (Asset, Archive)) else value

    return {name: map_value(value, settled) for name, value in bag.items()}


def hashed(value: Asset | Archive, directory: str = ".") -> Asset | Archive:
    """An asset or archive with its hash, and those of its members. Relative paths of files are below ``directory``."""
    if isinstance(value, Archive) and value.assets:
        value = replace(value, assets={name: hashed(asset, directory) for name, asset in value.assets.items()})
    whole: Asset | Archive = with_hashes(value, directory)
    return whole


def _inputs(request: Any, directory: str) -> tuple[dict[str, Value], tuple[str, ...], dict[str, tuple[str, ...]]]:
    bag = decode(request.object)
    dependencies = tuple(sorted(request.dependencies))
    if request.propertyDependencies:
        by_property = {key: tuple(sorted(sources.urns)) for key, sources in sorted(request.propertyDependencies.items())}
    else:
        # Without dependencies by property, each property depends on all of them.
        by_property = dict.fromkeys(sorted(bag), dependencies)
    return inward(bag, directory), dependencies, by_property


def _found_late(request: Any) -> tuple[tuple[Alias, ...], Timeouts, str]:
    try:
        return _aliases(request), _timeouts(request.customTimeouts), ""
    except MalformedError as error:
        return (), Timeouts(), str(error)


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


def _timeouts(message: Any) -> Timeouts:
    return Timeouts(*(seconds(getattr(message, key, "")) for key in ("create", "update", "delete", "read")))

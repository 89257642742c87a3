"""What a program asks of the resource monitor, from the SDK's messages to goals."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from google.protobuf.message import Message
from msgspec.structs import replace

from mockprovider.durations import seconds
from mockprovider.engine.decision import RefusedError
from mockprovider.engine.defaults import SEMVER
from mockprovider.engine.goal import Goal
from mockprovider.engine.occasions import KINDS
from mockprovider.errors import MalformedError, UnsupportedError
from mockprovider.pulumi.assets import with_hashes
from mockprovider.pulumi.resource_options import BY_WIRE, Alias, Timeouts
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
    for name, what in UNSUPPORTED.items():
        value = getattr(request, name, None)
        # SDKs send a message without hooks where there are none.
        if value.ByteSize() if isinstance(value, Message) else value:
            raise UnsupportedError(
                f"{request.type} {request.name!r} uses {what}, which this version of the embedded engine does not support yet; "
                "the pulumi CLI does."
            )
    inputs, options = inward(decode(request.object), directory), _options(request, directory)
    if not (request.propertyDependencies or request.remote):
        # Without dependencies by property, each property depends on all of them. Who asks for remote components knows better.
        options["property_dependencies"] = dict.fromkeys(sorted(inputs), options.get("dependencies", ()))
    return Goal(
        type=request.type,
        name=request.name,
        custom=request.custom,
        remote=request.remote,
        inputs=inputs,
        **options,
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
        read_id=request.id,
        **_options(request, directory),
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
        if isinstance(value, Archive) and value.assets:
            members = {name: settled(asset) for name, asset in value.assets.items()}
            return with_hashes(replace(value, assets=members), directory)
        return with_hashes(value, directory) if isinstance(value, (Asset, Archive)) else value

    return {name: map_value(value, settled) for name, value in bag.items()}


def _options(request: Any, directory: str) -> dict[str, Any]:
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


def _hooks(request: Any, _: str) -> dict[str, tuple[str, ...]]:
    bound = {kind: tuple(getattr(request.hooks, field, ())) for field, kind in KINDS.items()}
    return {kind: names for kind, names in bound.items() if names}


UNSUPPORTED: Mapping[str, str] = {
    "transforms": "a transform",
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
    "aliases": _aliases,
    # The Go SDK gives the flag alone.
    "delete_before_replace": lambda request, _: request.deleteBeforeReplace,
}
"""What else becomes an option's value, by its name: of the request, and of the folder that assets are below."""

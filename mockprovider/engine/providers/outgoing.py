"""Bags on their way to a provider and back: what it does not accept is taken out, and secretness lost on the way is put
back.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping

from msgspec.structs import replace

from mockprovider.errors import MalformedError
from mockprovider.urn import Urn
from mockprovider.values import (
    LEAVES,
    Archive,
    Asset,
    Bag,
    Output,
    ResourceReference,
    Secret,
    Value,
    children,
    has_secret,
    is_plain,
    is_unknown,
    map_value,
    reveal,
)


def known_only(value: Value) -> Value:
    """``value`` without what is unknown inside of it, at every depth."""
    if isinstance(value, Secret):
        return Secret(known_only(value.value))
    if isinstance(value, Mapping):
        return {name: known_only(item) for name, item in value.items() if not is_unknown(item)}
    if isinstance(value, (list, tuple)):
        return [known_only(item) for item in value if not is_unknown(item)]
    return value


def outgoing(bag: Bag, accepts: frozenset[str], *, elide: bool = False) -> dict[str, Value]:
    """``bag`` as a provider that accepts ``accepts`` is sent it; with ``elide`` assets and archives are reduced to their
    hashes.

    Raises ``MalformedError`` for bytes that are no text where byte strings are not accepted.
    """

    def change(value: Value) -> Value:
        if isinstance(value, Output):
            value = Secret(value.value) if value.secret else value.value
        if isinstance(value, Secret):
            return value if "secrets" in accepts else value.value
        if isinstance(value, ResourceReference):
            return _named(value) if "resources" in accepts else value.flat
        if isinstance(value, bytes):
            return value if "byte_strings" in accepts else _text(value)
        if elide and isinstance(value, (Asset, Archive)):
            return type(value)(hash=value.hash)
        return value

    return {name: map_value(value, change) for name, value in bag.items()}


def unnamed(bag: Bag) -> dict[str, Value]:
    """A provider's ``bag`` with its resource references as an engine keeps them: the URN tells name and type."""

    def change(value: Value) -> Value:
        return replace(value, name=None, type=None) if isinstance(value, ResourceReference) else value

    return {name: map_value(value, change) for name, value in bag.items()}


def named(bag: Bag) -> dict[str, Value]:
    """``bag`` with the names and types of its resource references, as a program is sent it."""

    def change(value: Value) -> Value:
        return _named(value) if isinstance(value, ResourceReference) else value

    return {name: value if is_plain(value) else map_value(value, change) for name, value in bag.items()}


NOTHING: frozenset[str] = frozenset()


def flattened(bag: Bag) -> dict[str, Value]:
    """``bag`` as CheckConfig and DiffConfig are sent it whatever the provider accepts: without secrets and references."""
    return outgoing(bag, NOTHING)


def secret_names(*bags: Bag | None) -> tuple[str, ...]:
    """Where the secrets of these bags are, as recordings name places: paths with dots, without indexes."""
    return tuple(sorted({name for bag in bags for name in _secret_names(bag or {}, "")}))


def marked(bag: Bag, hidden: Collection[str]) -> Bag:
    """``bag`` with every text that is one of the ``hidden`` marked as a secret."""

    def mark(part: Value) -> Value:
        return Secret(part) if isinstance(part, str) and part in hidden else part

    return {name: map_value(value, mark) for name, value in bag.items()} if hidden else bag


def _secret_names(value: Value, at: str) -> Iterator[str]:
    if type(value) in LEAVES:
        return
    if isinstance(value, Secret) or (isinstance(value, Output) and value.secret):
        yield at
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _secret_names(item, f"{at}.{key}" if at else key)
    else:
        for item in children(value):
            yield from _secret_names(item, at)


def restored(answer: Bag, sent: Bag) -> dict[str, Value]:
    """``answer`` with each property secret whose namesake in ``sent`` is or holds a secret; objects are compared key by key."""
    bag = dict(answer)
    for name, was in sent.items():
        if name not in bag:
            continue
        value = bag[name]
        if isinstance(value, Mapping) and isinstance(was, Mapping):
            bag[name] = restored(value, was)
        elif not isinstance(value, Secret) and has_secret(was):
            bag[name] = Secret(value)
    return bag


def with_secrets(outputs: Bag, inputs: Bag, additional: tuple[str, ...]) -> dict[str, Value]:
    """``outputs`` after a step: secret are those named by ``additionalSecretOutputs`` and those whose same-named input
    is secret.
    """
    secret = {*additional} - {"id"} | {name for name, value in inputs.items() if isinstance(value, Secret)}
    if not secret:
        return dict(outputs)
    return {
        name: Secret(value) if name in secret and not isinstance(value, Secret) else value for name, value in outputs.items()
    }


def with_contents(answer: Bag, sent: Bag) -> dict[str, Value]:
    """``answer`` with the contents of the assets that it echoes by hash alone, found in ``sent`` by path.

    Archives are not filled in: the real engine takes one without contents for an empty one with that hash.
    """
    return {name: _filled(value, sent.get(name)) for name, value in answer.items()}


def variables(package: str, inputs: Bag) -> dict[str, str]:
    """Configure's ``variables``: the inputs as strings, compound ones as JSON, under ``<package>:config:<key>``."""
    plain = reveal(dict(inputs))
    return {f"{package}:config:{name}": value if isinstance(value, str) else _json(value) for name, value in plain.items()}


def _json(value: Value) -> str:
    return json.dumps(value, separators=(",", ":"), sort_keys=True, default=str)


def _named(reference: ResourceReference) -> ResourceReference:
    urn = Urn.parse(reference.urn)
    return replace(reference, name=urn.name, type=urn.type)


def _text(value: bytes) -> str:
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        raise MalformedError(
            f"A byte string of {len(value)} bytes is no UTF-8, so it cannot be sent to a provider that accepts no byte strings."
        ) from None


def _filled(value: Value, was: Value) -> Value:
    if isinstance(value, Secret):
        return Secret(_filled(value.value, was))
    if isinstance(was, Secret):
        was = was.value
    if isinstance(value, Archive):
        return Archive(hash=value.hash, assets={}) if value == Archive(hash=value.hash) else value
    if isinstance(value, Asset):
        elided = value == Asset(hash=value.hash)
        return was if elided and isinstance(was, Asset) and was.hash == value.hash else value
    if isinstance(value, Mapping) and isinstance(was, Mapping):
        return with_contents(value, was)
    if isinstance(value, list) and isinstance(was, list):
        return [_filled(item, was[index]) if index < len(was) else item for index, item in enumerate(value)]
    return value

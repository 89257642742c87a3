"""Masks secrets in what a failed test shows and keeps: secrets by their wrapper, and secrets by their declaration.

A provider's objects are plain values; only the resource type knows which of them are secret.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

from msgspec.structs import replace

from mockprovider.calls import Call, Reply, Status
from mockprovider.cassette import Transcriber
from mockprovider.errors import MockProviderError
from mockprovider.journal import Entry
from mockprovider.protocols import ProviderProtocol
from mockprovider.redaction import UNMARKED, Marks, Redactor, Vault, fill
from mockprovider.schema import Kind, Package, Property, declared_type
from mockprovider.urn import PROVIDERS
from mockprovider.values import Bag, Output, Secret, Value, map_value, texts

HIDDEN = "[secret]"
PLAINTEXT = "plaintext"
"""The key under which an exported state has a secret in plain text."""


class RunSecrets:
    """The secrets that the calls of a run declare by wrapper, by type or by a provider's own schema, or that somebody names.

    ``scrub`` takes them out of texts too, such as the reason of a failure.
    """

    def __init__(self, packages: Mapping[str, Package], journal: Iterable[Entry], decided: Redactor | None = None) -> None:
        self._vault = Vault()
        self._packages = packages
        self._decided = decided
        entries = list(journal)
        self._types = {entry.call.type for entry in entries}
        self._plain = self._redactor()
        self._edges: dict[str, tuple[Transcriber, Redactor]] = {}
        for entry in entries:
            reply = entry.reply or Reply()
            if not (entry.call.native or entry.call.stream or reply.native or reply.stream):
                # It travelled over no wire, so that there is no schema of a wire, and no reason to import what reads one.
                self._look_into(entry.call, reply)
                continue
            # What cannot be written down was refused, and a call that is gone has no way back to ask.
            with suppress(MockProviderError):
                self._transcribe(replace(entry.call, monitor=None), reply)

    def _redactor(self, marks: Marks = UNMARKED) -> Redactor:
        redactor = Redactor(vault=self._vault, marks=marks)
        for package in self._packages.values():
            redactor.declare(package.secrets_of(self._types))
        if self._decided is not None:
            redactor.decide(redactor.secret, self._decided.secret.given, self._decided.secret.by_type)
        return redactor

    def _look_into(self, call: Call, reply: Reply) -> None:
        bags = (call.inputs, call.prior, call.prior_inputs, call.planned, reply.value, reply.inputs)
        trees = [{name: map_value(value, self._noted) for name, value in bag.items()} for bag in bags if bag]
        self._plain.learn(trees, self._plain.names(call.type, call.secrets or ()))

    def _noted(self, value: Value) -> Value:
        """A value as plain JSON; what is wrapped as a secret is noted."""
        if isinstance(value, (Secret, Output)):
            inner = value.value
            for text in texts(inner) if isinstance(value, Secret) or value.secret else ():
                self._vault.number(text, "string")
            return inner
        return value if value is None or isinstance(value, (str, int, float, list, dict)) else None

    def _transcribe(self, call: Call, reply: Reply) -> None:
        transcriber, redactor = self.edge(call.session.protocol)
        call = transcriber.named(call)
        names = redactor.names(call.type)
        with suppress(MockProviderError):
            names = redactor.names(call.type, transcriber.secrets(call))
        redactor.learn([transcriber.request(call)], names)
        if reply.status is None:
            answer = transcriber.reply(reply, call)
            redactor.learn([answer] if not isinstance(answer, Status) else [], names)

    def edge(self, protocol: ProviderProtocol) -> tuple[Transcriber, Redactor]:
        """How a protocol's calls are written down, and what hides the secrets in them."""
        if protocol.name not in self._edges:
            from mockprovider.wire.adapter import adapter  # noqa: PLC0415 - grpc is slow to import

            transcriber = adapter(protocol).transcriber()
            self._edges[protocol.name] = transcriber, self._redactor(transcriber.marks)
        return self._edges[protocol.name]

    def bag(self, type_: str, bag: Any) -> Any:
        """The properties of a ``type_``, as plain JSON, without what stands in a place that is secret."""
        if type_ not in self._types:
            # Nobody called it, as where a test has put an object into the cloud.
            self._types.add(type_)
            for package in self._packages.values():
                self._plain.declare(package.secrets_of((type_,)))
        hidden = self._plain.hide(bag, self._plain.names(type_)).tree
        return bag if hidden is bag else fill(hidden, lambda *_: HIDDEN)

    def scrub(self, content: Any) -> Any:
        """Plain JSON, or a text, without the secrets of the run."""
        if isinstance(content, str):
            return self._plain.mask(content, HIDDEN)
        if isinstance(content, Mapping):
            return {name: self.scrub(item) for name, item in content.items()}
        return [self.scrub(item) for item in content] if isinstance(content, list) else content


def mask(packages: Mapping[str, Package], type_: str, bag: Bag) -> dict[str, Value]:
    """The properties of a ``type_`` (a provider's configuration, if empty or a provider's type) by name, without secrets."""
    shown = _declared(_properties(packages, type_), bag)
    return {name: map_value(value, _unwrapped) for name, value in sorted(shown.items())}


def mask_state(exported: Any) -> Any:
    """An exported state without the plain text of its secrets: for the eye, and no longer to be imported."""
    if isinstance(exported, Mapping):
        return {name: HIDDEN if name == PLAINTEXT else mask_state(item) for name, item in exported.items()}
    return [mask_state(item) for item in exported] if isinstance(exported, list) else exported


def _properties(packages: Mapping[str, Package], type_: str) -> Mapping[str, Property]:
    if not type_ or type_.startswith(PROVIDERS):
        name = type_.removeprefix(PROVIDERS)
        return {
            key: item for package in packages.values() if name in ("", package.name) for key, item in package.config.items()
        }
    declared = declared_type(packages, type_)
    return declared.properties if declared else {}


def _declared(properties: Mapping[str, Property], bag: Bag) -> dict[str, Value]:
    return {name: _property(properties[name], value) if name in properties else value for name, value in bag.items()}


def _property(item: Property, value: Value) -> Value:
    return HIDDEN if item.secret and value is not None else _inside(item.kind, value)


def _inside(kind: Kind, value: Value) -> Value:
    if kind.name == "object" and isinstance(value, Mapping):
        return _declared(kind.properties, value)
    if kind.items is not None and isinstance(value, Mapping):
        return {key: _inside(kind.items, item) for key, item in value.items()}
    if kind.items is not None and isinstance(value, (list, tuple)):
        return [_inside(kind.items, item) for item in value]
    return value


def _unwrapped(value: Value) -> Value:
    return HIDDEN if isinstance(value, Secret) or (isinstance(value, Output) and value.secret) else value

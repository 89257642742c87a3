"""Transforms: functions of the program that change what is registered or invoked before the engine looks at it."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from typing import Any

from mockprovider.engine.outcomes import CallbackFailedError
from mockprovider.engine.programs.callbacks import Callbacks
from mockprovider.engine.programs.requests import hashed, options_of
from mockprovider.engine.registrations.decision import RefusedError
from mockprovider.engine.registrations.family import Family
from mockprovider.engine.registrations.goal import Goal
from mockprovider.pulumi.sdk import resource_pb2
from mockprovider.pulumi.stacks.resource_options import IN_CALLBACKS, INHERITED
from mockprovider.pulumi.values import EVERYTHING, decode, encode
from mockprovider.values import Archive, Asset, Output, Secret, Unknown, Value, map_value

TOLD = {field.name for field in resource_pb2.TransformResourceOptions.DESCRIPTOR.fields}
RENAMED = {name: row.wire for name, row in IN_CALLBACKS.items() if name in TOLD and name != row.wire}
"""The fields of ``TransformResourceOptions`` that have another name in a registration."""
APART = frozenset({"aliases", "delete_before_replace"})
"""Those that a registration has in two fields."""


class Transforms:
    """The transforms of one program. Thread-safe.

    A resource's own come first, then its parent's, and so on, and those of the stack last.
    """

    def __init__(self, callbacks: Callbacks, family: Family, directory: str = ".") -> None:
        self._callbacks = callbacks
        self._family = family
        self._directory = directory
        self._lock = threading.Lock()
        self.in_use = False
        """Whether the program has any."""
        self._stack: list[Any] = []
        self._invokes: list[Any] = []
        self._of: dict[str, tuple[Any, ...]] = {}
        self._constructing: dict[tuple[str, str, str], tuple[Any, ...]] = {}
        """Those of a component that its provider is to register, by parent, type and name."""

    def add(self, callback: Any, *, invokes: bool = False) -> None:
        """Note a transform of the whole stack. Raises ``RefusedError`` for one that nobody serves."""
        if not callback.target:
            raise RefusedError("target must be specified")
        with self._lock:
            self.in_use = True
            (self._invokes if invokes else self._stack).append(callback)

    # Registrations ---------------------------------------------------------------------------------------------------

    def registered(self, request: Any) -> tuple[Any, tuple[Any, ...]]:
        """What a ``RegisterResourceRequest`` is transformed to, and the resource's own transforms.

        The same request comes back where none applies. Raises ``RefusedError`` where one fails.
        """
        own, callbacks = self._gathered(request)
        if not callbacks:
            return request, own
        options = self._options(request)
        bag = map_value(decode(request.object), self._upgraded)
        if request.transforms:
            bag = _depending(bag, request)
        for callback in callbacks:
            bag, options = self._transformed(callback, request, bag, options)
        return _written(request, bag, options), own

    def note(self, urn: str, own: tuple[Any, ...]) -> None:
        """Remember what the children of a registered resource inherit."""
        with self._lock:
            self._of[urn] = own

    def _gathered(self, request: Any) -> tuple[tuple[Any, ...], list[Any]]:
        key = (request.parent, request.type, request.name)
        with self._lock:
            own = self._constructing.pop(key, None)
            if own is None:
                own = tuple(request.transforms)
                if own:
                    self.in_use = True
                    if request.remote:
                        self._constructing[key] = own
            return own, [*own, *self._inherited(request.parent), *self._stack]

    def _inherited(self, parent: str) -> Iterator[Any]:
        while parent:
            yield from self._of.get(parent, ())
            parent = self._family.parent(parent)

    def _options(self, request: Any) -> Any:
        """What transforms are told of a registration's options; what it inherits is among them."""
        options = resource_pb2.TransformResourceOptions()
        _copy(request, options, dict(_names(request)))
        for urn in request.aliasURNs:
            options.aliases.add(urn=urn)
        options.aliases.extend(request.aliases)
        if request.deleteBeforeReplaceDefined or request.deleteBeforeReplace:
            options.delete_before_replace = request.deleteBeforeReplace
        given = {"type": request.type, "name": request.name, "custom": request.custom, "remote": request.remote}
        heir = self._family.heir(Goal(**given, **options_of(request, self._directory)))
        options.provider = heir.provider or request.provider
        for row in INHERITED:
            value = getattr(heir, row.name)
            if value is not None:
                setattr(options, row.name, value)
        return options

    def _upgraded(self, value: Value) -> Value:
        """The one form in which transforms get what is unknown or secret; assets have their hashes."""
        match value:
            case Output(value=Output() as inner) | Secret(value=Output() as inner):
                outer = value if isinstance(value, Output) else Output(secret=True)
                urns = tuple(sorted({*outer.dependencies, *inner.dependencies}))
                return Output(inner.value, outer.secret or inner.secret, urns)
            case Secret():
                return Output(value.value, secret=True)
            case Unknown():
                return Output(value)
            case Asset() | Archive():
                return hashed(value, self._directory)
        return value

    def _transformed(self, callback: Any, request: Any, bag: Mapping[str, Value], options: Any) -> tuple[Any, Any]:
        asked = resource_pb2.TransformRequest(
            type=request.type,
            name=request.name,
            custom=request.custom,
            parent=request.parent,
            properties=encode(bag, _accepted(callback)),
            options=options,
        )
        answer = self._answer(callback, asked, resource_pb2.TransformResponse())
        return (
            decode(answer.properties) if answer.HasField("properties") else bag,
            answer.options if answer.HasField("options") else options,
        )

    def _answer(self, callback: Any, asked: Any, answer: Any) -> Any:
        try:
            return self._callbacks.call(callback, asked, answer)
        except CallbackFailedError as error:
            raise RefusedError(f"invoke transform: {error}") from error

    # Functions -------------------------------------------------------------------------------------------------------

    def invoked(self, request: Any) -> Any:
        """What a ``ResourceInvokeRequest`` is transformed to. Raises ``RefusedError`` where a transform fails."""
        with self._lock:
            callbacks = list(self._invokes)
        if not callbacks:
            return request
        options = resource_pb2.TransformInvokeOptions()
        _copy(request, options, dict(_names(request, options)))
        bag: Mapping[str, Value] = decode(request.args)
        for callback in callbacks:
            asked = resource_pb2.TransformInvokeRequest(
                token=request.tok, args=encode(bag, _accepted(callback)), options=options
            )
            answer = self._answer(callback, asked, resource_pb2.TransformInvokeResponse())
            bag = decode(answer.args) if answer.HasField("args") else bag
            options = answer.options if answer.HasField("options") else options
        changed = type(request)()
        changed.CopyFrom(request)
        changed.args.CopyFrom(encode(bag))
        _copy(options, changed, {ours: theirs for theirs, ours in _names(request, options)})
        return changed


def _accepted(callback: Any) -> frozenset[str]:
    return EVERYTHING if getattr(callback, "accepts_byte_string", False) else EVERYTHING - {"byte_strings"}


def _names(request: Any, options: Any = None) -> Iterator[tuple[str, str]]:
    """The names of each option that both messages have: in the options, and in the request."""
    cls = type(options) if options is not None else resource_pb2.TransformResourceOptions
    for field in cls.DESCRIPTOR.fields:
        name = RENAMED.get(field.name, field.name)
        if field.name not in APART and name in request.DESCRIPTOR.fields_by_name:
            yield name, field.name


def _copy(source: Any, target: Any, names: Mapping[str, str]) -> None:
    """Set the fields of ``target`` to those of ``source``, by ``names`` from one to the other; absent ones are cleared."""
    present = {field.name: value for field, value in source.ListFields()}
    for theirs, ours in names.items():
        target.ClearField(ours)
        if theirs not in present:
            continue
        value = present[theirs]
        field = target.DESCRIPTOR.fields_by_name[ours]
        if field.message_type is not None and field.message_type.GetOptions().map_entry:
            getattr(target, ours).update(value)
        elif field.is_repeated:
            getattr(target, ours).extend(value)
        elif field.message_type is not None:
            getattr(target, ours).CopyFrom(value)
        else:
            setattr(target, ours, value)


def _depending(bag: Mapping[str, Value], request: Any) -> dict[str, Value]:
    """``bag`` with each property's dependencies in its output value."""
    if request.propertyDependencies or request.remote:
        sources = {key: tuple(sorted(dependency.urns)) for key, dependency in request.propertyDependencies.items()}
    else:
        sources = dict.fromkeys(bag, tuple(sorted(request.dependencies)))
    return {key: _with_dependencies(value, sources.get(key, ())) for key, value in bag.items()}


def _with_dependencies(value: Value, urns: tuple[str, ...]) -> Value:
    if set(urns) <= _dependencies(value):
        return value
    output = value if isinstance(value, Output) else Output(value)
    return Output(output.value, output.secret, tuple(sorted({*output.dependencies, *urns})))


def _dependencies(value: Value) -> set[str]:
    """The URNs that a value depends on, by the output values in it."""
    urns: set[str] = set()

    def note(part: Value) -> Value:
        if isinstance(part, Output):
            urns.update(part.dependencies)
        return part

    map_value(value, note)
    return urns


def _written(request: Any, bag: Mapping[str, Value], options: Any) -> Any:
    """The registration that transforms have left."""
    changed = type(request)()
    changed.CopyFrom(request)
    own = {theirs: ours for ours, theirs in _names(request)}
    # As in the real engine, dependencies are what the transforms say only if the resource has transforms of its own.
    if not request.transforms:
        own.pop("depends_on")
    _copy(options, changed, own)
    del changed.aliasURNs[:]
    del changed.aliases[:]
    changed.aliases.extend(options.aliases)
    changed.deleteBeforeReplaceDefined = options.HasField("delete_before_replace")
    changed.deleteBeforeReplace = options.delete_before_replace
    if request.packageRef:
        changed.version = changed.pluginDownloadURL = ""
    sources = {key: _dependencies(value) for key, value in bag.items()}
    _depend(request, changed, sources)
    changed.object.CopyFrom(encode(bag))
    return changed


def _depend(request: Any, changed: Any, sources: Mapping[str, set[str]]) -> None:
    """Write the dependencies of each property, and with transforms of its own those of the whole resource."""
    before = {key: set(dependency.urns) for key, dependency in request.propertyDependencies.items()}
    if not (before or request.remote):
        before = {key: set(request.dependencies) for key in decode(request.object)}
    changed.propertyDependencies.clear()
    for key in sorted(sources.keys() | (() if request.transforms else before.keys())):
        urns = sources.get(key, set()) | (set() if request.transforms else before.get(key, set()))
        changed.propertyDependencies[key].urns.extend(sorted(urns))
    if request.transforms:
        urns = set(changed.dependencies).union(*sources.values())
        del changed.dependencies[:]
        changed.dependencies.extend(sorted(urns))

"""What a double has made against what engines remember: finds both sides, and has them compared."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from msgspec.structs import replace

from mockprovider.audit import Audit, EngineMemory, Evidence, ExistingObject, RememberedObject, Trail, compare
from mockprovider.calls import Call, Op, Session
from mockprovider.cloud import Cloud, CloudObject
from mockprovider.double.declared import DeclaredPackages
from mockprovider.errors import DefinitionError, MalformedError, extra_hint
from mockprovider.fake.catalogue import Catalogue
from mockprovider.faults import naming
from mockprovider.files import read_text
from mockprovider.journal import Journal, Side
from mockprovider.protocols import families
from mockprovider.redaction import Redactor
from mockprovider.schema import Package


class Auditable(Protocol):
    """What has made objects: a ``Double``."""

    name: str
    is_fake: bool
    packages: DeclaredPackages
    schemas: Mapping[str, Package]
    cloud: Cloud
    journal: Journal
    redactor: Redactor | None


class Exportable(Protocol):
    """An engine, or the result of one of its runs."""

    def export(self) -> Mapping[str, Any]:
        """What the engine remembers, as its own files have it."""


Remembering: TypeAlias = Exportable | Mapping[str, Any] | Path
"""Where an engine's state comes from: an engine or its result, an exported state or its file, or properties by id."""

FORMS = (
    "Give an engine or what one of its operations returned, an exported state or its file, or a mapping from ids to "
    'properties: {"b-1": {"acl": "private"}}.'
)


def audit(double: Auditable, *sources: Remembering) -> Audit:
    """What exists behind ``double`` against what ``sources`` remember together. Raises as ``Double.audit`` does."""
    if not sources:
        raise DefinitionError(f"An audit compares what exists with something. {FORMS}")
    trail = _trail(double)
    serves = _serving(double, trail)
    # A state that is given twice is remembered once.
    memories = [_memory(double, source, serves) for place, source in enumerate(sources) if source not in sources[:place]]
    if double.is_fake:
        evidence = _in_the_cloud(double, trail, serves, [known for memory in memories for known in memory.objects])
    else:
        evidence = replace(trail, forgotten=double.journal.forgotten)
    return compare(evidence, memories, lambda type_: _properties(double.packages, type_), _Scrubbing(double))


class _Scrubbing:
    """Takes the secrets of the run out of values; they are looked for when the first value is to be shown."""

    def __init__(self, double: Auditable) -> None:
        self._double = double
        self._secrets: Any = None

    def __call__(self, content: Any) -> Any:
        if self._secrets is None:
            from mockprovider.double.masking import RunSecrets  # noqa: PLC0415 - only where something is shown

            self._secrets = RunSecrets(self._double.schemas, self._double.journal, self._double.redactor)
        return self._secrets.scrub(content)


# What exists -----------------------------------------------------------------------------------------------------------


def _trail(double: Auditable) -> Evidence:
    trail = Trail()
    for entry in double.journal:
        if entry.side is Side.PROVIDER:
            trail.follow(entry.call, entry.reply)
    return trail.evidence


def _in_the_cloud(double: Auditable, trail: Evidence, serves: Callable[[str], bool], known: list[RememberedObject]) -> Evidence:
    """The objects of a fake's cloud. The calls say which resource each was made for."""
    origins = {(origin.type, origin.id): origin for origin in trail.objects}
    taken_over = dict(_taken_over(double, known))
    objects = []
    for stored in double.cloud.objects():
        if serves(_package(stored.type)):
            origin = origins.get((stored.type, stored.id)) or ExistingObject(stored.type, stored.id, {})
            shown = taken_over.get((stored.type, stored.id), stored)
            objects.append(replace(origin, type=shown.type, properties=dict(shown), is_ours=True))
    return Evidence(objects)


def _taken_over(double: Auditable, known: list[RememberedObject]) -> Iterator[tuple[tuple[str, str], CloudObject]]:
    """The objects that a configuration has moved to another type, by the type and id that they have in the cloud."""
    catalogue, session = Catalogue(double.packages, strict=False), Session()
    for remembered in known:
        call = Call(op=Op.READ, session=session, type=remembered.type, id=remembered.id)
        home = catalogue.home(call, double.cloud)
        resident = catalogue.resident(call, double.cloud) if home != remembered.type else None
        if resident is not None:
            yield (home, remembered.id), resident


def _serving(double: Auditable, trail: Evidence) -> Callable[[str], bool]:
    """Whether a package is served here: it is declared, or named, or somebody asked for a type of it."""
    if double.is_fake and not double.packages:
        return lambda _: True
    asked = (entry.call.type for entry in double.journal)
    there = (existing.type for existing in (*trail.objects, *(double.cloud.objects() if double.is_fake else ())))
    served = {double.name, *double.packages, *map(_package, chain(asked, there))}
    return served.__contains__


def _package(type_: str) -> str:
    return type_.partition(":")[0]


def _properties(packages: Mapping[str, Package], type_: str) -> Mapping[str, Any]:
    package = packages.get(_package(type_))
    declared = package.resources.get(type_) if package else None
    return declared.properties if declared else {}


# What is remembered ----------------------------------------------------------------------------------------------------


def _memory(double: Auditable, source: Any, serves: Callable[[str], bool]) -> EngineMemory:
    document = _document(source)
    missing = ""
    for edge in _adapters():
        if isinstance(edge, ModuleNotFoundError):
            missing = missing or extra_hint(edge)
            continue
        memory: EngineMemory | None = edge.remembered(document, double.packages, serves)
        if memory is not None:
            return memory
    objects = [_by_id(key, properties, missing) for key, properties in document.items()]
    declared = {token: token for package in double.packages.values() for token in package.resources}
    for remembered in objects:
        if ":" in remembered.type:
            naming.check(remembered.type, declared)
    return EngineMemory(objects)


def _document(source: Any) -> Mapping[str, Any]:
    if hasattr(source, "export"):
        source = source.export()
    if isinstance(source, Path):
        text = read_text(source, "exported state", "Give the file that an engine wrote its state to.")
        try:
            source = json.loads(text)
        except ValueError as error:
            raise MalformedError(f"{source} is no exported state: it is no JSON ({error}).") from error
    if not isinstance(source, Mapping):
        raise DefinitionError(f"{source!r:.60} remembers nothing that can be audited. {FORMS}")
    return source


def _by_id(key: Any, properties: Any, missing: str) -> RememberedObject:
    type_, id_ = key if isinstance(key, tuple) and len(key) == 2 else ("", key)
    if not isinstance(id_, str) or not isinstance(properties, Mapping) or not all(isinstance(name, str) for name in properties):
        raise DefinitionError(
            " ".join(filter(None, (f"{key!r:.60}: {properties!r:.60} is no object of a state. {FORMS}", missing)))
        )
    return RememberedObject(type_, id_, properties, is_whole=False)


def _adapters() -> Iterator[Any]:
    """One adapter a family, or why there is none."""
    from mockprovider.wire.adapter import adapter  # noqa: PLC0415 - grpc is slow to import

    for versions in families().values():
        try:
            yield adapter(versions[0])
        except ModuleNotFoundError as error:
            yield error

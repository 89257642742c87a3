"""Cassettes on disk."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from importlib.metadata import PackageNotFoundError, version
from types import MappingProxyType
from typing import Any

from mockprovider.cassette import FORMAT, VERSION, Cassette, CassetteLayer, Header, Library, Mode, Reader, Recorder, Transcriber
from mockprovider.cassette.merging import Earlier
from mockprovider.clock import Clock
from mockprovider.redaction import Redactor
from mockprovider.tape.blobs import FOLDER, LARGE
from mockprovider.tape.drafts import FAILED, NEW, TORN, Draft, beside, draft_of, is_there
from mockprovider.tape.files import Tape, load, recover, sizes
from mockprovider.tape.sent import unanswered


def record(
    path: str | os.PathLike[str] | Draft,
    transcriber: Transcriber | Mapping[str, Transcriber],
    *,
    protocol: str,
    provider: str = "",
    providers: Mapping[str, str] = MappingProxyType({}),
    provider_version: str = "",
    created_by: str = "",
    faults: Any = None,
    redactor: Redactor | None = None,
    clock: Clock | None = None,
    finishing: Callable[[Cassette], Cassette] = lambda cassette: cassette,
    keep: bool = False,
    earlier: Earlier | None = None,
    matching: Mapping[str, Any] = MappingProxyType({}),
) -> Recorder:
    """A recorder, as a layer, that writes a file; ``close`` it (or leave its ``with`` block) at the end.

    Args:
        path: the cassette; one that is there is replaced when the recorder is closed, and not before. A ``Draft`` is only
            finished then, and whoever made it says what becomes of it.
        transcriber: the protocol's trees; of several providers, that of each by its name.
        protocol: its name, as sessions have it; of several providers, the first one's.
        provider: the provider's name, for the reader.
        providers: of several providers, the protocol of each by its name. In front of each goes
            ``CassetteLayer(Mode.ALL, None, recorder, name)``.
        provider_version: its version, for the reader.
        created_by: the command that records it again; without secrets and without paths of one machine.
        faults: the fault plan in force, as JSON-able data.
        redactor: what is secret.
        clock: dates the header, at last when the recording ends; without a clock two recordings of one run are equal.
        finishing: changes the cassette at the end, for example to make it smaller.
        keep: a ``Draft``, too, takes the cassette's place when the recorder is closed.
        earlier: the cassette that is added to.
        matching: what is decided about which calls match, as the header keeps it.

    A run that ends in an error replaces nothing: what it recorded is then beside the cassette, in ``NAME.json.failed``.

    Raises ``CassetteBusyError`` if it is being recorded already, ``CassetteError`` if it cannot be written.
    """
    header = Header(
        format=FORMAT,
        version=VERSION,
        protocol=protocol,
        recorder=f"mockprovider {_version()}",
        created_by=created_by,
        recorded_at=clock.now() if clock else None,
        provider=provider,
        providers=dict(providers),
        provider_version=provider_version,
        faults=faults,
        matching=dict(matching),
    )
    tape = Tape(path, header, keep=keep) if isinstance(path, Draft) else Tape(Draft(path), header)

    def finished(cassette: Cassette) -> Cassette:
        cassette.header.recorded_at = _date(earlier, clock)
        return finishing(cassette)

    return Recorder(transcriber, header, tape, redactor, finished, earlier=earlier)


def replay(path: str | os.PathLike[str], transcriber: Transcriber, *, redactor: Redactor | None = None) -> CassetteLayer:
    """A handler that answers from a file alone.

    Raises ``CassetteMissingError``, ``CassetteBrokenError``, ``CassetteVersionError``, ``UnsupportedError``, and
    ``CassetteError`` for a file of several providers.
    """
    return CassetteLayer(Mode.NONE, Library(load(path, lean=True), {"": Reader(transcriber)}, redactor), None)


def _date(earlier: Earlier | None, clock: Clock | None) -> float | None:
    """When the oldest part of a recording that ends now was made."""
    if earlier is not None:
        return earlier.cassette.header.recorded_at
    return clock.now() if clock else None


def _version() -> str:
    try:
        return version("mockprovider")
    except PackageNotFoundError:
        return "(not installed)"


__all__ = [
    "FAILED",
    "FOLDER",
    "LARGE",
    "NEW",
    "TORN",
    "Draft",
    "Tape",
    "beside",
    "draft_of",
    "is_there",
    "load",
    "record",
    "recover",
    "replay",
    "sizes",
    "unanswered",
]

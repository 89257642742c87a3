"""Reports on recordings that are on disk."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from mockprovider import tape
from mockprovider.cassette.report import CassetteReport, report
from mockprovider.double.cassettes import opened
from mockprovider.redaction import Redactor


def reported(path: Path, *, notices: Sequence[str] = (), broken_off: bool = False) -> CassetteReport:
    """The report on a cassette; of a recording that has not ended, or ``broken_off``, on what it has until now.

    ``notices`` are what only its recorder knew. Raises as ``tape.load`` does.
    """
    cassette = tape.load(path, recover=broken_off)
    file_bytes, blob_bytes = tape.sizes(path, cassette)
    library = opened(cassette, Redactor(), whole_schema=True)
    contents = report(library.shelf, notices=notices, file_bytes=file_bytes, blob_bytes=blob_bytes)
    return replace(contents, name=_from_here(path))


def _from_here(path: Path) -> str:
    """The path as it is typed here, where it leads to somewhere below."""
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)

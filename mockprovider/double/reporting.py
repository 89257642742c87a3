"""Reports on recordings that are on disk."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from msgspec.structs import replace

from mockprovider import tape
from mockprovider.calls import Session
from mockprovider.cassette import Cassette
from mockprovider.cassette.report import CassetteReport, prove, report
from mockprovider.double.opening import opened
from mockprovider.errors import CassetteBrokenError, CassetteError
from mockprovider.protocols import by_name
from mockprovider.redaction import Redactor

NEVER_ENDED = "This recording never ended: these are the calls that it has until then."
MOST_SHOWN = 5
"""So many things that a replay gets wrong are said."""


def reported(path: Path, *, notices: Sequence[str] = (), broken_off: bool = False) -> CassetteReport:
    """The report on a cassette; of a recording that has not ended, or ``broken_off``, on what it has until now.

    ``notices`` are what only its recorder knew. Raises as ``tape.load`` does.
    """
    cassette = tape.load(path, recover=broken_off)
    file_bytes, blob_bytes = tape.sizes(path, cassette)
    library = opened(cassette, Redactor(), whole_schema=True)
    contents = report(library.shelf, notices=notices, file_bytes=file_bytes, blob_bytes=blob_bytes)
    return replace(contents, name=from_here(path))


def readable(path: Path) -> tuple[Cassette, str]:
    """A cassette, or what a recording that broke off has, with what to say of that. Raises as ``tape.load`` does."""
    try:
        return tape.load(path), ""
    except CassetteBrokenError:
        with suppress(CassetteBrokenError):
            cassette = tape.load(path, recover=True)
            if cassette.interactions:
                return cassette, NEVER_ENDED
        raise


def proved(path: Path) -> int:
    """Replay at once what a cassette holds, call by call. Returns how many calls that were.

    Raises ``CassetteError`` that says what is refused or gets another answer, and as ``tape.load`` does.
    """
    library = opened(tape.load(path), Redactor(), whole_schema=True)
    spoken = {name: by_name(protocol) for name, protocol in library.cassette.header.spoken.items()}
    failed = prove(library, lambda session: Session(spoken[session.provider], session.number))
    if failed:
        # Equal objects are refused in equal words.
        messages = list(dict.fromkeys(one.message for one in failed))
        more = [f"And {len(messages) - MOST_SHOWN} more like these."] if len(messages) > MOST_SHOWN else []
        start = f"A replay of {from_here(path)} fails, for {len(failed)} of its {len(library.shelf.calls)} calls:"
        raise CassetteError("\n".join([start, *messages[:MOST_SHOWN], *more]))
    return len(library.shelf.calls)


def from_here(path: Path) -> str:
    """The path as it is typed here, where it leads to somewhere below."""
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)

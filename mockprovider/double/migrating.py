"""Cassettes of older versions, written as those of today."""

from __future__ import annotations

import os
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from mockprovider.cassette import VERSION, Cassette
from mockprovider.cassette.order import canonical, rearranged
from mockprovider.double.opening import opened
from mockprovider.protocols import by_name
from mockprovider.redaction import Redactor
from mockprovider.tape import format as tape_format
from mockprovider.tape.blobs import Blobs
from mockprovider.tape.files import read
from mockprovider.tape.rewriting import locked, rendered, rewrite

ORDER = "put in canonical order"
SPELLING = "values are written as they are today"
FORM = "written in the form that recorders write"


class MigratedFile(Struct, frozen=True):
    """What became of a file: the format ``version`` that it had, and what had to change for it to be one of today."""

    path: Path
    version: int
    changes: tuple[str, ...] = ()


def migrate(path: str | os.PathLike[str], *, dry_run: bool = False) -> MigratedFile:
    """Write the cassette ``path`` as this version would: its format, its order, its values. One of today stays, byte for byte.

    It replays as before, because older files are read in the same way. With ``dry_run`` nothing is written. Raises as
    ``tape.load`` does, ``CassetteVersionError`` for a newer format, and ``CassetteBusyError`` while it is being recorded.
    """
    path = Path(path)
    with locked(path) as file:
        parsed = tape_format.parse(read(path), str(path))
        before = canonical(Cassette(parsed.header, parsed.interactions, Blobs(file, str(path)), str(path)))
        opened(before, Redactor(), whole_schema=True)
        respelled = _respelled(before)
        after, _ = rearranged(respelled, rank=False)
        if rendered(after) == file.read_bytes():
            return MigratedFile(path, parsed.version)
        changes = {
            f"format version {parsed.version} is now {VERSION}": parsed.version != VERSION,
            SPELLING: respelled != before,
            ORDER: after != respelled or before.interactions != parsed.interactions,
        }
        if not dry_run:
            rewrite(file, after)
    return MigratedFile(path, parsed.version, tuple(change for change, is_one in changes.items() if is_one) or (FORM,))


def _respelled(cassette: Cassette) -> Cassette:
    from mockprovider.wire.adapter import adapter  # noqa: PLC0415 - grpc is slow to import

    parts = [adapter(by_name(protocol)).respelled(cassette.part(name)) for name, protocol in cassette.header.spoken.items()]
    by_number = {one.n: one for part in parts for one in part.interactions}
    return replace(cassette, interactions=[by_number[one.n] for one in cassette.interactions])

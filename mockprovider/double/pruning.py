"""Folders of cassettes without what nothing needs."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path

from msgspec import Struct, field

from mockprovider import tape
from mockprovider.cassette import FORMAT, Cassette
from mockprovider.double.opening import opened
from mockprovider.errors import CassetteMissingError, MockProviderError
from mockprovider.protocols import by_name
from mockprovider.redaction import Redactor
from mockprovider.tape.blobs import FOLDER, SUFFIX
from mockprovider.tape.files import load_held
from mockprovider.tape.leftovers import BEGINNING, Leftover, leftovers, remove
from mockprovider.tape.rewriting import locked, rendered, rewrite
from mockprovider.tape.unused import UnusedBlobs, remove_blobs, unused_blobs


class PrunedItem(Struct, frozen=True):
    """Something that is gone, or that stays: what it is, and why; ``freed`` is how many bytes that makes."""

    path: Path
    what: str
    freed: int = 0


class Pruned(Struct):
    """What was removed or made smaller, what stays although it may look useless, and what could not be looked into."""

    removed: list[PrunedItem] = field(default_factory=list)
    smaller: list[PrunedItem] = field(default_factory=list)
    kept: list[PrunedItem] = field(default_factory=list)
    trouble: list[str] = field(default_factory=list)

    @property
    def freed(self) -> int:
        """So many bytes less are on disk."""
        return sum(item.freed for item in (*self.removed, *self.smaller))


def prune(
    paths: Iterable[str | os.PathLike[str]], *, compact: bool = True, force: bool = False, dry_run: bool = False
) -> Pruned:
    """Remove what no cassette needs: of single cassettes, or of whole folders and those below them.

    That is: what recordings have left that failed or broke off, locks that nobody holds, and blobs that no file of their folder
    names. What may be the only trace of what exists in a cloud, or the only recording, stays unless ``force``. With
    ``compact``, cassettes lose what ``recording(..., compact=True)`` leaves out. What is being recorded is left alone. With
    ``dry_run`` nothing is changed. Raises ``CassetteMissingError`` for a path that is not there.
    """
    return _Pruning(compact=compact, force=force, dry_run=dry_run).done([Path(path) for path in paths])


class _Pruning:
    def __init__(self, *, compact: bool, force: bool, dry_run: bool) -> None:
        self._compact, self._force, self._dry_run = compact, force, dry_run
        self._pruned = Pruned()
        self._later: dict[Path, bytes] = {}
        """What files would have, where nothing is changed; nothing, where they would be gone."""

    def done(self, paths: list[Path]) -> Pruned:
        cassettes, folders = _places(paths)
        for cassette in cassettes if self._compact else ():
            self._guarded(cassette, self._make_smaller)
        for folder, only in folders.items():
            self._guarded(folder, partial(self._tidy, only=only))
        return self._pruned

    def _guarded(self, path: Path, step: Callable[[Path], None]) -> None:
        """Do a step with a path; what cannot be done with one keeps nothing from the others."""
        try:
            step(path)
        except (MockProviderError, OSError) as error:
            text = str(error).rstrip()
            self._pruned.trouble.append(text if str(path) in text else f"{path}: {text}")

    def _make_smaller(self, path: Path) -> None:
        with locked(path) as file:
            cassette = load_held(path)
            opened(cassette, Redactor(), whole_schema=True)
            small = _compacted(cassette)
            before, data = file.stat().st_size, rendered(small)
            if data == file.read_bytes():
                return
            what = f"{len(cassette.interactions)} calls, now {len(small.interactions)}"
            if self._dry_run:
                self._later[file] = data
            else:
                rewrite(file, small)
        if len(small.interactions) == len(cassette.interactions):
            what = "schemas of the types in use alone"
        self._pruned.smaller.append(PrunedItem(path, what, before - len(data)))

    def _tidy(self, folder: Path, *, only: set[str] | None) -> None:
        for leftover in leftovers(folder, force=self._force):
            if only is None or leftover.cassette.name in only:
                self._take(leftover)
        unused = unused_blobs(folder)
        names = self._unused_later(folder, unused) if self._dry_run else unused.unused
        if unused.busy and names:
            self._pruned.kept.append(PrunedItem(folder / FOLDER, f"{len(names)} unused blobs: {unused.busy}"))
            return
        sizes = {name: (folder / FOLDER / f"{name}{SUFFIX}").stat().st_size for name in names}
        for name in names if self._dry_run else remove_blobs(folder, names):
            self._pruned.removed.append(PrunedItem(folder / FOLDER / f"{name}{SUFFIX}", "a blob of no cassette", sizes[name]))

    def _unused_later(self, folder: Path, blobs: UnusedBlobs) -> list[str]:
        """The blobs that nothing would name once the rest is done."""
        later = {file.name: data for file, data in self._later.items() if file.parent.resolve() == folder.resolve()}

        def uses(user: str, name: str) -> bool:
            return user not in later or name.encode() in later[user]

        more = [name for name, users in blobs.used.items() if not any(uses(user, name) for user in users)]
        return sorted([*blobs.unused, *more])

    def _take(self, leftover: Leftover) -> None:
        freed = leftover.size
        keep = leftover.keep
        if not keep and self._dry_run:
            self._later[leftover.path] = b""
        elif not keep:
            keep = remove(leftover)
        if keep:
            self._pruned.kept.append(PrunedItem(leftover.path, keep))
        else:
            self._pruned.removed.append(PrunedItem(leftover.path, leftover.what, freed))


def _compacted(cassette: Cassette) -> Cassette:
    from mockprovider.wire.adapter import adapter  # noqa: PLC0415 - grpc is slow to import

    return adapter(by_name(cassette.header.protocol)).compacted(cassette)


def _places(paths: Iterable[Path]) -> tuple[list[Path], dict[Path, set[str] | None]]:
    """The cassettes to look into, and the folders, each with the names of the cassettes that count there, or all."""
    cassettes: dict[Path, None] = {}
    folders: dict[Path, set[str] | None] = {}
    for path in paths:
        if path.is_dir():
            for folder in _folders(path):
                folders[folder] = None
                cassettes |= dict.fromkeys(sorted(file for file in folder.glob("*.json") if _is_cassette(file)))
        elif tape.is_there(path) or tape.beside(path):
            cassettes |= {path: None} if tape.is_there(path) else {}
            names = folders.setdefault(path.parent, set())
            if names is not None:
                names.add(path.name)
        else:
            raise CassetteMissingError(f"There is no cassette and no folder {path}.")
    return list(cassettes), folders


def _folders(top: Path) -> Iterator[Path]:
    for folder, inner, _ in os.walk(top):
        inner[:] = sorted(name for name in inner if not name.startswith(".") and name != FOLDER)
        yield Path(folder)


def _is_cassette(file: Path) -> bool:
    if not file.is_file():
        return False
    with file.open("rb") as opened_file:
        return FORMAT.encode() in opened_file.read(BEGINNING)

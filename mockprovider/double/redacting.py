"""Finished cassettes that are told what is secret."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path

from msgspec import Struct

from mockprovider import tape
from mockprovider.cassette import Cassette
from mockprovider.cassette.model import blob_names
from mockprovider.cassette.redacting import Decisions, RedactedCassette, redacted
from mockprovider.double.opening import opened, transcriber
from mockprovider.errors import DefinitionError
from mockprovider.hints import did_you_mean
from mockprovider.redaction import Names, Redactor
from mockprovider.tape.files import load_held
from mockprovider.tape.rewriting import locked, rewrite
from mockprovider.tape.unused import remove_blobs, unused_blobs

WORDS = {"secrets": "--secret", "public": "--public", "masks": "--mask"}


class RedactedFile(Struct):
    """What became of a file: ``result`` says what was taken out.

    ``removed`` are the blobs that held secrets and are gone. ``kept`` are those that still hold them, with who uses them.
    ``beside`` are other recordings of the cassette, which nobody has looked into.
    """

    path: Path
    result: RedactedCassette
    removed: list[str]
    kept: dict[str, list[str]]
    beside: list[Path]


def redact(
    path: str | os.PathLike[str],
    *,
    secrets: Names = (),
    public: Names = (),
    masks: Names = (),
    values: Sequence[str] = (),
    dry_run: bool = False,
) -> RedactedFile:
    """Decide about places in the finished cassette ``path``, as if it had been recorded with these decisions.

    ``secrets``, ``public`` and ``masks`` are those of ``recording``; ``values`` are secret wherever they stand, in every
    spelling. With ``dry_run`` nothing is written. Raises ``DefinitionError`` for what is no name, names no place of the
    cassette or is too short a value, ``CassetteError`` for what cannot be done, and as ``tape.load`` does: the file is then as
    it was.
    """
    return redact_all([path], Decisions(secrets, public, masks, values), dry_run=dry_run)[0]


def redact_all(paths: Iterable[str | os.PathLike[str]], decisions: Decisions, *, dry_run: bool = False) -> list[RedactedFile]:
    """As ``redact``, for several cassettes: nothing is written unless it can be done to all. Each name is in one of them."""
    with ExitStack() as locks:
        files = {path: locks.enter_context(locked(path)) for path in dict.fromkeys(map(Path, paths))}
        before = {path: _loaded(path) for path in files}
        results = {
            path: redacted(cassette, transcriber(cassette.header.protocol).marks, decisions)
            for path, cassette in before.items()
        }
        _check_names(list(results.values()))
        for path, result in results.items():
            if result.changed and not dry_run:
                rewrite(files[path], result.cassette)
    # Blobs are removed while nobody records in their folder, this included.
    return [_finished(path, files[path], before[path], result, dry_run=dry_run) for path, result in results.items()]


def _loaded(path: Path) -> Cassette:
    cassette = load_held(path)
    # Whoever cannot read all of it cannot know that the secret is gone from all of it.
    opened(cassette, Redactor(), whole_schema=True)
    return cassette


def _check_names(results: Sequence[RedactedCassette]) -> None:
    """Raise ``DefinitionError`` for a name that is about no place in any of the cassettes."""
    for kind, word in WORDS.items():
        for name in results[0].nowhere[kind] if results else ():
            if all(name in result.nowhere[kind] for result in results):
                known = {known for result in results for known in result.names} - {name}
                where = "this cassette" if len(results) == 1 else "these cassettes"
                raise DefinitionError(f"{word}: {name!r} is nowhere in {where}. {did_you_mean(name, known)}".rstrip())


def _finished(path: Path, file: Path, before: Cassette, result: RedactedCassette, *, dry_run: bool) -> RedactedFile:
    gone = blob_names(before.interactions) - blob_names(result.cassette.interactions)
    removed = [] if dry_run else remove_blobs(file.parent, gone)
    left = unused_blobs(file.parent) if gone and not dry_run else None
    kept = {name: left.used.get(name, [left.busy]) for name in sorted(gone - {*removed})} if left else {}
    return RedactedFile(path, result, removed, kept, [other for other in tape.beside(file) if other != file])

"""Hashes of assets and archives, as the engine computes them: the lower-case hexadecimal SHA-256 of the contents.

An asset's contents are its text or its file. An archive file (``.tar``, ``.tgz``, ``.tar.gz``, ``.zip``, ``.jar``) is hashed as
that file; any other archive, a folder or a map of members, as the tar stream that ``pulumi.tar`` writes. Relative paths are
relative to the program's folder. Nothing is downloaded: an asset on the web needs a ``hash``.
"""

from __future__ import annotations

import hashlib
import io
import os
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import IO, Final
from urllib.parse import unquote, urlsplit

import msgspec

from mockprovider.errors import MalformedError, UnsupportedError
from mockprovider.pulumi.signatures import EMPTY_ARCHIVE_HASH, EMPTY_TEXT_HASH
from mockprovider.pulumi.tar import CHUNK, Member, clean, join, write
from mockprovider.values import Archive, Asset, Value, map_value

ARCHIVE_SUFFIXES: Final = (".tar", ".tgz", ".tar.gz", ".zip", ".jar")
ZIP_SUFFIXES: Final = (".zip", ".jar")
BOOKKEEPING: Final = ".pulumi"
"""The engine's own files and folders, which are part of no archive."""

UTF8_FLAG: Final = 0x800


def asset_hash(asset: Asset, directory: str = ".") -> str:
    """The hash of ``asset``: the one it carries, or that of its contents. ``directory`` is the program's.

    Raises:
        MalformedError: its file is missing, or is no file.
        UnsupportedError: it is on the web.
    """
    if asset.hash:
        return asset.hash
    with _readable(asset), _contents(asset, directory) as (_, stream):
        return _digest(stream)


def archive_hash(archive: Archive, directory: str = ".") -> str:
    """The hash of ``archive``: the one it carries, or that of its contents. ``directory`` is the program's.

    Raises:
        MalformedError: the file or folder is missing, broken, or neither an archive nor a folder.
        UnsupportedError: it, or a member, is on the web.
    """
    if archive.hash:
        return archive.hash
    digest = hashlib.sha256()
    with _readable(archive):
        path = _place(archive, directory)
        if path and path.name.endswith(ARCHIVE_SUFFIXES):
            with _file(path) as (_, stream):
                return _digest(stream)
        with closing(_members(archive, directory)) as members:
            write(members, digest.update)
    return digest.hexdigest()


def with_hashes(value: Value, directory: str = ".") -> Value:
    """``value`` with the hash of each asset and archive filled in where it is missing; members of archives stay as they are.

    Raises:
        MalformedError, UnsupportedError: as ``asset_hash`` and ``archive_hash``.
    """

    def hashed(part: Value) -> Value:
        if isinstance(part, Asset):
            return msgspec.structs.replace(part, hash=asset_hash(part, directory))
        if isinstance(part, Archive):
            return msgspec.structs.replace(part, hash=archive_hash(part, directory))
        return part

    return map_value(value, hashed)


def _digest(stream: IO[bytes]) -> str:
    digest = hashlib.sha256()
    while chunk := stream.read(CHUNK):
        digest.update(chunk)
    return digest.hexdigest()


@contextmanager
def _readable(what: Asset | Archive) -> Iterator[None]:
    """Turn errors of reading ``what`` into a ``MalformedError`` that names it."""
    try:
        yield
    except (OSError, EOFError, tarfile.TarError, zipfile.BadZipFile, zlib.error) as error:
        name = what.path or what.uri or "a member"
        raise MalformedError(f"The {type(what).__name__.lower()} {name!r} cannot be read for its hash: {error}") from error


def _place(what: Asset | Archive, directory: str) -> Path | None:
    """The file or folder of ``what``; ``None`` without one."""
    if what.path:
        path = Path(what.path)
        # As in the engine, ".." is resolved in the text, before links are followed.
        return path if path.is_absolute() else Path(os.path.normpath(directory / path))
    return _local(what.uri) if what.uri else None


def _local(uri: str) -> Path:
    parts = urlsplit(uri)
    if parts.scheme != "file" or parts.netloc not in ("", "localhost"):
        raise UnsupportedError(
            f"The hash of {uri!r} is that of its contents, and nothing is fetched here. Give it as hash='...'."
        )
    return Path(unquote(parts.path))


@contextmanager
def _file(path: Path) -> Iterator[tuple[int, IO[bytes]]]:
    """The size and contents of the regular file at ``path``."""
    if path.is_dir():
        raise MalformedError(f"'{path}' is a folder, where a file is asked for. A folder is an archive.")
    if path.exists() and not path.is_file():
        # Reading a pipe would wait for a writer.
        raise MalformedError(f"'{path}' is not a regular file.")
    with path.open("rb") as stream:
        yield path.stat().st_size, stream


@contextmanager
def _contents(asset: Asset, directory: str) -> Iterator[tuple[int, IO[bytes]]]:
    path = _place(asset, directory)
    if path:
        with _file(path) as contents:
            yield contents
    elif asset.text is None and asset.hash not in ("", EMPTY_TEXT_HASH):
        raise MalformedError(f"An elided asset has a hash ({asset.hash}) and no contents to read.")
    else:
        text = (asset.text or "").encode()
        yield len(text), io.BytesIO(text)


def _members(archive: Archive, directory: str) -> Generator[Member, None, None]:
    """The files of ``archive`` in the engine's order, nested archives flattened. Read each before you ask for the next."""
    path = _place(archive, directory)
    if path and path.name.endswith(ZIP_SUFFIXES):
        yield from _zipped(path)
    elif path and path.name.endswith(ARCHIVE_SUFFIXES):
        yield from _tarred(path)
    elif archive.uri:
        raise MalformedError(f"{archive.uri!r} is no archive: it ends in none of {', '.join(ARCHIVE_SUFFIXES)}.")
    elif path:
        yield from _in_folder(path)
    elif archive.assets is None and archive.hash not in ("", EMPTY_ARCHIVE_HASH):
        raise MalformedError(f"An elided archive has a hash ({archive.hash}) and no contents to read.")
    else:
        yield from _in_map(archive, directory)


def _in_map(archive: Archive, directory: str) -> Iterator[Member]:
    for name, member in sorted((name.encode(), member) for name, member in (archive.assets or {}).items()):
        if isinstance(member, Asset):
            with _readable(member), _contents(member, directory) as (size, stream):
                yield name, size, stream
        else:
            for inner, size, stream in _members(member, directory):
                yield join(name, inner), size, stream


def _in_folder(path: Path) -> Iterator[Member]:
    if path.exists() and not path.is_dir():
        raise MalformedError(f"'{path}' is no archive: it is no folder and ends in none of {', '.join(ARCHIVE_SUFFIXES)}.")
    for file in _walk(path):
        with _file(file) as (size, stream):
            yield os.fsencode(file.relative_to(path).as_posix()), size, stream


def _walk(path: Path) -> Iterator[Path]:
    """The files at and below ``path``, folder by folder in the order of their names' bytes. Links to folders are left out."""
    if path.name == BOOKKEEPING:
        return
    mode = path.lstat().st_mode
    if stat.S_ISDIR(mode):
        for inner in sorted(path.iterdir(), key=os.fsencode):
            yield from _walk(inner)
    elif not (stat.S_ISLNK(mode) and path.is_dir()):
        yield path


def _tarred(path: Path) -> Iterator[Member]:
    with tarfile.open(path, "r:" if path.name.endswith(".tar") else "r:gz", errors="surrogateescape") as archive:
        for member in archive:
            if member.isdir():
                continue
            stream = archive.extractfile(member) if member.type in (tarfile.REGTYPE, tarfile.AREGTYPE) else None
            if stream is None:
                raise MalformedError(f"'{path}' holds {member.name!r}, which is neither a file nor a folder.")
            yield clean(member.name.encode("utf-8", "surrogateescape")), member.size, stream


def _zipped(path: Path) -> Iterator[Member]:
    with zipfile.ZipFile(path) as archive:
        for member in archive.infolist():
            if member.is_dir():
                continue
            # Without the flag Python reads a name as code page 437; Go takes its bytes.
            name = member.filename.encode("utf-8" if member.flag_bits & UTF8_FLAG else "cp437")
            with archive.open(member) as stream:
                yield clean(name), member.file_size, stream

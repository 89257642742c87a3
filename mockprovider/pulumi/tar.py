"""The tar stream that the engine hashes for an archive: as Go's tar writer writes a name, mode 0600 and a size.

Python's writer writes other bytes: Go writes octal zeros for unused device numbers, ends right after two blocks of zeros, and
uses a PAX header only for what ustar cannot hold (a name that is not ASCII or cannot be split, 8 GiB and more).
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable
from typing import IO, Final, TypeAlias

from mockprovider.errors import MalformedError

BLOCK: Final = 512
NAME_SIZE: Final = 100
PREFIX_SIZE: Final = 155
OCTAL_SIZE_LIMIT: Final = 8**11
MODE: Final = 0o600
CHUNK: Final = 1 << 16
REGULAR: Final = b"0"
FOLDER: Final = b"5"
EXTENDED: Final = b"x"

Member: TypeAlias = tuple[bytes, int, IO[bytes]]
"""A member's name, its size in bytes, and where to read it."""


def write(members: Iterable[Member], sink: Callable[[bytes], object]) -> None:
    """Write the tar stream of ``members`` to ``sink``, piece by piece. Of members with one name only the first is written.

    Raises:
        MalformedError: a name that no tar header can hold, or contents of another size than announced.
    """
    seen: set[bytes] = set()
    for name, size, stream in members:
        if name not in seen:
            seen.add(name)
            sink(header(name, size))
            _copy(name, size, stream, sink)
    sink(bytes(2 * BLOCK))


def header(name: bytes, size: int) -> bytes:
    """The header blocks of a file, or of a folder if the name ends in a slash.

    Raises:
        MalformedError: the name has a NUL, or is a folder's although there are contents.
    """
    if b"\0" in name or (name.endswith(b"/") and size):
        raise MalformedError(f"An archive cannot hold a file called {name.decode(errors='replace')!r}: no NUL, no final slash.")
    flag = FOLDER if name.endswith(b"/") else REGULAR
    prefix, suffix = _split(name)
    ascii_name = name.isascii()
    records = {}
    if not ascii_name or len(suffix) > NAME_SIZE:
        records[b"path"] = name
    if size >= OCTAL_SIZE_LIMIT:
        records[b"size"] = b"%d" % size
    if not records:
        return _ustar(suffix, size, flag, prefix)
    shown = name if ascii_name else bytes(byte for byte in name if byte < 0x80)
    return _extension(name, records) + _ustar(shown, 0 if b"size" in records else size, flag)


def clean(path: bytes) -> bytes:
    """The shortest equal path, lexically: Go's ``path.Clean``."""
    # POSIX and Python keep two leading slashes, Go does not.
    return posixpath.normpath(b"/" + path.lstrip(b"/") if path.startswith(b"//") else path)


def join(*parts: bytes) -> bytes:
    """The parts that are not empty, joined by slashes and cleaned: Go's ``path.Join``."""
    return clean(b"/".join(part for part in parts if part))


def _copy(name: bytes, size: int, stream: IO[bytes], sink: Callable[[bytes], object]) -> None:
    copied = 0
    while chunk := stream.read(CHUNK):
        copied += len(chunk)
        sink(chunk)
    if copied != size:
        raise MalformedError(
            f"{name.decode(errors='replace')!r} has {copied} bytes where {size} were announced: it changed meanwhile."
        )
    sink(bytes(-size % BLOCK))


def _split(name: bytes) -> tuple[bytes, bytes]:
    """``name`` in ustar's fields: prefix and rest. There is no prefix if it fits, or if no slash splits it well."""
    if len(name) <= NAME_SIZE or not name.isascii():
        return b"", name
    cut = name.rfind(b"/", 0, min(PREFIX_SIZE + 1, len(name.removesuffix(b"/"))))
    return (name[:cut], name[cut + 1 :]) if cut > 0 and len(name) - cut - 1 <= NAME_SIZE else (b"", name)


def _extension(name: bytes, records: dict[bytes, bytes]) -> bytes:
    """The PAX header before the ustar header: a file with the values that do not fit into ustar."""
    data = b"".join(_record(key, value) for key, value in sorted(records.items()))
    folder, _, file = name.rpartition(b"/")
    own_name = join(folder + b"/" if folder or name.startswith(b"/") else b"", b"PaxHeaders.0", file)
    shown = bytes(byte for byte in own_name if byte < 0x80)[:NAME_SIZE].rstrip(b"/")
    return _sealed(_start(shown, 0, len(data)) + EXTENDED, b"") + data + bytes(-len(data) % BLOCK)


def _record(key: bytes, value: bytes) -> bytes:
    """``<length> <key>=<value>`` and a line feed, where the length counts itself."""
    length = len(key) + len(value) + 3
    length += len(b"%d" % length)
    record = b"%d %b=%b\n" % (length, key, value)
    return record if len(record) == length else b"%d %b=%b\n" % (len(record), key, value)


def _ustar(name: bytes, size: int, flag: bytes, prefix: bytes = b"") -> bytes:
    devices = b"0000000\0" * 2
    return _sealed(_start(name, MODE, size) + flag, bytes(64) + devices + prefix)


def _start(name: bytes, mode: int, size: int) -> bytes:
    """The fields before the type flag, the checksum as blanks: name, mode, owner, group, size, time."""
    shown = name[:NAME_SIZE]
    if len(name) > NAME_SIZE and shown.endswith(b"/"):
        # Old readers would take a name that ends in a slash for a folder. Go zeroes only the first of the final slashes.
        end = len(name[: NAME_SIZE - 1].rstrip(b"/"))
        shown = shown[:end] + b"\0" + shown[end + 1 :]
    return shown.ljust(NAME_SIZE, b"\0") + b"%07o\0%07o\0%07o\0%011o\0%011o\0" % (mode, 0, 0, size, 0) + b" " * 8


def _sealed(start: bytes, rest: bytes) -> bytes:
    """A header block with its checksum; ``start`` ends with the type flag, ``rest`` begins at the owner's name."""
    block = (start.ljust(257, b"\0") + b"ustar\0" + b"00" + rest).ljust(BLOCK, b"\0")
    return block[:148] + b"%06o\0 " % sum(block) + block[156:]

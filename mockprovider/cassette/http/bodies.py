"""Bodies as data that a reader and a comparison can go through, and back to bytes.

JSON objects and lists are data, text is text, and anything else is ``{"$bytes": base64}``. A response goes back to the very
bytes that came: JSON is data only where it is written again as it was, and where nothing was computed from its bytes.
"""

from __future__ import annotations

import base64
import gzip
import json
import re
import zlib
from collections.abc import Callable, Iterator
from typing import Any

from mockprovider.cassette.http.addresses import form
from mockprovider.cassette.http.headers import is_checksum
from mockprovider.cassette.http.messages import Headers, header
from mockprovider.redaction import PLAIN_BYTES

JSON = re.compile(r"(?i)^(application|text)/([\w.+-]*\+)?(json|x-amz-json-[\d.]+)\b")
FORM = "application/x-www-form-urlencoded"
BOUNDARY = re.compile(r'(?i)boundary="?([^";,]+)')
DEEPEST = 60
"""Data that is nested deeper stays text."""
LARGEST = 2**53
"""Other numbers are not the same everywhere."""
DAMAGED = (OSError, EOFError, zlib.error)


def _compact(tree: Any) -> str:
    return json.dumps(tree, ensure_ascii=False, separators=(",", ":"))


UNPACKED: dict[str, Callable[[bytes], bytes]] = {"gzip": gzip.decompress, "x-gzip": gzip.decompress, "deflate": zlib.decompress}


def unpacked(data: bytes, headers: Headers) -> tuple[bytes, bool]:
    """A body without its compression, where it has one that Python knows, and whether it had."""
    unpack = UNPACKED.get(header(headers, "content-encoding").strip().lower())
    try:
        return (unpack(data), True) if unpack and data else (data, False)
    except DAMAGED:
        # Some clients have unpacked it already.
        return data, False


def of_request(data: bytes, headers: Headers) -> Any:
    """The body of a request as it is compared: the order and the spelling of what means the same does not count."""
    kind = header(headers, "content-type")
    boundary = BOUNDARY.search(kind) if kind.lower().startswith("multipart/") else None
    if boundary:
        data = data.replace(boundary[1].encode(), b"boundary")
    tree = data_of(data) if JSON.match(kind) or data[:1] in (b"{", b"[") else None
    if tree is not None:
        return tree
    text = _text(data)
    return form(text) if isinstance(text, str) and kind.lower().startswith(FORM) else text


def of_response(data: bytes, headers: Headers) -> Any:
    """The body of a response, so that ``to_bytes`` gives the same bytes."""
    exact = any(is_checksum(name.lower()) for name, _ in headers)
    tree = None if exact or not JSON.match(header(headers, "content-type")) else data_of(data)
    return _text(data) if tree is None or to_bytes(tree) != data else tree


def to_bytes(tree: Any) -> bytes:
    """The bytes of a body."""
    if tree is None:
        return b""
    if isinstance(tree, str):
        return tree.encode()
    if isinstance(tree, dict) and tree.keys() == {PLAIN_BYTES}:
        return base64.b64decode(tree[PLAIN_BYTES])
    return _compact(tree).encode()


def _text(data: bytes) -> Any:
    if not data:
        return None
    try:
        return data.decode()
    except UnicodeDecodeError:
        return {PLAIN_BYTES: base64.b64encode(data).decode()}


def data_of(data: bytes) -> Any:
    """The object or list that the bytes are the JSON of; ``None`` where they are none that a cassette can hold as data."""
    try:
        tree = json.loads(data, object_pairs_hook=_members, parse_constant=_no_number)
    except (ValueError, RecursionError):
        return None
    return tree if isinstance(tree, (dict, list)) and tree and all(_fits(*part) for part in _parts(tree, 0)) else None


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a key stands there twice")
    return members


def _no_number(text: str) -> None:
    raise ValueError(f"{text} is no JSON")


def _parts(tree: Any, depth: int) -> Iterator[tuple[Any, int]]:
    yield tree, depth
    if depth <= DEEPEST and isinstance(tree, dict):
        for item in tree.values():
            yield from _parts(item, depth + 1)
    elif depth <= DEEPEST and isinstance(tree, list):
        for item in tree:
            yield from _parts(item, depth + 1)


def _fits(tree: Any, depth: int) -> bool:
    """Whether a cassette holds this as data: keys that begin with ``$`` mean something there."""
    if isinstance(tree, dict):
        return depth <= DEEPEST and not any(key.startswith("$") for key in tree)
    if isinstance(tree, str):
        return not any("\ud800" <= mark <= "\udfff" for mark in tree)
    return isinstance(tree, (list, bool, type(None))) or abs(tree) <= LARGEST

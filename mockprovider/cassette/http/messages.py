"""HTTP requests and responses as they travel, whatever client made them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from msgspec import Struct

Headers: TypeAlias = tuple[tuple[str, str], ...]
"""Names and values, in order; a name may stand there more than once."""


class HttpRequest(Struct, frozen=True):
    """A request. ``url`` is absolute."""

    method: str
    url: str
    headers: Headers = ()
    body: bytes = b""

    def __str__(self) -> str:
        return f"{self.method} {self.url}"


class HttpResponse(Struct, frozen=True):
    """A response, with its whole body."""

    status: int
    reason: str = ""
    headers: Headers = ()
    body: bytes = b""


def header(headers: Headers, name: str) -> str:
    """The value of a header, empty where there is none; capitals do not count."""
    return next((value for key, value in headers if key.lower() == name), "")


def without(headers: Headers, names: Iterable[str]) -> Headers:
    """The headers but those of these names, in small letters."""
    left_out = frozenset(names)
    return tuple((name, value) for name, value in headers if name.lower() not in left_out)

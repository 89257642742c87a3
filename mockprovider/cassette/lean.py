"""Interactions that take little room: a replay of a large cassette asks for the trees of a few."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Raw, Struct

from mockprovider.cassette.model import Interaction
from mockprovider.redaction import is_plain


class _OfRequest(Struct):
    request: Any = None


class _OfResponse(Struct):
    response: Any = None


_request = msgspec.json.Decoder(_OfRequest).decode
_response = msgspec.json.Decoder(_OfResponse).decode
_kept_request, _kept_response = Interaction.request, Interaction.response
"""The slots themselves, in which a tree stands, or the text of its interaction."""


class LeanInteraction(Interaction, kw_only=True, omit_defaults=True, forbid_unknown_fields=True, gc=False):
    """An interaction of a file that keeps its text in the place of its trees, until somebody asks for one of them.

    It is read like any other, and ``msgspec.structs.replace`` takes it over as it is. It is for replays: to be compared as a
    whole, encoded or written, an interaction has to have its trees.
    """

    def keep(self, text: Raw) -> None:
        """Drop the trees, which were looked at, as far as they are objects; ``text`` is that of this interaction."""
        if type(_kept_request.__get__(self)) is dict:
            _kept_request.__set__(self, text)
        if type(_kept_response.__get__(self)) is dict:
            _kept_response.__set__(self, text)

    @property
    def is_plain(self) -> bool:
        """Whether it has no placeholders, as its text tells; once somebody has asked for its response, nobody knows."""
        kept = _kept_response.__get__(self)
        return type(kept) is Raw and is_plain(bytes(kept))

    @property
    def asks_object(self) -> bool:
        """Whether its request is an object."""
        return type(_kept_request.__get__(self)) in (Raw, dict)

    @property  # type: ignore[misc]
    def request(self) -> Any:
        """The tree of the request, which stays from now on."""
        kept = _kept_request.__get__(self)
        if type(kept) is Raw:
            kept = _request(kept).request
            _kept_request.__set__(self, kept)
        return kept

    @property  # type: ignore[misc]
    def response(self) -> Any:
        """The tree of the response, which stays from now on."""
        kept = _kept_response.__get__(self)
        if type(kept) is Raw:
            kept = _response(kept).response
            _kept_response.__set__(self, kept)
        return kept

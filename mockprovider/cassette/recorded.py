"""A recorded call as a replay uses it."""

from __future__ import annotations

from typing import Any, TypeAlias

from msgspec import Struct

from mockprovider.cassette.model import Interaction

Where: TypeAlias = tuple[str, str, str, str, str]
"""What a call is looked up by, beside its request: provider, provider instance, method, type and URN."""


class RecordedCall(Struct, eq=False, frozen=True):
    """A recorded interaction, prepared for being looked up.

    ``place`` is its index in the cassette, ``wave`` and ``preview`` are its session's, ``digest`` and ``answer`` are digests
    of its request and answer, ``secret`` and ``filled`` say whether these have placeholders. ``request`` is the recorded one
    with its sets in order, as calls are compared. ``once`` says that it changed something, so that it answers once.
    """

    interaction: Interaction
    where: Where
    request: Any
    place: int
    wave: int
    preview: bool | None
    digest: str
    answer: str
    secret: bool
    filled: bool
    once: bool

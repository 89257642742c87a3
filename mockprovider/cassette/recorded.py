"""A recorded call as a replay uses it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from msgspec import Struct

from mockprovider.cassette.model import Interaction
from mockprovider.matching import digest, digest_of, encode
from mockprovider.redaction import is_plain, neutral

Where: TypeAlias = tuple[str, str, str, str, str]
"""What a call is looked up by, beside its request: provider, provider instance, method, type and URN."""


class RequestKey(Struct, frozen=True):
    """What calls are compared by: the ``tree`` of a request with its sets in order, and its ``digest`` with all secrets alike.

    ``secret`` says whether it has placeholders.
    """

    tree: Any
    digest: str
    secret: bool


def request_key(tree: Any) -> RequestKey:
    """The key of a request, given its redacted tree with its sets in order."""
    encoded = encode(tree)
    secret = not is_plain(encoded)
    return RequestKey(tree, digest(neutral(tree)) if secret else digest_of(encoded), secret)


class RecordedCall(Struct, eq=False):
    """A recorded interaction, prepared for being looked up. Its request and its answer are looked at when they are asked for.

    ``place`` is its index in the cassette, ``wave`` and ``preview`` are its session's. ``once`` says that it changed something,
    so that it answers once.
    """

    interaction: Interaction
    where: Where
    place: int
    wave: int
    preview: bool | None
    once: bool
    asking: Callable[[Interaction], RequestKey]
    """Gives its request."""
    answering: Callable[[Interaction], str]
    """Gives the digest of its answer."""
    sent: bytes = b""
    """The message of its own answer, once it was given, where that is the same whenever it is given."""
    _asked: RequestKey | None = None
    _answer: str = ""
    _filled: bool | None = None

    @property
    def asked(self) -> RequestKey:
        """Its request, and what is known of it."""
        if self._asked is None:
            self._asked = self.asking(self.interaction)
        return self._asked

    @property
    def request(self) -> Any:
        """Its request, as calls are compared."""
        return self.asked.tree

    @property
    def digest(self) -> str:
        """Equal for requests that differ in secrets at most."""
        return self.asked.digest

    @property
    def secret(self) -> bool:
        """Whether its request has placeholders."""
        return self.asked.secret

    @property
    def answer(self) -> str:
        """Equal for equal answers."""
        if not self._answer:
            self._answer = self.answering(self.interaction)
        return self._answer

    @property
    def filled(self) -> bool:
        """Whether its answer has placeholders."""
        if self._filled is None:
            interaction = self.interaction
            self._filled = not (interaction.is_plain or is_plain(encode([interaction.response, interaction.status])))
        return self._filled

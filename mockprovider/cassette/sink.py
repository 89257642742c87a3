"""Where a recording goes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from mockprovider.cassette.model import Cassette, Interaction, Sent


class Sink(Protocol):
    """Where a recording goes. ``tape.Tape`` is one on disk."""

    name: str
    blobs: Mapping[str, Any]

    def ready(self) -> None:
        """Raise ``CassetteError`` where nothing more can be kept, so that no call is made whose answer would be lost."""

    def sending(self, sent: Sent) -> int:
        """Note a call that is about to go out, so that a crash leaves a trace of it. Returns the number of the note."""

    def append(self, interaction: Interaction, note: int = 0) -> Interaction:
        """Keep the interaction so that a crash does not lose it; returns it as it was kept (large trees moved to ``blobs``).

        It is the answer of the call of that ``note``, if it has one.
        """

    def finish(self, cassette: Cassette, *, failed: bool = False) -> None:
        """Replace what was appended by ``cassette``, and release the sink. ``failed`` says that the run broke off."""

    def forget(self) -> None:
        """Forget what was appended, since nothing of it is new, and release the sink."""


class Memory:
    """A sink that keeps nothing itself: the cassette is there when the recorder is closed."""

    name = "the recording"

    def __init__(self) -> None:
        self.blobs: Mapping[str, Any] = {}

    def ready(self) -> None:
        """Do nothing: memory is always ready."""

    def sending(self, sent: Sent) -> int:  # noqa: ARG002 - a sink's signature
        """Note nothing: a crash leaves nothing of memory."""
        return 0

    def append(self, interaction: Interaction, note: int = 0) -> Interaction:  # noqa: ARG002 - a sink's signature
        """Return the interaction unchanged."""
        return interaction

    def finish(self, cassette: Cassette, *, failed: bool = False) -> None:
        """Do nothing."""

    def forget(self) -> None:
        """Do nothing."""

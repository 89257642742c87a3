"""What engines write down of the calls that they make: logs that other tools made, as calls and replies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from msgspec import Struct, field

from mockprovider.calls import Call, Reply


class LoggedCall(Struct, frozen=True):
    """A provider's call and its answer, as a log has them.

    ``provider`` is the package. ``call.session`` is worked out, and so is ``instance``, the one that the session spoke for by
    then; empty before Configure, and where the log does not tell.
    """

    provider: str
    call: Call
    reply: Reply
    instance: str


class EngineLog(Struct, kw_only=True):
    """What a log holds of providers' calls.

    ``seen`` are the packages of all calls in it, ``calls`` those of the chosen ones. ``versions`` are the providers' by their
    packages, as far as the log says, and ``secrets`` what their schemas in it declare, by type token. ``left_out`` counts what
    is no answered call of a provider, in words that follow a number; ``notes`` are sentences about what a replay will do.
    """

    calls: Sequence[LoggedCall] = ()
    versions: Mapping[str, str] = field(default_factory=dict)
    secrets: Mapping[str, Collection[str]] = field(default_factory=dict)
    seen: Collection[str] = ()
    left_out: Counter[str] = field(default_factory=Counter)
    notes: Sequence[str] = ()

    @property
    def providers(self) -> list[str]:
        """The packages of its calls."""
        return sorted({logged.provider for logged in self.calls})


class LogExport(Struct, kw_only=True):
    """A cassette as the lines of such a log, and how many calls they are about.

    ``left_out`` counts what such a log cannot hold, in words that follow a number.
    """

    lines: Sequence[str] = ()
    calls: int = 0
    left_out: Counter[str] = field(default_factory=Counter)

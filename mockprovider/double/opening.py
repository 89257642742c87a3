"""A cassette, made ready to be looked into."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping

from msgspec.structs import replace

from mockprovider.cassette import Cassette, CassetteLayer, Library, Mode, Transcriber
from mockprovider.cassette.matching import Matching
from mockprovider.cassette.model import DAMAGE, Interaction, damaged
from mockprovider.double.behind import Wiring
from mockprovider.errors import CassetteBrokenError, DefinitionError
from mockprovider.protocols import ProviderProtocol, by_name
from mockprovider.redaction import Redactor


def opened(cassette: Cassette, redactor: Redactor, *, whole_schema: bool, matching: Matching | None = None) -> Library:
    """The recording of a cassette, ready to be replayed. Raises ``CassetteBrokenError`` for one that cannot be read."""
    try:
        return _prepared(cassette, redactor, whole_schema=whole_schema, matching=matching)
    except DAMAGE as error:
        guilty = _guilty(cassette)
        if guilty is None:
            raise CassetteBrokenError(
                f"{cassette.name}: its header cannot be used ({error}). Restore the file, or record it again."
            ) from error
        raise damaged(cassette.name, guilty, error) from error


def _prepared(cassette: Cassette, redactor: Redactor, *, whole_schema: bool, matching: Matching | None = None) -> Library:
    from mockprovider.wire.adapter import adapter  # noqa: PLC0415 - grpc is slow to import

    spoken = {name: by_name(protocol) for name, protocol in cassette.header.spoken.items()}
    check_families(spoken)
    read = {name: adapter(protocol).reader(cassette.part(name), whole_schema=whole_schema) for name, protocol in spoken.items()}
    prepared = [interaction for part, _ in read.values() for interaction in part.interactions]
    if len(read) > 1:
        prepared.sort(key=lambda interaction: interaction.n)
    cassette = replace(cassette, interactions=prepared)
    return Library(cassette, {name: reader for name, (_, reader) in read.items()}, redactor, matching)


def _guilty(cassette: Cassette) -> Interaction | None:
    """The first interaction with which a cassette cannot be read; ``None`` if it is none of them."""

    def is_readable(count: int) -> bool:
        try:
            _prepared(replace(cassette, interactions=cassette.interactions[:count]), Redactor(), whole_schema=True)
        except DAMAGE:
            return False
        return True

    if not is_readable(0):
        return None
    # What is recorded is read in many places, so the halves are tried, and the halves of these.
    first = bisect_left(range(len(cassette.interactions)), True, key=lambda place: not is_readable(place + 1))
    return cassette.interactions[first] if first < len(cassette.interactions) else None


def transcriber(protocol: str) -> Transcriber:
    """How conversations in ``protocol`` (``pulumi``, ``tfplugin5``, ``tfplugin6``) are written down."""
    from mockprovider.wire.adapter import adapter  # noqa: PLC0415 - grpc is slow to import

    return adapter(by_name(protocol)).transcriber()


def transcribers(cassette: Cassette) -> dict[str, Transcriber]:
    """How the conversations of a cassette are written down, by the provider's name in it."""
    return {name: transcriber(protocol) for name, protocol in cassette.header.spoken.items()}


def check_families(spoken: Mapping[str, ProviderProtocol]) -> None:
    """Raise ``DefinitionError`` for providers of several families."""
    families = {protocol.family: name for name, protocol in spoken.items()}
    if len(families) > 1:
        listed = " and ".join(f"{name} ({family})" for family, name in families.items())
        raise DefinitionError(f"One cassette holds providers of one engine: {listed} cannot share one.")


def past_the_end(wiring: Wiring, cassette: Cassette, mode: Mode) -> Wiring:
    """A replayed provider with a fake behind its part of the ``cassette``, which answers what that does not hold.

    Raises ``DefinitionError`` for a recorded schema that cannot be read.
    """
    from mockprovider.cassette.live.past import PastEnd  # noqa: PLC0415 - most replays need none
    from mockprovider.double.stand_in import PastTheEnd, StandIn  # noqa: PLC0415 - as above
    from mockprovider.wire.adapter import adapter  # noqa: PLC0415 - grpc is slow to import

    library, protocol = wiring.library, wiring.protocol
    if library is None or protocol is None:
        raise DefinitionError(f"Nothing is replayed behind {wiring.name}, so nothing has an end. Leave beyond out.")
    recorded = adapter(protocol).recorded_package(cassette.part(wiring.part), cassette.name)
    stand_in = StandIn(protocol, recorded, cassette.name)
    past = PastEnd(library, stand_in)
    layer = CassetteLayer(mode, library, None, wiring.part, past)
    return replace(wiring, provider=stand_in, layers=(layer,), past=PastTheEnd(stand_in, past.answers))

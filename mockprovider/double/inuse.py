"""A cassette that is used in a mode: what it has, whether a provider is asked, and what is put behind each double."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from mockprovider.calls import Handler
from mockprovider.cassette import RULES, Cassette, CassetteAction, CassetteLayer, Library, Mode, Recorder
from mockprovider.cassette.beyond import Beyond, beyond_policy
from mockprovider.cassette.decided import decide_as
from mockprovider.cassette.http.recording import HttpRecording
from mockprovider.cassette.http.rerunning import OwnCode
from mockprovider.cassette.matching import Matching
from mockprovider.cassette.merging import Earlier
from mockprovider.cassette.unplayed import unplayed_policy
from mockprovider.clock import Clock
from mockprovider.double.behind import Wiring
from mockprovider.double.heard import ears, in_process
from mockprovider.errors import CassetteError, DefinitionError
from mockprovider.protocols import ProviderProtocol, by_name, of_family
from mockprovider.redaction import Redactor

if TYPE_CHECKING:
    from mockprovider.tape import Draft


def records(mode: Mode, path: str | os.PathLike[str]) -> bool:
    """Whether a test in this mode may write the cassette ``path``."""
    from mockprovider import tape  # noqa: PLC0415 - zstandard is slow to import

    return CassetteAction.RECORD in RULES[mode].actions(existed=tape.is_there(Path(path)))


def asks(mode: Mode, path: str | os.PathLike[str]) -> bool:
    """Whether a provider has to be there for the cassette ``path`` in this mode."""
    from mockprovider import tape  # noqa: PLC0415 - zstandard is slow to import

    return RULES[mode].asks(existed=tape.is_there(Path(path)))


def drafted(mode: Mode, path: str | os.PathLike[str]) -> Draft | None:
    """What to record the cassette ``path`` into, under its lock; ``None`` where the mode does not record it.

    Raises ``CassetteBusyError`` while another process records it, ``CassetteError`` where nothing can be recorded.
    """
    from mockprovider.tape import Draft  # noqa: PLC0415 - zstandard is slow to import

    if not records(mode, path):
        return None
    draft = Draft(path, whole=not RULES[mode].replaces)
    if records(mode, path):
        return draft
    # Another process has recorded it between the look and the lock.
    draft.release()
    return None


class Policies(Struct, frozen=True):
    """What is decided about a replay: what becomes of changes that nobody asked for, of calls beyond it, and what matches."""

    unplayed: str
    beyond: str
    matching: Matching


class CassetteInUse:
    """A cassette that is used in a mode, and what it holds, as far as the mode looks into it."""

    def __init__(
        self,
        mode: Mode,
        path: str | os.PathLike[str] | Draft,
        redactor: Redactor | None,
        policies: Policies,
        *,
        whole_schema: bool,
        clock: Clock | None,
        http: bool,
    ) -> None:
        from mockprovider import tape  # noqa: PLC0415 - zstandard is slow to import
        from mockprovider.double.opening import opened  # noqa: PLC0415 - what only records opens none
        from mockprovider.tape.uncollected import uncollected  # noqa: PLC0415 - as above

        policy = unplayed_policy(policies.unplayed)
        self._invents = beyond_policy(policies.beyond, mode) is Beyond.FAKE
        if http and self._invents:
            raise DefinitionError("With http a provider's own code answers, and with beyond='fake' a fake does: leave one out.")
        self._ears = ears() if http else None
        self._mode = mode
        self._clock = clock
        self._path = path
        self._matching = policies.matching
        self._given = isinstance(path, tape.Draft)
        self._redactor = redactor or Redactor()
        self._draft = path if isinstance(path, tape.Draft) else drafted(mode, path)
        existed = tape.is_there(cassette_place(path))
        self._asks = RULES[mode].asks(existed=existed) if self._draft is None else True
        self._earlier: Cassette | None = None
        self._library: Library | None = None
        if self._draft is None or RULES[mode].actions(existed=existed) != {CassetteAction.RECORD}:
            # What is recorded has decisions of its own, and the same secrets.
            looking = Redactor(vault=self._redactor.vault) if self._draft else self._redactor
            with uncollected():
                # What is added to, is written again.
                self._earlier = tape.load(cassette_place(path), lean=self._draft is None)
                self._library = opened(
                    self._earlier,
                    looking,
                    whole_schema=whole_schema or self._draft is not None or self._invents,
                    matching=self._matching,
                )
            self._library.policy = policy

    def wirings(
        self, behind: Mapping[str, Wiring | Handler | None], protocol: str, created_by: str, *, compact: bool
    ) -> dict[str, Wiring]:
        """What to put behind the double of each provider, by its name in the cassette."""
        try:
            if self._ears is not None:
                names = behind or (self._library.cassette.header.spoken if self._library else ())
                behind = {name: in_process(behind.get(name), name, self._ears) for name in names}
            if not self._asks and self._library is not None:
                return dict(self._replayed(self._library, behind))
            return self._live(behind, protocol, created_by, compact=compact)
        except BaseException:
            if self._draft is not None and not self._given:
                self._draft.release()
            raise

    def _live(
        self, behind: Mapping[str, Wiring | Handler | None], protocol: str, created_by: str, *, compact: bool
    ) -> dict[str, Wiring]:
        from mockprovider.cassette.live.beside import Beside  # noqa: PLC0415 - as above
        from mockprovider.cassette.live.growth import Growth  # noqa: PLC0415 - most runs need neither

        wirings = {
            name: wiring if isinstance(wiring, Wiring) else Wiring(name or "mock", wiring) for name, wiring in behind.items()
        }
        library = self._library
        if library is not None and len(wirings) == 1 and [*library.cassette.header.spoken] == [""]:
            # It was recorded of one provider, which has no name in it.
            ((name, wiring),) = wirings.items()
            wirings = {"": replace(wiring, name=name or wiring.name)}
        spoken = {name: wiring.protocol or of_family(protocol) for name, wiring in wirings.items()}
        if library is not None:
            _check_held(library.cassette, spoken)
            if self._ears is not None and self._mode in (Mode.NEW, Mode.VERIFY):
                raise DefinitionError(
                    f"Mode {self._mode.value!r} cannot hear a provider's HTTP: what is replayed asks none. Record it with all."
                )
        recorder = self._recorder(wirings, spoken, created_by, compact=compact) if self._draft else None
        growth = Growth(library, recorder) if library and recorder and RULES[self._mode].adds else None
        beside = Beside(library) if library and not recorder else None
        return {
            name: Wiring(
                name or wiring.name,
                wiring.provider,
                (*wiring.layers, CassetteLayer(self._mode, library, recorder, name, growth or beside)),
                spoken[name],
                recorder,
                has_cassette=True,
                redactor=self._redactor,
                part=name,
                library=library,
                noticed=beside.noticed if beside else None,
            )
            for name, wiring in wirings.items()
        }

    def _replayed(self, library: Library, behind: Mapping[str, Wiring | Handler | None]) -> Iterator[tuple[str, Wiring]]:
        from mockprovider.double.opening import past_the_end  # noqa: PLC0415 - as above

        header = library.cassette.header
        for name, protocol in header.spoken.items():
            own = behind.get(name) if self._ears is not None else None
            layer = CassetteLayer(self._mode, library, None, name, OwnCode(library, self._ears) if self._ears else None)
            wiring = Wiring(name or header.provider or "mock", layer, (), by_name(protocol), has_cassette=True)
            if isinstance(own, Wiring):
                wiring = replace(wiring, provider=own.provider, layers=(*own.layers, layer))
            wiring = replace(wiring, redactor=self._redactor, library=library, part=name)
            yield name, past_the_end(wiring, self._earlier, self._mode) if self._invents and self._earlier else wiring

    def _recorder(
        self, wirings: Mapping[str, Wiring], spoken: Mapping[str, ProviderProtocol], created_by: str, *, compact: bool
    ) -> Recorder:
        from mockprovider import tape  # noqa: PLC0415 - zstandard is slow to import
        from mockprovider.double.opening import check_families  # noqa: PLC0415 - as above
        from mockprovider.wire.adapter import adapter  # noqa: PLC0415 - grpc is slow to import

        check_families(spoken)
        edges = {name: adapter(protocol) for name, protocol in spoken.items()}
        first = next(iter(spoken))
        recorder = tape.record(
            self._draft or self._path,
            {name: edge.transcriber() for name, edge in edges.items()},
            protocol=spoken[first].name,
            provider="" if first else wirings[first].name,
            providers={name: protocol.name for name, protocol in spoken.items() if name},
            created_by=created_by,
            redactor=self._redactor,
            clock=self._clock,
            finishing=edges[first].compacted if compact else lambda cassette: cassette,
            keep=not self._given,
            earlier=self._kept_earlier(),
            matching=self._matching.with_kept(self._earlier.header.matching if self._earlier else {}).data,
        )
        if self._ears is not None:
            recorder.http = HttpRecording(self._ears, self._redactor)
        return recorder

    def _kept_earlier(self) -> Earlier | None:
        """The cassette that is added to: the recording has its decisions about places, too."""
        if self._earlier is None or self._library is None:
            return None
        decide_as(self._redactor, self._earlier.header)
        return Earlier(self._earlier, self._library.sent)


def _check_held(cassette: Cassette, spoken: Mapping[str, ProviderProtocol]) -> None:
    held = cassette.header.spoken
    if held.keys() != spoken.keys():
        raise CassetteError(
            f"{cassette.name} holds {', '.join(held) or 'one provider'}, and this run has {', '.join(spoken) or 'one'}. Give "
            "it the same, or record it again."
        )


def cassette_place(path: str | os.PathLike[str] | Draft) -> Path:
    """Where a cassette is, or will be."""
    from mockprovider import tape  # noqa: PLC0415 - zstandard is slow to import

    return Path(path.path if isinstance(path, tape.Draft) else path)

"""Cassettes behind a double: what answers, and what records."""

from __future__ import annotations

import os
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from mockprovider.calls import Handler
from mockprovider.cassette import RULES, Cassette, CassetteAction, CassetteLayer, Library, Mode, Recorder, Transcriber, modes
from mockprovider.cassette.model import DAMAGE, Interaction, damaged
from mockprovider.cassette.unplayed import Unplayed, unplayed_policy
from mockprovider.double.behind import ByName, Wiring
from mockprovider.errors import CassetteBrokenError, CassetteError, DefinitionError
from mockprovider.protocols import ProviderProtocol, by_name, of_family
from mockprovider.redaction import Names, Redactor

if TYPE_CHECKING:
    from mockprovider.tape import Draft


def deciding(secrets: Names = (), public: Names = (), masks: Names = ()) -> Redactor:
    """What hides secrets as these names say, which are those of ``recording``. Raises ``DefinitionError`` for what is none."""
    return Redactor(secrets, public=public, masks=masks)


def recording(
    path: str | os.PathLike[str] | Draft,
    behind: Wiring | Handler | None = None,
    protocol: str = "",
    *,
    created_by: str = "",
    redactor: Redactor | None = None,
    secrets: Names = (),
    public: Names = (),
    masks: Names = (),
    compact: bool = False,
    mode: str = Mode.ALL,
) -> Wiring:
    """``behind``, with a recorder in front that makes the cassette ``path``. Raises as ``tape.record`` does.

    ``behind`` is ``real(...)``, any handler, or ``None`` for the fake; ``protocol`` is what it speaks, ``pulumi`` unless given.
    ``secrets``, ``public`` and ``masks`` name properties (``password``, ``aws_ssm_parameter.value``): more that are secret,
    those whose values are readable in spite of a declaration, and those whose values do not count when calls are compared.
    With ``compact``, repeated calls with one answer are kept once, and of Terraform's schemas only the types in use.
    ``mode`` is ``all`` unless given; with ``once`` a cassette that is there is replayed, as by ``replaying``. A ``with`` block
    of the double that ends in an error replaces no cassette.
    Raises ``DefinitionError`` for a name that is none, or is secret and public, and for a word that is no mode;
    ``UnsupportedError`` for a mode that is not built.
    """
    redactor = _decided(redactor or Redactor(), secrets, public, masks)
    return using(modes.mode(mode), path, behind, protocol, created_by=created_by, redactor=redactor, compact=compact)


def recording_all(
    path: str | os.PathLike[str] | Draft,
    behind: Mapping[str, Wiring | Handler | None],
    protocol: str = "",
    *,
    created_by: str = "",
    redactor: Redactor | None = None,
    secrets: Names = (),
    public: Names = (),
    masks: Names = (),
    compact: bool = False,
    mode: str = Mode.ALL,
) -> dict[str, Wiring]:
    """All providers of a configuration, recorded into one cassette: what to put behind the double of each, by its name.

    ``behind`` says what stands behind each package. All are of one family (``terraform``); Terraform's majors may be mixed. The
    cassette is whole when the last of the doubles is closed. The other arguments are those of ``recording``. Raises what that
    raises, and ``DefinitionError`` for providers of several families.
    """
    redactor = _decided(redactor or Redactor(), secrets, public, masks)
    return using_all(modes.mode(mode), path, behind, protocol, created_by=created_by, redactor=redactor, compact=compact)


def _decided(redactor: Redactor, secrets: Names, public: Names, masks: Names) -> Redactor:
    for kind, names in ((redactor.secret, secrets), (redactor.public, public), (redactor.masks, masks)):
        redactor.decide(kind, names)
    return redactor


def replaying(
    path: str | os.PathLike[str],
    *,
    redactor: Redactor | None = None,
    whole_schema: bool = False,
    unplayed: str = Unplayed.FAIL,
) -> Wiring:
    """A provider that answers from the cassette ``path`` alone. Raises as ``tape.load`` does.

    A Terraform engine gets the schemas of the types in use only, which makes the replay fast; with ``whole_schema`` it gets
    all recorded ones. ``double.unplayed`` lists the recorded changes that nobody asked for, unless ``unplayed`` is ``allow``.
    Raises ``DefinitionError`` for another word.
    """
    return using(Mode.NONE, path, redactor=redactor, whole_schema=whole_schema, unplayed=unplayed)


def replaying_all(
    path: str | os.PathLike[str],
    *,
    redactor: Redactor | None = None,
    whole_schema: bool = False,
    unplayed: str = Unplayed.FAIL,
) -> dict[str, Wiring]:
    """The providers that answer from the cassette ``path``, by their names. Raises as ``tape.load`` does.

    They replay jointly: an object that one of them makes is known to the others. A cassette of one provider gives that one.
    """
    return using_all(Mode.NONE, path, {}, redactor=redactor, whole_schema=whole_schema, unplayed=unplayed)


def records(mode: Mode, path: str | os.PathLike[str]) -> bool:
    """Whether a test in this mode may write the cassette ``path``."""
    from mockprovider import tape  # noqa: PLC0415 - zstandard is slow to import

    return CassetteAction.RECORD in RULES[mode].actions(existed=tape.is_there(Path(path)))


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


def using(
    mode: Mode,
    path: str | os.PathLike[str] | Draft,
    behind: Wiring | Handler | None = None,
    protocol: str = "",
    *,
    created_by: str = "",
    redactor: Redactor | None = None,
    compact: bool = False,
    whole_schema: bool = False,
    unplayed: str = Unplayed.FAIL,
) -> Wiring:
    """The cassette ``path`` in a mode, in front of ``behind``: the modes' table says whether it is read and recorded to.

    The arguments are those of ``recording`` and ``replaying``; it raises what they raise.
    """
    wirings = _Use(mode, path, redactor, unplayed, whole_schema=whole_schema).wirings(
        {"": behind}, protocol, created_by, compact=compact
    )
    if len(wirings) > 1:
        raise CassetteError(
            f"{_place(path)} holds several providers ({', '.join(wirings)}). Replay them together: replaying_all(path), or "
            "@pytest.mark.cassette(providers={...})."
        )
    return next(iter(wirings.values()))


def using_all(
    mode: Mode,
    path: str | os.PathLike[str] | Draft,
    behind: Mapping[str, Wiring | Handler | None],
    protocol: str = "",
    *,
    created_by: str = "",
    redactor: Redactor | None = None,
    compact: bool = False,
    whole_schema: bool = False,
    unplayed: str = Unplayed.FAIL,
) -> dict[str, Wiring]:
    """As ``using``, with several providers in one cassette, by their names.

    The arguments are those of ``recording_all`` and ``replaying_all``; it raises what they raise.
    """
    if not all(behind) or (not behind and records(mode, _place(path))):
        raise DefinitionError("Say which providers there are, each by the name of its package: {'random': real(...)}.")
    wirings = _Use(mode, path, redactor, unplayed, whole_schema=whole_schema).wirings(
        behind, protocol, created_by, compact=compact
    )
    named = ByName({part or wiring.name: wiring for part, wiring in wirings.items()})
    if behind and behind.keys() != named.keys():
        raise CassetteError(
            f"{_place(path)} holds {', '.join(sorted(named))}, and the test has {', '.join(sorted(behind))}. Record it again."
        )
    return named


class _Use:
    """A cassette that is used in a mode, and what it holds, as far as the mode looks into it."""

    def __init__(
        self, mode: Mode, path: str | os.PathLike[str] | Draft, redactor: Redactor | None, unplayed: str, *, whole_schema: bool
    ) -> None:
        from mockprovider import tape  # noqa: PLC0415 - zstandard is slow to import
        from mockprovider.tape.uncollected import uncollected  # noqa: PLC0415 - as above

        policy = unplayed_policy(unplayed)
        self._mode = mode
        self._path = path
        self._given = isinstance(path, tape.Draft)
        self._redactor = redactor or Redactor()
        self._draft = path if isinstance(path, tape.Draft) else drafted(mode, path)
        self._actions = RULES[mode].actions(existed=tape.is_there(_place(path)))
        self._library: Library | None = None
        if self._draft is None or self._actions != {CassetteAction.RECORD}:
            with uncollected():
                self._library = opened(tape.load(_place(path)), self._redactor, whole_schema=whole_schema)
            self._library.policy = policy

    def wirings(
        self, behind: Mapping[str, Wiring | Handler | None], protocol: str, created_by: str, *, compact: bool
    ) -> dict[str, Wiring]:
        """What to put behind the double of each provider, by its name in the cassette."""
        if self._draft is None and self._library is not None:
            return dict(self._replayed(self._library))
        try:
            return self._recorded(behind, protocol, created_by, compact=compact)
        except BaseException:
            if self._draft is not None and not self._given:
                self._draft.release()
            raise

    def _recorded(
        self, behind: Mapping[str, Wiring | Handler | None], protocol: str, created_by: str, *, compact: bool
    ) -> dict[str, Wiring]:
        wirings = {
            name: wiring if isinstance(wiring, Wiring) else Wiring(name or "mock", wiring) for name, wiring in behind.items()
        }
        spoken = {name: wiring.protocol or of_family(protocol) for name, wiring in wirings.items()}
        recorder = self._recorder(wirings, spoken, created_by, compact=compact)
        return {
            name: Wiring(
                name or wiring.name,
                wiring.provider,
                (*wiring.layers, CassetteLayer(self._mode, self._library, recorder, name)),
                spoken[name],
                recorder,
                has_cassette=True,
                redactor=self._redactor,
                part=name,
            )
            for name, wiring in wirings.items()
        }

    def _replayed(self, library: Library) -> Iterator[tuple[str, Wiring]]:
        header = library.cassette.header
        for name, protocol in header.spoken.items():
            layer = CassetteLayer(self._mode, library, None, name)
            wiring = Wiring(name or header.provider or "mock", layer, (), by_name(protocol), has_cassette=True)
            yield name, replace(wiring, redactor=self._redactor, library=library, part=name)

    def _recorder(
        self, wirings: Mapping[str, Wiring], spoken: Mapping[str, ProviderProtocol], created_by: str, *, compact: bool
    ) -> Recorder:
        from mockprovider import tape  # noqa: PLC0415 - zstandard is slow to import
        from mockprovider.wire.adapter import adapter  # noqa: PLC0415 - grpc is slow to import

        _check_families(spoken)
        edges = {name: adapter(protocol) for name, protocol in spoken.items()}
        first = next(iter(spoken))
        return tape.record(
            self._draft or self._path,
            {name: edge.transcriber() for name, edge in edges.items()},
            protocol=spoken[first].name,
            provider="" if first else wirings[first].name,
            providers={name: protocol.name for name, protocol in spoken.items() if name},
            created_by=created_by,
            redactor=self._redactor,
            finishing=edges[first].compacted if compact else lambda cassette: cassette,
            keep=not self._given,
        )


def _place(path: str | os.PathLike[str] | Draft) -> Path:
    from mockprovider import tape  # noqa: PLC0415 - zstandard is slow to import

    return Path(path.path if isinstance(path, tape.Draft) else path)


def _check_families(spoken: Mapping[str, ProviderProtocol]) -> None:
    families = {protocol.family: name for name, protocol in spoken.items()}
    if len(families) > 1:
        listed = " and ".join(f"{name} ({family})" for family, name in families.items())
        raise DefinitionError(f"One cassette holds providers of one engine: {listed} cannot share one.")


def opened(cassette: Cassette, redactor: Redactor, *, whole_schema: bool) -> Library:
    """The recording of a cassette, ready to be replayed. Raises ``CassetteBrokenError`` for one that cannot be read."""
    try:
        return _prepared(cassette, redactor, whole_schema=whole_schema)
    except DAMAGE as error:
        guilty = _guilty(cassette)
        if guilty is None:
            raise CassetteBrokenError(
                f"{cassette.name}: its header cannot be used ({error}). Restore the file, or record it again."
            ) from error
        raise damaged(cassette.name, guilty, error) from error


def _prepared(cassette: Cassette, redactor: Redactor, *, whole_schema: bool) -> Library:
    from mockprovider.wire.adapter import adapter  # noqa: PLC0415 - grpc is slow to import

    spoken = {name: by_name(protocol) for name, protocol in cassette.header.spoken.items()}
    _check_families(spoken)
    read = {name: adapter(protocol).reader(cassette.part(name), whole_schema=whole_schema) for name, protocol in spoken.items()}
    prepared = (interaction for part, _ in read.values() for interaction in part.interactions)
    cassette = replace(cassette, interactions=sorted(prepared, key=lambda interaction: interaction.n))
    return Library(cassette, {name: reader for name, (_, reader) in read.items()}, redactor)


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


def cassette_path(module: Path, test: str) -> Path:
    """The default place of a test's cassette: ``cassettes/<module>/<test>.json`` beside the test."""
    safe = "".join(mark if mark.isalnum() or mark in "-_.[]" else "-" for mark in test)
    return module.parent / "cassettes" / module.stem / f"{safe}.json"

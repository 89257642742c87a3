"""Cassettes behind a double: what answers, and what records."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mockprovider.calls import Handler
from mockprovider.cassette import Mode, modes
from mockprovider.cassette.beyond import Beyond
from mockprovider.cassette.matching import Matching, matching_of
from mockprovider.cassette.unplayed import Unplayed
from mockprovider.clock import Clock
from mockprovider.double.behind import ByName, Wiring
from mockprovider.double.inuse import CassetteInUse, Policies, cassette_place, records
from mockprovider.errors import CassetteError, DefinitionError
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
    clock: Clock | None = None,
    matching: Matching | Mapping[str, Any] | None = None,
    http: bool = False,
) -> Wiring:
    """``behind``, with a recorder in front that makes the cassette ``path``. Raises as ``tape.record`` does.

    ``behind`` is ``real(...)``, any handler, or ``None`` for the fake; ``protocol`` is what it speaks, ``pulumi`` unless given.
    ``secrets``, ``public`` and ``masks`` name properties (``password``, ``aws_ssm_parameter.value``): more that are secret,
    those whose values are readable in spite of a declaration, and those whose values do not count when calls are compared.
    With ``compact``, repeated calls with one answer are kept once, and of Terraform's schemas only the types in use.
    With ``http``, ``behind`` is Python code in this process, and what it asks over HTTP is recorded with its calls.
    ``matching`` (a ``Matching``, or its arguments as a dict) decides which calls match, and is kept.
    ``mode`` is ``all`` unless given; with ``once`` a cassette that is there is replayed, as by ``replaying``. A ``with`` block
    of the double that ends in an error replaces no cassette.
    Raises ``DefinitionError`` for a name that is none, or is secret and public, for a word that is no mode, and for ``http``
    of a process or without the extra ``mockprovider[http]``.
    """
    redactor = _decided(redactor or Redactor(), secrets, public, masks)
    return using(
        modes.mode(mode),
        path,
        behind,
        protocol,
        created_by=created_by,
        redactor=redactor,
        compact=compact,
        matching=matching,
        clock=clock,
        http=http,
    )


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
    clock: Clock | None = None,
    matching: Matching | Mapping[str, Any] | None = None,
    http: bool = False,
) -> dict[str, Wiring]:
    """All providers of a configuration, recorded into one cassette: what to put behind the double of each, by its name.

    ``behind`` says what stands behind each package. All are of one family (``terraform``); Terraform's majors may be mixed. The
    cassette is whole when the last of the doubles is closed. The other arguments are those of ``recording``. Raises what that
    raises, and ``DefinitionError`` for providers of several families.
    """
    redactor = _decided(redactor or Redactor(), secrets, public, masks)
    return using_all(
        modes.mode(mode),
        path,
        behind,
        protocol,
        created_by=created_by,
        redactor=redactor,
        compact=compact,
        matching=matching,
        clock=clock,
        http=http,
    )


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
    beyond: str = Beyond.MISS,
    matching: Matching | Mapping[str, Any] | None = None,
    http: Wiring | Handler | bool = False,
) -> Wiring:
    """A provider that answers from the cassette ``path`` alone. Raises as ``tape.load`` does.

    With ``http``, a provider that is Python code in this process, that code runs for each recorded call: what it asks over
    HTTP is answered from the cassette, and it must answer what was recorded. ``True`` stands for one that
    ``double.use(provider=...)`` brings.

    A Terraform engine gets the schemas of the types in use only, which makes the replay fast; with ``whole_schema`` it gets
    all recorded ones. ``double.unplayed`` lists the recorded changes that nobody asked for, unless ``unplayed`` is ``allow``.
    ``matching`` (a ``Matching``, or its arguments as a dict) decides which calls match, beside what the cassette keeps.
    Raises ``DefinitionError`` for another word.
    """
    options: dict[str, Any] = {"whole_schema": whole_schema, "unplayed": unplayed, "beyond": beyond, "matching": matching}
    behind = None if isinstance(http, bool) else http
    return using(Mode.NONE, path, behind, redactor=redactor, http=bool(http), **options)


def replaying_all(
    path: str | os.PathLike[str],
    *,
    redactor: Redactor | None = None,
    whole_schema: bool = False,
    unplayed: str = Unplayed.FAIL,
    beyond: str = Beyond.MISS,
    matching: Matching | Mapping[str, Any] | None = None,
    http: Mapping[str, Wiring | Handler] | None = None,
) -> dict[str, Wiring]:
    """The providers that answer from the cassette ``path``, by their names. Raises as ``tape.load`` does.

    They replay jointly: an object that one of them makes is known to the others. A cassette of one provider gives that one.
    ``http`` is as for ``replaying``, by the name of each.
    """
    options: dict[str, Any] = {"whole_schema": whole_schema, "unplayed": unplayed, "beyond": beyond, "matching": matching}
    return using_all(Mode.NONE, path, http or {}, redactor=redactor, http=http is not None, **options)


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
    beyond: str = Beyond.MISS,
    clock: Clock | None = None,
    matching: Matching | Mapping[str, Any] | None = None,
    http: bool = False,
) -> Wiring:
    """The cassette ``path`` in a mode, in front of ``behind``: the modes' table says whether it is read and recorded to.

    The arguments are those of ``recording`` and ``replaying``; it raises what they raise.
    """
    policies = Policies(unplayed, beyond, matching_of(matching))
    use = CassetteInUse(mode, path, redactor, policies, whole_schema=whole_schema, clock=clock, http=http)
    wirings = use.wirings({"": behind}, protocol, created_by, compact=compact)
    if len(wirings) > 1:
        raise CassetteError(
            f"{cassette_place(path)} holds several providers ({', '.join(wirings)}). Replay them together: "
            "replaying_all(path), or @pytest.mark.cassette(providers={...})."
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
    beyond: str = Beyond.MISS,
    clock: Clock | None = None,
    matching: Matching | Mapping[str, Any] | None = None,
    http: bool = False,
) -> dict[str, Wiring]:
    """As ``using``, with several providers in one cassette, by their names.

    The arguments are those of ``recording_all`` and ``replaying_all``; it raises what they raise.
    """
    if not all(behind) or (not behind and records(mode, cassette_place(path))):
        raise DefinitionError("Say which providers there are, each by the name of its package: {'random': real(...)}.")
    policies = Policies(unplayed, beyond, matching_of(matching))
    use = CassetteInUse(mode, path, redactor, policies, whole_schema=whole_schema, clock=clock, http=http)
    wirings = use.wirings(behind, protocol, created_by, compact=compact)
    named = ByName({part or wiring.name: wiring for part, wiring in wirings.items()})
    if behind and behind.keys() != named.keys():
        raise CassetteError(
            f"{cassette_place(path)} holds {', '.join(sorted(named))}, and the test has {', '.join(sorted(behind))}. Record it "
            "again."
        )
    return named


def cassette_path(module: Path, test: str) -> Path:
    """The default place of a test's cassette: ``cassettes/<module>/<test>.json`` beside the test."""
    safe = "".join(mark if mark.isalnum() or mark in "-_.[]" else "-" for mark in test)
    return module.parent / "cassettes" / module.stem / f"{safe}.json"

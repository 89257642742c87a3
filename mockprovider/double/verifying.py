"""A cassette's calls, asked of a provider of today."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mockprovider import tape
from mockprovider.calls import Call, Handler, Reply, Session
from mockprovider.cassette.verifying import Opened, Verification, Verified
from mockprovider.double.behind import Wiring
from mockprovider.double.opening import opened
from mockprovider.errors import CassetteError, DefinitionError
from mockprovider.protocols import by_name
from mockprovider.redaction import Names, Redactor


class _Alone:
    """A handler without processes, as a provider of today."""

    def __init__(self, handler: Handler) -> None:
        self._handler = handler

    def __call__(self, call: Call) -> Reply:
        """Answer a call."""
        return self._handler(call)

    def end(self, session: Session) -> None:
        """Nothing is to be ended."""


@contextmanager
def verification(
    path: str | os.PathLike[str],
    behind: Mapping[str, Wiring | Handler],
    *,
    secrets: Mapping[int, str] | None = None,
    masks: Names = (),
) -> Iterator[Verification]:
    """The play of the cassette ``path`` against these providers, by their names; ``""`` is the one of a cassette of one.

    ``secrets`` are today's values of secrets that the user sent, by number; ``masks`` name properties that are not compared.
    The providers are ended when the block is left. Raises as ``tape.load`` does, and ``CassetteError`` for other providers than
    the cassette has, or of another protocol.
    """
    cassette = tape.load(Path(path))
    redactor = Redactor(masks=masks)
    library = opened(cassette, redactor, whole_schema=True)
    wirings = _fitting(library.cassette.header.spoken, library.cassette.header.provider, behind)
    providers = {name: _provider(wiring) for name, wiring in wirings.items()}
    try:
        yield Verification(library.shelf, providers, redactor, secrets)
    finally:
        for wiring in wirings.values():
            _close(wiring.provider)


def verify(
    path: str | os.PathLike[str],
    behind: Wiring | Handler | Mapping[str, Wiring | Handler],
    *,
    secrets: Mapping[int, str] | None = None,
    masks: Names = (),
) -> Verified:
    """Ask ``behind`` all that the cassette ``path`` holds, and say per call what it answers differently.

    ``behind`` is ``real(...)``, ``attached(...)`` or a handler; of a cassette of several providers, each by its name.
    Objects that were made and not deleted are in ``left`` of what comes back. Raises as ``verification`` does, ``PluginError``
    where a provider does not start, and ``UnknownSecretError`` for secrets that the user sent and that are not given.
    """
    by_provider = behind if isinstance(behind, Mapping) else {"": behind}
    with verification(path, by_provider, secrets=secrets, masks=masks) as play:
        for _ in play.play():
            pass
        return play.verified


def _fitting(spoken: Mapping[str, str], provider: str, behind: Mapping[str, Wiring | Handler]) -> dict[str, Wiring]:
    """The wiring of each provider of the cassette."""
    named = dict(behind)
    if spoken.keys() == {""} and len(named) == 1 and named.keys() <= {"", provider}:
        named = {"": next(iter(named.values()))}
    if named.keys() != spoken.keys():
        wanted = ", ".join(filter(None, spoken)) or f"one provider{f', {provider}' if provider else ''}"
        given = ", ".join(filter(None, named)) or "one without a name"
        raise CassetteError(
            f"The cassette holds {wanted}, and there is {given}. Name each as it does: --provider NAME=COMMAND."
        )
    wirings = {name: one if isinstance(one, Wiring) else Wiring(name or "mock", one) for name, one in named.items()}
    for name, wiring in wirings.items():
        if wiring.protocol is not None and wiring.protocol != by_name(spoken[name]):
            raise CassetteError(f"The cassette was recorded over {spoken[name]}, and the provider speaks {wiring.protocol}.")
        if wiring.provider is None:
            raise DefinitionError("There is no provider to ask: give real(...), attached(...) or a handler.")
    return wirings


def _provider(wiring: Wiring) -> Opened:
    provider: Any = wiring.provider
    return provider if hasattr(provider, "end") else _Alone(provider)


def _close(provider: Any) -> None:
    close: Callable[[], None] | None = getattr(provider, "close", None)
    if close is not None:
        close()

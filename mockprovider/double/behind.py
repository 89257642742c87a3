"""What stands behind a double: the fake, a real provider, or what a cassette makes of either."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, TypeVar

from msgspec import Struct

from mockprovider.calls import Handler, Layer
from mockprovider.double.launchers import named
from mockprovider.errors import DefinitionError, PluginError
from mockprovider.hints import did_you_mean
from mockprovider.protocols import ProviderProtocol, of_family
from mockprovider.redaction import Redactor

if TYPE_CHECKING:
    from mockprovider.cassette import Library, Recorder
    from mockprovider.double.stand_in import PastTheEnd

Command = Sequence[str]


class Wiring(Struct):
    """What stands behind a double's faults: the provider, the layers in front of it, and what the two speak.

    ``provider`` is ``None`` for the fake. ``name`` is the package's, ``protocol`` what it speaks, where that is fixed.
    ``has_cassette`` says whether a cassette is recorded or replayed, ``part`` what the provider is called in a cassette of
    several, ``redactor`` what is secret in it, and ``library`` is what is replayed. ``noticed`` is where errors go of which no
    engine is told. ``past`` is what answers past the end of a cassette; ``running`` says that all
    sessions reach one process, which runs already.
    """

    name: str
    provider: Handler | None = None
    layers: tuple[Layer, ...] = ()
    protocol: ProviderProtocol | None = None
    recorder: Recorder | None = None
    has_cassette: bool = False
    redactor: Redactor | None = None
    part: str = ""
    library: Library | None = None
    noticed: list[BaseException] | None = None
    past: PastTheEnd | None = None
    running: bool = False


Named = TypeVar("Named")


class ByName(dict[str, Named]):
    """What providers have, by their names. Raises ``DefinitionError`` for a name that none has, which says which there are."""

    def __missing__(self, name: str) -> NoReturn:
        raise DefinitionError(f"There is no provider {name!r} here. {did_you_mean(name, self, 'There are')}")


def real(
    command: Command,
    protocol: str = "",
    *,
    name: str = "",
    env: Mapping[str, str] | None = None,
    cwd: Path | str | None = None,
) -> Wiring:
    """A real provider: each session starts a process of its own at its first call.

    ``command`` is the executable and its arguments; ``protocol`` is ``pulumi`` or ``terraform``, and unless given, what the
    executable's name tells, else ``pulumi``. Raises ``PluginError`` if there is no such executable, or if a Terraform provider
    does not start (it is asked for its version of the protocol at once); a Pulumi provider that does not start fails the first
    call.
    """
    if not command or shutil.which(command[0]) is None:
        raise PluginError(
            f"There is no executable {command[0] if command else ''!r}. Give the provider's command: a name on PATH, or a path."
        )
    from mockprovider.wire.adapter import adapter  # noqa: PLC0415 - grpc is slow to import
    from mockprovider.wire.proxy import PerSession  # noqa: PLC0415 - as above

    family, package = named(command)
    speaks = adapter(of_family(protocol or family)).spoken_by(command, env)
    start = adapter(speaks).start
    return Wiring(name or package or "mock", PerSession(lambda call: start(command, call, env=env, cwd=cwd)), (), speaks)


def attached(target: str, protocol: str = "", *, name: str = "", major: int | None = None) -> Wiring:
    """A provider that runs already and listens at ``target`` (``host:port``).

    ``protocol`` is ``pulumi`` (unless given) or ``terraform``, the latter of protocol ``major``, 6 unless given. Each session
    is a connection of its own. Raises ``DefinitionError`` for a malformed target; nobody answering there fails the first call.
    """
    from mockprovider.double.remote import connect  # noqa: PLC0415 - grpc is slow to import
    from mockprovider.wire.proxy import PerSession  # noqa: PLC0415 - as above

    host, _, port = target.rpartition(":")
    if not host or not port.isdecimal():
        raise DefinitionError(f"{target!r} is no address. Write it as host:port, e.g. 127.0.0.1:41915.")
    return Wiring(name or "mock", PerSession(lambda call: connect(target, call)), (), of_family(protocol, major), running=True)

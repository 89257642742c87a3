"""Real providers and cassettes behind a double: what answers, what records, and what must be closed."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from msgspec import Struct

from mockprovider.calls import Call, Handler, Layer, Op, Reply
from mockprovider.cassette import Cassette, Recorder, Replayer, Transcriber
from mockprovider.cassette.compacting import without_repeats
from mockprovider.double.launchers import named
from mockprovider.errors import DefinitionError, PluginError
from mockprovider.redaction import Redactor

IDENTITIES = "GetResourceIdentitySchemas"
Command = Sequence[str]


class Closable(Protocol):
    """Something that holds what must be given back."""

    def close(self) -> Any:
        """Give it back."""


class Wiring(Struct):
    """What stands behind a double's faults: the provider, the layers in front of it, and what the two speak.

    ``provider`` is ``None`` for the fake. ``name`` is the package's, ``protocol`` what it speaks (``pulumi``,
    ``terraform``) where that is fixed, ``major`` Terraform's protocol.
    """

    name: str
    provider: Handler | None = None
    layers: tuple[Layer, ...] = ()
    major: int = 6
    protocol: str = "pulumi"
    recorder: Recorder | None = None


def real(
    command: Command,
    protocol: str = "pulumi",
    *,
    name: str = "",
    env: Mapping[str, str] | None = None,
    cwd: Path | str | None = None,
) -> Wiring:
    """A real provider: each session starts a process of its own at its first call.

    ``command`` is the executable and its arguments; ``protocol`` is ``pulumi`` or ``terraform``.
    Raises ``PluginError`` if there is no such executable, or if a Terraform provider does not start (it is asked for its
    protocol at once); a Pulumi provider that does not start fails the first call.
    """
    from mockprovider.wire.proxy import PerSession  # noqa: PLC0415 - grpc is slow to import

    if not command or shutil.which(command[0]) is None:
        raise PluginError(
            f"There is no executable {command[0] if command else ''!r}. Give the provider's command: a name on PATH, or a path."
        )

    start, major = _starter(protocol, command, env)
    package = name or named(command)[1] or "mock"
    return Wiring(package, PerSession(lambda call: start(command, call, env=env, cwd=cwd)), (), major, protocol)


def attached(target: str, protocol: str = "pulumi", *, name: str = "", major: int = 6) -> Wiring:
    """A provider that runs already and listens at ``target`` (``host:port``).

    ``protocol`` is ``pulumi`` or ``terraform``, the latter of protocol ``major``. Each session is a connection of its own.
    Raises ``DefinitionError`` for a malformed target; nobody answering there fails the first call.
    """
    from mockprovider.double.remote import connect  # noqa: PLC0415 - grpc is slow to import
    from mockprovider.wire.proxy import PerSession  # noqa: PLC0415 - as above

    host, _, port = target.rpartition(":")
    if not host or not port.isdecimal():
        raise DefinitionError(f"{target!r} is no address. Write it as host:port, e.g. 127.0.0.1:41915.")
    return Wiring(name or "mock", PerSession(lambda call: connect(target, call)), (), major, protocol)


def _starter(protocol: str, command: Command, env: Mapping[str, str] | None) -> tuple[Callable[..., Any], int]:
    if protocol == "pulumi":
        from mockprovider.pulumi.plugin import Plugin  # noqa: PLC0415 - imports pulumi, which is slow

        return Plugin, 6
    from mockprovider.terraform import plugin  # noqa: PLC0415 - an optional dependency

    return plugin.Plugin, plugin.protocol_of(command, env=env)


def recording(
    path: str | os.PathLike[str],
    behind: Wiring | Handler | None = None,
    protocol: str = "pulumi",
    *,
    created_by: str = "",
    redactor: Redactor | None = None,
    compact: bool = False,
) -> Wiring:
    """``behind``, with a recorder in front that writes the cassette ``path``. Raises as ``tape.record`` does.

    ``behind`` is ``real(...)``, any handler, or ``None`` for the fake. With ``compact``, repeated calls with
    one answer are kept once, and of Terraform's schemas only the types in use.
    """
    from mockprovider import tape  # noqa: PLC0415 - zstandard is slow to import

    if not isinstance(behind, Wiring):
        behind = Wiring("mock", behind)

    spoken = protocol if protocol == "pulumi" else f"tfplugin{behind.major}"
    recorder = tape.record(
        path,
        transcriber(spoken),
        protocol=spoken,
        provider=behind.name,
        created_by=created_by,
        redactor=redactor,
        finishing=_compacting(spoken) if compact else lambda cassette: cassette,
    )
    return Wiring(behind.name, behind.provider, (*behind.layers, recorder), behind.major, protocol, recorder)


def _compacting(protocol: str) -> Callable[[Cassette], Cassette]:
    mutates = transcriber(protocol).mutates
    if protocol == "pulumi":
        return lambda cassette: without_repeats(cassette, mutates)
    from mockprovider.terraform.pruning import pruned  # noqa: PLC0415 - an optional dependency

    return lambda cassette: pruned(without_repeats(cassette, mutates))


def replaying(path: str | os.PathLike[str], *, redactor: Redactor | None = None, whole_schema: bool = False) -> Wiring:
    """A provider that answers from the cassette ``path`` alone. Raises as ``tape.load`` does.

    A Terraform engine gets the schemas of the types in use only, which makes the replay fast; with ``whole_schema`` it gets
    all recorded ones.
    """
    from mockprovider import tape  # noqa: PLC0415 - zstandard is slow to import

    cassette = tape.load(path)
    header = cassette.header
    name = header.provider or "mock"
    if header.protocol == "pulumi":
        return Wiring(name, _Attached(Replayer(cassette, transcriber(header.protocol), redactor)))
    from mockprovider.terraform.pruning import pruned  # noqa: PLC0415 - an optional dependency
    from mockprovider.terraform.sets import Sets  # noqa: PLC0415 - as above

    small = pruned(cassette)
    replayer = Replayer(cassette if whole_schema else small, transcriber(header.protocol), redactor, Sets(small))
    asked = any(each.method == IDENTITIES for each in cassette.interactions)
    provider = replayer if asked else _Unidentified(replayer)
    return Wiring(name, provider, (), int(header.protocol.removeprefix("tfplugin")), "terraform")


class _Attached:
    """Whoever attaches to a replay is attached: the call is about an address, and engines take only yes for an answer."""

    def __init__(self, replayer: Handler) -> None:
        self.replayer = replayer

    def __call__(self, call: Call) -> Reply:
        return Reply() if call.op is Op.ATTACH else self.replayer(call)


class _Unidentified:
    """A recording made under an engine that asks for no resource identities: to one that does, there are none.

    Nothing else in such a recording has an identity, so this is what the recorded provider was seen to be.
    """

    def __init__(self, replayer: Handler) -> None:
        self.replayer = replayer

    def __call__(self, call: Call) -> Reply:
        return Reply() if call.method == IDENTITIES else self.replayer(call)


def transcriber(protocol: str) -> Transcriber:
    """How conversations in ``protocol`` (``pulumi``, ``tfplugin5``, ``tfplugin6``) are written down."""
    if protocol == "pulumi":
        from mockprovider.pulumi.transcript import Transcript  # noqa: PLC0415 - imports pulumi, which is slow

        return Transcript()
    if protocol not in ("tfplugin5", "tfplugin6"):
        raise DefinitionError(f"There is no protocol {protocol!r}: cassettes are of pulumi, tfplugin5 or tfplugin6.")
    from mockprovider.terraform.transcript import Transcript as TerraformTranscript  # noqa: PLC0415 - an optional dependency

    return TerraformTranscript(int(protocol.removeprefix("tfplugin")))


def cassette_path(module: Path, test: str) -> Path:
    """Where a test's cassette lies when nobody says: ``cassettes/<module>/<test>.json`` beside the test."""
    safe = "".join(mark if mark.isalnum() or mark in "-_.[]" else "-" for mark in test)
    return module.parent / "cassettes" / module.stem / f"{safe}.json"

"""What a protocol does at the edge: one class in each protocol's folder, found through ``protocols``.

A new protocol says what its table is. The other methods say what most protocols would say; one that real providers or engines
take part in has more to say.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from mockprovider.audit import EngineMemory
from mockprovider.calls import Call, Reply, Session
from mockprovider.cassette import Cassette, Reader, Transcriber
from mockprovider.cassette.compacting import without_repeats
from mockprovider.errors import DefinitionError, PluginError, UnsupportedError
from mockprovider.protocols import ProviderProtocol, loaded
from mockprovider.schema import Package
from mockprovider.wire.bench import Bench
from mockprovider.wire.client import Client
from mockprovider.wire.logs import EngineLog, LogExport
from mockprovider.wire.methods import Service
from mockprovider.wire.transcript import TableTranscript


class RunningProvider(Protocol):
    """A handler that holds a process or a connection."""

    def __call__(self, call: Call) -> Reply:
        """Answer a call."""

    def close(self) -> None:
        """Give back what it holds. Safe to call again."""


class ProviderConnection(RunningProvider, Protocol):
    """A connection to a provider that somebody serves."""

    def wait_ready(self) -> None:
        """Return once the provider answers. Raises ``PluginError`` if it does not in time."""


class Adapter(ABC):
    """What one version of a protocol does. ``protocol`` is its value."""

    def __init__(self, protocol: ProviderProtocol) -> None:
        self.protocol = protocol

    # Serving and calling -----------------------------------------------------------------------------------------------

    @property
    @abstractmethod
    def service(self) -> Service:
        """The table of the provider's service."""

    def beside(self, on_shutdown: Callable[[str], Any]) -> tuple[Any, ...]:  # noqa: ARG002 - for those that have some
        """GRPC handlers that are served beside the service; ``on_shutdown`` is told the address of an engine that is done."""
        return ()

    def client(self, target: str, session: Session) -> ProviderConnection:  # noqa: ARG002 - some serve the engine's side to it
        """A connection of ``session`` to the provider that listens at ``target``, ``host:port``."""
        return Client(target, self.service)

    # Real providers ----------------------------------------------------------------------------------------------------

    def start(
        self,
        command: Sequence[str],
        call: Call,  # noqa: ARG002 - for those that can
        *,
        env: Mapping[str, str | None] | None = None,  # noqa: ARG002
        cwd: Path | str | None = None,  # noqa: ARG002
    ) -> RunningProvider:
        """A real provider's process for the session that ``call`` opens. Raises ``PluginError`` if it does not start."""
        raise PluginError(
            f"Providers that speak {self.protocol.family} cannot be started here, {command[0]!r} neither: its adapter has no "
            f"start(). Attach to one that runs: attached('host:port', {self.protocol.family!r})."
        )

    def spoken_by(self, command: Sequence[str], env: Mapping[str, str | None] | None = None) -> ProviderProtocol:  # noqa: ARG002
        """The version that a real provider speaks, of those of this family. Raises ``PluginError`` if it does not say."""
        return self.protocol

    def judged(self, bench: Bench, name: str, config: Mapping[str, Any]) -> Package:  # noqa: ARG002 - for those that can
        """The package ``name`` of the provider on ``bench``, whose ``judge`` asks it; ``config`` is what it is configured with.

        Raises ``DefinitionError`` if it does not say what its schema is.
        """
        raise DefinitionError(
            f"Providers that speak {self.protocol.family} have no pure RPC that could be asked of a real one."
        )

    # Engines -----------------------------------------------------------------------------------------------------------

    def environment(self, addresses: Mapping[str, str]) -> dict[str, str]:  # noqa: ARG002 - for engines that read some
        """The variables by which an engine finds running providers: ``host:port`` by package."""
        return {}

    def other_names(self, definitions: Any) -> Iterable[str]:  # noqa: ARG002 - for engines that have several
        """Further names by which an engine may look for a package with these definitions (``Package``)."""
        return ()

    def joined(self, one: str, other: str) -> str:
        """Two values of one such variable as one."""
        return f"{one},{other}"

    def started_environment(self, folder: Path, packages: Iterable[str]) -> dict[str, str]:  # noqa: ARG002 - it has none
        """The variables by which an engine finds the launchers in ``folder`` and starts them."""
        raise DefinitionError(f"Engines that speak {self.protocol.family} start no plugins here: let them attach instead.")

    def launcher(self, name: str, into: Path, version: str, source: str) -> Path:
        """Where an engine looks for the executable of the package ``name``, below ``into``.

        Without ``version`` that is ``into`` itself. Raises ``DefinitionError`` for a ``source`` that cannot be one.
        """
        if source:
            raise DefinitionError(f"{source!r} is a source address, and {self.protocol.family} has none. Leave it out.")
        return into / f"{self.protocol.executable}{name}{f'-{version}' if version else ''}"

    def plugin_folders(self, package: str) -> Iterable[Path]:  # noqa: ARG002 - for those that keep plugins
        """The folders in which engines of this family keep the provider of ``package``, the newest first."""
        return ()

    def advice(self, name: str, into: Path, version: str) -> str:  # noqa: ARG002 - for those that need them
        """What the user of an engine is told after a launcher was installed into ``into``."""
        return f"The engine finds it if {into} is a folder that it searches."

    def remembered(
        self,
        document: Mapping[str, Any],  # noqa: ARG002 - for engines that keep a state
        packages: Mapping[str, Package],  # noqa: ARG002
        serves: Callable[[str], bool],  # noqa: ARG002
    ) -> EngineMemory | None:
        """What an engine of this family remembers of the served packages; ``None`` for what is no state of one.

        ``packages`` are the declared ones by name. Raises ``MalformedError`` or ``UnsupportedError`` for a state that cannot
        be read.
        """
        return None

    # Recordings --------------------------------------------------------------------------------------------------------

    def transcriber(self) -> Transcriber:
        """How conversations are written down; a new one for each recording, since it may learn."""
        return TableTranscript(self.service)

    def compacted(self, cassette: Cassette) -> Cassette:
        """The recording without what a replay can do without."""
        return without_repeats(cassette, self.transcriber().mutates)

    def respelled(self, cassette: Cassette) -> Cassette:
        """The recording of one provider, with its values as they are written today."""
        return cassette

    def reader(self, cassette: Cassette, *, whole_schema: bool) -> tuple[Cassette, Reader]:  # noqa: ARG002
        """The recording as it is replayed, with ``whole_schema`` also about types that were not in use, and how it is read."""
        return cassette, Reader(self.transcriber())

    log_file: str = ""
    """What engines of this family write down of their calls, and how one gets it; empty where they do not."""

    def read_log(self, data: bytes, chosen: Collection[str] = ()) -> EngineLog | None:  # noqa: ARG002 - for engines with logs
        """The calls in a log that an engine of this family wrote, of the ``chosen`` packages or all; ``None`` for what is none.

        Raises ``MalformedError`` for one that cannot be read.
        """
        return None

    def exported_log(self, cassette: Cassette) -> LogExport:
        """A cassette as such a log. Raises ``UnsupportedError`` where the engines of this family write none."""
        raise UnsupportedError(
            f"{cassette.name} was recorded over {cassette.header.protocol}, and {self.protocol.family} engines write no log of "
            "their calls that it could become. The cassette itself is JSON to read: mockprovider docs cassettes has the format."
        )

    # Schemas -----------------------------------------------------------------------------------------------------------

    def recorded_package(self, cassette: Cassette, origin: str) -> Package | None:  # noqa: ARG002 - for those with schemas
        """The package whose schema a recording has; ``None`` if it has none. ``origin`` is what errors call it."""
        return None

    def declared_packages(self, document: Any, text: str, origin: str) -> tuple[str, list[Package]] | None:  # noqa: ARG002
        """What a schema file of this family is called and declares; ``None`` for what is no such file.

        Raises ``DefinitionError`` for one that is wrong.
        """
        return None

    def kept_packages(self, text: str, origin: str) -> tuple[str, list[Package]] | None:  # noqa: ARG002 - for large schemas
        """What ``declared_packages`` says, where the text was read before; it is not parsed again."""
        return None

    def published(self, reply: Reply, name: str) -> str:  # noqa: ARG002 - for those with schemas
        """What a real provider, ``name``, answered to GetSchema, as the text of a schema file; empty for none."""
        return ""

    schema_file: str = ""
    """What such a file is called, and how one gets it."""


def adapter(protocol: ProviderProtocol) -> Adapter:
    """The protocol's adapter. Raises ``ModuleNotFoundError`` for a missing optional dependency."""
    protocol_adapter: Adapter = loaded(protocol.adapter)(protocol)
    return protocol_adapter

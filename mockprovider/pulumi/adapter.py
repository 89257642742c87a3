"""What Pulumi's provider protocol does at the edge (``wire.adapter``)."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from mockprovider.audit import EngineMemory
from mockprovider.calls import Call, Op, Reply, Session
from mockprovider.cassette import Cassette, Reader
from mockprovider.pulumi.errors import read_status
from mockprovider.pulumi.judging import judged_package
from mockprovider.pulumi.log import EngineServer
from mockprovider.pulumi.methods import PROVIDER
from mockprovider.pulumi.modern import unknown_fields, unrecorded, with_instances
from mockprovider.pulumi.monitor import relayed
from mockprovider.pulumi.package.kept import kept_package
from mockprovider.pulumi.package.reading import from_schema, is_schema
from mockprovider.pulumi.process.plugin import Plugin, attach_environment
from mockprovider.pulumi.stacks import deployments
from mockprovider.pulumi.transcript import PulumiTranscript
from mockprovider.schema import Package
from mockprovider.wire.adapter import Adapter
from mockprovider.wire.bench import Bench
from mockprovider.wire.client import Client
from mockprovider.wire.logs import EngineLog, LogExport
from mockprovider.wire.methods import Service

SCHEMA_FILE = "a Pulumi package schema"


class PulumiAdapter(Adapter):
    """Pulumi's ``ResourceProvider``."""

    schema_file = "a Pulumi package schema (`pulumi package get-schema`, JSON or YAML)"

    @property
    def service(self) -> Service:
        """``pulumirpc.ResourceProvider``."""
        return PROVIDER

    def client(self, target: str, session: Session) -> Connection:
        """A connection, with the engine's service for the provider's log."""
        return Connection(target, session)

    def start(
        self, command: Sequence[str], call: Call, *, env: Mapping[str, str | None] | None = None, cwd: Path | str | None = None
    ) -> Plugin:
        """A process of the provider. Raises ``PluginError`` if it does not print its port."""
        return Plugin(command, call, env=env, cwd=cwd)

    def judged(self, bench: Bench, name: str, config: Mapping[str, Any]) -> Package:
        """The package of the provider, which checks and diffs."""
        return judged_package(bench, name, config)

    def environment(self, addresses: Mapping[str, str]) -> dict[str, str]:
        """``PULUMI_DEBUG_PROVIDERS``."""
        return attach_environment({package: int(address.rpartition(":")[2]) for package, address in addresses.items()})

    def started_environment(self, folder: Path, packages: Iterable[str]) -> dict[str, str]:  # noqa: ARG002 - found by name
        """``PATH``, on which engines look for plugins."""
        return {"PATH": os.pathsep.join([str(folder), os.environ.get("PATH", "")])}

    def launcher(self, name: str, into: Path, version: str, source: str) -> Path:
        """The executable in ``into``, or with a version in a subfolder for it, as in ``~/.pulumi/plugins``."""
        path = super().launcher(name, into, "", source)
        return into / f"resource-{name}-v{version}" / path.name if version else path

    def plugin_folders(self, package: str) -> Iterable[Path]:
        """Those in the engine's home, a folder a version."""
        home = Path(os.environ.get("PULUMI_HOME") or Path.home() / ".pulumi")
        return sorted((home / "plugins").glob(f"resource-{package}-v*"), reverse=True)

    def advice(self, name: str, into: Path, version: str) -> str:  # noqa: ARG002 - the folder says it all
        """The folder that the engine has to search."""
        if version:
            return f"pulumi finds it if {into} is the folder plugins of its home (PULUMI_HOME, or ~/.pulumi)."
        return f"pulumi finds it on PATH:\n\n  export PATH='{into}{os.pathsep}'\"$PATH\""

    def remembered(
        self,
        document: Mapping[str, Any],
        packages: Mapping[str, Package],  # noqa: ARG002 - a state says all of its values
        serves: Callable[[str], bool],
    ) -> EngineMemory | None:
        """What an exported stack remembers."""
        return deployments.remembered(deployments.load(document), serves) if "deployment" in document else None

    def transcriber(self) -> PulumiTranscript:
        """Its transcript, which also records the way back."""
        return PulumiTranscript()

    def reader(self, cassette: Cassette, *, whole_schema: bool) -> tuple[Cassette, Reader]:  # noqa: ARG002
        """The recording, whose replay also answers Attach: that only gives an address, and engines accept no failure of it.

        What older engines did not say is not compared. A handshake and the end of a session need not have been recorded.
        """
        transcript = PulumiTranscript(without=unknown_fields(cassette))
        return with_instances(cassette), Reader(transcript, unrecorded=unrecorded(cassette))

    log_file = "what `pulumi` writes with PULUMI_DEBUG_GRPC=FILE: a JSON object in each line"

    def read_log(self, data: bytes, chosen: Collection[str] = ()) -> EngineLog | None:
        """The calls in a ``PULUMI_DEBUG_GRPC`` log."""
        from mockprovider.pulumi.grpclog import read_log  # noqa: PLC0415 - few need it, and its imports are slow

        return read_log(data, chosen)

    def exported_log(self, cassette: Cassette) -> LogExport:
        """The cassette as a ``PULUMI_DEBUG_GRPC`` log."""
        from mockprovider.pulumi.grpclog import cassette_lines  # noqa: PLC0415 - as above

        return cassette_lines(cassette, self.transcriber())

    def recorded_package(self, cassette: Cassette, origin: str) -> Package | None:
        """The package of a recorded GetSchema."""
        for answer in cassette.answers(Op.GET_SCHEMA):
            if answer.get("schema"):
                return from_schema(answer["schema"], origin)
        return None

    def kept_packages(self, text: str, origin: str) -> tuple[str, list[Package]] | None:
        """The package of a package schema that was read before."""
        package = kept_package(text, origin)
        return (SCHEMA_FILE, [package]) if package else None

    def published(self, reply: Reply, name: str) -> str:  # noqa: ARG002 - the schema has its name
        """The schema in the answer."""
        return str(reply.extra.get("schema", ""))

    def declared_packages(self, document: Any, text: str, origin: str) -> tuple[str, list[Package]] | None:
        """The package of a package schema."""
        return (SCHEMA_FILE, [from_schema(text, origin)]) if is_schema(document) else None


class Connection:
    """One session's connection, and the service by which the provider reaches its engine."""

    def __init__(self, target: str, session: Session) -> None:
        self._engine = EngineServer(session.engine) if session.engine else None
        back = {"engine_address": self._engine.address} if self._engine else {}
        self._client = Client(target, PROVIDER, rewrite=back, on_failure=read_status)

    def wait_ready(self) -> None:
        """Return once the server answers. Raises ``PluginError`` if it does not in time."""
        self._client.wait_ready()

    def __call__(self, call: Call) -> Reply:
        """Make the call."""
        return relayed(call, self._client)

    def close(self) -> None:
        """Close the connection."""
        self._client.close()
        if self._engine:
            self._engine.stop()

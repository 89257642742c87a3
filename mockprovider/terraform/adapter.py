"""What Terraform's provider protocol does at the edge (``wire.adapter``); OpenTofu speaks the same."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from mockprovider.audit import EngineMemory
from mockprovider.calls import Call, Op, Reply
from mockprovider.cassette import Cassette, Reader, Transcriber
from mockprovider.errors import DefinitionError, PluginError
from mockprovider.protocols import ProviderProtocol, of_family
from mockprovider.schema import Package
from mockprovider.terraform.judging.judge import judged_package
from mockprovider.terraform.process.installing import SOURCE, dev_overrides, mirror, sources, this_machine
from mockprovider.terraform.process.plugin import Plugin, controller, protocol_of, reattach_environment
from mockprovider.terraform.proto import protocol as messages
from mockprovider.terraform.recorded import tfstate
from mockprovider.terraform.recorded.pruning import pruned
from mockprovider.terraform.recorded.respelling import modern
from mockprovider.terraform.recorded.sets import Sets
from mockprovider.terraform.recorded.transcript import TerraformTranscript
from mockprovider.terraform.recorded.trees import build
from mockprovider.terraform.rpcs.methods import SERVICES
from mockprovider.terraform.schema.published import data_of
from mockprovider.terraform.schema.reading import (
    from_terraform_schema,
    from_terraform_schemas,
    is_terraform_schema,
    kept_terraform_schemas,
)
from mockprovider.wire.adapter import Adapter
from mockprovider.wire.bench import Bench
from mockprovider.wire.methods import Service

SCHEMA_FILE = "a Terraform provider schema"
IDENTITIES = "GetResourceIdentitySchemas"


class TerraformAdapter(Adapter):
    """Protocol 5 or 6 of Terraform's providers."""

    schema_file = "what `terraform providers schema -json` shows"

    @property
    def service(self) -> Service:
        """The Provider service of this major."""
        return SERVICES[self.protocol.version]

    def beside(self, on_shutdown: Callable[[str], Any]) -> tuple[Any, ...]:
        """The services of the plugin library."""
        return (controller(on_shutdown),)

    def start(
        self, command: Sequence[str], call: Call, *, env: Mapping[str, str | None] | None = None, cwd: Path | str | None = None
    ) -> Plugin:
        """A process of the provider. Raises ``PluginError`` if it prints no handshake line."""
        return Plugin(command, call, env=env, cwd=cwd)

    def spoken_by(self, command: Sequence[str], env: Mapping[str, str | None] | None = None) -> ProviderProtocol:
        """The major that the provider speaks; this starts it once."""
        return of_family(self.protocol.family, protocol_of(command, env=env))

    def judged(self, bench: Bench, name: str, config: Mapping[str, Any]) -> Package:
        """The package of the provider, which validates and plans."""
        return judged_package(bench, self.protocol.version, name, config)

    def environment(self, addresses: Mapping[str, str]) -> dict[str, str]:
        """``TF_REATTACH_PROVIDERS``, for each source address that a configuration may use for a package."""
        by_source = {source: address for name, address in addresses.items() for source in sources(name)}
        return reattach_environment(by_source, self.protocol.version)

    def other_names(self, definitions: Any) -> Iterable[str]:
        """The address that the provider's schema has, which need not be under ``hashicorp``."""
        return (definitions.address,) if definitions.address else ()

    def joined(self, one: str, other: str) -> str:
        """Two JSON objects as one."""
        return json.dumps(json.loads(one) | json.loads(other))

    def started_environment(self, folder: Path, packages: Iterable[str]) -> dict[str, str]:
        """``TF_CLI_CONFIG_FILE``, which maps the packages' sources to ``folder``."""
        settings = folder / "cli.tfrc"
        settings.write_text(dev_overrides(folder, packages), encoding="utf-8")
        return {"TF_CLI_CONFIG_FILE": str(settings)}

    def launcher(self, name: str, into: Path, version: str, source: str) -> Path:
        """The executable in ``into``, or with a version in the filesystem mirror ``into``."""
        if source and len(source.split("/")) != 3:
            raise DefinitionError(f"{source!r} is no source address of a Terraform provider: write HOST/NAMESPACE/TYPE.")
        executable = f"{self.protocol.executable}{name}"
        if not version:
            return into / executable
        return into / (source or SOURCE.format(package=name)) / version / this_machine() / f"{executable}_v{version}"

    def plugin_folders(self, package: str) -> Iterable[Path]:
        """Those of this folder's configuration, which init has filled."""
        return sorted((Path.cwd() / ".terraform").glob(f"providers/*/*/{package}/*/*"), reverse=True)

    def advice(self, name: str, into: Path, version: str) -> str:
        """The settings file by which the engine finds the launcher."""
        settings = mirror(into) if version else dev_overrides(into, [name])
        after = "Then run init." if version else "There is no init to run."
        return f"In the file that TF_CLI_CONFIG_FILE names:\n\n{settings}\n{after}"

    def remembered(
        self, document: Mapping[str, Any], packages: Mapping[str, Package], serves: Callable[[str], bool]
    ) -> EngineMemory | None:
        """What a state file remembers."""
        return tfstate.remembered(tfstate.load(document), packages, serves) if tfstate.MARKS & document.keys() else None

    def transcriber(self) -> Transcriber:
        """A transcript, which learns from schemas which attributes are sensitive."""
        return TerraformTranscript(self.protocol.version)

    def compacted(self, cassette: Cassette) -> Cassette:
        """The cassette without repeats, and with the schemas of the types in use only."""
        return pruned(super().compacted(cassette))

    def respelled(self, cassette: Cassette) -> Cassette:
        """The recording without values that older versions kept as bytes."""
        return modern(cassette, self.service)

    def reader(self, cassette: Cassette, *, whole_schema: bool) -> tuple[Cassette, Reader]:
        """The recording with the schemas of the types in use, or all with ``whole_schema``; sets in it are sorted.

        To an engine that asks for resource identities where no engine did, a recording answers none. Nothing else in it has an
        identity, so this agrees with the recorded provider.
        """
        small = modern(pruned(cassette), self.service)
        asked = any(interaction.method == IDENTITIES for interaction in cassette.interactions)
        reader = Reader(self.transcriber(), Sets(small), lambda call: None if asked or call.method != IDENTITIES else Reply())
        return modern(cassette, self.service) if whole_schema else small, reader

    def recorded_package(self, cassette: Cassette, origin: str) -> Package | None:
        """The package of a recorded GetProviderSchema."""
        for answer in cassette.answers(Op.GET_SCHEMA):
            if "provider" in answer:
                message = build(answer, messages(self.protocol.version).message("GetProviderSchema.Response"))
                return from_terraform_schema(message, cassette.header.provider, origin=origin)
        return None

    def kept_packages(self, text: str, origin: str) -> tuple[str, list[Package]] | None:
        """The packages of such a file that was read before."""
        packages = kept_terraform_schemas(text, origin)
        return (SCHEMA_FILE, packages) if packages else None

    def published(self, reply: Reply, name: str) -> str:
        """The answer as ``terraform providers schema -json`` shows it."""
        if reply.native is None:
            return ""
        message: Any = messages(self.protocol.version).message("GetProviderSchema.Response").FromString(reply.native.data)
        problems = [problem.summary for problem in message.diagnostics if problem.severity == 1]
        if problems:
            raise PluginError(f"{name} has no schema to tell: {'; '.join(problems)}.")
        providers = {f"registry.terraform.io/hashicorp/{name}": data_of(message)}
        return json.dumps({"format_version": "1.0", "provider_schemas": providers})

    def declared_packages(self, document: Any, text: str, origin: str) -> tuple[str, list[Package]] | None:
        """The packages of ``terraform providers schema -json``."""
        if not is_terraform_schema(document):
            return None
        return SCHEMA_FILE, from_terraform_schemas(document, origin, text=text)

"""Policy packs as users of ``pulumi`` have them: a folder with ``PulumiPolicy.yaml``, or an executable, run in a process."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import grpc
from google.protobuf import empty_pb2
from google.protobuf.message_factory import GetMessageClass
from msgspec import Struct

from mockprovider.calls import EnginePort
from mockprovider.errors import MalformedError, PluginError, UnsupportedError
from mockprovider.files import nearest
from mockprovider.pulumi.languages.project import Project, load_yaml
from mockprovider.pulumi.languages.python import interpreter_of
from mockprovider.pulumi.log import EngineServer
from mockprovider.pulumi.policies.serving import ANALYZER
from mockprovider.pulumi.process.plugin import PORT_SECONDS
from mockprovider.pulumi.sdk import analyzer_pb2
from mockprovider.wire.client import READY_SECONDS, is_ready
from mockprovider.wire.process import Process
from mockprovider.wire.server import OPTIONS, OWN_CONNECTION

HOW = "Give the folder of a policy pack, with its PulumiPolicy.yaml, or a PolicyPack."
OPTIONAL = frozenset({"Handshake", "ConfigureStack", "Cancel", "AnalyzeStack", "Remediate"})
"""RPCs that older packs do not have; that is as if they had nothing to say."""
CANCEL_SECONDS = 1.0
"""How long a pack may take to hear that it is to end."""


class PolicyStack(Struct, frozen=True, kw_only=True):
    """What a pack is told of the operation."""

    project: str
    stack: str
    organization: str
    preview: bool
    config: Mapping[str, str]
    secret_keys: Sequence[str]


class StartedPack:
    """A policy pack in a process of its own, with the methods of ``pulumirpc.Analyzer``. They raise ``PluginError``.

    Args:
        path: the folder with ``PulumiPolicy.yaml``, or an executable that prints its port.
        of: what it is told of the operation.
        engine: where its log goes.

    Raises ``MalformedError`` if it is none, ``UnsupportedError`` if its language cannot be run here, ``ProgramError`` if its
    virtual environment is missing, and ``PluginError`` if it does not start.
    """

    def __init__(self, path: Path | str, of: PolicyStack, engine: EnginePort) -> None:
        self.path = Path(path).resolve()
        command, self._declared = _command(self.path)
        self._engine = EngineServer(engine)
        folder = self.path if self.path.is_dir() else self.path.parent
        words = [self._engine.address, *(["."] if self.path.is_dir() else [])]
        self._process = Process([*command, *words], cwd=folder, env=_environment(of))
        try:
            port = self._process.line(PORT_SECONDS).strip()
            if not port.isdecimal():
                raise PluginError(f"{self.path} is no policy pack: its first line must be its port alone, and is {port!r}.")
        except BaseException:
            self._end()
            raise
        self._channel = grpc.insecure_channel(f"127.0.0.1:{port}", options=(*OPTIONS, OWN_CONNECTION))
        try:
            # Not by a call that waits until somebody listens, which would not notice that nobody is left who may.
            if not is_ready(self._channel, READY_SECONDS, lambda: self._process.running):
                raise PluginError(f"{self.path} printed its port, and nothing answers there.{self._process.last_words()}")
            self._introduce(str(folder), of)
        except BaseException:
            self.close()
            raise

    def _introduce(self, folder: str, of: PolicyStack) -> None:
        handshake = analyzer_pb2.AnalyzerHandshakeRequest(
            engine_address=self._engine.address, root_directory=folder, program_directory=folder
        )
        self._ask("Handshake", handshake)
        configure = analyzer_pb2.AnalyzerStackConfigureRequest(
            stack=of.stack,
            project=of.project,
            organization=of.organization,
            dry_run=of.preview,
            config=of.config,
            config_secret_keys=of.secret_keys,
        )
        self._ask("ConfigureStack", configure)

    def GetAnalyzerInfo(self, request: Any) -> Any:  # noqa: N802 - the RPC's name
        """What the pack has; the version in ``PulumiPolicy.yaml`` wins."""
        info = self._ask("GetAnalyzerInfo", request)
        info.version = self._declared or info.version
        return info

    def Analyze(self, request: Any) -> Any:  # noqa: N802 - the RPC's name
        """Check one resource."""
        return self._ask("Analyze", request)

    def AnalyzeStack(self, request: Any) -> Any:  # noqa: N802 - the RPC's name
        """Check all resources of the stack."""
        return self._ask("AnalyzeStack", request)

    def Remediate(self, request: Any) -> Any:  # noqa: N802 - the RPC's name
        """Change one resource."""
        return self._ask("Remediate", request)

    def Cancel(self, request: Any) -> Any:  # noqa: N802 - the RPC's name
        """Ask the pack to end what it does."""
        return self._ask("Cancel", request, CANCEL_SECONDS)

    def _ask(self, name: str, request: Any, seconds: float | None = None) -> Any:
        answer = GetMessageClass(ANALYZER.methods_by_name[name].output_type)
        call = self._channel.unary_unary(
            f"/{ANALYZER.full_name}/{name}", lambda message: bytes(message.SerializeToString()), answer.FromString
        )
        try:
            return call(request, timeout=seconds)
        except grpc.RpcError as error:
            failed: Any = error
            if failed.code() is grpc.StatusCode.UNIMPLEMENTED and name in OPTIONAL:
                return answer()
            raise PluginError(f"the policy pack {self.path.name}: {failed.details()}") from error

    def close(self) -> None:
        """End the pack: it is told, and then its process is ended."""
        # It ends, whatever it says to that.
        with suppress(PluginError):
            self.Cancel(empty_pb2.Empty())
        self._channel.close()
        self._end()

    def _end(self) -> None:
        self._process.stop()
        self._engine.stop()


def _command(path: Path) -> tuple[list[str], str]:
    """The words that start a pack, and its version where its folder says one."""
    if path.is_file():
        if not os.access(path, os.X_OK):
            raise MalformedError(f"{path} is no policy pack: it is neither a folder with PulumiPolicy.yaml nor executable.")
        return [str(path)], ""
    if not path.exists():
        raise MalformedError(" ".join(filter(None, (f"There is no policy pack at {path}.", nearest(path), HOW))))
    content = load_yaml(path / "PulumiPolicy.yaml", HOW)
    runtime = content.get("runtime")
    kind, options = (runtime.get("name"), runtime.get("options") or {}) if isinstance(runtime, Mapping) else (runtime, {})
    if kind != "python":
        raise UnsupportedError(
            f"{path}: the embedded engine runs policy packs in Python and executables, and this one is for {kind!r}. "
            "The pulumi CLI runs it, if that language's plugin is there."
        )
    main = path / str(content.get("main") or "")
    project = Project(path, path.name, "python", options, main, path)
    return [interpreter_of(project), "-u", "-m", "pulumi.policy"], str(content.get("version") or "")


def _environment(of: PolicyStack) -> dict[str, str | None]:
    return {
        "PULUMI_PROJECT": of.project,
        "PULUMI_STACK": of.stack,
        "PULUMI_ORGANIZATION": of.organization,
        "PULUMI_DRY_RUN": "true" if of.preview else "false",
        "PULUMI_CONFIG": json.dumps(dict(of.config)),
    }

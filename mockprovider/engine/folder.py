"""A project folder as a program: ``Pulumi.yaml`` with Python as its runtime, run in a process of its own.

The monitor and the engine are served over gRPC on loopback for as long as the program runs.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

import grpc
from msgspec import Struct

from mockprovider.engine.bootstrap import GONE
from mockprovider.engine.monitor import MonitorError
from mockprovider.engine.program import Ended, Environment
from mockprovider.engine.threads import SLICE
from mockprovider.errors import MalformedError, ProgramError, UnsupportedError
from mockprovider.files import read_text
from mockprovider.pulumi.sdk import engine_pb2, resource_pb2
from mockprovider.wire.owned import OwnedProcess
from mockprovider.wire.server import Served, decode, serve

BOOTSTRAP = Path(__file__).parent / "bootstrap.py"
SHOWN = 4000
"""How many characters of a dead program's output its error carries, from the end."""
STOPPING = 5.0
"""Seconds that a program is given to end after it was asked to."""


class Folder(Struct, frozen=True):
    """A Pulumi project on disk. ``name`` is the project's, ``entry`` the file or package that is run, ``python`` the
    interpreter.
    """

    path: Path
    name: str
    entry: Path
    python: str

    def config(self, stack: str) -> dict[str, str]:
        """The plain values of ``Pulumi.<stack>.yaml``, compound ones as JSON; empty if there is no such file.

        Raises ``UnsupportedError`` for an encrypted value: only the CLI, with the stack's passphrase, can open it.
        """
        path = self.path / f"Pulumi.{stack}.yaml"
        settings = _load(path).get("config") or {} if path.exists() else {}
        if not isinstance(settings, Mapping):
            raise MalformedError(f"{path}: 'config' is no mapping of keys to values.")
        return {str(key): _setting(key, value, path) for key, value in settings.items()}


def read_folder(path: str | Path) -> Folder:
    """The project in ``path``.

    Raises:
        MalformedError: there is no ``Pulumi.yaml``, or it is none.
        UnsupportedError: its runtime is not Python.
        ProgramError: its entry file or its virtual environment is missing.
    """
    try:
        root = Path(path).resolve()
    except ValueError as error:
        raise MalformedError(f"{path} is no folder of a Pulumi project: {error}.") from error
    file = root / "Pulumi.yaml"
    project = _load(file)
    runtime = project.get("runtime")
    kind, options = (runtime.get("name"), runtime.get("options") or {}) if isinstance(runtime, Mapping) else (runtime, {})
    if not isinstance(project.get("name"), str):
        raise MalformedError(f"{file}: the project has no name.")
    if kind != "python":
        raise UnsupportedError(
            f"{file}: the runtime is {kind!r}; this version of the embedded engine runs 'python', the pulumi CLI the others."
        )
    entry = root / (project.get("main") or "")
    if not (entry / "__main__.py").is_file() and not entry.is_file():
        raise ProgramError(f"{entry} has no __main__.py to run.")
    return Folder(root, project["name"], entry, _interpreter(root, options))


def run_folder(folder: Folder, environment: Environment) -> Ended:
    """Run the project's program to its end. It and all that it started are ended whatever happens to this thread."""
    with (
        serve([], handlers=[_handler(MONITOR, environment.monitor), _handler(ENGINE, environment.engine)]) as served,
        tempfile.TemporaryFile() as output,
        _start(folder, environment, served, output) as process,
    ):
        try:
            # Waiting in slices lets this thread be stopped from outside, which one long wait would not.
            while process.poll() is None:
                _wait(process, SLICE)
        finally:
            _end(process)
        return _ended(process.returncode, output)


def _start(folder: Folder, environment: Environment, served: Served, output: IO[bytes]) -> OwnedProcess:
    settings = {
        "monitor": served.address,
        "engine": served.address,
        "project": environment.project,
        "stack": environment.stack,
        "organization": environment.organization,
        "preview": environment.preview,
        "parallel": environment.parallel,
        "root": str(folder.path),
        "entry": str(folder.entry),
    }
    variables = {
        **os.environ,
        "PULUMI_CONFIG": json.dumps(dict(environment.config)),
        "PULUMI_CONFIG_SECRET_KEYS": json.dumps(sorted(environment.secret_keys)),
    }
    cwd = folder.entry if folder.entry.is_dir() else folder.entry.parent
    command = [folder.python, "-u", str(BOOTSTRAP), json.dumps(settings)]
    return OwnedProcess(
        command,
        cwd=cwd,
        env=variables,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.STDOUT,
    )


def _wait(process: OwnedProcess, seconds: float) -> None:
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        return


def _end(process: OwnedProcess) -> None:
    process.signal_group(signal.SIGTERM)
    _wait(process, STOPPING)
    process.end()


def _ended(code: int, output: IO[bytes]) -> Ended:
    output.seek(0)
    printed = output.read().decode("utf-8", "replace").strip()
    if code == 0:
        return Ended(output=printed)
    error = ProgramError(f"The program ended with exit code {code}.\n{printed[-SHOWN:]}")
    return Ended(error, quiet=code == GONE)


# Serving ---------------------------------------------------------------------------------------------------------------

MONITOR = resource_pb2.DESCRIPTOR.services_by_name["ResourceMonitor"]
ENGINE = engine_pb2.DESCRIPTOR.services_by_name["Engine"]


def _handler(service: Any, target: Any) -> Any:
    from google.protobuf.message_factory import GetMessageClass  # noqa: PLC0415 - only folders are served

    handlers = {
        rpc.name: grpc.unary_unary_rpc_method_handler(
            _behave(getattr(target, rpc.name), GetMessageClass(rpc.input_type)),
            None,
            lambda answer: bytes(answer.SerializeToString()),
        )
        for rpc in service.methods
        if hasattr(target, rpc.name)
    }
    return grpc.method_handlers_generic_handler(service.full_name, handlers)


def _behave(method: Any, cls: Any) -> Any:
    def behave(data: bytes, context: grpc.ServicerContext) -> Any:
        try:
            return method(decode(cls, data, method.__name__))
        except MalformedError as error:
            context.abort(grpc.StatusCode.INVALID_ARGUMENT, str(error))
        except MonitorError as error:
            context.abort(error.code(), error.details())

    return behave


# Reading ---------------------------------------------------------------------------------------------------------------


def _load(path: Path) -> dict[str, Any]:
    import yaml  # type: ignore[import-untyped]  # noqa: PLC0415 - comes with the SDK, and only folders need it

    try:
        content = yaml.safe_load(read_text(path, path.name, "Give the folder of a Pulumi project."))
    except yaml.YAMLError as error:
        raise MalformedError(f"{path} is no YAML: {error}") from error
    if not isinstance(content, dict):
        raise MalformedError(f"{path} holds no mapping.")
    return content


def _setting(key: Any, value: Any, path: Path) -> str:
    if isinstance(value, Mapping) and "secure" in value:
        raise UnsupportedError(
            f"{path}: {key!r} is encrypted, which only the pulumi CLI can open. Give it as a Secret in the stack's config."
        )
    if isinstance(value, bool) or not isinstance(value, str):
        return json.dumps(value)
    return value


def _interpreter(root: Path, options: Mapping[str, Any]) -> str:
    virtualenv = options.get("virtualenv")
    if not virtualenv:
        return sys.executable
    folder = "Scripts" if os.name == "nt" else "bin"
    python = root / virtualenv / folder / "python"
    if not python.exists():
        raise ProgramError(
            f"{python} does not exist: the project names {virtualenv!r} as its virtual environment. Make it first."
        )
    return str(python)

"""YAML, and whatever else has an executable language host of Pulumi's: the host runs the program (``LanguageRuntime.Run``)."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Mapping
from typing import Any

import grpc

from mockprovider.errors import PluginError
from mockprovider.pulumi.languages.project import Project
from mockprovider.pulumi.languages.running import SLICE, Finish, Launch, Run, await_end
from mockprovider.wire.process import Process
from mockprovider.wire.server import OWN_CONNECTION

STARTING = 60.0
"""Seconds that a language host may take to say where it listens."""
COLOURS = re.compile(r"\x1b\[[0-9;]*m")


def host_of(runtime: str) -> str:
    """The executable of a language's host."""
    return f"pulumi-language-{runtime}"


def hosted(project: Project) -> Run:
    """A program that its language's host runs. Raises ``PluginError`` if there is none on ``PATH``."""
    name = host_of(project.runtime)
    executable = shutil.which(name)
    if not executable:
        raise PluginError(
            f"{project.path} is a project in {project.runtime!r}, and there is no {name!r} on PATH. It comes with pulumi; a "
            "checkout of mockprovider builds it with tools/build-engines."
        )

    def run(launch: Launch) -> Finish:
        with tempfile.TemporaryDirectory() as home, launch.providers() as providers:
            own = {
                **launch.variables(project.path, project.folder),
                **providers,
                # It looks for plugins in a home, and must not find, or fetch, any but the doubles.
                "PULUMI_HOME": home,
                "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
                "PULUMI_SKIP_UPDATE_CHECK": "true",
            }
            with Process([executable, launch.engine], env=own, cwd=project.folder) as host:
                return _asked(host, project, launch)

    return run


def _asked(host: Process, project: Project, launch: Launch) -> Finish:
    from pulumi.runtime.proto import language_pb2, language_pb2_grpc  # noqa: PLC0415 - who needs no host needs no SDK

    with grpc.insecure_channel(f"127.0.0.1:{host.line(STARTING)}", options=(OWN_CONNECTION,)) as channel:
        stub = language_pb2_grpc.LanguageRuntimeStub(channel)
        answer = stub.Run.future(language_pb2.RunRequest(**_request(project, launch)))
        if not await_end(answer.done, lambda: _await(answer), launch.over):
            answer.cancel()  # type: ignore[no-untyped-call]
            return Finish(error="The program went on after the operation had ended, and was ended.", logged=True)
    if answer.exception() is not None:
        return Finish(error=f"{host_of(project.runtime)} failed: {answer.details()}.{_last_words(host)}")
    response = answer.result()
    if not response.error and not response.bail:
        return Finish()
    # What it finds wrong in a program it prints.
    return Finish(error=f"{response.error or 'The program failed.'}{_last_words(host)}", logged=response.bail)


def _last_words(host: Process) -> str:
    """What it printed, without colours, which it uses wherever it prints to."""
    return COLOURS.sub("", host.last_words())


def _await(answer: Any) -> None:
    try:
        answer.exception(timeout=SLICE)
    except grpc.FutureTimeoutError:
        return


def _request(project: Project, launch: Launch) -> Mapping[str, Any]:
    return {
        "project": launch.project,
        "stack": launch.stack,
        "organization": launch.organization,
        "pwd": str(project.folder),
        "program": project.program,
        "config": dict(launch.config),
        "configSecretKeys": list(launch.secret_keys),
        "dryRun": launch.preview,
        "parallel": launch.parallel,
        "monitor_address": launch.monitor,
        "info": {
            "root_directory": str(project.path),
            "program_directory": str(project.folder),
            "entry_point": project.program,
            "options": dict(project.options),
        },
    }

#!/usr/bin/env python3
"""A small real Pulumi provider: it manages real files in a folder. It knows nothing of mockprovider.

One resource type, ``files:index:File``: ``path`` (below the folder; a change makes a new file), ``content``, and what the
provider computes: ``size`` in bytes and ``sha256``. The folder is the environment variable ``FILES_FOLDER``.
"""

from __future__ import annotations

import hashlib
import os
import signal
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import grpc
from google.protobuf import empty_pb2, struct_pb2
from pulumi.runtime.proto import plugin_pb2, provider_pb2, provider_pb2_grpc

UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"


class FilesProvider(provider_pb2_grpc.ResourceProviderServicer):
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def Handshake(self, request: Any, context: grpc.ServicerContext) -> Any:
        return provider_pb2.ProviderHandshakeResponse(accept_secrets=False, accept_resources=False)

    def GetPluginInfo(self, request: Any, context: grpc.ServicerContext) -> Any:
        return plugin_pb2.PluginInfo(version="1.0.0")

    def CheckConfig(self, request: Any, context: grpc.ServicerContext) -> Any:
        return provider_pb2.CheckResponse(inputs=request.news)

    def Configure(self, request: Any, context: grpc.ServicerContext) -> Any:
        return provider_pb2.ConfigureResponse(supportsPreview=True)

    def Check(self, request: Any, context: grpc.ServicerContext) -> Any:
        response = provider_pb2.CheckResponse(inputs=request.news)
        if "path" not in request.news:
            response.inputs["path"] = f"{request.urn.rsplit('::', 1)[1]}.txt"
        if ".." in str(response.inputs["path"]):
            response.failures.add(property="path", reason="must stay below the folder")
        return response

    def Diff(self, request: Any, context: grpc.ServicerContext) -> Any:
        changed = [key for key in ("path", "content") if request.olds.fields.get(key) != request.news.fields.get(key)]
        some = provider_pb2.DiffResponse.DIFF_SOME if changed else provider_pb2.DiffResponse.DIFF_NONE
        replaces = [key for key in changed if key == "path"]
        return provider_pb2.DiffResponse(changes=some, diffs=changed, replaces=replaces)

    def Create(self, request: Any, context: grpc.ServicerContext) -> Any:
        if request.preview:
            return provider_pb2.CreateResponse(properties=self._planned(request.properties))
        path = self.folder / request.properties["path"]
        if path.exists():
            context.abort(grpc.StatusCode.ALREADY_EXISTS, f"{path.name} is there already")
        path.write_text(request.properties["content"], encoding="utf-8")
        return provider_pb2.CreateResponse(id=path.name, properties=self._state(path))

    def Read(self, request: Any, context: grpc.ServicerContext) -> Any:
        path = self.folder / request.id
        if not path.exists():
            return provider_pb2.ReadResponse()
        state = self._state(path)
        inputs = struct_pb2.Struct()
        inputs.update({"path": state["path"], "content": state["content"]})
        return provider_pb2.ReadResponse(id=request.id, properties=state, inputs=inputs)

    def Update(self, request: Any, context: grpc.ServicerContext) -> Any:
        if request.preview:
            return provider_pb2.UpdateResponse(properties=self._planned(request.news))
        path = self.folder / request.id
        path.write_text(request.news["content"], encoding="utf-8")
        return provider_pb2.UpdateResponse(properties=self._state(path))

    def Delete(self, request: Any, context: grpc.ServicerContext) -> Any:
        (self.folder / request.id).unlink(missing_ok=True)
        return empty_pb2.Empty()

    def Cancel(self, request: Any, context: grpc.ServicerContext) -> Any:
        return empty_pb2.Empty()

    def _state(self, path: Path) -> struct_pb2.Struct:
        content = path.read_text(encoding="utf-8")
        data = content.encode()
        state = struct_pb2.Struct()
        state.update({"path": path.name, "content": content, "size": len(data), "sha256": hashlib.sha256(data).hexdigest()})
        return state

    def _planned(self, inputs: struct_pb2.Struct) -> struct_pb2.Struct:
        planned = struct_pb2.Struct()
        planned.CopyFrom(inputs)
        planned.update({"size": UNKNOWN, "sha256": UNKNOWN})
        return planned


def main() -> None:
    folder = os.environ.get("FILES_FOLDER")
    if not folder:
        sys.exit("Set FILES_FOLDER to the folder whose files this provider shall manage.")
    server = grpc.server(ThreadPoolExecutor(8))
    provider_pb2_grpc.add_ResourceProviderServicer_to_server(FilesProvider(Path(folder)), server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    # The engine reads the port from the first line, and ends us by an interrupt.
    sys.stdout.write(f"{port}\n")
    sys.stdout.flush()
    ended = threading.Event()
    signal.signal(signal.SIGINT, lambda *_: ended.set())
    signal.signal(signal.SIGTERM, lambda *_: ended.set())
    ended.wait()
    server.stop(None)


if __name__ == "__main__":
    main()

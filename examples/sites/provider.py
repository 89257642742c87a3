#!/usr/bin/env python3
"""A small real Pulumi provider with a component, written with the SDK. It knows nothing of mockprovider.

``sites:index:Site`` (Construct) makes two pages, ``index`` and ``about``, of its input ``title``, and passes ``key`` on; its
outputs are ``path``, ``sha256`` and ``key``. Its method ``summary`` (Call) greets from where the site is. Both end with the
``footer`` of the stack's configuration. A ``sites:index:Page`` is a real file, as the provider beside this one makes it, in the
folder of ``FILES_FOLDER``.
"""

from __future__ import annotations

import asyncio
import importlib.util
import os
import signal
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import grpc
import grpc.aio
import pulumi
from pulumi.provider import CallResult, ConstructResult, Provider
from pulumi.provider.server import ProviderServicer
from pulumi.runtime.proto import provider_pb2, provider_pb2_grpc

FILES = importlib.util.spec_from_file_location("files", Path(__file__).resolve().parent.parent / "files" / "provider.py")
files = importlib.util.module_from_spec(FILES)
FILES.loader.exec_module(files)


def footer() -> str:
    return pulumi.Config("sites").get("footer", "")


class Page(pulumi.CustomResource):
    path: pulumi.Output[str]
    content: pulumi.Output[str]
    sha256: pulumi.Output[str]

    def __init__(self, name: str, content: pulumi.Input[str], opts: pulumi.ResourceOptions) -> None:
        props = {"path": None, "content": content, "size": None, "sha256": None}
        super().__init__("sites:index:Page", name, props, opts)


class Site(pulumi.ComponentResource):
    def __init__(self, name: str, inputs: Mapping[str, Any], opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("sites:index:Site", name, {}, opts)
        below = pulumi.ResourceOptions(parent=self)
        title = pulumi.Output.from_input(inputs["title"])
        pulumi.log.info(f"building the site {name}", self)
        index = Page(f"{name}-index", title.apply(lambda text: f"# {text}\n"), below)
        about = Page(f"{name}-about", pulumi.Output.concat("All about ", index.path, "\n", footer()), below)
        self.path, self.sha256, self.key = index.path, about.sha256, pulumi.Output.from_input(inputs.get("key"))
        self.register_outputs({"path": self.path, "sha256": self.sha256, "key": self.key})


class KnownSite(pulumi.ComponentResource):
    """A site that exists already: the SDK asks the engine for its properties."""

    path: pulumi.Output[str]

    def __init__(self, name: str, urn: str) -> None:
        super().__init__("sites:index:Site", name, {"path": None}, pulumi.ResourceOptions(urn=urn))


class Module(pulumi.runtime.ResourceModule):
    """Tells the SDK what a reference to one of our types is."""

    def version(self) -> None:
        return None

    def construct(self, name: str, typ: str, urn: str) -> pulumi.Resource:
        return KnownSite(name, urn)


class Sites(Provider):
    def __init__(self) -> None:
        super().__init__("1.0.0")

    def construct(
        self, name: str, resource_type: str, inputs: Any, options: pulumi.ResourceOptions | None = None
    ) -> ConstructResult:
        if "title" not in inputs:
            raise pulumi.InputPropertyError("title", "a site needs a title")
        site = Site(name, inputs, options)
        return ConstructResult(site.urn, {"path": site.path, "sha256": site.sha256, "key": site.key})

    def call(self, token: str, args: Any) -> CallResult:
        site = args["__self__"]
        greeting = pulumi.Output.from_input(args["greeting"])
        return CallResult({"text": pulumi.Output.concat(greeting, " from ", site.path, footer())})


class Servicer(files.FilesProvider, ProviderServicer):
    """The SDK's Construct and Call, and a real resource for them to use."""

    def __init__(self, folder: Path, engine: str) -> None:
        files.FilesProvider.__init__(self, folder)
        ProviderServicer.__init__(self, Sites(), [], engine)

    def Handshake(self, request: Any, context: Any) -> Any:
        return provider_pb2.ProviderHandshakeResponse(accept_secrets=True, accept_resources=True, accept_outputs=True)


async def serve(folder: Path, engine: str) -> None:
    pulumi.runtime.register_resource_module("sites", "index", Module())
    server = grpc.aio.server()
    provider_pb2_grpc.add_ResourceProviderServicer_to_server(Servicer(folder, engine), server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    sys.stdout.write(f"{port}\n")
    sys.stdout.flush()
    ended = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, ended.set)
    await ended.wait()
    await server.stop(None)


if __name__ == "__main__":
    if not os.environ.get("FILES_FOLDER"):
        sys.exit("Set FILES_FOLDER to the folder whose files this provider shall manage.")
    asyncio.run(serve(Path(os.environ["FILES_FOLDER"]), sys.argv[-1]))

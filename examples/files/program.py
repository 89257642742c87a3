"""An ordinary Pulumi program: two files, the second of which is about the first."""

from __future__ import annotations

import pulumi


class File(pulumi.CustomResource):
    path: pulumi.Output[str]
    content: pulumi.Output[str]
    size: pulumi.Output[int]
    sha256: pulumi.Output[str]

    def __init__(self, name: str, content: pulumi.Input[str], opts: pulumi.ResourceOptions | None = None) -> None:
        props = {"path": None, "content": content, "size": None, "sha256": None}
        super().__init__("files:index:File", name, props, opts)


def program(greeting: str = "hello") -> None:
    hello = File("hello", content=f"{greeting}\n")
    File("checksums", content=pulumi.Output.concat(hello.sha256, "  ", hello.path, "\n"))
    pulumi.export("sha256", hello.sha256)

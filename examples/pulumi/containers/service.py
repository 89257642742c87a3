"""A service: an image, and a container of it on a network."""

from collections.abc import Mapping

import pulumi
import pulumi_docker as docker


class Service(pulumi.ComponentResource):
    """What runs ``image`` on ``network``; with ``port``, the host's port of that number leads to it."""

    def __init__(
        self,
        name: str,
        image: str,
        network: docker.Network,
        port: int | None = None,
        environment: Mapping[str, pulumi.Input[str]] | None = None,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        super().__init__("acme:index:Service", name, {}, opts)
        mine = pulumi.ResourceOptions(parent=self)
        pulled = docker.RemoteImage(name, name=image, keep_locally=True, opts=mine)
        self.container = docker.Container(
            name,
            image=pulled.repo_digest,
            networks_advanced=[docker.ContainerNetworksAdvancedArgs(name=network.name, aliases=[name])],
            ports=[docker.ContainerPortArgs(internal=port, external=port)] if port else None,
            envs=[pulumi.Output.concat(key, "=", value) for key, value in (environment or {}).items()],
            restart="unless-stopped",
            opts=mine,
        )
        self.host = self.container.name
        self.register_outputs({"host": self.host})

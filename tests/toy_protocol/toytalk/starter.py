"""Being a toy provider that an engine started."""

from mockprovider.wire.starter import PluginHost, Starter


class ToyStarter(Starter):
    """It says where it listens, and nothing else."""

    def listen(self, host: PluginHost) -> str:
        return f"toy at {host.serve()}"

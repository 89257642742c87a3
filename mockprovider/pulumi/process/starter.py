"""Running as a Pulumi resource plugin: it prints its port on the first line (reference 1.3)."""

from __future__ import annotations

import socket
import sys
from collections.abc import Sequence

from mockprovider.wire.starter import LOOPBACK, PluginHost, Starter


class PulumiStarter(Starter):
    """Pulumi ends a plugin with an interrupt, and shows its standard error with ``-v=9``."""

    def engine_address(self, arguments: Sequence[str]) -> str:
        """The last argument, after flags that are ignored."""
        return arguments[-1] if len(arguments) > 1 else ""

    def listen(self, host: PluginHost) -> str:
        """Listen, and return the port as text."""
        if not host.relays:
            return host.serve().rpartition(":")[2]
        from mockprovider.wire.pipes import Pipes  # noqa: PLC0415 - only a relay needs it

        relay = host.relay()
        listener = socket.create_server((LOOPBACK, 0))
        port = listener.getsockname()[1]
        host.stack.enter_context(
            Pipes(listener, lambda engine: (engine, relay.join()), refused=lambda error: print(error, file=sys.stderr))
        )
        return str(port)

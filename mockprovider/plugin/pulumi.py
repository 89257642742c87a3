"""Being a Pulumi resource plugin: the first line is the port, and nothing else ever counts (reference 1.3)."""

from __future__ import annotations

import socket
import sys
from contextlib import ExitStack, closing
from typing import TYPE_CHECKING

from mockprovider.plugin.asked import Asked
from mockprovider.plugin.life import Life

if TYPE_CHECKING:
    from mockprovider.double import Double

LOOPBACK = "127.0.0.1"


def listen(asked: Asked, life: Life, stack: ExitStack, double: Double | None) -> str:
    """Listen, and return the port as text. Raises ``MockProviderError`` if there is nothing to serve."""
    if double or not asked.relay:
        from mockprovider.plugin.serving import chosen, serve  # noqa: PLC0415 - slow to import, and a relay needs none of it

        return serve(asked, chosen(asked, double, stack), stack).rpartition(":")[2]
    from mockprovider.plugin.relaying import Relay  # noqa: PLC0415 - only a relay needs it
    from mockprovider.wire.pipes import Pipes  # noqa: PLC0415 - as above

    relay = stack.enter_context(closing(Relay(asked)))
    relay.watch(life.end)
    listener = socket.create_server((LOOPBACK, 0))
    port = listener.getsockname()[1]
    stack.enter_context(
        Pipes(listener, lambda engine: (engine, relay.join()), refused=lambda error: print(error, file=sys.stderr))
    )
    return str(port)

"""From the command line to a plugin that listens, and to its end. What is slow to load is loaded once it is needed."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from typing import TYPE_CHECKING, Any, NoReturn

from mockprovider.errors import MockProviderError
from mockprovider.plugin.asked import PluginRequest, read, starter
from mockprovider.plugin.life import Life

if TYPE_CHECKING:
    from mockprovider.double import Double
    from mockprovider.plugin.relaying import Relay


def main(arguments: Sequence[str] | None = None, *, double: Double | None = None) -> NoReturn:
    """Be the plugin that the executable's name says, until it is to end; ends the process.

    Args:
        arguments: they begin with the executable's path, and are the command line's unless given.
        double: what is served, and closed at the end; unless given, the double that ``MOCKPROVIDER_RELAY`` names, or the types
            of a file.
    """
    code = run(sys.argv if arguments is None else arguments, double)
    sys.stdout.flush()
    sys.stderr.flush()
    # A normal exit would wait for the server's threads, in which calls may hang.
    os._exit(code)


def run(arguments: Sequence[str], double: Double | None) -> int:
    """Be the plugin; the exit code."""
    os.environ.setdefault("GRPC_VERBOSITY", "ERROR")
    try:
        asked = read(arguments, os.environ)
    except MockProviderError as error:
        print(error, file=sys.stderr)
        return 1
    start = starter(asked.protocol)
    try:
        life = Life(ends_on_interrupt=start.ends_on_interrupt)
        with ExitStack() as stack:
            print(start.listen(PluginProcess(asked, life, stack, double)), flush=True)
            life.wait()
    except MockProviderError as error:
        print(start.last_words(error), file=sys.stderr)
        return 1
    return 0


class PluginProcess:
    """What a starter may ask of this process (``wire.starter.PluginHost``). What is slow to load is loaded when it is asked."""

    def __init__(self, asked: PluginRequest, life: Life, stack: ExitStack, double: Double | None) -> None:
        self.stack = stack
        self.end = life.end
        self.relays = bool(asked.relay) and double is None
        self._asked = asked
        self._given = double
        self._refusal: MockProviderError | None = None

    def relay(self) -> Relay:
        """The way to the double that owns the test."""
        from mockprovider.plugin.relaying import Relay  # noqa: PLC0415 - only a relay needs it

        relay = self.stack.enter_context(closing(Relay(self._asked)))
        relay.watch(self.end)
        return relay

    def serve(self, version: int = 0, socket: str = "", on_shutdown: Callable[[str], Any] = str) -> str:
        """Serve a double of this process."""
        from mockprovider.plugin.serving import chosen, refusing, serve  # noqa: PLC0415 - a relay needs none of it

        if self._refusal is None:
            double = chosen(self._asked, self._given, self.stack)
        else:
            double = refusing(self._asked, self._refusal, self.stack)
        return serve(self._asked, double, self.stack, version=version, socket=socket, on_shutdown=on_shutdown)

    def refuse(self, error: MockProviderError) -> None:
        """Serve this error instead."""
        self._refusal = error

"""The relay: bytes between the engine that started this process and the double that owns the test."""

from __future__ import annotations

import os
import secrets
import socket
import sys
import threading
from collections.abc import Callable
from typing import Any

from mockprovider.errors import PluginError
from mockprovider.plugin.asked import RELAY, PluginRequest
from mockprovider.wire.pipes import connect, hear, say

GREETING = 1
"""The version of what we and the double's door say to each other."""


def _crash(code: int, words: str) -> None:
    """End as a process does that breaks: at once, with last words at the most."""
    sys.stderr.write(f"{words}\n" if words else "")
    sys.stderr.flush()
    os._exit(code)


class Relay:
    """A plugin process's connection to the door of its double.

    Raises ``PluginError`` if nobody answers there, or if the double serves something else.
    """

    def __init__(self, asked: PluginRequest) -> None:
        self._asked = asked
        self._process = f"{os.getpid()}-{secrets.token_hex(4)}"
        self._staying, answer = self._greet("stay")
        self.protocol = str(answer["protocol"])
        """The name of what the double speaks there."""

    def watch(self, over: Callable[[], Any]) -> None:
        """Call ``over``, in a thread, once the double says that the engine is done with us, or is gone itself."""

        def listen() -> None:
            try:
                words = hear(self._staying, None)
                if "crash" in words:
                    _crash(**words["crash"])
            except PluginError:
                print("The double that this plugin relays to has ended.", file=sys.stderr)
            over()

        threading.Thread(target=listen, name="mockprovider-watch", daemon=True).start()

    def join(self) -> socket.socket:
        """A connection to the server of our package. Raises as making this object does."""
        connection, _ = self._greet("join")
        return connection

    def close(self) -> None:
        """Close the connection to the double."""
        self._staying.close()

    def _greet(self, wants: str) -> tuple[socket.socket, dict[str, Any]]:
        try:
            connection = connect(self._asked.relay)
        except PluginError as error:
            raise PluginError(
                f"{RELAY}={self._asked.relay}: the double that this plugin was to relay to is gone. {error} Start the test "
                "again, or unset the variable to serve a types file."
            ) from error
        words = {
            "mockprovider": GREETING,
            "wants": wants,
            "package": self._asked.package,
            "protocol": self._asked.protocol.family,
            "process": self._process,
            "engine": self._asked.engine,
        }
        try:
            say(connection, words)
            answer = hear(connection)
            if "error" in answer:
                raise PluginError(str(answer["error"]))
        except (OSError, PluginError) as error:
            connection.close()
            raise PluginError(f"{RELAY}={self._asked.relay}: {error}") from error
        return connection, answer

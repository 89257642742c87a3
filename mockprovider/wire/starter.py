"""Being a plugin that an engine started: what differs from protocol to protocol. Loads nothing slow (``plugin`` explains)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from socket import socket
from typing import Any, Protocol

from mockprovider.errors import MockProviderError

LOOPBACK = "127.0.0.1"


class DoubleRelay(Protocol):
    """The way from a plugin process to the double that owns the test."""

    protocol: str
    """The name of what the double speaks there."""

    def join(self) -> socket:
        """A connection to the server of our package."""


class PluginHost(Protocol):
    """The process that an engine started: what it can serve, until ``stack`` ends."""

    stack: ExitStack

    @property
    def relays(self) -> bool:
        """Whether a running double answers for it."""

    def end(self, *_: object) -> None:
        """End the process soon."""

    def relay(self) -> DoubleRelay:
        """The way to that double, watched: the process ends with it. Raises ``PluginError`` if it is gone."""

    def serve(self, version: int = 0, socket: str = "", on_shutdown: Callable[[str], Any] = str) -> str:
        """Serve what was declared; where, as gRPC spells it. Raises ``MockProviderError`` for what cannot be served."""

    def refuse(self, error: MockProviderError) -> None:
        """From now on, serve a double that answers every call with ``error``."""


class Starter(ABC):
    """How a plugin of one protocol starts, talks to its engine's log, and ends."""

    ends_on_interrupt = True
    """Whether an interrupt ends it; where engines share their terminal with plugins, Ctrl-C reaches those, too."""

    @abstractmethod
    def listen(self, host: PluginHost) -> str:
        """Listen, and return what the engine reads on standard output. Raises ``MockProviderError`` if it cannot."""

    def engine_address(self, arguments: Sequence[str]) -> str:  # noqa: ARG002 - for protocols that pass it
        """The engine's address, if the command line has it."""
        return ""

    def log_line(self, level: str, message: str) -> str:  # noqa: ARG002 - for engines that read levels
        """An entry of the engine's log, for standard error."""
        return message

    def last_words(self, error: MockProviderError) -> str:
        """What a plugin that cannot start writes to standard error."""
        return str(error)

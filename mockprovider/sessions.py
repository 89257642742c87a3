"""Sessions: who speaks which protocol with whom, and what each side has said of itself."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any, Protocol

from mockprovider.protocols import ProviderProtocol, of_family
from mockprovider.values import Bag


class EnginePort(Protocol):
    """The way back of a session: what a provider may tell the engine that is calling it. Implemented at the edge.

    What it may ask while it constructs a component or runs a method is a handler of its own, ``Call.monitor``, because the
    engine's address comes with each such call.
    """

    def log(self, severity: str, message: str, urn: str = "") -> None:
        """Show ``message`` to the engine's user. ``severity`` is ``debug``, ``info``, ``warning`` or ``error``."""


class Session:
    """One configured provider instance, as one connection sees it.

    Neither protocol names the provider instance in a resource call, so everything that a call needs to be understood
    hangs here: who is speaking which protocol, the configuration, what each side accepts, and the schema.
    """

    __slots__ = (
        "__weakref__",
        "accepts",
        "cancelled",
        "closed",
        "compiled",
        "config",
        "engine",
        "engine_address",
        "engine_offers",
        "generation",
        "gone",
        "handshaken",
        "instance",
        "number",
        "parameterized",
        "patience",
        "peer",
        "preview",
        "protocol",
        "schema",
        "secret_keys",
        "telling",
    )

    def __init__(
        self,
        protocol: ProviderProtocol | str = "",
        number: int = 1,
        peer: str = "in-process",
        engine: EnginePort | None = None,
    ) -> None:
        self.protocol = of_family(protocol)
        """What is spoken: a protocol, or its name or family. Raises ``DefinitionError`` for one that is not installed."""
        self.number = number
        """Counts the sessions of one double from 1, in the order in which they opened."""
        self.peer = peer
        """The other end's address, or ``in-process``."""
        self.instance = ""
        """The provider instance: Pulumi's provider URN, or a digest of Terraform's configuration; empty until configured."""
        self.config: Bag | None = None
        """What Configure brought; ``None`` until then."""
        self.preview: bool | None = None
        """Whether this session serves a preview, where the protocol tells."""
        self.accepts: frozenset[str] = frozenset()
        """What the provider said it accepts: ``secrets``, ``resources``, ``outputs``, ``byte_strings``."""
        self.handshaken = False
        """Whether the provider has answered a handshake, so that Configure's answer is not asked what it accepts."""
        self.schema: Any = None
        """The package that the session is about, or what its payloads decode with."""
        self.compiled: Any = None
        """The schema as the protocol's codec reads it; made at the first payload."""
        self.generation: Any = None
        """How old a provider the fake plays here; ``None`` for one of today."""
        self.parameterized: dict[str, Any] = {}
        """What parameters made of the session's package, by name."""
        self.engine = engine
        self.telling: Any = None
        """What hears the provider's lines of log first, where the protocol has lines of log."""
        self.engine_address = ""
        """Where the engine listens, if it said so when it started the provider."""
        self.engine_offers: Mapping[str, Any] = {}
        """What the engine said of itself in the handshake, by the protocol's own field names."""
        self.secret_keys: tuple[str, ...] | None = None
        """Which keys of the stack's configuration are secret; ``None`` until somebody has said."""
        self.cancelled = threading.Event()
        """Set once the engine has asked to stop, or the double is closed: whatever hangs should wait on this, and then fail."""
        self.closed = threading.Event()
        """Set when the double closes: what does not even heed ``cancelled`` ends then. The sessions of a double share it."""
        self.patience: float | None = None
        """The seconds after which a provider's answer is given up; ``None`` waits for as long as it takes."""
        self.gone = ""
        """Why nobody answers in this session any more; empty as long as somebody does."""

    def __repr__(self) -> str:
        return f"Session(#{self.number} {self.protocol} {self.instance or self.peer})"

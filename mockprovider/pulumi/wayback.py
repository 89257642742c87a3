"""The way back to Pulumi's engine: a call with the address of the engine's monitor gets a handler for it."""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from mockprovider.calls import Call, EnginePort, Handler, Op, Reply
from mockprovider.errors import MalformedError
from mockprovider.fake.views import ViewStep

ASKING = frozenset({Op.CONSTRUCT, Op.CALL})
"""Ops during which a provider asks its engine."""

ADDRESSES: Mapping[Op, str] = {Op.HANDSHAKE: "engine_address", Op.ATTACH: "address"}
"""The fields with the engine's address."""


LEVELS = {"debug": logging.DEBUG, "info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}
LOG = logging.getLogger("mockprovider.provider")
"""The providers' log, for whoever looks at a failed test."""


class Telling:
    """A provider's log, for its engine and for Python's logging."""

    def __init__(self, onward: EnginePort | None) -> None:
        self.onward = onward

    def log(self, severity: str, message: str, urn: str = "") -> None:
        """Show ``message`` to the engine's user, and to the test's. Raises ``MalformedError`` for another severity."""
        if severity not in LEVELS:
            raise MalformedError(f"There is no severity {severity!r}: log as one of {', '.join(LEVELS)}.")
        LOG.log(LEVELS[severity], "%s%s", f"{urn}: " if urn else "", message.rstrip())
        if self.onward is not None:
            self.onward.log(severity, message, urn)


class WayBack:
    """The way back of one double's sessions, as a layer; close it at the end."""

    def __init__(self) -> None:
        self._clients: list[Any] = []
        self._lock = threading.Lock()

    def layer(self, call: Call, proceed: Handler) -> Reply:
        """Give the session its log, and a call that came over a wire its way back."""
        self._tell(call)
        if call.monitor is None and call.extra.get("resource_status_address"):
            from mockprovider.pulumi import status  # noqa: PLC0415 - imports pulumi, which is slow

            return proceed(replace(call, monitor=status.of(call)))
        if call.op not in ASKING or call.monitor is not None:
            return proceed(call)
        from mockprovider.pulumi import monitor  # noqa: PLC0415 - imports pulumi, which is slow

        return monitor.connected(call, proceed)

    def _tell(self, call: Call) -> None:
        telling = call.session.telling
        if telling is None:
            telling = call.session.telling = call.session.engine = Telling(call.session.engine)
        address = call.extra.get(ADDRESSES[call.op]) if call.op in ADDRESSES else None
        if telling.onward is None and address:
            from mockprovider.pulumi.log import EngineClient  # noqa: PLC0415 - imports pulumi, which is slow

            telling.onward = client = EngineClient(str(address))
            with self._lock:
                self._clients.append(client)

    def publish(self, call: Call, steps: Sequence[ViewStep]) -> None:
        """Publish view steps to the engine of ``call``. Raises ``PluginError`` if it refuses them."""
        from mockprovider.pulumi.status import publish  # noqa: PLC0415 - imports pulumi, which is slow

        publish(call, steps)

    def close(self) -> None:
        """Close the connections to engines."""
        with self._lock:
            clients, self._clients = self._clients, []
        for client in clients:
            client.close()

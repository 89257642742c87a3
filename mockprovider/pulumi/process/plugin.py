"""Provider plugins: how engines attach to ours, and how we start a real one (reference 1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from mockprovider.calls import Call, Op, Reply
from mockprovider.errors import PluginError
from mockprovider.pulumi.errors import read_status
from mockprovider.pulumi.log import EngineServer
from mockprovider.pulumi.methods import PROVIDER
from mockprovider.pulumi.monitor import relayed
from mockprovider.wire.client import READY_SECONDS, Client
from mockprovider.wire.process import Process
from mockprovider.wire.status import status

PORT_SECONDS = 60.0
"""The timeout for the port; a plugin written in Python needs a second or two to print it."""

CANCEL_SECONDS = 5.0
"""The engine's timeout for Cancel when it shuts a provider down (reference 6)."""

UNIMPLEMENTED = status("unimplemented", "").code


def attach_environment(ports: Mapping[str, int]) -> dict[str, str]:
    """The environment with which ``pulumi`` attaches to running providers instead of starting plugins, without blanks."""
    return {"PULUMI_DEBUG_PROVIDERS": ",".join(f"{name}:{port}" for name, port in sorted(ports.items()))}


class Plugin:
    """A real provider's process, with the connection to it; calling it is a handler.

    Args:
        command: the executable and its own arguments; the engine's address is appended, as engines do.
        call: the first call of the session that it serves, which may name the engine's address.
        cwd: the working directory; engines start plugins in the program's.
        env: additions to our environment; ``None`` takes a variable out.
        seconds: the timeout for its port.
        ready_seconds: the timeout for an answer at that port.

    Raises ``PluginError`` if it does not start, does not print a port, or does not answer at it.
    """

    def __init__(
        self,
        command: Sequence[str],
        call: Call,
        *,
        cwd: Path | str | None = None,
        env: Mapping[str, str | None] | None = None,
        seconds: float = PORT_SECONDS,
        ready_seconds: float = READY_SECONDS,
    ) -> None:
        self._session = call.session
        self._cancelled = False
        address = str(call.extra.get("engine_address") or call.session.engine_address)
        # A server between the two, so that its log also reaches whoever looks at a failed test.
        self._engine = EngineServer(call.session.engine, address)
        self._process = Process([*command, self._engine.address], cwd=cwd, env=env)
        back = {"engine_address": self._engine.address, "address": self._engine.address}
        try:
            self._client = Client(f"127.0.0.1:{self._port(seconds)}", PROVIDER, rewrite=back, on_failure=read_status)
            self._wait_ready(ready_seconds)
        except BaseException:
            self._end()
            raise

    def _wait_ready(self, seconds: float) -> None:
        try:
            self._client.wait_ready(seconds, lambda: self._process.running)
        except PluginError as error:
            self._client.close()
            name = self._process.command[0]
            raise PluginError(f"{name} printed its port, and then: {error}{self._process.last_words()}") from error

    def _port(self, seconds: float) -> int:
        line = self._process.line(seconds).strip()
        if not (line.isdecimal() and 0 < int(line) < 65536):
            raise PluginError(
                f"{self._process.command[0]} is no Pulumi provider: its first line must be its port alone, and is {line!r}."
            )
        return int(line)

    def __call__(self, call: Call) -> Reply:
        """Hand the call to the real provider."""
        self._cancelled = self._cancelled or call.op is Op.CANCEL
        reply = self._process.witness(relayed(call, self._client))
        if call.op is Op.ATTACH and reply.status is not None and reply.status.code == UNIMPLEMENTED:
            # It was started with the engine's address, so there is nothing to attach to; engines treat a refusal as an error.
            return Reply()
        return reply

    def close(self, patience: float = 0.0) -> None:
        """Shut the provider down: cancel, unless the engine has, close the connection, and end the process.

        Between the first two, calls in flight have ``patience`` seconds to end by themselves. Safe to call again.
        """
        if not self._cancelled and self._process.running:
            self._cancelled = True
            self._client.cancel(self._session, CANCEL_SECONDS)
        self._client.close(patience)
        self._end()

    def _end(self) -> None:
        self._process.stop()
        self._engine.stop()

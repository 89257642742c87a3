"""Provider plugins: how engines find ours (attach), and how we start a real one (reference 1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from mockprovider.calls import Call, Op, Reply
from mockprovider.errors import PluginError
from mockprovider.pulumi.errors import read_status
from mockprovider.pulumi.log import serve_engine
from mockprovider.pulumi.methods import PROVIDER
from mockprovider.wire.client import Client
from mockprovider.wire.process import Process
from mockprovider.wire.status import status

PORT_SECONDS = 60.0
"""A plugin written in Python needs a second or two before it prints its port; a hung one must not hold us for ever."""

UNIMPLEMENTED = status("unimplemented", "").code


def attach_environment(ports: Mapping[str, int]) -> dict[str, str]:
    """The environment by which ``pulumi`` attaches to running providers instead of starting plugins; no blanks are allowed."""
    return {"PULUMI_DEBUG_PROVIDERS": ",".join(f"{name}:{port}" for name, port in sorted(ports.items()))}


class Plugin:
    """A real provider's process, with the connection to it; calling it is a handler.

    Args:
        command: the executable and its own arguments; the engine's address is appended, as engines do.
        call: the first call of the session that it serves, which may name the engine's address.
        cwd: the working directory; engines start plugins in the program's.
        env: what its environment has beyond ours.

    Raises ``PluginError`` if it does not start, does not print a port, or does not answer at it.
    """

    def __init__(
        self, command: Sequence[str], call: Call, *, cwd: Path | str | None = None, env: Mapping[str, str] | None = None
    ) -> None:
        address = str(call.extra.get("engine_address") or "")
        self._engine = None if address else serve_engine(call.session.engine)
        self._process = Process([*command, address or (self._engine.address if self._engine else "")], cwd=cwd, env=env)
        try:
            self._client = Client(f"127.0.0.1:{self._port()}", PROVIDER, on_failure=read_status)
            self._client.wait_ready()
        except PluginError:
            self._end()
            raise

    def _port(self) -> int:
        line = self._process.line(PORT_SECONDS).strip()
        if not (line.isdecimal() and 0 < int(line) < 65536):
            raise PluginError(
                f"{self._process.command[0]} is no Pulumi provider: its first line must be its port alone, and is {line!r}."
            )
        return int(line)

    def __call__(self, call: Call) -> Reply:
        """Hand the call to the real provider."""
        reply = self._process.witness(self._client(call))
        if call.op is Op.ATTACH and reply.status is not None and reply.status.code == UNIMPLEMENTED:
            # We have started it with the engine's address, so there is nothing left to attach to; engines take no for an error.
            return Reply()
        return reply

    def close(self) -> None:
        """Close the connection and end the process."""
        self._client.close()
        self._end()

    def _end(self) -> None:
        self._process.stop()
        if self._engine:
            self._engine.stop()

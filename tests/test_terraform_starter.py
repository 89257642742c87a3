"""What a plugin of ours does when an engine starts it, without a process: where it listens, what it prints, who is let in."""

from __future__ import annotations

import json
import os
import re
import socket
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from test_terraform_tls import Engine, needs_cryptography

from mockprovider.errors import MalformedError, MockProviderError, PluginError
from mockprovider.terraform.process import starter
from mockprovider.terraform.process.handshake import COOKIE, COOKIE_NAME
from mockprovider.terraform.process.starter import TerraformStarter, TlsError
from mockprovider.wire.pipes import CONNECT_SECONDS

SECONDS = 60


class Host:
    """A plugin's process that notes what it is asked to serve; where it listens, each connection is told ``served``."""

    def __init__(self, stack: ExitStack, relays: str = "") -> None:
        self.stack, self._relays = stack, relays
        self.served: list[tuple[int, str]] = []
        self.refused: list[MockProviderError] = []

    @property
    def relays(self) -> bool:
        return bool(self._relays)

    def end(self, *_: object) -> None:
        """Nothing to end."""

    def relay(self) -> Any:
        return SimpleNamespace(protocol=self._relays, join=lambda: joined("relayed"))

    def serve(self, version: int = 0, socket: str = "", on_shutdown: Any = str) -> str:
        assert on_shutdown == self.end
        self.served.append((version, socket))
        return "127.0.0.1:7"

    def refuse(self, error: MockProviderError) -> None:
        self.refused.append(error)


def joined(word: str) -> socket.socket:
    """A connection to somebody who says one word and is gone."""
    ours, theirs = socket.socketpair()
    theirs.sendall(word.encode())
    theirs.close()
    return ours


def heard(connection: socket.socket) -> str:
    """All that the other side says; nothing, if it hangs up."""
    connection.settimeout(SECONDS)
    with connection, suppress(ConnectionError):
        return b"".join(iter(lambda: connection.recv(100), b"")).decode(errors="replace")
    return ""


@pytest.fixture
def stack(monkeypatch: pytest.MonkeyPatch) -> Iterator[ExitStack]:
    """What ends with the process, which an engine started that offers both majors."""
    for name in ("PLUGIN_CLIENT_CERT", "PLUGIN_UNIX_SOCKET_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(COOKIE_NAME, COOKIE)
    monkeypatch.setenv("PLUGIN_PROTOCOL_VERSIONS", "5,6")
    with ExitStack() as ends:
        yield ends


def test_what_is_declared_is_served_at_a_port(stack: ExitStack) -> None:
    """The highest major that both have is served, and the line says where."""
    host = Host(stack)
    assert TerraformStarter().listen(host) == "1|6|tcp|127.0.0.1:7|grpc|"
    assert host.served == [(6, "")]


def test_what_is_declared_is_served_at_a_socket(stack: ExitStack, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Where the engine names a folder for sockets, it is served at a path of its own there."""
    monkeypatch.setenv("PLUGIN_UNIX_SOCKET_DIR", str(tmp_path))
    host = Host(stack)
    TerraformStarter().listen(host)
    assert host.served == [(6, str(tmp_path / f"plugin{os.getpid()}"))]


def test_nobody_is_served_who_is_no_engine(stack: ExitStack, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the engine's cookie nothing is served, not even the reason."""
    monkeypatch.delenv(COOKIE_NAME)
    host = Host(stack)
    with pytest.raises(PluginError, match="terraform and tofu start it"):
        TerraformStarter().listen(host)
    assert (host.served, host.refused) == ([], [])


def test_a_relay_listens_at_a_port(stack: ExitStack) -> None:
    """What an engine says there reaches the double, and the line says what the double speaks."""
    line = TerraformStarter().listen(Host(stack, relays="tfplugin5"))
    core, major, network, address, rest = line.split("|", 4)
    assert (core, major, network, rest) == ("1", "5", "tcp", "grpc|")
    host, _, port = address.partition(":")
    assert host == "127.0.0.1"
    assert heard(socket.create_connection((host, int(port)))) == "relayed"


def test_a_relay_listens_at_a_socket(stack: ExitStack, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The socket lies in the engine's folder, and is gone when the process ends."""
    monkeypatch.setenv("PLUGIN_UNIX_SOCKET_DIR", str(tmp_path))
    path = tmp_path / f"plugin{os.getpid()}"
    assert TerraformStarter().listen(Host(stack, relays="tfplugin6")) == f"1|6|unix|{path}|grpc|"
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(str(path))
    assert heard(connection) == "relayed"
    stack.close()
    assert list(tmp_path.iterdir()) == []


def test_an_error_at_the_start_is_served(
    stack: ExitStack, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An engine shows nothing of a plugin that does not start, so this one starts, and answers everything with the reason."""
    monkeypatch.setenv("PLUGIN_UNIX_SOCKET_DIR", str(tmp_path / ("long" * 40)))
    host = Host(stack, relays="tfplugin6")
    assert TerraformStarter().listen(host) == "1|6|tcp|127.0.0.1:7|grpc|"
    [error] = host.refused
    assert str(error).startswith(f"Cannot listen at {tmp_path}")
    assert str(error).endswith("PLUGIN_UNIX_SOCKET_DIR must be a folder with a short path.")
    logged = json.loads(capsys.readouterr().err)
    assert (logged["@level"], logged["@message"]) == ("error", str(error))


@needs_cryptography
@pytest.mark.parametrize("relays", ["", "tfplugin6"])
def test_tls_stands_in_front(
    stack: ExitStack,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    relays: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """With an engine's certificate, only TLS leads to the double, or to what is served at a socket inside."""
    engine = Engine(tmp_path, "engine.pem")
    monkeypatch.setenv("PLUGIN_CLIENT_CERT", engine.pem)
    host = Host(stack, relays)
    inside = stack.enter_context(socket.socket(socket.AF_UNIX))

    def serve(version: int, path: str, end: Any) -> None:
        assert (version, end) == (6, host.end)
        inside.bind(path)
        inside.listen()

    monkeypatch.setattr(host, "serve", serve)
    line = TerraformStarter().listen(host)
    found = re.fullmatch(r"1\|6\|tcp\|127.0.0.1:(\d+)\|grpc\|(\S+)", line)
    assert found
    address = "127.0.0.1", int(found[1])

    plain = socket.create_connection(address)
    plain.sendall(b"hello" * 10)
    assert "relayed" not in heard(plain)
    with engine.context(found[2]).wrap_socket(socket.create_connection(address), server_hostname="localhost") as secure:
        if not relays:
            served, _ = inside.accept()
            served.sendall(b"relayed")
            served.close()
        assert heard(secure) == "relayed"
    folder = Path(inside.getsockname()).parent if not relays else None
    stack.close()
    assert folder is None or not folder.exists()
    assert capsys.readouterr().err.startswith("[ERROR] [SSL")


@needs_cryptography
def test_tls_that_cannot_be_had(stack: ExitStack, monkeypatch: pytest.MonkeyPatch) -> None:
    """There is no way to tell the engine why, so nothing is served instead."""
    monkeypatch.setenv("PLUGIN_CLIENT_CERT", "nonsense")
    host = Host(stack, relays="tfplugin6")
    with pytest.raises(TlsError, match="holds no certificate"):
        TerraformStarter().listen(host)
    assert (host.served, host.refused) == ([], [])


def test_an_engine_says_hello_soon_and_then_takes_its_time() -> None:
    """The handshake of TLS has a time limit, what is said after it none."""
    limits: list[float | None] = []

    def wrap_socket(connection: socket.socket, server_side: bool) -> socket.socket:
        assert server_side
        limits.append(connection.gettimeout())
        return connection

    ours, theirs = socket.socketpair()
    with ours, theirs:
        wrapped = starter._wrapper(SimpleNamespace(context=SimpleNamespace(wrap_socket=wrap_socket)))(ours)
        assert wrapped is ours
        assert (limits, ours.gettimeout()) == ([CONNECT_SECONDS], None)


def test_what_the_engine_logs() -> None:
    """An entry is an object of strings alone, with the time to the microsecond."""
    entry = json.loads(TerraformStarter().log_line("warn", "mind the gap"))
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", entry.pop("@timestamp"))
    assert entry == {"@level": "warn", "@message": "mind the gap", "@module": "mockprovider"}


def test_last_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """An engine shows what looks as a crash does; a person is told the reason alone."""
    monkeypatch.setenv(COOKIE_NAME, COOKIE)
    assert TerraformStarter().last_words(MalformedError("no types")) == "panic: no types"
    monkeypatch.delenv(COOKIE_NAME)
    assert TerraformStarter().last_words(MalformedError("no types")) == "no types"


def test_an_interrupt_is_for_the_engine() -> None:
    """Ctrl-C reaches the plugin, too, and does not end it."""
    assert not TerraformStarter.ends_on_interrupt

"""A Pulumi provider's process that does not start as it must: an error each, and nothing is left running."""

from __future__ import annotations

import socket
import sys

import pytest
from builders import call

from mockprovider.calls import Op, Reply
from mockprovider.errors import PluginError
from mockprovider.pulumi.process.plugin import Plugin


def start(code, **options):
    """A plugin that runs this code."""
    return Plugin([sys.executable, "-I", "-S", "-c", code], call(Op.HANDSHAKE, ""), **options)


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("print('hello'); print(1234)", "is no Pulumi provider: its first line must be its port alone, and is 'hello'"),
        ("print('99999')", "its first line must be its port alone, and is '99999'"),
        ("print('0')", "must be its port alone, and is '0'"),
        ("print('')", "must be its port alone, and is ''"),
        ("print('port 1234')", "must be its port alone"),
        ("raise SystemExit('no licence')", r"(?s)ended \(exit code 1\) before it said where it listens.*no licence"),
        ("", r"ended \(exit code 0\) before it said where it listens"),
    ],
)
def test_a_first_line_that_is_no_port(code, said):
    """A provider that dies, or prints anything before its port, is an error with what it said."""
    with pytest.raises(PluginError, match=said):
        start(code)


def test_a_silent_provider():
    """A provider that prints nothing is an error after the time that it was given."""
    with pytest.raises(PluginError, match=r"printed nothing within 0\.05 s"):
        start("import signal; signal.pause()", seconds=0.05)


@pytest.fixture
def port():
    """A port at which nothing listens, and that nobody else gets meanwhile."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield taken.getsockname()[1]


def test_a_port_at_which_nobody_listens(port):
    """A provider that prints a port and does not answer there is an error with its last words."""
    code = f"import signal, sys; sys.stderr.write('almost there\\n'); print({port}, flush=True); signal.pause()"
    with pytest.raises(PluginError, match=r"(?s)printed its port, and then: Nothing answers at .*almost there"):
        start(code, ready_seconds=0.05)


def test_a_provider_that_prints_its_port_and_dies(port):
    """Nobody waits for a provider that has printed its port and ended: the error says so, with its last words."""
    with pytest.raises(PluginError, match=r"(?s)Nothing answers at \S+ any more: the provider has ended.*no licence"):
        start(f"print({port}, flush=True); raise SystemExit('no licence')", ready_seconds=600)


def test_a_provider_that_leaves_another_process_to_serve(wire):
    """A provider whose first process ends, and leaves another one at its port, serves."""
    port = wire.serve(lambda _: Reply()).address.rpartition(":")[2]
    plugin = start(f"print({port}, flush=True)")
    wire.later(plugin.close)
    assert plugin(call(Op.CANCEL, "")).status is None


def test_a_command_that_is_not_there():
    """A command that cannot be started is an error that names it."""
    with pytest.raises(PluginError, match="Cannot start 'no-such-provider'"):
        Plugin(["no-such-provider"], call(Op.HANDSHAKE, ""))

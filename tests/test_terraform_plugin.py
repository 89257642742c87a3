"""The handshake, as text: what we say, and what we understand."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from mockprovider.errors import PluginError
from mockprovider.terraform.process.handshake import (
    COOKIE,
    COOKIE_NAME,
    Handshake,
    check_cookie,
    choose_major,
    handshake_line,
    read_handshake,
)
from mockprovider.terraform.process.installing import dev_overrides, mirror, sources, this_machine
from mockprovider.terraform.process.plugin import controller, reattach_environment
from mockprovider.terraform.proto import PLUGIN


def test_engines_are_led_to_running_providers() -> None:
    """Each source address leads to its server, in test mode, so that the engine never shuts it down."""
    (name, text), *others = reattach_environment({"example.com/mock/cloud": "127.0.0.1:1234"}, 5).items()
    assert (name, others) == ("TF_REATTACH_PROVIDERS", [])
    assert json.loads(text) == {
        "example.com/mock/cloud": {
            "Protocol": "grpc",
            "ProtocolVersion": 5,
            "Pid": os.getpid(),
            "Test": True,
            "Addr": {"Network": "tcp", "String": "127.0.0.1:1234"},
        }
    }


def test_providers_without_a_source_are_found_in_both_registries() -> None:
    """A configuration that names no source means one registry to Terraform and another to OpenTofu."""
    assert sources("cloud") == (
        "example.com/mock/cloud",
        "registry.terraform.io/hashicorp/cloud",
        "registry.opentofu.org/hashicorp/cloud",
    )


@pytest.mark.parametrize(
    ("system", "machine", "spelled"),
    [
        ("Linux", "x86_64", "linux_amd64"),
        ("Windows", "AMD64", "windows_amd64"),
        ("Linux", "aarch64", "linux_arm64"),
        ("Darwin", "arm64", "darwin_arm64"),
        ("Linux", "riscv64", "linux_riscv64"),
    ],
)
def test_machines_are_spelled_as_mirrors_do(monkeypatch: pytest.MonkeyPatch, system: str, machine: str, spelled: str) -> None:
    """Terraform's names of operating systems and machines are Go's."""
    monkeypatch.setattr("platform.system", lambda: system)
    monkeypatch.setattr("platform.machine", lambda: machine)
    assert this_machine() == spelled


OVERRIDES = """disable_checkpoint = true
provider_installation {
  dev_overrides {
    "example.com/mock/cloud" = "/launchers"
    "registry.terraform.io/hashicorp/cloud" = "/launchers"
    "registry.opentofu.org/hashicorp/cloud" = "/launchers"
  }
}
"""
MIRROR = """disable_checkpoint = true
provider_installation {
  filesystem_mirror {
    path = "/launchers"
  }
}
"""


def test_the_settings_that_lead_to_launchers() -> None:
    """A settings file names the folder for each source of a package, or a folder that is laid out as a registry."""
    assert dev_overrides(Path("/launchers"), ["cloud"]) == OVERRIDES
    assert mirror(Path("/launchers")) == MIRROR


def test_only_engines_start_plugins() -> None:
    """Without the engine's cookie a plugin says what it is and what to do instead."""
    check_cookie({COOKIE_NAME: COOKIE})
    with pytest.raises(PluginError, match="mockprovider serve terraform"):
        check_cookie({COOKIE_NAME: "biscuit"})


@pytest.mark.parametrize(
    ("offered", "served", "chosen"),
    [("5,6", (5, 6), 6), (" 6, 5", (5,), 5), ("5 , 6", (6, 5), 6), ("4", (5, 6), 5), ("", (5, 6), 5)],
)
def test_the_highest_common_major_is_chosen(offered: str, served: tuple[int, ...], chosen: int) -> None:
    """The highest major that both have is spoken, and the lowest of ours where there is none."""
    assert choose_major({"PLUGIN_PROTOCOL_VERSIONS": offered}, served) == chosen
    assert choose_major({}) == 5


def test_the_cookie_is_the_protocols() -> None:
    """The cookie is a constant that engines and providers share."""
    cookie = {"TF_PLUGIN_MAGIC_COOKIE": "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2"}
    assert cookie == {COOKIE_NAME: COOKIE}


@pytest.mark.parametrize(
    ("address", "certificate", "line"),
    [
        ("127.0.0.1:1234", "", "1|6|tcp|127.0.0.1:1234|grpc|"),
        ("unix:/tmp/plugin1", "", "1|6|unix|/tmp/plugin1|grpc|"),
        ("unix:/tmp/plugin1", "MIIB", "1|6|unix|/tmp/plugin1|grpc|MIIB"),
    ],
    ids=["tcp", "unix", "tls"],
)
def test_the_line_that_we_print(address: str, certificate: str, line: str) -> None:
    """Version of the handshake, major, network, address, protocol, and a certificate if there is one."""
    assert handshake_line(6, address, certificate) == line


def test_older_lines_are_understood() -> None:
    """A provider may leave out the field of the certificate."""
    assert read_handshake("1|6|tcp|127.0.0.1:1|grpc", "x") == Handshake(6, "127.0.0.1:1")


def test_our_line_is_understood() -> None:
    """What a plugin of ours prints is what the client reads."""
    for address in ("127.0.0.1:1234", "unix:/tmp/plugin1"):
        assert read_handshake(handshake_line(6, address), "x") == Handshake(6, address)


def test_unix_sockets_are_understood() -> None:
    """Go plugins listen on a socket, and print an empty certificate."""
    assert read_handshake("1|5|unix|/tmp/plugin1|grpc|\n", "x") == Handshake(5, "unix:/tmp/plugin1")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("hello", "x is no Terraform provider: its first line must look like"),
        ("", "x is no Terraform provider"),
        ("1|5|unix", "x is no Terraform provider"),
        ("2|5|unix|a|grpc", "version 2 of the plugin handshake"),
        ("1|5|unix|a", "does not speak gRPC, but 'netrpc'"),
        ("1|5|unix|a|netrpc", "does not speak gRPC, but 'netrpc'"),
        ("1|4|unix|a|grpc", "speaks protocol 4; known are 5, 6"),
        ("1|x|unix|a|grpc", "speaks protocol x"),
        ("1|5|udp|a|grpc", "network of kind 'udp'"),
        ("1|5|unix|a|grpc|MIIB", "serves TLS although nobody asked"),
    ],
    ids=range(10),
)
def test_other_lines_are_refused(line: str, message: str) -> None:
    """Each way of getting the line wrong is named."""
    with pytest.raises(PluginError, match=message):
        read_handshake(line, "x")


@pytest.mark.parametrize("still_there", [True, False])
def test_a_shutdown_is_answered_before_anything_ends(*, still_there: bool) -> None:
    """Who ends the server is told once the answer is on its way, or at once where the engine is gone already."""
    told: list[str] = []
    callbacks: list[Callable[[], None]] = []
    context = SimpleNamespace(peer=lambda: "ipv4:1", add_callback=lambda end: callbacks.append(end) or still_there)
    shutdown = controller(told.append).service(SimpleNamespace(method="/plugin.GRPCController/Shutdown"))
    answer = shutdown.unary_unary(PLUGIN.message("Empty")(), context)
    assert (answer, shutdown.response_serializer(answer)) == (PLUGIN.message("Empty")(), b"")
    assert shutdown.request_deserializer(b"") == PLUGIN.message("Empty")()
    assert told == ([] if still_there else ["ipv4:1"])
    callbacks[0]()
    assert told[-1] == "ipv4:1"


def test_there_is_nothing_to_read_of_ours() -> None:
    """What ours print goes to standard error, so the stream of it ends at once."""
    stream = controller().service(SimpleNamespace(method="/plugin.GRPCStdio/StreamStdio"))
    assert list(stream.unary_stream(b"", None)) == []

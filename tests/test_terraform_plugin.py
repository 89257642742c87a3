"""The handshake, as text: what we say, and what we understand."""

from __future__ import annotations

import json
import os

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
from mockprovider.terraform.process.installing import sources
from mockprovider.terraform.process.plugin import reattach_environment


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


def test_only_engines_start_plugins() -> None:
    """Without the engine's cookie a plugin says what it is and what to do instead."""
    check_cookie({COOKIE_NAME: COOKIE})
    with pytest.raises(PluginError, match="mockprovider serve terraform"):
        check_cookie({COOKIE_NAME: "biscuit"})


@pytest.mark.parametrize(
    ("offered", "served", "chosen"), [("5,6", (5, 6), 6), ("6,5", (5,), 5), ("4", (5, 6), 5), ("", (5, 6), 5)]
)
def test_the_highest_common_major_is_chosen(offered: str, served: tuple[int, ...], chosen: int) -> None:
    """The highest major that both have is spoken, and the lowest of ours where there is none."""
    assert choose_major({"PLUGIN_PROTOCOL_VERSIONS": offered}, served) == chosen


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
        ("2|5|unix|a|grpc", "version 2 of the plugin handshake"),
        ("1|5|unix|a", "does not speak gRPC, but 'netrpc'"),
        ("1|5|unix|a|netrpc", "does not speak gRPC, but 'netrpc'"),
        ("1|4|unix|a|grpc", "speaks protocol 4; known are 5, 6"),
        ("1|x|unix|a|grpc", "speaks protocol x"),
        ("1|5|udp|a|grpc", "network of kind 'udp'"),
        ("1|5|unix|a|grpc|MIIB", "serves TLS although nobody asked"),
    ],
)
def test_other_lines_are_refused(line: str, message: str) -> None:
    """Each way of getting the line wrong is named."""
    with pytest.raises(PluginError, match=message):
        read_handshake(line, "x")

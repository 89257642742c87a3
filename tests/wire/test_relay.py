"""The door for started plugins: who is let in, to which package, and how the double knows them."""

from __future__ import annotations

import socket
import threading
from contextlib import closing

import pytest
from builders import BUCKET, TOKEN

from mockprovider.calls import Call, Op
from mockprovider.double import Double, Wiring
from mockprovider.double.remote import connect as connect_grpc
from mockprovider.errors import PluginError
from mockprovider.plugin.asked import PluginRequest
from mockprovider.plugin.relaying import Relay
from mockprovider.protocols import of_family
from mockprovider.schema import ResourceType
from mockprovider.wire.pipes import Pipes, connect, hear, say


@pytest.fixture
def double():
    """A double of one package."""
    with Double(BUCKET) as made:
        yield made


def asked(serving, **given):
    """What a plugin process was asked."""
    return PluginRequest(
        **{"protocol": of_family(given.pop("protocol", "")), "package": "cloud", "relay": serving.relay, **given}
    )


def knock(serving, **words):
    """What the door answers."""
    with connect(serving.relay) as connection:
        say(connection, {"mockprovider": 1, "wants": "stay", "package": "cloud", "protocol": "pulumi", **words})
        return hear(connection)


@pytest.mark.parametrize(
    ("protocol", "options", "spoken"), [("pulumi", {}, "pulumi"), ("terraform", {"major": 5}, "tfplugin5")]
)
def test_a_plugin_learns_what_is_spoken(double, protocol, options, spoken):
    """The door tells a plugin which protocol the double speaks, so that it can say so to its engine."""
    serving = double.serve(protocol, **options)

    with closing(Relay(asked(serving, protocol=protocol))) as relay:
        assert relay.protocol == spoken
    assert serving.relay == serving.relay


def test_one_session_a_process(double, wire):
    """All connections of one process are one session, which knows its engine's address; another process has another."""
    serving = double.serve("pulumi")
    relays = [Relay(asked(serving, engine="127.0.0.1:99")), Relay(asked(serving))]
    for relay in relays:
        wire.later(relay.close)
    for relay in (relays[0], relays[0], relays[1]):
        listener = socket.create_server(("127.0.0.1", 0))
        pipes = Pipes(listener, lambda engine, relay=relay: (engine, relay.join()))
        wire.later(pipes.stop)
        call = Call(op=Op.CHECK, session=double.open(), urn=f"urn:pulumi:s::p::{TOKEN}::n", inputs={})
        client = connect_grpc(f"127.0.0.1:{listener.getsockname()[1]}", call)
        wire.later(client.close)
        client(call)
    first, second, third = (each.call.session for each in double.journal.entries(op="check", side="engine"))

    assert first is second
    assert third is not first
    assert first.peer.startswith("plugin ")
    assert first.engine_address == "127.0.0.1:99"
    assert third.engine_address == ""


def test_a_package_defined_later(double):
    """A package that was defined after the door opened is found."""
    serving = double.serve("pulumi")
    assert "error" in knock(serving, package="later")
    double.define(ResourceType("later:index:Thing"))

    assert knock(serving, package="later") == {"protocol": "pulumi"}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"package": "cluod"}, "serves no package 'cluod'; there is cloud"),
        ({"protocol": "terraform"}, "serves pulumi here, and a plugin of terraform asks for it"),
        ({"mockprovider": 2}, "different versions of mockprovider"),
    ],
)
def test_who_is_not_let_in(double, words, said):
    """Another package, protocol or version is refused with a sentence."""
    assert said in knock(double.serve("pulumi"), **words)["error"]


def test_a_plugin_tells_why_it_was_not_let_in(double):
    """A plugin's error holds the double's, and the variable that led it there."""
    with pytest.raises(PluginError, match=r"MOCKPROVIDER_RELAY=127.*serves no package 'other'"):
        Relay(asked(double.serve("pulumi"), package="other"))


def test_a_plugin_is_told_of_the_end(double, wire):
    """A plugin that watches is told when the double ends, and then finds nobody there."""
    serving = double.serve("pulumi")
    relay = Relay(asked(serving))
    wire.later(relay.close)
    over = threading.Event()
    relay.watch(over.set)
    assert not over.is_set()
    serving.stop()

    assert over.wait(60)
    with pytest.raises(PluginError, match="the double that this plugin was to relay to is gone"):
        relay.join()


def test_what_is_stopped_has_no_door(double):
    """A serving that was stopped does not open one."""
    serving = double.serve("pulumi")
    serving.stop()
    with pytest.raises(PluginError, match="no longer serves"):
        assert serving.relay


def test_a_recorded_provider_can_be_relayed_to():
    """What stands behind a double does not matter to a plugin."""
    with Double(provider=Wiring("cloud", lambda _: None, protocol=of_family("terraform", 5))) as double:
        serving = double.serve("terraform")
        with closing(Relay(asked(serving, protocol="terraform"))) as relay:
            assert relay.protocol == "tfplugin5"

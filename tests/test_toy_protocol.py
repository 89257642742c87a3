"""A protocol that no line outside its own folder knows is served, called, recorded, replayed and broken."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from builders import BUCKET, TOKEN
from cli_toolbox import serving
from msgspec.structs import replace

from mockprovider import Double, recording, replaying
from mockprovider.calls import Call, Op
from mockprovider.double import Wiring, attached, real
from mockprovider.double.launchers import install
from mockprovider.errors import DefinitionError, MissError, PluginError, UnsupportedError
from mockprovider.protocols import by_name, families, loaded, of_executable, of_family
from mockprovider.wire.adapter import Adapter, adapter

FOLDER = Path(__file__).parent / "toy_protocol"
TYPES = {"mockprovider": 1, "packages": {"cloud": {"resources": {TOKEN: {"properties": {"acl": "string"}}}}}}


@pytest.fixture(autouse=True)
def installed(monkeypatch):
    """The toy's folder, as if it had been installed."""
    monkeypatch.syspath_prepend(FOLDER)
    monkeypatch.setenv("PYTHONPATH", str(FOLDER))
    families.cache_clear()
    yield
    families.cache_clear()
    loaded.cache_clear()


def make(client, token=TOKEN):
    """A Check and a Make in a new session: what the Make is answered."""
    session = client.open()
    checked = client(Call(op=Op.CHECK, session=session, type=token, name="logs", inputs={"acl": "x"}))
    return client(Call(op=Op.CREATE, session=session, type=token, name="logs", inputs=checked.value))


def test_it_is_found():
    """Its family, its name and its executables' prefix lead to it; a version that it does not have is refused by number."""
    toy = of_family("toy")

    assert (toy.name, by_name("toytalk1"), of_executable("toy-provider-cloud")) == ("toytalk1", toy, (toy, "cloud"))
    assert next(iter(families())) != "toy"
    with pytest.raises(DefinitionError, match="There is no version 2 of the protocol toy: give 1"):
        of_family("toy", 2)


def test_an_op_that_it_does_not_have():
    """A client that asks for an op without an RPC is told which there are."""
    with pytest.raises(
        UnsupportedError, match=r"has no RPC that asks for update\. It has some for: configure, check, create, read"
    ):
        adapter(of_family("toy")).service.by_op(Op.UPDATE)


@pytest.mark.parametrize(
    ("offered", "complaint"),
    [
        (lambda toy: toy, r"toy = toytalk:PROTOCOLS of mockprovider\.protocols must be a tuple .* It is ProviderProtocol\("),
        (lambda _: (), r"must be a tuple .* It is \(\)"),
        (lambda toy: (replace(toy, family="doll"),), r"must be a tuple of ProviderProtocol\(family='toy'"),
        (lambda toy: (replace(toy, name="tfplugin5"),), "Two installed protocols are called 'tfplugin5', of .*'toy'"),
        (lambda toy: (replace(toy, is_default=True),), "Two installed protocols are the default, of "),
    ],
)
def test_what_is_no_protocol_is_refused(monkeypatch, offered, complaint):
    """A package that offers something else, another family, or what another protocol is already, is named."""
    toy = of_family("toy")
    families.cache_clear()
    monkeypatch.setattr("toytalk.PROTOCOLS", offered(toy))

    with pytest.raises(DefinitionError, match=complaint):
        families()


def test_what_is_not_there_is_named(monkeypatch):
    """An entry point without its value, and an adapter that is misspelt, are told by the path at which nothing is."""
    misspelt = replace(of_family("toy"), adapter="toytalk.adapter:Adaptor")
    with pytest.raises(DefinitionError, match=r"'toytalk\.adapter:Adaptor' is where to look, and nothing is there"):
        adapter(misspelt)
    families.cache_clear()
    monkeypatch.delattr("toytalk.PROTOCOLS")
    with pytest.raises(DefinitionError, match=r"toy = toytalk:PROTOCOLS .* cannot be loaded: .*Mend or remove the package"):
        families()


def test_a_table_is_enough(monkeypatch, tmp_path):
    """An adapter that has a table and nothing else is served, recorded and replayed; that it starts no providers, it says."""

    class Least(Adapter):
        service = adapter(of_family("toy")).service

    monkeypatch.setattr("toytalk.adapter.ToyAdapter", Least)
    loaded.cache_clear()
    path = tmp_path / "toy.json"
    with Double(BUCKET, provider=recording(path, Wiring("cloud"), "toy")) as double, double.serve("toy") as served:
        assert served.environment == {}
        with served.client() as client:
            recorded = make(client)
    with Double(provider=replaying(path)) as double, double.serve("toy").client() as client:
        assert make(client).id == recorded.id
    with (
        Double(provider=real([sys.executable], "toy", name="cloud")) as double,
        pytest.raises(PluginError, match=r"no start\(\)"),
    ):
        make(double)


def test_it_is_served_and_called():
    """The fake answers it over gRPC, and the cloud has what was made."""
    with Double(BUCKET) as double, double.serve("toy") as served, served.client() as client:
        assert served.environment == {"TOY_PROVIDERS": f"cloud={served.address}"}
        reply = make(client)

        assert [(found.id, found["acl"]) for found in double.cloud.objects(TOKEN)] == [(reply.id, "x")]
        assert [entry.call.method for entry in double.journal.entries(side="engine")] == ["Check", "Make"]


def test_it_is_broken():
    """A fault fires in it as in any protocol: the engine is told the reason, and what exists all the same."""
    with Double(BUCKET) as double, double.serve("toy") as served, served.client() as client:
        double.faults.on.create(TOKEN).partial(reasons=["half done"])
        reply = make(client)

        assert [failure.reason for failure in reply.failures] == ["half done"]
        assert [found.id for found in double.cloud.objects(TOKEN)] == [reply.id]


def test_it_is_recorded_and_replayed(tmp_path):
    """A recording of it answers as the provider did, and refuses what it does not hold."""
    path = tmp_path / "toy.json"
    with Double(BUCKET, provider=recording(path, Wiring("cloud"), "toy")) as double, double.serve("toy").client() as client:
        recorded = make(client)
    assert json.loads(path.read_text())[0]["protocol"] == "toytalk1"

    with Double(provider=replaying(path)) as double, double.serve("toy").client() as client:
        replayed = make(client)
        assert (replayed.id, replayed.value) == (recorded.id, recorded.value)
    with Double(provider=replaying(path)) as double:
        session = double.open("toy")
        with pytest.raises(MissError, match="acl"):
            double(Call(op=Op.CHECK, session=session, type=TOKEN, name="logs", inputs={"acl": "other"}))


def test_an_engine_starts_it(tmp_path):
    """A launcher of its name is a provider of it, which a double starts as a real one."""
    launcher = install("toy", "cloud", tmp_path, types=json.dumps(TYPES))
    with Double(provider=real([str(launcher)])) as double:
        session = double.open("toy")
        made = double(Call(op=Op.CREATE, session=session, type=TOKEN, name="logs", inputs={"acl": "x"}))

        assert double(Call(op=Op.READ, session=session, type=TOKEN, id=made.id)).value == {"acl": "x"}


def lead(process):
    """Where a served command line says that it listens."""
    line = process.stdout.readline()
    return line.split(" at ")[1].split(". Ctrl-C")[0].strip()


def ask(address, token=TOKEN):
    """What a provider at an address answers to a Check and a Make."""
    with Double(provider=attached(address, "toy")) as double, double.serve("toy").client() as client:
        return make(client, token)


def test_the_command_line(tmp_path):
    """Installed, served, recorded and replayed from the command line; a type that is not declared breaks."""
    types = tmp_path / "types.json"
    types.write_text(json.dumps(TYPES))
    with serving(tmp_path, "serve", "toy", "--types", str(types)) as process:
        served = ask(lead(process))
    launcher = install("toy", "cloud", tmp_path / "bin", types=types.read_text())
    with serving(tmp_path, "record", "toy", "--cassette", "toy.json", "--", str(launcher)) as process:
        recorded = ask(lead(process))
        process.terminate()
        process.wait(30)
    with serving(tmp_path, "replay", "toy.json") as process:
        replayed = ask(lead(process))
    with serving(tmp_path, "serve", "toy", "--strict", "--types", str(types)) as process:
        broken = ask(lead(process), "cloud:index:Nothing")

    assert served.id
    assert (replayed.id, replayed.value) == (recorded.id, recorded.value)
    assert [failure.reason for failure in broken.failures] == [
        f"Nobody declared the resource type 'cloud:index:Nothing'. Did you mean {TOKEN!r}?"
    ]

"""The served double with the double's own interface: what an engine in Python sees over gRPC."""

from __future__ import annotations

import grpc
import pulumi
import pytest
from builders import BUCKET, TOKEN, URN
from pulumi.runtime.proto import engine_pb2, engine_pb2_grpc

from mockprovider.calls import Call, Op, Reply
from mockprovider.double import Double
from mockprovider.engine import Stack
from mockprovider.errors import DefinitionError, PluginError
from mockprovider.schema import ResourceType
from mockprovider.values import UNKNOWN

KEY = ResourceType("other:index:Key", {"user": str})


@pytest.fixture
def double():
    """A double with two packages."""
    with Double(BUCKET, KEY) as made:
        yield made


@pytest.fixture
def connect(double):
    """Serves the double and gives a client of it."""
    made = []

    def start(protocol="pulumi"):
        made.append(double.serve(protocol).client())
        return made[-1]

    yield start
    for each in made:
        each.close()


def create(client, session, **given):
    """The reply to a create of a bucket."""
    return client(Call(op=Op.CREATE, session=session, **{"type": TOKEN, "urn": URN, "name": "logs", "inputs": {}} | given))


def test_the_interface_is_the_doubles(double, connect):
    """A call over the wire has the reply that the same call has in process, and both reach one cloud."""
    client = connect()
    here, there = create(double, double.open()), create(client, client.open())
    read = client(Call(op=Op.READ, session=client.open(), type=TOKEN, urn=URN, id=here.id))

    assert {**there.value, "arn": ""} == {**here.value, "arn": ""}
    assert read.value == here.value
    assert [each.id for each in double.cloud.objects(TOKEN)] == [here.id, there.id]


def test_a_half_made_object_comes_over_the_wire(double, connect):
    """Over the wire, too, a reply carries the object beside what went wrong with it."""
    double.faults.on.create(TOKEN).partial(reasons=["slow", "sorry"])
    client = connect()
    reply = create(client, client.open())

    assert reply.partial
    assert reply.id == double.cloud.objects()[0].id
    assert [each.reason for each in reply.failures] == ["slow", "sorry"]


def test_each_session_is_a_connection(double, connect):
    """Sessions of one client are told apart by the server, although they come from one process."""
    client = connect()
    for session in (client.open(), client.open()):
        create(client, session)
        create(client, session)
    numbers = [each.call.session.number for each in double.journal.entries()]

    assert numbers[0] == numbers[1] != numbers[2] == numbers[3]


def test_packages_have_their_servers(double, connect):
    """A session belongs to the package that it was opened for, the first one unless one is named."""
    client = connect()
    for package in ("", "other"):
        client(Call(op=Op.GET_SCHEMA, session=client.open(package=package)))

    assert [each.call.session.schema.name for each in double.journal.entries()] == ["cloud", "other"]


def test_terraform(connect):
    """The same client speaks Terraform's protocol where that is served: a create is a plan applied."""
    client = connect("terraform")
    session = client.open()
    bags = {"inputs": {"acl": "private"}, "planned": {"acl": "private", "arn": UNKNOWN}}
    reply = client(Call(op=Op.CREATE, session=session, method="ApplyResourceChange", type=TOKEN, **bags))

    assert session.protocol.name == "tfplugin6"
    assert reply.ok
    assert reply.value["acl"] == "private"


def test_the_way_back():
    """What a provider behind the wire tells the engine that it was given the address of, reaches that engine."""
    told = []

    class Engine:
        def log(self, severity, message, urn=""):
            told.append((severity, message))

    def provider(call):
        with grpc.insecure_channel(call.extra["engine_address"]) as channel:
            engine_pb2_grpc.EngineStub(channel).Log(engine_pb2.LogRequest(severity=engine_pb2.WARNING, message="careful"))
        return Reply()

    with Double(provider=provider) as double, double.serve().client() as client:
        client(Call(op=Op.HANDSHAKE, session=client.open(engine=Engine())))

    assert told == [("warning", "careful")]


def test_the_embedded_engine_over_the_wire(double, connect):
    """A stack takes a client in the double's place, and does the same."""

    class Bucket(pulumi.CustomResource):
        def __init__(self, name):
            super().__init__(TOKEN, name, {})

    assert Stack(connect()).up(lambda: Bucket("logs") and None).summary == {"create": 1}
    assert len(double.cloud.objects(TOKEN)) == 1


def test_what_is_refused(double, connect):
    """Another protocol, a package that nobody serves and a session from elsewhere are errors that say what there is."""
    client = connect()
    with pytest.raises(DefinitionError, match="pulumi is spoken here, and not 'tfplugin6'"):
        client.open("tfplugin6")
    with pytest.raises(PluginError, match="No package 'third' is served; there is cloud, other"):
        client.open(package="third")
    with pytest.raises(PluginError, match="was not opened here"):
        create(client, double.open())

"""The double: what is defined, called, served, broken and closed in one place."""

from __future__ import annotations

import json
import socket
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from builders import BUCKET, TOKEN, URN, package

from mockprovider.calls import Call, Op, Reply
from mockprovider.cloud import Cloud, Effect
from mockprovider.double import Address, Double, RealClock
from mockprovider.errors import DefinitionError, PluginError
from mockprovider.journal import Side
from mockprovider.pulumi.methods import PROVIDER
from mockprovider.schema import Function, ResourceType
from mockprovider.terraform.process.installing import SOURCE
from mockprovider.wire.client import Client

KEY = ResourceType("other:index:Key", {"user": str})


@pytest.fixture
def double():
    """A double with a bucket type."""
    with Double(BUCKET) as made:
        yield made


def create(double, session=None, **given):
    """The reply to a create of a bucket, in process."""
    asked = {"op": Op.CREATE, "type": TOKEN, "urn": URN, "name": "logs", "inputs": {}} | given
    return double(Call(session=session or double.open(), **asked))


def over_the_wire(address, **given):
    """The reply to a call over gRPC."""
    client = Client(str(address), PROVIDER)
    try:
        client.wait_ready()
        asked = Double().open()
        return client(Call(session=asked, **given))
    finally:
        client.close()


# Definitions -----------------------------------------------------------------------------------------------------------


def test_definitions_go_to_their_packages(double):
    """A type or function belongs to the package that its token names; packages are taken whole."""
    zone = Function("cloud:index:getZone")
    double.define(KEY, zone, package(name="third", version="3.0.0"))

    assert set(double.packages) == {"cloud", "other", "third"}
    assert double.packages["cloud"].resources == {TOKEN: BUCKET}
    assert double.packages["cloud"].functions == {zone.token: zone}
    assert double.packages["third"].version == "3.0.0"


def test_a_later_definition_counts(double):
    """Defining a type again replaces it, for calls that come after."""
    double.define(ResourceType(TOKEN, {"acl": str}))

    assert create(double).value == {}


@pytest.mark.parametrize("wrong", [TOKEN, {TOKEN: BUCKET}, [BUCKET], None])
def test_what_is_no_definition(double, wrong):
    """Anything else is refused with what is wanted."""
    with pytest.raises(
        DefinitionError, match=r"is no definition: give a ResourceType, a Function, a Component, a Method or a Package\."
    ):
        double.define(wrong)


# In process ------------------------------------------------------------------------------------------------------------


def test_a_call_in_process(double):
    """A Python engine calls the double directly: cloud, journal and reply agree."""
    reply = create(double)

    assert dict(double.cloud.objects(TOKEN)[0]) == reply.value
    assert double.journal.ops(type=TOKEN) == double.journal.ops(side=Side.PROVIDER) == ["create"]


def test_faults_are_between_engine_and_provider(double):
    """The engine's side of the journal has the injected failure, the provider's side the success under it."""
    double.faults.on.create(TOKEN).partial(reasons=["slow"])
    reply = create(double)

    assert reply.partial
    assert not double.journal.entries()[0].reply.ok
    assert double.journal.entries(side=Side.PROVIDER)[0].reply.ok
    assert len(double.cloud.objects()) == 1


def test_layers_are_next_to_the_provider():
    """Further layers see what the provider's side of the journal sees, and the first of them is the outermost."""
    notes = []

    def note(name):
        return lambda asked, proceed: notes.append((name, len(double.journal))) or proceed(asked)

    double = Double(provider=lambda _: notes.append("provider") or Reply(id="x"), layers=(note("a"), note("b")))

    assert create(double).id == "x"
    assert notes == [("a", 2), ("b", 2), "provider"]


def address_of(call):
    """An address that says which call it is of."""
    return f"{call.op}.{call.name}"


def test_calls_have_addresses_while_somebody_knows_them(double):
    """While a block runs, what it was given tells each call's address, before any layer sees the call."""
    create(double)
    with double.addressed(address_of):
        create(double)
    create(double)

    assert [entry.call.address for entry in double.journal.entries()] == ["", "create.logs", ""]


def test_of_two_who_know_addresses_none_is_asked(double):
    """While two engines run on one double, calls have no address, since nothing says which engine they are of."""
    with double.addressed(address_of):
        with double.addressed(address_of):
            create(double)
        with double.addressed(lambda _: "other"):
            create(double)
        create(double)

    assert [entry.call.address for entry in double.journal.entries()] == ["", "", "create.logs"]


def test_an_engine_that_knows_the_address_itself(double):
    """A call that was made with an address keeps it."""
    with double.addressed(address_of):
        create(double, address="mine.a")

    assert double.journal.entries()[0].call.address == "mine.a"


def test_a_run_that_breaks_off_tells_no_more_addresses(double):
    """A block that ends with an error has ended, too."""
    with pytest.raises(ValueError, match="over"), double.addressed(address_of):
        raise ValueError("over")
    create(double)

    assert double.journal.entries()[0].call.address == ""


def test_sessions_are_counted(double):
    """Sessions are numbered from 1, each with its protocol, peer, package and way back."""
    double.define(KEY)
    one, other = double.open(), double.open("tfplugin6", package="other", peer="ipv4:x")

    assert (one.number, one.protocol.name, one.peer, one.schema) == (1, "pulumi", "in-process", double.packages["cloud"])
    assert (other.number, other.protocol.name, other.peer, other.schema) == (2, "tfplugin6", "ipv4:x", double.packages["other"])
    assert double.open(package="nowhere").schema is None


def test_sessions_are_counted_once_under_threads(double):
    """Sessions that open at the same time have different numbers."""
    with ThreadPoolExecutor(8) as pool:
        numbers = list(pool.map(lambda _: double.open().number, range(100)))

    assert sorted(numbers) == list(range(1, 101))


def test_seeds():
    """Equal seeds give equal ids, others others."""
    ids = [create(Double(BUCKET, seed=seed)).id for seed in (1, 1, 2)]

    assert ids[0] == ids[1] != ids[2]


def test_a_cloud_may_be_given():
    """Two doubles over one cloud see the same objects: a restart of the provider loses nothing."""
    cloud = Cloud()
    made = create(Double(BUCKET, cloud=cloud))
    found = Double(BUCKET, cloud=cloud)

    assert found(Call(op=Op.READ, session=found.open(), type=TOKEN, id=made.id)).value == made.value


def test_strict():
    """A strict double refuses undeclared types, another echoes them."""
    assert not create(Double(strict=True)).ok
    assert create(Double(), inputs={"a": 1}).value == {"a": 1}


def test_strict_may_be_set_later(double):
    """It can be set between calls, for connections that are open, too, and taken back."""
    session = double.open()
    misspelt = Call(op=Op.CHECK, session=session, type=TOKEN, urn=URN, inputs={"alc": "x"})
    assert not double.strict
    assert double(misspelt).ok
    double.strict = True
    assert [each.path for each in double(misspelt).failures] == ["alc"]
    double.strict = False
    assert double(misspelt).ok


def test_only_the_fake_is_strict():
    """Where something else than the fake answers, being strict is refused, at the start and later."""
    with pytest.raises(DefinitionError, match="Only the fake can be strict"):
        Double(BUCKET, provider=lambda _: Reply(), strict=True)
    other = Double(BUCKET, provider=lambda _: Reply())
    with pytest.raises(DefinitionError, match="Only the fake can be strict"):
        other.strict = True


def test_cancel_tells_the_session(double):
    """Whatever hangs can wait on its session, which Cancel sets before any layer sees the call; others go on."""
    seen = []
    held = Double(BUCKET, layers=(lambda call, proceed: seen.append(call.session.cancelled.is_set()) or proceed(call),))
    session, other = held.open(), held.open()
    held(Call(op=Op.CANCEL, session=session))

    assert seen == [True]
    assert not other.cancelled.is_set()


def test_cancel_over_the_wire(double):
    """The RPC does the same for the session of its connection."""
    with double.serve() as serving:
        over_the_wire(serving.address, op=Op.CANCEL)

    assert double.journal.entries()[0].call.session.cancelled.is_set()


# Over the wire ---------------------------------------------------------------------------------------------------------


def test_serving_a_package(double):
    """A call over gRPC reaches the same cloud and journal, in a session of its own."""
    with double.serve() as serving:
        reply = over_the_wire(serving.address, op=Op.CREATE, type=TOKEN, urn=URN, inputs={"acl": "x"})

    assert double.cloud.objects()[0].id == reply.id
    assert double.journal.entries()[0].call.session.peer.startswith("ipv4:127.0.0.1:")


def test_each_package_has_its_server(double):
    """Each package is served at an address of its own, which answers with that package's schema."""
    double.define(KEY)
    serving = double.serve()
    addresses = serving.addresses()
    schemas = {
        name: json.loads(over_the_wire(each, op=Op.GET_SCHEMA, type="").extra["schema"])["name"]
        for name, each in addresses.items()
    }

    assert schemas == {"cloud": "cloud", "other": "other"}
    assert len({each.port for each in addresses.values()}) == 2
    assert addresses["cloud"] == Address("cloud", "127.0.0.1", addresses["cloud"].port)
    assert serving.address == str(addresses["cloud"])


def test_packages_declared_later_are_served(double):
    """A package defined after serving began gets a server at the next look, and the others keep theirs."""
    serving = double.serve()
    before = dict(serving.addresses())
    double.define(KEY)

    assert dict(serving.addresses()).items() > before.items()


def test_the_way_for_pulumi(double):
    """Pulumi finds each package by name and port."""
    double.define(KEY)
    serving = double.serve("pulumi")
    ports = {name: each.port for name, each in serving.addresses().items()}

    assert serving.environment == {"PULUMI_DEBUG_PROVIDERS": f"cloud:{ports['cloud']},other:{ports['other']}"}


def test_the_way_for_terraform(double):
    """Terraform finds each package under its source address."""
    serving = double.serve("terraform")
    reattach = json.loads(serving.environment["TF_REATTACH_PROVIDERS"])

    assert reattach[SOURCE.format(package="cloud")]["Addr"]["String"] == serving.address


def test_with_nothing_declared():
    """A double without definitions is attached under its own name."""
    with Double(name="aws") as double:
        assert set(double.serve().addresses()) == {"aws"}
        assert double.serve().environment["PULUMI_DEBUG_PROVIDERS"].startswith("aws:")


def test_a_protocol_that_does_not_exist(double):
    """A protocol that nobody speaks is refused with those that are."""
    with pytest.raises(DefinitionError, match="There is no protocol 'ansible': give 'pulumi' or 'terraform'"):
        double.serve("ansible")


def test_a_port_of_ones_choice(double, monkeypatch):
    """The chosen port is the first package's; further packages take free ones."""
    asked = []

    class Server:
        host, port = "127.0.0.1", 1

        def stop(self):
            pass

    monkeypatch.setattr("mockprovider.wire.server.serve", lambda *_, **given: asked.append(given["port"]) or Server())
    double.define(KEY)
    double.serve(port=4711)

    assert asked == [4711, 0]


def test_a_port_that_is_taken(double):
    """A taken port is an error at once, and the double is as good as before."""
    with (
        socket.create_server(("127.0.0.1", 0)) as taken,
        pytest.raises(PluginError, match="Is it in use"),
    ):
        double.serve(port=taken.getsockname()[1])

    assert double.serve().address


# Errors and the end ----------------------------------------------------------------------------------------------------


def test_our_errors_reach_the_test():
    """An error of ours that an engine was told as a status is raised again in the test."""
    with Double(ResourceType(TOKEN, {}, id="{region}")) as double:
        reply = over_the_wire(double.serve().address, op=Op.CREATE, type=TOKEN, urn=URN)

        assert reply.failures[0].status == "failed_precondition"
        assert "needs 'region'" in reply.failures[0].reason
        with pytest.raises(DefinitionError, match="needs 'region'"):
            double.raise_errors()


def test_failures_are_no_errors(double):
    """What the provider says went wrong is the engine's business: nothing is raised in the test."""
    double.faults.on.create().partial()
    over_the_wire(double.serve().address, op=Op.CREATE, type=TOKEN, urn=URN)

    assert double.errors == []
    double.raise_errors()


def test_closing_ends_everything(double):
    """After closing nothing listens, and closing again is no error; the cloud can still be looked at."""
    create(double)
    serving = double.serve()
    address = serving.addresses()["cloud"]
    double.close()
    double.close()

    with pytest.raises(ConnectionRefusedError):
        socket.create_connection((address.host, address.port), timeout=60)
    with pytest.raises(PluginError, match="no longer serves here"):
        _ = serving.address
    assert [each.effect for each in double.cloud.events] == [Effect.CREATED]


def test_closing_closes_the_provider():
    """A provider that holds something, such as a process, is closed with the double."""

    class Held:
        closed = False

        def __call__(self, _):
            return Reply()

        def close(self):
            self.closed = True

    held = Held()
    with Double(provider=held) as double:
        create(double)
        assert not held.closed

    assert held.closed


def test_serving_again_after_stopping(double):
    """A serving that was stopped is over; a new one has a new address."""
    first = double.serve()
    first.stop()

    assert over_the_wire(double.serve().address, op=Op.GET_PLUGIN_INFO).version == "1.0.0"


def test_real_time():
    """The machine's clock tells seconds since 1970, and sleeping for nothing returns."""
    clock = RealClock()
    clock.sleep(0)
    called_off = threading.Event()
    assert not clock.wait(0, called_off)
    called_off.set()
    assert clock.wait(60, called_off)
    assert clock.now() > 1_600_000_000

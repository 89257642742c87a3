"""The RPCs beside a resource's life, each by every way in: in process, over the wire, recorded, replayed, through a proxy."""

from __future__ import annotations

import json

import pytest
from builders import BUCKET, TOKEN, package

from mockprovider.calls import Call, Native, Op, Reply, Status
from mockprovider.double import Double, Wiring, attached, recording, replaying
from mockprovider.errors import DefinitionError, UnsupportedError
from mockprovider.fake.parameters import Parameter
from mockprovider.payloads import ParameterArgs, ParameterValue
from mockprovider.pulumi import ResourceTraits
from mockprovider.pulumi.values import EVERYTHING
from mockprovider.schema import Function, Package, Property, ResourceType
from mockprovider.values import UNKNOWN, ResourceReference, Secret

ZONE = Function("cloud:index:getZone", {"region": Property(required=True)}, {"zone": "zone-{region}"})
EAGER = ResourceType("cloud:index:Eager", {"size": Property(int)}, traits=[ResourceTraits(refresh_before_update=True)])


def tools(given: Parameter) -> Package | None:
    """A package that is called as the first word says, of the version that the second says."""
    name, version, *_ = (*given.args, "1.0.0", "")
    return package(ResourceType(f"{name}:index:Thing", {"size": int}), name=name, version=version) if name != "no" else None


def packages():
    """What the doubles here serve: a package with everything, one with what it becomes by data, and one with neither."""
    cloud = package(
        *(BUCKET, ZONE, EAGER),
        version="1.2.3",
        config={"region": Property(required=True, description="Where it is."), "tag": Property(int)},
        mappings={"terraform": '{"name": "cloud"}', "other": b"\x00\xff"},
        parameters=tools,
    )
    more = package(ResourceType("more:index:Extra", {"size": int}), name="more", version="2.0.0", extension=True)
    swapped = package(ResourceType("swapped:index:Thing"), name="swapped", version="3.0.0")
    base = package(ResourceType("base:index:Server"), name="base", parameters={"more": more, "swapped": swapped})
    return (cloud, base, package(name="plain"))


class Talk:
    """Sessions with a double, however it is reached, and what it answered in words that are the same in every way."""

    def __init__(self, double):
        self._double = double

    def open(self, name="cloud", **handshake):
        """A new session that has shaken hands."""
        self._session = self._double.open("pulumi", package=name)
        answer = self.ask(Op.HANDSHAKE, extra=handshake)
        # What a wire's client notes of the answer is up to the caller in process, as the engine's address is.
        self._session.accepts = EVERYTHING
        return answer

    def ask(self, op, type_="", **given):
        """What a call was answered: value, id, inputs, failures and what else the message holds."""
        if op is Op.CONFIGURE:
            self._session.instance = given.get("urn", "")
        if "urn" in given:
            *_, type_, name = given["urn"].split("::")
            given = {"name": name, **given}
        reply = self._double(Call(op=op, session=self._session, type=type_, **given))
        code = reply.status.code if reply.status else None
        # A status has no place for a path.
        told = [(each.reason, "" if each.status else each.path) for each in reply.failures]
        extra = {name: word for name, word in reply.extra.items() if name not in ("schema", "diff")}
        extra |= {"name": reply.name, "version": reply.version, "listed": reply.listed}
        # An update's answer has no id: the object keeps the one that it has.
        id_ = "" if op is Op.UPDATE else reply.id
        return (reply.value, id_, reply.inputs, told, {name: each for name, each in extra.items() if each}), code


def listing(talk):
    """Pages of a type, filtered, limited, of an unknown query, of nothing, and with a token that is none."""
    talk.open()
    talk.ask(Op.CONFIGURE, inputs={"region": "north"})
    for number in range(5):
        acl = "public" if number % 2 else "private"
        inputs = {"name": f"n{number}", "acl": acl}
        urn = f"urn:pulumi:dev::shop::{TOKEN}::b{number}"
        talk.ask(Op.CREATE, TOKEN, inputs=inputs, urn=urn, name=f"b{number}")
    first, _ = talk.ask(Op.LIST, TOKEN, page_size=2, limit=3)
    token = first[-1]["listed"][-1].continuation_token
    return [
        first,
        talk.ask(Op.LIST, TOKEN, page_size=2, limit=3, page=token),
        talk.ask(Op.LIST, TOKEN, limit=1, page=token),
        talk.ask(Op.LIST, TOKEN, inputs={"acl": "public", "name": None}),
        talk.ask(Op.LIST, TOKEN, inputs={"acl": UNKNOWN}),
        talk.ask(Op.LIST, TOKEN, inputs={"acl": "nobody's"}),
        talk.ask(Op.LIST, "cloud:index:Empty"),
        talk.ask(Op.LIST, TOKEN, page="page two")[1],
    ]


def mapping(talk):
    """Mappings of a package that has some."""
    talk.open()
    return [
        talk.ask(Op.GET_MAPPING, extra={"key": "terraform"}),
        talk.ask(Op.GET_MAPPING, extra={"key": "other", "provider": "cloud"}),
        talk.ask(Op.GET_MAPPING, extra={"key": "terraform", "provider": "stranger"}),
        talk.ask(Op.GET_MAPPING, extra={"key": "nobody's"}),
        talk.ask(Op.GET_MAPPINGS, extra={"key": "terraform"}),
        talk.ask(Op.GET_MAPPINGS, extra={"key": "nobody's"}),
    ]


def no_mapping(talk):
    """Mappings of a package that has none."""
    talk.open("plain")
    return [talk.ask(op, extra={"key": "terraform"}) for op in (Op.GET_MAPPING, Op.GET_MAPPINGS)]


def replacement(talk):
    """A package that becomes another: by words, by the value that its schema keeps, by data, and what nobody knows."""
    talk.open()
    answers = [talk.ask(Op.PARAMETERIZE, parameter=ParameterArgs(("tools", "2.0.0")))]
    answers.append(talk.ask(Op.GET_PLUGIN_INFO))
    urn = "urn:pulumi:dev::shop::tools:index:Thing::one"
    talk.ask(Op.CONFIGURE, urn="urn:pulumi:dev::shop::pulumi:providers:tools::p", inputs={})
    answers.append(talk.ask(Op.CHECK, urn=urn, type_="tools:index:Thing", inputs={"size": "big"}))
    answers.append(talk.ask(Op.CREATE, urn=urn, type_="tools:index:Thing", name="one", inputs={"size": 3}))
    for name, value in (
        ("cloud", {"name": "tools", "version": "2.0.0", "value": b'["tools", "2.0.0"]'}),
        ("cloud", {"name": "tools", "version": "2.0.0", "value": b'["others"]'}),
        ("cloud", {"name": "tools", "version": "2.0.0", "value": b'["no"]'}),
        ("base", {"name": "swapped", "version": "3.0.0", "value": b"\xff"}),
        ("base", {"name": "swappd", "version": "3.0.0", "value": b""}),
        ("plain", {"name": "tools", "version": "2.0.0", "value": b""}),
    ):
        talk.open(name)
        answers.append(talk.ask(Op.PARAMETERIZE, parameter=ParameterValue(**value)))
    return answers


def extension(talk):
    """A package that gets another beside it after it was configured: both have types."""
    talk.open("base")
    talk.ask(Op.CONFIGURE, urn="urn:pulumi:dev::shop::pulumi:providers:base::p", inputs={})
    value = {"name": "more", "version": "2.0.0", "value": b'["more"]'}
    answers = [talk.ask(Op.PARAMETERIZE, parameter=ParameterValue(**value))]
    for token in ("more:index:Extra", "base:index:Server"):
        urn = f"urn:pulumi:dev::shop::{token}::one"
        answers.append(talk.ask(Op.CHECK, urn=urn, type_=token, inputs={"size": "big"}))
    return answers


def configuring(talk):
    """Configuration that is checked, that lacks what it needs, and that has it."""
    urn = "urn:pulumi:dev::shop::pulumi:providers:cloud::p"
    talk.open()
    return [
        talk.ask(Op.CHECK_CONFIG, urn=urn, inputs={"tag": "x"}),
        talk.ask(Op.CONFIGURE, urn=urn, inputs={"tag": 1}),
        talk.ask(Op.CONFIGURE, urn=urn, inputs={"region": "north", "tag": 1})[1],
        talk.ask(Op.DIFF_CONFIG, urn=urn, prior={"region": "a"}, prior_inputs={"region": "a"}, inputs={"region": "b"})[1],
        talk.ask(Op.ATTACH, extra={"address": "127.0.0.1:1"}),
        talk.ask(Op.CANCEL),
    ]


def invoking(talk):
    """A function that answers, that has something against its arguments, that must not know, and that nobody declared."""
    talk.open()
    talk.ask(Op.CONFIGURE, inputs={"region": "north"})
    reference = ResourceReference("urn:pulumi:dev::shop::cloud:index:Bucket::logs", "b1")
    return [
        talk.ask(Op.INVOKE, ZONE.token, inputs={"region": "north"}),
        talk.ask(Op.INVOKE, ZONE.token, inputs={"region": "north"}, preview=True),
        talk.ask(Op.INVOKE, ZONE.token, inputs={"region": Secret("north")}),
        talk.ask(Op.INVOKE, ZONE.token, inputs={"region": 5}),
        talk.ask(Op.INVOKE, ZONE.token, inputs={"region": UNKNOWN}),
        talk.ask(Op.INVOKE, ZONE.token, inputs={"region": "north", "of": reference}),
        talk.ask(Op.INVOKE, "cloud:index:getZones", inputs={}),
    ]


def eager(talk):
    """What is to be read before it is changed says so in each answer, to engines that can."""
    answers = []
    for able in (True, False):
        talk.open(supports_refresh_before_update=able)
        talk.ask(Op.CONFIGURE, inputs={"region": "north"})
        given = {"type_": EAGER.token, "urn": f"urn:pulumi:dev::shop::{EAGER.token}::e{able}", "name": "e"}
        made = talk.ask(Op.CREATE, inputs={"size": 1}, **given)
        id_ = made[0][1]
        answers += [made, talk.ask(Op.READ, id=id_, prior={"size": 1}, prior_inputs={"size": 1}, **given)]
        answers.append(talk.ask(Op.UPDATE, id=id_, prior={"size": 1}, prior_inputs={"size": 1}, inputs={"size": 2}, **given))
    return answers


TALKS = [listing, mapping, no_mapping, replacement, extension, configuring, invoking, eager]


def normal(found):
    """What one says, without the difference between a status and a failure that has yet to become one."""
    return json.dumps(found, default=str, sort_keys=True)


@pytest.fixture(params=TALKS, ids=lambda each: each.__name__)
def talk(request):
    """One conversation."""
    return request.param


@pytest.fixture
def said(talk):
    """What the fake says over the wire."""
    with Double(*packages()) as double, double.serve().client() as client:
        return normal(talk(Talk(client)))


def test_in_process_is_as_over_the_wire(talk, said):
    """A double that is called in process says what it says over the wire, codes aside, which only a wire has."""
    with Double(*packages()) as double:
        inside = talk(Talk(double))

    assert without_codes(json.loads(normal(inside))) == without_codes(json.loads(said))


def without_codes(found):
    """The answers without status codes."""
    return [each[0] if isinstance(each, list) and len(each) == 2 else None if isinstance(each, int) else each for each in found]


def test_recorded_and_replayed(talk, said, tmp_path):
    """What was said through a recorder in process is said again by its cassette alone, in process and over the wire."""
    path = tmp_path / "talk.json"
    with Double(*packages()) as behind, doubled(recording(path, behind)) as double:
        assert without_codes(json.loads(normal(talk(Talk(double))))) == without_codes(json.loads(said))
    with doubled(replaying(path)) as double:
        assert without_codes(json.loads(normal(talk(Talk(double))))) == without_codes(json.loads(said))
    with doubled(replaying(path)) as double, double.serve().client() as client:
        assert normal(talk(Talk(client))) == said


def test_through_a_proxy(talk, said, tmp_path):
    """A double in front of a provider behind a wire hands on what that says and records it, and the cassette says it again."""
    path = tmp_path / "talk.json"
    with Double(*packages()) as behind:
        target = {name: str(each) for name, each in behind.serve().addresses().items()}
        wiring = recording(path, Wiring("cloud", Routed(target)))
        with doubled(wiring) as double, double.serve().client() as client:
            assert normal(talk(Talk(client))) == said
    with doubled(replaying(path)) as double, double.serve().client() as client:
        assert normal(talk(Talk(client))) == said


def doubled(provider):
    """A double with something else behind it, served as the packages of these tests."""
    return Double(*packages(), provider=provider)


class Routed:
    """A handler that has a connection of its own for each session, to the server of the session's package."""

    def __init__(self, targets):
        self._wirings = {name: attached(target) for name, target in targets.items()}

    def __call__(self, call):
        return self._wirings[call.session.schema.name].provider(call)

    def close(self):
        """End the connections."""
        for each in self._wirings.values():
            each.provider.close()


STREAM = tuple(Native(each) for each in (b"one", b"", b"three"))


def test_an_unknown_stream_recorded_and_replayed(tmp_path):
    """The messages of an RPC that nobody knows are recorded and replayed as they were, for Pulumi and for Terraform."""
    for protocol in ("pulumi", "tfplugin6"):
        path = tmp_path / f"{protocol}.json"
        wired = recording(path, Wiring("cloud", lambda _: Reply(stream=STREAM)), protocol.replace("tfplugin6", "terraform"))
        for wiring in (wired, None):
            with Double(provider=wiring or replaying(path)) as double:
                asked = Call(op=Op.RAW, session=double.open(protocol), method="Watch", native=Native(b"asked"))
                assert [each.data for each in double(asked).stream] == [b"one", b"", b"three"]


def test_a_stream_that_broke_off_is_withheld(tmp_path):
    """What a stream brought before it broke off is no answer: it is recorded as withheld, and a replay refuses it."""
    path = tmp_path / "broken.json"
    broken = Reply(stream=STREAM[:1], status=Status(14, "lost"))
    for wiring, refused in ((recording(path, Wiring("cloud", lambda _: broken)), False), (None, True)):
        with Double(provider=wiring or replaying(path)) as double:
            asked = Call(op=Op.RAW, session=double.open(), method="Watch", native=Native(b"asked"))
            if not refused:
                assert double(asked) == broken
                continue
            with pytest.raises(UnsupportedError, match="broke off after some of its messages"):
                double(asked)


def test_what_a_list_goes_by_must_exist():
    """A type that says that it is listed by something else than its properties is refused with the name."""
    with pytest.raises(DefinitionError, match="list_by names 'colour', which is no property"):
        ResourceType("cloud:index:Server", {"size": str}, traits=[ResourceTraits(list_by=("colour",))])


def test_parameters_must_be_packages():
    """A function that makes something else of a parameter is told so."""
    with (
        Double(package(name="cloud", parameters=lambda _: "tools")) as double,
        pytest.raises(DefinitionError, match="made a str"),
    ):
        double(Call(op=Op.PARAMETERIZE, session=double.open(package="cloud"), parameter=ParameterArgs(("tools",))))


def test_a_schema_of_a_package_that_is_not_there_yet():
    """A schema of a package inside another is refused before Parameterize has made it."""
    with Double(package(name="cloud")) as double:
        reply = double(Call(op=Op.GET_SCHEMA, session=double.open(package="cloud"), package="tools"))

    assert reply.failures[0].reason == "'cloud' has no package 'tools' inside: call Parameterize first."

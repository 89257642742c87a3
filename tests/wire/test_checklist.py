"""The checklist for a fake provider (the last section but one of the protocol's reference), item by item, over the wire.

Where an item is proved at length elsewhere, it is exercised here once more, small.
"""

from __future__ import annotations

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest
from builders import BUCKET, TOKEN, URN, package
from google.protobuf import struct_pb2
from pulumi.runtime.proto import provider_pb2, status_pb2
from wire_toolbox import SECONDS, Connection

from mockprovider.calls import Call, Failure, Op, Reply, Status
from mockprovider.cloud import Cloud
from mockprovider.double import Double, recording, replaying
from mockprovider.double.launchers import install
from mockprovider.journal import Side
from mockprovider.matching import digest
from mockprovider.pulumi.diff import Changes, Diff, DiffKind
from mockprovider.pulumi.errors import pack
from mockprovider.pulumi.grpclog import lines
from mockprovider.pulumi.methods import PROVIDER
from mockprovider.pulumi.values import decode, encode
from mockprovider.schema import Function, Property
from mockprovider.tape.cloudfile import SqliteStore
from mockprovider.values import UNKNOWN, Asset, Output, ResourceReference, Secret
from mockprovider.wire.process import Process

ZONE = Function("cloud:index:getZone", {"region": Property(str)}, {"zone": "zone-{region}"})
UNKNOWNS = (
    *("1c4a061d-8072-4f0a-a4cb-0ff528b18fe7", "3eeb2bf0-c639-47a8-9e75-3b44932eb421", "04da6b54-80e4-46f7-96ec-b56ff0331ba9"),
    *("6a19a0b0-7e62-4c92-b797-7f8e31da9cc2", "030794c1-ac77-496b-92df-f27374a8bd58", "e48ece36-62e2-4504-bad9-02848725956a"),
    "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
)
SIGNATURE = "4dabf18193072939515e22adb298388d"


class Asking:
    """A double that is served, and one connection of a caller that speaks in messages alone."""

    def __init__(self, *definitions, **options):
        self.double = Double(*(definitions or (package(BUCKET, ZONE),)), **options)
        self.served = self.double.serve()
        self.connection = self.connect()

    def connect(self):
        """A further connection."""
        return Connection(self.served.address)

    def ask(self, rpc, connection=None, **fields):
        """The answer's message. Raises ``grpc.RpcError``."""
        return (connection or self.connection).ask(rpc, **fields)

    def failure(self, rpc, **fields):
        """The error that a call ends in."""
        return self.connection.failure(rpc, PROVIDER.messages[rpc][0](**fields).SerializeToString())

    def create(self, connection=None, **inputs):
        """The answer to a create of a bucket."""
        return self.ask("Create", connection, urn=URN, properties=encode(inputs))


@pytest.fixture
def start(wire):
    """Makes doubles that are served, ended with the test."""

    def made(*definitions, **options):
        asking = Asking(*definitions, **options)
        wire.later(asking.double.close)
        wire.later(asking.connection.close)
        return asking

    return made


@pytest.fixture
def asking(start):
    """A double that is served."""
    return start()


# 1. How it starts ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("arguments", [(), ("127.0.0.1:1",), ("--logtostderr", "-v=3", "127.0.0.1:1")])
def test_item_1_the_port(tmp_path, arguments):
    """Item 1: the port is the first line on stdout and stands alone, on loopback, with an engine's arguments or with none."""
    types = {"mockprovider": 1, "packages": {"cloud": {"resources": {TOKEN: {"properties": {"acl": {"type": "string"}}}}}}}
    path = install("pulumi", "cloud", tmp_path, types=json.dumps(types))
    process = Process([str(path), *arguments], cwd=tmp_path, env={"MOCKPROVIDER_CLOUD": str(tmp_path / "cloud")})
    try:
        line = process.line(SECONDS)
        connection = Connection(f"127.0.0.1:{int(line)}")
        answer = connection.ask("GetPluginInfo")
        connection.close()
    finally:
        process.stop(grace=0)

    assert line.strip() == str(int(line))
    assert answer.version


# 2. What it has --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rpc", "fields"),
    [
        ("Handshake", {"engine_address": "127.0.0.1:1"}),
        ("Attach", {"address": "127.0.0.1:1"}),
        ("GetPluginInfo", {}),
        ("GetSchema", {}),
        ("CheckConfig", {"urn": "urn:pulumi:dev::shop::pulumi:providers:cloud::p"}),
        ("DiffConfig", {"urn": "urn:pulumi:dev::shop::pulumi:providers:cloud::p"}),
        ("Configure", {"urn": "urn:pulumi:dev::shop::pulumi:providers:cloud::p"}),
        ("Check", {"urn": URN}),
        ("Diff", {"urn": URN, "id": "x"}),
        ("Create", {"urn": URN}),
        ("Read", {"urn": URN, "id": "x"}),
        ("Delete", {"urn": URN, "id": "x"}),
        ("Invoke", {"tok": ZONE.token, "args": encode({"region": "a"})}),
        ("Cancel", {}),
    ],
)
def test_item_2_what_it_has(asking, rpc, fields):
    """Item 2: every RPC that engines rely on is answered."""
    asking.ask(rpc, **fields)


@pytest.mark.parametrize("rpc", ["GetMapping", "GetMappings", "Parameterize"])
def test_item_2_what_it_does_not_have(asking, rpc):
    """Item 2: mappings, and parameters, are unimplemented unless a package declares some."""
    assert asking.failure(rpc).code().name == "UNIMPLEMENTED"


def test_item_2_legacy(start):
    """Item 2: Handshake may be unimplemented; Configure then says what the provider accepts."""
    legacy = start(package(BUCKET), generation="no-handshake")

    assert legacy.failure("Handshake").code().name == "UNIMPLEMENTED"
    answer = legacy.ask("Configure")
    assert (answer.acceptSecrets, answer.acceptResources, answer.acceptOutputs, answer.supportsPreview) == (True,) * 4


# 3. Defaults -----------------------------------------------------------------------------------------------------------


def test_item_3_defaults(asking):
    """Item 3: everything accepted; Check echoes and always sets inputs; Diff says what changed; a life by id."""
    shaken = asking.ask("Handshake")
    assert (shaken.accept_secrets, shaken.accept_resources, shaken.accept_outputs) == (True, True, True)
    urn = URN.replace("Bucket", "Anything")
    empty = asking.ask("Check", urn=urn, news=struct_pb2.Struct())
    assert empty.HasField("inputs")
    assert decode(asking.ask("Check", urn=urn, news=encode({"a": [1, None]})).inputs) == {"a": [1, None]}

    bags = {"olds": encode({"a": 9}), "old_inputs": encode({"a": 1}), "news": encode({"a": 2})}
    diff = asking.ask("Diff", urn=urn, id="x", **bags)
    assert (diff.changes, list(diff.diffs), list(diff.detailedDiff), diff.hasDetailedDiff) == (2, ["a"], ["a"], True)
    del bags["old_inputs"]
    assert asking.ask("Diff", urn=urn, id="x", **{**bags, "olds": encode({"a": 2})}).changes == 1, "olds stand in"

    one, two = asking.create(acl="x"), asking.create(acl="x")
    assert one.id != two.id
    assert decode(one.properties)["acl"] == "x"
    assert decode(asking.ask("Read", urn=URN, id=one.id).properties) == decode(one.properties)
    for _ in range(2):
        asking.ask("Delete", urn=URN, id=one.id)
    assert not asking.ask("Read", urn=URN, id=one.id).HasField("properties")


# 4. Previews -----------------------------------------------------------------------------------------------------------


def test_item_4_previews(asking):
    """Item 4: a preview answers no id and an unknown for what only doing it can tell, and does nothing."""
    answer = asking.ask("Create", urn=URN, properties=encode({"name": "a"}), preview=True)

    assert (answer.id, decode(answer.properties)["arn"]) == ("", UNKNOWN)
    assert decode(answer.properties)["name"] == "a"
    assert asking.double.cloud.objects() == []


# 5. Instances ----------------------------------------------------------------------------------------------------------


def test_item_5_concurrent_processes_share_a_cloud(start, tmp_path):
    """Item 5: what several providers make at the same time in one cloud file is all there, under ids of its own."""
    with ExitStack() as stack:
        stores = [stack.enter_context(SqliteStore(tmp_path / "cloud.sqlite")) for _ in range(3)]
        many = [start(package(BUCKET), cloud=Cloud(each)) for each in stores]
        with ThreadPoolExecutor(12) as pool:
            ids = list(pool.map(lambda number: many[number % 3].create(acl=str(number)).id, range(12)))

        assert len(set(ids)) == 12
        assert {each.id for each in many[0].double.cloud.objects(TOKEN)} == set(ids)


def test_item_5_sessions(asking, wire):
    """Item 5: connections are instances of their own, each with the configuration and the URN that it was given."""
    for name in ("one", "two"):
        connection = asking.connect()
        wire.later(connection.close)
        urn = f"urn:pulumi:dev::shop::pulumi:providers:cloud::{name}"
        asking.ask("Configure", connection, urn=urn, args=encode({"region": name}))
        asking.create(connection, name=name)
    entries = asking.double.journal.entries(op=Op.CREATE)

    assert [(each.call.session.instance.rsplit("::", 1)[-1], dict(each.call.session.config)) for each in entries] == [
        ("one", {"region": "one"}),
        ("two", {"region": "two"}),
    ]


# 6. Values -------------------------------------------------------------------------------------------------------------

PLAIN = struct_pb2.Struct()
PLAIN.update(
    {
        "nothing": None,
        "secret": {SIGNATURE: "1b47061264138c4ac30d75fd1eb44270", "value": {"in": "x"}},
        "asset": {SIGNATURE: "c44067f5952c0a294b673a41bacd8c17", "hash": "ab", "text": "hello"},
        "archive": {SIGNATURE: "0def7320c3a5731c473e5ecbe6d01bc7", "hash": "cd", "path": "./a.zip"},
        "reference": {SIGNATURE: "5cf8f73096256a8f31e491e813e4eb8e", "urn": URN, "id": ""},
        "output": {SIGNATURE: "d0e6a833031e9bbcd3f4e8bde6ca49a4", "secret": True, "dependencies": [URN]},
        "bytes": {SIGNATURE: "803fd3297a5875dc03ca845dda5d2a98", "value": "/w=="},
        "number": 2.5,
    }
)


@pytest.mark.parametrize("sentinel", UNKNOWNS)
def test_item_6_unknowns_are_told_apart(sentinel):
    """Item 6: each of the seven unknowns is one, and a text that only holds one is a text."""
    bag = struct_pb2.Struct()
    bag.update({"is": sentinel, "holds": f"not {sentinel}"})
    read = decode(bag)

    assert read["is"] == UNKNOWN or type(read["is"]) is type(UNKNOWN)
    assert read["holds"] == f"not {sentinel}"


def test_item_6_values_come_back_the_same():
    """Item 6: secrets, assets, archives, references, outputs, bytes and nulls are told apart and written as they were read."""
    read = decode(PLAIN)

    assert [type(read[name]) for name in ("secret", "asset", "reference", "output", "bytes")] == [
        Secret,
        Asset,
        ResourceReference,
        Output,
        bytes,
    ]
    assert read["nothing"] is None
    assert encode(read).SerializeToString(deterministic=True) == PLAIN.SerializeToString(deterministic=True)


def test_item_6_recordings_keep_structs_raw(tmp_path, start):
    """Item 6: a recording keeps every value of a Struct that an answer may hold, and a replay answers an equal message."""
    path = tmp_path / "values.json"
    sent = struct_pb2.Struct()
    sent.CopyFrom(PLAIN)
    # No engine takes an output value in the answer to a Check.
    del sent.fields["output"]
    live = start(provider=recording(path, lambda call: Reply(inputs=call.inputs)))
    asked = live.ask("Check", urn=URN, news=sent)
    live.double.close()
    again = start(provider=replaying(path)).ask("Check", urn=URN, news=sent)

    assert asked.inputs == sent
    assert again.SerializeToString(deterministic=True) == asked.SerializeToString(deterministic=True)


# 7. What can go wrong --------------------------------------------------------------------------------------------------


def half_made(error):
    """The detail of the half-made object that an error comes with."""
    packed = dict(error.trailing_metadata())["grpc-status-details-bin"]
    [detail] = status_pb2.Status.FromString(packed).details
    found = provider_pb2.ErrorResourceInitFailed()
    assert detail.Unpack(found)
    return found


@pytest.mark.parametrize(("status", "code"), [("unknown", "UNKNOWN"), ("already_exists", "ALREADY_EXISTS")])
def test_item_7_code_and_message(start, status, code):
    """Item 7: a failure of any code arrives with it and with its message."""
    error = start(provider=lambda _: Reply(failures=(Failure("no room", status=status),))).failure("Create", urn=URN)

    assert (error.code().name, error.details()) == (code, "no room")


def test_item_7_half_made(asking):
    """Item 7: a half-made object comes as a detail with its id, its properties and the reasons, and exists; once, as asked."""
    asking.double.faults.on.create(TOKEN).partial(reasons=["it hangs"])
    found = half_made(asking.failure("Create", urn=URN, properties=encode({"acl": "x"})))

    [kept] = asking.double.cloud.objects()
    assert (found.id, list(found.reasons), decode(found.properties)["acl"]) == (kept.id, ["it hangs"], "x")
    assert asking.create(acl="x").id, "it fires once"


def test_item_7_only_the_nth_call(asking):
    """Item 7: a fault may wait for the n-th call, and a preview is none."""
    asking.double.faults.on.create(TOKEN).partial().after(1)
    asking.ask("Create", urn=URN, preview=True)
    asking.create()

    assert asking.failure("Create", urn=URN).code().name == "UNKNOWN"


def test_item_7_check_failures(asking):
    """Item 7: what Check has against inputs is data, by property."""
    answer = asking.ask("Check", urn=URN, news=encode({"acl": 5}))

    assert [(each.property, each.reason) for each in answer.failures] == [("acl", "expected string, got number 5")]


def test_item_7_wrong_answers(start):
    """Item 7: a handler can answer what no provider should: an empty id, no inputs, an unknown where all is known."""

    def wrong(call):
        return Reply(value={"a": UNKNOWN}, id="") if call.op is Op.CREATE else Reply()

    answer = start(provider=wrong).create()

    assert (answer.id, decode(answer.properties)) == ("", {"a": UNKNOWN})


def test_item_7_a_bad_signature(start):
    """Item 7: an answer may hold an object of a kind that no protocol has; it travels as it is."""
    answer = start(provider=lambda _: Reply(value={"a": {SIGNATURE: "nonsense"}}, id="x")).create()

    assert dict(answer.properties["a"]) == {SIGNATURE: "nonsense"}


def test_item_7_a_detailed_diff_without_its_flag(start):
    """Item 7: a diff may have details and not say so, which engines then do not look at."""
    told = Diff(Changes.SOME, detailed={"acl": (DiffKind.UPDATE_REPLACE, True)}, has_detailed=False)
    answer = start(provider=lambda _: Reply(extra={"diff": told})).ask("Diff", urn=URN, id="x")

    assert (list(answer.detailedDiff), answer.hasDetailedDiff, list(answer.replaces)) == (["acl"], False, [])


@pytest.mark.parametrize("id_", ["", "b-1"])
def test_item_7_half_made_with_and_without_an_id(start, id_):
    """Item 7: the detail of a half-made object may have no id, as no reply of ours can say; a status of one's own can."""
    detail = provider_pb2.ErrorResourceInitFailed(id=id_, properties=encode({"acl": "x"}), reasons=["it hangs"])
    status = Status(2, "it hangs", pack(2, "it hangs", detail))
    error = start(provider=lambda _: Reply(status=status)).failure("Create", urn=URN)

    assert half_made(error) == detail


@pytest.mark.parametrize(
    ("phase", "fails"),
    [
        (lambda call: call.preview, ["preview"]),
        (lambda call: call.op in (Op.CREATE, Op.UPDATE) and not call.preview, ["up"]),
        (lambda call: call.op is Op.READ, ["refresh"]),
    ],
)
def test_item_7_in_one_phase(start, phase, fails):
    """Item 7: a layer that looks at the call fails it in previews alone, in updates alone, or in refreshes alone."""

    def fail(call: Call, proceed):
        return Reply(failures=(Failure("not now"),)) if phase(call) else proceed(call)

    asking = start(package(BUCKET), layers=(fail,))
    asked = {
        "preview": ("Create", {"preview": True}),
        "up": ("Create", {}),
        "refresh": ("Read", {"id": "x"}),
    }
    ended = {}
    for name, (rpc, fields) in asked.items():
        request = PROVIDER.messages[rpc][0](urn=URN, **fields).SerializeToString()
        ended[name] = asking.connection.start(rpc, request).exception()

    assert [name for name, error in ended.items() if error] == fails


# 8. Cancel -------------------------------------------------------------------------------------------------------------


def test_item_8_cancel(start):
    """Item 8: Cancel is acknowledged while a call hangs, as often as it comes; the call can end and the next is served."""
    hanging, released = threading.Event(), threading.Event()

    def hang(call: Call, proceed):
        if call.op is Op.CREATE and not released.is_set():
            hanging.set()
            released.wait(SECONDS)
        elif call.op is Op.CANCEL:
            released.set()
        return proceed(call)

    asking = start(package(BUCKET), layers=(hang,))
    request = provider_pb2.CreateRequest(urn=URN).SerializeToString()
    creating = asking.connection.start("Create", request)
    assert hanging.wait(SECONDS)
    for _ in range(2):
        asking.ask("Cancel")

    assert provider_pb2.CreateResponse.FromString(creating.result()).id
    assert asking.create().id


# 9. Records ------------------------------------------------------------------------------------------------------------


def test_item_9_what_a_journal_keeps(asking):
    """Item 9: order of starts and ends, thread, peer, both messages and what went wrong; also in the engine log's shape."""
    asking.ask("Handshake")
    asking.create(acl="x")
    asking.failure("Create", urn=URN, properties=encode({"acl": {SIGNATURE: "nonsense"}}))
    asking.double.strict = True
    asking.failure("Invoke", tok="cloud:index:getNothing")
    shaken, made, refused = asking.double.journal.entries(side=Side.ENGINE)

    assert [each.began < each.ended for each in (shaken, made, refused)] == [True] * 3
    assert shaken.ended < made.began
    assert all(each.thread and each.call.session.peer.startswith("ipv4:127.0.0.1") for each in (shaken, made, refused))
    assert made.call.native.message == provider_pb2.CreateRequest(urn=URN, properties=encode({"acl": "x"}))
    assert refused.reply.failures[0].reason.startswith("Nobody declared the function")

    log = [json.loads(each) for each in lines([shaken, made, refused], "cloud")]
    assert [(each["method"].rsplit("/", 1)[-1], each["progress"]) for each in log] == [
        (rpc, progress) for rpc in ("Handshake", "Create", "Invoke") for progress in ("request_started", "response_completed")
    ]
    assert log[3]["request"] == {"urn": URN, "properties": {"acl": "x"}}
    assert log[3]["response"]["id"] == made.reply.id
    assert log[5]["errors"][0].startswith("rpc error: code = InvalidArgument desc = Nobody declared")
    assert "response" not in log[5]


def test_item_9_recordings_have_error_details(start, tmp_path):
    """Item 9: a cassette keeps the details of an error, which the engine's log loses, and replays them."""
    path = tmp_path / "half.json"
    behind = Double(BUCKET)
    behind.faults.on.create(TOKEN).partial(reasons=["it hangs"])
    live = start(provider=recording(path, behind))
    error = live.failure("Create", urn=URN)
    live.double.close()
    again = start(provider=replaying(path)).failure("Create", urn=URN)

    assert dict(again.trailing_metadata()) == dict(error.trailing_metadata())
    assert "grpc-status-details-bin" in dict(again.trailing_metadata())


# 10. Comparing ---------------------------------------------------------------------------------------------------------


def test_item_10_two_runs_are_the_same(start, tmp_path):
    """Item 10: recordings of two runs are equal although seeds, provider ids, addresses and status tokens differ."""

    def record(number):
        path = tmp_path / f"{number}.json"
        asking = start(provider=recording(path, Double(BUCKET, seed=1)))
        address = f"127.0.0.1:{number}"
        asking.ask("Handshake", engine_address=address, root_directory=f"/somewhere/{number}")
        asking.ask("Configure", urn="urn:pulumi:dev::shop::pulumi:providers:cloud::p", id=f"uuid-{number}")
        asking.ask("Check", urn=URN, news=encode({"acl": "x"}), randomSeed=bytes([number]) * 32)
        status = {"resource_status_address": address, "resource_status_token": f"token-{number}"}
        asking.ask("Create", urn=URN, properties=encode({"acl": "x"}), **status)
        asking.double.close()
        _, *interactions = json.loads(path.read_text())
        return interactions

    assert digest(record(1)) == digest(record(2))

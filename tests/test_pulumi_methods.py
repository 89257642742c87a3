"""The table of Pulumi's provider protocol: complete against the descriptor, and every message through it and back."""

from __future__ import annotations

from typing import Any

import pytest
from builders import URN, call
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from hypothesis import given
from hypothesis import strategies as st
from pulumi.runtime.proto import provider_pb2

from mockprovider.calls import Call, Change, ChangeKind, Failure, Op, Plan, Reply, Session
from mockprovider.payloads import NamingOptions
from mockprovider.pulumi import methods
from mockprovider.pulumi.diff import Changes, Diff
from mockprovider.pulumi.methods import ANSWER_WORDS, PROVIDER, TABLE, WORDS
from mockprovider.pulumi.room import ACCEPTED
from mockprovider.pulumi.values import EVERYTHING, encode
from mockprovider.values import UNKNOWN, Asset, Output, ResourceReference, Secret
from mockprovider.wire.methods import RpcMethod, service
from mockprovider.wire.status import StatusError

RPCS = sorted(PROVIDER.messages)
CONFIG = ("CheckConfig", "DiffConfig")
"""RPCs to which secrets are never sent."""


# Completeness ----------------------------------------------------------------------------------------------------------


def test_every_rpc_has_a_row():
    """Each RPC of the descriptor has a row, and no row is about an RPC that is not there."""
    rpcs = {rpc.name for rpc in methods.DESCRIPTOR.methods}

    assert set(TABLE) == rpcs == set(PROVIDER.methods) == set(PROVIDER.messages)
    assert PROVIDER.name == "pulumirpc.ResourceProvider"


@pytest.mark.parametrize("rpc", RPCS)
def test_rows_speak_of_fields_that_exist(rpc):
    """A row renames, rewrites and leaves out only fields of its request, and gives calls only words that they have."""
    row, request = TABLE[rpc], PROVIDER.messages[rpc][0].DESCRIPTOR
    fields = dict(request.fields_by_name)

    assert not ({*row.addresses, *row.volatile} - fields.keys())
    # Two of three requests share one message, so a shared renaming may name a field that the sister has.
    assert set(row.renames.values()) <= set(Call.__struct_fields__)
    assert set(row.renames) & fields.keys() or not row.renames
    # Of two fields that exclude each other, one is there.
    told = {(row.renames.get(name, name), getattr(fields[name].containing_oneof, "name", name)) for name in fields}
    words = [word for word, _ in told if word in {*WORDS, *row.renames.values()}]
    assert len(words) == len(set(words)), "two fields for one word"


def test_every_renaming_is_of_some_request():
    """No renaming is dead: its field is in the request of the row that has it."""
    dead = [
        (rpc, field)
        for rpc, row in TABLE.items()
        for field in row.renames
        if field not in PROVIDER.messages[rpc][0].DESCRIPTOR.fields_by_name and field != "old_outputs"
    ]

    assert dead == []


@pytest.mark.parametrize("rpc", RPCS)
def test_every_bag_is_a_part_of_the_call(rpc):
    """A Struct at the top of a request or an answer is decoded into the call or reply, except for what has no word there."""
    request, response, _ = PROVIDER.messages[rpc]
    row = TABLE[rpc]
    bags = [each.name for each in request.DESCRIPTOR.fields if is_bag(each)]
    answered = [each.name for each in response.DESCRIPTOR.fields if is_bag(each)]

    assert [name for name in bags if name not in row.renames and name not in WORDS] == []
    assert [name for name in answered if name not in ANSWER_WORDS] == []


def test_every_rpc_is_served_and_what_is_gone_says_why():
    """No RPC is refused, an RPC that streams has the two ways of a stream, and what was taken out has its reason."""
    assert [rpc for rpc, row in PROVIDER.methods.items() if row.reason] == []
    assert {rpc for rpc, row in PROVIDER.methods.items() if row.replies and row.responses} == {"List"}
    assert [rpc for rpc, (_, _, streams) in PROVIDER.messages.items() if streams] == ["List"]
    assert set(PROVIDER.gone) == {"StreamInvoke"}
    assert not set(PROVIDER.gone) & set(PROVIDER.messages)


def test_mutating_rpcs():
    """The RPCs that change the cloud are these three: their recorded answers count once."""
    assert {rpc for rpc, row in PROVIDER.methods.items() if row.mutates} == {"Create", "Update", "Delete"}


def test_ops_are_told_apart():
    """No two RPCs ask for the same op, so that a call that was made here finds its RPC."""
    assert len({row.op for row in PROVIDER.methods.values()}) == len(PROVIDER.methods)
    assert all(PROVIDER.by_op(row.op) is row for row in PROVIDER.methods.values())


def test_a_service_needs_no_row_for_each_rpc():
    """A service knows the messages of all RPCs of its descriptor, also of those without a row."""
    made = service(methods.DESCRIPTOR, methods.GetMessageClass, [])

    assert made.methods == {}
    assert set(made.messages) == set(RPCS)


# Round trips -----------------------------------------------------------------------------------------------------------


def is_bag(field: FieldDescriptor) -> bool:
    """Whether the field is one Struct."""
    return bool(field.message_type and field.message_type.full_name == "google.protobuf.Struct" and not field.is_repeated)


def is_map(field: FieldDescriptor) -> bool:
    """Whether the field is a map."""
    return bool(field.message_type and field.message_type.GetOptions().map_entry)


BAG = {
    "text": "t",
    "none": None,
    "list": [1, True, {"x": 2.5}],
    "secret": Secret({"a": "b"}),
    "unknown": UNKNOWN,
    "asset": Asset(text="hello", hash="5" * 64),
    "ref": ResourceReference(URN, "id"),
    "bytes": b"\x00\xff",
}
PLAIN_BAG = {name: BAG[name] for name in ("text", "none", "list")}
SAMPLES: dict[int, list[Any]] = {
    FieldDescriptor.TYPE_STRING: ["", "text"],
    FieldDescriptor.TYPE_BYTES: [b"", b"\x00\xff"],
    FieldDescriptor.TYPE_BOOL: [False, True],
    FieldDescriptor.TYPE_DOUBLE: [0.0, 1.5],
    FieldDescriptor.TYPE_INT32: [0, 7],
    FieldDescriptor.TYPE_INT64: [0, 7],
    FieldDescriptor.TYPE_ENUM: [0, 1],
}


def put(message: Any, field: FieldDescriptor, bag: dict[str, Any], which: int) -> None:
    """Set one field of ``message``: to its default or empty value (0) or to something (1)."""
    target = getattr(message, field.name) if field.message_type or field.is_repeated else None
    if is_map(field):
        value = field.message_type.fields_by_name["value"]
        if which and value.message_type:
            filled(target["key"], bag)
        elif which:
            target["key"] = SAMPLES[value.type][1]
    elif field.is_repeated and which:
        if field.message_type:
            filled(target.add(), bag)
        else:
            target.extend([SAMPLES[field.type][1]] * 2)
    elif is_bag(field):
        message_bag = encode(bag if which else {}, EVERYTHING)
        target.CopyFrom(message_bag)
        target.SetInParent()
    elif isinstance(target, Message):
        target.SetInParent()
        filled(target, bag, which)
    elif not field.is_repeated and not (field.has_presence and field.name in WORDS and which == 0):
        # The words of a call are texts that may be empty, never absent: an empty one is not sent.
        setattr(message, field.name, SAMPLES[field.type][which])


def filled(message: Any, bag: dict[str, Any], which: int = 1) -> Any:
    """``message`` with every field set, of alternatives the last. Free-form messages, which nest for ever, stay empty."""
    for field in message.DESCRIPTOR.fields if message.DESCRIPTOR.full_name != "google.protobuf.Value" else ():
        put(message, field, bag, which)
    return message


def session() -> Session:
    """A session whose provider accepts everything."""
    made = Session("pulumi")
    made.accepts = EVERYTHING
    return made


def bag_for(rpc: str) -> dict[str, Any]:
    """What properties may hold in this RPC's messages."""
    return PLAIN_BAG if rpc in CONFIG else BAG


def back(rpc: str, message: Any) -> Message:
    """A request as a call and as a request again."""
    row = PROVIDER.methods[rpc]
    return row.request(row.call(message, session()))


def back_answer(rpc: str, message: Any) -> Message:
    """An answer as a reply and as an answer again."""
    row = PROVIDER.methods[rpc]
    asked = call(row.op, method=rpc, session=session())
    return row.response(row.reply(message, asked), asked)


@pytest.mark.parametrize("which", [0, 1])
@pytest.mark.parametrize("rpc", RPCS)
def test_requests_come_back(rpc, which):
    """A request with every field set, to something or to its empty value, is the same after call and request."""
    request = filled(PROVIDER.messages[rpc][0](), bag_for(rpc), which)

    assert back(rpc, request) == request


@pytest.mark.parametrize("which", [0, 1])
@pytest.mark.parametrize("rpc", RPCS)
def test_answers_come_back(rpc, which):
    """An answer with every field set is the same after reply and answer."""
    message = filled(PROVIDER.messages[rpc][1](), bag_for(rpc), which)

    assert back_answer(rpc, message) == message


@given(st.data())
def test_any_fields_come_back(data):
    """Whichever fields of whichever message are set, to something or to nothing, the same fields come back."""
    rpc = data.draw(st.sampled_from(RPCS))
    way = data.draw(st.sampled_from([0, 1]))
    message = PROVIDER.messages[rpc][way]()
    for field in message.DESCRIPTOR.fields:
        choice = data.draw(st.sampled_from([None, 0, 1]))
        # An answer to Check always has inputs: without, the engine trips over itself.
        if rpc in ("Check", "CheckConfig") and way and field.name == "inputs":
            choice = choice or 0
        if choice is not None:
            put(message, field, bag_for(rpc), choice)

    assert (back_answer if way else back)(rpc, message) == message


def test_check_always_answers_inputs():
    """An answer to Check without inputs gets empty ones: the engine cannot live without."""
    for rpc in ("Check", "CheckConfig"):
        assert PROVIDER.methods[rpc].response(Reply(), call(Op.CHECK)).HasField("inputs")


def test_absent_and_empty_bags_differ():
    """A bag that is not there is None, an empty one is empty, and both come back as they were."""
    row = PROVIDER.methods["Read"]
    absent, empty = provider_pb2.ReadRequest(id="x"), provider_pb2.ReadRequest(id="x")
    empty.properties.SetInParent()

    assert row.call(absent, session()).prior is None
    assert row.call(empty, session()).prior == {}


# What calls and replies get --------------------------------------------------------------------------------------------


def bag(**properties):
    """A Struct."""
    return encode(properties)


@pytest.mark.parametrize(
    ("rpc", "fields", "expected"),
    [
        ("Check", {"olds": bag(a=1), "news": bag(a=2)}, {"prior_inputs": {"a": 1}, "inputs": {"a": 2}, "prior": None}),
        (
            "Diff",
            {"id": "b", "olds": bag(a=1, arn="x"), "old_inputs": bag(a=1), "news": bag(a=2), "ignoreChanges": ["a"]},
            {"id": "b", "prior": {"a": 1, "arn": "x"}, "prior_inputs": {"a": 1}, "inputs": {"a": 2}, "ignore_changes": ("a",)},
        ),
        (
            "Create",
            {"properties": bag(a=1), "preview": True, "timeout": 5},
            {"inputs": {"a": 1}, "preview": True, "timeout": 5.0},
        ),
        ("Read", {"properties": bag(a=1), "inputs": bag(b=1)}, {"prior": {"a": 1}, "prior_inputs": {"b": 1}, "inputs": None}),
        ("Update", {"olds": bag(a=1), "news": bag(a=2)}, {"prior": {"a": 1}, "inputs": {"a": 2}}),
        ("Delete", {"properties": bag(a=1), "old_inputs": bag(b=1)}, {"prior": {"a": 1}, "prior_inputs": {"b": 1}}),
        ("Invoke", {"tok": "a:b:c", "args": bag(a=1)}, {"type": "a:b:c", "inputs": {"a": 1}}),
        ("Configure", {"args": bag(a=1), "urn": URN}, {"inputs": {"a": 1}, "urn": URN}),
    ],
)
def test_requests_in_the_words_of_calls(rpc, fields, expected):
    """Each RPC's fields are the parts of a call that they stand for: what is wanted, what was, what led to it."""
    row = PROVIDER.methods[rpc]
    made = row.call(PROVIDER.messages[rpc][0](**fields), session())

    assert (made.method, made.op) == (rpc, TABLE[rpc].op)
    assert {name: getattr(made, name) for name in expected} == expected


def test_messages_become_structs():
    """A message that a call has a struct for is that struct, and goes back as the message that it was."""
    request = provider_pb2.CheckRequest(randomSeed=b"seed")
    request.autonaming.proposed_name = "logs-1"
    asked = PROVIDER.methods["Check"].call(request, session())

    assert (asked.seed, asked.autonaming, asked.extra) == (b"seed", NamingOptions("logs-1"), {})
    assert PROVIDER.methods["Check"].request(asked).autonaming == request.autonaming


def test_other_fields_travel_in_extra():
    """Fields without a word of their own are in ``extra`` under the protocol's name, where nobody can change them."""
    request = provider_pb2.ConfigureRequest(acceptSecrets=True)
    asked = PROVIDER.methods["Configure"].call(request, session())

    assert asked.extra == {"acceptSecrets": True}
    with pytest.raises(TypeError):
        asked.extra["acceptSecrets"] = False


def test_configure_names_the_instance():
    """The provider's URN, which only Configure tells, becomes the session's instance."""
    here = session()
    PROVIDER.methods["Configure"].call(provider_pb2.ConfigureRequest(urn="urn:provider"), here)

    assert here.instance == "urn:provider"


def test_a_check_failure_list():
    """Failures of Check, CheckConfig and Invoke are data in the answer, with path and reason."""
    for rpc in ("Check", "CheckConfig", "Invoke"):
        row = PROVIDER.methods[rpc]
        message = row.response(Reply(inputs={}, failures=(Failure("no", "rule.port"), Failure("not"))), call(row.op))

        assert [(each.property, each.reason) for each in message.failures] == [("rule.port", "no"), ("", "not")]
        again = row.reply(message, call(row.op))
        assert again.failures == (Failure("no", "rule.port"), Failure("not"))
        assert row.response(again, call(row.op)) == message, "no failure is told twice"


def test_a_failure_with_a_status_is_no_list():
    """A failure that asks for a status fails the RPC, also where there is a list."""
    with pytest.raises(StatusError) as failed:
        PROVIDER.methods["Check"].response(Reply(failures=(Failure("no", status="unavailable"),)), call(Op.CHECK))

    assert failed.value.status.code == 14


PLAN = Plan({"a": 1}, (Change("a", ChangeKind.UPDATE), Change("b.c", ChangeKind.ADD, replaces=True)), True, ("arn",))


def test_a_plan_is_answered_as_a_diff():
    """A plan's projection: some changes, top-level keys, the replacing ones, and each path in detail."""
    message: Any = PROVIDER.methods["Diff"].response(Reply(plan=PLAN), call(Op.DIFF))

    assert message.changes == provider_pb2.DiffResponse.DIFF_SOME
    assert (list(message.diffs), list(message.replaces), list(message.stables)) == (["a", "b"], ["b"], ["arn"])
    assert message.deleteBeforeReplace
    assert message.hasDetailedDiff
    detailed = {path: (each.kind, each.inputDiff) for path, each in message.detailedDiff.items()}
    assert detailed == {
        "a": (provider_pb2.PropertyDiff.UPDATE, True),
        "b.c": (provider_pb2.PropertyDiff.ADD_REPLACE, True),
    }


def test_an_empty_plan_is_no_change():
    """Nothing to do is said as such: an answer that says nothing would let the engine compare by itself."""
    message: Any = PROVIDER.methods["Diff"].response(Reply(plan=Plan({})), call(Op.DIFF))

    assert message.changes == provider_pb2.DiffResponse.DIFF_NONE


def test_a_decoded_diff_is_kept():
    """A diff that came over a wire stays what it was, with what our own plans never say."""
    message = provider_pb2.DiffResponse(replaces=["a"], changes=provider_pb2.DiffResponse.DIFF_UNKNOWN)
    reply = PROVIDER.methods["Diff"].reply(message, call(Op.DIFF))

    assert reply.extra["diff"] == Diff(Changes.UNKNOWN, replaces=("a",))


# What each side accepts ------------------------------------------------------------------------------------------------


def sent(rpc: str, accepts: frozenset[str], **given: Any) -> dict[str, Any]:
    """What reaches a provider that accepts this, of a bag with everything."""
    here = Session("pulumi")
    here.accepts = accepts
    row = PROVIDER.methods[rpc]
    asked = call(row.op, session=here, **given)
    return dict(row.call(row.request(asked), session()).inputs or {})


RICH = {"secret": Secret("s"), "ref": ResourceReference(URN, "id"), "bytes": b"x"}


@pytest.mark.parametrize("rpc", ["Check", "Create", "Invoke"])
def test_a_provider_gets_what_it_accepts(rpc):
    """Secrets, references and byte strings go to a provider that said that it takes them, and in plain form to others."""
    assert sent(rpc, EVERYTHING, inputs=RICH) == RICH
    assert sent(rpc, frozenset(), inputs={"secret": Secret("s"), "ref": RICH["ref"]}) == {"secret": "s", "ref": "id"}


def test_configuration_has_its_own_rules():
    """CheckConfig never gets secrets, Configure always does, whatever the provider accepts."""
    secret = {"token": Secret("t")}

    assert sent("CheckConfig", EVERYTHING, inputs=secret) == {"token": "t"}
    assert sent("Configure", frozenset(), inputs=secret) == secret


def test_answers_keep_secrets_and_flatten_outputs():
    """An answer has its secrets whatever the provider accepts; output values, which engines do not take, become secrets."""
    message: Any = PROVIDER.methods["Create"].response(
        Reply(id="x", value={"s": Secret("a"), "o": Output("b", secret=True, dependencies=("u",))}), call(Op.CREATE)
    )
    found = PROVIDER.methods["Create"].reply(message, call(Op.CREATE))

    assert found.value == {"s": Secret("a"), "o": Secret("b")}


def test_what_the_provider_accepts_is_noted():
    """Handshake's flags are what the session's provider accepts, and final: Configure's then do not count."""
    handshake, configure = PROVIDER.methods["Handshake"], PROVIDER.methods["Configure"]
    here = Session("pulumi")
    handshake.reply(provider_pb2.ProviderHandshakeResponse(accept_secrets=True), call(Op.HANDSHAKE, session=here))
    assert here.accepts == {"secrets"}
    configure.reply(provider_pb2.ConfigureResponse(acceptResources=True), call(Op.CONFIGURE, session=here))

    assert here.accepts == {"secrets"}


def test_without_a_handshake_configure_decides():
    """A provider of the older kind says in Configure what it accepts."""
    here = Session("pulumi")
    message = provider_pb2.ConfigureResponse(acceptSecrets=True, acceptResources=True, acceptOutputs=True)
    PROVIDER.methods["Configure"].reply(message, call(Op.CONFIGURE, session=here))

    assert here.accepts == {"secrets", "resources", "outputs"}


def test_the_fake_accepts_everything_over_the_wire():
    """What the fake answers to Handshake makes an engine send everything as it is."""
    here = Session("pulumi")
    row = PROVIDER.methods["Handshake"]
    message = row.response(Reply(extra=dict.fromkeys(ACCEPTED, True)), call(Op.HANDSHAKE))
    row.reply(message, call(Op.HANDSHAKE, session=here))

    assert here.accepts == EVERYTHING


def test_rows_are_data():
    """A method cannot be changed after the table was made."""
    row: RpcMethod = PROVIDER.methods["Create"]
    with pytest.raises(AttributeError):
        row.mutates = False  # type: ignore[misc]

"""How failures travel in Pulumi's protocol, there and back."""

from __future__ import annotations

import grpc
import pytest
from builders import call
from google.protobuf import any_pb2
from pulumi.runtime.proto import provider_pb2, status_pb2

from mockprovider.calls import Failure, Op, Reply, Status
from mockprovider.pulumi.errors import pack, raise_failures, read_failures, read_status
from mockprovider.values import Output, Secret
from mockprovider.wire.status import CODES, StatusError, name_of, status

HALF = Reply(
    id="b-1",
    value={"acl": "x", "key": Secret("k")},
    inputs={"acl": "x"},
    failures=(Failure("timed out"), Failure("still waiting")),
)


def failed(reply, op, message=None):
    """The status with which a reply's RPC ends."""
    with pytest.raises(StatusError) as raised:
        raise_failures(reply, call(op), message or provider_pb2.CreateResponse())
    return raised.value.status


def details(status_):
    """The details of a status, unpacked by their type's name."""
    found = {}
    for each in status_pb2.Status.FromString(status_.details).details:
        name = each.type_url.rsplit(".", 1)[-1]
        found[name] = getattr(provider_pb2, name).FromString(each.value)
    return found


def test_no_failure_is_no_status():
    """A reply without failures changes nothing."""
    message = provider_pb2.CheckResponse()
    raise_failures(Reply(), call(Op.CHECK), message)

    assert message == provider_pb2.CheckResponse()


@pytest.mark.parametrize("op", [Op.CREATE, Op.UPDATE, Op.READ])
def test_a_half_made_object_is_in_the_details(op):
    """Partial state travels as ErrorResourceInitFailed, with id, state, inputs and every reason."""
    found = failed(HALF, op)
    detail = details(found)["ErrorResourceInitFailed"]

    assert (found.code, found.message) == (2, "timed out; still waiting")
    assert (detail.id, list(detail.reasons)) == ("b-1", ["timed out", "still waiting"])
    assert detail.properties["acl"] == "x"
    assert dict(detail.inputs) == {"acl": "x"}


def test_the_details_are_as_engines_read_them():
    """Code and message stand in the details as in the status itself, and the type's address is the usual one."""
    inside = status_pb2.Status.FromString(failed(HALF, Op.CREATE).details)

    assert (inside.code, inside.message) == (2, "timed out; still waiting")
    assert inside.details[0].type_url == "type.googleapis.com/pulumirpc.ErrorResourceInitFailed"


@pytest.mark.parametrize("op", [Op.CREATE, Op.UPDATE, Op.READ])
def test_partial_state_comes_back(op):
    """What a half-made reply says is what the reader of its status gets."""
    reply = read_status(failed(HALF, op), call(op))

    assert (reply.id, reply.value, reply.inputs, reply.failures) == (HALF.id, HALF.value, HALF.inputs, HALF.failures)
    assert reply.partial
    assert reply.status.code == 2


@pytest.mark.parametrize("inputs", [None, {}])
def test_absent_and_empty_inputs_differ(inputs):
    """Inputs that a half-made reply does not have stay absent, empty ones stay empty."""
    half = Reply(id="x", value={}, inputs=inputs, failures=(Failure("slow"),))
    reply = read_status(failed(half, Op.CREATE), call(Op.CREATE))

    assert reply.inputs == inputs
    assert reply.value == {}


def test_outputs_are_no_state():
    """Output values, which state cannot hold, are plain or secret there."""
    half = Reply(id="x", value={"a": Output("b", secret=True)}, failures=(Failure("slow"),))

    assert read_status(failed(half, Op.CREATE), call(Op.CREATE)).value == {"a": Secret("b")}


@pytest.mark.parametrize(
    ("reply", "op"),
    [
        (Reply(failures=(Failure("no"),)), Op.CREATE),
        (Reply(id="x", failures=(Failure("no"),)), Op.CREATE),
        (Reply(value={}, failures=(Failure("no"),)), Op.CREATE),
        (Reply(id="x", value={}, failures=(Failure("no"),)), Op.DELETE),
        (Reply(id="x", value={}, failures=(Failure("no"),)), Op.DIFF),
    ],
)
def test_what_is_not_half_made_has_no_details(reply, op):
    """Without an object, or from an RPC that makes none, a failure is a bare status."""
    found = failed(reply, op)

    assert (found.code, found.message, found.details) == (2, "no", b"")


@pytest.mark.parametrize("name", sorted(CODES.keys() - {"ok"}))
def test_every_status_can_be_asked_for(name):
    """A failure may name any status of gRPC's; all reasons are in its message."""
    found = failed(Reply(failures=(Failure("no", status=name), Failure("not"))), Op.CREATE)

    assert (name_of(found), found.message) == (name, "no; not")
    assert found.code == grpc.StatusCode[name.upper()].value[0]


def test_a_status_that_is_none():
    """A name that gRPC does not have is an error, and no other status in its place."""
    with pytest.raises(KeyError):
        status("broken", "")


def test_lists_of_failures():
    """Where the answer has a list, failures without a status go there, and come back as they were."""
    message = provider_pb2.CheckResponse()
    raise_failures(Reply(failures=(Failure("no", "rule.port"),)), call(Op.CHECK), message)

    assert message.failures == [provider_pb2.CheckFailure(property="rule.port", reason="no")]
    reply = read_failures(Reply(extra={"failures": tuple(message.failures), "more": 1}))
    assert (reply.failures, reply.extra) == ((Failure("no", "rule.port"),), {"more": 1})


def test_a_bare_status_is_one_failure():
    """A status without details is itself, and a failure with its name for those who look at failures."""
    reply = read_status(Status(14, "gone"), call(Op.CREATE))

    assert reply.status == Status(14, "gone")
    assert reply.failures == (Failure("gone", status="unavailable"),)
    assert not reply.partial


def test_missing_configuration_keys():
    """A provider that lacks configuration names the keys: each is a failure of its own."""
    keys = [provider_pb2.ConfigureErrorMissingKeys.MissingKey(name=name) for name in ("region", "token")]
    data = pack(3, "config", provider_pb2.ConfigureErrorMissingKeys(missingKeys=keys))
    reply = read_status(Status(3, "config", data), call(Op.CONFIGURE))

    assert [(each.path, each.reason) for each in reply.failures] == [
        ("region", "missing configuration key 'region'"),
        ("token", "missing configuration key 'token'"),
    ]


def test_details_that_we_do_not_know():
    """Details of other kinds are kept in the status and change nothing else."""
    data = pack(2, "boom", provider_pb2.CheckFailure(property="a"))
    reply = read_status(Status(2, "boom", data), call(Op.CREATE))

    assert reply.status.details == data
    assert reply.failures == (Failure("boom", status="unknown"),)


def test_details_that_are_none():
    """Bytes that are no details leave the status as it came: somebody else's rubbish is not our failure."""
    reply = read_status(Status(2, "boom", b"\xff\xff"), call(Op.CREATE))

    assert (reply.status.message, reply.failures) == ("boom", (Failure("boom", status="unknown"),))


def test_a_half_made_object_of_another_rpc_is_not_read():
    """Partial state counts only for the RPCs that can leave it."""
    reply = read_status(failed(HALF, Op.CREATE), call(Op.DELETE))

    assert (reply.id, reply.value) == ("", None)


def test_packing_is_deterministic():
    """Equal details are equal bytes, so that a recording of them replays byte by byte."""
    holder = any_pb2.Any()
    holder.Pack(provider_pb2.CheckFailure(property="a"))

    assert pack(2, "m", provider_pb2.CheckFailure(property="a")) == pack(2, "m", provider_pb2.CheckFailure(property="a"))
    assert status_pb2.Status.FromString(pack(2, "m", provider_pb2.CheckFailure(property="a"))).details[0] == holder

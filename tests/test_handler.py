"""Handlers written by hand: what each op brings and wants, kept true against the protocol's table and messages."""

from __future__ import annotations

from typing import Any

import handlers_page
import pulumi
import pytest
from google.protobuf import struct_pb2

from mockprovider.calls import Call, Failure, Op, Reply, Session
from mockprovider.double import Double
from mockprovider.engine import Stack
from mockprovider.errors import DefinitionError
from mockprovider.pulumi import PulumiHandler
from mockprovider.pulumi.methods import PROVIDER
from mockprovider.pulumi.op_fields import ANSWERED_OTHERWISE, op_fields
from mockprovider.pulumi.table import MISSING_KEYS, TABLE

RARE = {Op.ATTACH, Op.PARAMETERIZE, Op.GET_SCHEMA, Op.GET_MAPPING, Op.GET_MAPPINGS, Op.CALL, Op.CONSTRUCT, Op.LIST}
"""Ops that few providers of tests have: the base class has no method for them."""
BRINGS = [(fields, use) for fields in op_fields().values() for use in fields.brings]
WANTS = [
    (fields, use)
    for fields in op_fields().values()
    for use in fields.wants
    if fields.op not in ANSWERED_OTHERWISE and use.key != MISSING_KEYS
]


def named(value: Any) -> str:
    """How the test of a field is called."""
    return f"{value.rpc}" if hasattr(value, "rpc") else str(getattr(value, "wire", value))


def filled(message: Any, name: str) -> None:
    """Set a field of a message to something that is not its default."""
    field = message.DESCRIPTOR.fields_by_name[name]
    if field.message_type is None:
        value: Any = {8: True, 9: "text", 12: b"data"}.get(field.type, 7)
        getattr(message, name).append(value) if field.is_repeated else setattr(message, name, value)
    elif field.message_type.GetOptions().map_entry:
        inner = field.message_type.fields_by_name["value"].message_type
        getattr(message, name)["key"].SetInParent() if inner else getattr(message, name).update({"key": "value"})
    elif field.is_repeated:
        getattr(message, name).add()
    elif field.message_type.name == "Struct":
        getattr(message, name).update({"key": "value"})
    elif field.message_type.name == "Value":
        getattr(message, name).CopyFrom(struct_pb2.Value(string_value="x"))
    else:
        getattr(message, name).SetInParent()


def test_every_rpc_has_its_fields():
    """Each RPC of the table is described, with each field of its request."""
    assert {fields.rpc for fields in op_fields().values()} == set(TABLE)
    for fields in op_fields().values():
        request = PROVIDER.methods[fields.rpc].request(Call(op=fields.op, session=Session("pulumi")))
        assert [use.wire for use in fields.brings] == [field.name for field in request.DESCRIPTOR.fields]


@pytest.mark.parametrize(("fields", "use"), BRINGS, ids=named)
def test_a_call_brings_what_the_page_says(fields, use):
    """A field of the request is where the page says that it is in the call."""
    method = PROVIDER.methods[fields.rpc]
    message = method.request(Call(op=fields.op, session=Session("pulumi")))
    filled(message, use.wire)
    call = method.call(message, Session("pulumi"))
    empty = Call(op=fields.op, session=Session("pulumi"))

    if use.key:
        assert use.key in call.extra
    else:
        assert getattr(call, use.name) != getattr(empty, use.name)


@pytest.mark.parametrize(("fields", "use"), WANTS, ids=named)
def test_a_reply_says_what_the_page_says(fields, use):
    """What a reply has where the page says so is in that field of the answer."""
    method = PROVIDER.methods[fields.rpc]
    call = Call(op=fields.op, session=Session("pulumi"))
    kinds: dict[str, Any] = {"bag": {"key": "value"}, "text": "text", "true or false": True, "bytes": b"data"}
    value = kinds.get(use.kind, {"key": ("urn",)} if use.kind.startswith("by key") else ("text",))
    reply = Reply(extra={use.key: value}) if use.key else Reply(**{use.name: value})
    answer = method.response(reply, call)

    assert use.wire in [field.name for field, _ in answer.ListFields()]


def test_the_page_is_of_today():
    """``python tests/handlers_page.py`` has written the tables of docs/handlers.md."""
    assert handlers_page.PAGE.read_text(encoding="utf-8") == handlers_page.written()


def test_the_base_class_has_a_method_for_each_op():
    """Every op of Pulumi's is a method of the base class, or one that few providers have."""
    methods = {op for op in op_fields() if hasattr(PulumiHandler, op.value)}
    assert methods | RARE == set(op_fields())
    assert methods & RARE == set()


class Thing(pulumi.CustomResource):
    """A resource of nobody's."""

    def __init__(self, name: str, **properties: Any) -> None:
        super().__init__("things:index:Thing", name, properties)


class Made(PulumiHandler):
    """Makes whatever is asked for."""

    def create(self, call: Call) -> Reply:
        """Nothing but an id."""
        return Reply(id="" if call.preview else f"{call.name}-1", value=call.inputs)

    def delete(self, call: Call) -> Reply:
        """Done."""
        return Reply()


def test_a_small_handler_is_a_provider():
    """With two methods a handler lives through preview, up, an unchanged up and destroy."""
    stack = Stack(Double(provider=Made()))
    program = lambda: Thing("a", size=3) and None  # noqa: E731 - a program
    assert stack.up(program, preview=True).summary == {"create": 1}
    assert stack.state["a"].id == "a-1"
    assert stack.up(program).summary == {}
    assert stack.destroy().summary == {"delete": 1}


def test_what_it_does_not_do_is_said():
    """An op without a method fails, and the message says which method to define."""
    failed = Stack(Double(provider=PulumiHandler())).up(lambda: Thing("a") and None, expect_failure=True)
    assert "PulumiHandler does not answer Create" in str(failed.error)
    assert "define its method 'create'" in str(failed.error)


@pytest.mark.parametrize(
    ("op", "reply", "said"),
    [
        (Op.CHECK, Reply(value={}), "check answered value=..., and Check has no place for it. Its reply may have: inputs"),
        (Op.CREATE, Reply(id="1", value={}, inputs={}), "create answered inputs=..., and Create has no place for it"),
        (Op.DIFF, Reply(extra={"dif": 1}), "Did you mean 'diff'"),
        (Op.HANDSHAKE, Reply(extra={"acceptSecrets": True}), "accept_secrets"),
        (Op.CREATE, Reply(failures=(Failure("no", path="acl"),)), "a failed Create names no property. Leave the path out"),
    ],
)
def test_a_reply_that_cannot_be_the_answer(op, reply, said):
    """What an answer has no place for is an error that says what it may have."""
    handler = type("Wrong", (PulumiHandler,), {op.value: lambda *_: reply})()
    with pytest.raises(DefinitionError, match=said.replace(".", r"\.")):
        handler(Call(op=op, session=Session("pulumi")))


@pytest.mark.parametrize(
    ("op", "reply"),
    [
        (Op.CHECK, Reply(inputs={}, failures=(Failure("no", path="acl"),))),
        (Op.UPDATE, Reply(id="1", value={}, inputs={}, failures=(Failure("still starting"),))),
        (Op.CONFIGURE, Reply(failures=(Failure("no key"),), extra={MISSING_KEYS: {"key": "the key"}})),
        (Op.RAW, Reply(value={})),
    ],
)
def test_a_reply_that_can(op, reply):
    """Failures of properties where there is a list of them, half-made objects, missing keys, and whatever has no row."""
    handler = type("Right", (PulumiHandler,), {op.value: lambda *_: reply})()
    assert handler(Call(op=op, session=Session("pulumi"))) is reply

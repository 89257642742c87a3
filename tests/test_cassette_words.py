"""Words of protocols and schemas: a secret may equal one by chance, and is then hidden without destroying what it equals."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from cassette_toy import Toy, answer, call, header, recorded, secret, session

from mockprovider import Double, Property, ResourceType, from_terraform_schema, recording, replaying, tape
from mockprovider.calls import Call, Handler, Op, Reply, Status
from mockprovider.cassette import Memory, Recorder
from mockprovider.double import Wiring
from mockprovider.errors import MissError
from mockprovider.matching import encode
from mockprovider.pulumi.methods import PROVIDER
from mockprovider.pulumi.transcript import BAGS, WAYS, WORDS
from mockprovider.schema import camel_case

SCHEMA = {"types": {"swordfish": {"type": "string", "kind": "swordfish-like"}}}


def test_schemas_are_never_redacted():
    """What a provider says of itself stays, before and after a secret is known that is a word of it; all else is searched."""
    conversation = [
        (call(Op.GET_SCHEMA, session()), answer(**SCHEMA)),
        (call(Op.READ, session(), "urn:a"), answer(note="a swordfish")),
        (call(Op.CREATE, session(), password=secret("swordfish"), kind="swordfish"), answer()),
        (call(Op.GET_SCHEMA, session()), answer(**SCHEMA)),
    ]
    cassette = recorded(*conversation)
    assert list(cassette.answers(Op.GET_SCHEMA)) == [SCHEMA, SCHEMA]
    rest = [(each.request, each.response) for each in cassette.interactions if each.op != "get_schema"]
    assert "swordfish" not in str(rest)


def test_a_schema_in_a_blob_stays_there():
    """A large schema is kept once beside the cassette, whatever is secret, and nobody looks through it at the end."""

    class Blobs(dict):
        def __getitem__(self, name):
            pytest.fail("nobody looks into a schema")

    sink = Memory()
    sink.blobs = Blobs()
    sink.append = lambda interaction, note=0: (
        interaction
        if interaction.op != "get_schema"
        else type(interaction)(n=interaction.n, session=1, op="get_schema", method="GetSchema", response_blob="abc")
    )
    recorder = Recorder(Toy(), header(), sink)
    recorder(call(Op.GET_SCHEMA, session()), lambda _: answer(**SCHEMA))
    recorder(call(Op.CREATE, session(), password=secret("swordfish")), lambda _: answer())
    assert [each.response_blob for each in recorder.close().interactions if each.op == "get_schema"] == ["abc"]


def test_why_a_schema_is_refused_is_redacted():
    """A failure to tell a schema is a text like any other."""
    recorder = Recorder(Toy(), header())
    recorder(call(Op.CREATE, session(), password=secret("swordfish")), lambda _: answer())
    recorder(call(Op.GET_SCHEMA, session()), lambda _: Reply(status=Status(2, "no swordfish here")))
    assert b"swordfish" not in encode(recorder.close().interactions)


# Fields of the protocol -------------------------------------------------------------------------------------------------

FIELDS = ("config", "private", "result", "state", "type_name", "prior_state", "provider_meta", "msgpack", "json", "summary")


def cloud(name: str) -> Any:
    """A provider with one data source, of which an attribute of this name is sensitive."""
    text = {"type": "string", "optional": True}
    attributes = {"q": text, name: {**text, "sensitive": True}, "answer": {"type": "string", "computed": True}}
    look = {"cloud_look": {"version": 0, "block": {"attributes": attributes}}}
    provider = {"provider": {"version": 0, "block": {}}, "resource_schemas": {}, "data_source_schemas": look}
    schema = {"format_version": "1.0", "provider_schemas": {"registry.terraform.io/x/cloud": provider}}
    return from_terraform_schema(json.dumps(schema), provider="cloud")


def asked(package: Any, wiring: Wiring, question: str, **more: str) -> Any:
    """What the data source answers."""
    with Double(package, provider=wiring) as double:
        session = double.open("tfplugin6", package="cloud")
        double(Call(op=Op.GET_SCHEMA, session=session))
        return double(Call(op=Op.INVOKE, session=session, type="cloud:index:getLook", inputs={"q": question, **more})).value


def answering(package: Any, name: str) -> Handler:
    """A provider that answers each question with the question."""
    inner = Double(package)

    def provider(call: Call) -> Reply:
        if call.op is not Op.INVOKE:
            return inner(call)
        given = {**call.inputs, name: (call.inputs or {}).get(name)}
        return Reply(value={**given, "answer": f"about {given['q']}"})

    return provider


@pytest.mark.parametrize("name", FIELDS)
def test_a_sensitive_attribute_may_be_called_as_a_field(name: str, tmp_path: Path) -> None:
    """An answer is given to its own question only, though a secret is called as what the message has the question in."""
    package, path = cloud(name), tmp_path / "look.json"
    name = camel_case(name)
    live = asked(
        package, recording(path, Wiring("cloud", answering(package, name)), "terraform"), "production", **{name: "pssst!"}
    )
    assert "pssst!" not in path.read_text(encoding="utf-8")
    assert asked(package, replaying(path), "production", **{name: "pssst!"}) == live
    assert asked(package, replaying(path), "production", **{name: "other"}) == {**live, name: "other"}
    with pytest.raises(MissError, match='recorded "production", now "staging"'):
        asked(package, replaying(path), "staging", **{name: "pssst!"})


@pytest.mark.parametrize(
    "word", ["cloud_look", "ReadDataSource", "answer", "config", "msgpack", "true", "1", "WARNING", "tfplugin6"]
)
def test_a_secret_may_be_a_word_of_the_protocol(word: str, tmp_path: Path) -> None:
    """A secret that is a type's name, an attribute's or a method's is hidden, and any other may be sent on replay."""
    package, path = cloud("pin"), tmp_path / "look.json"
    live = asked(package, recording(path, Wiring("cloud", answering(package, "pin")), "terraform"), "production", pin=word)
    (look,) = [each for each in tape.load(path).interactions if each.op == "invoke"]
    assert look.request == {
        "type_name": "cloud_look",
        "config": {"msgpack": {"answer": None, "pin": {"$secret": 1}, "q": "production"}},
    }
    for pin in (word, "something else"):
        assert asked(package, replaying(path), "production", pin=pin) == {**live, "pin": pin}


# Pulumi -----------------------------------------------------------------------------------------------------------------

DATABASE = ResourceType(
    "cloud:index:Database",
    {name: Property(str, secret=True) for name in ("type", "urn", "name", "properties", "id", "diffs")}
    | {"size": Property(int)},
)


def created(wiring: Wiring, size: int, secrets: dict[str, str]) -> Reply:
    """A database is checked and made, and compared with a larger one."""
    with Double(DATABASE, provider=wiring) as double:
        session = double.open()
        about = {"type": DATABASE.token, "name": "a", "urn": f"urn:pulumi:dev::p::{DATABASE.token}::a"}
        double(Call(op=Op.GET_SCHEMA, session=session))
        inputs = {"size": size, **secrets}
        made = double(Call(op=Op.CREATE, session=session, inputs=inputs, **about))
        seen = {"prior": inputs, "prior_inputs": inputs, "inputs": {**inputs, "size": size + 1, "name": "other"}}
        return double(Call(op=Op.DIFF, session=session, id=made.id, **about, **seen))


def test_a_secret_property_may_be_called_as_a_field(tmp_path: Path) -> None:
    """The same with Pulumi: names of properties count in properties, and secrets that are words of it leave the words."""
    path = tmp_path / "database.json"
    secrets = {
        "type": "properties",
        "urn": "secret_urn",
        "properties": "olds_and_news",
        "id": "UPDATE",
        "diffs": "DIFF_SOME",
        "name": "inputDiff",
    }
    live = created(recording(path, Wiring("cloud"), "pulumi"), 1, secrets)
    cassette = tape.load(path)
    assert {each.request["type"] for each in cassette.interactions if "properties" in each.request} == {DATABASE.token}
    assert "$secret" not in str([*cassette.answers(Op.GET_SCHEMA)])
    again = created(replaying(path), 1, secrets)
    assert (again.native and again.native.message) == (live.native and live.native.message)
    with pytest.raises(MissError, match="size"):
        created(replaying(path), 2, secrets)


def test_pulumis_words_and_bags_are_all_there() -> None:
    """Each enumeration of Pulumi's messages is a word, and each field that holds properties is a bag."""
    messages: list[Any] = [cls.DESCRIPTOR for way in (PROVIDER, *WAYS) for both in way.messages.values() for cls in both[:2]]
    for message in messages:
        for field in message.fields:
            inside = field.message_type
            if field.enum_type:
                assert field.name in WORDS
            elif inside and inside.full_name in ("google.protobuf.Struct", "google.protobuf.Value"):
                assert field.name in BAGS
            elif inside and not inside.full_name.startswith("google.protobuf") and inside not in messages:
                messages.append(inside)
    assert not BAGS & WORDS

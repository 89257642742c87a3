"""Terraform conversations on cassettes: what is kept, what is matched, what is secret."""

from __future__ import annotations

from typing import Any

import msgpack
import pytest

from mockprovider.calls import Call, Failure, Native, Op, Reply, Session, Status
from mockprovider.errors import MalformedError
from mockprovider.offers import Ephemeral
from mockprovider.redaction import Redactor, neutral
from mockprovider.schema import Kind, Package, Property, ResourceType
from mockprovider.terraform.proto import protocol
from mockprovider.terraform.recorded.secrets import CREDENTIALS, MARKS
from mockprovider.terraform.recorded.transcript import TerraformTranscript
from mockprovider.terraform.rpcs.methods import SERVICES
from mockprovider.terraform.schema.provider import ProviderSchema
from mockprovider.values import Secret


def call(name: str, major: int = 6, **fields: Any) -> Call:
    message = protocol(major).message(f"{name}.Request")(**fields)
    row = SERVICES[major].methods[protocol(major).wire_name(name)]
    made = row.call(message, Session(f"tfplugin{major}"))
    made.native = Native(message.SerializeToString(), message)
    return made


def state(value: Any) -> Any:
    return protocol(6).message("DynamicValue")(msgpack=msgpack.packb(value))


def test_an_answer_is_restored_equal() -> None:
    """What a provider answered comes back as an equal message, with its bytes and its decoded fields."""
    transcript, read = (
        TerraformTranscript(6),
        call("ReadResource", type_name="cloud_bucket", current_state=state({"id": "b-1"})),
    )
    answer: Any = protocol(6).message("ReadResource.Response")(new_state=state({"id": "b-1", "name": "x"}), private=b"p")
    reply = Reply(native=Native(answer.SerializeToString(), answer))
    again = transcript.restore("ReadResource", transcript.reply(reply, read), read)  # type: ignore[arg-type]
    assert again.native is not None
    assert again.native.message == answer
    assert again.native.data == answer.SerializeToString(deterministic=True)
    assert (again.value, again.id, again.private) == ({"id": "b-1", "name": "x"}, "b-1", b"p")


def test_replies_made_in_python_are_kept_too() -> None:
    """A reply without a message is kept as the answer that it would make, failures as its diagnostics."""
    transcript, read = (
        TerraformTranscript(6),
        call("ReadResource", type_name="cloud_bucket", current_state=state({"id": "b-1"})),
    )
    assert transcript.reply(Reply(value={"id": "b-1"}), read) == {"new_state": {"msgpack": {"id": "b-1"}}}
    down = transcript.reply(Reply(failures=(Failure("down", status="unavailable"),)), read)
    assert down == {"new_state": {"msgpack": None}, "diagnostics": [{"severity": "ERROR", "summary": "down"}]}


def test_calls_made_in_python_are_kept_too() -> None:
    """A call without a message is kept as the request that it would make."""
    made = Call(op=Op.IMPORT, session=Session("tfplugin6"), type="cloud_bucket", id="b-1")
    assert TerraformTranscript(6).request(made) == {"type_name": "cloud_bucket", "id": "b-1"}


def test_credentials_of_a_provider_are_secret_whatever_its_schema_says() -> None:
    """A provider's own keys and tokens are taken out by their names; in a resource, a name alone says nothing."""
    transcript = TerraformTranscript(6)
    configured = transcript.secrets(call("ConfigureProvider", config=state({"region": "north", "secret_key": "x"})))
    assert {"access_key", "secret_key", "token", "password"} <= set(configured)
    assert "region" not in configured
    assert not transcript.secrets(call("ReadResource", type_name="cloud_bucket", current_state=state({"token": "x"})))


def test_names_of_credentials() -> None:
    """These are the names; a recording that lacks one of them would show its value."""
    assert " ".join(sorted(CREDENTIALS)) == (
        "access_key access_token api_key api_token auth_token client_secret credentials password private_key refresh_token "
        "secret secret_access_key secret_key session_token token"
    )


def test_what_differs_between_runs_is_not_matched() -> None:
    """The engine's version and capabilities are not part of the key; configuration is."""
    transcript = TerraformTranscript(6)
    made = call("ConfigureProvider", terraform_version="1.11.4", config=state({"region": "north"}))
    made.native.message.client_capabilities.deferral_allowed = True  # type: ignore[union-attr]
    request = transcript.request(made)
    assert set(request) == {"terraform_version", "config", "client_capabilities"}
    assert transcript.key(made, request) == {"config": {"msgpack": {"region": "north"}}}


def shown_to(transcript: TerraformTranscript, schema: Any, major: int) -> dict[str, Any]:
    """The tree of an answer to GetProviderSchema that this transcript sees pass."""
    ask = call("GetProviderSchema", major)
    tree: Any = transcript.reply(Reply(native=Native(schema.SerializeToString(), schema)), ask)
    return tree


@pytest.mark.parametrize("major", sorted(SERVICES))
def test_secret_attributes_are_learnt_from_the_schema(major: int) -> None:
    """What a schema that passed by hides is secret in calls of that type and of the provider, at its path in each value."""
    package = Package("cloud", config={"pin": Property(str, secret=True)})
    rule = Kind("object", properties={"secretKey": Property(str, secret=True)})
    package.add(
        ResourceType("cloud:index:User", {"passWord": Property(str, secret=True), "rules": Property(Kind("array", items=rule))})
    )
    package.add(Ephemeral("cloud:index:Token", {"user": Property(str)}, {"apiKey": Secret("s"), "uses": 3}))
    schema: Any = ProviderSchema(package, major).message()
    schema.resource_schemas["cloud_user"].block.attributes.add(name="hidden", type=b'"string"', optional=True, write_only=True)
    schema.data_source_schemas["cloud_user"].block.attributes.add(name="found", type=b'"string"', sensitive=True)
    read, ask = call("ReadResource", major, type_name="cloud_user"), call("GetProviderSchema", major)
    recording, replaying = TerraformTranscript(major), TerraformTranscript(major)
    assert recording.secrets(read) == frozenset()
    replaying.restore(ask.method, shown_to(recording, schema, major), ask)
    paths = [("pass_word",), ("rules", "secret_key"), ("hidden",)]
    for transcript in (recording, replaying):
        assert transcript.secrets(read) == {
            (field, *path) for field in ("current_state", "new_state", "identity_data") for path in paths
        }
        opened = transcript.secrets(call("OpenEphemeralResource", major, type_name="cloud_token"))
        assert opened == {("config", "api_key"), ("result", "api_key"), ("result", "user")}
        looked = transcript.secrets(call("ReadDataSource", major, type_name="cloud_user"))
        assert looked == {("config", "found"), ("state", "found")}
        assert transcript.secrets(call("ConfigureProvider", major)) == {("config", "pin")} | CREDENTIALS
        assert transcript.secrets(call("ReadResource", major, type_name="cloud_box")) == frozenset()
        checked = {("config", "pin")} | ({("prepared_config", "pin")} if major == 5 else set()) | CREDENTIALS
        assert transcript.secrets(call("ValidateProviderConfig", major)) == checked
    # Other answers about schemas teach nothing, and a newer schema takes the older one's place.
    names = call("GetResourceIdentitySchemas", major)
    empty: Any = protocol(major).message("GetResourceIdentitySchemas.Response")()
    recording.reply(Reply(native=Native(b"", empty)), names)
    assert ("new_state", "hidden") in recording.secrets(read)
    del schema.resource_schemas["cloud_user"].block.attributes[:]
    shown_to(recording, schema, major)
    assert ("new_state", "hidden") not in recording.secrets(read)


STRING = b'"string"'


def cloud(major: int = 6) -> Any:
    """A provider whose types have secrets in blocks and maps, and a public attribute of the same name."""
    schema: Any = protocol(major).message("GetProviderSchema.Response")()
    thing = schema.resource_schemas["cloud_thing"]
    thing.version = 2
    thing.block.attributes.add(name="value", type=STRING, sensitive=True)
    thing.block.attributes.add(name="config", type=STRING, optional=True, sensitive=True)
    for name, nesting, inside in (("tag", 2, "label"), ("auth", 4, "value")):
        block = thing.block.block_types.add(type_name=name, nesting=nesting).block
        block.attributes.add(name=inside, type=STRING, sensitive=inside == "value", optional=True)
    thing.block.block_types[0].block.attributes.add(name="value", type=STRING, optional=True)
    schema.provider_meta.block.attributes.add(name="value", type=STRING, optional=True)
    schema.resource_schemas["cloud_box"].block.attributes.add(name="content", type=STRING, sensitive=True)
    return schema


def redacted(transcript: TerraformTranscript, made: Call) -> Any:
    redactor = Redactor(marks=transcript.marks)
    names = redactor.names(made.type, transcript.secrets(made))
    request = transcript.request(made)
    redactor.learn([request], names)
    return redactor.hide(request, names).tree


def test_a_secret_is_known_by_its_path_in_the_schema() -> None:
    """An attribute of the same name in another block, or in the module's own data, is public; so is a message's field."""
    transcript = TerraformTranscript(6)
    shown_to(transcript, cloud(), 6)
    value = {"value": "a", "config": "c", "tag": [{"label": "b", "value": "b"}], "auth": {"x.y:z": {"value": "d"}}}
    asked = call("ReadResource", type_name="cloud_thing", current_state=state(value), provider_meta=state({"value": "m"}))
    assert redacted(transcript, asked) == {
        "type_name": "cloud_thing",
        "current_state": {
            "msgpack": {
                "auth": {"x.y:z": {"value": {"$secret": 1}}},
                "config": {"$secret": 2},
                "tag": [{"label": "b", "value": "b"}],
                "value": {"$secret": 3},
            }
        },
        "provider_meta": {"msgpack": {"value": "m"}},
    }
    checked = call("ValidateResourceConfig", type_name="cloud_thing", config=state({"config": "public?", "tag": []}))
    assert redacted(transcript, checked)["config"] == {"msgpack": {"config": {"$secret": 1}, "tag": []}}


def test_a_state_of_another_version_hides_secrets_by_name() -> None:
    """A state of the schema's version is known by its paths; in an older one secrets may stand elsewhere."""
    transcript = TerraformTranscript(6)
    shown_to(transcript, cloud(), 6)

    def upgraded(version: int) -> Any:
        raw = protocol(6).message("RawState")(json=b'{"old":{"value":"c"},"tag":[{"value":"b"}]}')
        made = call("UpgradeResourceState", type_name="cloud_thing", version=version, raw_state=raw)
        return redacted(transcript, made)["raw_state"]["json"]

    assert upgraded(2) == {"old": {"value": "c"}, "tag": [{"value": "b"}]}
    assert upgraded(1) == {"old": {"value": {"$secret": 1}}, "tag": [{"value": {"$secret": 2}}]}


@pytest.mark.parametrize(
    ("source", "version", "hidden"),
    [
        ("cloud_box", 0, {"content": {"$secret": 1}, "token": "t", "inner": {"value": {"$secret": 2}}}),
        ("other_box", 0, {"content": "c", "token": {"$secret": 1}, "inner": {"value": {"$secret": 2}}}),
    ],
)
def test_what_is_moved_from_another_type_hides_what_can_be_known(source: str, version: int, hidden: Any) -> None:
    """The secrets of the source's type count where its schema is known, else names of credentials; those of the target, too."""
    transcript = TerraformTranscript(6)
    shown_to(transcript, cloud(), 6)
    raw = protocol(6).message("RawState")(json=b'{"content":"c","inner":{"value":"v"},"token":"t"}')
    moved = call(
        "MoveResourceState",
        source_type_name=source,
        source_schema_version=version,
        target_type_name="cloud_thing",
        source_state=raw,
    )
    found = redacted(transcript, moved)["source_state"]["json"]
    assert neutral(found) == neutral(hidden)
    assert ("target_state", "auth", "*", "value") in transcript.secrets(moved)


def test_what_an_ephemeral_resource_makes_is_secret_but_for_its_inputs() -> None:
    """Texts that the provider made are hidden whether or not they are marked; what the engine gave, and numbers, are not."""
    transcript, schema = TerraformTranscript(6), protocol(6).message("GetProviderSchema.Response")()
    block = schema.ephemeral_resource_schemas["cloud_token"].block  # type: ignore[attr-defined]
    block.attributes.add(name="result", type=STRING, computed=True, sensitive=True)
    block.attributes.add(name="url", type=STRING, computed=True)
    block.attributes.add(name="user", type=STRING, optional=True, computed=True)
    block.attributes.add(name="zone", type=STRING, optional=True, computed=True)
    block.attributes.add(name="more", type=b'["map",["object",{"key":"string","size":"number"}]]', computed=True)
    block.attributes.add(name="any", type=b'"dynamic"', computed=True)
    block.attributes.add(name="length", type=b'"number"', required=True)
    block.attributes.add(name="upper", type=b'"bool"', computed=True)
    nested = block.block_types.add(type_name="rule", nesting=2).block
    nested.attributes.add(name="port", type=STRING, optional=True)
    nested.attributes.add(name="key", type=STRING, computed=True)
    shown_to(transcript, schema, 6)
    config = {"length": 24, "user": "me", "zone": None, "rule": [{"port": "1", "key": None}]}
    opened = call("OpenEphemeralResource", type_name="cloud_token", config=state(config))
    assert transcript.secrets(opened) == {
        ("config", "result"),
        *(("result", *path) for path in [("result",), ("url",), ("zone",), ("more", "*", "key"), ("any",), ("rule", "key")]),
    }
    assert ("result", "user") in transcript.secrets(call("OpenEphemeralResource", type_name="cloud_token"))


def test_words_of_the_protocol_are_no_secrets() -> None:
    """Each enumeration and each name of a type, outside of schemas, is a word that a secret may equal by chance."""
    enumerations: set[str] = set()
    for major in SERVICES:
        messages: list[Any] = [cls.DESCRIPTOR for both in SERVICES[major].messages.values() for cls in both[:2]]
        for message in messages:
            if not message.name.startswith("Schema") and message.name != "Parameter":
                enumerations.update(field.name for field in message.fields if field.enum_type)
                messages += [
                    field.message_type for field in message.fields if field.message_type and field.message_type not in messages
                ]
    assert enumerations - {"description_kind", "nesting"} <= MARKS.words
    assert {"type_name", "target_type_name", "source_type_name", "attribute_name"} <= MARKS.words


def test_rpcs_that_nobody_knows_are_kept_raw() -> None:
    """An RPC of a later protocol is kept as bytes, and may be asked for once only, because it may change anything."""
    transcript = TerraformTranscript(6)
    made = Call(op=Op.RAW, session=Session("tfplugin6"), method="Later", native=Native(b"\x01\x02"))
    assert transcript.request(made) == {"$raw": "AQI="}
    kept = transcript.reply(Reply(native=Native(b"\x03")), made)
    assert kept == {"$raw": "Aw=="}
    assert transcript.restore("Later", kept, made).native == Native(b"\x03")
    assert transcript.mutates("Later")
    assert transcript.refuses(made) == ""
    assert transcript.secrets(made) == frozenset()
    assert transcript.type(made) == ""
    assert transcript.type(call("ReadResource", type_name="cloud_box")) == "cloud_box"
    assert transcript.type(Call(op=Op.IMPORT, session=Session("tfplugin6"), type="cloud_bucket")) == "cloud_bucket"
    assert transcript.key(made, {"$raw": "AQI="}) == {"$raw": "AQI="}


def test_what_the_fake_does_not_serve_is_recorded() -> None:
    """Calls that only a real provider answers are refused no recording; changes are told from looks."""
    transcript = TerraformTranscript(6)
    assert transcript.refuses(call("PlanAction")) == ""
    assert transcript.mutates("InvokeAction")
    assert not transcript.mutates("PlanAction")
    assert transcript.mutates("ApplyResourceChange")
    assert not transcript.mutates("PlanResourceChange")


def test_statuses_come_back() -> None:
    """A status keeps its details, and is a reply that failed with it."""
    transcript = TerraformTranscript(5)
    assert transcript.pack(transcript.details(b"\x00\x01")) == b"\x00\x01"
    reply = transcript.failed(Status(14, "down"), call("ReadResource", 5))
    assert (reply.status, reply.failures[0].status) == (Status(14, "down"), "unavailable")


@pytest.mark.parametrize("major", [5, 6])
def test_a_time_of_renewal_is_kept_as_how_long_after(major: int) -> None:
    """An engine that replays an old recording is told to come back as late as the recorded one was, and not long ago."""
    transcript, opened = TerraformTranscript(major), call("OpenEphemeralResource", major, type_name="cloud_token")
    reply = Reply(value={"user": "me"}, private=b"t-1", renew_after=600)
    shown: Any = transcript.reply(reply, opened)
    assert 590 < shown["renew_at"]["after_seconds"] <= 600
    again = transcript.restore("OpenEphemeralResource", {**shown, "renew_at": {"after_seconds": 5000}}, opened)
    assert 4990 < again.renew_after <= 5000
    old = transcript.restore("OpenEphemeralResource", {**shown, "renew_at": {"seconds": 5, "nanos": 7}}, opened)
    assert old.native is not None
    assert old.native.message.renew_at.ToNanoseconds() == 5_000_000_007
    for wrong in ("soon", {"after_seconds": "soon"}):
        with pytest.raises(MalformedError, match=r"renew_at.*soon"):
            transcript.restore("OpenEphemeralResource", {**shown, "renew_at": wrong}, opened)

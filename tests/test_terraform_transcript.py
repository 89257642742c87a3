"""Terraform conversations on cassettes: what is kept, what is matched, what is secret."""

from __future__ import annotations

from typing import Any

import msgpack
import pytest

from mockprovider.calls import Call, Failure, Native, Op, Reply, Session, Status
from mockprovider.errors import MalformedError
from mockprovider.offers import Ephemeral
from mockprovider.schema import Kind, Package, Property, ResourceType
from mockprovider.terraform.proto import protocol
from mockprovider.terraform.recorded.transcript import CREDENTIALS, TerraformTranscript
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


@pytest.mark.parametrize("major", sorted(SERVICES))
def test_secret_attributes_are_learnt_from_the_schema(major: int) -> None:
    """What a schema that passed by hides is secret in calls of that type and of the provider, at every depth."""
    package = Package("cloud", config={"pin": Property(str, secret=True)})
    rule = Kind("object", properties={"secretKey": Property(str, secret=True)})
    package.add(
        ResourceType("cloud:index:User", {"passWord": Property(str, secret=True), "rules": Property(Kind("array", items=rule))})
    )
    package.add(Ephemeral("cloud:index:Token", {"user": Property(str)}, {"apiKey": Secret("s")}))
    schema: Any = ProviderSchema(package, major).message()
    schema.resource_schemas["cloud_user"].block.attributes.add(name="hidden", type=b'"string"', optional=True, write_only=True)
    read, ask = call("ReadResource", major, type_name="cloud_user"), call("GetProviderSchema", major)
    recording, replaying = TerraformTranscript(major), TerraformTranscript(major)
    assert recording.secrets(read) == frozenset()
    shown = recording.reply(Reply(native=Native(schema.SerializeToString(), schema)), ask)
    replaying.restore(ask.method, shown, ask)  # type: ignore[arg-type]
    for transcript in (recording, replaying):
        assert transcript.secrets(read) == {"pass_word", "secret_key", "hidden"}
        assert transcript.secrets(call("OpenEphemeralResource", major, type_name="cloud_token")) == {"api_key"}
        assert transcript.secrets(call("ConfigureProvider", major)) == {"pin"} | CREDENTIALS
        assert transcript.secrets(call("ReadResource", major, type_name="cloud_box")) == frozenset()
        check = "ValidateProviderConfig"
        assert transcript.secrets(call(check, major)) == {"pin"} | CREDENTIALS
    # Other answers about schemas teach nothing, and a newer schema takes the older one's place.
    names = call("GetResourceIdentitySchemas", major)
    empty: Any = protocol(major).message("GetResourceIdentitySchemas.Response")()
    recording.reply(Reply(native=Native(b"", empty)), names)
    assert recording.secrets(read) == {"pass_word", "secret_key", "hidden"}
    schema.resource_schemas["cloud_user"].block.attributes[0].sensitive = True
    schema.data_source_schemas["cloud_user"].block.attributes.add(name="found", type=b'"string"', sensitive=True)
    recording.reply(Reply(native=Native(schema.SerializeToString(), schema)), ask)
    assert recording.secrets(read) == {"hidden", "pass_word", "secret_key", "found"} | {
        schema.resource_schemas["cloud_user"].block.attributes[0].name
    }


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


def test_what_is_not_served_is_not_recorded() -> None:
    """Calls of a refused row are refused with its reason; changes are told from looks."""
    transcript = TerraformTranscript(6)
    assert "the fake has no actions" in transcript.refuses(call("PlanAction"))
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

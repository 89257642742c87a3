"""Sets in the trees of Terraform's messages: one order for all that are equal."""

from typing import Any

import msgpack
import pytest

from mockprovider.calls import Call, Handler, Native, Op, Reply, Session
from mockprovider.cassette import FORMAT, VERSION, Cassette, CassetteLayer, Header, Interaction, Library, Mode, Reader, Recorder
from mockprovider.errors import MissError
from mockprovider.terraform.proto import protocol
from mockprovider.terraform.recorded.sets import Sets
from mockprovider.terraform.recorded.transcript import TerraformTranscript
from mockprovider.terraform.recorded.trees import build
from mockprovider.terraform.rpcs.methods import SERVICES

BLOCK = {
    "attributes": [
        {"name": "ports", "type": '["set","number"]'},
        {"name": "list", "type": '["list","string"]'},
        {"name": "deep", "type": '["map",["object",{"of":["set",["list","string"]]}]]'},
        {"name": "both", "type": '["tuple",["string",["set","string"]]]'},
        {"name": "any", "type": '"dynamic"'},
        {"name": "nested", "nested_type": {"nesting": "SET", "attributes": [{"name": "n", "type": '["set","string"]'}]}},
    ],
    "block_types": [
        {"type_name": "rule", "nesting": "SET", "block": {"attributes": [{"name": "to", "type": '"string"'}]}},
        {"type_name": "step", "nesting": "LIST", "block": {"attributes": [{"name": "at", "type": '["set","string"]'}]}},
        {"type_name": "one", "nesting": "SINGLE", "block": {"attributes": [{"name": "at", "type": '["set","string"]'}]}},
    ],
}
SCHEMAS = {
    "resource_schemas": {"cloud_bucket": {"block": BLOCK}, "cloud_plain": {"block": {}}},
    "data_source_schemas": {"cloud_bucket": {"block": {"attributes": [{"name": "list", "type": '["set","string"]'}]}}},
}


@pytest.fixture(name="sets")
def _sets() -> Sets:
    asked = Interaction(n=1, session=1, op=Op.GET_SCHEMA.value, method="GetProviderSchema", request={}, response=SCHEMAS)
    return Sets(Cassette(Header(format=FORMAT, version=VERSION, protocol="tfplugin6"), [asked]))


@pytest.mark.parametrize(
    ("sent", "ordered"),
    [
        ({"ports": [3, 1, 2]}, {"ports": [1, 2, 3]}),
        ({"list": ["b", "a"]}, {"list": ["b", "a"]}),
        ({"deep": {"x": {"of": [["b", "a"], ["a"]]}}}, {"deep": {"x": {"of": [["a"], ["b", "a"]]}}}),
        ({"both": ["x", ["b", "a"]]}, {"both": ["x", ["b", "a"]]}),
        ({"any": ["b", "a"]}, {"any": ["b", "a"]}),
        ({"nested": [{"n": ["b", "a"]}, {"n": ["a"]}]}, {"nested": [{"n": ["a"]}, {"n": ["a", "b"]}][::-1]}),
        ({"rule": [{"to": "b"}, {"to": "a"}]}, {"rule": [{"to": "a"}, {"to": "b"}]}),
        ({"step": [{"at": ["b", "a"]}, {"at": []}]}, {"step": [{"at": ["a", "b"]}, {"at": []}]}),
        ({"one": {"at": ["b", "a"]}}, {"one": {"at": ["a", "b"]}}),
        ({"colour": ["b", "a"]}, {"colour": ["b", "a"]}),
        ({"ports": [3, 3, 1]}, {"ports": [1, 3, 3]}),
        ({"ports": {"$unknown": ""}, "rule": None}, {"ports": {"$unknown": ""}, "rule": None}),
    ],
)
def test_sets_are_put_in_order_wherever_they_are(sets: Sets, sent: Any, ordered: Any) -> None:
    """Sets at any depth are sorted, equal elements stay as many as they are, and nothing else changes its order."""
    for kind in ("msgpack", "json"):
        tree = {"type_name": "cloud_bucket", "config": {kind: sent}, "version": 1}
        assert sets("PlanResourceChange", "cloud_bucket", tree) == {**tree, "config": {kind: ordered}}


def test_a_data_source_has_a_schema_of_its_own(sets: Sets) -> None:
    """A resource and a data source of one name are told apart by the method."""
    tree = {"config": {"msgpack": {"list": ["b", "a"]}}}
    assert sets("ReadDataSource", "cloud_bucket", tree) == {"config": {"msgpack": {"list": ["a", "b"]}}}
    assert sets("ReadResource", "cloud_bucket", tree) == tree


def test_where_schemas_are_learnt() -> None:
    """Each of a provider's answers counts, also one that is kept beside the cassette; other calls teach nothing."""
    ordered = {"block": {"attributes": [{"name": "at", "type": '["set","string"]'}]}}
    ask = {"session": 1, "op": Op.GET_SCHEMA.value, "method": "GetProviderSchema", "request": {}}
    interactions = [
        Interaction(n=1, **ask, response={"ephemeral_resource_schemas": {"cloud_token": ordered}}),
        Interaction(n=2, **ask, response_blob="b"),
        Interaction(n=3, **ask),
        Interaction(n=4, **{**ask, "op": Op.READ.value}, response={"resource_schemas": {"cloud_bucket": ordered}}),
    ]
    blobs = {"b": {"data_source_schemas": {"cloud_zone": ordered}}}
    sets = Sets(Cassette(Header(format=FORMAT, version=VERSION, protocol="tfplugin6"), interactions, blobs))
    sent = {"config": {"msgpack": {"at": ["b", "a"]}}}
    turned = {"config": {"msgpack": {"at": ["a", "b"]}}}
    assert sets("OpenEphemeralResource", "cloud_token", sent) == turned
    assert sets("ReadDataSource", "cloud_zone", sent) == turned
    assert sets("ValidateDataResourceConfig", "cloud_zone", sent) == turned
    assert sets("ReadResource", "cloud_token", sent) == sent
    assert sets("ReadResource", "cloud_bucket", sent) == sent


def test_the_order_of_replacements_does_not_count(sets: Sets) -> None:
    """The paths that need a new object are in one order, for types with sets and without."""
    paths = [{"steps": [{"attribute_name": name}]} for name in ("b", "a")]
    for type_ in ("cloud_bucket", "cloud_plain", "cloud_unknown"):
        found = sets("PlanResourceChange", type_, {"requires_replace": paths})
        assert found == {"requires_replace": paths[::-1]}


def test_what_is_no_message_stays(sets: Sets) -> None:
    """Answers that are kept elsewhere, or not at all, are handed back."""
    assert sets("ReadResource", "cloud_bucket", None) is None
    tree = {"private": "p", "identity": {"ports": [2, 1]}, "ports": [2, 1]}
    assert sets("ReadResource", "cloud_bucket", tree) == tree


# On replay -------------------------------------------------------------------------------------------------------------


def asked(name: str, **fields: Any) -> Call:
    """A call as it comes from the wire."""
    message = protocol(6).message(f"{name}.Request")(**fields)
    made = SERVICES[6].methods[name].call(message, Session("tfplugin6"))
    made.method = name
    made.native = Native(message.SerializeToString(), message)
    return made


def read(**state: Any) -> Call:
    """A read of an object with this state."""
    value = protocol(6).message("DynamicValue")(msgpack=msgpack.packb(dict(sorted(state.items()))))
    return asked("ReadResource", type_name="cloud_bucket", current_state=value)


def answers(name: str, tree: dict[str, Any]) -> Handler:
    """A provider that always answers with this tree."""
    message = build(tree, protocol(6).message(f"{name}.Response"))
    return lambda _: Reply(native=Native(message.SerializeToString(), message))


def test_a_set_in_another_order_is_the_same_request() -> None:
    """A replay answers what differs from the recording in the order of a set alone; a list in another order is a miss."""
    recorder = Recorder(TerraformTranscript(6), Header(format=FORMAT, version=VERSION, protocol="tfplugin6"))
    recorder(asked("GetProviderSchema"), answers("GetProviderSchema", SCHEMAS))
    recorder(read(ports=[1, 2], list=["a", "b"]), answers("ReadResource", {"new_state": {"msgpack": {"ports": [1, 2]}}}))
    cassette = recorder.close()
    replay = CassetteLayer(Mode.NONE, Library(cassette, {"": Reader(TerraformTranscript(6), Sets(cassette))}), None)
    for ports in ([1, 2], [2, 1]):
        reply = replay(read(ports=ports, list=["a", "b"]))
        assert reply.native is not None
        assert msgpack.unpackb(reply.native.message.new_state.msgpack) == {"ports": [1, 2]}
    with pytest.raises(MissError, match="list"):
        replay(read(ports=[1, 2], list=["b", "a"]))
    with pytest.raises(MissError, match="ports"):
        replay(read(ports=[1, 1, 2], list=["a", "b"]))

"""Schemas cut down to the types in use."""

from msgspec.structs import replace

from mockprovider.calls import Op
from mockprovider.cassette import FORMAT, VERSION, Cassette, Header, Interaction
from mockprovider.terraform.recorded.pruning import prune, pruned

SCHEMA = {
    "provider": {"block": {}},
    "resource_schemas": {"cloud_bucket": {"version": 1}, "cloud_queue": {}},
    "data_source_schemas": {"cloud_zone": {}},
    "functions": {"parse": {}},
}


def schema(**more: object) -> Interaction:
    return Interaction(n=1, session=1, op=Op.GET_SCHEMA.value, method="GetProviderSchema", request={}, **more)  # type: ignore[arg-type]


def of(*interactions: Interaction, blobs: dict[str, object] | None = None) -> Cassette:
    return Cassette(Header(format=FORMAT, version=VERSION, protocol="tfplugin6"), [*interactions], blobs or {})


def read(type_: str) -> Interaction:
    return Interaction(n=2, session=1, op=Op.READ.value, method="ReadResource", type=type_, request={}, response={})


def test_only_types_in_use_are_left() -> None:
    """The types that other calls are about stay with all that is said of them; so do the provider's own block and functions."""
    found = pruned(of(schema(response=SCHEMA), read("cloud_bucket"))).interactions[0].response
    assert found == {
        "provider": {"block": {}},
        "resource_schemas": {"cloud_bucket": {"version": 1}},
        "functions": {"parse": {}},
    }
    assert SCHEMA["data_source_schemas"] == {"cloud_zone": {}}


def test_a_blob_becomes_part_of_the_cassette() -> None:
    """A schema that is kept beside the cassette is read once and pruned, the same for all that refer to it."""
    both = [schema(response_blob="b"), schema(response_blob="b"), read("cloud_zone")]
    found = pruned(of(*both, blobs={"b": SCHEMA})).interactions
    assert found[0].response is found[1].response
    assert found[0].response == {
        "provider": {"block": {}},
        "data_source_schemas": {"cloud_zone": {}},
        "functions": {"parse": {}},
    }
    assert not found[0].response_blob


def test_a_recording_about_no_type_keeps_the_schema() -> None:
    """Where nothing but the schema was asked for, all of it is what was recorded."""
    cassette = of(schema(response=SCHEMA))
    assert pruned(cassette) is cassette


def test_each_provider_is_pruned_by_its_own_types() -> None:
    """Of several providers, the one that was asked about no type keeps its schema, whatever the others were asked about."""
    interactions = [
        replace(interaction, provider=provider)
        for provider in ("a", "b")
        for interaction in (schema(response_blob="b"), *([read("cloud_bucket")] if provider == "a" else []))
    ]
    first, _, second = pruned(of(*interactions, blobs={"b": SCHEMA})).interactions
    assert first.response["resource_schemas"] == {"cloud_bucket": {"version": 1}}
    assert (second.response, second.response_blob) == (None, "b")


def test_metadata_and_identities_are_pruned_too() -> None:
    """Lists of type names and schemas of identities have the types in use as well."""
    metadata = {"resources": [{"type_name": "cloud_bucket"}, {"type_name": "cloud_queue"}], "data_sources": []}
    assert prune(metadata, {"cloud_bucket"}) == {"resources": [{"type_name": "cloud_bucket"}]}
    assert prune({"identity_schemas": {"cloud_queue": {}, "cloud_bucket": {}}}, {"cloud_queue"}) == {
        "identity_schemas": {"cloud_queue": {}}
    }
    types = {"cloud_bucket"}
    named = [{"type_name": "cloud_bucket"}, {"type_name": "cloud_queue"}]
    for section in ("resources", "data_sources", "ephemeral_resources", "list_resources", "actions"):
        assert prune({section: named}, types) == {section: named[:1]}
        assert prune({section: named[1:]}, types) == {}
    for section in ("functions", "provider", "server_capabilities"):
        assert prune({section: {}}, types) == {section: {}}


def test_other_answers_stay() -> None:
    """What is no schema, or has no answer of its own, is as it was recorded."""
    asked, bare = read("cloud_bucket"), schema()
    assert pruned(of(asked, bare)).interactions == [asked, bare]
    lists = Interaction(n=3, session=1, op=Op.READ.value, method="ReadResource", request={}, response={"resources": []})
    assert pruned(of(asked, lists)).interactions == [asked, lists]

"""What a provider answers where its outputs are of other kinds than its inputs."""

from __future__ import annotations

from typing import Any

import pulumi
import pytest

from mockprovider import Double, Stack, from_schema
from mockprovider.errors import ProgramError
from mockprovider.values import UNKNOWN

CLUSTER = "cloud:index:Cluster"
TEXT = {"type": "string"}
TEXTS = {"type": "array", "items": TEXT}
USER = {"$ref": "#/types/cloud:index:User"}
SCHEMA: dict[str, Any] = {
    "name": "cloud",
    "types": {
        "cloud:index:Users": {"type": "object", "properties": {"kind": TEXT, "users": TEXTS}},
        "cloud:index:KnownUsers": {
            "type": "object",
            "properties": {
                "kind": TEXT,
                "size": {"type": "integer"},
                "users": {"type": "object", "additionalProperties": USER},
            },
        },
        "cloud:index:User": {"type": "object", "properties": {"clientId": TEXT}, "required": ["clientId"]},
    },
    "resources": {
        CLUSTER: {
            "inputProperties": {
                "policy": {"oneOf": [TEXT, {"type": "object", "additionalProperties": {"$ref": "pulumi.json#/Any"}}]},
                "identity": {"$ref": "#/types/cloud:index:Users"},
                "pools": {"type": "array", "items": {"$ref": "#/types/cloud:index:Users"}},
                "port": TEXT,
                "network": TEXT,
            },
            "properties": {
                "policy": TEXT,
                "identity": {"$ref": "#/types/cloud:index:KnownUsers"},
                "pools": {"type": "array", "items": {"$ref": "#/types/cloud:index:KnownUsers"}},
                "port": {"type": "integer"},
                "network": USER,
                "size": {"type": "integer"},
            },
        }
    },
}


class Cluster(pulumi.CustomResource):
    policy: pulumi.Output[str]
    identity: pulumi.Output[Any]
    pools: pulumi.Output[Any]
    port: pulumi.Output[int]
    network: pulumi.Output[Any]

    def __init__(self, **inputs: Any) -> None:
        super().__init__(CLUSTER, "main", inputs)


def exporting(output: str, given: Any) -> Any:
    """A program that exports an output that it has set; a function makes a value of the SDK in the run itself."""

    def program() -> None:
        pulumi.export("it", getattr(Cluster(**{output: given() if callable(given) else given}), output))

    return program


@pytest.mark.parametrize(
    ("output", "given", "answered"),
    [
        ("policy", {"Version": "1"}, '{"Version": "1"}'),
        ("policy", "as it is", "as it is"),
        ("policy", ["a"], '["a"]'),
        ("port", "80", 80),
    ],
)
def test_a_value_is_answered_in_the_kind_of_the_output(output: str, given: Any, answered: Any) -> None:
    """A document where the output is a text is its JSON, and a text where the output is a number is that number."""
    with Double(from_schema(SCHEMA)) as provider:
        stack = Stack(provider)
        assert stack.up(exporting(output, given)).outputs == {"it": answered}
        assert provider.cloud.objects()[0][output] == given


def test_names_become_a_map_of_what_the_provider_knows_of_them() -> None:
    """A list of names in an object, whose output is a map, is answered as a map from the names to whole objects."""
    with Double(from_schema(SCHEMA)) as provider:
        answered = Stack(provider).up(exporting("identity", {"kind": "own", "users": ["a", "b"]})).outputs["it"]
    assert answered["kind"] == "own"
    assert sorted(answered["users"]) == ["a", "b"]
    assert answered["users"]["a"]["clientId"] != answered["users"]["b"]["clientId"]


def test_what_cannot_be_written_otherwise_is_made_up() -> None:
    """Where a text says nothing of the object that the output is, the object is made up, also inside of lists."""
    with Double(from_schema(SCHEMA)) as provider:
        stack = Stack(provider)
        assert [*stack.up(exporting("network", "net-1")).outputs["it"]] == ["clientId"]
        [pool] = stack.up(exporting("pools", [{"kind": "own", "users": ["a"]}])).outputs["it"]
        assert [*pool["users"]["a"]] == ["clientId"]


def test_an_answer_of_another_kind_is_no_change() -> None:
    """A second run and a refresh find nothing to do, and an edit is an update of what was edited."""
    with Double(from_schema(SCHEMA)) as provider:
        stack = Stack(provider)
        first = stack.up(exporting("identity", {"users": ["a"]})).outputs["it"]
        assert stack.up(exporting("identity", {"users": ["a"]})).summary == {}
        assert stack.refresh().summary == {}
        edited = stack.up(exporting("identity", {"users": ["a", "b"]}))
        assert edited.summary == {"update": 1}
        assert edited.outputs["it"]["users"]["a"] == first["users"]["a"]


def test_what_one_resource_answered_may_be_handed_to_another() -> None:
    """An object with what only the provider sets in it is no mistake of a program; such a property of a resource itself is."""
    echoed = [{"kind": "own", "users": {"a": {"clientId": "c-1"}}, "size": 3}]
    with Double(from_schema(SCHEMA)) as provider:
        stack = Stack(provider)
        assert stack.up(exporting("pools", echoed)).outputs["it"] == echoed
        assert stack.up(exporting("pools", echoed)).summary == stack.refresh().summary == {}
        with pytest.raises(ProgramError, match="'size' is computed by the provider and cannot be set"):
            stack.up(lambda: Cluster(size=3))


def test_a_preview_knows_what_can_be_known() -> None:
    """In the preview of a new object its JSON is known, and what the provider is to make up is not."""
    with Double(from_schema(SCHEMA)) as provider:
        stack = Stack(provider)
        assert stack.preview(exporting("policy", {"a": 1})).outputs == {"it": '{"a": 1}'}
        assert stack.preview(exporting("identity", {"users": ["a"]})).outputs == {"it": UNKNOWN}


def test_json_of_a_secret_is_secret() -> None:
    """A secret inside of a document makes its text secret."""
    with Double(from_schema(SCHEMA)) as provider:
        up = Stack(provider).up(exporting("policy", lambda: {"key": pulumi.Output.secret("t0p")}))
        assert up.secret_outputs == {"it"}
        assert up.outputs == {"it": '{"key": "t0p"}'}

"""Answers about all types of a large Terraform schema, kept on disk beside what was read of it."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from mockprovider import Double, ResourceType, from_terraform_schema
from mockprovider.calls import Call, Op, Reply
from mockprovider.ondemand import held
from mockprovider.schema import Package
from mockprovider.terraform.rpcs.methods import SERVICES
from mockprovider.terraform.schema.provider import provider_schema

METHODS = {5: ["GetSchema", "GetMetadata", "GetResourceIdentitySchemas"]}
METHODS[6] = ["GetProviderSchema", *METHODS[5][1:]]
ASKED = [(major, method) for major, methods in METHODS.items() for method in methods]


@pytest.fixture
def text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A schema with two types, a data source and an ephemeral resource, which counts as a large one."""
    monkeypatch.setenv("MOCKPROVIDER_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("mockprovider.terraform.schema.kept.LEAST", 0)
    block = {"attributes": {"name": {"type": "string", "optional": True}, "size": {"type": "number", "computed": True}}}
    identity = {"version": 0, "attributes": {"name": {"type": "string", "required_for_import": True}}}
    return json.dumps(
        {
            "format_version": "1.0",
            "provider_schemas": {
                "registry.terraform.io/acme/cloud": {
                    "provider": {"version": 0, "block": {"attributes": {"region": {"type": "string", "optional": True}}}},
                    "resource_schemas": {name: {"version": 1, "block": block} for name in ("cloud_a", "cloud_b")},
                    "data_source_schemas": {"cloud_zone": {"version": 0, "block": block}},
                    "ephemeral_resource_schemas": {"cloud_token": {"version": 0, "block": block}},
                    "resource_identity_schemas": {"cloud_a": identity},
                }
            },
        }
    )


def asked(package: Package, major: int, method: str) -> tuple[bytes | None, bytes]:
    """The bytes that are kept, and those of the message, each of an answer by a fake of the package."""
    row = SERVICES[major].methods[method]
    session = Double(package).open(f"tfplugin{major}")
    call, reply = Call(op=row.op, session=session, method=method), Reply()
    assert row.encoded
    return row.encoded(reply, call), row.response(reply, call).SerializeToString(deterministic=True)


@pytest.mark.parametrize(("major", "method"), ASKED)
def test_a_kept_answer_is_the_one_that_was_built(text: str, major: int, method: str) -> None:
    """Built, kept and read again, in both protocols, the bytes are those of the message."""
    built, whole = asked(from_terraform_schema(text), major, method)
    again, _ = asked(from_terraform_schema(text), major, method)
    assert built == again == whole != b""


def test_no_type_is_held_for_an_answer(text: str) -> None:
    """Neither building the answer nor reading it again leaves types in memory; a type in use is the only one that is read."""
    package = from_terraform_schema(text)
    session = Double(package).open("tfplugin6")
    row = SERVICES[6].methods["GetProviderSchema"]
    for _ in range(2):
        assert row.encoded
        assert row.encoded(Reply(), Call(op=Op.GET_SCHEMA, session=session, method=row.name))
        assert not held(package.resources)
    assert provider_schema(package, 6).resource("cloud_b").name == "cloud_b"
    assert provider_schema(package, 6).data_source("cloud_zone").name == "cloud_zone"
    assert [declared.terraform for declared in held(package.resources).values()] == ["cloud_b"]


def test_what_was_added_is_answered(text: str) -> None:
    """A type that was declared anew, by whichever way, is in the answer: that of the schema alone is not given out."""
    for way in ("add", "set"):
        package = from_terraform_schema(text)
        declared = ResourceType("cloud:index:C", {"name": str})
        package.add(declared) if way == "add" else package.resources.update({declared.token: declared})
        kept, whole = asked(package, 6, "GetProviderSchema")
        assert kept is None
        assert b"cloud_c" in whole


def test_processes_that_race_get_the_same(text: str, tmp_path: Path) -> None:
    """Many that ask at once for what is not kept all get it, and a damaged file is written anew."""
    packages = [from_terraform_schema(text) for _ in range(8)]
    with ThreadPoolExecutor(8) as pool:
        answers = {*pool.map(lambda package: asked(package, 6, "GetProviderSchema")[0], packages)}
    assert len(answers) == 1
    for file in (tmp_path / "cache").iterdir():
        file.write_bytes(file.read_bytes()[:-1])
    assert asked(from_terraform_schema(text), 6, "GetProviderSchema")[0] in answers

"""State files as a list of what exists."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mockprovider.cloud import Cloud
from mockprovider.errors import MalformedError, MockProviderError
from mockprovider.schema import Package, Property, ResourceType
from mockprovider.terraform.recorded.tfstate import adopt, load

CLOUD = Package("cloud")
CLOUD.add(ResourceType("cloud:index:Bucket", {"maxItems": Property(int), "key": Property(str, secret=True)}))
PACKAGES = {"cloud": CLOUD}
PROVIDER = 'provider["example.com/mock/cloud"]'


def state(*instances: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """A state file with one resource of these instances."""
    resource = {"mode": "managed", "type": "cloud_bucket", "name": "b", "provider": PROVIDER, "instances": list(instances)}
    return {"version": 4, "resources": [resource | fields]}


def instance(id_: str, **fields: Any) -> dict[str, Any]:
    """An instance with this id."""
    return {"schema_version": 0, "attributes": {"id": id_, "max_items": 3, "key": None}} | fields


def adopted(given: dict[str, Any]) -> list[tuple[str, str, dict[str, Any]]]:
    """What exists in a cloud that adopted this state and nothing else."""
    cloud = Cloud()
    made = adopt(load(given), PACKAGES, cloud)
    assert [(each.type, each.id) for each in cloud.objects()] == [(each.type, each.id) for each in made]
    return [(each.type, each.id, dict(each)) for each in cloud.objects()]


def test_instances_are_objects_in_our_names() -> None:
    """Each instance is an object by token and id, its attributes are properties, and a null is nothing."""
    assert adopted(state(instance("b-1"), instance("b-2", index_key=1))) == [
        ("cloud:index:Bucket", "b-1", {"maxItems": 3}),
        ("cloud:index:Bucket", "b-2", {"maxItems": 3}),
    ]


def test_what_a_state_may_leave_out() -> None:
    """A state without resources, and a resource without instances, hold nothing; objects come in the state's order."""
    assert adopted({"version": 4}) == []
    assert adopted({"version": 4, "resources": [{**state()["resources"][0], "instances": []}]}) == []
    bare = state()["resources"][0]
    del bare["instances"]
    both = [bare, *state(instance("z"), instance("a"))["resources"], *state(instance("m"), name="c")["resources"]]
    assert [id_ for _, id_, _ in adopted({"version": 4, "resources": both})] == ["z", "a", "m"]


def test_a_file_is_read(tmp_path: Path) -> None:
    """A state may be given as its file."""
    path = tmp_path / "terraform.tfstate"
    path.write_text(json.dumps(state()), encoding="utf-8")
    assert load(path) == state()


def test_a_state_is_adopted_whole_or_refused() -> None:
    """An object that exists already is named with its address, and is not overwritten."""
    cloud = Cloud()
    cloud.create("cloud:index:Bucket", "b-1", {"maxItems": 7})
    with pytest.raises(MockProviderError, match=r"'b-1' \(cloud_bucket\.b\) exists in the cloud already"):
        adopt(state(instance("b-1")), PACKAGES, cloud)
    assert cloud.objects()[0]["maxItems"] == 7


def test_deposed_instances_exist_too() -> None:
    """What a replacement could not delete yet is still there."""
    assert [id_ for _, id_, _ in adopted(state(instance("old", deposed="8f1d")))] == ["old"]


@pytest.mark.parametrize(
    "fields",
    [
        {"mode": "data"},
        {"provider": 'provider["registry.terraform.io/hashicorp/aws"]'},
        {"provider": 'provider["terraform.io/builtin/terraform"]'},
        {"provider": ""},
    ],
)
def test_what_is_not_ours_is_left_out(fields: dict[str, Any]) -> None:
    """Data sources are no objects, and those of other providers are none of ours."""
    assert adopted(state(instance("b-1"), **fields)) == []


@pytest.mark.parametrize(
    "provider", ['module.m.provider["example.com/mock/cloud"].west', 'provider["registry.terraform.io/hashicorp/cloud"]']
)
def test_aliases_modules_and_hosts_do_not_matter(provider: str) -> None:
    """A provider is known by its last name, wherever it comes from."""
    assert len(adopted(state(instance("b-1"), provider=provider))) == 1


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ([], "This list is no state file of format 4: it is no object"),
        ('{"version": 4}', r"it is text or the name of a file\. Give .* as a pathlib.Path or as the parsed JSON"),
        ({"format_version": "1.0"}, "it is what `terraform show -json` prints"),
        ({"encrypted_data": "x", "encryption_version": "v0"}, "it is encrypted, and `tofu state pull` decrypts it"),
        ({"version": 3, "deployment": {}}, "it is a stack that Pulumi exported"),
        ({}, "its version is None"),
        ({"version": 3}, "its version is 3"),
        ({"version": 4, "resources": {"a": 1}}, "'resources' has to be a list of objects"),
        ({"version": 4, "resources": [{"mode": "managed"}]}, r"resources\[0\] has no 'type'"),
        ({"version": 4, "resources": [{"type": "cloud_bucket"}]}, r"resources\[0\] has no 'mode'"),
        (state(name=None), r"resources\[0\] has no 'name'"),
        (state(provider=7), r"resources\[0\] has no 'provider'"),
        ({"version": 4, "resources": [*state()["resources"], 7]}, "'resources' has to be a list of objects"),
        ({"version": 4, "resources": [*state()["resources"], {}]}, r"resources\[1\] has no 'mode'"),
        (state(instances=["x"]), r"resources\[0\]: 'instances' has to be a list of objects"),
        (state(instance("b-1"), type="cloud_bukket"), "Did you mean 'cloud_bucket'"),
        (state(instance("b-1", attributes={"id": "b-1", "max_items": "many"})), r"^cloud_bucket\.b: .*max_items"),
        (state(instance("", index_key="k"), module="module.m"), r'^module\.m\.cloud_bucket\.b\["k"\] has no id'),
        (state({"attributes": {"max_items": 3}}), r"^cloud_bucket\.b has no id"),
        (state({}), r"^cloud_bucket\.b has no id"),
        (state(instance("", index_key=0)), r"^cloud_bucket\.b\[0\] has no id"),
        (state({"attributes": None, "deposed": "8f1d"}), r"^cloud_bucket\.b \(deposed 8f1d\) has no id"),
    ],
)
def test_what_cannot_be_read_is_told(given: Any, told: str) -> None:
    """The error names the resource, and what is wrong with it."""
    with pytest.raises(MalformedError, match=told):
        adopted(given)


def test_a_file_that_is_none_is_told(tmp_path: Path) -> None:
    """A file that is missing or no JSON is named, with how to get one."""
    path = tmp_path / "state"
    with pytest.raises(MalformedError, match=r"There is no state file at .*state pull"):
        load(path)
    path.write_text("{", encoding="utf-8")
    with pytest.raises(MalformedError, match="is no state file: it is not JSON"):
        load(path)
    with pytest.raises(
        MalformedError, match=r"cannot be read: Is a directory\. Give a file, such as the terraform.tfstate in it"
    ):
        load(tmp_path)
    path.write_text('{"version": 3}', encoding="utf-8")
    with pytest.raises(MalformedError, match=rf"{path} is no state file of format 4: its version is 3"):
        load(path)

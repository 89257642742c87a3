"""Types files made of what was declared in Python, and the way back."""

from __future__ import annotations

import json

import pytest
from types_files import BUCKET, VALIDATOR

from mockprovider import pulumi, terraform
from mockprovider import schema as words
from mockprovider.errors import DefinitionError
from mockprovider.fake.behaviours import Normalised, Pending, Quota
from mockprovider.fake.definitions import dump, load
from mockprovider.schema import Function, Kind, Property, Random, ResourceType, Template


def declared_in_python():
    """A package that uses everything that data can hold."""
    package = words.Package("cloud", "2.0.0", {"region": Property(str, default="north", secret=True)})
    package.add(
        ResourceType(
            BUCKET,
            {
                "acl": Property(str, default="private", enum=("private", "public"), description="who may read"),
                "name": Property(str, required=True, forces_new=True, terraform="label"),
                "arn": Property(str, computed="arn:{id}", optional=True),
                "rules": Property(list[dict[str, int]]),
                "rule": Property({"port": Property(int, required=True)}),
                "off": Property(bool, default=False),
                "title": Property(str, auto_name="{name}-{random:3}", max_length=20, pattern="[a-z].*"),
                "alias": Property(str, default=Template("{title}-too"), unreadable=True),
                "key": Property(str, default=Random(4, prefix="k"), min_length=1, delete_before_replace=True),
                "share": Property(float, minimum=0, maximum=1.5),
                "zones": Property(Kind("array", items=Kind("string", enum=("a", "b"))), min_items=0, max_items=2),
                "disk": Property({"size": int, "serial": Property(str, computed=True)}),
                "status": Property(str, computed=True),
            },
            id="bucket-{hash}",
            timeouts={"create": 30},
            behaviours=(Quota(3), Pending(seconds=5.0, refuses=("update",)), Normalised("name", "lower")),
            traits=[
                pulumi.ResourceTraits(diff_needs_known=True),
                terraform.ResourceTraits(version=3, identity=("id", "name"), legacy_type_system=True),
            ],
            delete_before_replace=True,
            terraform="cloud_pail",
            description="a bucket",
        ),
        Function("cloud:index:getZone", {"region": Property(str)}, {"zone": "zone-{region}", "n": 1}),
    )
    return package


def test_dump_and_load_are_inverse():
    """What is declared in Python comes back the same from the data that it is dumped to, and the data is the published kind."""
    package = declared_in_python()
    data = json.loads(json.dumps(dump([package])))
    [again] = load(data)
    old, new = package.resources[BUCKET], again.resources[BUCKET]

    VALIDATOR.validate(data)
    assert dump([again]) == data
    assert (old.timeouts, old.behaviours, [*old.traits]) == (new.timeouts, new.behaviours, [*new.traits])
    assert (old.id, old.terraform, old.attributes) == (new.id, new.terraform, new.attributes)
    for name, item in old.properties.items():
        for word in Property.__struct_fields__:
            if word not in ("type", "kind"):
                assert getattr(item, word) == getattr(new.properties[name], word), (name, word)
        assert str(item.kind) == str(new.properties[name].kind)


@pytest.mark.parametrize(
    ("definition", "message"),
    [
        (
            ResourceType(BUCKET, {"acl": Property(default=lambda _: "x")}),
            "cloud:index:Bucket: property 'acl': default is a Python function",
        ),
        (ResourceType(BUCKET, {"acl": Property(computed=lambda _: "x")}), "property 'acl': computed is a Python function"),
        (
            ResourceType(BUCKET, {"rule": Property({"a": Property(default=len)})}),
            "property 'rule': property 'a': default is a Python",
        ),
        (Function("cloud:index:f", {}, lambda _: {}), "cloud:index:f: what it returns is a Python function"),
        (
            ResourceType(BUCKET, traits=[terraform.ResourceTraits(version=1, upgrades={0: dict})]),
            "what upgrades a state is a Python function",
        ),
        (ResourceType(BUCKET, moved_from={"cloud_old": lambda old: old}), "what converts a moved object is a Python function"),
        (
            ResourceType(BUCKET, behaviours=(lambda call, proceed, _: proceed(call),)),
            "is written in Python, which a types",
        ),
        (ResourceType(BUCKET, {"acl": str}, behaviours=(Normalised("acl", str.lower),)), "is written in Python, which a types"),
        (ResourceType(BUCKET, {"acl": Property("any", default=object())}), "default: "),
    ],
)
def test_dump_refuses_python(definition, message):
    """A declaration that only Python can hold is refused, naming the property and what to use instead."""
    package = words.Package("cloud")
    package.add(definition)
    with pytest.raises(DefinitionError, match=r"cloud") as refused:
        dump([package])

    assert message in str(refused.value)

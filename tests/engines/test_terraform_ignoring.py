"""What ``ignore_changes`` leaves as it is: engines plan with it, and hand the configuration as it is written to the apply."""

from __future__ import annotations

from typing import Any

import pytest
from terraform_stage import HEAD, Stage

from mockprovider.schema import Property, ResourceType

TOKEN = "cloud:index:Bucket"


def configuration(acl: str, tags: str, ignored: str) -> str:
    """One bucket."""
    return f"""
    resource "cloud_bucket" "logs" {{
      acl  = "{acl}"
      tags = {tags}
      lifecycle {{
        ignore_changes = [{ignored}]
      }}
    }}
    """


@pytest.mark.parametrize(
    ("ignored", "tags", "left"),
    [
        ('tags["k"]', '{ z = "2", k = "2" }', {"acl": "public", "tags": {"z": "2", "k": "1"}}),
        ('tags["k"]', '{ z = "2" }', {"acl": "public", "tags": {"z": "2", "k": "1"}}),
        ('tags["new"]', '{ z = "1", k = "1", new = "1" }', {"acl": "public", "tags": {"z": "1", "k": "1"}}),
        ("tags", '{ z = "2" }', {"acl": "public", "tags": {"z": "1", "k": "1"}}),
        ("acl", '{ z = "2" }', {"acl": "private", "tags": {"z": "2"}}),
    ],
)
def test_what_is_ignored_stays(stage: Stage, ignored: str, tags: str, left: Any) -> None:
    """A key of a map, a map or a value that is ignored stays, while others change, and nobody has broken a rule."""
    stage.double.define(ResourceType(TOKEN, {"acl": Property(str), "tags": Property(dict[str, str])}))
    stage.cli.write(HEAD + configuration("private", '{ z = "1", k = "1" }', ignored))
    stage.cli.apply()
    stage.cli.write(HEAD + configuration("public", tags, ignored))
    stage.cli.apply()
    (bucket,) = stage.double.cloud.objects(TOKEN)
    assert dict(bucket) == left
    assert [str(breach) for breach in stage.double.contract.breaches] == []

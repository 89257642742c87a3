"""Starting from what people have: a terraform.tfstate of before, with its objects in a new double's cloud."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from terraform_stage import HEAD

from mockprovider.double import Double
from mockprovider.drivers.terraform import Terraform
from mockprovider.schema import Kind, Property, ResourceType

BUCKET = ResourceType(
    "cloud:index:Bucket",
    {
        "acl": Property(str, default="private"),
        "arn": Property(str, computed="arn:{id}"),
        "password": Property(str, computed=True, secret=True),
        "rules": Property(Kind("array", items=Kind("object", properties={"port": Property(int)}))),
    },
)


def configuration(acl: str) -> str:
    """One bucket by itself, and two by a key."""
    return f"""
        {HEAD}
        resource "cloud_bucket" "one" {{
          acl = "{acl}"
        }}
        resource "cloud_bucket" "many" {{
          for_each = toset(["a", "b"])
        }}
        """


def objects(double: Double) -> dict[str, dict[str, Any]]:
    """What exists, by id. Protocol 5 has no blocks and an empty list of them in one spelling, so that is left out."""
    return {each.id: {name: value for name, value in each.items() if value != []} for each in double.cloud.objects()}


def test_a_state_of_before_goes_on(binary: str, major: int, tmp_path: Path) -> None:
    """With its state and its objects taken over, nothing is to be done; drift is then seen and mended."""
    with Double(BUCKET) as before, before.serve("terraform", major=major) as serving:
        old = Terraform(tmp_path / "old", serving.environment, binary=binary)
        old.write(configuration("public"))
        old.apply()
        was = objects(before)

    with Double(BUCKET) as double, double.serve("terraform", major=major) as serving:
        cli = Terraform(tmp_path / "new", serving.environment, binary=binary)
        cli.load_state(tmp_path / "old" / "terraform.tfstate", double=double)
        assert objects(double) == was
        cli.write(configuration("public"))
        assert cli.plan().exit_code == 0

        one = cli.state()["resources"][-1]["instances"][0]["attributes"]["id"]
        double.cloud.drift(BUCKET.token, one, acl="log-delivery")
        assert cli.plan().actions["cloud_bucket.one"] == ["update"]
        refreshed = cli.refresh()
        assert refreshed.resource("cloud_bucket.one")["attributes"]["acl"] == "log-delivery"
        assert cli.apply().summary == {"change": 1}
        cli.write(configuration("private"))
        assert cli.apply().summary == {"change": 1}
        assert cli.destroy().summary == {"remove": 3}
        assert double.cloud.objects() == []
        double.raise_errors()

"""A Python program under the real pulumi against the fake, where the comparison with the embedded engine does not look: secrets
on disk, previews, half-made objects.
"""

from __future__ import annotations

from pathlib import Path

import pulumi
import pytest
from engine_toolbox import BUCKET, TYPES, Bucket

from mockprovider.double import Double
from mockprovider.drivers.pulumi import PulumiCli
from mockprovider.schema import Property, ResourceType

pytestmark = pytest.mark.pulumi_cli

HUSH = "correct horse battery staple"
USER = ResourceType("cloud:index:User", {"name": Property(str), "password": Property(str, computed=True, secret=True)})
SERVED = (*TYPES, USER)


class User(pulumi.CustomResource):
    """A user whose password the provider makes."""

    password: pulumi.Output[str]

    def __init__(self, name_: str) -> None:
        super().__init__(USER.token, name_, {"name": "ann", "password": None})


def holding(folder: Path, text: str) -> list[str]:
    """The files below ``folder`` that hold ``text``."""
    found = [path for path in folder.rglob("*") if path.is_file() and text.encode() in path.read_bytes()]
    return [path.name for path in found]


def test_secrets_of_both_sides_are_encrypted_in_state(cli: PulumiCli, double: Double) -> None:
    """What the program and what the provider call secret is nowhere in the working folder, and in the export as ciphertext."""

    def program() -> None:
        logs = Bucket("logs", token=pulumi.Output.secret(HUSH))
        pulumi.export("arn", logs.arn)
        pulumi.export("password", User("user").password)

    outputs = cli.up(program).outputs
    (user,) = double.cloud.objects(USER.token)
    assert outputs["password"] == user["password"]
    for secret in (HUSH, user["password"]):
        assert holding(cli.folder, secret) == []
        assert secret not in str(cli.export(show_secrets=False))
        assert secret in str(cli.export())
    assert cli.up(program).summary == {}


def test_up_with_a_preview_before_it(cli: PulumiCli, double: Double) -> None:
    """An up that previews asks everything twice, and the first time only in thought: one object comes of it."""

    def program() -> None:
        pulumi.export("arn", Bucket("logs", acl="x").arn)

    cli.up(program, preview=True)
    creates = [entry.call.preview for entry in double.journal.entries() if entry.call.method == "Create"]
    assert creates == [True, False]
    assert len(double.cloud.objects(BUCKET)) == 1


def test_a_half_made_object_is_mended(cli: PulumiCli, double: Double) -> None:
    """A create that fails half-way is in the state with its errors; the next up updates the object, another does nothing."""
    double.faults.on.create(BUCKET).partial(reasons=["timed out waiting"])

    def program() -> None:
        Bucket("logs", acl="x")

    cli.up(program, expect_failure=True)
    logs = cli.export()["deployment"]["resources"][-1]
    (made,) = double.cloud.objects(BUCKET)
    assert (logs["id"], logs["initErrors"]) == (made.id, ["timed out waiting"])
    assert cli.up(program).summary == {"update": 1}
    assert [each.id for each in double.cloud.objects(BUCKET)] == [made.id]
    assert cli.up(program).summary == {}
    cli.destroy()
    assert double.cloud.objects() == []

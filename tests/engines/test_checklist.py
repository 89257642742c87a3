"""What of the checklist for a fake provider needs the real ``pulumi``; the rest is in ``tests/wire/test_checklist.py``."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mockprovider.drivers.pulumi import PulumiCli
from mockprovider.pulumi.grpclog import lines
from mockprovider.schema import Property, ResourceType

pytestmark = pytest.mark.pulumi_cli

BUCKET = ResourceType(
    "cloud:index:Bucket",
    {"acl": Property(str), "name": Property(str, forces_new=True), "arn": Property(str, computed="arn:{id}")},
)
SERVED = (BUCKET,)


@pytest.fixture
def cli(double, tmp_path):
    """The real pulumi, attached to the double, with a log of its calls in ``grpc.log``."""
    served = double.serve()
    return PulumiCli(tmp_path, lambda: {**served.environment, "PULUMI_DEBUG_GRPC": str(tmp_path / "grpc.log")})


def program(**properties: str) -> dict[str, Any]:
    """A YAML program of one bucket."""
    return {"resources": {"logs": {"type": BUCKET.token, "properties": properties}}}


def test_item_4_previews_invent_nothing(cli, double):
    """Item 4, previews: nothing is made, the id is empty, and what only a create can tell is unknown to the engine."""
    cli.preview(program(acl="x"))
    [entry] = double.journal.entries(op="create")

    assert (entry.call.preview, entry.reply.id, double.cloud.objects()) == (True, "", [])
    assert "04da6b54-80e4-46f7-96ec-b56ff0331ba9" in (cli.folder / "grpc.log").read_text()


def test_item_5_instances_by_id(cli, double):
    """Item 5, instances by id: both objects of a replacement have one URN, and the old one is deleted by its id alone."""
    cli.up(program(name="a"))
    old = double.cloud.objects(BUCKET.token)[0].id
    cli.up(program(name="b"))
    [kept] = double.cloud.objects(BUCKET.token)

    assert kept.id != old
    assert [each.call.id for each in double.journal.entries(op="delete")] == [old]
    assert len({each.call.urn for each in double.journal.entries(name="logs")}) == 1
    assert len({each.call.session.number for each in double.journal}) > 1, "each provider instance has a session of its own"


def test_item_9_the_engines_own_log(cli, double):
    """Item 9, the log: a journal's export has the lines that the engine itself wrote of the same calls, errors included."""
    cli.up(program(acl="x"), preview=True)
    double.faults.on.update(BUCKET.token).partial(reasons=["it hangs"])
    cli.up(program(acl="y"), expect_failure=True)
    cli.destroy()

    def comparable(found):
        return sorted(json.dumps(each, sort_keys=True) for each in found)

    theirs = [json.loads(each) for each in (cli.folder / "grpc.log").read_text().splitlines()]
    theirs = [each for each in theirs if each["method"].startswith("/pulumirpc.ResourceProvider/")]
    ours = [json.loads(each) for each in lines(double.journal.entries(side="engine"), "cloud")]
    for each in theirs:
        # A journal keeps no times.
        each.pop("timestamp")
        each.pop("duration", None)
    for each in (*ours, *theirs):
        # An engine logs only the fields that it knows, and not every one that builds here knows this.
        each.get("response", {}).pop("acceptsByteString", None)

    assert [each["errors"] for each in ours if "errors" in each] == [["rpc error: code = Unknown desc = it hangs"]]
    assert comparable(ours) == comparable(theirs)

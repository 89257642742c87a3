"""A YAML program under the real pulumi against the fake: its whole life, its secrets, and a create that is half done."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
from engine_toolbox import BUCKET, TYPES, calls

from mockprovider.double import Double
from mockprovider.drivers.pulumi import PulumiCli

pytestmark = pytest.mark.pulumi_cli

SERVED = TYPES
HUSH = "correct horse battery staple"


def buckets(*, outputs: Mapping[str, Any] | None = None, **logs: Any) -> dict[str, Any]:
    """A YAML program of two buckets, the second of which is about the first."""
    return {
        "resources": {
            "logs": {"type": BUCKET, "properties": logs},
            "more": {"type": BUCKET, "properties": {"source": "${logs.arn}"}},
        },
        "outputs": {"arn": "${logs.arn}", **(outputs or {})},
    }


def test_a_yaml_programs_life(cli: PulumiCli, double: Double) -> None:
    """Preview, up, up again, update, replace, refresh with drift and with a vanished object, destroy: the cloud follows."""
    wanted = buckets(acl="x", name="a")
    cli.preview(wanted)
    assert (double.cloud.objects(), calls(double, "logs")) == ([], ["check", "create"])

    up = cli.up(wanted)
    assert up.summary == {"create": 2}
    logs = next(each for each in double.cloud.objects(BUCKET) if each.get("name") == "a")
    assert up.outputs == {"arn": f"arn:cloud:::{logs.id}"}
    assert calls(double, "logs") == ["check", "create"]

    assert cli.up(wanted).summary == {}
    assert calls(double, "logs") == ["check", "diff"]

    assert cli.up(buckets(acl="y", name="a")).summary == {"update": 1}
    assert [each["acl"] for each in double.cloud.objects(BUCKET) if each.id == logs.id] == ["y"]
    assert calls(double, "logs") == ["check", "diff", "update"]

    replaced = cli.up(buckets(acl="y", name="b"))
    assert replaced.summary["replace"] == 1
    assert calls(double, "logs") == ["check", "diff", "check", "create", "delete"]
    assert logs.id not in {each.id for each in double.cloud.objects(BUCKET)}

    for each in double.cloud.objects(BUCKET):
        if each.get("name"):
            double.cloud.drift(BUCKET, each.id, acl="drifted")
        else:
            double.cloud.vanish(BUCKET, each.id)
    assert cli.refresh(wanted).succeeded
    remembered = {each["urn"].rpartition("::")[2]: each for each in cli.export()["deployment"]["resources"]}
    assert remembered["logs"]["outputs"]["acl"] == "drifted"
    assert "more" not in remembered

    assert cli.up(buckets(acl="y", name="b")).summary == {"update": 1, "create": 1}
    cli.destroy()
    assert double.cloud.objects() == []
    assert not cli.export()["deployment"].get("resources")


def test_an_export_is_what_the_cli_prints(cli: PulumiCli, double: Double) -> None:
    """New, in use, after a failed create, after a killed run, and empty again: an export is what ``stack export`` prints."""

    def compare() -> None:
        printed = [json.loads(cli.command("stack", "export", *shown).stdout) for shown in ((), ("--show-secrets",))]
        assert printed == [cli.export(show_secrets=False), cli.export()]

    compare()
    cli.up(buckets(acl="<x> & y"))
    compare()
    double.faults.on.create().partial(reasons=["timed out waiting"])
    cli.up(buckets(acl="x", name="a"), expect_failure=True)
    compare()
    double.faults.on.create().kill_engine().at("after")
    cli.up(buckets(acl="x", name="b"), expect_failure=True)
    assert cli.export()["deployment"]["pending_operations"]
    compare()
    cli.command("cancel", "--yes")
    cli.destroy()
    compare()


def test_secrets_are_encrypted_in_state(cli: PulumiCli, double: Double) -> None:
    """A secret reaches the provider in plain text, and the state only as ciphertext: neither export nor backend have more."""
    wanted = buckets(token={"fn::secret": HUSH}, outputs={"token": "${logs.token}"})
    assert cli.up(wanted).outputs["token"] == HUSH
    assert HUSH in [each.get("token") for each in double.cloud.objects(BUCKET)]

    hidden, shown = cli.export(show_secrets=False), cli.export()
    assert HUSH not in str(hidden)
    assert HUSH in str(shown)
    logs = next(each for each in hidden["deployment"]["resources"] if each["urn"].endswith("::logs"))
    for bag in ("inputs", "outputs"):
        assert logs[bag]["token"]["ciphertext"].startswith("v1:")
        assert "plaintext" not in logs[bag]["token"]
    for place in ("backend", "home"):
        assert not [path for path in (cli.folder / place).rglob("*") if path.is_file() and HUSH.encode() in path.read_bytes()]


def test_a_preview_changes_nothing_and_tells_what_would_be(cli: PulumiCli, double: Double) -> None:
    """A preview tells creates, updates and replaces apart, and leaves cloud and state as they were."""
    assert cli.preview(buckets(acl="x", name="a")).summary == {"create": 2}
    cli.up(buckets(acl="x", name="a"))
    before = cli.export()["deployment"]["resources"], [dict(each) for each in double.cloud.objects()]
    assert cli.preview(buckets(acl="y", name="a")).summary == {"update": 1}
    assert cli.preview(buckets(acl="x", name="b")).summary["replace"] == 1
    assert (cli.export()["deployment"]["resources"], [dict(each) for each in double.cloud.objects()]) == before


def test_a_half_made_object_is_mended(cli: PulumiCli, double: Double) -> None:
    """A create that fails half-way leaves the object and its errors in the state; the next up updates it, and all is well."""
    double.faults.on.create(BUCKET).partial(reasons=["timed out waiting"])
    failed = cli.up(buckets(acl="x"), expect_failure=True)
    assert any("timed out waiting" in diagnostic.message for diagnostic in failed.diagnostics)
    logs = next(each for each in cli.export()["deployment"]["resources"] if each["urn"].endswith("::logs"))
    (made,) = double.cloud.objects(BUCKET)
    assert (logs["id"], logs["initErrors"]) == (made.id, ["timed out waiting"])

    assert cli.up(buckets(acl="x")).summary == {"update": 1, "create": 1}
    mended = next(each for each in cli.export()["deployment"]["resources"] if each["urn"].endswith("::logs"))
    assert (mended["id"], mended.get("initErrors")) == (made.id, None)
    assert len(double.cloud.objects(BUCKET)) == 2

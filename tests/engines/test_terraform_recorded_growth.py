"""Recorded and replayed: what outlives a run. New versions of a schema, renewals, imports by identity, and other types."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest
from kept_terraform import module_state, planned_and_applied
from terraform_stage import HEAD, THING, Seen, lived, methods

from mockprovider import tape
from mockprovider.calls import Call, Handler, Layer, Op, Reply
from mockprovider.cloud import Cloud
from mockprovider.double import Double, Wiring, recording, replaying
from mockprovider.drivers.terraform import Terraform
from mockprovider.errors import AmbiguousError
from mockprovider.offers import Ephemeral
from mockprovider.protocols import of_family
from mockprovider.schema import Property, ResourceType
from mockprovider.terraform import ResourceTraits

# A disk that had a label and now has a name, and whose size was a text.
OLD = ResourceType("cloud:index:Disk", {"label": Property(str), "size": Property(str), "made": Property(str, computed=True)})
NEW = ResourceType(
    OLD.token,
    {"name": Property(str), "size": Property(int), "made": Property(str, computed=True), "speed": Property(int, default=1)},
    traits=[
        ResourceTraits(
            version=2,
            upgrades={
                0: lambda old: {**old, "name": old.pop("label")},
                1: lambda old: {**old, "size": int(old["size"]), "speed": 1},
            },
        )
    ],
)
VOLUME = ResourceType(
    "cloud:index:Volume",
    {"title": Property(str), "made": Property(str, computed=True)},
    traits=[ResourceTraits(version=1)],
    moved_from={"mock/cloud/cloud_disk": lambda old: {"id": old["id"], "title": f"the {old['label']}", "made": old["made"]}},
)


def recorded(path: Path, major: int, *types: Any, layers: tuple[Layer, ...] = (), cloud: Cloud | None = None) -> Double:
    """A fake of these types that is recorded."""
    return Double(
        *types, provider=recording(path, Wiring("cloud", protocol=of_family("terraform", major))), layers=layers, cloud=cloud
    )


def replayed(path: Path, *layers: Layer) -> Double:
    """The recording alone."""
    return Double(provider=replaying(path), layers=layers)


def step(cli: Terraform, configuration: str) -> Seen:
    """One change: its plan, the state that it leads to, and nothing to do after it."""
    cli.write(HEAD + configuration)
    seen = planned_and_applied(cli)
    assert cli.plan().exit_code == 0
    return seen


# Versions --------------------------------------------------------------------------------------------------------------


def before(cli: Terraform) -> Seen:
    """Under the old version of the provider: two disks are made."""
    return step(cli, 'resource "cloud_disk" "d" {\n  count = 2\n  label = "disk ${count.index}"\n  size  = "5"\n}\n')


def after(cli: Terraform) -> Seen:
    """Under the new one: their states are upgraded, one of them is changed, both are destroyed."""
    disks = 'resource "cloud_disk" "d" {\n  count = 2\n  name  = "disk ${count.index}"\n  size  = 5 + SIZE * count.index\n}\n'
    seen = [*step(cli, disks.replace("SIZE", "0")), *step(cli, disks.replace("SIZE", "1"))]
    return [*seen, module_state(cli.destroy().state)]


def grow(cloud: Cloud) -> None:
    """What exists, in the words of the new version."""
    for each in cloud.objects(OLD.token):
        cloud.update(OLD.token, each.id, {"name": each["label"], "size": int(each["size"]), "speed": 1})


def test_a_state_is_upgraded_by_the_next_version_of_a_provider(binary: str, major: int, tmp_path: Path) -> None:
    """Two versions of a provider, each on its own cassette, replay in turn: what one left in the state, the other upgrades."""
    old, new, cloud = tmp_path / "old.json", tmp_path / "new.json", Cloud()
    live = lived(binary, recorded(old, major, OLD, cloud=cloud), tmp_path / "live", before)
    grow(cloud)
    live += lived(binary, recorded(new, major, NEW, cloud=cloud), tmp_path / "live", after)
    assert [live[number]["resources"][0]["instances"][0]["schema_version"] for number in (1, 3)] == [0, 2]
    assert "UpgradeResourceState" in methods(new)
    again = lived(binary, replayed(old), tmp_path / "again", before)
    assert again + lived(binary, replayed(new), tmp_path / "again", after) == live


def test_one_recording_of_two_versions_is_refused(binary: str, major: int, tmp_path: Path) -> None:
    """Nothing tells an engine's questions about one schema from those about the next, so neither is guessed."""
    path = tmp_path / "both.json"
    double = recorded(path, major, OLD)

    def replaced(_: Terraform) -> Seen:
        double.define(NEW)
        grow(double.cloud)
        return []

    lived(binary, double, tmp_path / "live", before, replaced, after)
    with replayed(path) as again:
        serving = again.serve("terraform")
        cli = Terraform(tmp_path / "again", lambda: serving.environment, binary=binary)
        cli.write(HEAD + 'resource "cloud_disk" "d" {\n}\n')
        refused = cli.plan(expect_failure=True)
        assert "that cannot be told apart" in refused.output
        with pytest.raises(AmbiguousError, match=r"resource_schemas\.cloud_disk"):
            again.raise_errors()


# Renewals --------------------------------------------------------------------------------------------------------------

TOKEN = Ephemeral("cloud:index:Token", {"user": Property(str, required=True)}, {"secret": "s-{user}"}, renew_after=0.01)
OPEN = """
ephemeral "cloud_token" "t" {
  user = "me"
}
resource "cloud_thing" "a" {
  name   = "one"
  hidden = ephemeral.cloud_token.t.secret
}
"""


class UntilRenewed:
    """A layer that keeps each plan waiting until what was opened last has been renewed so many times."""

    def __init__(self, times: int) -> None:
        self._times = times
        self._renewals = threading.Semaphore(0)

    def __call__(self, call: Call, proceed: Handler) -> Reply:
        if call.op is Op.OPEN:
            self._renewals = threading.Semaphore(0)
        if call.op is Op.PLAN:
            for _ in range(self._times):
                assert self._renewals.acquire(timeout=60)
        reply = proceed(call)
        if call.op is Op.RENEW:
            self._renewals.release()
        return reply


def tokens(cli: Terraform) -> Seen:
    """A thing that is made while a token is open."""
    return step(cli, OPEN)


def test_an_ephemeral_resource_is_renewed_on_replay(binary: str, major: int, tmp_path: Path) -> None:
    """What was renewed in mid-run while it was recorded is renewed on replay, as often as it takes and as long after."""
    path = tmp_path / "renewed.json"
    live = lived(binary, recorded(path, major, THING, TOKEN, layers=(UntilRenewed(3),)), tmp_path / "live", tokens)
    assert methods(path).count("RenewEphemeralResource") >= 3
    assert lived(binary, replayed(path, UntilRenewed(5)), tmp_path / "slow", tokens) == live
    assert lived(binary, replayed(path), tmp_path / "fast", tokens) == live


def test_what_is_due_later_than_a_replay_lasts_is_not_renewed(binary: str, major: int, tmp_path: Path) -> None:
    """Times of renewal are kept as how long after: an old recording is not overdue, however late it is replayed."""
    path = tmp_path / "later.json"
    lasting = Ephemeral(TOKEN.token, TOKEN.inputs, TOKEN.returns, renew_after=3600)
    live = lived(binary, recorded(path, major, THING, lasting), tmp_path / "live", tokens)
    opened = [each for each in tape.load(path).interactions if each.method == "OpenEphemeralResource"]
    assert all(3500 < each.response["renew_at"]["after_seconds"] <= 3600 for each in opened)
    again = replayed(path)
    assert lived(binary, again, tmp_path / "again", tokens) == live
    assert again.journal.ops(type=TOKEN.token).count("renew") == 0


# Imports by identity ---------------------------------------------------------------------------------------------------

NAMED = ResourceType(THING.token, THING.properties, traits=[ResourceTraits(identity=("name",))])
IMPORT = 'import {\n  to = cloud_thing.a\n  identity = { name = "one" }\n}\n'


def imported(cli: Terraform) -> Seen:
    """A thing is made, forgotten, imported by what it is known by, changed and destroyed."""
    thing = 'resource "cloud_thing" "a" {\n  name = "one"\n  tags = { a = "TAG" }\n}\n'
    seen = step(cli, thing.replace("TAG", "b"))
    cli.command("state", "rm", "cloud_thing.a")
    seen += step(cli, thing.replace("TAG", "b") + IMPORT)
    return [*seen, *step(cli, thing.replace("TAG", "c")), module_state(cli.destroy().state)]


@pytest.mark.tofu_cli
def test_an_import_by_identity_is_recorded_and_replayed(major: int, tmp_path: Path) -> None:
    """What an import block calls by its identity, not by its id, is found in the recording (terraform 1.11 has no such)."""
    path = tmp_path / "identity.json"
    live = lived("tofu", recorded(path, major, NAMED), tmp_path / "live", imported)
    assert {"GetResourceIdentitySchemas", "ImportResourceState"} <= set(methods(path))
    assert live[3]["resources"][0]["instances"][0]["identity"] == {"name": "one"}
    assert lived("tofu", replayed(path), tmp_path / "again", imported) == live


# Moves -----------------------------------------------------------------------------------------------------------------


def moved(cli: Terraform) -> Seen:
    """Two disks, of which one becomes a volume with converted attributes; it is changed, and all is destroyed."""
    disk = 'resource "cloud_disk" "NAME" {\n  label = "NAME"\n  size = "5"\n}\n'
    volume = 'resource "cloud_volume" "v" {\n  title = "TITLE"\n}\nmoved {\n  from = cloud_disk.b\n  to = cloud_volume.v\n}\n'
    seen = step(cli, disk.replace("NAME", "a") + disk.replace("NAME", "b"))
    for title in ("the b", "the volume"):
        seen += step(cli, disk.replace("NAME", "a") + volume.replace("TITLE", title))
    return [*seen, module_state(cli.destroy().state)]


def test_a_move_that_converts_is_recorded_and_replayed(binary: str, major: int, tmp_path: Path) -> None:
    """An object under another type, with other attributes of another schema version, is the same object on replay."""
    path = tmp_path / "moved.json"
    live = lived(binary, recorded(path, major, OLD, VOLUME), tmp_path / "live", moved)
    assert "MoveResourceState" in methods(path)
    (taken,) = [each["instances"][0] for each in live[3]["resources"] if each["type"] == "cloud_volume"]
    assert (taken["schema_version"], taken["attributes"]["title"]) == (1, "the b")
    assert lived(binary, replayed(path), tmp_path / "again", moved) == live

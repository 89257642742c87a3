"""The embedded engine against the real CLI: resource views, which providers publish during their calls."""

from __future__ import annotations

from typing import Any

import pytest
from engine_toolbox import Thing
from pulumi import ResourceOptions

from mockprovider.calls import Call, Native, Op
from mockprovider.engine import Import
from mockprovider.fake.views import View
from mockprovider.pulumi import ResourceTraits
from mockprovider.pulumi.sdk import resource_status_pb2
from mockprovider.schema import Package, Property, ResourceType

pytestmark = pytest.mark.pulumi_cli

SERVER = "cloud:index:Server"


def servers() -> Package:
    """A package whose servers show a disk and a part of it."""
    views = (
        View("cloud:index:Disk", "{name}-disk", {"size": "{size}", "key": "{key}"}, {"of": "{arn}"}),
        View("cloud:index:Part", "{name}-part", parent="cloud:index:Disk"),
    )
    properties = {
        "size": Property(str),
        "zone": Property(str, forces_new=True),
        "key": Property(str, secret=True, default="k"),
        "arn": Property(str, computed="arn:{id}"),
    }
    package = Package("cloud")
    package.add(ResourceType(SERVER, properties, traits=[ResourceTraits(views=views)]))
    return package


@pytest.fixture
def viewed(make_both):
    """Both engines with servers."""
    return make_both(package=servers)


def views(exported: Any) -> list[str]:
    """The names of the views in a state."""
    return [each["urn"].rpartition("::")[2] for each in exported["deployment"]["resources"] if each.get("viewOf")]


def test_views_of_a_stack_s_life(viewed):
    """Views are made, kept, changed and deleted with their owner, in steps of their own; previews show them."""
    wanted: dict[str, Any] = {"size": "s", "key": "k"}

    def program():
        Thing(SERVER, "web", **wanted)

    viewed.run("preview", program)
    viewed.run("up", program)
    assert views(viewed.stack.export()) == ["web-disk", "web-part"]
    viewed.run("up", program)
    wanted["size"] = "m"
    viewed.run("up", program)
    viewed.run("destroy", preview=True)
    viewed.run("destroy")


def test_views_of_a_destroy_that_runs_the_program(viewed):
    """Nothing is said of views there until their owner is deleted; what is excluded keeps its views."""

    def program():
        for name in ("web", "db"):
            Thing(SERVER, name, size="s")

    viewed.run("up", program)
    viewed.run("destroy", program, run_program=True, preview=True)
    viewed.run("destroy", program, run_program=True, exclude=["db"])
    assert views(viewed.stack.export()) == ["db-disk", "db-part"]
    viewed.run("destroy", program, run_program=True)


def test_what_is_said_of_views(viewed):
    """What is wrong with published steps is told to the provider, and what failed of them to the user, in the same words."""
    told: list[str] = []

    def publishing(call, proceed):
        reply = proceed(call)
        state = resource_status_pb2.ViewStepState(type="cloud:index:Disk", name="broken")
        token = call.extra["resource_status_token"]
        failing = resource_status_pb2.ViewStep(op="CREATE", new=state, error="the disk is broken")
        for where, step in (
            ("other", failing),
            (token, resource_status_pb2.ViewStep(op="UNSPECIFIED", new=state)),
            (token, failing),
        ):
            request = resource_status_pb2.PublishViewStepsRequest(token=where, steps=[step])
            native = Native(request.SerializeToString(), request)
            answer = call.monitor(Call(op=Op.VIEWS, session=call.session, method="PublishViewSteps", native=native))
            told.append(answer.status.message if answer.status else "")
        return reply

    for breaking in viewed.breaking:
        breaking.replace(Op.CREATE, "web", publishing)
    viewed.run("up", lambda: Thing(SERVER, "web", size="s"), fails=True)
    assert told[: len(told) // 2] == told[len(told) // 2 :]
    assert all("the disk is broken" in said for said in viewed.said())


def test_views_in_a_refresh(viewed):
    """A refresh sees the views of what has changed and of what has gone."""
    viewed.run("up", lambda: [Thing(SERVER, name, size="s") for name in ("web", "db")])
    viewed.run("refresh")
    viewed.drift(SERVER, size="l")
    viewed.run("refresh")
    for double, result in zip(viewed.doubles, viewed.results, strict=True):
        double.cloud.vanish(SERVER, result.state["web"].id)
    viewed.run("refresh")


def test_views_of_what_is_deleted_before_its_replacement(viewed):
    """The old views go with the old object, and the new object has new ones."""
    zone = ["a"]

    def program():
        Thing(SERVER, "web", ResourceOptions(delete_before_replace=True), size="s", zone=zone[0])

    viewed.run("up", program)
    zone[0] = "b"
    viewed.run("preview", program)
    viewed.run("up", program)


def test_views_of_what_is_removed(viewed):
    """What leaves the program takes its views along; what stays keeps them, targets or not."""
    viewed.run("up", lambda: [Thing(SERVER, name, size="s") for name in ("web", "db")])
    viewed.run("up", lambda: [Thing(SERVER, name, size="m") for name in ("web", "db")], target=["web"])
    viewed.run("up", lambda: Thing(SERVER, "web", size="m"))
    assert views(viewed.stack.export()) == ["web-disk", "web-part"]


def test_views_of_what_is_imported(viewed):
    """The option ``import`` brings the views of what it finds."""
    viewed.create(SERVER, "there", size="s", key="k", arn="arn:there")
    viewed.run("up", lambda: Thing(SERVER, "web", ResourceOptions(import_="there"), size="s"))


def test_views_after_a_failed_update(viewed):
    """An update that fails leaves the views as they were, and the next one changes them."""
    viewed.run("up", lambda: Thing(SERVER, "web", size="s"))
    viewed.fail(Op.UPDATE, "web")
    viewed.run("up", lambda: Thing(SERVER, "web", size="m"), fails=True)
    viewed.run("up", lambda: Thing(SERVER, "web", size="m"))


def test_an_adopted_stack_with_views(viewed):
    """Views of an imported state stay with their owner."""
    viewed.stack.up(lambda: Thing(SERVER, "web", size="s"))
    viewed.hand_over()
    viewed.run("up", lambda: Thing(SERVER, "web", size="s"))
    assert views(viewed.cli.export()) == ["web-disk", "web-part"]


def test_a_refresh_that_runs_the_program_reads_views_with_their_owners(viewed):
    """Once each, whether the program still has the owner or not, and also where the owner has drifted."""
    names = ["web"]

    def program():
        for name in names:
            Thing(SERVER, name, size="s", zone="1", key="k")

    viewed.run("up", program)
    viewed.run("refresh", program, run_program=True)
    viewed.drift(SERVER, size="x")
    viewed.run("refresh", program, run_program=True)
    names.clear()
    viewed.run("refresh", program, run_program=True)


def test_the_command_import_tells_nothing_of_views(viewed):
    """No step is one of a view, under either engine."""
    viewed.create(SERVER, "kept", size="s", zone="1", key="k", arn="a")
    viewed.run("import_resources", imports=[Import(type=SERVER, name="web", id="kept", protect=False)])
    assert not [urn for _, urn in viewed.results[0].steps if "Disk" in urn or "Part" in urn]

"""The embedded engine against the real CLI: one program, one provider each, the same calls per resource, the same state."""

from __future__ import annotations

from typing import Any

import pulumi
import pytest
from both_engines import resources
from engine_toolbox import BUCKET, NET, Bucket, Cloud, Component, Existing, Thing, with_options
from pulumi import ResourceOptions

from mockprovider.calls import Op
from mockprovider.errors import ProgramError
from mockprovider.pulumi import ResourceTraits
from mockprovider.schema import Property, ResourceType

pytestmark = pytest.mark.pulumi_cli


def test_a_stack_s_life(both):
    """Preview, up, up again, update, replace, refresh with drift and with a vanished object, destroy."""
    wanted = {"acl": "x", "name": "a"}

    def program():
        logs = Bucket("logs", **wanted)
        Bucket("more", source=logs.arn, token=pulumi.Output.secret("hush"), file=pulumi.StringAsset("text"))
        pulumi.export("arn", logs.arn)
        pulumi.export("secret", pulumi.Output.secret({"a": [1, None, True]}))

    assert both.run("preview", program)["logs"] == ["Check", "Create"]
    assert both.run("up", program)["logs"] == ["Check", "Create"]
    assert both.run("up", program)["logs"] == ["Check", "Diff"]
    wanted["acl"] = "y"
    assert both.run("up", program)["logs"] == ["Check", "Diff", "Update"]
    wanted["name"] = "b"
    assert both.run("up", program)["logs"] == ["Check", "Diff", "Check", "Create", "Delete"]
    for double in both.doubles:
        first, second = double.cloud.objects(BUCKET)
        double.cloud.drift(BUCKET, first.id, acl="drifted")
        double.cloud.vanish(BUCKET, second.id)
    assert both.run("refresh")["more"] in (["Read"], ["Read", "Diff"])
    both.run("up", program)
    assert both.run("destroy")["logs"] == ["Delete"]


def test_delete_before_replace(both):
    """Dependents are asked, deleted before and created after; a run that was cut in two is resumed."""
    wanted = {"cidr": "a"}

    def program():
        net = Thing(NET, "net", **wanted)
        peer = Thing(NET, "peer", cidr="x", peer=net.id)
        Thing(NET, "labelled", cidr="x", label=net.id)
        Bucket("named", name=peer.id)

    both.run("up", program)
    wanted["cidr"] = "b"
    both.run("preview", program)
    assert both.run("up", program)["peer"] == ["Diff", "Delete", "Check", "Create"]
    wanted["cidr"] = "c"
    both.fail(Op.CREATE, "net")
    both.run("up", program, fails=True)
    both.run("refresh")
    both.run("up", program)
    wanted["cidr"] = "d"
    both.fail(Op.CREATE, "named")
    both.run("up", program, fails=True)
    both.run("up", program)
    both.run("destroy")


def test_providers(make_both):
    """Default and explicit providers: configuration, update, replacement, versions, and one that nobody uses any more."""
    both = make_both(cloud__region="eu")
    wanted = {"region": "eu", "tag": "1"}
    version: list[str | None] = [None]

    def program():
        provider = Cloud("p", ResourceOptions(version=version[0]), **wanted)
        Bucket("b", ResourceOptions(provider=provider), acl="x")
        Bucket("d", acl="y")

    both.run("up", program)
    wanted["tag"] = "2"
    both.run("up", program)
    wanted["region"] = "us"
    both.run("preview", program)
    assert both.run("up", program)["b"] == ["Check", "Check", "Create", "Delete"]
    version[0] = "1.2.3"
    both.run("up", program)
    both.run("up", program)
    both.run("up", lambda: pulumi.export("n", 1))
    both.run("destroy")


def test_unknown_configuration(both):
    """A provider whose configuration comes from a resource is not configured in a preview."""

    def program():
        first = Bucket("first", acl="x")
        Bucket("second", ResourceOptions(provider=Cloud("p", tag=first.arn)), acl="x")

    assert both.run("preview", program)["p"] == ["CheckConfig"]
    both.run("up", program)
    both.run("preview", program)


def test_a_diff_that_needs_to_know(both):
    """A type whose Diff refuses unknowns fails the preview of what makes one, and not the up, where all is known."""
    picky = ResourceType("cloud:index:Picky", {"of": Property(str)}, traits=[ResourceTraits(diff_needs_known=True)])
    for double in both.doubles:
        double.define(picky)
    wanted = {"name": "a"}

    def program():
        Thing(picky.token, "picky", of=Bucket("logs", **wanted).arn)

    both.run("preview", program)
    both.run("up", program)
    wanted["name"] = "b"
    assert both.run("preview", program, fails=True)["picky"] == ["Check", "Diff"]
    assert both.run("up", program)["picky"] == ["Check", "Diff", "Update"]


def test_get_resource(both):
    """The built-in ``getResource`` tells what the engine knows of a resource of the run; in a preview its id is empty."""

    def program():
        logs = Bucket("logs", acl="x")
        found = logs.urn.apply(lambda urn: pulumi.runtime.invoke("pulumi:pulumi:getResource", {"urn": urn}).value)
        pulumi.export("id", found.apply(lambda known: known["id"]))
        pulumi.export("acl", found.apply(lambda known: known["state"]["acl"]))

    both.run("preview", program)
    both.run("up", program)
    assert both.stack.outputs["acl"] == "x"
    assert both.stack.outputs["id"] == both.doubles[0].cloud.objects(BUCKET)[0].id
    both.run("up", program)


def test_references_to_resources(both):
    """A resource as a property's value: the provider is told its name and type, and the state keeps only URN and id."""

    def program(acl):
        logs = Bucket("logs", acl=acl)
        Thing("cloud:other:Kind", "free", of=logs, inside=[{"it": logs}], also=pulumi.Output.secret(logs))

    both.run("preview", lambda: program("x"))
    assert both.run("up", lambda: program("x"))["free"] == ["Check", "Create"]
    assert both.run("up", lambda: program("y"))["free"] == ["Check", "Diff"]
    both.run("refresh")
    both.run("destroy")


def test_options(both):
    """Options that change what is asked of the provider, or what is remembered."""
    wanted = {"acl": "1", "name": "1"}

    def program():
        component, owner = with_options(wanted)
        Bucket("after", ResourceOptions(depends_on=[component]), acl="x")
        Thing(NET, "creating", ResourceOptions(delete_before_replace=False), cidr=wanted["name"])
        Bucket("following", ResourceOptions(replace_with=[owner]), acl="x")
        Bucket("triggered", ResourceOptions(replacement_trigger=wanted["acl"]), acl="x")

    both.run("up", program)
    wanted.update(acl="2", name="2")
    both.run("preview", program)
    both.run("up", program)
    both.run("refresh")
    both.run("destroy")


def test_aliases(both):
    """Renamed and reparented resources keep their objects, and what refers to them follows."""

    def first():
        Bucket("old", acl="x")
        Bucket("c-kid", ResourceOptions(parent=Component("c")), acl="x")

    def second():
        Bucket("new", ResourceOptions(aliases=[pulumi.Alias(name="old")]), acl="x")
        Bucket("d-kid", ResourceOptions(parent=Component("d", ResourceOptions(aliases=[pulumi.Alias(name="c")]))), acl="x")

    both.run("up", first)
    both.run("up", second)
    both.run("destroy")


def test_reading_and_importing(both):
    """``get``, taking over, giving up, ``import`` with and without differences."""
    for double in both.doubles:
        for id_ in ("one", "two"):
            double.cloud.create(BUCKET, id_, {"acl": "x", "arn": f"arn:{id_}"})
    wanted: dict[str, Any] = {"acl": "x", "reading": True}

    def program():
        if wanted["reading"]:
            Existing("g", "one")
        else:
            Bucket("g", acl="z")
        Bucket("i", ResourceOptions(import_="two"), acl=wanted["acl"])

    both.run("preview", program)
    both.run("up", program)
    both.run("up", program)
    both.run("refresh")
    wanted.update(acl="y", reading=False)
    both.run("up", program)
    wanted["reading"] = True
    both.run("up", program)
    both.run("destroy")


def test_failures(both):
    """Partial creates and updates, failed creates, updates and deletes, and the runs that mend them."""
    wanted = {"acl": "1", "name": "a"}

    def program():
        bucket = Bucket("b", **wanted)
        Bucket("c", source=bucket.arn)
        pulumi.export("arn", bucket.arn)

    for double in both.doubles:
        double.faults.on.create(BUCKET).partial(reasons=["slow"])
    both.run("up", program, fails=True)
    assert both.run("up", program)["b"] == ["Check", "Diff", "Update"]
    for double in both.doubles:
        double.faults.on.update(BUCKET).partial(reasons=["slow"])
    wanted["acl"] = "2"
    both.run("up", program, fails=True)
    both.run("up", program)
    wanted["acl"] = "3"
    both.fail(Op.UPDATE, "b")
    both.run("up", program, fails=True)
    wanted["name"] = "b"
    both.fail(Op.DELETE, "b")
    both.run("up", program, fails=True)
    both.run("up", program)
    both.fail(Op.DELETE, "c")
    both.run("destroy", fails=True)
    both.run("destroy")


def test_functions(both):
    """Functions are called alike."""

    def program():
        zone = pulumi.runtime.invoke("cloud:index:getZone", {"region": "eu"}).value
        Bucket("b", acl=zone["zone"])

    both.run("preview", program)
    both.run("up", program)


def test_assets_and_archives(both, tmp_path):
    """Assets and archives, from texts, files and each other, are sent, hashed and remembered alike."""
    file, folder = tmp_path / "file.txt", tmp_path / "folder"
    folder.mkdir()
    file.write_text("1")
    (folder / "inner.txt").write_text("inner")

    def program():
        archive = pulumi.AssetArchive({"a.txt": pulumi.FileAsset(str(file)), "sub": pulumi.FileArchive(str(folder))})
        Bucket("text", file=pulumi.StringAsset("text"))
        Bucket("file", file=pulumi.FileAsset(str(file)))
        Bucket("archive", file=archive)
        Bucket("folder", file=pulumi.FileArchive(str(folder)))

    both.run("preview", program)
    both.run("up", program)
    assert both.run("up", program)["file"] == ["Check", "Diff"]
    file.write_text("2")
    assert both.run("up", program)["file"] == ["Check", "Diff", "Update"]
    both.run("refresh")
    both.run("destroy")


def test_several_packages(both):
    """Each package has a default provider of its own, and one double answers for both."""
    record = ResourceType("dns:index:Record", {"target": Property(str)})
    for double in both.doubles:
        double.define(record)

    def program():
        logs = Bucket("logs")
        Thing(record.token, "www", target=logs.arn)

    both.run("preview", program)
    both.run("up", program)
    both.run("refresh")
    both.run("destroy")


def test_states_can_be_exchanged(both):
    """``pulumi stack import`` takes what the embedded engine exports, and the other way round; then nothing is to change."""

    def program():
        component = Component("c")
        logs = Bucket("logs", ResourceOptions(parent=component, protect=True), token=pulumi.Output.secret("hush"))
        Thing(NET, "n", ResourceOptions(provider=Cloud("p", tag="1")), cidr=logs.arn)
        pulumi.export("token", pulumi.Output.secret("hush"))

    both.stack.up(program)
    key = both.cli.export()["deployment"]["secrets_providers"]
    both.cli.import_(both.stack.export(secrets_providers=key))
    assert resources(both.cli.export()) == resources(both.stack.export())
    assert both.cli.up(program).summary == {}
    both.stack.import_(both.cli.export())
    assert both.stack.up(program).summary == {}


def test_a_program_that_raises(both):
    """What was made before the program raised is remembered by both, and nothing is deleted."""

    def good():
        Bucket("a", acl="x")
        Bucket("b", acl="x")

    def bad():
        Bucket("a", acl="y")
        raise ValueError("boom")

    both.run("up", good)
    with pytest.raises(ProgramError, match="boom"):
        both.cli.up(bad)
    with pytest.raises(ProgramError, match="boom"):
        both.stack.up(bad)
    assert resources(both.stack.export()) == resources(both.cli.export())

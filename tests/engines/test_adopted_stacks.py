"""Starting from an exported stack under both engines: its objects exist, its state is known, and life goes on from there."""

from __future__ import annotations

import json
from typing import Any

import pulumi
import pytest
from both_engines import resources
from engine_toolbox import BUCKET, NET, Bucket, Cloud, Component, Existing, Thing, make
from pulumi import ResourceOptions

from mockprovider.calls import Op
from mockprovider.cloud import CloudObject
from mockprovider.double import Double
from mockprovider.errors import UnsupportedError
from mockprovider.schema import Property, ResourceType

pytestmark = pytest.mark.pulumi_cli

WANTED = {"acl": "x", "name": "a"}


def shop(wanted: dict[str, str]) -> Any:
    """A program with a component, several providers, secrets, and a resource that is only read."""

    def program() -> None:
        logs = Bucket("logs", ResourceOptions(parent=Component("c")), token=pulumi.Output.secret("hush"), **wanted)
        Thing(NET, "net", ResourceOptions(provider=Cloud("p", tag="1")), cidr=logs.arn)
        Thing("cloud:other:Kind", "free", size=3, tags={"a": ["b"]})
        pulumi.export("acl", Existing("read", "there").acl)

    return program


def exported(**failing: str) -> dict[str, Any]:
    """The shop's stack as somebody exported it; a step ``failing`` leaves it half-way."""
    stack, double, breaking = make(project="shop")
    double.cloud.create(BUCKET, "there", {"acl": "public", "arn": "arn:there"})
    stack.up(shop(WANTED))
    for op, name in failing.items():
        breaking.fail(Op(op), name)
        stack.up(shop({**WANTED, "name": "b"}), expect_failure=True)
    return stack.export()


def named(double: Double, name: str) -> CloudObject:
    """The bucket of that name."""
    (found,) = (each for each in double.cloud.objects(BUCKET) if each.get("name") == name)
    return found


def test_a_production_stack_goes_on(both, tmp_path):
    """Adopted from its file, a stack has nothing to change; then it drifts, is refreshed, repaired, updated and destroyed."""
    file = tmp_path / "prod.json"
    file.write_text(json.dumps(exported()))
    both.adopt(file)
    assert (both.stack.project, both.cli.project) == ("shop", "shop")
    for double in both.doubles:
        kinds = [(each.type, each.id) for each in double.cloud.objects()]
        assert sorted(type_ for type_, _ in kinds) == [BUCKET, BUCKET, NET, "cloud:other:Kind"]
        assert (BUCKET, "there") in kinds
        assert named(double, "a")["token"] == "hush"
    both.run("preview", shop(WANTED))
    both.run("refresh")
    assert both.run("up", shop(WANTED))["logs"] == ["Check", "Diff"]

    for double in both.doubles:
        double.cloud.drift(BUCKET, named(double, "a").id, acl="drifted")
        double.cloud.vanish(NET)
    both.run("refresh")
    assert both.run("up", shop(WANTED))["logs"] == ["Check", "Diff", "Update"]
    both.run("up", shop({**WANTED, "name": "b"}))
    both.run("destroy")
    for double in both.doubles:
        assert [each.id for each in double.cloud.objects()] == ["there"]


def test_what_an_earlier_run_left_half_done(both):
    """The old instance of a replacement exists until its deletion, which is done now."""
    left = exported(delete="logs")
    assert sum(bool(each.get("delete")) for each in left["deployment"]["resources"]) == 1
    both.adopt(left)
    assert [len(double.cloud.objects(BUCKET)) for double in both.doubles] == [3, 3]
    assert both.run("up", shop({**WANTED, "name": "b"}))["logs"] == ["Check", "Diff", "Delete"]
    assert [len(double.cloud.objects(BUCKET)) for double in both.doubles] == [2, 2]


def test_what_was_deleted_before_its_replacement(both):
    """No object is made of what is deleted already; the next run creates it."""

    def nets(cidr: str) -> Any:
        return lambda: Thing(NET, "net", cidr=cidr)

    stack, _, breaking = make()
    stack.up(nets("a"))
    breaking.fail(Op.CREATE, "net")
    stack.up(nets("b"), expect_failure=True)
    both.adopt(stack.export())
    assert [double.cloud.objects() for double in both.doubles] == [[], []]
    assert both.run("up", nets("b"))["net"] == ["Check", "Diff", "Check", "Create"]


def test_operations_that_were_cut_off(both):
    """The embedded engine tells of them, and the next operation clears all but creations; an import by the CLI drops them."""
    left = exported()
    found = left["deployment"]["resources"]
    logs = next(each for each in found if each["urn"].endswith("::logs"))
    new = {**logs, "urn": logs["urn"] + "-new", "id": ""}
    left["deployment"]["pending_operations"] = [
        {"type": "updating", "resource": logs},
        {"type": "creating", "resource": new},
    ]
    both.adopt(left)
    both.run("refresh")
    both.run("up", shop(WANTED))
    pending = [each.export()["deployment"].get("pending_operations", []) for each in (both.stack, both.cli)]
    assert [[operation["type"] for operation in each] for each in pending] == [["creating"], []]


def test_an_export_of_the_cli(both, make_both, tmp_path):
    """What the real ``pulumi stack export --show-secrets`` prints is adopted by both; without the flag it is refused."""
    for double in both.doubles:
        double.cloud.create(BUCKET, "there", {"acl": "public", "arn": "arn:there"})
    both.run("up", shop(WANTED))
    again = make_both()
    again.adopt(both.cli.export())
    assert resources(again.stack.export()) == resources(again.cli.export()) == resources(both.cli.export())
    again.run("up", shop(WANTED))
    hidden = both.cli.export(show_secrets=False)
    for engine in (both.stack, both.cli):
        with pytest.raises(UnsupportedError, match="--show-secrets"):
            engine.import_(hidden, cloud=both.doubles[0].cloud)
    assert not list(tmp_path.rglob("import.json"))


def test_a_state_that_is_put_back_by_hand(provider, pulumi_cli, tmp_path):
    """A state that the CLI itself restores is declared by that: its engine is not blamed for what it remembers then."""
    provider.define(ResourceType("cloud:other:Kind", {"size": Property(int)}))
    backup = tmp_path / "backup.json"

    def up(size: int) -> None:
        pulumi_cli.up(lambda: Thing("cloud:other:Kind", "free", size=size) and None)

    up(1)
    pulumi_cli.command("stack", "export", "--file", str(backup))
    up(2)
    pulumi_cli.command("stack", "import", "--file", str(backup))
    up(3)
    assert provider.contract.breaches == []

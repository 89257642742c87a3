"""What the embedded engine deletes and in which order, and what it must not: leftovers, replaced and protected resources."""

import threading
from collections import defaultdict

import pytest
from engine_toolbox import BUCKET, NET, Bucket, Cloud, Thing, make
from pulumi import ResourceOptions

from mockprovider.engine.operations.removal import Removal, Workers
from mockprovider.pulumi.stacks.state import ResourceState
from mockprovider.values import UNKNOWN

SECONDS = 30


def test_leftovers_are_deleted_after_what_depends_on_them():
    """What the program no longer has goes, dependents first, also children before their parents."""
    stack, double, _ = make()

    def program():
        base = Bucket("base")
        parent = Bucket("parent", ResourceOptions(depends_on=[base]))
        Bucket("child", ResourceOptions(parent=parent))

    stack.up(program)
    assert stack.up(lambda: None).summary == {"delete": 3}
    assert [each.call.name for each in double.journal.entries(op="delete")] == ["child", "parent", "base"]


def test_a_preview_deletes_nothing():
    """A preview counts the deletions, and asks no provider for them."""
    stack, double, _ = make()
    stack.up(lambda: Bucket("b"))
    assert stack.preview(lambda: None).summary == {"delete": 1}
    assert double.journal.entries(op="delete") == []
    assert stack.state["b"].id


def test_delete_before_replace_takes_dependents_along():
    """Dependents whose inputs come from what is deleted first, and would be replaced, are deleted before it and created
    after it.
    """
    stack, double, _ = make()
    wanted = {"cidr": "a"}

    def program():
        net = Thing(NET, "net", **wanted)
        Thing(NET, "peer", cidr="x", peer=net.id)
        Thing(NET, "labelled", cidr="x", label=net.id)
        Thing(NET, "after", ResourceOptions(depends_on=[net]), cidr="x")

    stack.up(program)
    double.journal.clear()
    wanted["cidr"] = "b"
    assert stack.up(program).summary == {"replace": 2, "update": 1}
    changes = [
        (each.call.op.value, each.call.name) for each in double.journal.entries() if each.call.op in ("create", "delete")
    ]
    assert changes == [("delete", "peer"), ("delete", "net"), ("create", "net"), ("create", "peer")]
    asked = [each.call for each in double.journal.entries(op="diff", name="peer")]
    assert [(each.inputs["peer"], each.preview) for each in asked] == [(UNKNOWN, False)]
    assert double.journal.ops(name="after") == ["check", "diff"]


def test_options_about_changes():
    """``ignoreChanges``, ``replaceOnChanges`` and ``deleteBeforeReplace`` do what they say."""
    stack, double, _ = make()
    wanted = {"acl": "1", "name": "1"}

    def program():
        Bucket("ignoring", ResourceOptions(ignore_changes=["acl"]), acl=wanted["acl"])
        Bucket("replacing", ResourceOptions(replace_on_changes=["acl"]), acl=wanted["acl"])
        Bucket("deleting", ResourceOptions(delete_before_replace=True), name=wanted["name"])

    stack.up(program)
    double.journal.clear()
    wanted.update(acl="2", name="2")
    assert stack.up(program).summary == {"replace": 2}
    assert double.journal.ops(name="ignoring") == ["check", "diff"]
    assert double.journal.ops(name="replacing") == ["check", "diff", "check", "create", "delete"]
    assert double.journal.ops(name="deleting") == ["check", "diff", "check", "delete", "create"]


def test_options_about_deleting():
    """No Delete reaches the provider for what is retained or goes with its owner."""
    stack, double, _ = make()

    def program():
        owner = Bucket("owner")
        Bucket("kept", ResourceOptions(retain_on_delete=True))
        Bucket("belonging", ResourceOptions(deleted_with=owner))

    stack.up(program)
    stack.destroy()
    assert [each.call.name for each in double.journal.entries(op="delete")] == ["owner"]


def test_protection():
    """A protected resource is neither deleted nor replaced, and the others go all the same."""
    stack, double, _ = make()
    wanted = {"name": "a"}

    def program():
        Bucket("kept", ResourceOptions(protect=True), **wanted)
        Bucket("other")

    stack.up(program)
    wanted["name"] = "b"
    assert "marked for protection" in str(stack.preview(program, expect_failure=True).error)
    assert "marked for protection" in str(stack.up(program, expect_failure=True).error)
    destroyed = stack.destroy(expect_failure=True)
    assert (destroyed.summary, destroyed.state.names()) == ({"delete": 1}, {"kept"})
    assert double.cloud.objects(BUCKET)[0]["name"] == "a"


def test_old_instances_of_one_resource_are_deleted_one_after_the_other():
    """Several deletions run at once, and never two of one URN."""
    instances = [ResourceState(urn="urn:a", type="t", id=id_, delete=True) for id_ in ("1", "2", "3")]
    other = ResourceState(urn="urn:b", type="t", id="4", delete=True)
    order: dict[str, list[tuple[str, int]]] = defaultdict(list)

    def delete(resource):
        order[resource.urn].append((resource.id, threading.get_ident()))
        return resource.id != "2"

    Removal([*instances, other], delete, lambda _: set(), Workers(4, 4)).carry_out([*instances, other], lambda: False)

    assert [id_ for id_, _ in order["urn:a"]] == ["1", "2", "3"]
    assert len({thread for _, thread in order["urn:a"]}) == 1
    assert [id_ for id_, _ in order["urn:b"]] == ["4"]


@pytest.mark.parametrize(("parallel", "deleted"), [(1, []), (2, ["2"]), (4, ["2", "3"])])
def test_deletions_that_begin_together_are_all_done(parallel, deleted):
    """Where one of several deletions fails at once, those that began beside it are done, and no other begins."""
    olds = [ResourceState(urn=f"urn:{id_}", type="t", id=id_) for id_ in ("1", "2", "3")]
    failed = threading.Event()
    done: list[str] = []

    def delete(resource):
        if resource.id == "1":
            failed.set()
            return False
        assert failed.wait(SECONDS)
        done.append(resource.id)
        return True

    Removal(olds, delete, lambda _: set(), Workers(parallel, parallel)).carry_out(olds, failed.is_set)

    assert sorted(done) == deleted


def test_a_destroy_that_runs_the_program_spares_what_is_excluded():
    """What the program registers is deleted in the end, but for what is excluded."""
    stack, double, _ = make()

    def program():
        Bucket("a")
        Bucket("b")

    stack.up(program)
    assert stack.destroy(program, run_program=True, exclude=["**::a"]).state.names() == {"a"}
    assert len(double.cloud.objects(BUCKET)) == 1


def test_a_provider_that_is_only_kept_is_not_asked():
    """A leftover provider that is no target stays as it is, without being configured."""
    stack, double, _ = make()
    stack.up(lambda: Bucket("b", ResourceOptions(provider=Cloud("p"))) and None)
    double.journal.clear()
    assert stack.up(lambda: Bucket("x") and None, target=["**::x"]).state.names() == {"b", "x"}
    assert len(double.journal.entries(op="configure")) == 1

"""Resources that are known under other names (Pulumi's ``alias_test.go``)."""

from __future__ import annotations

import pytest
from lifecycle_toolbox import A, Lifecycle, Monitor, Provider, diff, echoing, errors, failing, steps, urn

from mockprovider.pulumi.diff import Changes

REPLACED = {"replace", "create-replacement", "delete-replaced"}


def t(word):
    """A type by its last part."""
    return f"pkgA:index:{word}"


def compare(call):
    """``forced`` forces a replacement, and the engine compares all else."""
    forced = (call.prior or {}).get("forced") != (call.inputs or {}).get("forced")
    return diff("forced", changes=Changes.UNKNOWN) if forced else None


def resources(*listed):
    """A program with these resources: type, name, and fields of their registrations."""

    def program(monitor: Monitor) -> None:
        for type_, name, fields in listed:
            monitor.register(type_, name, **fields)

    return program


def renamed(stack, before, after):
    """The ops of the second of two programs, from a new beginning."""
    stack.destroy()
    stack.up(resources(*before))
    return {op for op, _ in steps(stack.up(resources(*after)))}


@pytest.fixture
def stack():
    """A stack whose objects echo their inputs."""
    return Lifecycle(echoing(diff=compare))


SPEC, URN = (
    lambda **fields: {"alias_specs": [fields]},
    lambda *urns: {"aliasURNs": list(urns)},
)


def test_a_life_of_new_names(stack):
    """A resource is followed from name to name and type to type, by specs and by URNs, and back to where it was."""
    for type_, name, fields, ops in (
        (t("t1"), "n1", {}, {"create"}),
        (t("t1"), "n2", SPEC(name="n1"), {"same"}),
        (t("t1"), "n3", {"alias_specs": [{"name": "n2"}, {"name": "n1"}]}, {"same"}),
        (t("t1"), "n3", URN(urn(t("t1"), "n2"), urn(t("t1"), "n1")), {"same"}),
        (t("t1"), "n1", {**URN(urn(t("t1"), "n3")), **SPEC(name="n2")}, {"same"}),
        (t("t1"), "n1", {}, {"same"}),
        (t("t2"), "n1", SPEC(type=t("t1")), {"same"}),
        ("pkgA:othermod:t3", "n1", {"alias_specs": [{"type": t("t1")}, {"type": t("t2")}]}, {"same"}),
        (
            "pkgA:othermod:t3",
            "n1",
            {"alias_specs": [{"type": t("t1")}, {"type": "pkgA:othermod:t3"}, {"type": t("t2")}]},
            {"same"},
        ),
        ("pkgA:othermod:t3", "n1", {}, {"same"}),
        (t("t4"), "n2", {**SPEC(type="pkgA:othermod:t3", name="n1"), "inputs": {"x": 42}}, {"update"}),
        (t("t5"), "n3", {**URN(urn(t("t4"), "n2")), "inputs": {"x": 1000}}, {"update"}),
        (t("t6"), "n4", {**SPEC(type=t("t5"), name="n3"), "inputs": {"forced": 1000}}, REPLACED),
        (t("t7"), "n5", {**URN(urn(t("t6"), "n4")), "inputs": {"forced": 999}, "deleteBeforeReplace": True}, REPLACED),
    ):
        up = stack.up(resources((type_, name, fields)))
        assert {op for op, _ in steps(up)} == ops, (type_, name)
        assert [each.urn for each in up.state.every if not each.is_provider] == [urn(type_, name)]
        assert up.state[name].aliases == ()


@pytest.mark.parametrize("relation", ["dependencies", "parent"])
def test_a_replacement_under_a_new_name(stack, relation):
    """What depends on it, or is below it, and is renamed with it stays as it is."""
    first, new = urn(t("t1"), "n1"), urn(t("t1-new"), "n1-new")

    def related(to):
        return {"parent": to} if relation == "parent" else {"dependencies": [to]}

    forced = {"deleteBeforeReplace": True}
    for by in (SPEC(type=t("t2"), name="n2"), URN(urn(t("t2"), "n2", t("t1") if relation == "parent" else ""))):
        before = [(t("t1"), "n1", {**forced, "inputs": {"forced": 1}}), (t("t2"), "n2", related(first))]
        after = [
            (t("t1-new"), "n1-new", {**forced, **SPEC(type=t("t1"), name="n1"), "inputs": {"forced": 2}}),
            (t("t2-new"), "n2-new", {**related(new), **by}),
        ]
        assert renamed(stack, before, after) == {"same", *REPLACED}


def test_one_object_under_two_names(stack):
    """Two resources may not be known as the same one, whichever way they say it."""
    stack.up(resources((t("t1"), "n1", {})))
    for by in (SPEC(type=t("t1"), name="n1"), URN(urn(t("t1"), "n1"))):
        up = stack.up(resources((t("t1"), "n2", by), (t("t2"), "n3", by)), expect_failure=True)
        assert "Duplicate resource" in errors(up)
        stack.up(resources((t("t1"), "n1", SPEC(name="n2"))))
    up = stack.up(resources((t("t1"), "n1", SPEC(name="n1")), (t("t2"), "n2", SPEC(type="index:t1"))))
    assert steps(up) == [("same", "n1"), ("create", "n2")]


def test_names_that_follow_their_parents(stack):
    """Children and their children are found below a parent of a new name and type, in a thousand ways to say so too."""
    before = [
        (t("t1-v0"), "n1", {}),
        (t("t2-v0"), "n1-sub", {"parent": urn(t("t1-v0"), "n1")}),
        (t("t3"), "n1-sub-sub", {"parent": urn(t("t2-v0"), "n1-sub", t("t1-v0"))}),
    ]

    def after(first, second, third):
        return [
            (t("t1-new"), "n1-new", first),
            (t("t2-new"), "n1-new-sub", {"parent": urn(t("t1-new"), "n1-new"), **second}),
            (t("t3"), "n1-new-sub-sub", {"parent": urn(t("t2-new"), "n1-new-sub", t("t1-new")), **third}),
        ]

    specs = after(SPEC(type=t("t1-v0"), name="n1"), SPEC(type=t("t2-v0"), name="n1-sub"), {})
    assert renamed(stack, before, specs) == {"same"}
    ways = [(f"t1-v{i}", f"t2-v{j}") for i in range(100) for j in range(10)]
    urns = after(
        URN(*(urn(t(f"t1-v{i}"), "n1") for i in range(100))),
        URN(*(urn(t(second), "n1-sub", t(first)) for first, second in ways)),
        URN(*(urn(t("t3"), "n1-sub-sub", f"{t(first)}${t(second)}") for first, second in ways)),
    )
    assert renamed(stack, before, urns) == {"same"}
    stack.import_(stack.export())


def test_children_of_new_names_and_parents(stack):
    """A child may change its name, its type, and whose child it is."""
    parent = urn(t("t1"), "parent")
    first = [(t("t1"), "parent", {}), (t("child"), "child", {"parent": parent})]
    second = [(t("t1"), "parent", {}), (t("child"), "childnew", {"parent": parent, **SPEC(name="child")})]
    third = [(t("t1"), "parent", {}), (t("child2"), "childnew", {"parent": parent, **SPEC(type=t("child"))})]
    assert renamed(stack, first, second) == {"same"}
    assert {op for op, _ in steps(stack.up(resources(*third)))} == {"same"}
    apart = [(t("t1"), "parent", {}), (t("t2"), "two", {})]
    for below, away in (
        (SPEC(noParent=True), SPEC(parentUrn=parent)),
        (URN(urn(t("t2"), "two")), URN(urn(t("t2"), "two", t("t1")))),
    ):
        together = [(t("t1"), "parent", {}), (t("t2"), "two", {"parent": parent, **below})]
        assert renamed(stack, apart, together) == {"same"}
        assert {op for op, _ in steps(stack.up(resources((t("t1"), "parent", {}), (t("t2"), "two", away))))} == {"same"}


@pytest.mark.parametrize(
    ("fields", "alias"),
    [
        ({"aliasSpecs": False, "metadata": (("pulumi-runtime", "nodejs"),)}, {}),
        ({"aliasSpecs": False, "metadata": (("user-agent", "grpc-node-js/1.8"),)}, {}),
        ({"aliasSpecs": False, "metadata": (("user-agent", "grpc-node-js/1.8"),)}, {"parentUrn": ""}),
        ({"aliasSpecs": True, "metadata": (("pulumi-runtime", "nodejs"),)}, {"noParent": True}),
        ({"aliasSpecs": False, "metadata": (("pulumi-runtime", "go"), ("user-agent", "grpc-node-js/1"))}, {"noParent": True}),
        ({"aliasSpecs": False}, {"noParent": True}),
    ],
    ids=str,
)
def test_aliases_of_old_sdks(stack, fields, alias):
    """Older SDKs for Node.js leave "no parent" out, and say it where neither side has one."""
    parent = urn(t("t1"), "one")
    before = [(t("t1"), "one", fields), (t("t2"), "two", fields)]
    after = [(t("t1"), "one", fields), (t("t2"), "two", {**fields, "parent": parent, "alias_specs": [alias]})]
    assert renamed(stack, before, after) == {"same"}
    away = [(t("t1"), "one", {}), (t("t2"), "two", {**fields, "alias_specs": [{"parentUrn": parent}]})]
    assert {op for op, _ in steps(stack.up(resources(*away)))} == {"same"}
    if "metadata" in fields and not fields["aliasSpecs"] and "noParent" not in alias:
        neither = [(t("t1"), "one", {}), (t("t2"), "new", {**fields, "alias_specs": [{"name": "two", "noParent": True}]})]
        assert {op for op, _ in steps(stack.up(resources(*neither)))} == {"same"}


@pytest.mark.parametrize("order", ["new last", "new first"])
def test_an_alias_of_what_is_there(stack, order):
    """Whoever comes second is refused, and what came first is in the state."""
    stack.up(resources((A, "resA", {})))
    both = [(A, "resA", {}), (A, "resB", SPEC(name="resA"))]
    up = stack.up(resources(*(both if order == "new last" else reversed(both))), expect_failure=True)
    assert "Duplicate resource" in errors(up)
    assert [each.name for each in up.state.every if not each.is_provider] == ["resA" if order == "new last" else "resB"]


def test_its_own_name_comes_first(stack):
    """What is there under its own name is not taken for what an alias says, and that is deleted."""
    parent = urn(A, "resA")
    stack.up(resources((A, "resA", {}), (A, "resB", {"parent": parent}), (A, "resB", {})))
    up = stack.up(resources((A, "resA", {}), (A, "resB", SPEC(parentUrn=parent))))
    assert [each.urn for each in up.state.every if not each.is_provider] == [parent, urn(A, "resB")]
    assert up.state["resB"].aliases == ()


def test_from_component_to_custom_resource(stack):
    """A component becomes a custom resource and a component again, and its provider goes with that."""
    kind = "prog::myType"
    stack.up(lambda monitor: monitor.component(kind, "resA", inputs={"foo": "bar"}))
    up = stack.up(lambda monitor: monitor.register(A, "resA", inputs={"foo": "bar"}, **SPEC(type=kind)))
    assert ([(each.type, each.custom) for each in up.state.every], len(up.state.every)) == (
        [("pulumi:providers:pkgA", True), (A, True)],
        2,
    )
    up = stack.up(lambda monitor: monitor.component(kind, "resA", inputs={"foo": "bar"}, **SPEC(type=A)))
    assert [(each.type, each.custom) for each in up.state.every] == [(kind, False)]


def test_a_parent_that_moves_itself(stack):
    """A child is found below a parent that has got a parent in the same run."""

    def program(*, moved):
        def run(monitor: Monitor) -> None:
            first = monitor.component("prog:index:myStandardType", "resA")
            fields = {"parent": first.urn, **SPEC(noParent=True)} if moved else {}
            second = monitor.component("prog:index:myType", "resB", **fields)
            below = {"parent": first.urn, **SPEC(parentUrn=second.urn)} if moved else {"parent": second.urn}
            monitor.register(A, "resC", **below)

        return run

    stack.up(program(moved=False))
    up = stack.up(program(moved=True))
    assert ({op for op, _ in up.steps}, len(up.state.every)) == ({"same"}, 4)


def test_an_empty_parent_is_none_said(stack):
    """As SDKs for Python have it, an empty parent of an alias is the resource's own."""

    def program(name, **fields):
        def run(monitor: Monitor) -> None:
            first = monitor.component("prog:index:myStandardType", "resA")
            monitor.component("prog:index:myType", name, parent=first.urn, **fields)

        return run

    stack.up(program("resB"))
    up = stack.up(program("resC", **SPEC(name="resB", parentUrn="")))
    assert {op for op, _ in up.steps} == {"same"}


def test_a_component_that_moved_before_a_failure():
    """After a run that failed in between, what is below the moved component has its new name and parent."""
    top, old, new = urn(A, "resA"), urn("pkgA:m:typB", "resB", A), urn("pkgA:m:typB", "resB")
    stack, moved = Lifecycle(Provider()), URN(old)

    def program(*, fails):
        def run(monitor: Monitor) -> None:
            component = monitor.component("pkgA:m:typB", "resB", **moved)
            if fails:
                raise ValueError("something went bang")
            monitor.register("pkgA:m:typC", "resC", parent=component.urn)

        return run

    def setup(monitor: Monitor) -> None:
        monitor.register(A, "resA")
        component = monitor.component("pkgA:m:typB", "resB", parent=top)
        monitor.register("pkgA:m:typC", "resC", parent=component.urn)

    stack.up(setup)
    child = urn("pkgA:m:typC", "resC", "pkgA:m:typB")
    up = stack.up(program(fails=True), expect_failure=True)
    assert [(each.urn, each.parent) for each in up.state.every if not each.is_provider] == [(new, ""), (top, ""), (child, new)]
    up = stack.up(program(fails=False))
    assert [(each.urn, each.parent) for each in up.state.every if not each.is_provider] == [(new, ""), (child, new)]
    assert [op for op, _ in steps(up)] == ["same", "same", "delete"]


def test_an_object_that_cannot_be_deleted():
    """Aliases are not kept, so what has taken an old name and what still has a new one do not mix."""
    stack = Lifecycle(echoing(delete=lambda _: failing("can't delete")))
    stack.up(resources((A, "resA", {})))
    stack.up(resources((A, "resAX", SPEC(name="resA"))))
    up = stack.up(resources((A, "resA", {})), expect_failure=True)
    assert [each.name for each in up.state.every if not each.is_provider] == ["resA", "resAX"]
    stack.import_(stack.export())


@pytest.mark.parametrize("relation", ["provider", "dependencies", "depends_by", "deletedWith", "replace_with"])
def test_references_follow(relation):
    """What refers to a moved resource refers to it by its new name in the state, whatever the reference is."""
    stack = Lifecycle(Provider())

    def program(*, moved):
        def run(monitor: Monitor) -> None:
            parents = [monitor.component(f"pkgA:modA:type{number}", f"res{number}") for number in (0, 1)]
            fields = {"parent": parents[0 if moved else 1].urn, **(SPEC(parentUrn=parents[1].urn) if moved else {})}
            if relation == "provider":
                to = monitor.provider("pkgA", "prov", **fields)
                also = {"provider": to.reference}
            else:
                to = monitor.register("pkgA:modA:type2", "res2", **fields)
                also = {relation: {"propA": [to.urn]} if relation == "depends_by" else [to.urn]}
                also = {"deletedWith": to.urn} if relation == "deletedWith" else also
            monitor.register("pkgA:modA:type3", "res3", **fields, **also)

        return run

    stack.up(program(moved=False))
    up = stack.up(program(moved=True))
    assert {op for op, _ in up.steps} == {"same"}
    stack.import_(stack.export())
    named = up.state["prov" if relation == "provider" else "res2"].urn
    assert named in set(up.state["res3"].dependency_urns())

"""Operations that are limited to some resources, or leave some out (Pulumi's ``target_test.go``)."""

from __future__ import annotations

from itertools import chain, combinations

import pytest
from lifecycle_graph import NAMES, PROVIDERS, URNS, begin, program, replacing
from lifecycle_toolbox import (
    A,
    Lifecycle,
    Monitor,
    Provider,
    adopt,
    diff,
    echoing,
    errors,
    failing,
    names,
    provider_urn,
    state,
    steps,
    urn,
)

from mockprovider.calls import Op, Reply
from mockprovider.pulumi.diff import Changes
from mockprovider.pulumi.policies import PolicyPack, StackPolicy
from mockprovider.urn import Urn

STACK = "pulumi:pulumi:Stack"
SMALL = ["".join(chosen) for chosen in chain(combinations(NAMES, 1), combinations("ABCDFK", 2), combinations("BFGIL", 3))]


def by(result, *ops):
    """The names of the graph's resources by the op that befell them."""
    found = {Urn.parse(urn_).name for op, urn_ in result.steps if op in ops}
    return "".join(sorted(found - {"default"}))


def chained(*, parents=True, last="resD"):
    """A program with a chain of resources, each below the one before it, or dependent on it."""

    def run(monitor: Monitor) -> None:
        before = ""
        for name in ("resA", "resB", "resC", "resD"):
            fields = {"parent": before} if parents else {"dependencies": [before] if before else []}
            before = monitor.register(A, name, **fields).urn
            if name == last:
                return

    return run


def link(*named):
    """The URN of the last of a chain of parents."""
    return urn(A, named[-1], "$".join([A] * (len(named) - 1)))


ALL = ("resA", "resB", "resC", "resD")


def refreshed(result):
    """The names of what has been read again."""
    return [each.name for each in result.state.every if "count" in each.outputs]


def counting():
    """A stack whose Read shows that it was asked."""
    return Lifecycle(Provider(read=lambda call: Reply(id=call.id, value={"count": 1})))


def test_refreshing_with_dependents():
    """A refresh of a target with its dependents reads its children and theirs, and no other."""
    stack = counting()
    stack.up(chained())
    result = stack.refresh(target=[link("resA", "resB")], target_dependents=True)
    assert refreshed(result) == ["resB", "resC", "resD"]


def test_refreshing_without():
    """A refresh leaves out what is excluded, and what is below it where that is asked for."""
    stack = counting()
    stack.up(chained())
    excluded = [link("resA", "resB")]
    assert refreshed(stack.refresh(exclude=excluded)) == ["resA", "resC", "resD"]
    stack = counting()
    stack.up(chained())
    assert refreshed(stack.refresh(exclude=excluded, exclude_dependents=True)) == ["resA"]


@pytest.mark.parametrize("chosen", SMALL)
def test_destroying_with_dependents(chosen):
    """A destroy of targets deletes them and what cannot stay without them, and keeps the rest as it is."""
    stack = Lifecycle(replacing(first=True))
    begin(stack)
    result = stack.destroy(target=[URNS[name] for name in chosen], target_dependents=True)
    gone, kept = by(result, "delete"), by(result, "same")
    assert set(chosen) <= set(gone)
    assert "".join(sorted(gone + kept)) == NAMES
    if "A" in chosen:
        assert gone == NAMES


def test_destroying_without_dependents():
    """It is refused, naming all that would have to go along."""
    stack = Lifecycle(replacing(first=True))
    begin(stack)
    result = stack.destroy(target=[URNS["A"]], expect_failure=True)
    assert all(URNS[name] in errors(result) for name in NAMES if name != "A")
    assert len(result.state.every) == len(NAMES) + 1


def test_excluding():
    """An update does not create what is excluded, nor what depends on it where that is asked for."""
    up = Lifecycle(Provider()).up(chained(last="resC"), exclude=[link("resA", "resB", "resC")])
    assert names(up) == ["resA", "resB"]
    up = Lifecycle(Provider()).up(chained(), exclude=[link("resA", "resB")], exclude_dependents=True)
    assert names(up) == ["resA"]


def test_destroying_all_but():
    """A destroy keeps what is excluded with all that it needs, and with its dependents where that is asked for."""
    stack = Lifecycle(Provider())
    stack.up(chained(last="resC"))
    assert names(stack.destroy(exclude=[link("resA"), link("resA", "resB")])) == ["resA", "resB"]
    assert [each.name for each in stack.destroy(exclude=[provider_urn("pkgA")]).state.every] == ["default"]
    stack.up(chained(last="resB"))
    assert [each.name for each in stack.destroy(exclude=[link("resA")]).state.every] == ["default", "resA"]


def test_globs():
    """A glob excludes whatever it matches."""
    stack = Lifecycle(Provider())
    stack.up(chained(last="resB"))
    assert names(stack.up(lambda _: None, exclude=["**pkgA**"])) == ["resA", "resB"]


def updating():
    """A provider for which everything changes."""
    return Provider(diff=lambda _: diff(), update=lambda call: Reply(id=call.id, value={**call.prior, "output_prop": 42}))


@pytest.mark.parametrize("chosen", SMALL)
def test_updating_targets(chosen):
    """Only targets are updated, besides providers, which are looked at in any case."""
    stack = Lifecycle(updating())
    begin(stack)
    up = stack.up(program, target=[URNS[name] for name in chosen])
    assert set(by(up, "update")) - set(PROVIDERS) == set(chosen) - set(PROVIDERS)
    assert {op for op, _ in up.steps} <= {"update", "same"}


def test_updating_other_targets():
    """Dependents are updated where that is asked for, globs may match nothing, and a URN may not."""
    stack = Lifecycle(updating())
    begin(stack)
    assert "E" in by(stack.up(program, target=[URNS["C"]], target_dependents=True), "update")
    begin(stack)
    assert "foo" in errors(stack.up(program, target=[urn(A, "foo")], expect_failure=True))


def test_a_target_that_is_created():
    """What is new is created if it is a target, and otherwise left out."""
    two = lambda monitor: [monitor.register(A, name) for name in ("resA", "resB")]  # noqa: E731
    for chosen, op in (("resA", "same"), ("resB", "create")):
        stack = Lifecycle(Provider())
        stack.up(lambda monitor: monitor.register(A, "resA"))
        up = stack.up(two, target=[urn(A, name) for name in {"resA", chosen}])
        assert steps(up) == [("same", "resA"), (op, "resB") if chosen == "resB" else ("same", "resB")]
        assert names(up) == (["resA", "resB"] if chosen == "resB" else ["resA"])


@pytest.mark.parametrize("changed", [True, False])
@pytest.mark.parametrize("relation", ["dependencies", "depends_by", "deletedWith", "parent", "replace_with"])
def test_a_target_that_needs_what_is_left_out(relation, changed):
    """It is refused, however it needs that, and whether it has changed or not."""
    stack = Lifecycle(Provider(diff=lambda call: diff() if changed and call.name == "b" else None))

    def before(monitor: Monitor) -> None:
        monitor.component(STACK, "test")
        monitor.register(A, "b")

    seen = []

    def after(monitor: Monitor) -> None:
        monitor.component(STACK, "test")
        to = monitor.register(A, "a")
        seen.append((to.result, to.unknown, to.id))
        value = {"depends_by": {"prop": [to.urn]}, "deletedWith": to.urn, "parent": to.urn}.get(relation, [to.urn])
        monitor.register(A, "b", **{relation: value}, aliasURNs=[urn(A, "b")] if relation == "parent" else [])
        seen.append("returned")

    stack.up(before)
    up = stack.up(after, target=["**b**"], expect_failure=True)
    assert (urn(A, "a") in errors(up), seen) == (True, [(0, True, "")])
    stack.import_(stack.export())


def test_a_target_and_its_provider():
    """The provider of a target is created, explicit or default, although it is no target."""

    def explicit(monitor: Monitor) -> None:
        monitor.register(A, "resA", provider=monitor.provider("pkgA", "provA").reference)

    for run in (explicit, lambda monitor: monitor.register(A, "resA")):
        assert len(Lifecycle(Provider()).up(run, target=[urn(A, "resA")]).state.every) == 2


def test_what_is_left_out_together():
    """What is left out may depend on what is left out."""
    stack = Lifecycle(Provider())
    stack.up(lambda monitor: monitor.register(A, "resA"))

    def after(monitor: Monitor) -> None:
        first = monitor.register(A, "resB")
        monitor.register(A, "resC", dependencies=[first.urn])
        monitor.register(A, "resA")

    up = stack.up(after, target=[urn(A, "resA")])
    assert ({op for op, _ in up.steps}, names(up)) == ({"same"}, ["resA"])


def test_replacing_what_is_asked_for():
    """Those and no others are replaced."""
    stack = Lifecycle(Provider(diff=lambda _: diff(changes=Changes.NONE)))
    begin(stack)
    up = stack.up(program, replace=[URNS[name] for name in "FBG"])
    assert by(up, "replace") == "BFG"
    assert set(by(up, "same")) - set(PROVIDERS) == set(NAMES) - set(PROVIDERS) - set("BFG")


PARENTED = {
    "A": "",
    "B": "",
    "C": "",
    "D": "A",
    "E": "B",
    "F": "B",
    "G": "D",
    "H": "D",
    "I": "A",
    "J": "E",
    "K": "E",
    "L": "F",
    "M": "F",
    "N": "",
}
NEEDED = {"I": "G", "K": "H", "N": "H"}


def parented(stack):
    """Components A, B, D, E and F with resources below them, three of which need others."""
    urns: dict[str, str] = {}
    listed = []
    for name, above in PARENTED.items():
        type_ = "pkgA:index:Component" if name in "ABDEF" else "pkgA:index:Resource"
        urns[name] = urn(type_, name, Urn.parse(urns[above]).qualified_type if above else "")
        fields = {} if name in "ABDEF" else {"id": name}
        if name in NEEDED:
            needed = [urns[NEEDED[name]]]
            fields |= {"dependencies": needed, "propertyDependencies": {"A": needed}, "inputs": {"A": "foo"}}
        listed.append(state(urns[name], **({"parent": urns[above]} if above else {}), **fields))
    adopt(stack, *listed)
    return urns


def test_destroying_a_component():
    """What is below a component and what needs that goes along where that is asked for, and else it is refused."""
    stack = Lifecycle(replacing(first=True))
    urns = parented(stack)
    assert by(stack.destroy(target=[urns["A"]], target_dependents=True), "delete") == "ADGHIKN"
    urns = parented(stack)
    result = stack.destroy(target=[urns["B"]], expect_failure=True)
    assert (by(result, "delete"), all(urns[name] in errors(result) for name in "EFJKLM")) == ("", True)
    preview = stack.destroy(target=[urns["B"]], preview=True, expect_failure=True)
    assert by(preview, "delete") == "BEFJKLM"


def test_what_is_no_target_stays_as_it_was():
    """Inputs that Check makes of what the program says are not remembered of what is no target."""
    calls = iter(range(100))
    stack = Lifecycle(Provider(check=lambda call: Reply(inputs={**call.inputs, "__defaults": next(calls)})))

    def run(monitor: Monitor) -> None:
        for name in ("resA", "resB"):
            monitor.register(A, name, inputs={"foo": word})

    word = "foo"
    before = stack.up(run).state["resB"].inputs
    word = "bar"
    after = stack.up(run, target=[urn(A, "resA")]).state
    assert (after["resB"].inputs, after["resA"].inputs["foo"]) == (before, "bar")


def test_targets_and_replacements():
    """A replacement that is asked for needs a target where there are targets, and else leaves other updates alone."""

    def run(monitor: Monitor) -> None:
        monitor.register(A, "resA", inputs={"foo": word}, replaceOnChanges=["foo"])
        if word != "bar":
            monitor.register(A, "resB", inputs={"foo": word})

    a, b = urn(A, "resA"), urn(A, "resB")
    replaced = [("create-replacement", "resA"), ("replace", "resA")]
    for options, expected in (
        ({"target": [a], "replace": [a]}, [*replaced, ("same", "resB"), ("delete-replaced", "resA")]),
        ({"replace": [a]}, [*replaced, ("create", "resB"), ("delete-replaced", "resA")]),
        ({"target": [b], "replace": [a]}, [("same", "resA"), ("create", "resB")]),
    ):
        stack, word = Lifecycle(Provider()), "bar"
        stack.up(run)
        word = "changed"
        assert steps(stack.up(run, **options)) == expected


def test_dependents_of_targets():
    """What depends on a target is one, also through an explicit provider, and what shares a provider with it is none."""

    def siblings(monitor: Monitor) -> None:
        monitor.component(STACK, "test")
        first = monitor.register(A, "implicitX")
        monitor.register(A, "implicitY")
        monitor.register(A, "implicitZ", parent=first.urn)
        reference = monitor.provider("pkgA", "provider").reference
        second = monitor.register(A, "explicitX", provider=reference)
        monitor.register(A, "explicitY", provider=reference)
        monitor.register(A, "explicitZ", parent=second.urn)

    chosen = [urn(A, "implicitX"), urn(A, "explicitX")]
    for dependents, more in ((False, []), (True, ["implicitZ", "explicitZ"])):
        up = Lifecycle(Provider()).up(siblings, target=chosen, target_dependents=dependents)
        assert set(names(up)) == {"test", "implicitX", "explicitX", *more}
    provider = [provider_urn("pkgA", "provider")]
    for dependents, more in ((False, set()), (True, {"explicitX", "explicitY", "explicitZ"})):
        up = Lifecycle(Provider()).up(siblings, target=provider, target_dependents=dependents)
        assert set(names(up)) == {"test"} | more


def test_a_parent_that_is_no_target():
    """It stays as it is where it is there, with its old dependencies, and is asked for where it is not."""

    def run(monitor: Monitor) -> None:
        monitor.component(STACK, "test")
        new = monitor.register(A, "newResource")
        parent = monitor.component("component", "parent", inputs=inputs, dependencies=[new.urn] if inputs else [])
        monitor.register(A, "child", parent=parent.urn, inputs=inputs)

    inputs: dict[str, str] = {}
    stack = Lifecycle(Provider())
    stack.up(run)
    inputs = {"foo": "bar"}
    up = stack.up(run, target=["**child**"])
    assert (up.state["parent"].dependencies, up.state["child"].parent, len(up.state.every)) == ((), up.state["parent"].urn, 5)
    up = Lifecycle(Provider()).up(run, target=["**child**"], expect_failure=True)
    assert ("'urn:pulumi:dev::project::component::parent'" in errors(up), [each.name for each in up.state.every]) == (
        True,
        ["test", "default"],
    )


@pytest.mark.parametrize("relation", ["dependencies", "parent"])
@pytest.mark.parametrize("how", ["dependents", "named"])
def test_a_targeted_destroy_that_fails(relation, how):
    """Without the dependent it is refused, and where that cannot be deleted both stay."""
    asked = []

    def delete(call):
        asked.append(call.name)
        return failing("can't delete")

    stack = Lifecycle(Provider(delete=delete))
    first = urn(A, "resA")
    value = first if relation == "parent" else [first]

    def run(monitor: Monitor) -> None:
        monitor.register(A, "resA")
        monitor.register(A, "resB", **{relation: value})

    stack.up(run)
    second = stack.state["resB"].urn
    refused = stack.destroy(target=[first], expect_failure=True)
    assert (names(refused), asked) == (["resA", "resB"], [])
    options = {"target_dependents": True} if how == "dependents" else {}
    result = stack.destroy(target=[first] if options else [first, second], expect_failure=True, **options)
    assert (names(result), asked) == (["resA", "resB"], ["resB"])


def test_a_new_dependency_of_what_is_no_target():
    """What is no target keeps its old dependencies, though the program has given it one that is left out."""

    def run(monitor: Monitor) -> None:
        monitor.register(A, "target", inputs=inputs)
        new = [monitor.register(A, "dep", inputs=inputs).urn] if inputs else []
        monitor.register(A, "unrelated", inputs=inputs, dependencies=new)

    stack, inputs = Lifecycle(Provider()), {}
    stack.up(run)
    inputs = {"foo": "bar"}
    up = stack.up(run, target=["**target**"])
    assert (names(up), up.state["unrelated"].dependencies) == (["target", "unrelated"], ())


@pytest.mark.parametrize("also", [False, True])
def test_another_provider_of_what_is_no_target(also):
    """It is refused to let something that is no target have another provider, and the state keeps all of them."""

    def run(monitor: Monitor) -> None:
        monitor.register("pkgA:index:typA", "target", inputs=inputs)
        monitor.register("pkgB:index:typA", "unrelated", inputs=inputs, version=version)
        if also:
            monitor.register("pkgB:index:typA", "unrelated2", inputs=inputs, version="1.0.0")

    stack, inputs, version = Lifecycle(Provider()), {}, "1.0.0"
    before = len(stack.up(run).state.every)
    inputs, version = {"foo": "bar"}, "2.0.0"
    up = stack.up(run, target=["**target**"], expect_failure=True)
    assert ("has not been registered yet" in errors(up), len(up.state.every)) == (True, before + 1)
    stack.import_(stack.export())

    explicit = True

    def other(monitor: Monitor) -> None:
        monitor.register("pkgA:index:typA", "target", inputs=inputs)
        fields = {"provider": monitor.provider("pkgB", "explicit").reference} if explicit else {}
        monitor.register("pkgB:index:typA", "unrelated", **fields)

    stack = Lifecycle(Provider())
    reference = stack.up(other).state["unrelated"].provider
    explicit = False
    up = stack.up(other, target=["**target**"], expect_failure=True)
    assert (len(up.state.every), up.state["unrelated"].provider) == (5, reference)


CHAINS = {
    "parents": lambda to: {"parent": to},
    "dependencies": lambda to: {"dependencies": [to]},
    "property dependencies": lambda to: {"depends_by": {"prop": [to]}},
    "deleted with": lambda to: {"deletedWith": to},
    "replace with": lambda to: {"replace_with": [to]},
}


@pytest.mark.parametrize("aliased", [False, True])
@pytest.mark.parametrize("missing", ["a", "b", "ab"])
@pytest.mark.parametrize("chain_", CHAINS)
def test_chains_of_what_is_no_target(chain_, missing, aliased):
    """What the program has lost, and is no target, stays before what needs it, so that the state is valid."""
    relation, stack = CHAINS[chain_], Lifecycle(Provider())

    def run(monitor: Monitor) -> None:
        monitor.component(STACK, "test")
        before, urns = "", {}
        for name in "abc":
            if name in gone:
                before = ""
                continue
            fields = relation(before) if before else {}
            fields |= {"aliasURNs": [old[name]]} if aliased and name in old else {}
            before = urns[name] = monitor.register(A, name, **fields).urn
        monitor.register(A, "target")
        known.update(urns)

    gone, old, known = "", {}, {}
    stack.up(run)
    gone, old = missing, dict(known)
    up = stack.up(run, target=["**target**"])
    kept = {name for name in names(up) if name in "abc"}
    assert set(missing) <= kept
    stack.import_(stack.export())


def test_a_renamed_dependency_of_what_is_no_target():
    """What is found under an alias, though it is no target, stays in a valid state."""
    stack = Lifecycle(Provider())

    def run(monitor: Monitor) -> None:
        before = [monitor.register(A, "a").urn] if not new else []
        name, fields = ("not-b", {"aliasURNs": [urn(A, "b")]}) if new else ("b", {})
        second = monitor.register(A, name, dependencies=before, **fields)
        monitor.register(A, "c", dependencies=[second.urn])
        monitor.register(A, "target")

    new = False
    stack.up(run)
    new = True
    stack.up(run, target=["**target**"])
    stack.import_(stack.export())


def test_a_renamed_provider_of_what_is_no_target():
    """Providers are renamed in any case, and what they manage refers to them by their new names."""
    stack = Lifecycle(Provider())

    def run(monitor: Monitor) -> None:
        parent = monitor.component("pkgParent:pulumi:typParent", "parent")
        fields = {"parent": parent.urn, "aliasURNs": [provider_urn("pkgA", "prov")]} if moved else {}
        monitor.register(A, "res", provider=monitor.provider("pkgA", "prov", **fields).reference)

    moved = False
    stack.up(run)
    moved = True
    up = stack.up(run, target=["**non-existing**"])
    assert (len(up.state.every), up.state["res"].provider_urn) == (3, up.state["prov"].urn)
    assert "typParent$pulumi:providers" in up.state["prov"].urn


def test_an_old_instance_below_what_is_no_target():
    """A replacement under a new name that could not delete the old instance leaves a valid state, and is completed later."""
    provider, fails = Provider(), []
    provider.handlers["diff"] = lambda call: diff("x") if fails and call.name == "resA" else None
    provider.handlers["delete"] = lambda call: failing("failed to delete resA") if fails and call.name == "resA" else None
    stack = Lifecycle(provider)

    def run(monitor: Monitor) -> None:
        parent = monitor.register(A, "resP")
        fields = {"parent": parent.urn} if not moved else {"alias_specs": [{"parentUrn": parent.urn}]}
        first = monitor.register(A, "resA", **fields)
        monitor.register(A, "resB", deletedWith=first.urn)

    moved = False
    stack.up(run)
    fails.append(True)
    moved = True
    up = stack.up(run, target=["**resA**"], expect_failure=True)
    assert [(each.name, each.delete) for each in up.state.every if not each.is_provider] == [
        ("resP", False),
        ("resA", False),
        ("resB", False),
        ("resA", True),
    ]
    fails.clear()
    up = stack.up(run)
    assert [(each.name, each.delete) for each in up.state.every if not each.is_provider] == [
        ("resP", False),
        ("resA", False),
        ("resB", False),
    ]


def test_providers_that_nobody_needs():
    """A limited operation does not configure the provider of what it only keeps, in an update and in a destroy."""
    expired = []
    refusing = Provider(configure=lambda _: failing("no valid credentials") if expired else None)
    stack = Lifecycle({"pkgA": refusing, "pkgB": Provider()})
    second = urn("pkgB:m:typB", "resB")

    def run(monitor: Monitor) -> None:
        if not expired:
            monitor.register(A, "resA")
        monitor.register("pkgB:m:typB", "resB")

    stack.up(run)
    expired.append(True)
    assert sorted(names(stack.up(run, target=[second]))) == ["resA", "resB"]
    assert names(stack.destroy(target=[second])) == ["resA"]


def test_what_is_no_target_and_yet_replaced():
    """What must be deleted before a target is created anew with the inputs that it had."""
    compare = lambda call: diff("foo", first=True) if call.prior_inputs != call.inputs else None  # noqa: E731
    provider = echoing(diff=compare)
    stack = Lifecycle(provider)

    def run(monitor: Monitor) -> None:
        first = monitor.register(A, "resA", inputs={"foo": word})
        monitor.register(A, "resB", inputs={"foo": first.id, "bar": word}, depends_by={"foo": [first.urn]})

    word = "old"
    stack.up(run)
    word = "new"
    provider.calls.clear()
    up = stack.up(run, target=[urn(A, "resA")])
    assert [(call.op.value, call.name) for call in provider.calls if call.op in (Op.DELETE, Op.CREATE)] == [
        ("delete", "resB"),
        ("delete", "resA"),
        ("create", "resA"),
        ("create", "resB"),
    ]
    assert up.state["resB"].inputs["bar"] == "old"


def test_imports_that_are_no_targets():
    """The option ``import`` is heeded of what is no target, too."""
    provider = Provider(read=lambda call: Reply(id=call.id, inputs={"foo": 1}, value={"foo": 1}))
    stack = Lifecycle(provider)
    stack.up(lambda monitor: monitor.register(A, "resA"))

    def run(monitor: Monitor) -> None:
        monitor.register(A, "resA")
        monitor.register(A, "resB", inputs={"foo": 2}, importId="b")

    up = stack.up(run, target=[urn(A, "resA")])
    assert (up.state["resB"].id, up.state["resB"].inputs) == ("b", {"foo": 1})
    assert steps(up) == [("same", "resA"), ("import", "resB"), ("same", "resB")]


def test_what_was_only_read_and_is_no_target():
    """What was only read is taken over by a creation of its own, whether it is a target or not."""
    stack = Lifecycle(Provider())
    stack.up(lambda monitor: [monitor.register(A, "resA"), monitor.read(A, "resB", "b", inputs={"foo": 1})])
    up = stack.up(lambda monitor: [monitor.register(A, "resA"), monitor.register(A, "resB")], target=[urn(A, "resA")])
    assert ("create-replacement", "resB") in steps(up)


def test_policies_of_a_targeted_up_that_refreshes():
    """A stack policy sees a target with its new provider, and what is no target, and left the program, with its old one."""
    seen = []

    def look(resources, _):
        seen.append({it.name: it.provider.name for it in resources if it.provider})

    def run(monitor: Monitor) -> None:
        for name in resources:
            monitor.register(A, name, version=version)

    stack = Lifecycle(Provider(), policies=[PolicyPack("test", [StackPolicy("all", look)])])
    version, resources = "1.0.0", ["resA", "resB"]
    assert len(stack.up(run).state.every) == 3
    version, resources = "2.0.0", ["resA"]
    up = stack.up(run, target=["**resA**"], refresh=True)
    assert seen == [
        {"resA": "default_1_0_0", "resB": "default_1_0_0"},
        {"resA": "default_2_0_0", "resB": "default_1_0_0"},
    ]
    assert sorted(it.name for it in up.state.every) == ["default_1_0_0", "default_2_0_0", "resA", "resB"]

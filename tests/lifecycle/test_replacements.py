"""What is replaced, in which order, and what is not touched (Pulumi's ``delete_before_replace_test.go``,
``pending_replace_test.go``, ``pending_delete_test.go``, ``step_generator_test.go``, ``replacement_trigger_test.go``,
``replace_with_test.go``, ``protect_test.go`` and ``retain_on_delete_test.go``).
"""

from __future__ import annotations

import threading
from types import SimpleNamespace

import grpc
import pytest
from lifecycle_graph import begin, program, replacing
from lifecycle_toolbox import (
    A,
    Lifecycle,
    Monitor,
    Provider,
    adopt,
    alone,
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
from mockprovider.urn import Urn
from mockprovider.values import UNKNOWN, Output, Secret

STACK = "pulumi:pulumi:Stack"
NEW, DONE, GONE = "create-replacement", "replace", "delete-replaced"


def changed(key="A", **fields):
    """A handler of Diff: a change of the input ``key`` replaces."""

    def compare(call):
        return diff(key, **fields) if (call.prior_inputs or {}).get(key) != (call.inputs or {}).get(key) else None

    return compare


def two(now):
    """A program with resA, and resB whose property A depends on it; ``now`` has their inputs and options."""

    def run(monitor: Monitor) -> None:
        first = monitor.register(A, "resA", inputs={"A": now.a}, **getattr(now, "more", {}))
        fields = {"dependencies": [first.urn], "depends_by": {"A": [first.urn]}}
        monitor.register(A, "resB", inputs={"A": now.b}, **fields, **getattr(now, "others", {}))

    return run


def test_all_that_a_replacement_takes_along():
    """What it provides for, and what has a property that replaces from it, and theirs, are replaced with it."""
    stack = Lifecycle(replacing(first=True))
    begin(stack)
    up = stack.up(program)
    assert {Urn.parse(each).name for op, each in up.steps if op == "replace"} == set("ABCEFK")


def test_dependencies_that_are_not_by_property():
    """They are those of every property."""

    def run(monitor: Monitor) -> None:
        a, b = monitor.register(A, "A").urn, monitor.register(A, "B").urn
        both = {"A": "foo", "B": "bar"}
        c = monitor.register(A, "C", inputs=both, dependencies=[a, b]).urn
        monitor.register(A, "D", inputs=both, dependencies=[a, b, c], depends_by={"A": [b], "B": [a, c]})

    after = Lifecycle(Provider()).up(run).state
    a, b, c = (urn(A, name) for name in "ABC")
    assert (after["A"].dependencies, after["A"].property_dependencies) == ((), {})
    got = {key: set(value) for key, value in after["C"].property_dependencies.items()}
    assert (set(after["C"].dependencies), got) == ({a, b}, {"A": {a, b}, "B": {a, b}})
    got = {key: set(value) for key, value in after["D"].property_dependencies.items()}
    assert (set(after["D"].dependencies), got) == ({a, b, c}, {"A": {b}, "B": {a, c}})


def test_deleting_first_or_afterwards():
    """The program's word counts most, and then the provider's."""
    now = SimpleNamespace(a="foo", b="foo", more={}, first=False)
    stack = Lifecycle(echoing(diff=lambda call: changed(first=now.first)(call) or None))
    run = two(now)
    stack.up(run)
    after = {(NEW, "resA"), (DONE, "resA"), ("same", "resB"), (GONE, "resA")}
    before = [(GONE, "resB"), (GONE, "resA"), (DONE, "resA"), (NEW, "resA"), (DONE, "resB"), (NEW, "resB")]
    now.a = "bar"
    assert set(steps(stack.up(run))) == after
    now.a, now.more = "baz", {"deleteBeforeReplace": True}
    assert steps(stack.up(run)) == before
    now.b = "qux"
    assert steps(stack.up(run)) == [("same", "resA"), (NEW, "resB"), (DONE, "resB"), (GONE, "resB")]
    now.a, now.more = "zam", {}
    assert set(steps(stack.up(run))) == after
    now.a, now.first = "foo", True
    assert steps(stack.up(run)) == before
    now.a, now.more = "bar", {"deleteBeforeReplace": False}
    assert set(steps(stack.up(run))) == after


def test_what_has_gone_ahead_is_not_deleted():
    """A former dependent that is registered first, without the dependency, stays as it is."""
    now = SimpleNamespace(a="foo", b="foo")
    stack = Lifecycle(echoing(diff=changed(first=True)))
    stack.up(two(now))

    def run(monitor: Monitor) -> None:
        monitor.register(A, "resB", inputs={"A": "foo"})
        monitor.register(A, "resA", inputs={"A": "bar"})

    assert [op for op, name in steps(stack.up(run)) if name == "resB"] == ["same"]


def test_a_protected_dependent():
    """It keeps what it depends on from being replaced by deleting first."""
    now = SimpleNamespace(a="foo", b="foo", others={"protect": True})
    stack = Lifecycle(echoing(diff=changed(first=True)))
    stack.up(two(now))
    now.a = "bar"
    up = stack.up(two(now), expect_failure=True)
    assert (
        f'unable to replace resource "{urn(A, "resB")}" as part of replacing "{urn(A, "resA")}" '
        "as it is currently marked for protection." in errors(up)
    )
    now.others = {"protect": False}
    exported = stack.export()
    exported["deployment"]["resources"][2]["protect"] = False
    stack.import_(exported)
    assert len(stack.up(two(now)).state.every) == 3


def test_replacing_dependents_on_changes():
    """``replace_on_changes`` counts for what depends on something that is deleted first."""
    inputs = {"value": "foo"}

    def compare(call):
        return diff("value", first=True) if call.name == "resA" else None

    def run(monitor: Monitor) -> None:
        first = monitor.register(A, "resA", inputs=inputs)
        fields = {"dependencies": [first.urn], "depends_by": {"value": [first.urn]}, "replaceOnChanges": ["value"]}
        monitor.register(A, "resB", inputs={"value": first.outputs.get("value", UNKNOWN)}, **fields)

    stack = Lifecycle(echoing(diff=compare))
    stack.up(run)
    inputs = {"value": "bar"}
    up = stack.up(run)
    assert [name for op, name in steps(up) if op == GONE] == ["resB", "resA"]
    assert len(up.state.every) == 3


@pytest.mark.parametrize("first", ["resA", "resB"])
def test_deletions_that_race(first):
    """The old dependent goes before what it depended on, whichever Diff is answered first."""
    compared, deleted = threading.Event(), []

    def compare(call):
        if call.name == first:
            answer = changed(first=True)(call)
            compared.set()
            return answer
        compared.wait(5)
        return changed(first=True)(call)

    provider = echoing(diff=compare, delete=lambda call: deleted.append(call.name))
    stack = Lifecycle(provider, parallel=2)
    stack.up(two(SimpleNamespace(a="foo", b="foo")))

    def run(monitor: Monitor) -> None:
        both = [threading.Thread(target=monitor.register, args=(A, name), kwargs={"inputs": {"A": "bar"}}) for name in NAMES]
        for each in both:
            each.start()
        for each in both:
            each.join()

    assert (len(stack.up(run).state.every), deleted) == (3, ["resB", "resA"])


NAMES = ("resA", "resB")


def test_a_provider_that_is_updated_at_the_same_time():
    """A dependent is compared by the old provider, while the new one comes to be."""
    now = SimpleNamespace(length=16, version="1.1.1")

    def run(monitor: Monitor) -> None:
        answers = {}
        registering = [
            threading.Thread(
                target=lambda: answers.update(provider=monitor.provider("pkgA", "provA", version=now.version).reference)
            ),
            threading.Thread(
                target=lambda: answers.update(
                    above=monitor.register("pkgB:m:typB", "resB", inputs={"length": now.length}, deleteBeforeReplace=True).urn
                )
            ),
        ]
        for each in registering:
            each.start()
        for each in registering:
            each.join()
        monitor.register(A, "resA", inputs={"foo": "foo"}, provider=answers["provider"], depends_by={"foo": [answers["above"]]})

    of_b = echoing(diff=changed("length"))
    stack = Lifecycle({"pkgA": echoing(diff_config=changed("version")), "pkgB": of_b}, parallel=2)
    stack.up(run)
    now.length, now.version = 17, "1.2.1"
    stack.up(run)


# pending_replace_test.go


def pending(delete=None, create=None, *, compare=None):
    """A provider of which resA is to be replaced, by deleting first."""

    def replaced(call):
        if call.name == "resA":
            return diff("key", first=True)
        return diff() if call.name == "resB" else None

    return Provider(
        diff=compare or replaced, delete=lambda call: delete and delete(call), create=lambda c: create and create(c)
    )


def swap(stack, provider):
    """Let another provider answer from now on."""
    stack.provider.handlers = provider.handlers
    stack.provider.calls.clear()


def standing(run):
    """A stack that has been brought up once."""
    provider = Provider()
    stack = Lifecycle(provider)
    stack.provider = provider
    stack.up(run)
    return stack


def failing_for_a(call):
    """A handler that fails for resA."""
    return failing("interrupt replace") if call.name == "resA" else None


def test_a_deletion_that_fails_under_a_replacement():
    """Nothing is pending afterwards, and the next attempt replaces."""

    def run(monitor: Monitor) -> None:
        first = monitor.register(A, "resA")
        monitor.register(A, "resB", dependencies=[first.urn])

    stack = standing(run)
    swap(stack, pending(failing_for_a))
    up = stack.up(run, expect_failure=True)
    assert "interrupt replace" in errors(up)
    assert (names(up), up.state["resA"].pending_replacement) == (["resA", "resB"], False)
    assert {"diff", "delete"} <= set(stack.provider.ops("resA"))
    swap(stack, pending())
    up = stack.up(run)
    assert (names(up), {"diff", "delete", "create"} <= set(stack.provider.ops("resA", forget=False))) == (
        ["resA", "resB"],
        True,
    )
    assert "diff" in stack.provider.ops("resB")


@pytest.mark.parametrize("how", ["same", "gone", "updated"])
def test_going_on_with_a_replacement(how):
    """What has been deleted is only created, whatever Diff says, or forgotten if the program has lost it."""
    run = alone(A)
    stack = standing(run)
    swap(stack, pending(None, failing_for_a))
    up = stack.up(run, expect_failure=True)
    assert ("interrupt replace" in errors(up), names(up)) == (True, ["resA"])
    assert ("delete" in stack.provider.ops("resA"), up.state["resA"].pending_replacement) == (True, True)
    swap(stack, pending(compare=lambda _: diff(first=True)) if how == "updated" else pending())
    up = stack.up((lambda _: None) if how == "gone" else run)
    ops = stack.provider.ops("resA")
    assert ("delete" in ops, "create" in ops) == (False, how != "gone")
    if how == "gone":
        assert up.state.every == ()
    else:
        assert (len(up.state.every), up.state["resA"].pending_replacement) == (2, False)


def test_a_replacement_that_fails_again():
    """It stays pending, with what depends on it, until it succeeds."""

    def run(monitor: Monitor) -> None:
        first = monitor.register(A, "resA", deleteBeforeReplace=True)
        monitor.register(A, "resB", dependencies=[first.urn])

    stack = standing(run)
    compare = lambda call: diff("key") if call.name == "resA" else diff(changes=Changes.NONE)  # noqa: E731
    swap(stack, pending(None, failing_for_a, compare=compare))
    for _ in range(2):
        up = stack.up(run, expect_failure=True)
        assert "interrupt replace" in errors(up)
        assert (names(up), up.state["resA"].pending_replacement) == (["resA", "resB"], True)
    swap(stack, pending(compare=compare))
    up = stack.up(run)
    assert (names(up), up.state["resA"].pending_replacement) == (["resA", "resB"], False)


# pending_delete_test.go


@pytest.mark.parametrize("how", ["up", "destroy"])
def test_what_is_pending_deletion(how):
    """The old instance and the present one are deleted, once each."""
    provider = Provider()
    stack = Lifecycle(provider)
    adopt(stack, state(urn(A, "resA"), id="1"), state(urn(A, "resA"), id="0", delete=True))
    result = stack.up(lambda _: None) if how == "up" else stack.destroy()
    assert sorted(steps(result)) == [("delete", "resA"), ("delete-replaced", "resA")]
    assert sorted(call.id for call in provider.of(Op.DELETE)) == ["0", "1"]


def test_what_is_pending_deletion_and_no_target():
    """It stays."""
    stack = Lifecycle(Provider())
    adopt(stack, state(urn(A, "resA")), state(urn(A, "resB"), delete=True))
    (left,) = stack.destroy(target=[urn(A, "resA")]).state.every
    assert (left.urn, left.delete) == (urn(A, "resB"), True)


# step_generator_test.go


def test_a_urn_is_used_once():
    """A second registration is refused, and a read of that name, too."""
    seen = []

    def run(monitor: Monitor) -> None:
        monitor.register(A, "resA")
        for again in (lambda: monitor.register(A, "resA"), lambda: monitor.read(A, "resA", "id")):
            with pytest.raises(grpc.RpcError):
                again()
            seen.append("refused")

    up = Lifecycle(Provider()).up(run, expect_failure=True)
    assert (seen[0], "resA" in errors(up)) == ("refused", True)


def test_an_alias_is_used_once():
    """The second that claims it is refused."""
    stack = Lifecycle(Provider())
    stack.up(alone(A))

    def run(monitor: Monitor) -> None:
        monitor.register(A, "resB", aliasURNs=[urn(A, "resA")])
        monitor.register(A, "resC", aliasURNs=[urn(A, "resA")])

    stack.up(run, expect_failure=True)


def test_outputs_of_secret_inputs():
    """An output is secret where the input of that name is."""
    provider = Provider(create=lambda _: Reply(id="id", value={"shouldBeSecret": "bar"}))
    up = Lifecycle(provider).up(lambda monitor: monitor.register(A, "resA", inputs={"shouldBeSecret": Secret("bar")}))
    assert isinstance(up.state["resA"].outputs["shouldBeSecret"], Secret)


@pytest.mark.parametrize("id_", ["read-id", "created-id"])
def test_what_was_made_is_only_read(id_):
    """It is let go if the id is its own; otherwise it is replaced by what is read."""
    stack = Lifecycle(echoing(create=lambda call: Reply(id="" if call.preview else "created-id", value=call.inputs)))
    assert not stack.up(alone(A)).state["resA"].external
    up = stack.up(lambda monitor: monitor.read(A, "resA", id_))
    assert (len(up.state.every), up.state["resA"].external, up.state["resA"].id) == (2, True, id_)


def test_what_was_only_read_is_made():
    """The state has it as one's own."""
    stack = Lifecycle(echoing(create=lambda call: Reply(id="" if call.preview else "my-id", value=call.inputs)))
    assert stack.up(lambda monitor: monitor.read(A, "resA", "my-id")).state["resA"].external
    up = stack.up(alone(A))
    assert (len(up.state.every), up.state["resA"].external) == (2, False)


@pytest.mark.parametrize("ignored", [[], ["property"]])
def test_what_was_not_initialized(ignored):
    """It is updated although nothing has changed, and the errors are gone; what is ignored is told to the provider."""
    provider = Provider(update=lambda call: Reply(id=call.id, value=call.prior))
    stack = Lifecycle(provider)
    of_it = f"{provider_urn('pkgA')}::935b2216-aec5-4810-96fd-5f6eae57ac88"
    adopt(
        stack,
        state(provider_urn("pkgA"), id="935b2216-aec5-4810-96fd-5f6eae57ac88"),
        state(urn(A, "resA"), id="my-resource-id", provider=of_it, initErrors=["was not there"]),
    )
    up = stack.up(lambda monitor: monitor.register(A, "resA", ignoreChanges=ignored))
    assert (len(up.state.every), list(up.state["resA"].init_errors)) == (2, [])
    assert [list(call.ignore_changes) for call in provider.of(Op.UPDATE)] == [ignored]


def test_reading_what_is_not_there():
    """It fails, and the program does not hear of it."""
    returned = []

    def run(monitor: Monitor) -> None:
        monitor.read(A, "resA", "my-resource-id")
        returned.append(True)

    stack = Lifecycle(Provider(read=lambda _: Reply()))
    up = stack.up(run, expect_failure=True)
    assert ("resource 'my-resource-id' does not exist" in errors(up), returned) == (True, [])


# replacement_trigger_test.go


@pytest.mark.parametrize(
    ("first", "second", "op"),
    [
        ("first", "first", "same"),
        ("first", "second", "replace"),
        ("first", Secret("first"), "same"),
        (["first"], [Secret("first")], "same"),
        (Output("first"), Output("first"), "same"),
        ("first", Output("first"), "same"),
        ("first", Output("second"), "replace"),
    ],
)
def test_triggers(first, second, op):
    """Another value replaces; whether it is secret or an output is not looked at."""
    now = first
    stack = Lifecycle(echoing())
    run = lambda monitor: monitor.register(A, "resA", inputs={"foo": "bar"}, trigger=now)  # noqa: E731
    stack.up(run)
    now = second
    up = stack.up(run)
    assert (op in dict(map(reversed, steps(up))).values() or (op, "resA") in steps(up), len(up.state.every)) == (True, 2)


@pytest.mark.parametrize("value", [UNKNOWN, Output(UNKNOWN)])
def test_unknown_triggers(value):
    """They replace in a preview, and fail otherwise."""
    now = "first"
    stack = Lifecycle(echoing())
    run = lambda monitor: monitor.register(A, "resA", inputs={"foo": "bar"}, trigger=now)  # noqa: E731
    stack.up(run)
    now = value
    assert ("replace", "resA") in steps(stack.preview(run))
    up = stack.up(run, expect_failure=True)
    assert f"replacement trigger contains unknowns for {urn(A, 'resA')}" in errors(up)
    assert len(up.state.every) == 2


# replace_with_test.go


@pytest.mark.parametrize("first", [False, True])
def test_replacing_with_another(first):
    """What is to be replaced with another is replaced with it, whichever comes first of deleting and creating."""
    provider = echoing(diff=changed("foo", first=first))
    stack = Lifecycle(provider)
    foo = "bar"

    def run(monitor: Monitor) -> None:
        above = monitor.register(A, "resA", inputs={"foo": foo})
        monitor.register(A, "resB", inputs={"fixed": "property"}, replace_with=[above.urn])

    before = stack.up(run).state
    foo = "baz"
    provider.calls.clear()
    after = stack.up(run).state
    assert sorted(call.name for call in provider.of(Op.DELETE)) == ["resA", "resB"]
    assert sorted(call.name for call in provider.of(Op.CREATE) if not call.preview) == ["resA", "resB"]
    assert all(before[name].id != after[name].id for name in NAMES)


def test_replacing_with_one_and_deleting_with_another():
    """The old object is not deleted where what it goes with is deleted, too."""
    provider = echoing(diff=changed("foo"))
    stack = Lifecycle(provider)
    foo = "bar"

    def run(monitor: Monitor) -> None:
        fields = {"deletedWith": monitor.register(A, "resB").urn} if foo == "bar" else {}
        c = monitor.register(A, "resC", inputs={"foo": foo})
        monitor.register(A, "resA", replace_with=[c.urn], **fields)

    before = stack.up(run).state
    assert before["resA"].deleted_with == before["resB"].urn
    assert list(before["resA"].replace_with) == [before["resC"].urn]
    foo = "baz"
    provider.calls.clear()
    up = stack.up(run)
    assert len(up.state.every) == 3
    assert sorted(call.name for call in provider.of(Op.CREATE) if not call.preview) == ["resA", "resC"]
    assert sorted(call.name for call in provider.of(Op.DELETE)) == ["resB", "resC"]


# protect_test.go and retain_on_delete_test.go


def test_many_protected_deletions():
    """Each is complained of, in a preview and in an update."""
    here = True

    def run(monitor: Monitor) -> None:
        monitor.component(STACK, "test")
        for name in NAMES if here else ():
            monitor.register(A, name, protect=True)

    stack = Lifecycle(Provider())
    stack.up(run)
    here = False
    for result in (stack.preview(run, expect_failure=True), stack.up(run, expect_failure=True)):
        assert all(f'{name}" cannot be deleted' in errors(result) for name in NAMES)


def test_protection_of_children():
    """A child is protected as its parent is, unless it says otherwise."""

    def run(monitor: Monitor) -> None:
        parent = monitor.component("my_component", "parent", protect=True)
        monitor.register(A, "resA", parent=parent.urn)
        monitor.register(A, "resB", parent=parent.urn, protect=False)

    up = Lifecycle(Provider()).up(run)
    assert [(each.name, each.protect) for each in up.state.every if not each.is_provider] == [
        ("parent", True),
        ("resA", True),
        ("resB", False),
    ]


def test_an_old_instance_beside_a_protected_dependent():
    """It is deleted, and what the protected one depends on stays."""

    def run(monitor: Monitor) -> None:
        first = monitor.register(A, "resA")
        monitor.register(A, "resB", protect=True, dependencies=[first.urn])

    stack = standing(run)
    swap(stack, Provider(diff=lambda c: diff("__replace") if c.name == "resA" else None, delete=failing_for_a))
    up = stack.up(run, expect_failure=True)
    assert ("interrupt replace" in errors(up), len(up.state.every)) == (True, 4)
    swap(stack, Provider())
    down = stack.destroy(expect_failure=True)
    assert f'resource "{urn(A, "resB")}" cannot be deleted' in errors(down)
    assert names(down) == ["resA", "resB"]


def test_retained_objects():
    """Neither a replacement nor a deletion asks the provider to delete."""
    provider = echoing(diff=changed("foo"))
    stack = Lifecycle(provider)
    foo = "bar"

    def run(monitor: Monitor) -> None:
        if foo:
            monitor.register(A, "resA", inputs={"foo": foo}, retainOnDelete=True)

    before = stack.up(run).state["resA"].id
    foo = "baz"
    assert stack.up(run).state["resA"].id != before
    foo = ""
    assert (stack.up(run).state.every, provider.of(Op.DELETE)) == ((), [])

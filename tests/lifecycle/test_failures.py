"""Going on after a failure (Pulumi's ``continue_on_error_test.go``), and what ``update_test.go`` and others show."""

from __future__ import annotations

import grpc
import pytest
from lifecycle_toolbox import (
    A,
    B,
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
    urn,
    way_back,
)

from mockprovider.calls import Reply
from mockprovider.values import UNKNOWN

FAIL, SKIP, SUCCESS = 1, 2, 0
STACK = "pulumi:pulumi:Stack"


def pair(**of_b):
    """Two packages, of which pkgB fails as told."""
    return Lifecycle({"pkgA": Provider(), "pkgB": Provider(**of_b)})


def independents(monitor: Monitor, **fields):
    """Three resources that depend on each other, and on no other; their results."""
    results, before = [], []
    for number in (1, 2, 3):
        made = monitor.register(A, f"independent{number}", dependencies=before, **fields)
        before = [made.urn]
        results.append(made.result)
    return results


def test_a_destroy_goes_on():
    """What nothing that failed depends on is deleted."""
    here = True

    def run(monitor: Monitor) -> None:
        if here:
            one = monitor.register(A, "unrelated1").urn
            monitor.register(A, "unrelated2", dependencies=[one])
            dependency = monitor.register(A, "dependency").urn
            monitor.register(B, "failing", dependencies=[dependency])
            monitor.register(A, "anotherUnrelatedRes")

    stack = pair(delete=lambda _: failing("intentionally failed delete"))
    assert len(stack.up(run, continue_on_error=True).state.every) == 7
    here = False
    up = stack.up(run, continue_on_error=True, expect_failure=True)
    assert "intentionally failed delete" in errors(up)
    assert [each.urn for each in up.state.every] == [
        provider_urn("pkgA"),
        urn(A, "dependency"),
        provider_urn("pkgB"),
        urn(B, "failing"),
    ]


def test_creations_that_fail():
    """The program hears of each, and of what was skipped; what was half made is in the state if it has an id."""

    def create(call):
        if call.name == "failing3":
            return failing("intentionally failed create", id="fakeid", value={})
        return failing("intentionally failed create")

    seen = {}

    def run(monitor: Monitor) -> None:
        first = monitor.register(B, "failing")
        seen["failed"] = [first.result, *(monitor.register(B, name).result for name in ("failing2", "failing3"))]
        seen["made"] = independents(monitor)
        seen["skipped"] = monitor.register(A, "dependentOnFailing", dependencies=[first.urn]).result

    up = pair(create=create).up(run, continue_on_error=True, expect_failure=True)
    assert "intentionally failed create" in errors(up)
    assert seen == {"failed": [FAIL] * 3, "made": [SUCCESS] * 3, "skipped": SKIP}
    assert sorted(names(up)) == ["failing3", "independent1", "independent2", "independent3"]


@pytest.mark.parametrize("partial", [False, True])
@pytest.mark.parametrize("refresh", [False, True])
@pytest.mark.parametrize("reports", [False, True])
def test_updates_that_fail(partial, refresh, reports):
    """They leave the inputs as they were, or as a refresh found them; an SDK of old is told by an error."""

    def update(call):
        return failing("intentionally failed update", **({"id": call.id, "value": {}} if partial else {}))

    read = {"read": lambda call: Reply(id=call.id, inputs={}, value={})} if refresh else {}
    stack, foo, seen = pair(update=update, **read), "bar", []
    options = {"supportsResultReporting": reports}

    def run(monitor: Monitor) -> None:
        def failing_one():
            return monitor.register(B, "failing", inputs={"foo": foo}, **options).result

        if foo == "baz" and not reports:
            with pytest.raises(grpc.RpcError, match="resource registration failed"):
                failing_one()
            seen.append("error")
        else:
            seen.append(failing_one())
        if foo == "baz":
            seen.extend(independents(monitor, **options))

    fields = {"continue_on_error": True, "refresh": refresh}
    stack.up(run, **fields)
    foo = "baz"
    up = stack.up(run, expect_failure=True, **fields)
    assert "intentionally failed update" in errors(up)
    assert seen == [SUCCESS, FAIL if reports else "error", *[SUCCESS] * 3]
    assert sorted(names(up)) == ["failing", "independent1", "independent2", "independent3"]
    if not partial:
        assert up.state["failing"].inputs == ({} if refresh else {"foo": "bar"})


def test_creations_that_fail_and_sdks_of_old():
    """They are told by an error, and may go on."""
    seen = []

    def run(monitor: Monitor) -> None:
        with pytest.raises(grpc.RpcError, match="resource registration failed"):
            monitor.register(B, "failing", supportsResultReporting=False)
        seen.extend(independents(monitor, supportsResultReporting=False))

    up = pair(create=lambda _: failing("intentionally failed create")).up(run, continue_on_error=True, expect_failure=True)
    assert ("intentionally failed create" in errors(up), seen) == (True, [SUCCESS] * 3)
    assert [each.name for each in up.state.every] == ["default", "default", "independent1", "independent2", "independent3"]


def test_deletions_after_a_failure():
    """What the program has lost is deleted all the same."""
    update = False

    def run(monitor: Monitor) -> None:
        monitor.register(B, "failedUp") if update else monitor.register(A, "willBeDeleted")

    stack = pair(create=lambda _: failing("intentionally failed create"))
    stack.up(run, continue_on_error=True)
    update = True
    up = stack.up(run, continue_on_error=True, expect_failure=True)
    assert ([each.urn for each in up.state.every], "intentionally failed create" in errors(up)) == (
        [provider_urn("pkgB")],
        True,
    )


def test_an_import_that_fails():
    """An SDK of old is told by an error."""
    seen = []

    def run(monitor: Monitor) -> None:
        with pytest.raises(grpc.RpcError, match="resource registration failed"):
            monitor.register(A, "resA", importId="id", supportsResultReporting=False)
        seen.append(True)

    stack = Lifecycle(echoing(read=lambda _: failing("intentionally failed read")))
    up = stack.up(run, continue_on_error=True, expect_failure=True)
    assert ("intentionally failed read" in errors(up), len(up.state.every), seen) == (True, 1, [True])


def test_what_needs_what_failed():
    """It is skipped, whether as a child, by a property or as what goes with it."""
    seen = {}

    def run(monitor: Monitor) -> None:
        for field in ("parent", "deletedWith", "depends_by"):
            above = monitor.register(B, f"{field}1")
            value = {"foo": [above.urn]} if field == "depends_by" else above.urn
            seen[field] = above.result, monitor.register(A, f"{field}2", **{field: value}).result
        seen["independent"] = monitor.register(A, "independent").result

    up = pair(create=lambda _: failing("intentionally failed create")).up(run, continue_on_error=True, expect_failure=True)
    assert seen == {**dict.fromkeys(("parent", "deletedWith", "depends_by"), (FAIL, SKIP)), "independent": SUCCESS}
    assert [each.name for each in up.state.every] == ["default", "default", "independent"]


def test_another_provider_and_a_failure():
    """The old provider stays with the resource that could not be replaced."""
    first = True

    def run(monitor: Monitor) -> None:
        if first:
            monitor.register(A, "resA", provider=monitor.provider("pkgA", "provA").reference)
            return
        reference = monitor.provider("pkgA", "provB", version="2.0.0").reference
        with pytest.raises(grpc.RpcError, match="resource registration failed"):
            monitor.register(A, "resA", provider=reference, version="2.0.0", supportsResultReporting=False)

    provider = Provider(diff_config=lambda _: diff("version"))
    stack = Lifecycle(provider)
    stack.up(run, continue_on_error=True)
    first = False
    provider.handlers["create"] = lambda _: failing("interrupt replace")
    up = stack.up(run, continue_on_error=True, expect_failure=True)
    assert ("interrupt replace" in errors(up), [each.name for each in up.state.every]) == (True, ["provB", "provA", "resA"])


# update_test.go and preview_test.go


def test_a_renamed_component_with_a_child_that_is_read():
    """The child has its new parent, once."""
    type_ = "pkg:index:typA.Repro"

    def run(monitor: Monitor) -> None:
        specs = [] if type_ == "pkg:index:typA.Repro" else [{"name": "test", "type": "pkg:index:typA.Repro"}]
        component = monitor.component(type_, "test", alias_specs=specs).urn
        monitor.read("pkgA:iam:Policy", "policy", "arn:policy", parent=component)
        monitor.outputs(component)

    stack = Lifecycle(Provider())
    up = stack.up(run)
    assert (len(up.state.every), up.state.every[2].parent) == (3, urn(type_, "test"))
    type_ = "pkg:typA:Repro"
    up = stack.up(run)
    assert (len(up.state.every), up.state.every[0].urn, up.state.every[2].parent) == (3, urn(type_, "test"), urn(type_, "test"))


def test_an_old_child_of_a_target():
    """It would go with the target, so it must be one."""
    child = urn(A, "childA", A)
    stack = Lifecycle(Provider())
    adopt(stack, state(urn(A, "resA")), state(child, id="id1", delete=True, parent=urn(A, "resA")))
    up = stack.up(lambda _: None, target=[urn(A, "resA")], expect_failure=True)
    assert f"Resource '{child}' will be destroyed but was not specified in --target list." in errors(up)


def test_a_remote_component_that_is_no_target():
    """It is left out, and its outputs with it."""
    more = False

    def construct(call):
        engine = way_back(call)
        component = engine.component(call.type, call.name, parent=call.extra.get("parent", ""))
        engine.outputs(component.urn)
        return Reply(value={}, extra={"urn": component.urn})

    def run(monitor: Monitor) -> None:
        monitor.register(A, "existingResource")
        if more:
            monitor.component(A, "newComponent", remote=True)

    stack = Lifecycle(Provider(construct=construct))
    stack.up(run)
    more = True
    assert names(stack.up(run, target=[urn(A, "existingResource")])) == ["existingResource"]


def test_a_refresh_of_a_target_below_a_provider_s_parent():
    """A target with another parent than before keeps the provider that it has."""
    component = urn("pkgA:index:Component", "comp")
    of_child = urn("pulumi:providers:pkgB", "childProv", "pkgA:index:Component")
    target = urn("pkgB:index:ResA", "resA", "pkgA:index:Component")

    def run(monitor: Monitor) -> None:
        monitor.component("pkgA:index:Component", "comp")
        monitor.provider("pkgB", "childProv")
        monitor.component("pkgB:index:ResA", "resA", aliasURNs=[target])

    stack = Lifecycle(Provider(read=lambda _: failing("read failure")))
    adopt(
        stack,
        state(component),
        state(of_child, id="id-childProv", parent=component),
        state(target, provider=f"{of_child}::id-childProv", parent=component),
    )
    stack.up(run, refresh=True, target=[target])
    stack.import_(stack.export())


def test_outputs_of_a_stack_in_a_preview():
    """They are those that the program registers."""
    first = "abc"

    def run(monitor: Monitor) -> None:
        stack_ = monitor.component(STACK, "project-dev")
        monitor.outputs(stack_.urn, first=first, second="def")

    stack = Lifecycle(Provider())
    stack.up(run)
    for first in ("step 1", UNKNOWN):
        assert stack.preview(run).outputs == {"first": first, "second": "def"}

"""Resource hooks (Pulumi's ``resource_hooks_test.go``), served over gRPC by programs without an SDK."""

from __future__ import annotations

import grpc
import pytest
from hook_toolbox import CallbackServer, bound
from lifecycle_toolbox import A, Lifecycle, Monitor, Provider, echoing, errors, names, urn, way_back

from mockprovider.calls import Op, Reply

WHENS = [f"{when}_{op}" for op in ("create", "update", "delete") for when in ("before", "after")]


class Program:
    """A program with one resource, ``resA``, and a hook at each moment that is asked for.

    ``told`` are what the hooks were told, by name; those named in ``broken`` fail.
    """

    def __init__(self, *whens, type_=A, custom=True, after=False, **options):
        self.whens, self.type, self.custom, self.after, self.options = whens, type_, custom, after, options
        self.there, self.inputs, self.broken = True, {"a": "A"}, set()
        self.told = []
        self.fields = {}

    def __call__(self, monitor: Monitor) -> None:
        """Register the hooks and the resource, and wait for the deletions."""
        with CallbackServer(monitor) as server:
            hooks = {when: [server.hook(when, self._function(when), **self.options)] for when in self.whens}
            if self.there:
                registered = monitor.register(
                    self.type, "resA", self.custom, inputs=self.inputs, hooks=bound(**hooks), **self.fields
                )
                if not self.custom and not self.fields.get("remote"):
                    monitor.outputs(registered.urn, out="out")
            if self.after:
                monitor.register(A, "resB")
            monitor.raw.SignalAndWaitForShutdown(None)

    def _function(self, when):
        def function(told):
            self.told.append((when, told))
            if when in self.broken:
                raise ValueError("Oh no")

        return function

    def bags(self):
        """The bags of each call, and forget them."""
        told, self.told = self.told, []
        return {when: (call.new_inputs, call.old_inputs, call.new_outputs, call.old_outputs) for when, call in told}


def test_previews():
    """A preview calls the hooks that are meant for it, and no others."""
    for on_dry_run in (True, False):
        program = Program("after_create", on_dry_run=on_dry_run)
        stack = Lifecycle(echoing())
        stack.preview(program)
        assert [when for when, _ in program.told] == ["after_create"] * on_dry_run
        stack.up(program)
        assert (len(program.told), names(stack.up(program))) == (1 + on_dry_run, ["resA"])


def test_what_hooks_are_told():
    """Hooks see checked inputs and outputs, new and old, as far as they are there at that moment."""
    checked = {"a": "A", "c": "C"}
    made = {"a": "A", "b": "B", "c": "C"}
    provider = Provider(
        check=lambda call: Reply(inputs={"c": "C", **call.inputs}),
        create=lambda call: Reply(id="made", value={"b": "B", **call.inputs}),
    )
    stack, program = Lifecycle(provider), Program(*WHENS)
    stack.up(program)
    told = program.told[0][1]
    assert (told.urn, told.name, told.type, told.id) == (urn(A, "resA"), "resA", A, "")
    assert program.told[1][1].id == "made"
    assert program.bags() == {
        "before_create": (checked, None, None, None),
        "after_create": (checked, None, made, None),
    }
    program.inputs = {"a": "changed"}
    stack.up(program)
    new = {"a": "changed", "c": "C"}
    assert {told.id for _, told in program.told} == {"made"}
    assert program.bags() == {
        "before_update": (new, checked, None, made),
        "after_update": (new, checked, new, made),
    }
    program.there = False
    stack.up(program)
    assert program.bags() == {"before_delete": (None, new, None, new), "after_delete": (None, new, None, new)}
    assert stack.state.names() == set()


def test_options_are_told():
    """Hooks are told the options of the resource, those of before and those of now."""
    program = Program("before_create", "before_update", custom=False, type_="my:index:Component")
    program.fields = {
        "protect": True,
        "retainOnDelete": True,
        "ignoreChanges": ["a"],
        "replaceOnChanges": ["b"],
        "additionalSecretOutputs": ["secret"],
    }
    stack = Lifecycle(Provider())
    stack.up(program)
    told = program.told.pop()[1]
    assert told.old_options is None
    options = told.new_options
    assert (options.protect, options.retain_on_delete) == (True, True)
    assert (list(options.ignore_changes), list(options.replace_on_changes)) == (["a"], ["b"])
    assert list(options.additional_secret_outputs) == ["secret"]
    assert (list(options.hooks.before_create), list(options.hooks.before_update)) == (["before_create"], ["before_update"])
    program.fields = {"protect": False, "ignoreChanges": ["x"]}
    program.inputs = {"a": "B"}
    stack.up(program)
    told = program.told.pop()[1]
    assert (told.old_options.protect, told.new_options.protect) == (True, False)
    assert (list(told.old_options.ignore_changes), list(told.new_options.ignore_changes)) == (["a"], ["x"])


def test_the_parent_and_dependencies_are_told():
    """Hooks are told a resource's parent and what it depends on."""
    told = []

    def program(monitor: Monitor) -> None:
        with CallbackServer(monitor) as server:
            parent = monitor.component("pkgA:m:parent", "parent")
            hooks = bound(before_create=[server.hook("hook", told.append)])
            monitor.register(A, "resA", parent=parent.urn, dependencies=[parent.urn], hooks=hooks)

    Lifecycle(Provider()).up(program)
    assert [told[0].new_options.parent, *told[0].new_options.depends_on] == [urn("pkgA:m:parent", "parent")] * 2


@pytest.mark.parametrize("when", ["before_create", "before_update", "before_delete"])
def test_a_hook_that_fails_before(when):
    """A hook that fails before a step is the step's failure: nothing is done."""
    provider = echoing()
    stack, program = Lifecycle(provider), Program(when)
    if when != "before_create":
        stack.up(program)
    program.inputs = {"a": "B"}
    program.there = when != "before_delete"
    program.broken.add(when)
    failed = stack.up(program, expect_failure=True)
    assert f'before hook "{when}" failed: Oh no' in errors(failed)
    assert provider.of(when.removeprefix("before_")) == []
    assert [state.inputs for state in failed.state.every if not state.is_provider] == (
        [] if when == "before_create" else [{"a": "A"}]
    )


@pytest.mark.parametrize("when", ["after_create", "after_delete"])
@pytest.mark.parametrize("going_on", [False, True])
def test_a_hook_that_fails_after(when, going_on):
    """What was done stays in the state; nothing new begins, unless the operation goes on after errors."""
    stack, program = Lifecycle(echoing()), Program(when, after=when == "after_create")
    if when == "after_delete":
        stack.up(program)
        program.there = False
    program.broken.add(when)
    failed = stack.up(program, expect_failure=True, continue_on_error=going_on)
    assert f'after hook "{when}" failed: Oh no' in errors(failed)
    assert names(failed) == (["resA", "resB"][: 1 + going_on] if when == "after_create" else [])


@pytest.mark.parametrize("when", ["before_create", "after_create"])
def test_failures_that_are_ignored(when):
    """The failure of a hook that is to be ignored is a warning."""
    stack, program = Lifecycle(echoing()), Program(when, ignore_errors=True)
    program.broken.add(when)
    up = stack.up(program)
    kind = {"before_create": "BeforeCreate", "after_create": "AfterCreate"}[when]
    assert [(line.severity, line.message, line.urn) for line in up.diagnostics] == [
        ("warning", f'{kind} hook "{when}" failed: Oh no', urn(A, "resA"))
    ]
    assert names(up) == ["resA"]


def test_hooks_of_the_new_program_are_called():
    """An update calls the hooks that the program gives now, not those that the state knows."""
    stack, before, after = Lifecycle(echoing()), Program("before_update"), Program("before_update", "after_update")
    stack.up(before)
    after.inputs = {"a": "B"}
    stack.up(after)
    assert (before.told, [when for when, _ in after.told]) == ([], ["before_update", "after_update"])


def test_destroys():
    """A destroy calls the hooks of deletions where it runs the program, and refuses to go without it."""
    stack, program = Lifecycle(echoing()), Program("before_delete", "after_delete")
    stack.up(program)
    failed = stack.destroy(expect_failure=True)
    assert errors(failed).startswith(
        "Resource has delete hooks registered, but the program is not running. Hooks: before_delete, after_delete\n"
        "You must run with the `--run-program` flag to use delete hooks during destroy."
    )
    assert (names(failed), program.told) == (["resA"], [])
    assert names(stack.destroy(program, run_program=True)) == []
    assert [when for when, _ in program.told] == ["before_delete", "after_delete"]


def constructing(call):
    """Construct a component of another type, with the hooks that were asked for."""
    engine = way_back(call)
    component = engine.component("pkgA:m:typB", call.name, inputs=call.inputs, hooks=call.extra["resource_hooks"])
    engine.outputs(component.urn, outA="outA")
    return Reply(value={"outA": "outA"}, extra={"urn": component.urn})


def test_remote_components():
    """The hooks of a remote component are called about what its provider registers."""
    stack, program = Lifecycle(Provider(construct=constructing)), Program("after_create", "after_delete", custom=False)
    program.fields = {"remote": True}
    stack.up(program)
    ((when, told),) = program.told
    assert (when, told.urn, told.type, told.new_outputs) == (
        "after_create",
        urn("pkgA:m:typB", "resA"),
        "pkgA:m:typB",
        {"outA": "outA"},
    )
    program.told.clear()
    program.there = False
    stack.up(program)
    assert program.bags() == {"after_delete": (None, {"a": "A"}, None, {"outA": "outA"})}


def test_byte_strings():
    """Byte strings reach a hook that accepts them."""
    stack, program = Lifecycle(echoing()), Program("before_create")
    program.inputs = {"bytes": b"\xff\x00"}
    stack.up(program)
    assert program.bags() == {"before_create": ({"bytes": b"\xff\x00"}, None, None, None)}


def test_names_of_hooks():
    """A hook needs a name that no other hook has; what names an unknown one fails when it would be called."""

    def program(monitor: Monitor) -> None:
        with CallbackServer(monitor) as server:
            server.hook("hook", print)
            for name, said in (
                ("hook", 'resource hook already registered for name "hook"'),
                ("", "resource hook name cannot be empty"),
            ):
                with pytest.raises(grpc.RpcError, match=said):
                    server.error_hook(name, print)
            monitor.register(A, "resA", hooks=bound(before_update=["unknown"]))
            monitor.register(A, "resB", hooks=bound(before_create=["unknown"]))

    failed = Lifecycle(echoing()).up(program, expect_failure=True)
    assert (errors(failed), names(failed)) == ('hook "unknown" was not registered', ["resA"])


def test_a_program_that_has_gone():
    """A hook that cannot be reached has failed."""

    def program(monitor: Monitor) -> None:
        with CallbackServer(monitor) as server:
            server.hook("hook", print)
        monitor.register(A, "resA", hooks=bound(before_create=["hook"]))

    failed = Lifecycle(echoing()).up(program, expect_failure=True)
    assert 'before hook "hook" failed: rpc error: code = Unavailable' in errors(failed)
    assert names(failed) == []


def test_calls_are_made_once():
    """Hooks change nothing of what the provider is asked."""
    provider = echoing()
    stack, program = Lifecycle(provider), Program(*WHENS)
    stack.up(program)
    assert provider.ops("resA") == [Op.CHECK, Op.CREATE]

"""Hooks through the real SDK: of programs in this process, in a process of their own, and in the embedded engine's own ways."""

from __future__ import annotations

import asyncio
import json
from types import SimpleNamespace

import pulumi
import pytest
from click.testing import CliRunner
from engine_toolbox import BUCKET, Bucket, make
from hook_toolbox import Noted
from pulumi import ErrorHook, ResourceHook, ResourceHookBinding, ResourceOptions

from mockprovider.calls import Failure, Reply
from mockprovider.cli import main
from mockprovider.engine.hooks import messages as wire
from mockprovider.engine.hooks.calling import Hooks
from mockprovider.engine.hooks.occasions import Hook, Occasion
from mockprovider.engine.providers.instance import CallFailedError
from mockprovider.engine.providers.resource_calls import Outcome
from mockprovider.errors import DefinitionError
from mockprovider.pulumi.stacks.state import ResourceState

PROGRAM = """
import pulumi

def told(args):
    pulumi.log.info(f"{args.name} {sorted((args.new_outputs or args.old_outputs or {}).items())}")

def patient(args):
    pulumi.log.info(f"{args.failed_operation} {args.errors}")
    return True

class Bucket(pulumi.CustomResource):
    def __init__(self, name, opts=None):
        super().__init__("cloud:index:Bucket", name, {"acl": "x"}, opts)

hook, again = pulumi.ResourceHook("told", told), pulumi.ErrorHook("patient", patient)
Bucket("logs", pulumi.ResourceOptions(
    hooks=pulumi.ResourceHookBinding(after_create=[hook], after_delete=[hook], on_error=[again])
))
"""


@pytest.fixture
def project(tmp_path):
    """A project folder with a Python program that has hooks."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "Pulumi.yaml").write_text("name: shop\nruntime: python\n")
    (folder / "__main__.py").write_text(PROGRAM)
    return folder


def messages(result):
    """What the user was told, without what is told of attempts."""
    return [line.message for line in result.diagnostics if line.severity == "info"]


@pytest.mark.parametrize("parallel", [1, 4])
def test_hooks_in_a_process_of_their_own(project, parallel):
    """A program in a process of its own is asked over gRPC, also when it waits for the deletions."""
    stack, double, _ = make(project="shop", parallel=parallel)
    double.faults.on.create(name="logs").error("try later")
    up = stack.up(project)
    id_ = up.state["logs"].id
    properties = [("acl", "x"), ("arn", f"arn:cloud:::{id_}")]
    assert messages(up) == ["create ['try later']", f"logs {properties}"]
    assert messages(stack.destroy(project, run_program=True)) == [f"logs {properties}"]
    assert double.cloud.objects() == []


@pytest.mark.parametrize("parallel", [1, 4])
def test_hooks_that_wait(parallel):
    """A hook may be ``async``, and use the values that it is given later, in a program that waits for the engine or not."""
    seen = []

    async def before(args):
        await asyncio.sleep(0)
        seen.append(args.name)
        args.new_inputs["token"].apply(seen.append)

    def program():
        hooks = ResourceHookBinding(before_create=[ResourceHook("before", before)])
        Bucket("a", ResourceOptions(hooks=hooks), token=pulumi.Output.secret("t"))

    stack, _, _ = make(parallel=parallel)
    stack.up(program)
    assert seen == ["a", "t"]


def test_hooks_that_call_functions():
    """A hook may call functions of providers, and log."""
    seen = []

    async def after(_):
        found = await pulumi.runtime.invoke_async("cloud:index:getZone", {"region": "eu"})
        seen.append(found["zone"])
        pulumi.log.info("looked it up")

    def program():
        Bucket("a", ResourceOptions(hooks=ResourceHookBinding(after_create=[ResourceHook("after", after)])))

    stack, _, _ = make()
    assert (messages(stack.up(program)), seen) == (["looked it up"], ["zone-eu"])


def test_two_programs_with_hooks_of_one_name():
    """Each run knows the hooks of its own program."""
    noted = [Noted(), Noted()]
    for each in noted:
        stack, _, _ = make()
        stack.up(lambda each=each: Bucket("a", ResourceOptions(hooks=each.everywhere())))
    assert [each.names() for each in noted] == [["before_create a", "after_create a"]] * 2


def test_bound_hooks_are_in_the_state():
    """An exported state says which hooks are bound, and a stack that imports it knows."""
    noted = Noted()

    def program():
        hooks = ResourceHookBinding(after_delete=[noted.hook("gone")], on_error=[ErrorHook("patient", lambda _: True)])
        Bucket("a", ResourceOptions(hooks=hooks))

    stack, double, _ = make()
    exported = stack.up(program) and stack.export()
    (bucket,) = (each for each in exported["deployment"]["resources"] if each["type"] == BUCKET)
    assert bucket["resourceHooks"] == {"AfterDelete": ["gone"], "OnError": ["patient"]}
    other, _, _ = make()
    other.import_(exported)
    assert other.export()["deployment"]["resources"] == exported["deployment"]["resources"]
    assert double.cloud.objects() != []


def test_a_program_that_nobody_would_run():
    """A refresh or destroy that is given a program, and not told to run it, is refused."""
    stack, _, _ = make()
    for operation in (stack.refresh, stack.destroy):
        with pytest.raises(DefinitionError, match="runs no program, unless it is told run_program=True"):
            operation(lambda: None)


def test_the_command_line_runs_the_program(project, tmp_path):
    """``mockprovider run DIR destroy --run-program`` calls the hooks, without it they are asked for."""
    properties = {"acl": {"type": "string"}, "arn": {"type": "string", "computed": "arn:{id}"}}
    types = tmp_path / "types.json"
    types.write_text(
        json.dumps({"mockprovider": 1, "packages": {"cloud": {"resources": {BUCKET: {"properties": properties}}}}})
    )

    def run(*arguments):
        return CliRunner().invoke(main, ["run", str(project), *arguments, "--types", str(types)])

    assert "up: 1 create" in run("up").output
    assert "the program is not running" in run("destroy").output
    destroyed = run("destroy", "--run-program")
    assert ("destroy: 1 delete" in destroyed.output, "logs [(" in destroyed.output) == (True, True)


def state(**hooks):
    """A bucket with these hooks."""
    urn = "urn:pulumi:dev::project::cloud:index:Bucket::b"
    return ResourceState(urn=urn, type=BUCKET, custom=True, id="1", resource_hooks=hooks)


@pytest.mark.parametrize("op", ["create", "update", "delete"])
@pytest.mark.parametrize("when", ["before", "after"])
def test_hooks_are_found_by_what_states_call_them(op, when):
    """A state has the hooks of each occasion under a name of its own."""
    kind = when.capitalize() + op.capitalize()
    assert Occasion(op, new=state(**{kind: ("h",), "OnError": ("other",)})).bound(when) == (kind, ("h",))


def test_what_a_hook_is_told_of_nothing():
    """Empty inputs and outputs are there all the same, and a side that there is not is missing."""
    requests = []

    def answer(request, response):
        requests.append(request)
        response.retry = True
        return response

    assert wire.ask(Hook("h", answer, frozenset()), Occasion("update", state(), state()), ["no"])
    assert wire.ask(Hook("h", answer, frozenset()), Occasion("create", None, state()), ["no"])
    update, create = requests
    assert [update.HasField(name) for name in ("new_inputs", "old_inputs", "old_outputs")] == [True] * 3
    assert [create.HasField(name) for name in ("new_inputs", "old_inputs", "old_outputs")] == [True, False, False]


def test_an_attempt_that_was_half_a_success_is_remembered():
    """What the last one of these left undone stays told, also where an attempt failed altogether after it."""

    def again(_, response):
        response.retry = True
        return response

    def attempt():
        outcome = next(outcomes)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    failure = CallFailedError(Reply(failures=(Failure("gone"),)))
    outcomes = iter([Outcome("1", {}, None, ("slow",)), failure, Outcome("1", {"a": 1})])
    hooks, run = Hooks(), SimpleNamespace(log=lambda *_: None)
    hooks.register(Hook("h", again, frozenset()), on_error=True)
    assert hooks.tried(run, Occasion("create", new=state(OnError=("h",))), attempt) == Outcome(
        "1", {"a": 1}, past_errors=("slow",)
    )

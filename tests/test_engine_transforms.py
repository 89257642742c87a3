"""Transforms under the embedded engine: order, threads, failures, and programs in processes of their own."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace

import component_toolbox
import pulumi
import pytest
from engine_toolbox import Bucket, Component, make
from pulumi import ResourceOptions, ResourceTransformResult
from pulumi.runtime.proto import callback_pb2, resource_pb2
from transform_toolbox import adding, constructed, inheriting, invoking, nested, options

from mockprovider import Double, Stack
from mockprovider.calls import Op
from mockprovider.engine.programs.transforms import Transforms
from mockprovider.engine.registrations.family import Family
from mockprovider.errors import ProgramError
from mockprovider.pulumi.values import decode, encode
from mockprovider.schema import Package, Property
from mockprovider.values import Output, Secret


def acls(result):
    """What the buckets of a result were given as ``acl``."""
    return {name: result.state[name].inputs.get("acl") for name in ("deep", "bare", "secret") if name in result.state}


@pytest.mark.parametrize("parallel", [1, 4])
def test_own_come_first_and_the_stack_s_last(parallel):
    """A resource's own transforms run in their order, then its parents' from the inside out, then the stack's."""
    stack, _, _ = make(parallel=parallel)
    result = stack.up(nested)
    assert acls(result) == {"deep": "x012345", "bare": "45", "secret": Secret("s3")}
    assert stack.up(nested).summary == {}


def test_options_are_those_that_the_transform_returns():
    """What a transform sets is what the state has; only a resource with transforms of its own depends on what they add."""
    stack, _, _ = make()
    result = stack.up(options)
    other = result.state["other"].urn
    for name, depends in (("changed", False), ("changed-own", True)):
        changed = result.state[name]
        assert (changed.retain_on_delete, changed.deleted_with) == (True, result.state["base"].urn)
        assert set(changed.ignore_changes) == {"tags"}
        assert "::mine::" in changed.provider
        assert (other in changed.dependencies) is depends


def test_what_is_inherited_is_shown_and_can_be_taken_away():
    """A child's transform sees its parent's options and provider, and what it leaves out is not inherited again."""
    stack, _, _ = make()
    result = stack.up(inheriting)
    assert result.outputs["seen"] == [["alone", None, False], ["child", True, True]]
    assert not result.state["child"].retain_on_delete


def test_functions_are_transformed_in_order():
    """Arguments go through each of the transforms, and the provider is the one that they leave."""
    stack, double, _ = make(provider_config={"region": Property(str)})
    assert stack.up(invoking).state["b"].inputs["name"] == "zone-eu-1-2"
    assert [entry.call.session.config["region"] for entry in double.journal.entries(op=Op.INVOKE)] == ["eu"]


@pytest.mark.parametrize("parallel", [1, 3])
@pytest.mark.parametrize("wire", [False, True])
def test_a_component_s_children_are_transformed(parallel, wire):
    """What a provider registers for a component gets the component's transforms and the stack's, in process and over a wire."""
    with Double(component_toolbox.package()) as double, double.serve() as served, served.client() as client:
        stack = Stack(client if wire else double, parallel=parallel)
        stack.preview(constructed)
        state = stack.up(constructed).state
        # The component's own are called for it and for what its provider registers in its place.
        assert {state[name].inputs["acl"] for name in ("site-logs", "site-more")} == {"12"}


def test_a_transform_may_wait_for_a_later_resource():
    """While a transform waits for another resource, that one is registered, also where one thing is done at a time."""

    def program():
        later = {}

        async def transform(args):
            if args.name != "first":
                return None
            while "bucket" not in later:
                await asyncio.sleep(0)
            args.props["source"] = later["bucket"].arn
            return ResourceTransformResult(args.props, args.opts)

        pulumi.runtime.register_resource_transform(transform)
        Bucket("first")
        later["bucket"] = Bucket("second")

    stack, _, _ = make()
    state = stack.up(program).state
    assert state["first"].inputs["source"] == state["second"].outputs["arn"]


def test_many_transforms_that_wait_do_not_pile_up():
    """Hundreds of resources whose transforms wait are registered one after the other, in the order of the program."""

    async def transform(args):
        await asyncio.sleep(0)
        return ResourceTransformResult({**args.props, "acl": "t"}, args.opts)

    def program():
        pulumi.runtime.register_resource_transform(transform)
        for number in range(400):
            Bucket(f"b-{number}")

    stack, double, _ = make()
    assert stack.up(program).summary == {"create": 400}
    created = [entry.call.name for entry in double.journal.entries(op=Op.CREATE)]
    assert created == [f"b-{number}" for number in range(400)]
    assert {found["acl"] for found in double.cloud.objects()} == {"t"}


def test_a_transform_may_call_functions():
    """A transform that invokes and waits is answered."""

    def transform(args):
        zone = pulumi.runtime.invoke("cloud:index:getZone", {"region": "eu"}).value["zone"]
        return ResourceTransformResult({**args.props, "name": zone}, args.opts)

    def program():
        Bucket("b", ResourceOptions(transforms=[transform]))

    stack, _, _ = make()
    assert stack.up(program).state["b"].inputs["name"] == "zone-eu"


def raising(args):
    """A transform that fails for one resource."""
    if args.name == "b":
        raise ValueError(f"no {args.name}")


def test_a_failing_transform_fails_the_program():
    """The error names what was raised, and nothing of that resource is made."""
    stack, double, _ = make()
    with pytest.raises(ProgramError, match=r"(?s)invoke transform: rpc error: code = Unknown desc = .*no b"):
        stack.up(lambda: (pulumi.runtime.register_resource_transform(raising), Bucket("b")))
    assert double.cloud.objects() == []


def asked(call):
    """A program that calls the monitor itself."""

    async def program():
        monitor = pulumi.runtime.settings.get_monitor()
        await asyncio.get_running_loop().run_in_executor(None, call, monitor)

    return program


def test_what_is_no_transform_is_refused():
    """A transform without a target, one that the program did not register, and one that answers something else."""
    stack, _, _ = make()
    with pytest.raises(ProgramError, match="target must be specified"):
        stack.up(asked(lambda monitor: monitor.RegisterStackTransform(callback_pb2.Callback(token="t"))))

    def unknown(monitor):
        callback = callback_pb2.Callback(token="nobody's", target=monitor.callbacks.local._target)
        monitor.RegisterResource(
            resource_pb2.RegisterResourceRequest(type="cloud:index:Bucket", name="b", custom=True, transforms=[callback])
        )

    with pytest.raises(ProgramError, match="nobody's not found"):
        stack.up(asked(unknown))

    async def wrong(_):
        return resource_pb2.RegisterResourceResponse(urn="boom")

    def answering(monitor):
        monitor.callbacks.local._callbacks["wrong"] = wrong
        monitor.RegisterStackTransform(callback_pb2.Callback(token="wrong", target=monitor.callbacks.local._target))
        monitor.RegisterResource(resource_pb2.RegisterResourceRequest(type="cloud:index:Bucket", name="b", custom=True))

    with pytest.raises(ProgramError, match="unmarshaling TransformResponse: proto:"):
        stack.up(asked(answering))


def test_assets_have_their_hashes_again():
    """A transform that returns an asset without its hash, as SDKs do, changes nothing."""

    def transform(args):
        return ResourceTransformResult(args.props, args.opts)

    def program(*transforms):
        asset = pulumi.StringAsset("hello world")
        return lambda: Bucket("b", ResourceOptions(transforms=list(transforms)), file=asset)

    stack, _, _ = make()
    first = stack.up(program())
    assert stack.up(program(transform)).summary == {}
    assert stack.state["b"].inputs["file"] == first.state["b"].inputs["file"]


def test_a_transform_can_change_what_a_property_depends_on():
    """It sees each property with its dependencies, and what it returns is what the state depends on."""
    seen = {}

    def program():
        first, second = Bucket("first"), Bucket("second")

        async def transform(args):
            seen["resources"] = {await each.urn.future() for each in await args.props["source"].resources()}
            return ResourceTransformResult({"source": first.arn}, ResourceOptions())

        Bucket("third", ResourceOptions(transforms=[transform]), source=second.arn)

    stack, _, _ = make()
    state = stack.up(program).state
    assert seen["resources"] == {state["second"].urn}
    assert state["third"].inputs["source"] == state["first"].outputs["arn"]


def test_a_transform_can_add_a_hook():
    """A hook that a transform binds to a resource is called."""
    called = []

    def transform(args):
        hooks = pulumi.ResourceHookBinding(before_create=[hook])
        return ResourceTransformResult(args.props, ResourceOptions.merge(args.opts, ResourceOptions(hooks=hooks)))

    def program():
        nonlocal hook
        hook = pulumi.ResourceHook("mine", lambda args: called.append(args.name))
        Bucket("b", ResourceOptions(transforms=[transform]))
        Bucket("bare")

    hook = None
    stack, _, _ = make()
    stack.up(program)
    assert called == ["b"]


def test_bytes_that_are_no_text_pass_through():
    """A byte string comes to the transform as one, and goes on as one, if the callback takes them."""
    raw = b"\x00hello \x80\xfe\xff"

    async def changing(data):
        request = resource_pb2.TransformRequest.FromString(data)
        bag = decode(request.properties)
        return resource_pb2.TransformResponse(properties=encode({**bag, "name": bag.get("acl")}))

    def registering(monitor):
        monitor.callbacks.local._callbacks["raw"] = changing
        target = monitor.callbacks.local._target
        monitor.RegisterStackTransform(callback_pb2.Callback(token="raw", target=target, accepts_byte_string=True))
        bag = encode({"acl": raw})
        request = resource_pb2.RegisterResourceRequest(type="cloud:index:Bucket", name="b", custom=True, object=bag)
        request.accepts_byte_string = True
        monitor.RegisterResource(request)

    with Double(Package("cloud")) as double:
        stack = Stack(double)
        stack.up(asked(registering))
        assert stack.state["b"].inputs == {"acl": raw, "name": raw}


PROGRAM = """
import pulumi

class Bucket(pulumi.CustomResource):
    def __init__(self, name_, opts=None, **properties):
        super().__init__("cloud:index:Bucket", name_, {"arn": None, **properties}, opts)

def adding(mark):
    def transform(args):
        args.props["acl"] = (args.props.get("acl") or "") + mark
        return pulumi.ResourceTransformResult(args.props, args.opts)
    return transform

def region(args):
    return pulumi.InvokeTransformResult({"region": "eu"}, args.opts)

pulumi.runtime.register_resource_transform(adding("2"))
pulumi.runtime.register_invoke_transform(region)
zone = pulumi.runtime.invoke("cloud:index:getZone", {"region": "us"}).value["zone"]
parent = Bucket("parent", pulumi.ResourceOptions(transforms=[adding("1")]), acl="x", name=zone)
Bucket("child", pulumi.ResourceOptions(parent=parent), acl="y")
"""


def test_a_program_in_another_process_is_called_back(tmp_path):
    """Over gRPC, a project's transforms do what those of a function do."""
    (tmp_path / "Pulumi.yaml").write_text("name: shop\nruntime: python\n")
    (tmp_path / "__main__.py").write_text(PROGRAM)
    stack, _, _ = make()
    state = stack.up(tmp_path).state
    assert (state["parent"].inputs["acl"], state["child"].inputs["acl"]) == ("x12", "y12")
    assert state["parent"].inputs["name"] == "zone-eu"


def test_transforms_of_components_are_found_by_their_children():
    """The transforms of a component without children of its own package reach grandchildren, and nobody beside it."""

    def program():
        outer = Component("outer", ResourceOptions(transforms=[adding("o")]))
        middle = Component("middle", ResourceOptions(parent=outer))
        Bucket("deep", ResourceOptions(parent=middle))
        Bucket("bare")

    stack, _, _ = make()
    assert acls(stack.up(program)) == {"deep": "o", "bare": "private"}


@pytest.mark.parametrize(
    ("fields", "depends"),
    [({}, ["a"]), ({"remote": True}, []), ({"propertyDependencies": {"acl": {"urns": ["b"]}}}, ["b"])],
)
def test_what_a_property_depends_on(fields, depends):
    """What is said of it; where nothing is said of any, on all that its resource does, unless that is a remote component."""
    asked = []
    callbacks = SimpleNamespace(call=lambda _, request, answer: (asked.append(decode(request.properties)), answer)[1])
    request = resource_pb2.RegisterResourceRequest(
        type="a:b:C", name="c", dependencies=["a"], transforms=[callback_pb2.Callback(target="t")], **fields
    )
    inside = Secret(Output("x", dependencies=("z",))), Output(Output("x", secret=True, dependencies=("z",)))
    for value in inside:
        request.object.CopyFrom(encode({"acl": value}))
        Transforms(callbacks, Family()).registered(request)
        acl = asked.pop()["acl"]
        assert (acl.value, acl.secret, list(acl.dependencies)) == ("x", True, [*depends, "z"])

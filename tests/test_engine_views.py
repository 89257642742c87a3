"""Resource views under the embedded engine: what becomes of what providers publish, also over a wire and in recordings."""

from __future__ import annotations

from pathlib import Path

import pytest
from engine_toolbox import Thing

from mockprovider.calls import Call, Native, Op, Session
from mockprovider.double import Double, recording, replaying
from mockprovider.double.behind import attached
from mockprovider.engine import Stack
from mockprovider.engine.state.ledger import Ledger
from mockprovider.engine.steps.viewing import ViewListener
from mockprovider.errors import ProgramError
from mockprovider.fake.views import View
from mockprovider.pulumi import ResourceTraits
from mockprovider.pulumi.sdk import resource_status_pb2
from mockprovider.pulumi.stacks.state import ResourceState, State
from mockprovider.schema import Package, Property, ResourceType

SERVER = "cloud:index:Server"
URN = "urn:pulumi:dev::project::cloud:index:Server::web"
DISK = View("cloud:index:Disk", "{name}-disk", {"size": "{size}", "key": "{key}"})


def servers(*, views: tuple[View, ...] = (DISK,)) -> Package:
    """A package whose servers show a disk, with a secret in it."""
    package = Package("cloud")
    properties = {"size": Property(str), "key": Property(str, secret=True), "arn": Property(str, computed="arn:{id}")}
    package.add(ResourceType(SERVER, properties, traits=[ResourceTraits(views=views)]))
    return package


def program(size: str = "s"):
    """A program with one server."""
    return lambda: Thing(SERVER, "web", size=size, key="hidden-key")


def shown(stack: Stack) -> list[str]:
    """The names of the views in a stack's state."""
    return [resource.name for resource in stack.state.values() if resource.view_of]


def test_views_stand_below_their_owner():
    """A view belongs to its owner in the state and in an export, and its secrets are secret there."""
    with Double(servers()) as double:
        stack = Stack(double)
        assert stack.up(program()).summary == {"create": 2}
        view = stack.state["web-disk"]
        assert (view.view_of, view.parent, view.custom) == (URN, URN, False)
        exported = stack.export()["deployment"]["resources"][-1]
        assert exported["viewOf"] == URN
        assert exported["inputs"]["key"]["plaintext"] == '"hidden-key"'
        assert stack.destroy().summary == {"delete": 2}


def test_an_imported_state_keeps_its_views():
    """A state with views can be imported, and its views are neither lost nor deleted by an up."""
    with Double(servers()) as double:
        stack = Stack(double)
        stack.up(program())
        exported = stack.export()
    with Double(servers()) as double:
        other = Stack(double)
        other.import_(exported, cloud=double.cloud)
        assert other.up(program()).summary == {}
        assert shown(other) == ["web-disk"]
        assert other.refresh().summary == {}
        assert other.up(lambda: None).summary == {"delete": 2}


def test_views_of_a_provider_that_publishes_none():
    """Views that are remembered stay as they are with their owner, and go with it."""
    with Double(servers()) as double:
        stack = Stack(double)
        stack.up(program())
        exported = stack.export()
    with Double(servers(views=())) as double:
        other = Stack(double)
        other.import_(exported, cloud=double.cloud)
        other.up(program("m"))
        assert shown(other) == ["web-disk"]
        other.destroy()
        assert stack_is_empty(other)


def stack_is_empty(stack: Stack) -> bool:
    """Whether a state has nothing in it."""
    return not stack.export()["deployment"]["resources"]


def test_views_in_a_recording(tmp_path: Path):
    """What is secret in a view is in no file of the recording, and a replay publishes the views again."""
    path = tmp_path / "views.json"
    with Double(servers()) as fake, Double(provider=recording(path, fake)) as double:
        Stack(double).up(program())
    for file in tmp_path.rglob("*"):
        assert not file.is_file() or b"hidden-key" not in file.read_bytes()
    with Double(provider=replaying(path)) as double:
        stack = Stack(double)
        assert stack.up(program()).summary == {"create": 2}
        assert shown(stack) == ["web-disk"]


def published(listener: ViewListener, token: str = "", **fields: object) -> str:
    """What a listener answers to a published step; empty if it takes it."""
    step = resource_status_pb2.ViewStep(**fields)  # type: ignore[arg-type]
    request = resource_status_pb2.PublishViewStepsRequest(token=token or listener.token, steps=[step])
    native = Native(request.SerializeToString(), request)
    reply = listener(Call(op=Op.VIEWS, session=Session("pulumi"), method="PublishViewSteps", native=native))
    return reply.status.message if reply.status else ""


def test_steps_that_are_refused():
    """A token of another call, a view that nobody remembers, and a step that is none are refused with the reason."""
    listener = ViewListener(Ledger(State()), ResourceState(urn=URN, type=SERVER, custom=True))
    assert listener.extra == {"resource_status_address": "in-process", "resource_status_token": listener.token}
    state = resource_status_pb2.ViewStepState(type="cloud:index:Disk", name="web-disk")
    assert published(listener, "other", op="CREATE", new=state) == "token other not found"
    missing = (
        f"unmarshaling steps: old resource state {URN.replace('Server::web', 'Server$cloud:index:Disk::web-disk')} not found"
    )
    assert published(listener, op="UPDATE", old=state, new=state) == missing
    assert published(listener, op="UNSPECIFIED", new=state) == "unmarshaling steps: unknown step op UNSPECIFIED"
    assert published(listener, op=99, new=state) == "unmarshaling steps: unknown step op 99"
    assert published(listener, op="CREATE", new=state) == published(listener, op="READ_DISCARD", new=state) == ""
    assert [change.op for change in listener.steps] == ["create", "discard"]


def test_views_of_a_destroy_that_runs_the_program():
    """What the program registers there is only kept until it is deleted: no step of a view says that it stays."""
    with Double(servers()) as double:
        stack = Stack(double)
        stack.up(program())
        destroyed = stack.destroy(program(), run_program=True)
        about = [op for op, urn in destroyed.steps if urn.endswith("web-disk")]
        assert (about, destroyed.summary) == (["delete"], {"delete": 2})
        assert stack_is_empty(stack)


@pytest.mark.parametrize("op", [Op.CREATE, Op.READ])
def test_a_view_that_failed(op: Op):
    """A published error fails the step of its owner, with its text; the owner is remembered, and the broken view is not."""
    told = []

    def failing(call: Call, proceed):
        reply = proceed(call)
        if call.op is op and call.monitor and not told:
            state = resource_status_pb2.ViewStepState(type="cloud:index:Disk", name="broken")
            step = resource_status_pb2.ViewStep(op="CREATE", new=state, error="the disk is broken")
            token = call.extra["resource_status_token"]
            request = resource_status_pb2.PublishViewStepsRequest(token=token, steps=[step])
            native = Native(request.SerializeToString(), request)
            told.append(call.monitor(Call(op=Op.VIEWS, session=call.session, method="PublishViewSteps", native=native)))
        return reply

    with Double(servers(), layers=(failing,)) as double:
        stack = Stack(double)
        double.cloud.create(SERVER, "there", {"size": "s", "key": "k"})
        with pytest.raises(ProgramError, match="cloud:index:Disk broken: the disk is broken"):
            stack.up(program()) if op is Op.CREATE else stack.import_resource(SERVER, "web", "there")
        assert shown(stack) == (["web-disk"] if op is Op.CREATE else [])
        assert stack.state["web"].id


def test_views_over_a_wire():
    """A provider behind gRPC publishes to an address that is served while its call lasts."""
    with Double(servers()) as remote:
        serving = remote.serve("pulumi")
        target = f"127.0.0.1:{serving.addresses()['cloud'].port}"
        with Double(provider=attached(target, "pulumi")) as double:
            stack = Stack(double)
            assert stack.up(program()).summary == {"create": 2}
            assert shown(stack) == ["web-disk"]
            assert stack.destroy().summary == {"delete": 2}

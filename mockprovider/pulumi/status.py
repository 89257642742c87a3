"""``pulumirpc.ResourceStatus``: a provider publishes views to its engine during a call (reference 2.18).

As a table, as a client, and for the fake.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import grpc
from google.protobuf import empty_pb2
from google.protobuf.message_factory import GetMessageClass
from msgspec.structs import replace

from mockprovider.calls import Call, Native, Op, Reply
from mockprovider.errors import PluginError
from mockprovider.fake.views import ViewState, ViewStep
from mockprovider.pulumi.methods import make_method
from mockprovider.pulumi.sdk import resource_status_pb2
from mockprovider.pulumi.table import Row
from mockprovider.pulumi.values import EVERYTHING, encode
from mockprovider.values import reveal, same
from mockprovider.wire.methods import Service, service
from mockprovider.wire.server import OPTIONS, OWN_CONNECTION
from mockprovider.wire.status import failed, read

DESCRIPTOR = resource_status_pb2.DESCRIPTOR.services_by_name["ResourceStatus"]
PUBLISH = "PublishViewSteps"
ADDRESS, TOKEN = "resource_status_address", "resource_status_token"
SECONDS = 30.0
"""The timeout for view steps; an engine that takes longer hangs, and so would the call."""

VIEW_STEP = resource_status_pb2.ViewStep
STEP_OPS = {name.lower().replace("_", "-"): number for name, number in VIEW_STEP.Op.items()}
"""The step ops by the names that engines show."""

TAKEN = EVERYTHING - {"outputs"}


def _service() -> Service:
    row = Row(op=Op.VIEWS, volatile=("token",), mutates=True, engine_ward=True)
    rows = [make_method(rpc.name, row, GetMessageClass(rpc.input_type), GetMessageClass(rpc.output_type)) for rpc in RPCS]
    return service(DESCRIPTOR, GetMessageClass, rows)


RPCS = [rpc for rpc in DESCRIPTOR.methods if rpc.name == PUBLISH]
STATUS = _service()
"""``pulumirpc.ResourceStatus``."""


class StatusClient:
    """Sends view steps to the engine at ``address``: the way back of a Create, Read, Update or Delete."""

    def __init__(self, address: str) -> None:
        self.address = address

    def __call__(self, call: Call) -> Reply:
        """Send them; the engine's refusal is the reply's status."""
        data = call.native.data if call.native else STATUS.methods[PUBLISH].request(call).SerializeToString()
        with grpc.insecure_channel(self.address, options=(*OPTIONS, OWN_CONNECTION)) as channel:
            try:
                answer = channel.unary_unary(f"/{STATUS.name}/{call.method}", None, None)(data, timeout=SECONDS)
            except grpc.RpcError as error:
                return failed(read(error))
        return Reply(native=Native(answer, empty_pb2.Empty.FromString(answer)))


def of(call: Call) -> StatusClient:
    """The way back at a call's own address."""
    return StatusClient(str(call.extra[ADDRESS]))


def publish(call: Call, steps: Sequence[ViewStep]) -> None:
    """Publish ``steps`` to the engine of ``call``. Raises ``PluginError`` if it refuses them."""
    request = resource_status_pb2.PublishViewStepsRequest(
        token=str(call.extra.get(TOKEN, "")), steps=[_step(step) for step in steps]
    )
    native = Native(request.SerializeToString(deterministic=True), request)
    publishing = replace(STATUS.methods[PUBLISH].call(request, call.session), native=native)
    refused = (call.monitor or of(call))(publishing).status
    if refused is not None:
        raise PluginError(f"{call}: the engine at {call.extra[ADDRESS]} did not take the steps of its views: {refused.message}")


def _step(step: ViewStep) -> Any:
    shown = step.new or step.old
    diffs = _diffs(step)
    message = VIEW_STEP(
        status=VIEW_STEP.OK,
        op=STEP_OPS[step.op],
        type=shown.type if shown else "",
        name=shown.name if shown else "",
        keys=diffs,
        diffs=diffs,
    )
    if step.old:
        message.old.CopyFrom(_state(step.old))
    if step.new:
        message.new.CopyFrom(_state(step.new))
    return message


def _state(state: ViewState) -> Any:
    return resource_status_pb2.ViewStepState(
        type=state.type,
        name=state.name,
        parent_type=state.parent_type,
        parent_name=state.parent_name,
        inputs=encode(state.inputs, TAKEN),
        outputs=encode(state.outputs, TAKEN),
    )


def _diffs(step: ViewStep) -> list[str]:
    """The names of the inputs and outputs of the view that differ."""
    if step.old is None or step.new is None:
        return []
    changed: set[str] = set()
    for old, new in ((step.old.inputs, step.new.inputs), (step.old.outputs, step.new.outputs)):
        changed.update(name for name in {*old, *new} if not _equal(old, new, name))
    return sorted(changed)


def _equal(old: Mapping[str, Any], new: Mapping[str, Any], name: str) -> bool:
    return same(reveal(old.get(name)), reveal(new.get(name)))

"""``pulumirpc.ResourceStatus`` as a client: how a provider tells its engine about views while a call lasts (reference 2.18)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import grpc
from pulumi.runtime.proto import resource_status_pb2, resource_status_pb2_grpc

from mockprovider.calls import Call
from mockprovider.errors import PluginError
from mockprovider.fake.views import ViewState, ViewStep
from mockprovider.pulumi.values import EVERYTHING, encode
from mockprovider.values import reveal, same

ADDRESS, TOKEN = "resource_status_address", "resource_status_token"
SECONDS = 30.0
"""An engine that does not take view steps in that time hangs, and with it the call that they belong to."""

VIEW_STEP = resource_status_pb2.ViewStep
STEP_OPS = {name.lower().replace("_", "-"): number for name, number in VIEW_STEP.Op.items()}
"""The step ops by the names that engines show."""

TAKEN = EVERYTHING - {"outputs"}


def publish(call: Call, steps: Sequence[ViewStep]) -> None:
    """Tell the engine that makes ``call`` about ``steps``. Raises ``PluginError`` if it does not take them."""
    request = resource_status_pb2.PublishViewStepsRequest(
        token=str(call.extra.get(TOKEN, "")), steps=[_step(each) for each in steps]
    )
    address = str(call.extra[ADDRESS])
    with grpc.insecure_channel(address) as channel:
        try:
            resource_status_pb2_grpc.ResourceStatusStub(channel).PublishViewSteps(request, timeout=SECONDS)
        except grpc.RpcError as error:
            told: Any = error
            raise PluginError(
                f"{call}: the engine at {address} did not take the steps of its views: {told.details()}"
            ) from error


def _step(each: ViewStep) -> Any:
    shown = each.new or each.old
    diffs = _diffs(each)
    step = VIEW_STEP(
        status=VIEW_STEP.OK,
        op=STEP_OPS[each.op],
        type=shown.type if shown else "",
        name=shown.name if shown else "",
        keys=diffs,
        diffs=diffs,
    )
    if each.old:
        step.old.CopyFrom(_state(each.old))
    if each.new:
        step.new.CopyFrom(_state(each.new))
    return step


def _state(each: ViewState) -> Any:
    return resource_status_pb2.ViewStepState(
        type=each.type,
        name=each.name,
        parent_type=each.parent_type,
        parent_name=each.parent_name,
        inputs=encode(each.inputs, TAKEN),
        outputs=encode(each.outputs, TAKEN),
    )


def _diffs(each: ViewStep) -> list[str]:
    """The properties, inputs and outputs, in which the view is not what it was."""
    if each.old is None or each.new is None:
        return []
    changed: set[str] = set()
    for old, new in ((each.old.inputs, each.new.inputs), (each.old.outputs, each.new.outputs)):
        changed.update(name for name in {*old, *new} if not _equal(old, new, name))
    return sorted(changed)


def _equal(old: Mapping[str, Any], new: Mapping[str, Any], name: str) -> bool:
    return same(reveal(old.get(name)), reveal(new.get(name)))

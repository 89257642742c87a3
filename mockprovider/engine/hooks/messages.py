"""What hooks are told, and what they answer: from occasions to the SDK's messages, and back."""

from __future__ import annotations

from typing import Any

from msgspec import structs

from mockprovider.durations import shown
from mockprovider.engine.hooks.occasions import KINDS, Hook, Occasion
from mockprovider.engine.outcomes import CallbackFailedError
from mockprovider.pulumi.sdk import resource_pb2
from mockprovider.pulumi.stacks.resource_options import IN_CALLBACKS
from mockprovider.pulumi.stacks.state import UNKNOWN_ID, ResourceState
from mockprovider.pulumi.values import encode_into

MESSAGES: Any = resource_pb2
"""Older SDKs lack the messages of hooks, and no program of theirs has one."""


def call(hook: Hook, occasion: Occasion, *, complete: bool) -> None:
    """Call a hook before a step, or after it where it is ``complete``. Raises ``CallbackFailedError``."""
    request = _about(MESSAGES.ResourceHookRequest(), hook, occasion)
    if complete and occasion.new is not None:
        encode_into(request.new_outputs, occasion.new.outputs, hook.accepts)
    _judged(hook.call(request, MESSAGES.ResourceHookResponse()))


def ask(hook: Hook, occasion: Occasion, failures: list[str]) -> bool:
    """Ask an error hook whether to try again, after these ``failures``, the last one first. Raises ``CallbackFailedError``."""
    request = MESSAGES.ErrorHookRequest(failed_operation=occasion.op, errors=failures)
    return bool(_judged(hook.call(_about(request, hook, occasion), MESSAGES.ErrorHookResponse())).retry)


def _judged(answer: Any) -> Any:
    if answer.error:
        raise CallbackFailedError(answer.error)
    return answer


def _about(request: Any, hook: Hook, occasion: Occasion) -> Any:
    resource = occasion.resource
    request.urn, request.name, request.type = resource.urn, resource.name, resource.type
    if resource.id != UNKNOWN_ID or resource.is_provider:
        request.id = resource.id
    for side, state in (("new", occasion.new), ("old", occasion.old)):
        if state is not None:
            encode_into(getattr(request, f"{side}_inputs"), state.inputs, hook.accepts)
            # Older SDKs know no options of hooks.
            if f"{side}_options" in request.DESCRIPTOR.fields_by_name:
                _set_options(getattr(request, f"{side}_options"), state)
    if occasion.old is not None:
        encode_into(request.old_outputs, occasion.old.outputs, hook.accepts)
    return request


def _set_options(message: Any, state: ResourceState) -> None:
    names = {field.name for field in message.DESCRIPTOR.fields}
    for name, row in IN_CALLBACKS.items():
        if name not in names or not row.state:
            continue
        if row.shape == "list":
            getattr(message, name).extend(getattr(state, row.name))
        elif row.shape in ("flag", "text", "reference"):
            setattr(message, name, getattr(state, row.name) or (False if row.shape == "flag" else ""))
    for urn in state.aliases:
        message.aliases.add(urn=urn)
    for key in structs.asdict(state.custom_timeouts):
        if seconds := getattr(state.custom_timeouts, key):
            setattr(message.custom_timeouts, key, shown(seconds))
    for field, kind in KINDS.items():
        getattr(message.hooks, field).extend(state.resource_hooks.get(kind, ()))
    if not state.resource_hooks:
        message.ClearField("hooks")

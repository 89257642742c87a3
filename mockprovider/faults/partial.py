"""The object is created or changed, and the provider reports a failure all the same.

Pulumi keeps the object with its ``initErrors`` and updates it in the next run (``ErrorResourceInitFailed``); Terraform keeps it
tainted and replaces it.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from mockprovider.calls import Call, Failure, Handler, Layer, Reply


def partial(reasons: Sequence[str]) -> Layer:
    """Let the call happen, then report ``reasons`` beside its result."""

    def fire(call: Call, proceed: Handler) -> Reply:
        reply = proceed(call)
        if not reply.ok:
            return reply
        # An update's reply has no id on the wire. The partial object's id is the call's.
        return replace(
            reply,
            id=reply.id or call.id,
            inputs=call.inputs,
            failures=tuple(map(Failure, reasons)),
            native=None,
        )

    return fire

"""A layer is a function of a call and the way onward (``proceed``), and returns a reply."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from mockprovider.calls import Call, Handler, Layer, Reply


def stack(layers: Sequence[Layer], provider: Handler) -> Handler:
    """One handler out of ``layers`` (outermost first) around ``provider``."""
    handler = provider
    for layer in reversed(layers):
        handler = _around(layer, handler)
    return handler


def unchecked(reply: Reply) -> Reply:
    """``reply``, marked to be sent although it breaks the protocol's contract, to see what the engine does."""
    return replace(reply, unchecked=True)


def send_as_is(call: Call, proceed: Handler) -> Reply:
    """A layer that sends every answer from behind it without checking it."""
    return unchecked(proceed(call))


def _around(layer: Layer, proceed: Handler) -> Handler:
    def handle(call: Call) -> Reply:
        return layer(call, proceed)

    return handle

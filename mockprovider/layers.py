"""A layer is given the call and the way onward (``proceed``), and returns a reply. This is the whole engine room."""

from __future__ import annotations

from collections.abc import Sequence

from mockprovider.calls import Call, Handler, Layer, Reply


def stack(layers: Sequence[Layer], provider: Handler) -> Handler:
    """One handler out of ``layers`` (outermost first) around ``provider``."""
    handler = provider
    for layer in reversed(layers):
        handler = _around(layer, handler)
    return handler


def _around(layer: Layer, proceed: Handler) -> Handler:
    def handle(call: Call) -> Reply:
        return layer(call, proceed)

    return handle

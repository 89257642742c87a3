"""A pause of Python's garbage collector."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def uncollected() -> Iterator[None]:
    """Collect no garbage in the block, which makes many things that stay: each collection would look at all of them again."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        # Of blocks in several threads, the first one found it enabled, and so it is again when that one ends.
        if was:
            gc.enable()

"""What Python's garbage collector does while the embedded engine works on many resources."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

MANY = 1000
"""From so many resources on, going through all that a process holds takes longer than it can be worth."""


@contextmanager
def left_alone(resources: int) -> Iterator[None]:
    """Let the collector pass over what is there already, while an operation on so many ``resources`` goes on.

    It goes through all that the process holds whenever that has grown by a quarter, which may be in the middle of an operation,
    and finds nothing there. Afterwards it looks at everything again. A process that has frozen objects itself keeps them so.
    """
    if resources < MANY or gc.get_freeze_count():
        yield
        return
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()

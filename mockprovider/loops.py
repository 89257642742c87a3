"""Event loops in which somebody's program ran, ended with nothing left over."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any

ROUNDS = 10
"""How often cancelled tasks may start new ones, or go on, before the loop is closed anyway."""
GRACE = 0.5
"""Seconds that cancelled tasks may take in each round."""


def run(loop: asyncio.AbstractEventLoop, coroutine: Coroutine[Any, Any, Any]) -> None:
    """Run ``coroutine`` in ``loop`` to its end, also where an earlier call of ``stop`` is pending, which ends a first round."""
    task = loop.create_task(coroutine)
    for _ in range(ROUNDS):
        try:
            loop.run_until_complete(task)
        except RuntimeError:
            if task.done():
                raise
        else:
            return
    raise RuntimeError(f"A loop that is stopped again and again never ran {coroutine!r} to its end.")


def end(loop: asyncio.AbstractEventLoop) -> None:
    """Cancel what the program left behind, and close the loop with its sockets. Safe to call again.

    Otherwise the garbage collector would warn of an unclosed loop or a coroutine never awaited, in some later test.
    """
    if loop.is_closed():
        return
    # Errors were reported already, and the SDK's handler would stop the loop while it is being cleaned up.
    loop.set_exception_handler(lambda *_: None)
    try:
        for _ in range(ROUNDS):
            tasks = asyncio.all_tasks(loop)
            if not tasks:
                break
            for task in tasks:
                task.cancel()
            # An earlier call of ``stop`` ends the first round; the next round finds the remaining tasks.
            with suppress(RuntimeError):
                loop.run_until_complete(asyncio.wait(tasks, timeout=GRACE))
    finally:
        loop.close()

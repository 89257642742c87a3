"""Event loops in which somebody's program ran, ended with nothing left over."""

from __future__ import annotations

import asyncio
from contextlib import suppress

ROUNDS = 10
"""How often what is cancelled may begin something new, before the loop is closed all the same."""


def end(loop: asyncio.AbstractEventLoop) -> None:
    """Cancel what the program left behind, and close the loop with its sockets. Safe to call again.

    What is collected only later would be warned of somewhere else: as a loop not closed, or a coroutine never awaited.
    """
    if loop.is_closed():
        return
    # What went wrong has been told; a handler that stops the loop, as the SDK's does, would stop it in the middle of this.
    loop.set_exception_handler(lambda *_: None)
    try:
        for _ in range(ROUNDS):
            tasks = asyncio.all_tasks(loop)
            if not tasks:
                break
            for task in tasks:
                task.cancel()
            # A stop from before ends the first round; the next one finds what is left.
            with suppress(RuntimeError):
                loop.run_until_complete(asyncio.wait(tasks))
    finally:
        loop.close()

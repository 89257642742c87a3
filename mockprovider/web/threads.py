"""The current talk, and its way into threads.

Tasks of an event loop begin with a copy of the context that they were made in. Threads, and what is handed to a pool of
threads, begin with none.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from typing import Any
from unittest import mock

from mockprovider.cassette.http.talks import Talk

CURRENT: ContextVar[Talk | None] = ContextVar("mockprovider_talk", default=None)
"""What the HTTP clients ask: ``None`` where no call is being answered."""
POOL = "concurrent.futures"


@contextmanager
def carried() -> Iterator[None]:
    """While the block runs, threads that are started during a call, and work that is handed to pools, belong to that call."""
    start, submit = threading.Thread.start, ThreadPoolExecutor.submit

    def start_with_context(thread: threading.Thread) -> None:
        # A pool's own threads outlive the call; each piece of their work brings its call with it.
        if CURRENT.get() is not None and not _is_pooled(thread):
            context, run = copy_context(), thread.run
            thread.run = lambda: context.run(run)  # type: ignore[method-assign]
        start(thread)

    def submit_with_context(
        pool: ThreadPoolExecutor, function: Callable[..., Any], /, *args: Any, **kwargs: Any
    ) -> Future[Any]:
        if CURRENT.get() is None:
            return submit(pool, function, *args, **kwargs)
        return submit(pool, copy_context().run, function, *args, **kwargs)

    with (
        mock.patch.object(threading.Thread, "start", start_with_context),
        mock.patch.object(ThreadPoolExecutor, "submit", submit_with_context),
    ):
        yield


def _is_pooled(thread: threading.Thread) -> bool:
    target = getattr(thread, "_target", None)
    return str(getattr(target, "__module__", "")).startswith(POOL)

"""Shorter tracebacks: our own frames say nothing about why a test failed."""

from __future__ import annotations

import os
import sysconfig
from pathlib import Path
from types import TracebackType

from mockprovider.errors import MockProviderError

HERE = f"{Path(__file__).parents[1]}{os.sep}"
NOT_THE_USERS = (HERE, "<frozen ", *(sysconfig.get_path(library) + os.sep for library in ("stdlib", "purelib", "platlib")))
"""Prefixes of the names of files that are not the user's: ours, and libraries."""


def shorten(error: MockProviderError, entry: TracebackType | None, file: str) -> None:
    """Cut our own frames off an error that we raised on purpose: its message says it all.

    ``entry`` is where its traceback begins, ``file`` the test's.
    """
    while entry is not None and entry.tb_frame.f_code.co_filename != file:
        entry = entry.tb_next
    if entry is None:
        return
    while entry.tb_next is not None and not entry.tb_next.tb_frame.f_code.co_filename.startswith(HERE):
        entry = entry.tb_next
    entry.tb_next = None
    _without_our_causes(error)


def _without_our_causes(error: BaseException) -> None:
    """Remove causes of the error that arose in our files or in libraries: its message covers these."""
    cause = _led_to(error)
    # Somebody may have raised an error from itself.
    passed = {id(error)}
    while cause is not None and id(cause) not in passed and not _is_the_users(cause.__traceback__):
        passed.add(id(cause))
        cause = _led_to(cause)
    if cause is not None and id(cause) in passed:
        cause = None
    error.__cause__, error.__suppress_context__ = cause, True
    if cause is not None:
        _without_our_causes(cause)


def _led_to(error: BaseException) -> BaseException | None:
    return error.__cause__ or (None if error.__suppress_context__ else error.__context__)


def _is_the_users(entry: TracebackType | None) -> bool:
    while entry is not None:
        if not entry.tb_frame.f_code.co_filename.startswith(NOT_THE_USERS):
            return True
        entry = entry.tb_next
    return False

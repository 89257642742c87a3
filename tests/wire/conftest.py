"""Fixtures of the tests that use sockets and processes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from wire_toolbox import Wire


@pytest.fixture
def wire() -> Iterator[Wire]:
    """Servers and connections that end with the test."""
    made = Wire()
    yield made
    made.close()

"""Tests here drive real engines, so each must say which: the marker is what skips it where the engine is missing."""

from __future__ import annotations

import gc
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

MARKERS = ("pulumi_cli", "terraform_cli", "tofu_cli")
HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Refuse a test of this folder that has none of the markers."""
    for item in items:
        if HERE in item.path.parents and not any(map(item.get_closest_marker, MARKERS)):
            raise pytest.UsageError(f"{item.nodeid} drives a real engine: mark it with one of {', '.join(MARKERS)}")


@pytest.fixture
def abandoned_programs(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The SDK's language server abandons the event loop of a program whose run fails; what that leaves is collected here."""
    yield
    with monkeypatch.context() as patched, warnings.catch_warnings(action="ignore"):
        patched.setattr(sys, "unraisablehook", lambda _: None)
        gc.collect()

"""Real recordings of ten equal creates, replayed in other orders: each object stays one object, and nothing is missed."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from orders import TOLD_BY, assert_any_order_replays


@pytest.mark.trial("equal-creates-of-real-providers", pinned=2, cases=200)
@pytest.mark.parametrize("name", TOLD_BY)
def test_ten_equal_creates_of_a_real_provider_replay_in_any_order(name: str, seeds: Iterator[int]) -> None:
    """In each order of what the real engine asked, each object stays one object, and nothing is missed."""
    assert_any_order_replays(name, seeds)

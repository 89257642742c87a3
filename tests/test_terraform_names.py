"""Real recordings of ten equal creates, replayed in a few orders: each object stays one object, and nothing is missed."""

from __future__ import annotations

import pytest
from orders import TOLD_BY, assert_any_order_replays


@pytest.mark.parametrize("name", TOLD_BY)
def test_ten_equal_creates_of_a_real_provider_replay_in_any_order(name: str) -> None:
    """In each of ten orders of what the real engine asked, each object stays one object. ``engines`` has forty more."""
    assert_any_order_replays(name, range(10))

"""Real recordings of ten equal creates, replayed in forty orders: each object stays one object, and nothing is missed."""

from __future__ import annotations

import pytest
from orders import TOLD_BY, assert_any_order_replays

pytestmark = pytest.mark.terraform_cli
"""It replays what terraform asked, and takes longer than a unit test may."""


@pytest.mark.parametrize("first", range(10, 50, 10))
@pytest.mark.parametrize("name", TOLD_BY)
def test_ten_equal_creates_of_a_real_provider_replay_in_any_order(name: str, first: int) -> None:
    """In each order of what the real engine asked, each object stays one object, and nothing is missed."""
    assert_any_order_replays(name, range(first, first + 10))

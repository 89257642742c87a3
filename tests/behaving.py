"""What the tests of behaviours share: a world of their own, and what a behaviour makes of one call in it."""

from __future__ import annotations

from typing import Any

from builders import TOKEN

from mockprovider.calls import Call, Reply
from mockprovider.clock import StillClock
from mockprovider.cloud import Cloud
from mockprovider.fake.behaviours import World
from mockprovider.schema import ResourceType

OTHER = "cloud:index:Other"


def world(**timeouts: float) -> World:
    """A world of an empty cloud."""
    return World(Cloud(), StillClock(), ResourceType(TOKEN, {"p": "any"}, timeouts=timeouts), TOKEN)


def seen_by(behaviour: Any, asked: Call, reply: Reply | None = None, here: World | None = None) -> tuple[Call | None, Reply]:
    """The call that a behaviour passes on, ``None`` if it answers itself, and its reply."""
    passed: list[Call] = []
    answer = behaviour(asked, lambda onward: passed.append(onward) or reply or Reply(), here or world())
    return passed[0] if passed else None, answer

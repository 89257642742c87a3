"""The fixtures in asynchronous tests: a loop that runs already, programs that are coroutines, several stacks at a time."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pulumi

from mockprovider import Double, ResourceType, recording, replaying
from mockprovider.engine import Stack

BUCKET = ResourceType("cloud:index:Bucket", {"acl": str})


class Bucket(pulumi.CustomResource):
    """A resource of a program."""

    def __init__(self, name: str, acl: str = "private") -> None:
        super().__init__("cloud:index:Bucket", name, {"acl": acl})


async def program() -> None:
    """A program that waits."""
    await asyncio.sleep(0)
    Bucket("logs")


def test_in_a_loop_that_runs(provider: Double, pulumi_stack: Stack) -> None:
    """An engine runs a coroutine as its program inside a test's own event loop, and the loop goes on afterwards."""
    provider.define(BUCKET)

    async def test() -> list[str]:
        pulumi_stack.up(program)
        await asyncio.sleep(0)
        await asyncio.to_thread(pulumi_stack.destroy)
        return [str(entry.call.op) for entry in provider.journal.entries() if entry.call.name == "logs"]

    assert [op for op in asyncio.run(test()) if op in ("create", "delete")] == ["create", "delete"]
    assert provider.cloud.objects() == []


def test_several_at_a_time(tmp_path: Path) -> None:
    """Stacks that are recorded and then replayed beside each other, each in a thread of the loop, keep to their own doubles."""

    def up(name: str, *, record: bool) -> str:
        path = tmp_path / f"{name}.json"
        with Double(BUCKET, provider=recording(path) if record else replaying(path)) as double:
            stack = Stack(double, name=name)
            stack.up(lambda: Bucket(name, acl=name))
            return str(stack.state[name].id)

    async def all_of(*, record: bool) -> list[str]:
        return await asyncio.gather(*(asyncio.to_thread(up, name, record=record) for name in "abcd"))

    recorded = asyncio.run(all_of(record=True))
    assert asyncio.run(all_of(record=False)) == recorded
    assert len({*recorded}) == 4

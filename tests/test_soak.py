"""Doubles that come and go: what they opened is closed, however often."""

from __future__ import annotations

import gc
import random
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from builders import BUCKET, TOKEN

from mockprovider.calls import Call, Op
from mockprovider.double import Double
from mockprovider.values import UNKNOWN


def live(case: int) -> None:
    """Have a double with a few servers, clients and calls, some of which are cut off or left for ``close`` to end."""
    chance = random.Random(case)
    with Double(BUCKET) as double:
        for _ in range(chance.randint(1, 3)):
            family = chance.choice(["pulumi", "terraform"])
            client = double.serve(family).client()
            session = client.open()
            wanted = {"inputs": {"acl": "private"}} if family == "pulumi" else {"planned": {"acl": "private", "arn": UNKNOWN}}
            create = Call(op=Op.CREATE, session=session, type=TOKEN, **wanted)
            for _ in range(chance.randint(0, 5)):
                assert client(create).ok
            if chance.random() < 0.2:
                double.faults.on.create().lose_reply("reset")
                client(create)
            if chance.random() < 0.5:
                client.close()


def held(others: set[threading.Thread]) -> tuple[list[str], list[str]]:
    """The files and sockets that this process has open, and its threads; not the pollers, of which gRPC keeps a few.

    The threads of ``others``, such as those by which a worker is told what to do, wait for ever and are left out.
    """
    gc.collect()
    threads = [thread for thread in threading.enumerate() if thread not in others]
    for thread in threads:
        # A thread of a pool that is shut down may have its last breath to take.
        thread.join(timeout=60)
    files = []
    for file in Path("/proc/self/fd").iterdir():
        # Another thread may close it meanwhile.
        with suppress(OSError):
            files.append(str(file.readlink()))
    kept = [file for file in files if not file.startswith(("anon_inode:[event", "/proc/"))]
    return sorted(kept), [thread.name for thread in threads if thread.is_alive()]


@pytest.mark.trial("soak", pinned=5, cases=1000)
def test_doubles_leave_nothing_open(seeds: Iterator[int]) -> None:
    """However many doubles have come and gone, no more files, sockets and threads are left than after the first ones."""
    others = {*threading.enumerate()}
    for case in range(3):
        live(case)
    before = held(others)
    for case in seeds:
        live(case)

    for _ in range(600):
        # What an earlier test of this process has left may end meanwhile.
        more = [sorted((Counter(now) - Counter(then)).elements()) for now, then in zip(held(others), before, strict=True)]
        if more == [[], []]:
            return
        # gRPC closes its sockets in threads of its own.
        threading.Event().wait(0.1)
    pytest.fail(f"these are left: {more}")

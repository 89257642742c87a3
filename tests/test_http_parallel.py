"""HTTP of calls that are answered at the same time, and of the threads and tasks that a provider's code starts."""

from __future__ import annotations

import asyncio
import itertools
import threading
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import requests
import urllib3
from http_stage import NOWHERE, Asked, Once, as_json, create, exchanges, listening

from mockprovider import Double, recording, replaying
from mockprovider.calls import Call
from mockprovider.cassette.http.messages import HttpRequest, HttpResponse
from mockprovider.cassette.http.writing import Heard, in_order
from mockprovider.errors import HttpMissError

MANY = 12
POOL = ThreadPoolExecutor(3)
"""A pool that was there before any call, as one in a provider's module is."""


def echo(method: str, path: str, headers: dict[str, str], body: bytes) -> tuple[int, dict[str, str], bytes]:
    return as_json({"path": path})


def get(url: str) -> str:
    return requests.get(url, timeout=60).json()["path"]


def get_urllib3(url: str) -> str:
    return urllib3.PoolManager().request("GET", url, retries=False, timeout=60).json()["path"]


def get_urllib(url: str) -> str:
    with urllib.request.urlopen(url, timeout=60) as answer:
        return answer.read().decode().split('"')[3]


def in_a_thread(url: str) -> str:
    said: list[str] = []
    thread = threading.Thread(target=lambda: said.append(get(url)))
    thread.start()
    thread.join()
    return said[0]


def in_a_pool(url: str) -> str:
    with ThreadPoolExecutor(2) as pool:
        return "".join(pool.map(get, [url]))


def in_an_old_pool(url: str) -> str:
    return POOL.submit(get, url).result()


def in_a_task(url: str) -> str:
    async def ask() -> str:
        return await asyncio.get_running_loop().run_in_executor(None, get, url)

    async def both() -> list[str]:
        return await asyncio.gather(asyncio.create_task(ask()), asyncio.create_task(asyncio.to_thread(get, f"{url}?two")))

    return asyncio.run(both())[0]


WAYS = (get, get_urllib3, get_urllib, in_a_thread, in_a_pool, in_an_old_pool, in_a_task)


def in_parallel(double: Double, names: list[str]) -> Iterator[str]:
    """What a Create of each name says, all of them begun before any of them is answered."""
    with ThreadPoolExecutor(len(names)) as pool:
        yield from pool.map(lambda name: (create(double, name, label=name).value or {})["said"], names)


class Together:
    """A provider whose calls wait for each other between two requests, so that all are in flight at once."""

    def __init__(self, url: str, ask: Callable[[str], str]) -> None:
        self.url = url
        self.ask = ask
        self.barrier = threading.Barrier(MANY, timeout=60)

    def __call__(self, call: Call) -> str:
        self.barrier.wait()
        first = self.ask(f"{self.url}/{call.name}/1")
        self.barrier.wait()
        return first + self.ask(f"{self.url}/{call.name}/2")


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_each_call_has_its_own(tmp_path: Path, way: Callable[[str], str]) -> None:
    """Of calls in flight at once, each has its own requests and no other's, and gets their answers on replay."""
    path, names = tmp_path / "it.json", [f"n{number:02}" for number in range(MANY)]
    with listening(echo) as url, Double(provider=recording(path, Once(Together(url, way)), http=True)) as double:
        recorded = list(in_parallel(double, names))
    assert recorded == [f"/{name}/1/{name}/2" for name in names]
    own = [line for line in exchanges(path) if "?two" not in line]
    assert sorted(own) == [f"create {name}: GET http://localhost/{name}/{n} 200" for name in names for n in (1, 2)]
    assert all(line.split()[1].rstrip(":") == line.split("/")[3] for line in exchanges(path))
    with Double(provider=replaying(path, http=Once(Together(NOWHERE, way)))) as double:
        assert list(in_parallel(double, names[::-1])) == recorded[::-1]


def test_nothing_slips_through(tmp_path: Path) -> None:
    """While many threads open connections at once, none of them gets past the recording, nor past a replay to the network."""
    path, asked = tmp_path / "it.json", []

    def count(method: str, path: str, headers: dict[str, str], body: bytes) -> tuple[int, dict[str, str], bytes]:
        asked.append(path)
        return as_json({"path": path})

    def crowd(call: Call) -> int:
        with ThreadPoolExecutor(8) as pool:
            ways = (get, get_urllib3, get_urllib)
            return len([*pool.map(lambda n: ways[n % 3](f"{url}/{call.name}/{n}"), range(60))])

    names = ["a", "b"]
    with listening(count) as url:
        with Double(provider=recording(path, Once(crowd), http=True)) as double:
            assert list(in_parallel(double, names)) == [60, 60]
        assert len(exchanges(path)) == len(asked) == 120
        with Double(provider=replaying(path, http=Once(crowd))) as double:
            assert list(in_parallel(double, names)) == [60, 60]
        assert len(asked) == 120
    assert not hasattr(__import__("http").client.HTTPConnection, "cassette")


def overlapping(order: list[int]) -> Asked:
    """A server that answers three requests in this order, when it has got them all."""
    turns = [threading.Event() for _ in range(4)]
    arrived = threading.Barrier(3, timeout=60)

    def answer(method: str, path: str, headers: dict[str, str], body: bytes) -> tuple[int, dict[str, str], bytes]:
        arrived.wait()
        rank = order.index(int(path[1:]))
        if rank:
            turns[rank].wait(30)
        turns[rank + 1].set()
        return as_json({"path": path})

    return answer


@pytest.mark.parametrize("order", [[1, 2, 3], [3, 2, 1], [2, 3, 1]])
def test_the_order_of_threads_is_not_recorded(tmp_path: Path, order: list[int]) -> None:
    """Requests of one call that overlap stand in one order, whichever of them was answered first."""

    def ask(_: Call) -> list[str]:
        with ThreadPoolExecutor(3) as pool:
            return sorted(pool.map(get, [f"{url}/{n}" for n in (3, 1, 2)]))

    path = tmp_path / "it.json"
    with listening(overlapping(order)) as url, Double(provider=recording(path, Once(ask), http=True)) as double:
        create(double)
    assert [line.split()[3][-1] for line in exchanges(path)] == ["1", "2", "3"]


@pytest.mark.parametrize("order", [*itertools.permutations(range(4))])
def test_the_order_in_which_answers_come(order: tuple[int, ...]) -> None:
    """Whichever answer is kept first: what overlaps a long request stands beside it, and what comes later comes later."""
    spans = [("/d", 1, 6), ("/c", 2, 3), ("/b", 4, 5), ("/a", 7, 8)]
    heard = [Heard(HttpRequest("GET", url), HttpResponse(200), began, ended) for url, began, ended in spans]
    assert [one.request.url for one in in_order([heard[n] for n in order])] == ["/b", "/c", "/d", "/a"]


def test_a_thread_of_nobody(tmp_path: Path) -> None:
    """A thread that was there before the call does not belong to it: its request goes out, and the recording says so."""
    todo, done = threading.Event(), threading.Event()

    def work() -> None:
        todo.wait(30)
        get(url)
        done.set()

    def hands_over(_: Call) -> bool:
        todo.set()
        return done.wait(30)

    path = tmp_path / "it.json"
    with listening(echo) as url:
        thread = threading.Thread(target=work)
        thread.start()
        wiring = recording(path, Once(hands_over), http=True)
        with Double(provider=wiring) as double:
            create(double)
        thread.join()
    assert exchanges(path) == []
    assert ["GET http://localhost/" in notice and "no call has started" in notice for notice in wiring.recorder.notices] == [
        True
    ]


def test_a_pool_outlives_a_call(tmp_path: Path) -> None:
    """A thread of a pool that a call was the first to use does not stay with that call: other work in it is no call's."""
    path = tmp_path / "it.json"
    with listening(echo) as url, ThreadPoolExecutor(1) as pool:
        ask = Once(lambda _: pool.submit(get, f"{url}/ours").result())
        wiring = recording(path, ask, http=True)
        with Double(provider=wiring) as double:
            create(double)
            assert pool.submit(get, f"{url}/mine").result() == "/mine"
        assert (exchanges(path), wiring.recorder.notices) == (["create logs: GET http://localhost/ours 200"], [])
    with listening(echo) as url, ThreadPoolExecutor(1) as pool, Double(provider=replaying(path, http=ask)) as double:
        create(double)
        assert pool.submit(get, f"{url}/mine").result() == "/mine"


def test_a_thread_that_outlives_its_call(tmp_path: Path) -> None:
    """On replay, a thread that asks after its call has been answered is refused, and told why."""
    path, go, said = tmp_path / "it.json", threading.Event(), []

    def leaves(_: Call) -> str:
        def later() -> None:
            go.wait(30)
            try:
                get(NOWHERE)
            except HttpMissError as error:
                said.append(str(error))

        thread = threading.Thread(target=later)
        thread.start()
        threads.append(thread)
        return "done"

    threads: list[threading.Thread] = []
    with Double(provider=recording(path, Once(lambda _: "done"), http=True)) as double:
        create(double)
    with Double(provider=replaying(path, http=Once(leaves))) as double:
        create(double)
        go.set()
        threads[0].join()
    assert ["has been answered. End what a call starts before its answer." in text for text in said] == [True]


def test_threads_are_left_alone() -> None:
    """Threads and pools are as they were, when no call is being answered."""
    assert threading.Thread.start.__module__ == "threading"
    assert ThreadPoolExecutor.submit.__module__ == "concurrent.futures.thread"

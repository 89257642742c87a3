"""One provider a session: started once, at its first call, and always ended."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from builders import call

from mockprovider.calls import Op, Reply, Session
from mockprovider.errors import PluginError
from mockprovider.wire.proxy import PerSession


class Counted:
    """A provider that tells which one it is, and whether it was closed."""

    def __init__(self, number):
        self.number = number
        self.closed = 0

    def __call__(self, _):
        return Reply(id=str(self.number))

    def close(self):
        self.closed += 1


@pytest.fixture
def started():
    """The providers that were started, in order."""
    return []


@pytest.fixture
def proxy(started):
    """A handler with counted providers."""

    def start(_):
        started.append(Counted(len(started) + 1))
        return started[-1]

    return PerSession(start)


def ask(proxy, number, **given):
    """Which provider answers a call of this session."""
    return proxy(call(Op.CHECK, session=Session("pulumi", number), **given)).id


def test_each_session_has_its_provider(proxy, started):
    """Calls of one session go to one provider, those of another to another; nothing starts before it is needed."""
    assert started == []
    assert [ask(proxy, number) for number in (7, 8, 7, 8)] == ["1", "2", "1", "2"]


def test_it_is_started_with_the_first_call():
    """The first call, which names the engine's address, is what the provider is started with."""
    seen = []
    proxy = PerSession(lambda asked: seen.append(asked.extra) or Counted(1))
    ask(proxy, 1, extra={"engine_address": "a:1"})
    ask(proxy, 1, extra={"engine_address": "b:2"})

    assert seen == [{"engine_address": "a:1"}]


def test_calls_at_once_start_one_provider(started):
    """However many calls a session begins with, one provider is started."""
    together = threading.Barrier(8, timeout=60)

    def start(_):
        started.append(Counted(len(started) + 1))
        return started[-1]

    proxy = PerSession(start)

    def first(_):
        together.wait()
        return ask(proxy, 1)

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(first, range(8))) == {"1"}
    assert len(started) == 1


def test_a_slow_start_holds_up_its_own_session_alone():
    """While one session's provider starts, another session is answered."""
    starting, released = threading.Event(), threading.Event()

    def start(asked):
        if asked.session.number == 1:
            starting.set()
            released.wait(60)
        return Counted(asked.session.number)

    proxy = PerSession(start)
    with ThreadPoolExecutor(1) as pool:
        slow = pool.submit(ask, proxy, 1)
        try:
            assert starting.wait(60)
            assert ask(proxy, 2) == "2"
            assert not slow.done()
        finally:
            released.set()

        assert slow.result(60) == "1"


def test_a_start_that_fails_is_tried_again():
    """Each call of a session whose provider does not start is told, and a later start may succeed."""
    tries = []

    def start(_):
        tries.append(1)
        if len(tries) == 1:
            raise PluginError("no port")
        return Counted(len(tries))

    proxy = PerSession(start)
    with pytest.raises(PluginError, match="no port"):
        ask(proxy, 1)

    assert ask(proxy, 1) == "2"


def test_all_are_ended(proxy, started):
    """Closing ends every provider once, also when closed again."""
    ask(proxy, 1)
    ask(proxy, 2)
    proxy.close()
    proxy.close()

    assert [each.closed for each in started] == [1, 1]

"""Work that somebody waits for."""

import asyncio
import contextvars
import subprocess
import sys
import threading
from types import SimpleNamespace

import pytest

from mockprovider.engine.threads import InlineExecutor, StoppedFromOutsideError, Work, executor

SEEN = contextvars.ContextVar("SEEN", default="default")


def test_work_returns_and_raises():
    """The result is what the work returned; what it raised is raised where the result is asked for."""
    done, failed = Work(lambda: 1).start(), Work(lambda: 1 // 0).start()
    assert done.wait(60)
    assert done.result() == 1
    assert failed.wait(60)
    with pytest.raises(ZeroDivisionError):
        failed.result()


def test_work_sees_the_caller_s_context():
    """Context variables are those of whoever starts the work, and changes stay inside."""

    def look():
        seen = SEEN.get()
        SEEN.set("changed")
        return seen

    token = SEEN.set("caller's")
    try:
        work = Work(look).start()
        work.wait(60)
        assert (work.result(), SEEN.get()) == ("caller's", "caller's")
    finally:
        SEEN.reset(token)


def test_work_can_be_stopped():
    """Work that runs Python code for ever is stopped from outside."""

    def endless():
        while True:
            pass

    work = Work(endless).start()
    assert not work.wait(0.01)
    work.stop()
    assert work.wait(60)
    with pytest.raises(StoppedFromOutsideError):
        work.result()


def test_work_in_an_event_loop_can_be_stopped():
    """Work that hangs in a task of an event loop ends when what it hangs in does, however many tasks wait for each other."""
    go, hanging = threading.Event(), threading.Event()

    async def hang():
        hanging.set()
        go.wait(60)

    async def wait_for_ever():
        task = asyncio.create_task(hang())
        await asyncio.Event().wait()
        await task

    work = Work(lambda: asyncio.run(wait_for_ever())).start()
    assert hanging.wait(60)
    work.stop()
    go.set()
    assert work.wait(60)
    with pytest.raises(StoppedFromOutsideError):
        work.result()


def test_work_that_is_stopped_as_it_ends_ends_in_silence():
    """What stops work that is just ending never arrives in the thread's own code, whose errors nobody could catch."""
    go = threading.Event()
    work = Work(lambda: go.wait(60))
    work._done.add_done_callback(lambda _: work.stop())  # the moment at which it ends
    work.start()
    go.set()
    assert work.wait(60)
    work.stop()


TRACED = """
import sys, threading

def tracer(frame, event, argument):
    return tracer

threading.settrace(tracer)
sys.settrace(tracer)

from mockprovider.engine.threads import Work

for stopping in (False, True):
    work = Work((lambda: [None for _ in iter(int, 1)]) if stopping else (lambda: 1)).start()
    if stopping:
        work.stop()
    assert work.wait(60)
    # Whoever looks for something that was raised, and finds nothing, would look for ever.
    assert Work(lambda: sum(range(1000))).start().wait(60)
"""


def test_work_under_a_tracer_ends():
    """A tracer, such as a debugger's or coverage's, in all threads does not keep work from ending, stopped or not."""
    subprocess.run([sys.executable, "-c", TRACED], check=True, timeout=100)


def test_one_worker_is_the_caller_s_thread():
    """With one worker everything is done in order, in the thread that submits it."""
    with executor(1) as pool:
        assert isinstance(pool, InlineExecutor)
        assert pool.submit(threading.current_thread).result() is threading.current_thread()
        assert isinstance(pool.submit(lambda: 1 // 0).exception(), ZeroDivisionError)


def test_several_workers_overlap():
    """With several workers things run at once, in threads that do not keep the process alive."""
    meeting = threading.Barrier(3)

    def meet(_):
        meeting.wait(60)
        return threading.current_thread().daemon

    with executor(3) as pool:
        assert list(pool.map(meet, range(3))) == [True] * 3


def test_work_that_never_began_can_be_stopped():
    """There is no thread to raise anything in."""
    work = Work(lambda: None)
    work.stop()
    assert not work.wait(0)


def test_what_is_deferred_is_scheduled_once():
    """A loop that is to go on with what waits is asked so once, however much waits."""
    asked = []
    loop = SimpleNamespace(call_soon=asked.append, _ready=[])
    inline = InlineExecutor()
    with inline.deferring(loop):
        futures = [inline.submit(int), inline.submit(str)]
        assert len(asked) == 1
        asked.pop()()
        assert ([future.done() for future in futures], len(asked)) == ([True, False], 1)
        asked.pop()()
    assert ([future.result() for future in futures], asked) == ([0, ""], [])

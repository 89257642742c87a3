"""What a run of tests writes down for whoever plays it again: the journals of each test, and what its workers still hold.

``--suite-journals=FOLDER`` writes a file for each test and each worker there. ``--suite-break=HOW@N`` ends the run at the
Nth call of the first worker that gets there, or fails the test that stands there in each worker: ``interrupt`` as Ctrl-C does,
``terminate`` as a service manager, ``fail`` as a time limit.

Two runs of one suite have equal journals for each resource after this normalisation. Left out are

- calls about no resource (handshake, schema, configuration, Cancel): they belong to processes, and each has its own;
- ``session``, ``n``, ``began``, ``ended`` and ``thread``, which say how resources took turns;
- ``native``, ``stream`` and ``parts``: the other fields again, as bytes in which a map's keys have no order;
- ``seed``, and UUIDs, which engines make at random;
- what a place is called that is another one in each run: folders, and ports on loopback.

Calls about one resource stand in the order of their starts, those of each side by themselves.
"""

from __future__ import annotations

import json
import os
import re
import signal
import threading
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from types import FrameType
from typing import Any

import msgspec
import pytest

from mockprovider.calls import Call
from mockprovider.journal import Entry, Journal

LEFT_OUT = {
    *("session", "native", "stream", "parts", "seed"),
    # What a program gave us to ask, and no word of anybody's.
    *("monitor", "midway"),
}
PORT = re.compile(r"(127\.0\.0\.1|localhost|\[::1\]):\d+")
UUID = re.compile(r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b")
LISTENING = "0A"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    group = parser.getgroup("suite")
    group.addoption("--suite-journals", metavar="FOLDER", type=Path, help="write the journals of each test there")
    group.addoption("--suite-patience", metavar="SECONDS", type=float, default=20, help="what threads and calls have to end in")
    group.addoption("--suite-break", metavar="HOW@N", default="", help="interrupt, terminate or fail at the Nth call")


def pytest_configure(config: pytest.Config) -> None:
    """Write where tests run, and not where a run is only led."""
    folder = config.getoption("suite_journals")
    if folder and (hasattr(config, "workerinput") or not config.getoption("numprocesses", None)):
        config.pluginmanager.register(Writing(folder, config.getoption("suite_patience"), config.getoption("suite_break")))


class Writing:
    """Writes the journals that are made, test by test."""

    def __init__(self, folder: Path, patience: float, breaking: str) -> None:
        self._folder, self._patience = folder, patience
        self._places = re.compile(re.escape(str(folder.parent)) + r"[^\s'\",:;)\]}]*")
        self._journals: list[Journal] = []
        self._how, _, count = breaking.partition("@")
        self._calls_left = int(count or 0)
        self._calling = False
        self._begun_in: dict[threading.Thread, str] = dict.fromkeys(threading.enumerate(), "")
        self._listening = dict.fromkeys(listening(), "")
        self._follow()

    def _follow(self) -> None:
        begin, layer = Journal.__init__, Journal.at

        def beginning(journal: Journal, *given: Any, **options: Any) -> None:
            begin(journal, *given, **options)
            self._journals.append(journal)

        def at(journal: Journal, side: Any) -> Any:
            write = layer(journal, side)

            def counting(call: Call, proceed: Any) -> Any:
                self._count()
                return write(call, proceed)

            return counting

        Journal.__init__, Journal.at = beginning, at  # type: ignore[method-assign]
        if self._how == "fail":
            signal.signal(signal.SIGALRM, self._fail)

    def _count(self) -> None:
        self._calls_left -= 1
        if self._how == "fail" and self._calls_left <= 0:
            # Where pytest itself stands it could not be a test that fails: then it is the next call.
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGALRM)
        elif self._how and self._calls_left == 0 and self._is_first():
            end(self._how)

    def _is_first(self) -> bool:
        """Whether no other worker has ended the run: a second Ctrl-C would meet pytest in its report of the first."""
        try:
            (self._folder.parent / "broken-off").touch(exist_ok=False)
        except FileExistsError:
            return False
        return True

    def _fail(self, _: int, frame: FrameType | None) -> None:
        if self._calling and not _in_grpc(frame):
            self._how, self._calling = "", False
            pytest.fail("broken off in the midst, as by a time limit")

    @pytest.hookimpl(wrapper=True)
    def pytest_pyfunc_call(self) -> Iterator[Any]:
        """Know when a test itself is at work."""
        self._calling = True
        try:
            return (yield)
        finally:
            self._calling = False

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[Any]:
        """Write the journals of a test that is over."""
        self._journals.clear()
        result = yield
        self._wait()
        written = [self._by_resource(journal) for journal in self._journals]
        name = sha256(item.nodeid.encode()).hexdigest()[:16]
        text = json.dumps({"test": item.nodeid, "journals": written}, indent=1, sort_keys=True)
        self._write(name, text)
        for thread in threading.enumerate():
            self._begun_in.setdefault(thread, item.nodeid)
        for socket in listening():
            self._listening.setdefault(socket, item.nodeid)
        return result

    def pytest_sessionfinish(self) -> None:
        """Write what is left in this process: threads, and sockets that somebody could connect to."""
        threads = [thread for thread in threading.enumerate() if self._begun_in.get(thread) and not _of_pytest(thread)]
        for thread in threads:
            thread.join(timeout=self._patience)
        left = {
            "threads": [f"{thread.name} of {self._begun_in[thread]}" for thread in threads if thread.is_alive()],
            "listening": [f"{socket} of {self._listening[socket]}" for socket in listening() if self._listening.get(socket)],
        }
        self._write(f"worker-{os.getpid()}", json.dumps(left))

    def _write(self, name: str, text: str) -> None:
        """Write it whole or not at all: the Ctrl-C of another worker may come in the midst of it."""
        unfinished = self._folder / f"{name}.unfinished"
        unfinished.write_text(text, encoding="utf-8")
        unfinished.rename(self._folder / f"{name}.json")

    def _wait(self) -> None:
        """Wait for the ends of calls that were cut off: until then a journal does not say what came of them."""
        until = time.monotonic() + self._patience
        for entry in (entry for journal in self._journals for entry in journal):
            while not entry.ended and time.monotonic() < until:
                time.sleep(0.01)

    def _by_resource(self, journal: Journal) -> dict[str, list[Any]]:
        resources = defaultdict(list)
        for entry in journal:
            if resource := resource_of(entry.call):
                resources[f"{entry.side} {resource}"].append(self._line(entry))
        return resources

    def _line(self, entry: Entry) -> Any:
        return [self._plain(entry.call), self._plain(entry.reply), self._plain(entry.error)]

    def _plain(self, value: Any) -> Any:
        if isinstance(value, msgspec.Struct):
            shown = {name: getattr(value, name) for name in value.__struct_fields__ if name not in LEFT_OUT}
            return {name: self._plain(inner) for name, inner in shown.items() if inner not in (None, "", (), b"", {})}
        if isinstance(value, Mapping):
            return {str(key): self._plain(inner) for key, inner in value.items()}
        if isinstance(value, (list, tuple)):
            return [self._plain(inner) for inner in value]
        text = value if isinstance(value, str) else repr(value)
        return UUID.sub("UUID", PORT.sub("PORT", self._places.sub("FOLDER", text)))


def resource_of(call: Call) -> str:
    """What a call's resource is called: its URN, or its address, or what Terraform says without one; empty if it has none."""
    bags = (bag for bag in (call.inputs, call.planned, call.proposed, call.prior) if bag)
    label = next((bag["label"] for bag in bags if "label" in bag), "")
    return call.urn or call.address or (call.type and f"{call.type} {label or call.id}")


def end(how: str) -> None:
    """End the run: everything in the terminal's group by Ctrl-C, or pytest alone as a service manager does."""
    if how == "interrupt":
        os.killpg(os.getpgid(0), signal.SIGINT)
    else:
        os.kill(os.getpgid(0), signal.SIGTERM)


def listening() -> set[str]:
    """The sockets of this process at which somebody may connect."""
    own = set()
    for file in Path("/proc/self/fd").iterdir():
        with suppress(OSError):
            own.add(str(file.readlink()))
    rows = [line.split() for name in ("tcp", "tcp6") for line in Path(f"/proc/net/{name}").read_text().splitlines()[1:]]
    found = {f"socket:[{row[9]}]" for row in rows if row[3] == LISTENING}
    unix = [line.split() for line in Path("/proc/net/unix").read_text().splitlines()[1:]]
    # The flag of a socket that accepts connections.
    found |= {f"socket:[{row[6]}]" for row in unix if int(row[3], 16) & 0x10000}
    return own & found


def _in_grpc(frame: FrameType | None) -> bool:
    """Whether gRPC is at work there, which does not bear an exception in its midst: its channel would wait for ever."""
    while frame is not None:
        if frame.f_globals.get("__name__", "").partition(".")[0] == "grpc":
            return True
        frame = frame.f_back
    return False


def _of_pytest(thread: threading.Thread) -> bool:
    return "execnet" in thread.name or "execnet" in type(thread).__module__

"""Recorders that are killed: what a process had answered is on disk, whenever the kill came."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from mockprovider import tape
from mockprovider.errors import CassetteError

KILLS = """
    import os, random, signal, sys, threading, time
    sys.path[:0] = {paths!r}
    from cassette_toy import Toy, answer, call, session
    from mockprovider import tape
    from mockprovider.calls import Op

    def record(path, told, case):
        recorder = tape.record(path, Toy(), protocol="toy")

        def life(number):
            for count in range(10_000):
                name = f"{{number}}.{{count}}"
                recorder(call(Op.CREATE, session(number), "urn:" + name), lambda _: answer())
                os.write(told, (name + "\\n").encode())

        threads = [threading.Thread(target=life, args=(number,)) for number in (1, 2)]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]

    for path, case in zip(sys.argv[1::2], map(int, sys.argv[2::2])):
        read, told = os.pipe()
        child = os.fork()
        if not child:
            record(path, told, case)
        os.close(told)
        time.sleep(random.Random(case).uniform(0.001, 0.03))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        with os.fdopen(read) as answered:
            open(path + ".answered", "w").write(answered.read())
"""
"""Records with two threads in a child of its own for each case, kills it, and writes down what had been answered until then."""


def recovered(path: Path) -> set[str]:
    """What a killed recording holds; nothing where it had not begun."""
    try:
        cassette = tape.load(tape.draft_of(path), recover=True)
        return {interaction.urn.removeprefix("urn:") for interaction in cassette.interactions}
    except CassetteError:
        return set()


@pytest.mark.trial("kills", pinned=10, cases=1000)
def test_what_was_answered_outlives_a_kill(seeds: Iterator[int], tmp_path: Path) -> None:
    """What a killed recorder had answered is recovered, and beside it at most the call that each thread was about."""
    here = Path(__file__).parent
    program = textwrap.dedent(KILLS.format(paths=[str(here), str(here.parent)]))
    cases = {tmp_path / f"{number}.json": case for number, case in enumerate(seeds)}
    words = [str(word) for pair in cases.items() for word in pair]
    # The kills come one after the other, so that each falls into a process that has the machine.
    subprocess.run([sys.executable, "-c", program, *words], timeout=600, check=True)
    for path, case in cases.items():
        answered = set(Path(f"{path}.answered").read_text(encoding="utf-8").split())
        kept = recovered(path)
        assert answered <= kept, f"case {case}: answered and lost"
        assert len(kept - answered) <= 2, f"case {case}: more than was under way"

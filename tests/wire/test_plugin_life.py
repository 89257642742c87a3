"""When the plugin's process ends."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from itertools import islice

import pytest

from mockprovider.plugin.asked import starter
from mockprovider.protocols import of_family

ROUNDS = """
import os
import signal
import sys
from mockprovider.plugin import life as module

module.PARENT_SECONDS = 0.001
for case in map(int, sys.argv[1:]):
    life = module.Life(ends_on_interrupt=True)
    signal.signal(signal.SIGALRM, life.end)
    signal.setitimer(signal.ITIMER_REAL, (case % 2000 + 1) / 20_000_000)
    life.wait()
    os.close(life._over), os.close(life._ending)
print("ended")
"""


@pytest.mark.trial("signals", pinned=2000, cases=40_000)
def test_a_signal_at_any_moment_ends_it(seeds: Iterator[int]) -> None:
    """A signal that comes just as the process begins to wait ends it, however near the two are."""
    while cases := list(map(str, islice(seeds, 2000))):
        command = [sys.executable, "-c", ROUNDS, *cases]
        ended = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
        assert (ended.stdout, ended.stderr) == ("ended\n", "")


@pytest.mark.parametrize("protocol", ["pulumi", "terraform"])
def test_ctrl_c_is_for_the_engine_to_judge(protocol: str) -> None:
    """Pulumi ends a plugin with an interrupt; Terraform's plugins leave Ctrl-C to the engine."""
    code = (
        "import select, signal\n"
        "from mockprovider.plugin.life import Life\n"
        f"life = Life(ends_on_interrupt={starter(of_family(protocol)).ends_on_interrupt})\n"
        "signal.raise_signal(signal.SIGINT)\n"
        "print(len(select.select([life._over], [], [], 0)[0]))\n"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=False)

    assert (ended.stdout, ended.stderr) == ("1\n" if protocol == "pulumi" else "0\n", "")

"""What a command prints, to its end, whatever else has its pipe, and however much that is."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from mockprovider.drivers.command import run
from mockprovider.errors import ProgramError

MUCH = 3_000_000


def python(tmp_path: Path, source: str, seconds: float = 60, **options: object) -> tuple[str, str]:
    """What a program prints."""
    finished = run([sys.executable, "-c", source], cwd=tmp_path, env={}, seconds=seconds, **options)
    return finished.stdout, finished.stderr


def test_more_than_a_pipe_holds_is_read_whole(tmp_path: Path) -> None:
    """A program that prints megabytes to both streams ends, and nothing of it is lost."""
    source = f"import sys\nfor s in (sys.stdout, sys.stderr, sys.stdout):\n s.write('x' * {MUCH})\n s.flush()"

    assert [*map(len, python(tmp_path, source))] == [2 * MUCH, MUCH]


def test_who_inherits_the_pipe_is_not_waited_for(tmp_path: Path) -> None:
    """A program is over when it has ended, although a process that it left behind has its standard output still."""
    source = "import subprocess, sys\nsubprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\nprint('done')"

    assert python(tmp_path, source) == ("done\n", "")


def test_who_prints_without_end_is_ended_at_the_limit(tmp_path: Path) -> None:
    """Neither does endless printing keep the limit from coming."""
    with pytest.raises(ProgramError, match=r"had not ended after 0\.3 s"):
        python(tmp_path, "while True: print('x' * 70_000)", seconds=0.3)


def test_a_program_that_closes_its_streams_is_waited_for(tmp_path: Path) -> None:
    """The end of its output is not the end of a program."""
    source = "import os, time\nos.close(1); os.close(2); time.sleep(0.3); open('late', 'w').close()"

    assert python(tmp_path, source) == ("", "")
    assert (tmp_path / "late").exists()


def test_bytes_that_are_no_text_are_shown(tmp_path: Path) -> None:
    """A byte that is no UTF-8 does not hide the others, and lines end as they do here."""
    stdout, _ = python(tmp_path, r"import os; os.write(1, b'a\xff\r\nb')")

    assert stdout == "a\N{REPLACEMENT CHARACTER}\nb"


@pytest.mark.skipif(sys.platform != "linux", reason="no other system can forbid a running process to write files")
def test_a_full_disk_leaves_the_output(tmp_path: Path) -> None:
    """A command that may write no file any more can still say so."""
    from mockprovider.drivers.command import RunningCommand  # noqa: PLC0415 - needs the module ``resource``
    from mockprovider.drivers.output import Printed, ends  # noqa: PLC0415 - as above
    from mockprovider.wire.owned import OwnedProcess  # noqa: PLC0415 - as above

    source = (
        "import signal\nsignal.signal(signal.SIGXFSZ, signal.SIG_IGN)\ninput()\nopen('file', 'w', buffering=1).write('x\\n')"
    )
    with Printed() as printed:
        command = [sys.executable, "-c", source]
        streams = {"stdin": subprocess.PIPE, "stdout": printed.entrance, "stderr": printed.entrance}
        with OwnedProcess(command, cwd=tmp_path, **streams) as process:
            RunningCommand(process).lose_state()
            process.stdin.write(b"\n")
            process.stdin.close()
            assert ends(process, (printed,), 60)
    assert "File too large" in printed.text

"""Processes that we start: read line by line, never blocked, and always ended."""

from __future__ import annotations

import os
import select
import sys
import threading

import pytest

from mockprovider.calls import Reply, Status
from mockprovider.errors import PluginError
from mockprovider.wire.process import Process

SECONDS = 60
"""How long a process may take before the test fails instead of hanging."""

WAIT = "import signal; signal.pause()"
STUBBORN = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN); print('ready', flush=True); signal.pause()"


def python(code, **options):
    """A process that runs this code."""
    return Process([sys.executable, "-I", "-S", "-c", code], **options)


def test_lines_come_in_order():
    """Standard output is read line by line, without the line's end."""
    with python("print('one'); print('two')") as process:
        assert [process.line(SECONDS), process.line(SECONDS)] == ["one", "two"]


def test_environment_and_folder(tmp_path):
    """The environment is ours and what is added; the folder is the one asked for."""
    code = "import os; print(os.environ['MOCK'], 'PATH' in os.environ, os.getcwd())"
    with python(code, env={"MOCK": "x"}, cwd=tmp_path) as process:
        assert process.line(SECONDS) == f"x True {tmp_path.resolve()}"


def test_standard_input_is_empty():
    """A provider that reads its standard input finds its end, and never waits for the user."""
    with python("import sys; print(repr(sys.stdin.read()))") as process:
        assert process.line(SECONDS) == "''"


@pytest.mark.parametrize(
    ("command", "reason"), [(["no-such-provider"], "No such file or directory"), (["/"], "Permission denied")]
)
def test_what_cannot_be_started(command, reason):
    """A command that is not there or not executable is an error that names it."""
    with pytest.raises(PluginError, match=f"Cannot start {command[0]!r}: {reason}. Is it on PATH, and executable"):
        Process(command)


def test_a_folder_that_is_not_there(tmp_path):
    """A working folder that does not exist is an error, too."""
    with pytest.raises(PluginError, match="Cannot start"):
        python("", cwd=tmp_path / "nowhere")


def test_a_death_at_the_start():
    """A process that dies before it prints is an error with its exit code and its last words."""
    code = "import sys; sys.stderr.write('no licence\\nbye\\n'); sys.exit(3)"
    with python(code) as process, pytest.raises(PluginError) as died:
        process.line(SECONDS)

    assert "ended (exit code 3) before it said where it listens." in str(died.value)
    assert str(died.value).endswith("Its last output:\n  no licence\n  bye")


def test_a_line_that_was_heard_is_no_last_word():
    """What a process printed because it was asked for is not repeated when it fails later."""
    with python("print(4711, flush=True); print('bye', flush=True)") as process:
        assert process.line(SECONDS) == "4711"
        process.wait(SECONDS)
        assert process.last_words() == "\nIts last output:\n  bye"


def test_a_death_that_leaves_a_process_behind():
    """The end of a process is noticed also where another one, that it has started, keeps its output open."""
    forked = python("import os, time\nif os.fork(): os._exit(3)\nelse: time.sleep(600)")
    with forked as process, pytest.raises(PluginError, match="ended \\(exit code 3\\) before it said where it listens"):
        process.line(600)


def test_a_silent_death():
    """A process that dies without a word is an error that says so."""
    with python("raise SystemExit(1)") as process, pytest.raises(PluginError, match=r"exit code 1.* It printed nothing\.$"):
        process.line(SECONDS)


def test_a_process_that_says_nothing():
    """A process that prints nothing in time is an error with what it said elsewhere, and is ended."""
    with python(WAIT) as process:
        with pytest.raises(PluginError, match=r"printed nothing within 0\.01 s"):
            process.line(0.01)
        assert process.running

    assert not process.running


def test_much_output_blocks_nobody():
    """A process that floods both streams is read all the while; of its output the last lines are kept."""
    code = "import sys\nfor n in range(20000): sys.stderr.write(f'noise {n}\\n')\nprint('ready', flush=True)"
    with python(code) as process:
        assert process.line(SECONDS) == "ready"
        assert process.wait(SECONDS) == 0
        words = process.last_words().splitlines()

    assert len(words) in (41, 42), "an empty line, a heading and forty lines, one of which may be the one that was heard"
    assert "  noise 19999" in words


def test_output_that_is_no_text():
    """Bytes that are not UTF-8 are shown as well as can be, and break nothing."""
    with python("import sys; sys.stdout.buffer.write(b'\\xff\\n')") as process:
        assert process.line(SECONDS) == "\ufffd"


def test_wait():
    """Waiting gives the exit code, or nothing while it runs."""
    with python("raise SystemExit(7)") as ended, python(WAIT) as running:
        assert ended.wait(SECONDS) == 7
        assert running.wait(0.01) is None
        assert running.running
        assert running.pid > 0


def test_it_is_interrupted_first():
    """Stopping asks with an interrupt, so that a provider may tidy up."""
    # The handler may come in the middle of a print, so it writes below Python's streams.
    code = (
        "import os, signal\n"
        "def end(*_): os.write(1, b'tidy\\n'); os._exit(0)\n"
        "signal.signal(signal.SIGINT, end)\n"
        "print('ready', flush=True)\n"
        "while True: signal.pause()"
    )
    process = python(code)
    process.line(SECONDS)
    process.stop()

    assert process.wait(SECONDS) == 0
    assert "tidy" in process.last_words()


def test_what_does_not_listen_is_killed():
    """A process that ignores the interrupt is killed after its grace."""
    process = python(STUBBORN)
    process.line(SECONDS)
    process.stop(grace=0.05)

    assert process.wait(SECONDS) == -9


def test_children_end_with_it(tmp_path):
    """What the process has started itself does not outlive it, even if it ignores the interrupt."""
    # A child holds the pipe open for as long as it lives, so its end can be waited for.
    pipe = tmp_path / "alive"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    child = f"held = open({str(pipe)!r}, 'w'); {STUBBORN}"
    code = (
        "import subprocess, sys\n"
        f"child = subprocess.Popen([sys.executable, '-I', '-S', '-c', {child!r}], stdout=subprocess.PIPE)\n"
        "print(child.stdout.readline(), flush=True)\n"
        "child.wait()"
    )
    try:
        with python(code) as process:
            assert "ready" in process.line(SECONDS)
            assert select.select([reader], [], [], 0)[0] == [], "the child lives"

        assert select.select([reader], [], [], SECONDS)[0] == [reader]
        assert os.read(reader, 1) == b""
    finally:
        os.close(reader)


def test_what_left_the_session_holds_nobody_up(tmp_path):
    """Stopping waits for nobody who keeps the process's output open from a session of its own, as a daemon does."""
    pipe = tmp_path / "over"
    os.mkfifo(pipe)
    process = python(f"import os\nif not os.fork(): os.setsid(), open({str(pipe)!r}).read()")
    # It is open once the daemon is one.
    with pipe.open("w"):
        stopping = threading.Thread(target=process.stop, daemon=True)
        stopping.start()
        stopping.join(SECONDS)
        assert not stopping.is_alive()


def test_a_group_of_its_own():
    """A terminal's Ctrl-C goes to our group and does not reach the process."""
    with python(WAIT) as process:
        assert os.getpgid(process.pid) == process.pid != os.getpgid(0)


def test_stopping_twice():
    """Stopping what has ended, by us or by itself, is no error."""
    process = python("")
    process.wait(SECONDS)
    process.stop()
    process.stop()

    assert not process.running


def test_a_death_during_a_call_is_logged(caplog):
    """A call that got no answer because the process died is handed on as it is; exit code and last words are logged."""
    lost = Reply(status=Status(14, "Socket closed"))
    with Process([sys.executable, "-c", "import sys; sys.stderr.write('out of luck\\n'); sys.exit(3)"]) as process:
        process.wait(60)
        assert process.witness(lost) is lost
        assert process.witness(Reply(id="x")).id == "x"

    assert len(caplog.messages) == 1
    assert "ended (exit code 3) during a call." in caplog.text
    assert "out of luck" in caplog.text

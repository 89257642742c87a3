"""What a command says in a terminal where it takes more than a second, and that nobody else gets any of it."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner
from kept_cassettes import CASSETTES
from rich.console import Console

from mockprovider.cli import main
from mockprovider.cli.cassette import progress as room
from mockprovider.cli.cassette.progress import PATIENCE, ProgressLine, progress

KEPT = CASSETTES / "fake-pulumi/pulumi.json"


class Bell:
    """A timer that rings when it is told to, or at once; ``bells`` has all of them."""

    at_once = False
    bells: list[Bell]

    def __init__(self, seconds: float, ring: Callable[[], None]) -> None:
        self.seconds, self.ring, self.state = seconds, ring, "made"
        self.daemon = False
        self.bells.append(self)

    def start(self) -> None:
        self.state = "running"
        if self.at_once:
            self.ring()

    def cancel(self) -> None:
        self.state = "cancelled"


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    """What a terminal of 40 columns shows, with timers that ring when they are told to."""
    shown = io.StringIO()
    Bell.bells, Bell.at_once = [], False
    monkeypatch.setattr(room, "Timer", Bell)
    monkeypatch.setattr(room, "terminal", lambda: Console(file=shown, width=40, force_terminal=True, color_system=None))
    return shown


def test_nothing_within_a_second(screen: io.StringIO) -> None:
    """What takes less than a second says nothing, and its timer is cancelled."""
    with progress("Reading it"):
        (bell,) = Bell.bells
        assert (bell.seconds, bell.state, bell.daemon) == (PATIENCE, "running", True)
    assert bell.state == "cancelled"
    assert screen.getvalue() == ""


def test_a_line_that_goes_again(screen: io.StringIO) -> None:
    """After a second there is a line with the latest words, which is gone at the end, with the cursor back."""
    with progress("Reading it") as line:
        line("Reading two")
        Bell.bells[0].ring()
        line("Reading [bold]three[/bold]\x1b[2J")
    text = screen.getvalue()
    assert "Reading [bold]three[/bold]\\x1b[2J" in text
    assert "Reading it" not in text
    assert text.endswith("\x1b[?25h\r\x1b[1A\x1b[2K")


def test_a_timer_that_rings_too_late(screen: io.StringIO) -> None:
    """A timer that could not be cancelled any more shows nothing after the end."""
    with progress("Reading it"):
        pass
    Bell.bells[0].ring()
    assert screen.getvalue() == ""


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_it_goes_when_something_fails(screen: io.StringIO, error: type[BaseException]) -> None:
    """After Ctrl-C or an error the line is gone, too."""

    def fails() -> None:
        with progress("Reading it"):
            Bell.bells[0].ring()
            raise error

    with pytest.raises(error):
        fails()
    assert screen.getvalue().endswith("\x1b[?25h\r\x1b[1A\x1b[2K")


def test_long_words_fit_the_line(screen: io.StringIO) -> None:
    """A text that is longer than the terminal is cut, so that one line is one line."""
    with progress("x" * 100):
        Bell.bells[0].ring()
    assert "x" * 35 + "…" in screen.getvalue()
    assert "x" * 36 not in screen.getvalue()


def test_nobody_to_tell(screen: io.StringIO) -> None:
    """Quietly, no timer is even started; a line without a console shows nothing."""
    with progress("Reading it", quiet=True):
        (bell,) = Bell.bells
        assert bell.state == "made"
    nowhere = ProgressLine("it", None)
    nowhere.begin()
    nowhere("that")
    nowhere.end()
    assert screen.getvalue() == ""


COMMANDS = {
    "show": (["show", "it.json"], "Reading it.json"),
    "report": (["report", "it.json"], "Reading it.json"),
    "diff": (["diff", "it.json", "it.json"], "Comparing it.json and it.json"),
    "check": (["check", "it.json"], "Checking it.json (1 of 1)"),
    "redact": (["redact", "it.json", "--secret", "acl", "--dry-run"], "Looking through it.json"),
    "prune": (["prune", "it.json", "--dry-run"], "Looking through it.json"),
    "migrate": (["migrate", "it.json"], "Migrating it.json"),
    "export": (["export", "it.json", "--into", "log.json"], "Exporting it.json"),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_says_what_it_does(
    screen: io.StringIO, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each command that reads whole cassettes says so after a second in a terminal; and nothing of it is in its output."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "it.json").write_bytes(KEPT.read_bytes())
    arguments, said = COMMANDS[command]
    Bell.at_once = True
    result = CliRunner().invoke(main, ["cassette", *arguments])
    assert said in screen.getvalue()
    assert result.exit_code == 0, result.output
    assert said not in result.output


@pytest.mark.parametrize("command", ["show", "report", "diff", "redact", "prune", "migrate"])
def test_json_is_quiet(screen: io.StringIO, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With ``--json`` there is no progress."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "it.json").write_bytes(KEPT.read_bytes())
    Bell.at_once = True
    CliRunner().invoke(main, ["cassette", *COMMANDS[command][0], "--json"])
    assert [bell.state for bell in Bell.bells] == ["cancelled"]
    assert screen.getvalue() == ""


def test_a_pipe_gets_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where standard error is no terminal, or one that can nothing, there is none."""
    assert room.terminal() is None

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr("sys.stderr", Terminal())
    monkeypatch.setenv("TERM", "dumb")
    assert room.terminal() is None
    monkeypatch.setenv("TERM", "xterm")
    console = room.terminal()
    assert console is not None
    assert console.stderr

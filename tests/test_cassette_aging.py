"""How old a cassette is: its date, what fails and warns of an old one, and that equal recordings stay equal files."""

from __future__ import annotations

from pathlib import Path

import pytest
from cassette_toy import header
from click.testing import CliRunner
from mode_stage import LIVE, asked, behind
from test_redacting import create, write

from mockprovider import Double, recording, recording_all, tape
from mockprovider.cassette import Cassette, LookResult
from mockprovider.cassette.aging import expired, undatable
from mockprovider.cli import main
from mockprovider.cli.cassette.checking import check_files
from mockprovider.clock import StillClock
from mockprovider.double import clocks
from mockprovider.double.clocks import CalendarClock
from mockprovider.durations import DAY, age, shown_age
from mockprovider.errors import MalformedError

NOW = 20_000 * DAY


def dated(days_ago: float | None, created_by: str = "make it") -> Cassette:
    """A cassette that was recorded so long ago."""
    cassette = Cassette(header())
    cassette.header.recorded_at = None if days_ago is None else NOW - days_ago * DAY
    cassette.header.created_by = created_by
    return cassette


@pytest.mark.parametrize(
    ("text", "wanted"),
    [("90d", 90 * DAY), ("2w", 14 * DAY), ("36h", 1.5 * DAY), ("1h30m", 5400.0), ("999999w", 999_999 * 7 * DAY)],
)
def test_ages(text: str, wanted: float) -> None:
    """Ages are days, weeks, or durations as elsewhere."""
    assert age(text) == wanted


@pytest.mark.parametrize("text", ["", "0d", "90", "d", "-1d", "1.5d", "90 d", "3y", "1d2h", "9999999d", "٣d"])
def test_what_is_no_age(text: str) -> None:
    """What is no age, or no time at all, is refused with the forms that are."""
    with pytest.raises(MalformedError, match=r"is no age\. Write it as '90d'"):
        age(text)


@pytest.mark.parametrize(
    ("seconds", "said"), [(3700.0, "1 hour"), (1.9 * DAY, "45 hours"), (2 * DAY, "2 days"), (123.9 * DAY, "123 days")]
)
def test_ages_in_words(seconds: float, said: str) -> None:
    """An age is told in whole days, and in hours where it is less than two days."""
    assert shown_age(seconds) == said


@pytest.mark.parametrize(
    ("days_ago", "old", "unknown"),
    [
        (89.0, "", ""),
        (90.0, "", ""),
        (90.1, "it is 90 days old, and may be 90d", ""),
        (None, "", "does not say"),
        (-2.0, "", "in the future"),
    ],
)
def test_old_cassettes(days_ago: float | None, old: str, unknown: str) -> None:
    """A cassette is too old after its age, and not at it; one without a date, or from the future, is of no known age."""
    said, why = expired(dated(days_ago), "90d", NOW), undatable(dated(days_ago), "90d", NOW)
    assert said.startswith(old)
    assert bool(said) is bool(old)
    assert unknown in why
    assert bool(why) is bool(unknown)


def test_the_way_out_is_the_command() -> None:
    """What is said of an old cassette has the command that records it again."""
    assert expired(dated(91), "90d", NOW).endswith("To record it again: make it.")


# The date -----------------------------------------------------------------------------------------------------------------


def test_the_date_is_that_of_the_end(tmp_path: Path) -> None:
    """The date is when the recording ended, by the clock that it was given; without one there is none."""
    clock = StillClock(1000.0)
    with Double(provider=recording(tmp_path / "it.json", behind(LIVE), clock=clock)) as double:
        double(asked(double, LookResult.FOUND))
        assert tape.load(tmp_path / "it.json.new", recover=True).header.recorded_at == 1000.0
        clock.advance(500)
    assert tape.load(tmp_path / "it.json").header.recorded_at == 1500.0
    both = recording_all(tmp_path / "all.json", {"a": behind(LIVE)}, clock=clock)
    with Double(provider=both["a"]) as double:
        double(asked(double, LookResult.FOUND))
    assert tape.load(tmp_path / "all.json").header.recorded_at == 1500.0
    with Double(provider=recording(tmp_path / "it.json", behind(LIVE))) as double:
        double(asked(double, LookResult.FOUND))
    assert tape.load(tmp_path / "it.json").header.recorded_at is None


def test_what_is_added_to_stays_as_old(tmp_path: Path) -> None:
    """With the mode ``new``, a cassette is as old as its oldest part."""
    path = tmp_path / "it.json"
    for mode, now in (("all", 1000.0), ("new", 2000.0)):
        with Double(provider=recording(path, behind(LIVE), clock=StillClock(now), mode=mode)) as double:
            double(asked(double, LookResult.FOUND))
            if mode == "new":
                double(asked(double, LookResult.MISSING))
    assert tape.load(path).header.recorded_at == 1000.0
    assert len(tape.load(path).interactions) == 2


def test_the_calendar_tells_the_day(monkeypatch: pytest.MonkeyPatch) -> None:
    """Recordings of one day have one date."""
    for wall, day in ((NOW, NOW), (NOW + DAY - 0.001, NOW), (NOW + DAY, NOW + DAY)):
        monkeypatch.setattr(clocks, "wall", lambda wall=wall: wall)
        assert CalendarClock().now() == day


# The command --------------------------------------------------------------------------------------------------------------


def test_check_fails_on_an_old_cassette(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """``check --max-age`` fails on an old cassette and warns of one without a date; without the option, any age will do."""
    monkeypatch.chdir(tmp_path)
    write(Path("old.json"), create("a"), clock=StillClock(NOW - 91 * DAY), created_by="make old")
    write(Path("young.json"), create("a"), clock=StillClock(NOW - DAY))
    write(Path("undated.json"), create("a"))
    files = [Path("old.json"), Path("young.json"), Path("undated.json")]
    assert check_files(files, [], [], clock=StillClock(NOW))
    assert capsys.readouterr().out == ""
    assert not check_files(files, [], [], max_age="90d", clock=StillClock(NOW))
    out, err = capsys.readouterr()
    assert out == (
        "old.json: it is 91 days old, and may be 90d. To record it again: make old.\n"
        "undated.json: warning: it does not say when it was recorded, so nobody knows whether it is older than 90d.\n"
    )
    assert err == "1 of 3 files must not be committed.\n"


def test_check_takes_ages_only(tmp_path: Path) -> None:
    """A word that is no age is a usage error."""
    write(tmp_path / "it.json", create("a"))
    result = CliRunner().invoke(main, ["cassette", "check", "--max-age", "soon", str(tmp_path / "it.json")])
    assert (result.exit_code, "--max-age: 'soon' is no age" in result.output) == (2, True)

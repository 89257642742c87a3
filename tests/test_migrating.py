"""Cassettes of older versions: read as those of today, and written as such by ``mockprovider cassette migrate``."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from cassette_toy import call, secret, session
from click.testing import CliRunner
from kept_cassettes import CASSETTES
from test_redacting import URN, create, large_answer, write

from mockprovider import tape
from mockprovider.calls import Op, Reply
from mockprovider.cassette import FORMAT, VERSION
from mockprovider.cli import main
from mockprovider.double.migrating import FORM, ORDER, SPELLING, migrate
from mockprovider.double.reporting import proved
from mockprovider.errors import CassetteBrokenError, CassetteBusyError, CassetteError, CassetteVersionError
from mockprovider.tape import format as tape_format
from mockprovider.tape import versions
from mockprovider.tape.lock import Lock

KEPT = sorted(path for path in CASSETTES.glob("*/*.json") if FORMAT.encode() in path.read_bytes()[:200])


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where a cassette will be, in the folder in which the commands run."""
    monkeypatch.chdir(tmp_path)
    return tmp_path / "it.json"


def conversation() -> tuple[tuple[Any, Reply], ...]:
    """Two creates, in two sessions, with secrets."""
    one, two = create("b", password=secret("first-secret")), create("a", 2, password=secret("other-secret"))
    return one, (call(Op.READ, session(), f"{URN}b", id="b"), Reply(value={"id": "b"}, id="b")), two


def run(*arguments: Any) -> tuple[str, int]:
    """What the command says, and how it ends."""
    result = CliRunner().invoke(main, ["cassette", "migrate", *map(str, arguments)])
    return result.output, result.exit_code


def elements(path: Path) -> list[dict[str, Any]]:
    """The elements of a file."""
    read: list[dict[str, Any]] = json.loads(path.read_bytes())
    return read


# Versions -----------------------------------------------------------------------------------------------------------------


@pytest.fixture
def second(monkeypatch: pytest.MonkeyPatch) -> None:
    """A world with a version 2, in which ``created_by`` is no longer called ``made_with``, as it was in version 1."""

    def renamed(parts: versions.Elements) -> versions.Elements:
        header, *interactions = parts
        header["created_by"] = header.pop("made_with")
        return [header, *interactions]

    monkeypatch.setattr(tape_format, "VERSION", 2)
    monkeypatch.setattr("mockprovider.double.migrating.VERSION", 2)
    monkeypatch.setattr(versions, "MIGRATIONS", {1: renamed})


def older(path: Path) -> None:
    """A cassette of version 1 of that world."""
    write(path, *conversation(), created_by="make it")
    header, *interactions = elements(path)
    header["made_with"] = header.pop("created_by")
    path.write_text(json.dumps([header, *interactions]))


def test_each_older_version_has_a_row() -> None:
    """The table has a step from each version below today's, and none from others."""
    assert sorted(versions.MIGRATIONS) == [*range(1, VERSION)]


def test_an_older_version_is_read(path: Path, second: None) -> None:
    """A file of an older version is read through the table, whole or torn, and is not touched by that."""
    older(path)
    before = path.read_bytes()
    header = tape.load(path).header
    assert (header.version, header.created_by) == (2, "make it")
    assert path.read_bytes() == before
    path.write_bytes(before[:-2])
    assert tape.load(path, recover=True).header.created_by == "make it"


def test_an_older_version_is_migrated(path: Path, second: None) -> None:
    """A file of an older version becomes one of today, and a second time there is nothing to do."""
    older(path)
    assert run("--dry-run", "it.json") == ("it.json: would be rewritten: format version 1 is now 2.\n", 0)
    assert elements(path)[0]["version"] == 1
    assert migrate(path).changes == ("format version 1 is now 2",)
    header = elements(path)[0]
    assert (header["version"], header["created_by"]) == (2, "make it")
    assert run("it.json") == ("it.json: it is as this version writes it.\n", 0)


def test_a_file_that_is_not_what_its_version_says(path: Path, second: None) -> None:
    """Where a step does not find what its version has, the file is damaged, and stays."""
    write(path, *conversation())
    before = path.read_bytes()
    with pytest.raises(CassetteBrokenError, match="is not what its format version 1 says"):
        migrate(path)
    assert path.read_bytes() == before


def test_a_newer_version_is_refused(path: Path) -> None:
    """A file of a newer version is refused, and the others are migrated nevertheless."""
    write(path, *conversation())
    header, *interactions = elements(path)
    newer = path.with_name("newer.json")
    newer.write_text(json.dumps([{**header, "version": VERSION + 1}, *interactions]))
    path.write_text(json.dumps([header, *interactions]))
    with pytest.raises(CassetteVersionError):
        migrate(newer)
    output, code = run("newer.json", "it.json")
    assert code == 1
    assert f"newer.json has format version {VERSION + 1}" in output
    assert f"it.json: rewritten: {FORM}." in output


# Today's ------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kept", KEPT, ids=lambda kept: f"{kept.parent.name}-{kept.stem}")
def test_kept_cassettes(kept: Path, tmp_path: Path) -> None:
    """What is kept stays byte for byte, but for values that an older version spelled in another way; those replay as before."""
    path = tmp_path / "it.json"
    shutil.copy(kept, path)
    if (kept.parent / "blobs").is_dir():
        shutil.copytree(kept.parent / "blobs", tmp_path / "blobs")
    changes = migrate(path).changes
    assert changes in ((), (SPELLING,))
    assert (path.read_bytes() == kept.read_bytes()) == (changes == ())
    if changes:
        assert proved(path) == len(tape.load(kept).interactions)
        assert migrate(path).changes == ()


def test_what_is_recorded_needs_nothing(path: Path) -> None:
    """A recording of today stays byte for byte, with blobs and secrets, and the same file is in its place."""
    write(path, *conversation(), large_answer("one"))
    before, inode = path.read_bytes(), path.stat().st_ino
    assert migrate(path).changes == ()
    assert (path.read_bytes(), path.stat().st_ino) == (before, inode)


def test_another_order_is_put_right(path: Path) -> None:
    """Interactions that a merge or an edit put in another order, or in another form, are again as they were recorded."""
    write(path, *conversation(), large_answer("one"))
    before = path.read_bytes()
    header, *interactions = elements(path)
    path.write_text(json.dumps([header, *reversed(interactions)]))
    assert migrate(path).changes == (ORDER,)
    assert path.read_bytes() == before
    path.write_text(json.dumps(elements(path), indent=4))
    assert migrate(path).changes == (FORM,)
    assert path.read_bytes() == before


def test_numbers_are_made_anew(path: Path) -> None:
    """Numbers with gaps, as after somebody has taken calls out, follow each other again; so do secrets."""
    write(path, *conversation())
    header, *interactions = elements(path)
    gone = next(one for one in interactions if one["urn"] == f"{URN}b" and one["op"] == "create")
    path.write_text(json.dumps([header, *(one for one in interactions if one is not gone)]))
    assert ORDER in migrate(path).changes
    kept = elements(path)[1:]
    assert [one["n"] for one in kept] == [1, 2]
    assert '"$secret": 2' not in path.read_text()


def test_large_trees_become_blobs(path: Path) -> None:
    """A large answer that somebody put into the file is a blob again."""
    write(path, large_answer("one"))
    before = path.read_bytes()
    cassette = tape.load(path)
    one = cassette.interactions[0]
    one.response, one.response_blob = cassette.response(one), ""
    path.write_bytes(tape_format.render(cassette.header, [one]))
    shutil.rmtree(path.parent / "blobs")
    assert migrate(path).changes == (FORM,)
    assert path.read_bytes() == before
    assert len([*(path.parent / "blobs").iterdir()]) == 1


# Trouble ------------------------------------------------------------------------------------------------------------------


def test_a_cassette_in_use(path: Path) -> None:
    """While it is being recorded it is left alone."""
    write(path, *conversation())
    lock = Lock(path)
    try:
        with pytest.raises(CassetteBusyError):
            migrate(path)
    finally:
        lock.release()


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_write_that_fails(path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    """A full disk and Ctrl-C leave the file as it was, and nothing beside it."""
    write(path, *conversation())
    path.write_text(json.dumps(elements(path)))
    before = path.read_bytes()

    def fails(*_: object) -> None:
        raise error

    monkeypatch.setattr(os, "fsync", fails)
    with pytest.raises((CassetteError, KeyboardInterrupt)):
        migrate(path)
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir()] == ["it.json"]


def test_what_it_says_as_json(path: Path) -> None:
    """With ``--json`` each file has its version and what changed, or its error."""
    write(path, *conversation())
    path.with_name("none.json").write_text("[]")
    output, code = run("--json", "it.json", "none.json")
    one, none = json.loads(output)["cassettes"]
    assert code == 1
    assert one == {"name": "it.json", "version": 1, "changes": []}
    assert "is not a cassette" in none["error"]

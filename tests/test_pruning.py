"""Folders of cassettes: what is removed because nothing needs it, and what never is."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from cassette_toy import answer, call, session
from click.testing import CliRunner
from kept_cassettes import CASSETTES
from msgspec.structs import replace
from test_double_compact import record, told
from test_redacting import URN, create, large_answer, write

from mockprovider import tape
from mockprovider.calls import Op
from mockprovider.cassette import Sent
from mockprovider.cli import main
from mockprovider.double.pruning import Pruned, prune
from mockprovider.double.reporting import proved
from mockprovider.errors import CassetteMissingError
from mockprovider.matching import encode
from mockprovider.tape import format as tape_format
from mockprovider.tape import unused
from mockprovider.tape.lock import Lock
from mockprovider.tape.rewriting import rewrite

RECORDED = CASSETTES / "fake-terraform/terraform.json"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a cassette and all that recordings may leave beside it."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "cassettes"
    write(folder / "it.json", create("a"), large_answer("one"))
    data = (folder / "it.json").read_bytes()
    for suffix in ("new", "failed", "torn", "torn2"):
        (folder / f"it.json.{suffix}").write_bytes(data[:-20])
    for companion in (".it.json.torn.sent", ".gone.json.new.sent"):
        (folder / companion).write_bytes(b"")
    (folder / ".it.json.torn.blobs").mkdir()
    (folder / ".it.json.torn.blobs/x").write_bytes(b"12345")
    (folder / ".old.json.lock").write_bytes(b"99999\n")
    (folder / ".it.json.0123abcd").write_bytes(data[:100])
    (folder / "blobs" / f"{'0' * 64}.json.zst").write_bytes(b"nobody's")
    (folder / "blobs" / f".{'1' * 64}.json.zst.0123abcd").write_bytes(b"half")
    return folder


GOES = {
    *(f"it.json.{suffix}" for suffix in ("new", "failed", "torn", "torn2")),
    *(".gone.json.new.sent", ".old.json.lock", ".it.json.0123abcd"),
    *(f"{'0' * 64}.json.zst", f".{'1' * 64}.json.zst.0123abcd"),
}


def there(folder: Path) -> dict[str, bytes]:
    """All files below a folder."""
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def names(pruned: Pruned) -> set[str]:
    """The names of what was removed."""
    return {item.path.name for item in pruned.removed}


def sent(recording: Path) -> None:
    """A note of a call that was sent and never answered."""
    note = Sent(op="create", method="Create", type="cloud:index:Bucket", urn=f"{URN}x")
    recording.with_name(f".{recording.name}.sent").write_bytes(b"+1 " + encode(note) + b"\n")


def run(*arguments: Any) -> tuple[str, int]:
    """What the command says, and how it ends."""
    result = CliRunner().invoke(main, ["cassette", "prune", *map(str, arguments)])
    return result.output, result.exit_code


def test_what_nothing_needs_is_removed(folder: Path) -> None:
    """Leftovers of recordings, stale locks, half files and blobs of nobody go; the cassette and its blob stay, and replay."""
    before = there(folder)
    pruned = prune([folder])
    assert names(pruned) == GOES
    assert (pruned.kept, pruned.trouble) == ([], [])
    after = there(folder)
    assert pruned.freed == sum(map(len, before.values())) - sum(map(len, after.values()))
    assert after == {name: before[name] for name in after}
    assert sorted(after) == sorted(["it.json", *(name for name in after if name.startswith("blobs/"))])
    assert len(after) == 2
    assert proved(folder / "it.json") == 2
    assert prune([folder]) == Pruned()


def test_a_dry_run_says_the_same_and_does_nothing(folder: Path) -> None:
    """A dry run lists what would be removed, in the same words, and no file changes."""
    before = there(folder)
    planned = prune([folder], dry_run=True)
    assert there(folder) == before
    assert prune([folder]) == planned


def test_other_folders_and_other_files_stay(folder: Path) -> None:
    """Files of others stay, whatever they are called, and so does what lies in hidden folders."""
    for name in (
        "x.new",
        "notes.failed",
        ".terraform.lock.hcl",
        ".editor.lock",
        ".git/it.json.new",
        ".a.json.89abcdef",
        "y.torn",
    ):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("somebody else's")
    shutil.copy(folder / "it.json.torn", folder / ".git/it.json.torn")
    assert names(prune([folder])) == GOES


def test_a_trace_of_the_cloud_is_kept(folder: Path) -> None:
    """A recording that lists calls without an answer is kept and said, and with ``--force`` it goes with its list."""
    for suffix in ("failed", "torn"):
        sent(folder / f"it.json.{suffix}")
    sent(folder / "gone.json.new")
    output, code = run("cassettes")
    assert code == 0
    kept = {name for name in there(folder) if "/" not in name}
    assert kept >= {"it.json.failed", ".it.json.failed.sent", "it.json.torn", ".it.json.torn.sent", ".gone.json.new.sent"}
    assert "Kept cassettes/it.json.failed: it lists calls without an answer" in output
    assert "mockprovider cassette recover cassettes/it.json" in output
    run("cassettes", "--force")
    assert {name for name in there(folder) if "/" not in name} == {"it.json"}


def test_the_only_recording_is_kept(folder: Path) -> None:
    """A draft without a cassette is what there is of it, so it stays unless ``--force``; one without calls goes."""
    (folder / "it.json").unlink()
    pruned = prune([folder])
    assert [item.path.name for item in pruned.kept] == ["it.json.new"]
    assert "mockprovider cassette recover" in pruned.kept[0].what
    tape.recover(folder / "it.json")
    assert len(tape.load(folder / "it.json").interactions) == 1
    (folder / "more.json.new").write_bytes(tape_format.opening(tape.load(folder / "it.json").header))
    assert names(prune([folder])) >= {"more.json.new"}


def test_what_is_in_use_is_left_alone(folder: Path) -> None:
    """While a cassette of the folder is recorded, its files and all blobs stay, and others' leftovers go."""
    before = there(folder)
    lock = Lock(folder / "it.json")
    try:
        pruned = prune([folder])
    finally:
        lock.release()
    assert names(pruned) == {".gone.json.new.sent", ".old.json.lock"}
    assert any("is being recorded by" in item.what for item in pruned.kept)
    (trouble,) = pruned.trouble
    assert trouble.startswith(f"{folder / 'it.json'} is being recorded by another recorder of this process.")
    assert there(folder) == {name: data for name, data in before.items() if Path(name).name not in names(pruned)}


def test_a_recording_that_begins_meanwhile(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A blob that somebody comes to use while it is being removed is back in its place."""
    asked = []

    def recording_in(_: Path) -> str:
        asked.append(1)
        return "it is being recorded" if len(asked) > 2 else ""

    before = there(folder / "blobs")
    monkeypatch.setattr(unused, "recording_in", recording_in)
    assert unused.remove_blobs(folder, ["0" * 64]) == []
    assert there(folder / "blobs") == before


def test_a_cassette_that_appears_meanwhile(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A blob that a cassette names which was finished in the meantime is back in its place."""
    asked, look = [], unused.unused_blobs

    def unused_blobs(where: Path) -> unused.UnusedBlobs:
        asked.append(where)
        if len(asked) == 2:
            (folder / "new.json").write_text("0" * 64)
        return look(where)

    before = there(folder / "blobs")
    monkeypatch.setattr(unused, "unused_blobs", unused_blobs)
    assert unused.remove_blobs(folder, ["0" * 64]) == []
    assert there(folder / "blobs") == before


def test_a_dry_run_beside_a_recording(folder: Path) -> None:
    """A dry run does not say that it would remove what is in use."""
    lock = Lock(folder / "it.json")
    try:
        planned, pruned = (prune([folder], dry_run=dry_run) for dry_run in (True, False))
    finally:
        lock.release()
    assert names(planned) == names(pruned) == {".gone.json.new.sent", ".old.json.lock"}


def test_blobs_that_a_killed_process_had_set_aside(folder: Path) -> None:
    """What a process that was killed had set aside is back where cassettes find it."""
    (used,) = unused.unused_blobs(folder).used
    blob = folder / "blobs" / f"{used}.json.zst"
    blob.rename(blob.with_name(f".{blob.name}.unused"))
    prune([folder])
    assert proved(folder / "it.json") == 2


def test_a_torn_cassette_keeps_its_blobs(folder: Path) -> None:
    """A cassette that cannot be read is said, ends with 1, and all that it names stays."""
    (folder / "it.json").write_bytes((folder / "it.json").read_bytes()[:-3])
    output, code = run("cassettes")
    assert code == 1
    assert "is torn" in output
    assert len([name for name in there(folder) if name.startswith("blobs/")]) == 1


def test_a_single_cassette(folder: Path) -> None:
    """Of a single cassette, its own leftovers go, and what others have left stays."""
    (folder / "other.json.failed").write_bytes((folder / "it.json.failed").read_bytes())
    prune([folder / "it.json"])
    stays = {"it.json", "other.json.failed", ".gone.json.new.sent", ".old.json.lock"}
    assert {name for name in there(folder) if "/" not in name} == stays
    with pytest.raises(CassetteMissingError, match=r"no cassette and no folder .*nothing\.json"):
        prune([folder / "nothing.json"])


# Smaller cassettes --------------------------------------------------------------------------------------------------------


@pytest.fixture
def repeated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cassette with a question that was asked three times, and a large one."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "it.json"
    asked = call(Op.INVOKE, session(), type_="cloud:index:zone"), answer(**{"return": {"zone": "eu"}})
    write(path, asked, asked, create("a"), asked, large_answer("one"))
    return path


def test_repeated_questions_are_kept_once(repeated: Path) -> None:
    """Of equal questions with equal answers one stays, the replay answers all, and a second time there is nothing to do."""
    output, code = run("it.json")
    assert code == 0
    assert "5 calls, now 3" in output
    assert [one.op for one in tape.load(repeated).interactions] == ["invoke", "invoke", "create"]
    assert proved(repeated) == 3
    assert run("it.json") == ("There is nothing to remove.\n", 0)


def test_no_compact_leaves_cassettes_alone(repeated: Path) -> None:
    """With ``--no-compact`` no cassette changes."""
    before = repeated.read_bytes()
    assert run("--no-compact", "it.json") == ("There is nothing to remove.\n", 0)
    assert repeated.read_bytes() == before


def test_schemas_of_types_in_use(tmp_path: Path) -> None:
    """A recorded schema keeps the types in use; its blob goes, also in what a dry run says, and the cassette replays."""
    path = tmp_path / "it.json"
    record(path)
    with_schema = tape.load(path)
    text = "a long description. " * 5000
    for one in with_schema.interactions:
        if one.op == "get_schema":
            for schema in one.response["resource_schemas"].values():
                schema["block"]["description"] = text
    rewrite(path, replace(with_schema))
    assert len([*(tmp_path / "blobs").iterdir()]) == 1
    planned = prune([tmp_path], dry_run=True)
    pruned = prune([tmp_path])
    assert (planned.freed, len(planned.removed)) == (pruned.freed, 1)
    assert told(path, whole_schema=True) == {"cloud_bucket"}
    assert len([*(tmp_path / "blobs").iterdir()]) == 1
    assert prune([tmp_path]) == Pruned()


def test_kept_cassettes_have_nothing_to_lose(tmp_path: Path) -> None:
    """What is recorded compactly is not changed, and a whole recording is smaller and still answers all that it was asked."""
    small = CASSETTES / "terraform-random/terraform.json"
    shutil.copy(small, tmp_path / "small.json")
    assert prune([tmp_path]) == Pruned()
    assert (tmp_path / "small.json").read_bytes() == small.read_bytes()
    shutil.copy(RECORDED, tmp_path / "large.json")
    prune([tmp_path])
    assert 0 < proved(tmp_path / "large.json") <= len(tape.load(RECORDED).interactions)


def test_a_full_disk(repeated: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a smaller cassette cannot be written, the old one stays whole, and that is said."""
    before = there(repeated.parent)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    output, code = run("it.json")
    assert (code, "No space left on device" in output) == (1, True)
    assert there(repeated.parent) == before


def test_what_it_says(folder: Path) -> None:
    """A table of what went, with sizes, and a sentence of what is free; the same as JSON."""
    output, _ = run("--dry-run", "cassettes")
    assert output.startswith("Would be removed:\nbytes")
    assert "  a blob of no cassette\n" in output
    assert output.endswith(" would be free.\n")
    data = json.loads(run("--json", "cassettes")[0])
    assert (data["dry_run"], len(data["removed"]), data["kept"], data["smaller"]) == (False, len(GOES), [], [])
    assert data["freed"] == sum(item["freed"] for item in data["removed"])

"""Paths that cannot be read or written: every function that takes one tells what is wrong with it, and what to do."""

from __future__ import annotations

import os
import re
import sys

import pytest

from mockprovider import Double, SqliteStore, Stack, real, recording, replaying, tape
from mockprovider.cli.types import read_types
from mockprovider.drivers.pulumi import PulumiCli
from mockprovider.drivers.terraform import Terraform
from mockprovider.errors import CassetteBrokenError, CassetteError, MalformedError, MockProviderError
from mockprovider.files import make_folder, read_text
from mockprovider.tape.blobs import Blobs
from mockprovider.terraform.recorded import tfstate

READ = {
    "Stack.import_": lambda path: Stack(Double()).import_(path),
    "Stack.up": lambda path: Stack(Double()).up(path),
    "SqliteStore": SqliteStore,
    "read_types": lambda path: read_types([path]),
    "recording": lambda path: recording(path, real([sys.executable])),
    "replaying": replaying,
    "tape.load": tape.load,
    "tape.recover": tape.recover,
    "tfstate.load": tfstate.load,
}
WRONG = ("a folder", "missing", "no text", "a project that is no text", "below a file", "too long", "a null byte")
MADE = {("SqliteStore", "missing"), ("recording", "missing"), ("recording", "no text")}
"""What is no mistake: a file is made where none is, and a recording takes the place of whatever stood there."""


@pytest.fixture
def paths(tmp_path):
    """Paths by what is wrong with them."""
    (tmp_path / "folder" / "Pulumi.yaml").mkdir(parents=True)
    (tmp_path / "bytes.json").write_bytes(b"\xff\xfe{}")
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "Pulumi.yaml").write_bytes(b"name: \xff")
    return {
        "a folder": tmp_path / "folder",
        "missing": tmp_path / "byte.json",
        "no text": tmp_path / "bytes.json",
        "a project that is no text": tmp_path / "project",
        "below a file": tmp_path / "bytes.json" / "x.json",
        "too long": tmp_path / ("x" * 300),
        "a null byte": tmp_path / "x\0y",
    }


@pytest.mark.parametrize(("name", "wrong"), sorted({(name, wrong) for name in READ for wrong in WRONG} - MADE))
def test_a_wrong_path_is_an_error_of_ours(name, wrong, paths):
    """Whatever is wrong with a path, the error is ours, and names it."""
    with pytest.raises(MockProviderError, match=re.escape(paths[wrong].name.partition("\0")[0])):
        READ[name](paths[wrong])


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (
            "a folder",
            r"folder is a folder, and no exported stack\. It holds: Pulumi\.yaml\. Write one with `pulumi stack export",
        ),
        ("missing", r"There is no exported stack at .*byte\.json\. Did you mean 'bytes\.json'\? Write one with"),
        ("no text", r"bytes\.json is no exported stack: it is no text in UTF-8\. Write one with"),
        ("below a file", r"The exported stack .*x\.json cannot be read: Not a directory\. Write one with"),
    ],
)
def test_an_exported_stack_that_cannot_be_read(wrong, message, paths):
    """What is wrong, what is nearest, and how to get an export."""
    with pytest.raises(MalformedError, match=message):
        Stack(Double()).import_(paths[wrong])


def test_a_file_that_is_like_no_other(tmp_path):
    """Files that are alike in their endings alone are no hint at one another."""
    (tmp_path / "y.json").write_text("{}", encoding="utf-8")
    with pytest.raises(MalformedError, match=r"There is no stack at .*nope\.json\. Do this\.$"):
        read_text(tmp_path / "nope.json", "stack", "Do this.")


def test_what_one_may_not_read(tmp_path, monkeypatch):
    """Without the permission, the reason is told."""
    monkeypatch.setattr("pathlib.Path.read_text", lambda *_, **__: os.open(tmp_path / "x", 0))
    monkeypatch.setattr(os, "open", lambda *_: (_ for _ in ()).throw(PermissionError(13, "Permission denied")))
    with pytest.raises(MalformedError, match=r"The stack .*x cannot be read: Permission denied\. Do this\."):
        read_text(tmp_path / "x", "stack", "Do this.")


def test_a_cassette_in_a_folder_that_one_may_not_write(tmp_path, monkeypatch):
    """A cassette is not mended where no lock can be had, and the error says so."""
    (tmp_path / "up.json").write_text("[]")
    monkeypatch.setattr(
        "mockprovider.tape.files.Lock", lambda _: (_ for _ in ()).throw(PermissionError(13, "Permission denied"))
    )
    with pytest.raises(CassetteError, match=r"Cannot mend .*up\.json where it is: Permission denied\. Copy it"):
        tape.recover(tmp_path / "up.json")


def test_a_blob_that_cannot_be_read(tmp_path):
    """A blob that is no file makes its cassette a broken one."""
    (tmp_path / "blobs" / "abc.json.zst").mkdir(parents=True)
    with pytest.raises(CassetteBrokenError, match=r"up\.json: its blob .*abc\.json\.zst is damaged: .*Is a directory"):
        Blobs(tmp_path / "up.json", "up.json")["abc"]


def test_a_folder_that_cannot_be_made(tmp_path):
    """A folder below a file is an error of ours; one that is there already is none."""
    (tmp_path / "file").touch()
    make_folder(tmp_path)
    with pytest.raises(MockProviderError, match=r"Cannot make the folder .*file/x: Not a directory\. Name a folder of yours"):
        make_folder(tmp_path / "file" / "x")


@pytest.mark.parametrize("driver", [PulumiCli, Terraform])
def test_a_driver_in_a_file(driver, tmp_path):
    """A driver whose folder is a file says so, before it runs anything."""
    (tmp_path / "file").touch()
    with pytest.raises(MockProviderError, match="Cannot make the folder"):
        driver(tmp_path / "file", binary="true")

"""Hashes of assets and archives. The expected ones were computed with the engine's own code, of Pulumi's Go SDK 3.272.0."""

from __future__ import annotations

import hashlib
import io
import os
import tarfile
import zipfile

import pytest

from mockprovider.errors import MalformedError, UnsupportedError
from mockprovider.pulumi.assets import archive_hash, asset_hash, with_hashes
from mockprovider.pulumi.signatures import EMPTY_ARCHIVE_HASH, EMPTY_TEXT_HASH
from mockprovider.pulumi.tar import clean, header, join, write
from mockprovider.values import Archive, Asset, Secret

HASH = "ab" * 32


def text(contents: str) -> Asset:
    return Asset(text=contents)


SUB = Archive(assets={"x": text("1"), "y/../z": text("2")})


@pytest.mark.parametrize(
    ("asset", "digest"),
    [
        (Asset(), EMPTY_TEXT_HASH),
        (text(""), EMPTY_TEXT_HASH),
        (text("a test asset"), "e34c74529110661faae4e121e57165ff4cb4dbdde1ef9770098aa3695e6b6704"),
        (Asset(text="anything", hash=HASH), HASH),
    ],
)
def test_text_assets(asset, digest):
    """A text's hash is that of its UTF-8 bytes; a hash that is there already stays."""
    assert asset_hash(asset) == digest


def test_file_assets(tmp_path):
    """A file's hash is that of its bytes; a relative path is relative to the program's folder, a URI may name a file."""
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "data.bin").write_bytes(b"\0\xff" * 100_000)
    expected = hashlib.sha256(b"\0\xff" * 100_000).hexdigest()
    assert asset_hash(Asset(path="sub/data.bin"), str(tmp_path)) == expected
    assert asset_hash(Asset(path="sub/../sub/data.bin"), str(tmp_path)) == expected
    assert asset_hash(Asset(path=str(tmp_path / "sub" / "data.bin")), "/elsewhere") == expected
    assert asset_hash(Asset(uri=f"file://{tmp_path}/sub/data.bin")) == expected


@pytest.mark.parametrize(
    ("members", "digest"),
    [
        ({}, EMPTY_ARCHIVE_HASH),
        ({"foo": text("a test asset")}, "27ab4a14a617df10cff3e1cf4e30cf510302afe56bf4cc91f84041c9f7b62fd8"),
        ({"foo": text("")}, "d2587a875f82cdf3d3e6cfe9f8c6e6032be5dde8c344466e664e628da15757b0"),
        ({"b.txt": text("bee"), "a.txt": text("ay")}, "a54a67fcc4a07c1871f6c1870f62dd7fc76595f5f3942acffdf067055258009c"),
        (
            {"a/b": text("1"), "a.b": text("2"), "é": text("3"), "Z": text("4")},
            "b87b554a1125b5e4b0a7a346bdbd1dace2808e8c88c2fb6d6e4e4ecc65ac3a73",
        ),
        ({"n" * 100: text("x")}, "c947a00bf2f5ef902e20488de87314fdf83c9d55d2675ee74f0efe30a842adb8"),
        ({"n" * 101: text("x")}, "2fea9249863ed8bb63ec05b478f2a6c421b582614939fd40bce717c84e009da1"),
        ({"d" * 90 + "/" + "n" * 90: text("x")}, "5ed318c771185c0052bb6992aedaf815226282c4710544ddb727428ee9cdd31b"),
        ({"d" * 155 + "/" + "n" * 100: text("x")}, "4b835a14e0882fe071a52dfcb68a019b8742340ee003934d51ab72200151da3e"),
        ({"d" * 156 + "/" + "n" * 100: text("x")}, "bc2f1fa2331421bf34d44d661edd2eb8921f4ec2326cbffa7767270ca84f8343"),
        ({"é" + "d" * 99 + "/" + "n" * 50: text("x")}, "ba693c2b8b6805674d1d0f051e5e5d204e5bf7a43626cdc22df55e9eb739d31c"),
        ({"é" + "d" * 98 + "//" + "n" * 50: text("x")}, "9fbeff72b0c7b5305e9b5cbf6119f3eca70d28745e4a6244dff8e7bc017341e3"),
        ({"/é": text("x")}, "f59bd93d802d1ca2b8993c30a8c52ed4d50bb53f740fa4ad9af512fd109a1a6b"),
        ({"dir/naïve.txt": text("x")}, "c8431c2983886f6741a3cb9599299c0e75b8d8106be96a9816e0ea59a1e434f2"),
        ({"f": text("y" * 512), "g": text("y" * 513)}, "f6969ec2e6aa7628cc93e37e9e68965418880356c261987ddc4bac9329f89f10"),
        ({"f/": text("")}, "d76d64013512b35007a6fe75e26ff85b30c935201d8606233ac9f449ad4f1435"),
        (
            {"sub": SUB, "sub/x": text("dup"), "top": text("t")},
            "513efb9907d687c66513169485dc9b1adbc15290f1f217cce9494951b25ce625",
        ),
        ({"a//b/": SUB, "": SUB}, "c8329656f53077326a7fb1da94c72f6efcde74cf234104884e3a69e094be8894"),
    ],
    ids=lambda case: case[:8] if isinstance(case, str) else "-".join(case)[:20],
)
def test_archives_of_members(members, digest):
    """A map of members is hashed as the engine's tar stream: sorted by name, nested archives flattened, no name twice."""
    assert archive_hash(Archive(assets=members)) == digest


@pytest.fixture
def folder(tmp_path):
    """A folder with nested folders, links, an empty folder and the engine's own files."""
    root = tmp_path / "d"
    for name in ("sub/deep", ".pulumi", "sub.x", "empty"):
        (root / name).mkdir(parents=True)
    files = {
        "b.txt": "one\n",
        "sub/c.txt": "two\n",
        "sub/deep/é.txt": "x",
        "sub.x/f": "s\n",
        ".pulumi/state": "no\n",
        "sub-1": "a\n",
    }
    for name, contents in files.items():
        (root / name).write_text(contents)
    (root / "linkdir").symlink_to("sub")
    (root / "linkfile").symlink_to("b.txt")
    (tmp_path / "rootlink").symlink_to("d")
    return tmp_path


def test_folders(folder):
    """A folder is hashed file by file in the engine's order, without its bookkeeping and without what links to folders."""
    expected = "34881f768f99fad20a5a788d51b325ab581fd119bbac5068a58e9090e6ee13d6"
    assert archive_hash(Archive(path="d"), str(folder)) == expected
    assert archive_hash(Archive(path=str(folder / "d"))) == expected


def test_folder_as_a_member(folder):
    """A folder inside a map of members puts its files below the member's name."""
    expected = "9db81c1688d993f28ad9d70320966f207855d0a81938bc54530c8a4013e3c0f0"
    assert archive_hash(Archive(assets={"in": Archive(path="d")}), str(folder)) == expected


def test_link_to_a_folder(folder):
    """A folder that is itself a link is empty to the engine, which does not follow it."""
    assert archive_hash(Archive(path="rootlink"), str(folder)) == EMPTY_ARCHIVE_HASH


@pytest.mark.parametrize("name", ["code.tar", "code.tgz", "code.tar.gz", "code.zip", "code.jar"])
def test_archive_files(tmp_path, name):
    """An archive that is a file already is hashed as that file, by path and by URI, whatever it holds."""
    (tmp_path / name).write_bytes(b"whatever")
    expected = hashlib.sha256(b"whatever").hexdigest()
    assert archive_hash(Archive(path=name), str(tmp_path)) == expected
    assert archive_hash(Archive(uri=f"file://{tmp_path}/{name}")) == expected


@pytest.mark.parametrize(("name", "mode"), [("t.tar", "w"), ("t.tgz", "w:gz")])
def test_tar_file_as_a_member(tmp_path, name, mode):
    """The files of a tar inside a map of members count as members, folders left out, names cleaned."""
    with tarfile.open(tmp_path / name, mode) as archive:
        for path, contents in (("./a/", None), ("./a/b.txt", b"1"), ("é.txt", b"2")):
            info = tarfile.TarInfo(path)
            info.type = tarfile.DIRTYPE if contents is None else tarfile.REGTYPE
            info.size = len(contents or b"")
            archive.addfile(info, io.BytesIO(contents or b""))
    flat = Archive(assets={"in/a/b.txt": text("1"), "in/é.txt": text("2")})
    assert archive_hash(Archive(assets={"in": Archive(path=name)}), str(tmp_path)) == archive_hash(flat)


def test_zip_file_as_a_member(tmp_path):
    """The files of a zip inside a map of members count as members, in the zip's order, folders left out, names cleaned."""
    with zipfile.ZipFile(tmp_path / "z.zip", "w") as archive:
        archive.writestr("dir/", "")
        archive.writestr("a/b.txt", "1")
        archive.writestr("./x/../é", "2")
    flat = Archive(assets={"in/a/b.txt": text("1"), "in/é": text("2")})
    assert archive_hash(Archive(assets={"in": Archive(path="z.zip")}), str(tmp_path)) == archive_hash(flat)


def test_zip_names_without_the_utf8_flag(tmp_path):
    """A zip written without the flag for UTF-8 names keeps the bytes of its names, as Go reads them."""
    with zipfile.ZipFile(tmp_path / "z.zip", "w") as archive:
        archive.writestr("é", "2")
    raw = (tmp_path / "z.zip").read_bytes()
    (tmp_path / "z.zip").write_bytes(raw.replace(b"\x00\x08\x00\x00", b"\x00\x00\x00\x00"))
    flat = Archive(assets={"in/é": text("2")})
    assert archive_hash(Archive(assets={"in": Archive(path="z.zip")}), str(tmp_path)) == archive_hash(flat)


@pytest.mark.parametrize(
    ("archive", "why"),
    [
        (Archive(path="gone"), "The archive 'gone' cannot be read for its hash: .*No such file"),
        (Archive(path="gone.zip"), "The archive 'gone.zip' cannot be read"),
        (Archive(path="file.txt"), "is no archive: it is no folder and ends in none of"),
        (Archive(uri="file:///file.txt"), "is no archive: it ends in none of"),
        (Archive(assets={"m": Archive(path="broken.tar")}), "cannot be read for its hash"),
        (Archive(assets={"m": Archive(path="broken.tgz")}), "cannot be read for its hash"),
        (Archive(assets={"m": Archive(path="broken.zip")}), "cannot be read for its hash"),
        (Archive(assets={"m": Archive(path="link.tar")}), "holds 'link', which is neither a file nor a folder"),
        (Archive(assets={"m": Archive(path="d.zip")}), "cannot be read"),
        (Archive(assets={"m": Asset(path="gone")}), "The asset 'gone' cannot be read"),
        (Archive(assets={"m": Asset(path="d.zip")}), "is a folder, where a file is asked for"),
        (Archive(assets={"m": Asset(hash=HASH)}), "An elided asset has a hash"),
        (Archive(assets={"m": Archive(hash=HASH)}), "An elided archive has a hash"),
        (Archive(assets={"m/": Asset(text="x")}), "cannot hold a file called 'm/'"),
        (Archive(assets={"m\0": Asset(text="x")}), "no NUL"),
    ],
)
def test_what_cannot_be_hashed(tmp_path, archive, why):
    """What is missing, broken, elided or no archive is refused with its name and the reason."""
    (tmp_path / "d.zip").mkdir()
    for name in ("file.txt", "broken.tar", "broken.tgz", "broken.zip"):
        (tmp_path / name).write_text("no archive")
    with tarfile.open(tmp_path / "link.tar", "w") as tar:
        info = tarfile.TarInfo("link")
        info.type, info.linkname = tarfile.SYMTYPE, "x"
        tar.addfile(info)
    with pytest.raises(MalformedError, match=why):
        archive_hash(archive, str(tmp_path))


def test_a_pipe_is_refused(tmp_path):
    """A named pipe is refused instead of waited for."""
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(MalformedError, match="is not a regular file"):
        asset_hash(Asset(path="pipe"), str(tmp_path))


@pytest.mark.parametrize("what", [Asset(uri="https://example.com/a"), Archive(uri="https://example.com/a.zip")])
def test_nothing_is_fetched(what):
    """What is on the web needs its hash given, and the message says so."""
    with pytest.raises(UnsupportedError, match="Give it as hash="):
        (asset_hash if isinstance(what, Asset) else archive_hash)(what)


def test_with_hashes_fills_in_what_is_missing():
    """Each asset and archive in a value gets its hash, wrappers kept; one that has a hash keeps it."""
    value = {"a": [Secret(text(""))], "b": Archive(assets={}), "c": Asset(hash=HASH), "d": 1}
    assert with_hashes(value) == {
        "a": [Secret(Asset(text="", hash=EMPTY_TEXT_HASH))],
        "b": Archive(assets={}, hash=EMPTY_ARCHIVE_HASH),
        "c": Asset(hash=HASH),
        "d": 1,
    }


def test_tar_stream_is_a_tar():
    """The stream is readable as a tar with the members' names, contents and mode."""
    pieces: list[bytes] = []
    names = [b"a", b"d" * 120 + b"/n", "é".encode(), b"n" * 101]
    write([(name, 3, io.BytesIO(b"abc")) for name in names], pieces.append)
    with tarfile.open(fileobj=io.BytesIO(b"".join(pieces))) as archive:
        assert [member.name.encode() for member in archive] == names
        assert {member.mode for member in archive} == {0o600}
        assert archive.extractfile(archive.getmembers()[2]).read() == b"abc"


def test_large_members_have_a_header_of_their_own():
    """From 8 GiB on, the size stands in a PAX record, because eleven octal digits do not hold it."""
    info = tarfile.TarInfo.frombuf(header(b"big", 8**11 - 1), "utf-8", "strict")
    assert (info.size, info.type) == (8**11 - 1, tarfile.REGTYPE)
    assert b"19 size=8589934592\n" in header(b"big", 8**11)


def test_contents_of_another_size_are_refused():
    """A file that changed between the look at its size and the reading is noticed."""
    with pytest.raises(MalformedError, match="'f' has 3 bytes where 4 were announced"):
        write([(b"f", 4, io.BytesIO(b"abc"))], lambda _: None)


@pytest.mark.parametrize(
    ("path", "cleaned"),
    [(b"", b"."), (b"a//b/", b"a/b"), (b"./a/../b", b"b"), (b"//a", b"/a"), (b"/..", b"/"), (b"../a", b"../a")],
)
def test_clean(path, cleaned):
    """Paths are cleaned as Go does it."""
    assert clean(path) == cleaned


def test_join_leaves_out_empty_parts():
    """An empty part adds no slash."""
    assert join(b"", b"a", b"", b"b/") == b"a/b"
